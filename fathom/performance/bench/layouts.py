"""The operator of the free surface in three layouts, in turn, on one processor: what a product
takes and what it moves.

    rectangle    all points of the grid, row after row
    cells        the same memory; cells of eight columns without water are left out, as in the
                 solver
    water        the water of each row in one vector, pieces of rows with constant distances to
                 their neighbours (core/performance/measured_layouts.hpp)

The fastest is chosen, where it is faster by more than the spread of its repeats. All three have the
same bits at the water.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom.base import machine, mpi
from fathom.performance import load, roofline
from fathom.performance.bench.blocks import wet_columns

layouts = ("rectangle", "cells", "water")
usual = "cells"


def measure(grid: str, repetitions: int = 15) -> dict[str, Any]:
    """Returns figures of the layouts on a named grid, as plain data."""
    wet = np.ascontiguousarray(np.asarray(wet_columns(grid)[1]) > 0, np.uint8)
    return {"case": {"grid": grid}, "machine": machine.name(), **of_mask(wet, repetitions)}


def of_mask(wet: np.ndarray, repetitions: int) -> dict[str, Any]:
    """Returns the same of a mask (rows, points) of water."""
    measured, points = mpi.core.MeasuredLayouts(wet), int(np.count_nonzero(wet))
    seconds = _in_turn(measured, repetitions)
    results = [np.asarray(measured.result(layout)) for layout in layouts]
    least = {layout: min(of) for layout, of in seconds.items()}
    spread = {layout: float(np.median(of)) / min(of) - 1 for layout, of in seconds.items()}
    moved = {layout: measured.bytes(layout) for layout in layouts}
    fastest = min(least, key=lambda layout: least[layout])
    sure = least[usual] / least[fastest] - 1 > min(spread[fastest], 0.05)
    return {
        "wet": points,
        "fill": points / wet.size,
        "same_bits": all(np.array_equal(results[0], one) for one in results[1:]),
        "ns_per_wet_point": {layout: 1e9 * s / points for layout, s in least.items()},
        "bytes_per_wet_point": {layout: b / points for layout, b in moved.items()},
        "less_moved_than_rectangle": {n: 1 - b / moved["rectangle"] for n, b in moved.items()},
        "less_moved_by_water_than_by_cells": 1 - moved["water"] / moved["cells"],
        "chosen": fastest if sure else usual,
    }


def _in_turn(measured: Any, repetitions: int) -> dict[str, list[float]]:
    """Returns seconds of each product of each layout."""
    seconds: dict[str, list[float]] = {layout: [] for layout in layouts}
    with roofline.one_clock(1, 1):
        for _ in range(repetitions):
            for layout in layouts:
                seconds[layout].append(measured.product(layout))
    return seconds


def present(figures: dict[str, Any], file: Path | None = None) -> int:
    """Print the figures, write them as JSON. Returns the exit status 0."""
    load.leave(figures, file)
    click.echo(
        f"{figures['case']['grid']}: {figures['wet']:,} wet columns, {100 * figures['fill']:.0f} %"
        f" of the rectangle; the same bits: {'yes' if figures['same_bits'] else 'NO'}"
    )
    for layout in layouts:
        click.echo(
            f"{layout:12}{figures['ns_per_wet_point'][layout]:8.2f} ns a wet point"
            f"{figures['bytes_per_wet_point'][layout]:8.0f} bytes,"
            f" {100 * figures['less_moved_than_rectangle'][layout]:3.0f} % fewer than the rectangle"
        )
    click.echo(
        f"chosen: {figures['chosen']}; water alone moves"
        f" {100 * figures['less_moved_by_water_than_by_cells']:.0f} % less than cells"
    )
    return 0
