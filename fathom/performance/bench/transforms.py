"""Benchmark of the spectral transforms compared with ducc0 and SHTns: milliseconds per field-level
and pair (inverse and direct), in one run.

The least of several repetitions counts, for all libraries. On one thread it is processor time,
of phases and limits too, which other programs on the machine do not affect
(`wall_milliseconds_per_pair` is by the clock on the wall). Multiply-adds and the triad, the limits
of the machine, are measured between the repetitions.

On several ranks the fields of all lie on one grid, whole rows on each rank, and phases are means
over ranks: Legendre, Fourier, transposition (packing, travelling and waiting for each other).
`on_ranks` has the seconds of each rank.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Protocol

import click
import numpy as np

from fathom.base import machine, mpi
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.transform import SphericalHarmonics, aligned_zeros, gaussian_grid, precisions
from fathom.grids.transform.fields import FieldTransform
from fathom.model import device
from fathom.performance import load, roofline
from fathom.run.tree import tree

grids = ("linear", "quadratic", "cubic")


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. ValueError for what does not exist."""

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
    device: str | None = None

    command: ClassVar[str] = "transform"

    def __post_init__(self) -> None:

        for what, given, allowed in (
            ("precision", self.precision, ("fp64", "fp32")),
            ("grid", self.grid, grids),
            ("reduced", self.reduced, ("", "classical", "octahedral")),
            ("device", self.device or "cuda", device.names),
        ):
            if given not in allowed:
                raise InputError(
                    f"bench transform: {what} = '{given}'{near(given, allowed) or ';'} allowed:"
                    f" {', '.join(a for a in allowed if a)}"
                )


ways = ("inverse", "direct")
computing = ("legendre", "fourier")
phases_on_ranks = (*computing, "transposition")


class Pair:
    """Random coefficients, transformed to points and back."""

    def __init__(self, transform: FieldTransform, fields: int) -> None:
        self.core = transform.core
        rows, longest = transform.shape
        waves = (transform.waves, 2, fields)
        self.coefficients, self.back = (aligned_zeros(waves, transform.real) for _ in range(2))
        self.coefficients[:] = np.random.default_rng(0).normal(size=self.coefficients.shape)
        self.coefficients[transform.m == 0, 1] = 0
        self.field = aligned_zeros((rows, fields, longest), transform.real)
        self.there, self.here = (transform._list(self.core) for _ in range(2))
        self.there.scalar(self.coefficients, [self.field])
        self.here.scalar(self.back, [self.field])

    def once(self, clock: Callable[[], float]) -> dict[str, float]:
        """Returns seconds of one pair: by the clock on the wall, of each way, of its phases."""
        before = self.core.seconds
        start, wall = clock(), time.perf_counter()
        self.core.inverse(self.there)
        middle = clock()
        self.core.direct(self.here)
        end = clock()
        after = self.core.seconds
        return {
            "wall": time.perf_counter() - wall,
            "inverse": middle - start,
            "direct": end - middle,
            **{name: after[name] - before[name] for name in after},
        }

    def on(self, computer: Any, repetitions: int) -> dict[str, list[float]]:
        """Returns seconds of each way in each repetition on a device, in its memory."""
        return {
            "inverse": self.core.inverse_on(computer, self.there, repetitions),
            "direct": self.core.direct_on(computer, self.here, repetitions),
        }

    def error(self) -> float:
        """Returns the error of a round trip, as a part of the largest coefficient."""
        difference = np.abs(self.back - self.coefficients).max()
        return float(difference / np.abs(self.coefficients).max())


class Repeatable(Protocol):
    """A case that can be repeated and timed."""

    @property
    def precision(self) -> str:
        """Returns fp64 or fp32."""

    @property
    def threads(self) -> int:
        """Returns the number of threads."""

    @property
    def repetitions(self) -> int:
        """Returns how often it is repeated."""


