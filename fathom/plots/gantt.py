"""Charts over time: the state of each rank (Gantt), and the number of ranks by state
(utilisation)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.plots.colours import colours_of, ink, state_colours
from fathom.plots.style import new_figure, styled


@styled
def gantt(
    charts: Mapping[str, Sequence[Sequence[tuple[float, float, str]]]],
    counts: tuple[np.ndarray, Mapping[str, np.ndarray]] | None = None,
    *,
    title: str = "What ranks did",
    most_rows: int = 64,
) -> Any:
    """Draws charts, one below the other, of bars (begin, end, state, ...) by rank, in seconds;
    those around come before those within. counts: times, and how many ranks were in each state from
    each to the next. Returns the figure; ValueError where there is nothing to draw.
    """
    charts = {name: rows for name, rows in charts.items() if any(rows)}
    if not charts:
        raise InputError("there are no events to draw")
    ranks = max(len(rows) for rows in charts.values())
    shown = np.unique(np.linspace(0, ranks - 1, min(ranks, most_rows)).astype(int))
    tall = max(0.75, min(3.4, 0.28 * len(shown)))
    heights = [tall + 0.62] * len(charts) + ([1.65] if counts else [])
    figure = new_figure(9.2, sum(heights) + 0.55)
    begin, end = _extent(charts)
    top = figure.get_figheight() - 0.5
    for (name, rows), height in zip(charts.items(), heights):
        axes = _axes(figure, top, height, name)
        colour = _chart(axes, rows, shown, begin, end)
        _legend(figure, colour, top, name)
        top -= height
    if counts:
        times, held = counts
        axes = _axes(figure, top, heights[-1], "Ranks at once")
        names = [s for s in ("computing", "communication", "waiting") if s in held]
        _stack(axes, names, np.asarray(times), held, begin)
        axes.set(xlim=(0, 1e3 * (end - begin)), ylim=(0, ranks), ylabel="ranks")
        axes.yaxis.get_major_locator().set_params(integer=True)
        _legend(figure, {s: state_colours[s] for s in names}, top, "Ranks at once")
    axes.set_xlabel("ms")
    figure.text(
        0.012,
        1 - 0.2 / figure.get_figheight(),
        title,
        fontsize=11,
        fontweight="bold",
        va="center",
        color=ink,
    )
    return figure


@styled
def side_by_side(
    runs: Mapping[str, Mapping[str, Any]], *, title: str = "What ranks did", most_rows: int = 64
) -> Any:
    """Runs next to each other, on one scale of time: the state of each rank, and below how many
    compute, communicate and wait. runs: name -> what fathom.plots.report.timeline.kept keeps of it.
    """
    if not all(any(run["states"]) for run in runs.values()):
        raise InputError("there are no events to draw")
    extents = {name: _extent({"": run["states"]}) for name, run in runs.items()}
    longest = max(end - begin for begin, end in extents.values())
    rows = max(min(len(run["states"]), most_rows) for run in runs.values())
    tall = max(0.75, min(3.4, 0.28 * rows))
    figure = new_figure(9.2, tall + 3.25)
    whole, width = figure.get_figheight(), (0.93 - 0.05 * len(runs)) / len(runs)
    colour: dict[str, Any] = {}
    for n, (name, run) in enumerate(runs.items()):
        left, (begin, end) = 0.06 + n * (width + 0.06), extents[name]
        above = figure.add_axes((left, 2.25 / whole, width, tall / whole))
        ranks = len(run["states"])
        shown = np.unique(np.linspace(0, ranks - 1, min(ranks, most_rows)).astype(int))
        colour |= _chart(above, run["states"], shown, begin, begin + longest)
        above.set_title(f"{name}: {1e3 * (end - begin):.1f} ms", fontsize=9, loc="left", color=ink)
        below = figure.add_axes((left, 0.75 / whole, width, 1.1 / whole))
        held = {state: np.asarray(number) for state, number in run["counts"].items()}
        names = [s for s in ("computing", "communication", "waiting") if s in held]
        _stack(below, names, np.asarray(run["times"]), held, begin)
        below.set(xlim=(0, 1e3 * longest), ylim=(0, ranks), xlabel="ms")
        below.yaxis.get_major_locator().set_params(integer=True)
        if n == 0:
            above.set_ylabel("rank")
            below.set_ylabel("ranks")
    known = {s: state_colours[s] for s in ("computing", "communication", "waiting")}
    _legend(figure, colour, whole - 0.42, "")
    _legend(figure, known, 0.3, "")
    figure.text(
        0.012, 1 - 0.2 / whole, title, fontsize=11, fontweight="bold", va="center", color=ink
    )
    return figure


def _extent(
    charts: Mapping[str, Sequence[Sequence[tuple[float, float, str]]]],
) -> tuple[float, float]:
    """Returns the begin of the first bar and end of the last."""
    bars = [bar for rows in charts.values() for row in rows for bar in row]
    return min(bar[0] for bar in bars), max(bar[1] for bar in bars)


def _chart(
    axes: Any,
    rows: Sequence[Sequence[tuple[float, float, str]]],
    shown: np.ndarray,
    begin: float,
    end: float,
) -> dict[str, Any]:
    """Draws the bars of the ranks `shown`; returns the colours of their states."""
    states = list(dict.fromkeys(bar[2] for row in rows for bar in row))
    states = [
        *(s for s in state_colours if s in states),
        *(s for s in states if s not in state_colours),
    ]
    colour = colours_of(states)
    for place, rank in enumerate(shown):
        if rows[rank]:
            axes.broken_barh(
                [((b[0] - begin) * 1e3, (b[1] - b[0]) * 1e3) for b in rows[rank]],
                (place - 0.42, 0.84),
                facecolors=[colour[b[2]] for b in rows[rank]],
                linewidth=0,
            )
    axes.set(xlim=(0, 1e3 * (end - begin)), ylim=(len(shown) - 0.5, -0.5), ylabel="rank")
    ticks = np.unique(np.linspace(0, len(shown) - 1, min(len(shown), 9)).astype(int))
    axes.set_yticks(ticks, shown[ticks])
    axes.tick_params(axis="y", length=0)
    return colour


def _stack(
    axes: Any,
    names: Sequence[str],
    times: np.ndarray,
    held: Mapping[str, np.ndarray],
    begin: float,
) -> None:
    """Draws how many ranks are in each state, one above the other."""
    axes.stackplot(
        (times - begin) * 1e3,
        *(held[s] for s in names),
        step="post",
        colors=[state_colours[s] for s in names],
        linewidth=0,
    )


def _axes(figure: Any, top: float, height: float, name: str) -> Any:
    whole = figure.get_figheight()
    return figure.add_axes((0.065, (top - height + 0.38) / whole, 0.915, (height - 0.62) / whole))


def _legend(figure: Any, colour: Mapping[str, str], top: float, name: str) -> None:
    from matplotlib.patches import Patch

    whole = figure.get_figheight()
    figure.text(0.065, (top - 0.11) / whole, name, fontsize=9, va="center", color=ink)
    letters = len(name) + sum(len(state) + 5 for state in colour)
    rows = 1 if letters < 150 else 2
    figure.legend(
        handles=[Patch(color=c, label=s) for s, c in colour.items()],
        loc="center right",
        bbox_to_anchor=(0.985, (top - 0.11) / whole),
        ncols=-(-len(colour) // rows),
        frameon=False,
        fontsize=7.5,
        handlelength=0.9,
        handleheight=0.9,
        columnspacing=1.0,
        labelspacing=0.2,
        handletextpad=0.5,
        borderpad=0,
    )
