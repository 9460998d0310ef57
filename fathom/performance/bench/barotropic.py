"""Benchmark of the barotropic solver: nanoseconds a wet point and iteration of any solver,
preconditioner, exchange and sum, in the way of CGPOP.

The bandwidth that bounds it is measured in the same run, on the same ranks and threads at once;
SciPy's conjugate gradients on the same matrix next to it.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import earth, machine, mpi, regions
from fathom.base.failure import InputError
from fathom.performance import load
from fathom.performance.bench import compressed, solver_threads
from fathom.performance.bench.blocks import wet_columns

halo = 2
implicitness = 0.6
long = 2.0  # s that solves are repeated
steps = {"x1": 1200.0, "1deg": 3600.0, "3deg": 7200.0, "0.1deg": 180.0}  # [s]
# numbers that must move between memory and processor for a point and iteration with the diagonal,
# if no vector stays in cache: reads and writes of each pass
streams = {"pcg": 14, "chrongear": 4.5, "pipelined": 18, "s-step": 62 / 4, "pcsi": 4.5}


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. ValueError for a name that does not exist."""

    grid: str = "x1"
    solver: str = "chrongear"
    preconditioner: str = "diagonal"
    exchange: str = "packed"
    sum: str = "allreduce"
    reproducible: bool = True
    precision: str = "fp64"
    ranks: int = 1
    threads: int = 1
    tolerance: float = 1e-10
    iterations: int = 5000
    repetitions: int = 3  # of a solve; if more than one, as many more as take `long` together
    peers: bool = True


def synthetic(nx: int, ny: int) -> dict[str, Any]:
    """Returns a sphere between 75 degrees south and north with continents of waves: fields of the
    solver.
    """
    rng = np.random.default_rng(1)
    y, x = np.mgrid[:ny, :nx]
    waves = sum(
        rng.normal()
        * np.cos(2 * np.pi * (p * x / nx + rng.random()))
        * np.cos(np.pi * q * y / ny + rng.random())
        / (p + q)
        for p in range(1, 6)
        for q in range(1, 6)
    )
    wet = waves > np.quantile(waves, 0.32)
    wet[0] = wet[-1] = False

    def around(a: Any) -> Any:
        return np.roll(a, -1, 1)

    corner = wet & around(wet)
    corner[:-1] &= corner[1:]
    corner[-1] = False
    latitude = np.deg2rad(-75 + 150 * (y + 0.5) / ny)
    dx, dy = (
        2 * np.pi * earth.RADIUS * np.cos(latitude) / nx,
        np.full(wet.shape, np.deg2rad(150) * earth.RADIUS / ny),
    )
    return {
        "wet": wet,
        "area": dx * dy,
        "depth": np.where(corner, 500 + 4500 * rng.random(wet.shape), 0),
        "dx": dx,
        "dy": dy,
        "periodic": True,
        "fold": False,
        "step": 3.6e5 / nx,
    }


def fields(name: str) -> dict[str, Any]:
    """Returns wet columns, areas; depth and widths at corners; topology and step of a named grid,
    or of WIDTHxHEIGHT points.
    """
    width, _, height = name.partition("x")
    if width.isdigit() and height.isdigit():
        if min(int(width), int(height)) < 8:
            raise InputError(f"bench barotropic: grid = '{name}' must have at least 8x8 points")
        return synthetic(int(width), int(height))

    grid, wet = wet_columns(name)
    h = grid.horizontal
    depth = np.concatenate([[0.0], np.cumsum(np.asarray(grid.vertical.thickness))])[
        np.asarray(grid.corner_levels)
    ]

    def whole(a: Any) -> np.ndarray:
        return np.ascontiguousarray(np.broadcast_to(np.asarray(a, float), wet.shape))

    return {
        "wet": wet > 0,
        "area": whole(h.area_center),
        "depth": depth,
        "dx": whole(h.dx_corner),
        "dy": whole(h.dy_corner),
        "periodic": h.periodic,
        "fold": h.fold,
        "step": steps[name],
    }