@dataclass
class Repeated:
    """Seconds of each repetition, of ours and of the peers; the best multiply-adds and triad
    between them, and the multiply-adds next to each repetition, the median of short ones.
    """

    seconds: dict[str, list[float]]
    rate: float = 0.0
    triad: float = 0.0
    rates: list[float] = field(default_factory=list)


def repeat(case: Repeatable, pair: Pair, peers: dict[str, dict[str, Any]]) -> Repeated:
    """Returns all in turn, so that they meet the same machine; the first repetition is not
    counted."""
    found, bytes_ = Repeated({}), 8 if case.precision == "fp64" else 4
    with roofline.one_clock(1, case.threads) as now:
        before = multiply_adds(bytes_)
        for repetition in range(case.repetitions + 1):
            taken = pair.once(now)
            after = multiply_adds(bytes_)
            nearby, before = float(np.median(before + after)), after
            taken |= {name: peer["run"](now) for name, peer in peers.items() if "run" in peer}
            found.rate = max(found.rate, *(mpi.core.fma_rate(bytes_, 0.002) for _ in range(10)))
            found.triad = max(found.triad, mpi.core.triad_bandwidth(32 << 20, 2))
            if peers:
                before = multiply_adds(bytes_)
            if repetition:
                found.rates.append(nearby)
                for name, seconds in taken.items():
                    found.seconds.setdefault(name, []).append(seconds)
    return found


def multiply_adds(bytes_: int) -> list[float]:
    """Returns a few short measurements of the multiply-adds a second of this moment."""
    return [mpi.core.fma_rate(bytes_, 0.0005) for _ in range(4)]


def beside(work: float, seconds: list[float], rates: list[float], threads: int) -> list[float]:
    """Returns the lower decile, the median and the upper decile of the part of the multiply-adds
    that work reached, each repetition against the rate next to it.
    """
    parts = work / (np.array(seconds) * np.array(rates) * threads)
    return [float(x) for x in np.quantile(parts, [0.1, 0.5, 0.9])]


def of_peers(
    peers: dict[str, dict[str, Any]], seconds: dict[str, list[float]]
) -> dict[str, dict[str, Any]]:
    """Returns the figures of those that ran, the message of those that could not."""
    found = {}
    for name, peer in peers.items():
        found[name] = peer
        if "run" in peer:
            pair = min(seconds[name]) * 1e3 / peer["fields"]
            found[name] = {"milliseconds_per_pair": pair, "what": peer["what"]}
    return found


def described(case: Case, transform: SphericalHarmonics, error: float) -> dict[str, Any]:
    """Returns the description of a case, wherever it is measured; error: of a round trip."""
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": repr(transform),
        "rows": transform.shape[0],
        "points": int(transform.grid.size),
        "round_trip_error": error,
    }


def measure(case: Case) -> dict[str, Any]:
    """Returns the figures of a case, as plain data."""
    began = time.perf_counter()
    transform = SphericalHarmonics(
        case.truncation,
        case.grid,
        case.reduced or False,
        precision=case.precision,
        threads=case.threads,
    )
    prepared = time.perf_counter() - began
    pair = Pair(transform, case.fields)
    peers = _peers(case) if case.peers else {}
    repeated = repeat(case, pair, peers)
    seconds, rate = repeated.seconds, repeated.rate
    error = pair.error()

    per_field = 1e3 / case.fields
    pairs = [a + b for a, b in zip(seconds["inverse"], seconds["direct"])]
    legendre = 2 * transform.core.flops_of_field * case.fields
    fourier = 2 * case.fields * sum(2.5 * n * np.log2(n) for n in np.asarray(transform.grid.points))
    return {
        **described(case, transform, error),
        "milliseconds_per_pair": min(pairs) * per_field,
        "median_milliseconds_per_pair": float(np.median(pairs)) * per_field,
        "wall_milliseconds_per_pair": min(seconds["wall"]) * per_field,
        "clock": "processor" if case.threads == 1 else "wall",
        "gflops": (legendre + fourier) / min(pairs) / 1e9,
        "legendre_gflops": legendre / min(seconds["legendre"]) / 1e9,
        "fma_gflops": rate / 1e9,
        "triad_gigabytes_per_second": repeated.triad / 1e9,
        "fraction_of_fma": (legendre + fourier) / min(pairs) / (rate * case.threads),
        "legendre_fraction_of_fma": legendre / min(seconds["legendre"]) / (rate * case.threads),
        "legendre_fraction_beside": beside(
            legendre, seconds["legendre"], repeated.rates, case.threads
        ),
        "phases": {name: min(seconds[name]) * per_field for name in (*ways, *computing)},
        "table_megabytes": transform.core.table_bytes / 1e6,
        "seconds_to_prepare": prepared,
        "peers": of_peers(peers, seconds),
    }


