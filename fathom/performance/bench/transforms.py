"""Benchmark of the spectral transforms beside ducc0 and SHTns: milliseconds per field-level and
pair (inverse and direct), in one run.

The least of several repetitions counts, for all alike. On one thread it is processor time, in which
other programs on the machine take no part (`wall_milliseconds_per_pair` is by the clock on the
wall, as are the phases). Multiply-adds and the triad, the limits of the machine, are measured
between the repetitions.

On several ranks the fields of all lie on one grid, whole rows on each rank, and phases are means
over ranks: Legendre, Fourier, transposition (packing, travelling and waiting for each other).
`on_ranks` has the seconds of each rank.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom import machine, mpi
from fathom.names import near
from fathom.run.tree import tree
from fathom.transform import SphericalHarmonics, aligned_zeros, gaussian_grid, precisions

grids = ("linear", "quadratic", "cubic")


@dataclass(frozen=True)
class Case:
    """What is measured. ValueError for what does not exist."""

    truncation: int = 159
    fields: int = 180
    precision: str = "fp64"
    threads: int = 1
    ranks: int = 1
    synchronise: bool = False  # all ranks wait for each other before each transposition
    grid: str = "linear"
    reduced: str = ""
    repetitions: int = 10
    peers: bool = True

    def __post_init__(self):

        for what, given, allowed in (
            ("precision", self.precision, ("fp64", "fp32")),
            ("grid", self.grid, grids),
            ("reduced", self.reduced, ("", "classical", "octahedral")),
        ):
            if given not in allowed:
                raise ValueError(
                    f"bench transform: {what} = '{given}'{near(given, allowed) or ';'} allowed:"
                    f" {', '.join(a for a in allowed if a)}"
                )


def measure(case: Case) -> dict[str, Any]:
    """The figures of a case, as plain data."""
    began = time.perf_counter()
    transform = SphericalHarmonics(
        case.truncation,
        case.grid,
        case.reduced or False,
        precision=case.precision,
        threads=case.threads,
    )
    prepared = time.perf_counter() - began
    rows, longest = transform.shape
    coefficients, back = (
        aligned_zeros((transform.waves, 2, case.fields), transform.real) for _ in range(2)
    )
    coefficients[:] = np.random.default_rng(0).normal(size=coefficients.shape)
    coefficients[transform.m == 0, 1] = 0
    field = aligned_zeros((rows, case.fields, longest), transform.real)
    there, here = transform._list(transform.core), transform._list(transform.core)
    there.scalar(coefficients, [field])
    here.scalar(back, [field])

    peers = _peers(case) if case.peers else {}
    seconds: dict[str, list] = {
        "wall": [],
        "inverse": [],
        "direct": [],
        "legendre": [],
        "fourier": [],
        **{name: [] for name in peers},
    }
    rate, triad = 0.0, 0.0
    clock = time.process_time if case.threads == 1 else time.perf_counter
    for repetition in range(
        case.repetitions + 1
    ):  # in turn, so that all meet the same machine; the first is not counted
        before = transform.core.seconds
        times, wall = [clock()], time.perf_counter()
        for run, items in ((transform.core.inverse, there), (transform.core.direct, here)):
            run(items)
            times.append(clock())
        after = transform.core.seconds
        found = {
            "wall": time.perf_counter() - wall,
            "inverse": times[1] - times[0],
            "direct": times[2] - times[1],
            **{name: after[name] - before[name] for name in ("legendre", "fourier")},
        }
        found |= {name: peer["run"]() for name, peer in peers.items() if "run" in peer}
        rate = max(
            rate,
            *(mpi.core.fma_rate(8 if case.precision == "fp64" else 4, 0.002) for _ in range(10)),
        )
        triad = max(triad, mpi.core.triad_bandwidth(32 << 20, 2))
        for name, value in found.items():
            if repetition:
                seconds[name].append(value)
    error = float(np.abs(back - coefficients).max() / np.abs(coefficients).max())

    per_field = 1e3 / case.fields
    pairs = [a + b for a, b in zip(seconds["inverse"], seconds["direct"])]
    legendre = 2 * transform.core.flops_of_field * case.fields
    fourier = 2 * case.fields * sum(2.5 * n * np.log2(n) for n in np.asarray(transform.grid.points))
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": repr(transform),
        "rows": rows,
        "points": int(transform.grid.size),
        "round_trip_error": error,
        "milliseconds_per_pair": min(pairs) * per_field,
        "median_milliseconds_per_pair": float(np.median(pairs)) * per_field,
        "wall_milliseconds_per_pair": min(seconds["wall"]) * per_field,
        "clock": "processor" if case.threads == 1 else "wall",
        "gflops": (legendre + fourier) / min(pairs) / 1e9,
        "legendre_gflops": legendre / min(seconds["legendre"]) / 1e9,
        "fma_gflops": rate / 1e9,
        "triad_gigabytes_per_second": triad / 1e9,
        "fraction_of_fma": (legendre + fourier) / min(pairs) / (rate * case.threads),
        "legendre_fraction_of_fma": legendre / min(seconds["legendre"]) / (rate * case.threads),
        "phases": {
            name: min(seconds[name]) * per_field
            for name in ("inverse", "direct", "legendre", "fourier")
        },
        "table_megabytes": transform.core.table_bytes / 1e6,
        "seconds_to_prepare": prepared,
        "peers": {
            name: (
                {
                    "milliseconds_per_pair": min(seconds[name]) * 1e3 / peer["fields"],
                    "what": peer["what"],
                }
                if "run" in peer
                else peer
            )
            for name, peer in peers.items()
        },
    }


def measure_on_ranks(case: Case) -> dict[str, Any] | None:
    """The figures of a case on its ranks, as plain data on rank 0, None elsewhere. The least wall
    time of the slowest rank counts.
    """
    comm = mpi.MPI.COMM_WORLD
    grid, real = (
        gaussian_grid(case.truncation, case.grid, case.reduced or False),
        precisions[case.precision][0],
    )
    nx, ny = grid.longest, grid.rows
    inside = (np.arange(nx) < np.asarray(grid.points)[:, None]).astype(np.int32).ravel()
    decomposition = mpi.core.decompose(
        mpi.core.Topology(nx, ny, True), inside, comm.size, distribution="north-south", halo=0
    )
    blocks = [b for b in decomposition.blocks if b[5] == comm.rank]
    kind, items = (
        (mpi.core.SphericalHarmonics64, mpi.core.TransformItems64)
        if case.precision == "fp64"
        else (mpi.core.SphericalHarmonics32, mpi.core.TransformItems32)
    )
    transform = kind(comm.py2f(), grid, case.truncation, decomposition, threads=case.threads)
    mpi.core.synchronise(case.synchronise)
    m = transform.own[:, 0]
    coefficients = (
        np.random.default_rng(comm.rank).normal(size=(len(m), 2, case.fields)).astype(real)
    )
    coefficients[m == 0, 1] = 0
    back, field = (
        np.zeros_like(coefficients),
        [np.zeros((b[4], case.fields, b[3]), real) for b in blocks],
    )
    there, here = items(transform), items(transform)
    there.scalar(coefficients, field)
    here.scalar(back, field)

    names = ("legendre", "fourier", "transposition")
    best: dict[str, Any] = {"inverse": np.inf, "direct": np.inf}
    for repetition in range(case.repetitions + 1):  # the first is not counted
        for name, run, list_ in (
            ("inverse", transform.inverse, there),
            ("direct", transform.direct, here),
        ):
            before = transform.seconds
            comm.barrier()
            began = time.perf_counter()
            run(list_)
            seconds = comm.allreduce(time.perf_counter() - began, mpi.MPI.MAX)
            after = transform.seconds
            phases = comm.allgather([after[p] - before[p] for p in names])
            if repetition and seconds < best[name]:
                best[name], best[f"{name} on ranks"] = seconds, phases
    error = comm.allreduce(
        float(np.abs(back - coefficients).max(initial=0)), mpi.MPI.MAX
    ) / comm.allreduce(float(np.abs(coefficients).max(initial=0)), mpi.MPI.MAX)
    if comm.rank:
        return None
    per_field = 1e3 / case.fields
    on_ranks = {
        way: [dict(zip(names, rank)) for rank in best[f"{way} on ranks"]]
        for way in ("inverse", "direct")
    }
    mean = {
        p: (
            sum(float(np.mean([rank[p] for rank in ranks])) for ranks in on_ranks.values())
            * per_field
        )
        for p in names
    }
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": f"T{case.truncation}, {ny} rows of up to {nx} points",
        "rows": ny,
        "points": int(grid.size),
        "round_trip_error": error,
        "milliseconds_per_pair": (best["inverse"] + best["direct"]) * per_field,
        "clock": "wall",
        "phases": {
            "inverse": best["inverse"] * per_field,
            "direct": best["direct"] * per_field,
            **mean,
        },
        "on_ranks": on_ranks,
    }


def present_on_ranks(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures of `measure_on_ranks` on rank 0, and write them as JSON. Returns the exit
    status 0.
    """
    if figures is None:
        return 0
    if file is not None:
        file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    case = figures["case"]
    click.echo(
        tree(
            f"T{case['truncation']}, {case['precision']}, {figures['machine']}",
            [
                (
                    "grid",
                    (
                        f"{figures['grid']}, {case['fields']} field-levels, {case['ranks']} ×"
                        f" {case['threads']} thread{'s' * (case['threads'] > 1)}"
                    ),
                ),
                ("pair", f"{figures['milliseconds_per_pair']:.4f} ms per field-level on the wall"),
                (
                    "phases",
                    [f"{name:<14}{value:8.4f} ms" for name, value in figures["phases"].items()],
                ),
                ("round trip", f"{figures['round_trip_error']:.1e} of the largest coefficient"),
            ],
        )
    )
    return 0


