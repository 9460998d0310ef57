"""The report of a chain: scores, data by kind, and the time of each stage, as text, numbers and a
page.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fathom import plots
from fathom.base import writing
from fathom.plots.report.markup import table
from fathom.plots.report.page import write_report
from fathom.plots.style import new_figure, styled

Windows = Sequence[Mapping[str, Any]]
Rows = list[tuple[str, ...]]
fields = (
    "pressure", "wind 850", "wind 500", "wind 250", "temperature 850", "temperature 500",
    "temperature 250", "humidity 850", "humidity 500",
)  # fmt: skip
units = {"pressure": "hPa", "wind": "m/s", "temperature": "K", "humidity": "g/kg"}


def half(windows: Windows) -> Windows:
    """Returns the second half of the windows, which the first background no longer marks."""
    return windows[len(windows) // 2 :]


def means(windows: Windows, state: str) -> dict[str, dict[str, float]]:
    """Returns region -> field -> rms error of a state over the second half of the windows."""
    some = [w["scores"][state] for w in half(windows) if "scores" in w]
    if not some:
        return {}
    return {
        region: {f: float(np.sqrt(np.mean([s[region][f] ** 2 for s in some]))) for f in fields}
        for region in some[0]
    }


def by_kind(windows: Windows) -> dict[str, dict[str, float]]:
    """Returns kind -> data of a window, degrees of freedom for signal, the same for each datum, and
    the impact on the forecast [J kg-1] where it was asked for.
    """
    made: dict[str, dict[str, float]] = {}
    impacts = [w["impact"].get("kinds", {}) for w in windows if "impact" in w]
    for w in windows:
        m = w["minimisation"]
        for kind, count in m["kinds"].items():
            of = made.setdefault(kind, {"data": 0.0, "freedom": 0.0})
            of["data"] += count / len(windows)
            of["freedom"] += m["freedom"].get(kind, 0.0) / len(windows)
    for kind, of in made.items() if impacts else ():
        of["impact"] = float(np.mean([kinds.get(kind, 0.0) for kinds in impacts]))
    return made


def departures(windows: Windows) -> dict[str, dict[str, float]]:
    """Returns kind and variable -> means over the windows of what the feedback says."""
    every = [w["feedback"]["departures"] for w in windows]
    made = {}
    for name in dict.fromkeys(n for one in every for n in one):
        own = [one[name] for one in every if name in one]
        made[name] = {key: float(np.mean([o[key] for o in own])) for key in own[0]}
    return made


def stages(windows: Windows) -> dict[str, dict[str, float]]:
    """Returns stage -> ranks, threads, and means of its seconds."""
    made = {}
    for name in dict.fromkeys(n for w in windows for n in w):
        own = [w[name] for w in windows if name in w]
        seconds = {
            key: float(np.mean([o["seconds"][key] for o in own])) for key in own[0]["seconds"]
        }
        made[name] = {"ranks": own[-1]["ranks"], "threads": own[-1]["threads"], **seconds}
    return made


def work(window: Mapping[str, Any]) -> float:
    """Returns the wall time of a window's stages [s]; without nature and what looks back at it."""
    aside = ("observations", "scores", "impact") if "scores" in window else ("impact",)
    return float(sum(s["seconds"]["wall"] for n, s in window.items() if n not in aside))


def clock(windows: Windows, deadline: float) -> str:
    """Returns a line about the time of windows and their deadline [s]."""
    whole = np.array([work(w) for w in windows])
    line = f"seconds of a window: mean {whole.mean():.1f}, longest {whole.max():.1f}"
    if deadline:
        line += (
            f"; {np.sum(whole <= deadline)} of {len(whole)} within the deadline of {deadline:g} s,"
            f" the least margin {deadline - whole.max():.1f} s"
        )
    return line


def told(number: int, r: Mapping[str, Any]) -> str:
    """Returns a line about a window."""
    m = r["minimisation"]
    line = (
        f"window {number + 1}: {r['screening']['used']} of {r['screening']['data']} data,"
        f" departure {m['departure']:.2f}, residual {m['residual']:.2f} of the errors"
    )
    if "scores" in r:
        states = (r["scores"][n] for n in ("background", "analysis"))
        before, after = (next(iter(of.values())) for of in states)
        line += (
            f"; wind at 500 hPa {before['wind 500']:.2f} -> {after['wind 500']:.2f} m/s,"
            f" temperature {before['temperature 500']:.2f} -> {after['temperature 500']:.2f} K"
        )
    return line


# ---- tables ------------------------------------------------------------------------------------