class PairOnRanks:
    """The pair of transforms on all ranks together, whole rows on each."""

    def __init__(self, case: Case, comm: Any) -> None:
        self.comm = comm
        self.grid = gaussian_grid(case.truncation, case.grid, case.reduced or False)
        real = precisions[case.precision][0]
        kind: Any
        items: Any
        kind, items = (
            (mpi.core.SphericalHarmonics64, mpi.core.TransformItems64)
            if case.precision == "fp64"
            else (mpi.core.SphericalHarmonics32, mpi.core.TransformItems32)
        )
        self.decomposition = self._decomposed()
        blocks = [b for b in self.decomposition.blocks if b[5] == comm.rank]
        self.transform = kind(
            comm.py2f(), self.grid, case.truncation, self.decomposition, threads=case.threads
        )
        mpi.core.synchronise(*3 * [int(case.synchronise)])
        m = self.transform.own[:, 0]
        drawn = np.random.default_rng(comm.rank).normal(size=(len(m), 2, case.fields))
        self.coefficients = drawn.astype(real)
        self.coefficients[m == 0, 1] = 0
        self.back = np.zeros_like(self.coefficients)
        self.field = [np.zeros((b[4], case.fields, b[3]), real) for b in blocks]
        self.there, self.here = items(self.transform), items(self.transform)
        self.there.scalar(self.coefficients, self.field)
        self.here.scalar(self.back, self.field)

    def _decomposed(self) -> Any:
        nx, ny = self.grid.longest, self.grid.rows
        inside = (np.arange(nx) < np.asarray(self.grid.points)[:, None]).astype(int).ravel()
        return mpi.core.decompose(
            mpi.core.Topology(nx, ny, True),
            inside.tolist(),
            self.comm.size,
            distribution="north-south",
            halo=0,
        )

    def once(self, way: str) -> tuple[float, list[list[float]]]:
        """Returns seconds of the slowest rank, and of the phases on each."""
        run, items = (
            (self.transform.inverse, self.there)
            if way == "inverse"
            else (self.transform.direct, self.here)
        )
        before = self.transform.seconds
        self.comm.barrier()
        began = time.perf_counter()
        run(items)
        seconds = self.comm.allreduce(time.perf_counter() - began, mpi.MPI.MAX)
        after = self.transform.seconds
        return seconds, self.comm.allgather([after[p] - before[p] for p in phases_on_ranks])

    def error(self) -> float:
        """Returns the error of a round trip, as a part of the largest coefficient of all."""
        difference, largest = (
            self.comm.allreduce(float(np.abs(array).max(initial=0)), mpi.MPI.MAX)
            for array in (self.back - self.coefficients, self.coefficients)
        )
        result: float = difference / largest
        return result


