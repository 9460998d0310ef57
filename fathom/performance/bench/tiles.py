"""The cost of the number of columns that pass through a group of processes at once (the NPROMA of
IFS and ARPEGE).

All lengths are measured in turn, a few steps each, so that all meet the same machine; the least
times count. A tile may be longer than any row: arrays of a tile then have that leading dimension,
and loops end where the row does.
"""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from fathom import plots
from fathom.base import machine
from fathom.base.failure import InputError
from fathom.performance import load
from fathom.performance.bench.atmosphere import Case
from fathom.performance.roofline import bar


def given(text: str) -> list[int | str]:
    """Returns [16, 2046] of "16,2046"; "measured" and "cache" as they are."""
    tiles = [int(part) if part.strip().isdigit() else part.strip() for part in text.split(",")]
    wrong = next(
        (t for t in tiles if t not in ("measured", "cache") and (isinstance(t, str) or t < 1)), None
    )
    if wrong is not None:
        raise InputError(
            f"bench atmosphere: tile = '{wrong}' is not a number of columns, nor measured, nor"
            " cache"
        )
    return tiles


def sweep(case: Case, tiles: list[int | str], rounds: int = 6) -> dict[str, Any] | None:
    """Returns seconds of a step, and of its column processes, for each tile, as plain data on rank
    0, None elsewhere.
    """
    runs = [replace(case, tile=tile).simulation().prepare() for tile in tiles]
    for run in runs:
        run.advance(max(case.spin_up, 1))
    best = [[float("inf"), float("inf")] for _ in runs]
    number = max(case.steps // rounds, 1)
    for turn in range(rounds):
        for run, least in list(zip(runs, best))[:: 1 if turn % 2 else -1]:
            whole, columns = _seconds_of_a_step(run, number)
            least[:] = [min(least[0], whole), min(least[1], columns)]
    sums, points = [run.checksum() for run in runs], max(b[3] for b in runs[0].domain.blocks)
    if not runs[0].is_root:
        return None
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": repr(runs[0].model.grid),
        "points_of_a_row": points,
        "tiles": [
            {"tile": tile, "seconds_per_step": whole, "column_seconds": columns, "checksum": sum_}
            for tile, (whole, columns), sum_ in zip(tiles, best, sums)
        ],
    }


def _seconds_of_a_step(run: Any, number: int) -> tuple[float, float]:
    """Returns seconds of a step, and of its column processes; means over ranks and `number`
    steps."""
    comm = run.comm
    run.sequence.reset_timings()
    comm.barrier()
    began = time.perf_counter()
    run.advance(number)
    comm.barrier()
    columns = sum(
        t["seconds"] for t in run.sequence.timings if t["phase"] in ("physics", "dynamics")
    )
    whole = time.perf_counter() - began

    def mean(seconds: Any) -> Any:
        return comm.allreduce(seconds) / comm.size / number

    return mean(whole), mean(columns)


def present(
    figures: dict[str, Any] | None, file: Path | None = None, picture: Path | None = None
) -> int:
    """Print the table, write the figures, draw the curve; where there are figures. Returns the exit
    status 0, or 1 where the answers differ.
    """
    if figures is None:
        return 0

    load.leave(figures, file)
    list_ = figures["tiles"]
    fastest, columns = (
        min(t[key] for t in list_) for key in ("seconds_per_step", "column_seconds")
    )
    click.echo(
        f"{figures['case']['case']}, {figures['case']['precision']}, {figures['machine']}: rows of"
        f" up to {figures['points_of_a_row']} points on rank 0\n"
    )
    click.echo(f"{'tile':>10}{'ms a step':>12}{'columns':>10}   columns, fastest / this one")
    for t in list_:
        click.echo(
            f"{t['tile']:>10}{1e3 * t['seconds_per_step']:12.3f}{1e3 * t['column_seconds']:10.3f}"
            f" {columns / t['column_seconds']:6.3f} {bar(columns / t['column_seconds'], 24)}"
            f"{' the fastest step' * (t['seconds_per_step'] == fastest)}"
        )
    same = len({t["checksum"] for t in list_}) == 1
    click.echo("\nthe same bits" if same else "\nTHE BITS DIFFER")
    if picture is not None:
        draw(figures, path=picture)
        click.echo(picture)
    return 0 if same else 1


def draw(figures: dict[str, Any], path: Path | None = None) -> Any:
    """Returns milliseconds of a step and of its column processes against the length of a tile."""
    numbers = [t for t in figures["tiles"] if isinstance(t["tile"], int)]
    parts = {"step": "seconds_per_step", "column processes": "column_seconds"}
    curves = {
        name: ([t["tile"] for t in numbers], [1e3 * t[key] for t in numbers])
        for name, key in parts.items()
    }
    others = {
        f"{name}, {t['tile']}": 1e3 * t[key]
        for name, key in parts.items()
        for t in figures["tiles"]
        if isinstance(t["tile"], str)
    }
    panel = plots.Panel(
        "columns of a tile", "ms", curves, others, marks={"a row": figures["points_of_a_row"]}
    )
    return plots.against(
        {"": panel},
        title=f"{figures['case']['case']}, {figures['case']['precision']}: the length of a tile",
        note=figures["machine"],
        path=path,
    )
