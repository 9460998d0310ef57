"""Results of `fathom scale`: tables, the number of ranks beyond which more bring no gain, and the
figure of speed against ranks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom.base.reading import every_rank
from fathom.base.shown import number
from fathom.performance.scaling import ranges
from fathom.plots.colours import faint, ink, phases
from fathom.plots.gantt import side_by_side
from fathom.plots.style import new_figure, styled
from fathom.run.tree import tree

pays = 0.5  # parallel efficiency, against one rank, below which more ranks are said not to pay


def present(
    found: dict[str, Any],
    file: Path | None = None,
    picture: Path | None = None,
    gantt: Path | None = None,
) -> int:
    """Prints the tables; writes the figures as JSON and draws the pictures that are asked for.
    Returns the exit status.
    """
    chart = found.pop("chart", None)
    if file is not None:
        file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    click.echo(
        tree(
            f"{found['grid']}, {_what(found)} of {found['step']:g} s, on {found['machine']}",
            _entries(found),
        )
    )
    if picture is not None:
        speed(found, path=picture)
        click.echo(picture)
    if gantt is not None and chart is not None:
        ranks, where = found["simulated"][-1]["ranks"], found["machine"]
        title = f"A step on {ranks} ranks of {where}; what repeats is drawn once; simulated"
        side_by_side({f"{ranks} ranks": chart}, title=title, path=gantt)
        click.echo(gantt)
    return 0


def _output(f: dict[str, Any]) -> list[str]:
    """Returns table of a step with its output: by the ranks, and by servers where there are
    some."""
    number, given = int(f["what_if"]["io_servers"]), f["what_if"].get("writers", every_rank)
    few = {every_rank: "all ranks write", "0": "one a node writes", "1": "one rank writes"}
    writers = few.get(given, f"{given} ranks write")
    head = f"{'ranks':>7}{'no output':>12}{writers:>19}"
    about = "ms a step, output included"
    if number:
        servers = f"{number} server{'s' * (number > 1)}"
        head += f"{servers:>14}{'fall back':>11}{'busy':>8}{'stall, ms':>12}"
        service = f["simulated"][0]["output"]["service"]
        about += f"; an event keeps a server busy for {service:.3g} s"
    lines = [head]
    for s in f["simulated"]:
        o = s["output"]
        step, alone = 1e3 * o["step"], 1e3 * o["without_servers"]["seconds"]
        line = f"{s['ranks']:>7}{step:12.3f}{alone:19.3f}"
        if number:
            served = o["with_servers"]
            line += (
                f"{1e3 * served['seconds']:14.3f}{100 * served['fallback']:9.0f} %"
                f"{100 * served['busy']:6.0f} %{1e3 * o['stall']:12.3f}"
            )
        lines.append(line)
    return [*lines, about]


def _what(found: dict[str, Any]) -> str:
    return "tangent and adjoint of a step" if found["priced"] == "inner loop" else "a step"


# long: one entry of the tree after the other
def _entries(f: dict[str, Any]) -> list[tuple[str, list[str]]]:
    entries = []
    if f["checked"]:
        entries.append(
            (
                "here",
                [
                    f"{'ranks':>7}{'best':>12}{'mean':>12}{'predicted':>25}",
                    *(
                        f"{c['ranks']:>7}{1e3 * c['measured']:9.2f} ms{1e3 * c['mean']:9.2f} ms"
                        f"{ranges.text([1e3 * t for t in c['band']['seconds']], 3):>22} ms"
                        f" {100 * (c['seconds'] / c['measured'] - 1):+6.0f} %"
                        for c in f["checked"]
                    ),
                ],
            )
        )
    else:
        entries.append(("cost", [f"per unit of work as measured with {f['measured_on']}"]))
    phases = list(f["simulated"][0]["phases"])
    head = (
        f"{'ranks':>7}{'ms a step':>22}{'years/day':>20}{'efficiency':>11}"
        + "".join(f"{phase:>11}" for phase in phases)
        + "  computing waiting moving"
    )
    rows = []
    for s in f["simulated"]:
        total = sum(s["phases"].values()) or 1.0
        kind = {
            k: sum(r[k] for r in s["regions"].values()) for k in ("computing", "waiting", "moving")
        }
        parts = "".join(f"{100 * s['phases'][phase] / total:9.0f} %" for phase in phases) + "".join(
            f"{100 * kind[k] / total:8.0f} %" for k in kind
        )
        rows.append(
            f"{s['ranks']:>7}{ranges.text([1e3 * t for t in s['band']['seconds']]):>22}"
            f"{ranges.text(s['band']['years_a_day']):>20}{100 * s['efficiency']:9.0f}"
            f" %{parts}"
        )
    entries.append(("simulated", [head, *rows, *f["refused"]]))
    entries.append(("messages", f["communication"]))
    if "io_servers" in f["what_if"]:
        entries.append(("output", _output(f)))
    if "readers" in f["what_if"]:
        names = list(f["simulated"][0]["input"])
        lines = [f"{'ranks':>7}" + "".join(f"{name:>14}" for name in names)]
        lines += [
            f"{s['ranks']:>7}" + "".join(f"{s['input'][name]:>14.3g}" for name in names)
            for s in f["simulated"]
        ]
        entries.append(("input", [*lines, "s of reading before the first step, by readers"]))
    entries.append(
        (
            "blocks",
            [
                f"{s['ranks']:>7}: {s['blocks']}"
                + (
                    f"; {s['ranks'] - s['used']} ranks have no water"
                    if s["used"] < s["ranks"]
                    else ""
                )
                for s in f["simulated"]
            ],
        )
    )
    entries.append(("verdict", verdict(f)))
    if f["fitted"]:
        entries.append(("fitted", [", ".join(f["fitted"])]))
    entries.append(("ranges", _ranges(f)))
    entries.append(("time", [f"{f['seconds']:.1f} s for the grid and all simulated ranks"]))
    return entries


def _ranges(f: dict[str, Any]) -> list[str]:
    """Returns what the bands in brackets are, and from which numbers they follow."""
    text = ", ".join(
        f"{key} {low:.2g} to {high:.2g}" for key, (low, _, high) in f["ranges"].items()
    )
    return [
        "in brackets: with all numbers that are not known at their quick and at their slow end",
        text,
    ]


def verdict(f: dict[str, Any]) -> list[str]:
    """Returns where more ranks stop paying, where the phases cross, in words."""
    ranks = np.array([s["ranks"] for s in f["simulated"]], float)
    speed, efficiency = (
        np.array([s["years_a_day"] for s in f["simulated"]]),
        np.array([s["efficiency"] for s in f["simulated"]]),
    )
    lines = []
    below = np.flatnonzero(efficiency < pays)
    if not len(below):
        lines.append(
            f"up to {ranks[-1]:.0f} ranks each works at more than {100 * pays:.0f} % of what one"
            " does alone"
        )
    elif below[0] == 0:
        lines.append(
            f"{ranks[0]:.0f} ranks already work at {100 * efficiency[0]:.0f} % of what one does"
            " alone"
        )
    else:
        n = below[0]
        at = np.exp(
            np.interp(
                np.log(pays),
                np.log([efficiency[n], efficiency[n - 1]]),
                np.log([ranks[n], ranks[n - 1]]),
            )
        )
        lines.append(
            f"from some {_round(at)} ranks on each works at less than {100 * pays:.0f} % of what"
            " one does alone: more hardly pay"
        )
    best = int(np.argmax(speed))
    if best < len(speed) - 1:
        lines.append(
            f"fastest of these on {ranks[best]:.0f} ranks, {speed[best]:.3g} years/day; more are"
            " slower"
        )
    if len(f["simulated"]) > 1:
        few, many = f["simulated"][-2:]
        lines.append(
            f"from {few['ranks']} to {many['ranks']} ranks {ranges.text(gain(few, many), 3)} times"
            " as fast"
        )
    first, *others = f["simulated"][0]["phases"]
    for phase in others:
        at = crossings(f["simulated"], first, phase)
        if at.best > ranks[0] and np.isfinite(at.best):
            lines.append(f"{phase}: longer than {first} from some {ranges.text(at)} ranks on")
    return lines


def crossings(simulated: list[dict[str, Any]], first: str, phase: str) -> ranges.Range:
    """Returns numbers of ranks from which a phase takes longer than the first, with everything at
    one end and the other; infinite where it does not.
    """
    ranks = np.log([s["ranks"] for s in simulated])
    found = []
    for corner in zip(*(s["corners"] for s in simulated)):
        longer, shorter = ([at["phases"][name] for at in corner] for name in (phase, first))
        with np.errstate(divide="ignore"):
            ratio = np.log(np.divide(longer, shorter))
        crossed = np.flatnonzero((ratio[:-1] < 0) & (ratio[1:] >= 0) & np.isfinite(ratio[:-1]))
        n = int(crossed[0]) if len(crossed) else 0
        at = np.interp(0, ratio[n : n + 2], ranks[n : n + 2]) if len(crossed) else np.inf
        found.append(float(np.exp(ranks[0] if ratio[0] >= 0 else at)))
    return ranges.Range.spanned(found)


def gain(few: dict[str, Any], many: dict[str, Any]) -> ranges.Range:
    """Returns how many times as fast a step is on many ranks as on few."""
    both = zip(few["corners"], many["corners"])
    return ranges.Range.spanned([a["seconds"] / b["seconds"] for a, b in both])


def _round(x: float) -> int:
    digits = 10 ** max(int(np.log10(x)) - 1, 0)
    return int(round(x / digits) * digits)


# long: a drawing, mark by mark
def speed(found: dict[str, Any], path: Path | None = None) -> Any:
    """Returns speed against ranks: the whole, each phase alone, what was measured."""

    # long: a drawing, mark by mark
    @styled
    def draw() -> Any:
        from matplotlib.ticker import LogLocator  # start-up time

        figure = new_figure(7.4, 4.6)
        axes = figure.add_axes((0.1, 0.13, 0.86, 0.7))
        ranks = [s["ranks"] for s in found["simulated"]]
        a_day = found["step"] / 365.2425
        curves = [("whole step", [s["years_a_day"] for s in found["simulated"]], ink, 2.0)]
        curves += [
            (
                f"{phase} alone",
                [a_day / s["phases"][phase] for s in found["simulated"]],
                phases[n],
                1.5,
            )
            for n, phase in enumerate(found["simulated"][0]["phases"])
            if all(s["phases"][phase] for s in found["simulated"])
        ]
        ends = []
        for name, values, colour, width in curves:
            axes.plot(ranks, values, "o-", color=colour, lw=width, ms=3.5, label=name, zorder=3)
            ends += values
        ideal = a_day / found["alone"]
        low, _, high = zip(*(s["band"]["years_a_day"] for s in found["simulated"]))
        axes.fill_between(ranks, low, high, color=ink, alpha=0.12, lw=0, label="what is not known")
        ends += [*low, *high]
        axes.plot(
            ranks,
            [ideal * r for r in ranks],
            "--",
            color=faint,
            lw=1,
            label="as one rank, times ranks",
            zorder=2,
        )
        for n, c in enumerate(found["checked"] if found["machine"] == found["here"] else []):
            for key, marker, size, label in (
                ("measured", "s", 6, "best"),
                ("mean", "_", 12, "mean"),
            ):
                axes.plot(
                    c["ranks"],
                    a_day / c[key],
                    marker,
                    color=phases[4],
                    ms=size,
                    mfc="white",
                    mew=1.6,
                    label=f"measured, {label}" if n == 0 else None,
                    zorder=4,
                )
            ends.append(a_day / c["measured"])
        axes.set(xscale="log", yscale="log", xlabel="ranks", ylabel="simulated years a day")
        axes.set_ylim(min(ends) / 1.6, max(max(ends), 1.2 * min(ends)) * 2)
        everyone = sorted(
            {
                *ranks,
                *(
                    c["ranks"]
                    for c in (found["checked"] if found["machine"] == found["here"] else [])
                ),
            }
        )
        axes.set_xticks(
            everyone if len(everyone) <= 9 else everyone[::2],
            [str(r) for r in (everyone if len(everyone) <= 9 else everyone[::2])],
        )
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: number(value))
        axes.minorticks_off()
        axes.grid(True, which="major")
        axes.set_axisbelow(True)
        axes.legend(frameon=False, fontsize=8, loc="lower right")
        figure.text(
            0.012,
            0.955,
            "Speed against ranks",
            fontsize=11,
            fontweight="bold",
            va="center",
            color=ink,
        )
        supposed = ", ".join(f"{k} = {v}" for k, v in found["what_if"].items())
        figure.text(
            0.012,
            0.905,
            f"{found['grid']} on {found['machine']}" + (f"; {supposed}" if supposed else ""),
            fontsize=8,
            va="center",
            color=faint,
        )
        return figure

    return draw(path=path)