def measure_on_ranks(case: Case) -> dict[str, Any] | None:
    """Returns the figures of a case on its ranks, as plain data on rank 0, None elsewhere. The
    least wall time of the slowest rank counts.
    """
    comm = mpi.MPI.COMM_WORLD
    pair = PairOnRanks(case, comm)
    best: dict[str, tuple[float, list[list[float]]]] = {way: (np.inf, []) for way in ways}
    for repetition in range(case.repetitions + 1):  # the first is not counted
        for way in ways:
            taken = pair.once(way)
            if repetition and taken[0] < best[way][0]:
                best[way] = taken
    error = pair.error()
    if comm.rank:
        return None
    per_field = 1e3 / case.fields
    on_ranks = {
        way: [dict(zip(phases_on_ranks, rank)) for rank in ranks]
        for way, (_, ranks) in best.items()
    }
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": (f"T{case.truncation}, {pair.grid.rows} rows of up to {pair.grid.longest} points"),
        "rows": pair.grid.rows,
        "points": int(pair.grid.size),
        "round_trip_error": error,
        "milliseconds_per_pair": (best["inverse"][0] + best["direct"][0]) * per_field,
        "clock": "wall",
        "phases": {
            **{way: best[way][0] * per_field for way in ways},
            **{phase: _mean_of_pair(on_ranks, phase) * per_field for phase in phases_on_ranks},
        },
        "on_ranks": on_ranks,
    }


def _mean_of_pair(on_ranks: dict[str, list[dict[str, float]]], phase: str) -> float:
    """Returns seconds of a phase both ways, the mean over ranks."""
    return sum(float(np.mean([rank[phase] for rank in ranks])) for ranks in on_ranks.values())


def present_on_ranks(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures of `measure_on_ranks` on rank 0, and write them as JSON. Returns the exit
    status 0.
    """
    if figures is None:
        return 0
    load.leave(figures, file)
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
    load.leave(figures, file)
    case, phases = figures["case"], figures["phases"]
    ours = figures["milliseconds_per_pair"]
    low, middle, high = figures["legendre_fraction_beside"]
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
                f" {100 * figures['legendre_fraction_of_fma']:.0f} % of the multiply-add rate,"
                f" {100 * low:.0f} to {100 * high:.0f} % of the rate beside each repetition (median"
                f" {100 * middle:.0f}); tables of {figures['table_megabytes']:.1f} MB"
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


def _peers(case: Case) -> dict[str, dict[str, Any]]:
    """Returns each peer with a function that returns the seconds of one repetition; a message where
    it cannot run.
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


def timed(now: Callable[[], float], pairs: list[Callable[..., Any]]) -> float:
    """Returns seconds of all these calls by a clock."""
    began = now()
    for act in pairs:
        act()
    return now() - began


def _ducc0(case: Case) -> dict[str, Any]:
    """Returns as many fields as ours, one after the other: they come from the same memory."""
    import ducc0

    rows, points = _shape(case)
    N, fields = case.truncation, case.fields
    kind = np.complex128 if case.precision == "fp64" else np.complex64
    alm = np.random.default_rng(0).normal(size=(fields, 1, (N + 1) * (N + 2) // 2)).astype(kind)
    how = {"spin": 0, "lmax": N, "geometry": "GL", "nthreads": case.threads}
    map_ = [None] * fields

    def there(n: int) -> None:
        map_[n] = ducc0.sht.experimental.synthesis_2d(
            alm=alm[n], ntheta=rows, nphi=points, map=map_[n], **how
        )

    def back(n: int) -> None:
        ducc0.sht.experimental.analysis_2d(map=map_[n], alm=alm[n].copy(), **how)

    acts = [lambda n=n, act=act: act(n) for n in range(fields) for act in (there, back)]
    return {
        "run": lambda now: timed(now, acts),
        "fields": fields,
        "what": f"ducc0 {ducc0.__version__}, {case.precision}",
    }


def _shtns(case: Case) -> dict[str, Any]:
    import shtns

    if case.precision == "fp32":
        return {"message": "fp64 only"}
    os.environ.setdefault("OMP_NUM_THREADS", str(case.threads))
    rows, points = _shape(case)
    fields = case.fields
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
        "run": lambda now: timed(now, acts),
        "fields": fields,
        "what": f"SHTns {getattr(shtns, '__version__', '')}, fp64, polar optimisation 1e-10",
    }
