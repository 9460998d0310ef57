"""What the number of columns costs that pass through a group of processes at once (the NPROMA of IFS and ARPEGE).

All lengths are measured in turn, a few steps each, so that all meet the same machine; the least times count. A tile may be longer than any row:
arrays of a tile then have that leading dimension, and loops end where the row does.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from fathom.performance.atmosphere import Case


def given(text: str) -> list[int | str]:
    """[16, 2046] of "16,2046"; "measured" and "cache" as they are."""
    tiles = [int(part) if part.strip().isdigit() else part.strip() for part in text.split(",")]
    wrong = next((t for t in tiles if t not in ("measured", "cache") and (isinstance(t, str) or t < 1)), None)
    if wrong is not None:
        raise ValueError(f"bench atmosphere: tile = '{wrong}' is not a number of columns, nor measured, nor cache")
    return tiles


def sweep(case: Case, tiles: list[int | str], rounds: int = 6) -> dict[str, Any] | None:
    """Seconds of a step, and of its column processes, for each tile, as plain data on rank 0, None elsewhere."""
    from fathom.performance import machine

    runs = [replace(case, tile=tile).simulation().prepare() for tile in tiles]
    for run in runs:
        run.advance(max(case.spin_up, 1))
    comm, best = runs[0].comm, [[float("inf"), float("inf")] for _ in runs]
    number = max(case.steps // rounds, 1)
    for turn in range(rounds):
        for run, least in list(zip(runs, best))[:: 1 if turn % 2 else -1]:
            run.sequence.reset_timings()
            comm.barrier()
            began = time.perf_counter()
            run.advance(number)
            comm.barrier()
            columns = sum(t["seconds"] for t in run.sequence.timings if t["phase"] in ("physics", "dynamics"))
            for n, seconds in enumerate((time.perf_counter() - began, columns)):
                least[n] = min(least[n], comm.allreduce(seconds) / comm.size / number)
    sums, points = [run.checksum() for run in runs], max(b[3] for b in runs[0].domain.blocks)
    if not runs[0].is_root:
        return None
    return {
        "case": asdict(case), "machine": machine.name(), "grid": repr(runs[0].model.grid), "points_of_a_row": points,
        "tiles": [{"tile": tile, "seconds_per_step": whole, "column_seconds": columns, "checksum": sum_} for tile, (whole, columns), sum_ in zip(tiles, best, sums)],
    }  # fmt: skip


def present(figures: dict[str, Any] | None, file: Path | None = None, picture: Path | None = None) -> int:
    """Print the table, write the figures, draw the curve; only where they are. Returns the exit status 0, or 1 where the answers differ."""
    if figures is None:
        return 0
    import click

    from fathom.performance.roofline import bar

    if file is not None:
        file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    list_ = figures["tiles"]
    fastest, columns = (min(t[key] for t in list_) for key in ("seconds_per_step", "column_seconds"))
    click.echo(f"{figures['case']['case']}, {figures['case']['precision']}, {figures['machine']}: rows of up to {figures['points_of_a_row']} points on rank 0\n")
    click.echo(f"{'tile':>10}{'ms a step':>12}{'columns':>10}   columns, fastest / this one")
    for t in list_:
        click.echo(f"{t['tile']:>10}{1e3 * t['seconds_per_step']:12.3f}{1e3 * t['column_seconds']:10.3f} {columns / t['column_seconds']:6.3f} {bar(columns / t['column_seconds'], 24)}"
                   f"{' the fastest step' * (t['seconds_per_step'] == fastest)}")
    same = len({t["checksum"] for t in list_}) == 1
    click.echo("\nthe same bits" if same else "\nTHE BITS DIFFER")
    if picture is not None:
        draw(figures).savefig(picture, dpi=150)
        click.echo(picture)
    return 0 if same else 1


def draw(figures: dict[str, Any]) -> Any:
    """Milliseconds of a step and of its column processes against the length of a tile."""
    from fathom.plots.colours import faint, phases
    from fathom.plots.style import new_figure, styled

    @styled
    def curve() -> Any:
        figure = new_figure(7.4, 3.6)
        axes = figure.add_axes((0.1, 0.16, 0.87, 0.7))
        numbers = sorted((t for t in figures["tiles"] if isinstance(t["tile"], int)), key=lambda t: t["tile"])
        for key, label, colour in (("seconds_per_step", "step", phases[0]), ("column_seconds", "column processes", phases[1])):
            axes.plot([t["tile"] for t in numbers], [1e3 * t[key] for t in numbers], "o-", color=colour, markersize=3.5, linewidth=1.3, label=label)
            for t in figures["tiles"]:
                if isinstance(t["tile"], str):
                    axes.axhline(1e3 * t[key], color=colour, linewidth=0.8, linestyle=":" if t["tile"] == "cache" else "--", label=f"{label}, {t['tile']}")
        axes.axvline(figures["points_of_a_row"], color=faint, linewidth=0.8)
        axes.text(figures["points_of_a_row"], 0.02, " a row", color=faint, fontsize=7.5, transform=axes.get_xaxis_transform())
        axes.set(xscale="log", ylim=(0, None), xlabel="columns of a tile", ylabel="ms")
        axes.set_xticks([t["tile"] for t in numbers], [str(t["tile"]) for t in numbers], fontsize=7)
        axes.minorticks_off()
        axes.legend(fontsize=7.5, frameon=False, ncols=3)
        figure.text(0.03, 0.93, f"{figures['case']['case']}, {figures['case']['precision']}: the length of a tile", fontsize=10.5)
        return figure

    return curve()
