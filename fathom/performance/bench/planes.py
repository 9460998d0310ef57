"""Benchmark of the bi-Fourier transforms compared with NumPy, SciPy and ducc0: milliseconds per
field-level and pair (inverse and direct), in one run, measured as in transforms.py.

Peers transform one field after the other between points and all waves of a real field; they do not
select the coefficients within the ellipse, as ours do.

Limits: operations, 5/2 n log2 n for a real row and 5 n log2 n for a column of each m, at the rate
of multiply-adds; and each point and coefficient read once and written once, at the rate of the
triad.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom.base import machine
from fathom.grids.transform import BiFourier
from fathom.performance import load
from fathom.performance.bench.transforms import Pair, of_peers, repeat, timed
from fathom.run.tree import tree

phases = ("inverse", "direct", "columns", "fourier")


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark."""

    points: int = 300
    rows: int = 270
    fields: int = 180
    precision: str = "fp64"
    threads: int = 1
    grid: str = "quadratic"
    repetitions: int = 10
    peers: bool = True


def measure(case: Case) -> dict[str, Any]:
    """Returns the figures of a case, as plain data. ValueError for what does not exist."""
    began = time.perf_counter()
    transform = BiFourier(
        (case.points, case.rows),
        1.0,
        grid=case.grid,
        precision=case.precision,
        threads=case.threads,
    )
    prepared = time.perf_counter() - began
    pair = Pair(transform, case.fields)
    peers = _peers(case) if case.peers else {}
    repeated = repeat(case, pair, peers)
    seconds = repeated.seconds
    per_field = 1e3 / case.fields
    pairs = [a + b for a, b in zip(seconds["inverse"], seconds["direct"])]
    along_rows = case.rows * 2.5 * case.points * np.log2(case.points)
    operations = 2 * (along_rows + transform.core.flops_of_field)
    numbers = 2 * (case.points * case.rows + 2 * transform.waves)
    rate = operations * case.fields / min(pairs)
    moved = numbers * np.dtype(transform.real).itemsize
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": repr(transform),
        "round_trip_error": pair.error(),
        "milliseconds_per_pair": min(pairs) * per_field,
        "median_milliseconds_per_pair": float(np.median(pairs)) * per_field,
        "wall_milliseconds_per_pair": min(seconds["wall"]) * per_field,
        "clock": "processor" if case.threads == 1 else "wall",
        "gflops": rate / 1e9,
        "fma_gflops": repeated.rate / 1e9,
        "fraction_of_fma": rate / (repeated.rate * case.threads),
        "triad_gigabytes_per_second": repeated.triad / 1e9,
        "milliseconds_at_limits": {
            "operations": 1e3 * operations / (repeated.rate * case.threads),
            "memory": 1e3 * moved / repeated.triad,
        },
        "phases": {name: min(seconds[name]) * per_field for name in phases},
        "seconds_to_prepare": prepared,
        "peers": of_peers(peers, seconds),
    }


def present(figures: dict[str, Any], file: Path | None = None) -> int:
    """Print the figures, and write them as JSON. Returns the exit status 0."""
    load.leave(figures, file)
    case, ours, limits = (
        figures[name] for name in ("case", "milliseconds_per_pair", "milliseconds_at_limits")
    )
    entries: list[tuple[str, str | list[str]]] = [
        (
            "plane",
            f"{figures['grid']}, {case['fields']} field-levels, {case['threads']}"
            f" thread{'s' * (case['threads'] > 1)}",
        ),
        (
            "pair",
            f"{ours:.4f} ms per field-level (median {figures['median_milliseconds_per_pair']:.4f},"
            f" on the wall {figures['wall_milliseconds_per_pair']:.4f})",
        ),
        (
            "limits",
            f"operations {limits['operations']:.4f} ms at {figures['fma_gflops']:.0f} GF/s a"
            f" thread, memory {limits['memory']:.4f} ms at"
            f" {figures['triad_gigabytes_per_second']:.1f} GB/s",
        ),
        (
            "rate",
            f"{figures['gflops']:.1f} GF/s, {100 * figures['fraction_of_fma']:.0f} % of the"
            " multiply-adds",
        ),
        ("phases", [f"{name:<10}{value:8.4f} ms" for name, value in figures["phases"].items()]),
        ("round trip", f"{figures['round_trip_error']:.1e} of the largest coefficient"),
    ]
    for name, peer in figures["peers"].items():
        told = peer.get("message") or (
            f"{peer['milliseconds_per_pair']:.4f} ms,"
            f" {peer['milliseconds_per_pair'] / ours:.1f} times ours: {peer['what']}"
        )
        entries.append((name, told))
    title = f"{case['points']} × {case['rows']} points, {case['precision']}, {figures['machine']}"
    click.echo(tree(title, entries))
    return 0


def _peers(case: Case, fields: int = 6) -> dict[str, dict[str, Any]]:
    """Returns each peer with a function that returns the seconds of one repetition; a message where
    it cannot run.
    """
    real = np.float64 if case.precision == "fp64" else np.float32
    shape = (case.rows, case.points)
    given = np.random.default_rng(0).normal(size=(fields, *shape)).astype(real)
    found: dict[str, dict[str, Any]] = {}
    for name, package in (("numpy", _numpy), ("scipy", _scipy), ("ducc0", _ducc0)):
        if find_spec(name) is None:
            found[name] = {"message": f"not installed (pip install {name})"}
            continue
        what, to_waves, to_points = package(case)
        acts = [lambda f=f, there=to_waves, back=to_points: back(there(f)) for f in given]
        found[name] = {
            "run": lambda now, acts=acts: timed(now, acts),
            "fields": fields,
            "what": f"{what}, {case.precision}",
        }
    return found


Way = tuple[str, Callable[[Any], Any], Callable[[Any], Any]]


def _numpy(case: Case) -> Way:
    shape = (case.rows, case.points)
    return f"NumPy {np.__version__}", np.fft.rfft2, lambda waves: np.fft.irfft2(waves, shape)


def _scipy(case: Case) -> Way:
    import scipy.fft

    shape, threads = (case.rows, case.points), case.threads
    return (
        f"SciPy {scipy.__version__}",
        lambda f: scipy.fft.rfft2(f, workers=threads),
        lambda waves: scipy.fft.irfft2(waves, shape, workers=threads),
    )


def _ducc0(case: Case) -> Way:
    import ducc0

    points, threads = case.points, case.threads
    return (
        f"ducc0 {ducc0.__version__}",
        lambda f: ducc0.fft.r2c(f, axes=(0, 1), nthreads=threads),
        lambda waves: ducc0.fft.c2r(
            waves, axes=(0, 1), lastsize=points, forward=False, inorm=2, nthreads=threads
        ),
    )
