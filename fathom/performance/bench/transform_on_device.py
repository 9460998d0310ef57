"""Benchmark of the spectral transforms on a device: milliseconds per field-level and pair with
fields and coefficients in its memory, next to a rank for each core of the same machine.

The device has all Legendre functions in its memory. A pair must move them, the coefficients and the
points once each way. Its launches also write and read half-transformed rows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom.base.failure import InputError
from fathom.grids.transform import SphericalHarmonics
from fathom.model import device
from fathom.model.schemes import bytes_of
from fathom.performance.bench import on_device
from fathom.performance.bench.transforms import Case, Pair, described, ways
from fathom.run.tree import tree


def measure(case: Case) -> dict[str, Any]:
    """Returns the figures of a case, as plain data; the least of the repetitions counts."""
    if case.ranks > 1:
        raise InputError(f"bench transform: ranks = {case.ranks}: a device has one")
    transform = SphericalHarmonics(
        case.truncation, case.grid, case.reduced or False, precision=case.precision, threads=1
    )
    computer, pair = device.open(str(case.device)), Pair(transform, case.fields)
    pair.on(computer, 1)  # has the tables there
    before = transform.core.work
    of_way = {
        "inverse": lambda n: pair.core.inverse_on(computer, pair.there, n),
        "direct": lambda n: pair.core.direct_on(computer, pair.here, n),
    }
    seconds = pair.on(computer, case.repetitions)
    counted = _between(before, transform.core.work, case.repetitions)
    parts = [(of_way[way], min(seconds[way])) for way in ways]
    one = sum(quickest for _, quickest in parts)
    per_field = 1e3 / case.fields
    there = on_device.figures(case, parts, "milliseconds_per_pair", one * per_field)
    spent = there.pop("joules_per_step")
    there["joules_per_pair"] = spent and spent / case.fields
    must, apart = _bytes(case, transform, sum(bytes_ for _, bytes_ in counted))
    legendre, fourier = (operations for operations, _ in counted)
    return {
        **described(case, transform, pair.error()),
        "milliseconds_per_pair": one * per_field,
        "phases": {way: min(seconds[way]) * per_field for way in ways},
        "bytes_per_pair": must / case.fields,
        "bytes_per_pair_one_by_one": apart / case.fields,
        "fraction_of_bandwidth": must / one / there["copy_bytes_per_second"],
        "gflops": (legendre + fourier) / one / 1e9,
        "legendre_operations_per_pair": legendre / case.fields,
        "device": there,
    }


def _between(
    before: dict[str, Any], after: dict[str, Any], times: int
) -> list[tuple[float, float]]:
    """Returns (operations, bytes) of a pair, of Legendre and Fourier transforms."""
    return [
        tuple((new - old) / times for old, new in zip(before[part], after[part]))
        for part in ("legendre", "fourier")
    ]


def _bytes(case: Case, transform: SphericalHarmonics, counted: float) -> tuple[float, float]:
    """Returns the bytes of a pair of all fields: what must be moved, and what launch after launch
    moves.

    A Legendre function takes part in four operations of a field: a multiply-add of both parts.
    """
    functions = transform.core.flops_of_field / 4
    numbers = case.fields * (2 * transform.waves + int(np.sum(transform.grid.points)))
    bytes_ = bytes_of[case.precision]
    return 2 * bytes_ * (functions + numbers), 2 * bytes_ * functions + counted


def present(f: dict[str, Any], file: Path | None = None) -> int:
    """Print the figures, and write them as JSON. Returns the exit status 0."""
    if file is not None:
        file.write_text(json.dumps(f, indent=2) + "\n", encoding="utf-8")
    case = f["case"]
    phases = ", ".join(f"{way} {f['phases'][way]:.5f} ms" for way in ways)
    entries = [
        ("grid", f"{f['grid']}, {case['fields']} field-levels"),
        ("pair", f"{f['milliseconds_per_pair']:.5f} ms per field-level: {phases}"),
        ("bandwidth", on_device.bandwidth(f, "pair")),
        ("rate", f"{f['gflops']:.0f} GF/s"),
        ("round trip", f"{f['round_trip_error']:.1e} of the largest coefficient"),
        *on_device.told(f["device"]),
    ]
    click.echo(tree(f"T{case['truncation']}, {case['precision']}, {f['device']['name']}", entries))
    return 0