def present(figures: dict[str, Any], file: Path | None = None) -> int:
    """Print the figures, and write them as JSON. Returns the exit status 0."""
    if file is not None:
        file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    case, phases = figures["case"], figures["phases"]
    ours = figures["milliseconds_per_pair"]
    entries: list[tuple[str, str | list[str]]] = [
        (
            "grid",
            (
                f"{figures['grid']}, {case['fields']} field-levels, {case['threads']}"
                f" thread{'s' * (case['threads'] > 1)}"
            ),
        ),
        (
            "pair",
            (
                f"{ours:.4f} ms per field-level (median"
                f" {figures['median_milliseconds_per_pair']:.4f}, on the wall"
                f" {figures['wall_milliseconds_per_pair']:.4f})"
            ),
        ),
        (
            "rate",
            (
                f"{figures['gflops']:.1f} GF/s, {100 * figures['fraction_of_fma']:.0f} % of"
                f" {figures['fma_gflops']:.0f} GF/s a thread; triad"
                f" {figures['triad_gigabytes_per_second']:.1f} GB/s"
            ),
        ),
        ("phases", [f"{name:<10}{value:8.4f} ms" for name, value in phases.items()]),
        (
            "Legendre",
            (
                f"{figures['legendre_gflops']:.1f} GF/s,"
                f" {100 * figures['legendre_fraction_of_fma']:.0f} % of the multiply-add rate;"
                f" tables of {figures['table_megabytes']:.1f} MB"
            ),
        ),
        ("round trip", f"{figures['round_trip_error']:.1e} of the largest coefficient"),
        ("start", f"{figures['seconds_to_prepare']:.2f} s"),
    ]
    for name, peer in figures["peers"].items():
        entries.append(
            (
                name,
                peer.get("message")
                or f"{peer['milliseconds_per_pair']:.4f} ms,"
                f" {peer['milliseconds_per_pair'] / ours:.1f} times ours: {peer['what']}",
            )
        )
    click.echo(tree(f"T{case['truncation']}, {case['precision']}, {figures['machine']}", entries))
    return 0