def tables(windows: Windows, simulated: bool) -> dict[str, tuple[tuple[str, ...], Rows]]:
    """Returns title -> head and rows of all tables."""
    made: dict[str, tuple[tuple[str, ...], Rows]] = {}
    if simulated:
        made["Errors against nature"] = _errors(windows)
    kinds = by_kind(windows)
    looked = any("impact" in v for v in kinds.values())
    made["Data by kind"] = (
        ("kind", "data", "degrees of freedom", "of a datum",
         *(["impact on the forecast [J/kg]"] if looked else [])),
        [(k, f"{v['data']:.0f}", f"{v['freedom']:.0f}", f"{v['freedom'] / v['data']:.3f}",
          *([f"{v['impact']:+.4f}"] if looked else [])) for k, v in kinds.items()],
    )  # fmt: skip
    made["Departures"] = (
        ("kind and variable", "data", "departure / error", "residual / error", "mean departure",
         "mean residual", "weight"),
        [(name, f"{v['data']:.0f}", f"{v['departure']:.2f}", f"{v['residual']:.2f}",
          f"{v['mean_departure']:+.3g}", f"{v['mean_residual']:+.3g}", f"{v['weight']:.2f}")
         for name, v in departures(windows).items()],
    )  # fmt: skip
    made["Stages"] = (
        ("stage", "ranks", "threads", "seconds", "processor", "of the slowest rank", "messages",
         "waiting", "idle"),
        [(n, f"{s['ranks']:.0f}", f"{s['threads']:.0f}",
          *(f"{s[k]:.2f}" for k in
            ("wall", "processor", "processor_most", "travelling", "waiting")),
          f"{max(s['wall'] - s['processor'] / max(s['threads'], 1), 0):.2f}")
         for n, s in stages(windows).items()],
    )  # fmt: skip
    return made


def _errors(windows: Windows) -> tuple[tuple[str, ...], Rows]:
    before, after = means(windows, "background"), means(windows, "analysis")
    head = ("field", *(f"{r}: background, analysis" for r in before))
    rows = []
    for field in fields:
        unit = units[field.split(" ")[0]]
        name = f"{field} hPa [{unit}]" if " " in field else f"{field} [{unit}]"
        rows.append((name, *(f"{before[r][field]:.3f}  {after[r][field]:.3f}" for r in before)))
    return head, rows


def text(windows: Windows, simulated: bool, deadline: float) -> list[str]:
    """Returns the report as lines of text."""
    kind = "of nature: twin scores are no skill" if simulated else "given"
    lines = [f"{len(windows)} windows, observations {kind}", clock(windows, deadline)]
    for title, (head, rows) in tables(windows, simulated).items():
        wide = [max(len(r[n]) for r in [head, *rows]) for n in range(len(head))]
        lines += ["", title]
        lines += ["  ".join(c.rjust(w) if n else c.ljust(w) for n, (c, w) in
                            enumerate(zip(row, wide))) for row in [head, *rows]]  # fmt: skip
    return lines


def write(
    out: Path, windows: Windows, simulated: bool, deadline: float, configuration: str, title: str
) -> list[str]:
    """Writes report.txt, report.json and report.html; returns the lines of the first."""
    lines = text(windows, simulated, deadline)
    writing.replace(out / "report.txt", "\n".join(lines) + "\n")
    numbers = {
        "kind": "twin" if simulated else "given", "deadline": deadline, "windows": list(windows),
        "background": means(windows, "background"), "analysis": means(windows, "analysis"),
        "by_kind": by_kind(windows), "departures": departures(windows), "stages": stages(windows),
    }  # fmt: skip
    writing.replace(out / "report.json", json.dumps(numbers, indent=1))
    parts = {}
    for name, (head, rows) in tables(windows, simulated).items():
        cells = [tuple(html.escape(c) for c in row) for row in rows]
        parts[name] = table(head, cells, "tight" if name == "Departures" else "")
    parts["Stages"] += f"<p>{html.escape(clock(windows, deadline))}</p>"
    write_report(
        out / "report.html",
        title=title,
        summary={"wall_seconds": sum(work(w) for w in windows)},
        configuration=configuration,
        parts=parts,
        pictures={"Window by window": iter(_pictures(windows))},
    )
    return lines


def _pictures(windows: Windows) -> list[tuple[str, Any]]:
    """Returns pictures: errors of background and analysis in time, stages as bars."""
    bars = [
        {"region": n, "phase": "stage", "seconds": s["wall"], "calls": 1}
        for n, s in stages(windows).items()
    ]
    return [
        ("in time", partial(in_time, windows)),
        ("stages", partial(plots.bars, bars, title="Seconds of the stages of a window")),
    ]


@styled
def in_time(windows: Windows) -> Any:
    """Returns a figure: errors of background and analysis, and departures, window by window."""
    figure, number = new_figure(9, 6), np.arange(1, len(windows) + 1)
    drawn: dict[str, list[list[float]]] = {}
    if all("scores" in w for w in windows):
        for f in ("wind 500", "temperature 500", "pressure"):
            both = [
                [next(iter(w["scores"][s].values()))[f] for w in windows]
                for s in ("background", "analysis")
            ]
            drawn[f"{f} [{units[f.split(' ')[0]]}]"] = both
    drawn["departures / errors of data"] = [
        [w["minimisation"][key] for w in windows] for key in ("departure", "residual")
    ]
    for n, (title, both) in enumerate(drawn.items()):
        axes = figure.add_subplot(2, 2, n + 1)
        for values, line in zip(both, (":", "-")):
            axes.plot(number, values, line, color="#1b6ca8")
        axes.set_ylim(0)
        axes.set_title(f"{title} (dotted: background)", loc="left")
        axes.set_xlabel("window")
    figure.tight_layout()
    return figure
