"""A step of a spectral model on simulated ranks: rows and waves distributed as by the model,
the plans of its transpositions, no data.

    columns           seconds of processes and trajectories x points of the rank
    Fourier           seconds x points of the rows that are whole on it
    Legendre          seconds x sums of its waves,   sum over m of (N - m + 2) x rows that know m;
                      the semi-implicit solve x its coefficients
    on a plane        Fourier transforms of columns instead, sum over m of rows; a point of E is a
                      part of one
    transpositions    from each owner of waves to each owner of rows: entries (m, row) that the two
                      share, and back
    rows              assembled from the blocks that share them, with more ranks than rows allow
    halos on demand   points within reach of trajectories around each block, in segments of a row
                      (core/parallel/halo/on_demand.hpp)
    sums              those of a step, all ranks

Seconds are measured where ranks are fewest, bytes where they are most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.grids.wide_halo import halo_everywhere, messages_between
from fathom.performance.bench import traffic
from fathom.performance.scaling import helpers
from fathom.performance.scaling.clocks import Clocks
from fathom.performance.scaling.conditions import Conditions
from fathom.performance.scaling.cost import Measured, measured_steps, moving, of_a_step, traffic_of


@dataclass
class Cost(Measured):
    """Of a step. levels, points, row_points, sums_of_waves, coefficients: of the grid, and of the
    fullest rank; columns, fourier, legendre, waves, packing: seconds; batches: of transpositions,
    both ways together; entry, halo: bytes of an entry in all of them, and of a point in a halo;
    halos, reach [rows], sums: of a step."""

    kind: ClassVar[str] = "spectral"
    levels: int
    points: float
    row_points: float
    sums_of_waves: float
    coefficients: float
    entries: float
    columns: float
    fourier: float
    legendre: float
    waves: float
    packing: float
    batches: float
    entry: float
    halos: float
    halo: float
    reach: int
    sums: float
    words: int
    radiation: float = 0.0  # seconds of a step among those of columns
    period: float = 1.0  # steps from one radiation to the next
    column: float = 0.0  # bytes that travel with a column, both ways

    @property
    def computing(self) -> float:
        """Returns seconds of computing in a step of one rank."""
        return self.columns + self.fourier + self.legendre + self.waves + self.packing

    def with_messages_of(self, other: Cost) -> Cost:
        """Returns its seconds, with the messages of a run on more ranks."""
        return type(self)(
            **{
                **self.__dict__,
                **{
                    name: getattr(other, name)
                    for name in ("batches", "entry", "halos", "halo", "reach", "sums")
                },
            }
        )

    def stepping(self) -> Cost:
        """Returns the step without radiation."""
        return replace(self, columns=self.columns - self.radiation, radiation=0.0)

    def text(self) -> list[str]:
        """Returns lines about it for people."""
        back = f"halos on demand that reach {self.reach} rows" if self.halos else ""
        return [
            f"{self.batches:.0f} transpositions a step, {self.entry / 1e3:.3g} kB for each wave of"
            f" a row; {self.halos:.0f} {back}; {self.sums:.0f} sums".replace("; 0 ;", ";")
        ]


@dataclass(frozen=True)
class PlaneRows:
    """The rows of a limited area, E included, for `layout`. work: levels of a column, -n where
    there is no column but the work of n levels (rows, points). distribution: the default of a run
    on so many ranks.
    """

    name: str
    levels: Any
    truncation: tuple[int, int]
    work: np.ndarray
    distribution: Callable[[int], str]

    def __repr__(self) -> str:
        return self.name

    @property
    def points(self) -> np.ndarray:
        """Returns the points of each row."""
        return np.full(len(self.work), self.work.shape[1])


def rows_of(model: Any) -> Any:
    """Returns the rows for `layout`: a Gaussian grid, or the rows of a limited area; None of other
    models.
    """
    grid = model.grid
    if grid.truncation is not None:
        return grid
    if model.truncation is None:
        return None
    work = np.asarray(grid.work_levels)
    return PlaneRows(repr(grid), grid.levels, model.truncation, work, grid.distribution)


@dataclass
class Layout:
    """Of rows on `ranks`: the work of each, and messages (from, to, how many):
    entries from waves to rows, points of rows to be put together, points of halos.
    """

    ranks: int
    used: int
    levels: int
    points: np.ndarray
    row_points: np.ndarray
    sums_of_waves: np.ndarray
    coefficients: np.ndarray
    entries: np.ndarray
    transposition: np.ndarray
    gathering: np.ndarray
    halo: np.ndarray
    text: str

    @property
    def work(self) -> np.ndarray:
        """Returns work of each rank, in points."""
        return self.points

    @property
    def messages(self) -> np.ndarray:
        """Returns the messages of one transposition."""
        return self.transposition


def _waves(grid: Any, decomposition: Any) -> tuple[Any, int, np.ndarray, np.ndarray]:
    """Returns the owner of each row and wave; the largest m; for each m: what its sums cost for
    each row, its coefficients.
    """
    if isinstance(grid, PlaneRows):
        (east, north), (ny, nx) = grid.truncation, grid.work.shape
        spread = mpi.core.WaveDistribution(nx, ny, east, decomposition)
        share = 1 - (np.arange(east + 1.0) / east) ** 2
        return spread, east, np.ones(east + 1), 2 * np.floor(1e-10 + north * np.sqrt(share)) + 1
    n = grid.truncation
    number = np.arange(n + 1)
    spread = mpi.core.WaveDistribution(grid.rows, n, decomposition)
    return spread, n, n - number + 2.0, n - number + 1.0


# long: one kind of message after the other
def layout(
    grid: Any,
    ranks: int,
    reach: int = 0,
    block: tuple[int, int] | None = None,
    distribution: str = "auto",
) -> Layout:
    """Returns grid: see `rows_of`; reach: rows of a halo on demand; distribution: auto, as a run
    would choose it.
    """
    if block is not None:
        raise InputError(
            "scale: blocks of spectral models are whole rows or squares; --what-if block is for"
            " models on blocks"
        )
    plane = isinstance(grid, PlaneRows)
    wet, points = np.asarray(grid.work if plane else grid.wet_levels), np.asarray(grid.points)
    ny, nx = wet.shape
    d = mpi.core.decompose(
        mpi.core.Topology(nx, ny, not plane),
        np.ascontiguousarray(wet, np.int32).ravel().tolist(),
        ranks,
        distribution=grid.distribution(ranks) if distribution == "auto" else distribution,
        halo=0,
    )
    spread, n, sums, coefficients = _waves(grid, d)
    blocks = d.blocks[d.blocks[:, 5] >= 0]
    row_rank, first_row = np.asarray(spread.row_rank), np.asarray(spread.first_row)
    share = np.where(wet > 0, 1.0, -wet / grid.levels.nz)  # of a column
    pieces = np.array(
        [
            (owner, j, min(i0 + width, points[j]) - i0, share[j, i0 : i0 + width].sum())
            for _, i0, j0, width, height, owner in blocks
            for j in range(j0, j0 + height)
            if i0 < points[j]
        ]
    )
    owner, row, inside = pieces[:, :3].astype(np.int64).T
    known = np.zeros((n + 1, ranks), np.int64)  # rows of each rank that know m
    for m in range(n + 1):
        rows = slice(first_row[m], ny - first_row[m])
        known[m] = np.bincount(row_rank[rows], minlength=ranks)
    waves = np.full(n + 1, -1)
    for rank in range(min(ranks, n // 2 + 1)):
        waves[spread.waves_of_rank(n, ranks, rank)] = rank
    owners = int(waves.max()) + 1
    shared = np.zeros((owners, ranks), np.int64)
    np.add.at(shared, waves, known)

    def by_wave(of_m: Any) -> Any:
        return np.bincount(waves, of_m, ranks)

    return Layout(
        ranks,
        ranks,
        grid.levels.nz,
        np.bincount(owner, pieces[:, 3] if plane else inside, ranks),
        np.bincount(row_rank, points, ranks),
        by_wave(sums * (ny - 2 * first_row[: n + 1])),
        by_wave(coefficients),
        shared.sum(axis=0) + np.bincount(np.arange(owners), shared.sum(axis=1), ranks),
        messages_between(
            np.repeat(np.arange(owners), ranks),
            np.tile(np.arange(ranks), owners),
            shared.ravel(),
            ranks,
        ),
        messages_between(owner, row_rank[row], inside, ranks),
        halo_everywhere(blocks, points, reach, ranks, plane),
        d.describe(),
    )


def _part_of_step(record: dict[str, Any]) -> str | None:
    """Returns the size with which the seconds of a region grow; None: none, as it only moves
    numbers.
    """
    if record["kind"] in moving:
        return "packing" if record["region"] == "transposition" else None
    transforms = {
        "Fourier transform": "fourier",
        "Legendre transform": "legendre",
        "Fourier transform of columns": "legendre",
    }
    if record["region"] in transforms:
        return transforms[record["region"]]
    return "waves" if record["phase"] == "spectral" else "columns"


def seconds_by_part(profile: list[dict[str, Any]], n: int) -> dict[str, float]:
    """Returns seconds of a step, of `n` steps. Of transpositions: filling and emptying, not the
    transfer.
    """
    found = dict.fromkeys(("columns", "fourier", "legendre", "waves", "packing"), 0.0)
    for r in profile:
        part = _part_of_step(r)
        if part == "packing":
            found[part] += (r["seconds"] - r["communication"]) / n
        elif part is not None:
            found[part] += r["seconds"] / n
    return found


def transposed(records: list[dict[str, Any]], n: int, place: Layout) -> dict[str, float]:
    """Returns batches: of transpositions in a step; entry: bytes of an entry in all of them."""
    if place.ranks == 1:
        return {"batches": 2.0, "entry": 0.0}
    # both ways, of the mean rank
    entries = place.transposition[:, 2].sum() * 2 / place.ranks
    partners = max(len(place.transposition) * 2 / place.ranks, 1)
    return {
        "batches": max(2 * of_a_step(records, "messages", n) / partners, 2.0),
        "entry": 2 * of_a_step(records, "bytes", n) / entries,
    }


def reach_of(halos: list[dict[str, Any]], n: int, bytes_of_row: float, ranks: int) -> int:
    """Returns rows of a halo on demand, from the mean length of its messages."""
    messages = of_a_step(halos, "messages", n)
    if ranks == 1 or not messages:
        return 1
    return max(1, round(of_a_step(halos, "bytes", n) / messages / bytes_of_row))


def measure(simulation: Any, steps: int = 0, seconds: float = 4.0) -> Cost | None:
    """Measures on all ranks of a simulation; the result is on rank 0."""
    model = simulation.model
    if rows_of(model) is None:
        raise InputError(
            f"scale: {type(model).__name__} on {type(model.grid).__name__} has neither a solver of"
            " a free surface nor transforms; supported are models of columns on blocks, as"
            " Ocean, and spectral models"
        )
    scheme, every = helpers.scheme_of(simulation)
    taken, profile, n = measured_steps(simulation, steps, seconds, every)
    transported = _transported(simulation, every)
    cost = cost_of(simulation, taken, profile, n, "step", "halo on demand")
    if cost is None:
        return None
    cost.traffic += transported
    for name, value in helpers.radiation_of(simulation, scheme, every, profile, n).items():
        setattr(cost, name, value)
    return cost


def _transported(simulation: Any, steps: int) -> float:
    """Returns bytes of a step that the transport of a rank reads and writes."""
    parts = ("departure", "interpolation")
    before = traffic.spectral(simulation, parts)
    simulation.advance(steps)
    moved = traffic.spectral(simulation, parts) - before
    result: float = moved / steps / simulation.comm.size
    return result


def cost_of(
    simulation: Any,
    taken: list[float],
    profile: list[dict[str, Any]],
    n: int,
    step: str,
    halo: str,
) -> Cost | None:
    """Returns the cost by the regions of `n` steps as all ranks have measured them, on rank 0.
    taken: seconds of a step in each piece;
    step, halo: the regions of a step, and of messages around departure points.
    """
    model, comm, rows = simulation.model, simulation.comm, rows_of(simulation.model)
    profile = [r for r in profile if tuple(r["path"][:2]) == ("run", step)]
    transpositions = [r for r in profile if r["region"] == "transposition"]
    halos = [r for r in profile if r["region"] == halo]
    sums = [r for r in profile if r["kind"] == "sum"]
    place = layout(rows, comm.size)
    size, levels = simulation.bytes_of_number, model.grid.levels.nz
    point = levels * 4 * size  # four fields side by side
    longest = int(np.max(rows.points))
    if not simulation.is_root:
        return None
    fullest = {
        name: float(getattr(place, name).max())
        for name in ("points", "row_points", "sums_of_waves", "coefficients", "entries")
    }
    return Cost(
        ranks=comm.size,
        threads=int(simulation.parallel["threads"]),
        seconds=min(taken),
        pieces=taken,
        step=simulation.time_step,
        bytes=size,
        traffic=traffic_of(simulation),
        levels=levels,
        **fullest,
        **seconds_by_part(profile, n),
        **transposed(transpositions, n, place),
        halos=of_a_step(halos, "calls", n),
        halo=float(point),
        reach=reach_of(halos, n, longest * point, comm.size),
        sums=of_a_step(sums, "calls", n),
        words=3,
    )


def step(cost: Cost, place: Layout, under: Conditions, clocks: Clocks | None = None) -> Clocks:
    """Returns a time step of all ranks. clocks: those of what was before."""
    t = clocks or under.clocks(place.used)
    deep = place.levels / cost.levels
    factor = deep * under.factor(cost, place.used)

    def messages(table: np.ndarray, size: float, back: bool = False) -> Any:
        source, target, number = table.T
        return t.messages(
            *((target, source) if back else (source, target)), number * size * deep, under.exchange
        )

    def share(name: str) -> np.ndarray:
        result: np.ndarray = getattr(place, name) / getattr(cost, name) * factor
        return result

    of_points = deep * place.points / cost.points
    columns = under.processes(cost, cost.columns, of_points, place.points)
    halos, sums = max(round(cost.halos), 1), max(round(cost.sums), 1)
    for _ in range(halos):
        t.compute(columns / 2 / halos, "columns")
        if cost.halos and len(place.halo):
            halo = messages(place.halo, cost.halo)
            t.exchange(halo, "halo on demand", kind="on_demand")
    for direct in (True, False):
        if direct:
            t.compute(cost.fourier / 2 * share("row_points"), "transform")
        else:
            t.compute(
                cost.legendre * share("sums_of_waves") + cost.waves * share("coefficients"),
                "transform",
            )
        t.compute(cost.packing / 2 * share("entries"), "transposition")
        if place.used > 1:
            batches = max(cost.batches / 2, 1.0)
            if len(place.gathering):
                gathering = messages(place.gathering, cost.entry / 4, not direct)
                t.exchange(gathering, "transposition", kind="transpositions")
            for _ in range(round(batches)):
                t.exchange(
                    messages(place.transposition, cost.entry / 2 / round(batches), direct),
                    "transposition",
                    kind="transpositions",
                )
    t.compute(cost.fourier / 2 * share("row_points"), "transform")
    for _ in range(sums):  # all over the step
        t.compute(columns / 2 / sums, "columns")
        if place.used > 1:
            t.sum(cost.words, "sums", under.total)
    return t


phases: Mapping[str, tuple[str, ...]] = {
    "columns": ("columns", "halo on demand"),
    "spectral": ("transform", "transposition"),
    "sums": ("sums",),
}
