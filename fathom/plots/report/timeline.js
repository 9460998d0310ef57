document.querySelectorAll(".timeline").forEach(box => {
  const data = JSON.parse(box.querySelector("[type='application/json']").textContent), canvas = box.querySelector("canvas"), tip = box.querySelector(".tip");
  const pen = canvas.getContext("2d"), left = 58, top = 4, bottom = 24, lanes = [17, 9, 9], rank = 44;
  let [from, to] = data.view, dragged = null, waiting = false;
  const width = () => canvas.clientWidth - left, scale = () => width() / (to - from);
  const text = t => t >= 1e7 ? (t / 1e7).toPrecision(4) + " s" : t >= 1e4 ? (t / 1e4).toPrecision(4) + " ms" : (t / 10).toPrecision(3) + " \u00b5s";
  function draw() {
    waiting = false;
    const ratio = window.devicePixelRatio || 1, height = top + rank * data.ranks.length + bottom;
    canvas.style.height = height + "px"; canvas.width = canvas.clientWidth * ratio; canvas.height = height * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.clearRect(0, 0, canvas.clientWidth, height);
    pen.font = "12px system-ui, sans-serif"; pen.fillStyle = "#75818b"; pen.textBaseline = "middle";
    const s = scale(), unit = Math.pow(10, Math.floor(Math.log10((to - from) / 5))), step = [1, 2, 5, 10].map(n => n * unit).find(n => (to - from) / n <= 9);
    const word = step >= 1e6 ? [1e7, " s"] : step >= 1e3 ? [1e4, " ms"] : [10, " \u00b5s"], digits = Math.max(0, Math.ceil(-Math.log10(step / word[0]) - 1e-9));
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
      const x = left + (t - from) * s;
      pen.fillStyle = "#e2e7ea"; pen.fillRect(x, top, 1, height - bottom - top);
      pen.fillStyle = "#75818b"; pen.textAlign = "center"; pen.fillText((t / word[0]).toFixed(digits) + word[1], Math.min(x, canvas.clientWidth - 30), height - bottom + 12);
    }
    pen.textAlign = "left";
    data.ranks.forEach((of, r) => {
      let y = top + r * rank;
      pen.fillStyle = "#22303c"; pen.fillText("rank " + r, 0, y + 12);
      of.forEach((bars, lane) => {
        for (const [begin, length, state] of bars) {
          if (begin + length < from || begin > to) continue;
          const a = Math.max(left, left + (begin - from) * s), b = Math.min(canvas.clientWidth, left + (begin + length - from) * s);
          pen.fillStyle = data.colours[state]; pen.fillRect(a, y, Math.max(b - a, 0.35), lanes[lane]);
        }
        y += lanes[lane] + 1;
      });
    });
  }
  const redraw = () => { if (!waiting) { waiting = true; requestAnimationFrame(draw); } };
  function show(a, b) {
    const length = Math.min(Math.max(b - a, 50), data.length);
    from = Math.min(Math.max(a, 0), data.length - length); to = from + length; redraw();
  }
  function under(event) {
    const t = from + (event.offsetX - left) / scale(), r = Math.floor((event.offsetY - top) / rank);
    let y = event.offsetY - top - r * rank, lane = 0;
    while (lane < 3 && y >= lanes[lane] + 1) y -= lanes[lane++] + 1;
    if (event.offsetX < left || !data.ranks[r] || lane > 2) return null;
    let found = null;
    const slack = 1 / scale();
    for (const bar of data.ranks[r][lane]) if (bar[0] - slack <= t && t <= bar[0] + bar[1] + slack) found = bar;
    return found && data.names[found[3]] + (data.states[found[2]] == data.names[found[3]] ? "" : "\n" + data.states[found[2]]) + "\n" + text(found[1]) + " at " + text(found[0]) + ", rank " + r;
  }
  canvas.addEventListener("wheel", e => {
    e.preventDefault();
    const t = from + (e.offsetX - left) / scale(), by = Math.exp(Math.max(-1, Math.min(1, e.deltaY / 240)));
    show(t - (t - from) * by, t + (to - t) * by);
  }, { passive: false });
  canvas.addEventListener("mousedown", e => { dragged = [e.clientX, from, to]; canvas.style.cursor = "grabbing"; });
  window.addEventListener("mouseup", () => { dragged = null; canvas.style.cursor = "grab"; });
  canvas.addEventListener("mousemove", e => {
    if (dragged) { const by = (dragged[0] - e.clientX) / scale(); show(dragged[1] + by, dragged[2] + by); return; }
    const words = under(e);
    tip.hidden = !words;
    if (words) { tip.textContent = words; tip.style.left = Math.min(canvas.offsetLeft + e.offsetX + 14, box.clientWidth - tip.offsetWidth - 8) + "px"; tip.style.top = canvas.offsetTop + e.offsetY + 14 + "px"; }
  });
  canvas.addEventListener("mouseleave", () => tip.hidden = true);
  canvas.addEventListener("dblclick", () => show(0, data.length));
  window.addEventListener("resize", redraw);
  draw();
});