def _peers(case: Case) -> dict[str, dict]:
    """Each peer with a function that returns the seconds of one repetition; a message where it
    cannot run.
    """
    found = {}
    for name, make in (("ducc0", _ducc0), ("shtns", _shtns)):
        if find_spec(name) is None:
            found[name] = {
                "message": (
                    f"not installed (pip install {name})" + "; it needs FFTW" * (name == "shtns")
                )
            }
        elif case.reduced:
            found[name] = {"message": "full grids only"}
        else:
            try:
                found[name] = make(case)
            except Exception as error:
                found[name] = {"message": f"failed: {type(error).__name__}: {str(error)[:120]}"}
    return found


def _shape(case: Case) -> tuple[int, int]:

    grid = gaussian_grid(case.truncation, case.grid)
    return grid.rows, grid.longest


def _timed(case: Case, pairs: list[Callable]) -> float:
    clock = time.process_time if case.threads == 1 else time.perf_counter
    began = clock()
    for act in pairs:
        act()
    return clock() - began


def _ducc0(case: Case, fields: int = 6) -> dict:
    """One field after the other, which is how it works: its cost per field does not depend on how
    many there are.
    """
    import ducc0

    rows, points = _shape(case)
    N = case.truncation
    kind = np.complex128 if case.precision == "fp64" else np.complex64
    alm = np.random.default_rng(0).normal(size=(fields, 1, (N + 1) * (N + 2) // 2)).astype(kind)
    how = {"spin": 0, "lmax": N, "geometry": "GL", "nthreads": case.threads}
    map_ = [None] * fields

    def there(n):
        map_[n] = ducc0.sht.experimental.synthesis_2d(
            alm=alm[n], ntheta=rows, nphi=points, map=map_[n], **how
        )

    def back(n):
        ducc0.sht.experimental.analysis_2d(map=map_[n], alm=alm[n].copy(), **how)

    acts = [lambda n=n, act=act: act(n) for n in range(fields) for act in (there, back)]
    return {
        "run": lambda: _timed(case, acts),
        "fields": fields,
        "what": f"ducc0 {ducc0.__version__}, {case.precision}",
    }


def _shtns(case: Case, fields: int = 6) -> dict:
    import shtns

    if case.precision == "fp32":
        return {"message": "fp64 only"}
    os.environ.setdefault("OMP_NUM_THREADS", str(case.threads))
    rows, points = _shape(case)
    harmonics = shtns.sht(case.truncation)
    harmonics.set_grid(rows, points, flags=shtns.sht_gauss, polar_opt=1e-10)
    rng = np.random.default_rng(0)
    spectra = [(rng.normal(size=harmonics.nlm) + 0j) for _ in range(fields)]
    maps = [np.zeros(harmonics.spat_shape) for _ in range(fields)]
    acts = []
    for c, f in zip(spectra, maps):
        acts += [
            lambda c=c, f=f: harmonics.SH_to_spat(c, f),
            lambda c=c, f=f: harmonics.spat_to_SH(f, c),
        ]
    return {
        "run": lambda: _timed(case, acts),
        "fields": fields,
        "what": f"SHTns {getattr(shtns, '__version__', '')}, fp64, polar optimisation 1e-10",
    }