class Problem:
    """A grid (a name, or `fields`) on the ranks of a communicator, with a right-hand side of all
    wavelengths.
    """

    def __init__(self, grid: str | dict[str, Any], comm: Any) -> None:

        f = self.fields = fields(grid) if isinstance(grid, str) else grid
        self.comm, self.wet = comm, f["wet"]
        self.ny, self.nx = self.wet.shape
        self.mass = 1 / (earth.GRAVITY * implicitness * f["step"] ** 2)
        self.decomposition = mpi.core.decompose(
            mpi.core.Topology(self.nx, self.ny, f["periodic"], f["fold"]),
            self.wet.astype(int).ravel().tolist(),
            comm.size,
            halo=halo,
        )
        self.blocks = [b for b in self.decomposition.blocks if b[5] == comm.rank]
        self.slabs = [
            self.scatter(f[n].astype(float)) for n in ("wet", "area", "depth", "dx", "dy")
        ]
        self.b = (
            np.random.default_rng(5).normal(size=self.wet.shape) * self.wet * np.sqrt(f["area"])
        )
        self.right = self.scatter(self.b)

    def scatter(self, a: np.ndarray) -> list[np.ndarray]:
        """Returns the parts of a field (ny, nx) in this rank's blocks, with halos of zeros."""
        parts = []
        for _, i0, j0, nx, ny, _ in self.blocks:
            part = np.zeros((ny + 2 * halo, nx + 2 * halo))
            part[halo:-halo, halo:-halo] = a[j0 : j0 + ny, i0 : i0 + nx]
            parts.append(part)
        return parts

    def solver(self, case: Case, **more: Any) -> Any:
        """Returns the solver of a case."""

        wet, area, depth, dx, dy = self.slabs
        how: dict[str, Any] = {
            name: getattr(case, name)
            for name in (
                "solver",
                "preconditioner",
                "exchange",
                "sum",
                "reproducible",
                "precision",
                "tolerance",
            )
        }
        return mpi.core.EllipticSolver(
            self.comm.py2f(),
            self.decomposition,
            halo,
            wet,
            area,
            depth,
            dx,
            dy,
            mass=self.mass,
            maximum_iterations=case.iterations,
            **how | more,
        )

    def matrix(self) -> Any:
        """Returns the matrix of the solver for SciPy, rows of wet points; None on a folded grid."""
        from scipy.sparse import coo_matrix, diags

        f = self.fields
        if f["fold"]:
            return None
        number = np.full((self.ny + 1, self.nx + 1), -1, np.int64)
        number[:-1, :-1][self.wet] = np.arange(self.wet.sum())
        if f["periodic"]:
            number[:, -1] = number[:, 0]
        cells = [
            number[j : self.ny + j, i : self.nx + i] for j in (0, 1) for i in (0, 1)
        ]  # south-west, south-east, north-west, north-east
        flow = (f["depth"] > 0) & np.all([c >= 0 for c in cells], axis=0)
        sw, se, nw, ne = (c[flow] for c in cells)
        a, b = (
            0.25 * f["depth"][flow] * f["dy"][flow] / f["dx"][flow],
            0.25 * f["depth"][flow] * f["dx"][flow] / f["dy"][flow],
        )
        pairs = [
            (sw, ne, -(a + b)),
            (se, nw, -(a + b)),
            (sw, se, b - a),
            (nw, ne, b - a),
            (sw, nw, a - b),
            (se, ne, a - b),
        ]
        rows, columns, values = (np.concatenate(part) for part in zip(*pairs))
        size = int(self.wet.sum())
        upper = coo_matrix((values, (rows, columns)), shape=(size, size)).tocsr()
        diagonal = (
            sum(np.bincount(c, a + b, size) for c in (sw, se, nw, ne))
            + self.mass * f["area"][self.wet]
        )
        return (upper + upper.T + diags(diagonal)).tocsr()


