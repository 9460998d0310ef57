"""A step of the grid-point atmosphere on simulated ranks: its blocks and the plans of their halos,
no data.

    columns           seconds of processes and trajectories x points of the rank
    sweeps            those of the Helmholtz solver that are column by column, of each product
    planes            Fourier transforms and rows across x vertical modes of the rank: more ranks
        than levels have none
    exchanges         those of a step: points of the plan, their widths and levels
    halos on demand   points within reach of trajectories around each block, and a question to all
        whether they were enough
    a product         of the solver: its halos, a transposition from the owners of points to those
        of modes and back, its sums
    sums              the others of a step: poles, mass, on demand

Seconds are measured where ranks are fewest, messages where they are most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from fathom.base import mpi
from fathom.grids.wide_halo import halo_everywhere, messages_between
from fathom.performance.scaling import helpers
from fathom.performance.scaling.clocks import Clocks
from fathom.performance.scaling.conditions import Conditions
from fathom.performance.scaling.cost import (
    Measured,
    exchanges_of,
    measured_steps,
    moving,
    of_a_step,
    points_of,
    traffic_of,
)
from fathom.performance.scaling.spectral import reach_of

solver, on_demand = "HelmholtzSolve", "halo on demand"  # regions of a profile


@dataclass
class Cost(Measured):
    """Of a step. points, modes, edge (points of a halo): of the fullest rank; columns, two,
    fourier, packing: seconds of processes and trajectories, of the solver's columns, of its planes,
    of filling messages; exchanges: (levels, width); products: of the solver, with so many halos,
    transpositions and sums in a step; halos: on demand, with so many bytes a point; reach [rows],
    sums: of a step.
    """

    kind: ClassVar[str] = "grid points"
    levels: int
    points: float
    modes: float
    edge: float
    columns: float
    two: float
    fourier: float
    packing: float
    exchanges: list[tuple[float, int]]
    products: float
    product_halos: float
    transpositions: float
    solver_sums: float
    halos: float
    halo: float
    reach: int
    sums: float
    preconditioner: str
    radiation: float = 0.0
    period: float = 1.0
    column: float = 0.0

    @property
    def computing(self) -> float:
        """Returns seconds of computing in a step of one rank."""
        return self.columns + self.two + self.fourier + self.packing

    def with_messages_of(self, other: Cost) -> Self:
        """Returns its seconds, with the messages of a run on more ranks."""
        of_product = ("product_halos", "transpositions", "solver_sums")
        as_many = self.products / max(other.products, 1.0)  # the runs are as long as they can
        solver = {name: as_many * getattr(other, name) for name in of_product}
        names = ("halos", "halo", "reach", "sums")
        return replace(self, **solver, **{name: getattr(other, name) for name in names})

    def stepping(self) -> Cost:
        """Returns the step without radiation."""
        return replace(self, columns=self.columns - self.radiation, radiation=0.0)

    def text(self) -> list[str]:
        """Returns lines about it for people."""
        return [
            f"{self.preconditioner}: {self.products:.3g} products a step with"
            f" {self.product_halos:.3g} halos, {self.transpositions:.3g} transpositions,"
            f" {self.solver_sums:.3g} sums; {len(self.exchanges)} exchanges,"
            f" {self.halos:.3g} halos on demand that reach {self.reach} rows; {self.sums:.3g} other"
            " sums"
        ]


@dataclass
class Layout:
    """Of a grid on `ranks`: points and vertical modes of each, messages (from, to, points) of a
    halo of one point, of a transposition, of a halo on demand; edge: points of the first.
    """

    ranks: int
    used: int
    levels: int
    points: np.ndarray
    modes: np.ndarray
    edge: np.ndarray
    messages: np.ndarray
    transposition: np.ndarray
    halo: np.ndarray
    text: str

    @property
    def work(self) -> np.ndarray:
        """Returns work of each rank, in points."""
        return self.points


def layout(
    grid: Any,
    ranks: int,
    reach: int = 0,
    block: tuple[int, int] | None = None,
    distribution: str = "auto",
) -> Layout:
    """Returns block: (width, height); None: as a run would choose it. ValueError: ranks that a run
    would refuse.
    """
    h, wet = grid.horizontal, np.ascontiguousarray(grid.wet_levels, np.int32)
    d = mpi.core.decompose(
        mpi.core.Topology(h.nx, h.ny, h.periodic, h.fold, h.periodic_j),
        wet.ravel().tolist(),
        ranks,
        *(block or (0, 0)),
        distribution=distribution,
        halo=2,
    )
    blocks, levels = d.blocks[d.blocks[:, 5] >= 0], grid.levels.nz
    points = np.bincount(blocks[:, 5], blocks[:, 3] * blocks[:, 4], ranks)
    modes = np.diff(levels * np.arange(ranks + 1) // ranks)  # core/solver/helmholtz/separable.cpp
    messages = mpi.core.halo_plan(d, "center", 1, 1).messages
    holders = np.flatnonzero(modes)
    rows = np.full(wet.shape[0], wet.shape[1])
    return Layout(
        ranks,
        ranks,
        levels,
        points,
        modes,
        points_of(ranks, messages),
        messages[messages[:, 0] != messages[:, 1]],
        messages_between(
            np.repeat(np.arange(ranks), len(holders)),
            np.tile(holders, ranks),
            np.outer(points, modes[holders]).ravel(),
            ranks,
        ),
        halo_everywhere(blocks, rows, reach, ranks, grid.truncation is None),
        d.describe(),
    )


def _seconds(profile: list[dict[str, Any]], n: int) -> dict[str, float]:
    """Returns seconds of a step, of `n` steps, by what they grow with."""
    found = dict.fromkeys(("columns", "two", "fourier", "packing"), 0.0)
    for r in profile:
        if r["kind"] == "exchange":
            found["packing"] += max(r["seconds"] - r["communication"], 0.0) / n
        elif r["kind"] not in moving:
            of_planes = r["region"] == "planes of vertical modes"
            part = "fourier" if of_planes else "two" if solver in r["path"] else "columns"
            found[part] += r["seconds"] / n
    return found


def measure(simulation: Any, steps: int = 0, seconds: float = 4.0) -> Cost | None:
    """Measures on all ranks of a simulation; the result is on rank 0."""
    model, comm = simulation.model, simulation.comm
    scheme, every = helpers.scheme_of(simulation)
    taken, profile, n = measured_steps(simulation, steps, seconds, every)
    profile = [r for r in profile if tuple(r["path"][:2]) == ("run", "step")]
    place, exchanges = layout(model.grid, comm.size), exchanges_of(simulation)
    size, levels = simulation.bytes_of_number, model.grid.levels.nz
    point = float(levels * 4 * size)  # four fields side by side
    if not simulation.is_root:
        return None
    return Cost(
        ranks=comm.size,
        threads=int(simulation.parallel["threads"]),
        seconds=min(taken),
        pieces=taken,
        step=simulation.time_step,
        bytes=size,
        traffic=traffic_of(simulation),
        levels=levels,
        points=float(place.points.max()),
        modes=float(place.modes.max()),
        edge=float(place.edge.max()),
        **_seconds(profile, n),
        exchanges=exchanges,
        **_of_products(profile, n, model.outer * model.inner),
        halo=point,
        reach=_reach(profile, n, model.grid.shape[2] * point, comm.size),
        preconditioner=f"{model.solver} with {model.preconditioner}",
        **helpers.radiation_of(simulation, scheme, every, profile, n),
    )


def _named(profile: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [r for r in profile if r["region"] == name]


def _reach(profile: list[dict[str, Any]], n: int, bytes_of_row: float, ranks: int) -> int:
    return reach_of(_named(profile, on_demand), n, bytes_of_row, ranks)


def _of_products(profile: list[dict[str, Any]], n: int, solves: int) -> dict[str, float]:
    """Returns how often ranks meet in a step, within the solver and elsewhere. A solve sums once
    before its first product, and once for each (core/solver/helmholtz/krylov.cpp).
    """

    def calls(name: Any) -> Any:
        return of_a_step(_named(profile, name), "calls", n)

    sums = [r for r in profile if r["kind"] == "sum"]
    of_solver = [r for r in sums if solver in r["path"]]
    others = [r for r in sums if solver not in r["path"]]
    return {
        "products": calls("sums of the Helmholtz solver") - solves,
        "product_halos": calls("halo of the Helmholtz solver"),
        "transpositions": calls("transposition"),
        "solver_sums": of_a_step(of_solver, "messages", n),
        "halos": calls(on_demand),
        "sums": of_a_step(others, "messages", n) + calls("PoleWind") + calls("PoleWind_start"),
    }


class _Step:
    """Parts of a step of all ranks on a machine. points, modes, edge: of each rank, over those of
    the measured one, in its seconds.
    """

    def __init__(self, cost: Cost, place: Layout, under: Conditions, t: Clocks) -> None:
        self.exchange, self.t = under.exchange, t
        self.deep = place.levels / cost.levels
        factor = under.factor(cost, place.used) * self.deep
        self.points = under.at_work(place.points) / cost.points * factor
        self.edge = place.edge / cost.edge * factor
        wider = place.points.sum() / (cost.points * cost.ranks)
        self.modes = place.modes / cost.modes * wider * factor / self.deep  # a plane of all points
        share = place.points / cost.points * self.deep
        self.columns = under.processes(cost, cost.columns, share, place.points)

    def travel(
        self, table: np.ndarray, size: float, region: str, kind: str = "halos", back: bool = False
    ) -> None:
        if not len(table):
            return
        source, target, number = table.T
        ends = (target, source) if back else (source, target)
        t = self.t
        t.exchange(t.messages(*ends, number * size, self.exchange), region, kind=kind)


def step(cost: Cost, place: Layout, under: Conditions) -> Clocks:
    """Returns a time step of all ranks."""
    t = under.clocks(place.used)
    does = _Step(cost, place, under, t)
    of_solver = place.levels * cost.bytes
    groups = cost.exchanges or [(0.0, 0)]
    meetings = len(groups) + cost.halos
    for levels, width in groups:
        t.compute(does.columns / meetings, "columns")
        t.compute(cost.packing / len(groups) * does.edge, "halos")
        size = levels * does.deep * width * cost.bytes
        does.travel(place.messages, size, "halos")
    for _ in range(round(cost.halos)):
        t.compute(does.columns / meetings, "columns")
        does.travel(place.halo, cost.halo * does.deep, "halo on demand", "on_demand")
    for _ in range(round(cost.sums) if place.used > 1 else 0):
        t.sum(1, "sums", under.total)
    products = max(cost.products, 1.0)

    def product() -> None:
        t.compute(cost.two / products * does.points, "solver")
        for _ in range(round(cost.product_halos / products)):
            does.travel(place.messages, of_solver, "solver halo")
        if cost.fourier:
            does.travel(place.transposition, cost.bytes, "transposition", "transpositions")
            t.compute(cost.fourier / products * does.modes, "solver")
            does.travel(
                place.transposition, cost.bytes, "transposition", "transpositions", back=True
            )
        for _ in range(round(cost.solver_sums / products) if place.used > 1 else 0):
            t.sum(2, "solver sum", under.total)

    t.times(products, product)
    return t


phases: Mapping[str, tuple[str, ...]] = {
    "columns": ("columns", "halos", "halo on demand"),
    "solver": ("solver", "solver halo", "transposition", "solver sum"),
    "sums": ("sums",),
}
