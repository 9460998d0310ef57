"""A field in motion: the pictures of its times, one after another, in one file.

A GIF (by Pillow), or a page of HTML that has the pictures and plays them: both without other
programs. The colour scale is the same at all times.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError
from fathom.plots.picture import picture, shown_limits
from fathom.plots.style import encoded

PAGE = """<!doctype html><meta charset="utf-8"><title>{title}</title>
<style>body{{font:14px sans-serif;margin:1em}}img{{max-width:100%}}</style>
<img id="picture" alt="{title}"><br>
<button id="play">stop</button>
<input id="time" type="range" min="0" max="{last}" value="0" style="width:60%">
<script>
const frames = {frames}, picture = document.getElementById("picture");
const time = document.getElementById("time"), play = document.getElementById("play");
let timer = null;
const show = n => {{ time.value = n; picture.src = "data:image/png;base64," + frames[n]; }};
const next = () => show((+time.value + 1) % frames.length);
const start = () => {{ timer = setInterval(next, {pause}); play.textContent = "stop"; }};
const stop = () => {{ clearInterval(timer); timer = null; play.textContent = "play"; }};
play.onclick = () => timer ? stop() : start();
time.oninput = () => {{ stop(); show(+time.value); }};
show(0); start();
</script>
"""


def animation(
    dataset: Any,
    variable: str,
    path: str | Path,
    *,
    level: float | str | None = None,
    kind: str | None = None,
    rate: float = 5.0,
    **look: Any,
) -> Path:
    """Returns all times of a variable of an xarray.Dataset into `path`, .gif or .html, `rate` of
    them a second. look: other arguments of `picture` (limits, colours, title, region, projection).
    ValueError: another ending, no times, or a wrong rate; errors of `picture`.
    """
    from PIL import Image  # start-up time

    path = Path(path)
    if path.suffix not in (".gif", ".html"):
        raise InputError(f"an animation is a .gif or .html, not {path.name!r}")
    if not 0.1 <= rate <= 50:
        raise InputError(f"rate = {rate:g} pictures a second must lie in [0.1, 50]")
    count = dataset.sizes.get("time", 0)
    if count < 2 or kind == "series":
        raise InputError(f"an animation needs two times or more; {variable!r} has {count}")
    look["limits"] = look.get("limits") or shown_limits(dataset, variable, level=level, kind=kind)
    frames = []
    for n in range(count):
        drawn = picture(dataset, variable, time=n, level=level, kind=kind, **look)
        frames.append(encoded(drawn))
    pause = round(1000 / rate)
    if path.suffix == ".html":
        texts = [base64.b64encode(frame).decode() for frame in frames]
        page = PAGE.format(title=variable, last=count - 1, frames=texts, pause=pause)
        path.write_text(page)
        return path
    images = [
        Image.open(io.BytesIO(frame)).convert("P", palette=Image.Palette.ADAPTIVE)
        for frame in frames
    ]
    images[0].save(path, save_all=True, append_images=images[1:], duration=pause, loop=0)
    return path