def timed(problem: Problem, case: Case) -> dict[str, Any]:
    """Returns the figures of one variant; the same on all ranks except their own times."""
    comm = problem.comm
    comm.barrier()
    began = time.perf_counter()
    solver = problem.solver(case)
    comm.barrier()
    ready = time.perf_counter() - began
    taken: list[float] = []
    parts: dict[str, float] = {}
    while comm.bcast(len(taken) < case.repetitions or (case.repetitions > 1 and sum(taken) < long)):
        x = [np.zeros_like(b) for b in problem.right]
        reductions, halos = solver.reductions, solver.halos
        regions.begin(comm)
        comm.barrier()
        began = time.perf_counter()
        solver.solve(problem.right, x)
        comm.barrier()
        taken.append(comm.bcast(time.perf_counter() - began))
        reductions, halos = solver.reductions - reductions, solver.halos - halos
        if taken[-1] == min(taken):
            parts = parts_of_solve(problem, solver, taken[-1])
    best, iterations, wet = min(taken), solver.iterations, int(problem.wet.sum())
    number = 8 if case.precision == "fp64" else 4
    points, inner = (
        comm.allreduce(solver.packs) * 8,
        comm.allreduce(solver.inner_packs) * 8 if case.exchange == "overlapped" else 0,
    )
    moved = streams[case.solver] * number * points if case.preconditioner == "diagonal" else None
    return {
        "solver": case.solver,
        "preconditioner": case.preconditioner,
        "exchange": case.exchange,
        "sum": case.sum,
        "precision": case.precision,
        "reproducible": case.reproducible,
        "iterations": iterations,
        "passes": solver.passes,
        "residual": solver.last_residual,
        "solve_seconds": best,
        "solve_seconds_median": float(np.median(taken)),
        "solves": len(taken),
        "seconds_to_prepare": ready,
        "microseconds_per_iteration": best / iterations * 1e6,
        "ns_per_wet_point_per_iteration": best / iterations / wet * 1e9,
        "wet_points": wet,
        "computed_points": points,
        "overlapped_points": inner,
        "reductions_per_iteration": reductions / iterations,
        "halos_per_iteration": halos / iterations,
        "spectrum": solver.spectrum,
        "bytes_per_iteration": moved,
        "bytes_per_second": moved and moved / (best / iterations),
        "seconds_of_an_iteration": parts,
        "solution": float(
            np.sqrt(comm.allreduce(sum(float((a[halo:-halo, halo:-halo] ** 2).sum()) for a in x)))
        ),
    }


part_names = ("operator", "preconditioner", "halo", "sum", "waiting", "other")


def parts_of_solve(problem: Problem, solver: Any, whole: float) -> dict[str, float]:
    """Returns seconds of an iteration, means over ranks, by the regions of the solve that was done
    last and took `whole` seconds; waiting for other ranks is separate from halos and sums, and time
    outside all regions is `other`. The sum is the whole.
    """
    mpi.core.settle_meetings()
    parts = dict.fromkeys(part_names, 0.0)
    for node in regions.mine()[1:]:
        inner = node["region"] in (
            "halo",
            "sum",
        )  # else what a preconditioner sweeps over is its own
        parts[node["region"] if inner else node["path"][1]] += (
            node["seconds"] - inner * node["waiting"]
        )
        parts["waiting"] += inner * node["waiting"]
    parts["other"] = whole - sum(parts.values())
    return {
        name: problem.comm.allreduce(seconds) / problem.comm.size / solver.iterations
        for name, seconds in parts.items()
    }


def _names(catalogue: Any) -> list[str]:
    return [name for name, _ in catalogue]


def every_solver(problem: Problem, case: Case) -> list[Case]:
    """Returns each solver with each preconditioner that the size of the problem allows."""
    small = problem.wet.sum() < 400_000
    return [
        replace(case, solver=solver, preconditioner=preconditioner)
        for solver in _names(mpi.core.solvers())
        for preconditioner in _names(mpi.core.preconditioners())
        if small or preconditioner != "factorisation"
    ]


def every_message(case: Case) -> list[Case]:
    """Returns each exchange with each sum."""
    return [
        replace(case, exchange=exchange, sum=sum_)
        for exchange in _names(mpi.core.transports())
        for sum_ in _names(mpi.core.global_sums())
    ]


def measure(case: Case, everything: bool = False) -> dict[str, Any] | None:
    """Returns the figures of a case on its ranks, as plain data on rank 0, None elsewhere; with
    `everything` those of each solver with each preconditioner, and of each exchange with each sum.
    """
    problem = Problem(case.grid, mpi.world)
    limits = machine.limits(mpi.world)
    figures = timed(problem, case)
    threads = solver_threads.against_one(problem, case)
    wanted: list[Case] = []
    if everything:
        once = replace(case, repetitions=1)
        wanted += every_solver(problem, once)
        wanted += every_message(once) if mpi.world.size > 1 else []
    variants = [timed(problem, c) for c in wanted]
    if mpi.world.rank:
        return None
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "points": [problem.nx, problem.ny],
        "step": problem.fields["step"],
        "blocks": problem.decomposition.describe(),
        **figures,
        **limits,
        "fraction_of_bandwidth": (
            figures["bytes_per_second"]
            and figures["bytes_per_second"] / limits["triad_bytes_per_second"]
        ),
        "threads": threads,
        "variants": variants,
        "peers": (
            {
                "scipy": compressed.conjugate_gradients(
                    problem, 20 if problem.wet.sum() > 1e6 else 100
                )
            }
            if case.peers
            else {}
        ),
        "product": compressed.product(problem, case) if case.peers else {},
    }


def present(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures, and write them as JSON; only where they are. Returns the exit status 0."""
    if figures is None:
        return 0
    load.leave(figures, file)
    f, case = figures, figures["case"]
    print(
        f"{case['grid']}: {f['points'][0]}x{f['points'][1]}, {f['wet_points']:,} wet points,"
        f" {case['ranks']} ranks x {case['threads']} threads, {f['machine']}; {f['blocks']}"
    )
    print(
        f"{'solver':10} {'preconditioner':15} {'exchange':14} {'sum':19} {'iterations':>10}"
        f" {'sums':>6} {'us':>10} {'ns/point':>9} {'solve s':>9} {'prepare s':>10}   ms of"
        f" {', '.join(part_names)}"
    )
    for v in [f, *f["variants"]]:
        parts = v["seconds_of_an_iteration"]
        print(
            f"{v['solver']:10} {v['preconditioner']:15} {v['exchange']:14} {v['sum']:19}"
            f" {v['iterations']:10} {v['reductions_per_iteration']:6.2f}"
            f" {v['microseconds_per_iteration']:10.1f} {v['ns_per_wet_point_per_iteration']:9.2f}"
            f" {v['solve_seconds']:9.4f} {v['seconds_to_prepare']:10.2f}   "
            + " ".join(f"{1e3 * parts[name]:8.3f}" for name in part_names)
        )
    if f["overlapped_points"]:
        print(
            f"{100 * f['overlapped_points'] / f['computed_points']:.0f} % of what is computed needs"
            " nothing from other ranks and is done while messages travel"
        )
    print(
        f"the least of {f['solves']} solves; median"
        f" {f['solve_seconds_median'] / f['solve_seconds']:.2f} times as long"
    )
    if f["bytes_per_second"]:
        print(
            f"{f['bytes_per_iteration'] / 1e6:.0f} MB an iteration,"
            f" {f['bytes_per_second'] / 1e9:.1f} GB/s: {100 * f['fraction_of_bandwidth']:.0f} % of"
            f" the triad's {f['triad_bytes_per_second'] / 1e9:.1f} GB/s"
        )
    if f["threads"]:
        print(solver_threads.text(f["threads"]))
    for name, peer in f["peers"].items():
        print(
            f"{name}: "
            + (
                peer.get("message")
                or f"{peer['microseconds_per_iteration']:.0f} us an iteration,"
                f" {peer['ns_per_wet_point_per_iteration']:.2f} ns a wet point"
            )
        )
    if f["product"]:
        print(compressed.text(f["product"]))
    return 0
