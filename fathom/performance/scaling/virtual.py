"""A step on simulated ranks: the real grid and mask cut into blocks, the real plans of
halos, no data; priced on a machine.

processes       seconds of a unit of work x work of the rank's blocks                      (cost.py)
exchanges       those of a step, with the points of the plan, their widths and levels
solver          iterations x (columns of the rank, halos, sums)
faster or slower than where it was measured                                      (conditions.py)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.performance.bench.blocks import count
from fathom.performance.bench.ocean import solver_streams
from fathom.performance.scaling.clocks import Clocks, exchanges
from fathom.performance.scaling.conditions import Conditions
from fathom.performance.scaling.cost import Cost, columns_of, points_of, work_of

# points along borders between ranks that the solver computes once messages are there: 4 rows, 8
# columns (core/solver/solver.cpp)
strip = 6
together = 4  # iterations of a launch on a device


@dataclass
class Layout:
    """Of a grid on `ranks`, of which `used` have water: work, columns and points of the halo of
    each, messages of a halo of one point (from, to, points).
    """

    ranks: int
    used: int
    work: np.ndarray
    columns: np.ndarray
    points: np.ndarray
    messages: np.ndarray
    text: str


def layout(
    grid: Any,
    ranks: int,
    halo: int,
    block: tuple[int, int] | None = None,
    distribution: str = "auto",
) -> Layout:
    """Returns block: (width, height); None: what a run would choose up to 1024 ranks, small blocks
    along the curve beyond. ValueError: ranks that a run would refuse.
    """
    if block is None and distribution == "auto" and ranks > 1024:
        return _even(grid, ranks, halo)
    h, wet = grid.horizontal, np.asarray(grid.wet_levels)
    kept = count(wet, *block)["kept"] if block else ranks
    if block and kept < ranks:
        raise InputError(
            f"{ranks} ranks are more than the blocks with water, which a run refuses:"
            f" {kept} of {block[0]} x {block[1]} points; use at most {kept} ranks or smaller blocks"
        )
    d = mpi.core.decompose(
        mpi.core.Topology(h.nx, h.ny, h.periodic, h.fold),
        np.ascontiguousarray(wet, np.int32).ravel().tolist(),
        ranks,
        *(block or (0, 0)),
        distribution=distribution if block is None or distribution != "auto" else "space-filling",
        halo=halo,
    )
    return _layout_of(d, wet, ranks, halo)


def _layout_of(d: Any, wet: np.ndarray, ranks: int, halo: int) -> Layout:
    messages = mpi.core.halo_plan(d, "center", halo, 1).messages
    work, text = work_of(d, messages), d.describe()
    if "imbalance" in text:  # that of the decomposition, which counts messages too
        text += f" with messages, {work.max() / work.mean():.3f} without"
    return Layout(
        ranks,
        ranks,
        work,
        columns_of(d, wet),
        points_of(ranks, messages),
        messages[messages[:, 0] != messages[:, 1]],
        text,
    )


even = 1.15  # the fullest rank over the mean: good enough


def _even(grid: Any, ranks: int, halo: int) -> Layout:
    """Returns small blocks along the curve, distributed by work: four a rank, or more until the
    fullest has little more than the mean; none is without water.
    """
    wet, found = np.asarray(grid.wet_levels), []
    share = float((wet > 0).mean())
    for each in (4, 6, 9, 14, 20):
        points = wet.size * share / (each * ranks)
        width = max(1, round((1.3 * points) ** 0.5))
        height = max(1, round(points / width))
        if width > wet.shape[1] or height > wet.shape[0]:
            continue
        if count(wet, width, height)["kept"] < ranks:
            continue
        found.append(layout(grid, ranks, halo, (width, height), "space-filling"))
        if found[-1].work.max() < even * found[-1].work.mean():
            return found[-1]
    if not found:
        raise InputError(
            f"scale: {wet.shape[1]}x{wet.shape[0]} points cannot be cut into blocks for {ranks}"
            " ranks"
        )
    return min(found, key=lambda place: float(place.work.max() / place.work.mean()))


def _iteration(cost: Cost, place: Layout, under: Conditions) -> np.ndarray:
    """Returns seconds of each rank for an iteration of the solver. Its arrays stay in the cache of
    a device, or come from memory in each iteration.
    """
    columns = under.at_work(place.columns) / cost.columns
    if cost.preconditioner == "factorisation":
        # nodes above the subtrees of all ranks are everybody's: a twenty-fifth of the factors for
        # each doubling of the ranks
        columns = np.minimum(columns + 0.04 * np.log2(place.used), 1.0)
    seconds = cost.two / max(cost.iterations, 1.0) * columns * under.factor(cost, place.used)
    machine = under.machine
    if not machine.of_devices:
        return seconds
    moved = 8 * solver_streams * place.columns
    from_memory = np.where(moved > machine["node.cache"], moved / machine["node.triad_of_core"], 0)
    result: np.ndarray = np.maximum(seconds + machine["device.launch"] / together, from_memory)
    return result


# long: one part of a step after the other, as they follow in time
def step(cost: Cost, place: Layout, under: Conditions) -> Clocks:
    """Returns a time step of all ranks."""
    t = under.clocks(place.used)
    factor = under.factor(cost, place.used)
    source, target, points = place.messages.T if len(place.messages) else np.zeros((3, 0), int)
    groups = max(len(cost.exchanges), 1)
    overlaps = exchanges[under.exchange].overlaps and len(points) > 0

    def inner(width: int) -> np.ndarray:
        """Returns part of a rank's columns further than `width` from others: computed while
        messages travel.
        """
        return (
            np.clip(1 - width * place.points / np.maximum(place.columns, 1), 0, 1)
            if overlaps
            else np.zeros(place.used)
        )

    whole = under.processes(cost, cost.three, place.work / cost.work, place.columns)
    for levels, width in cost.exchanges or [(0.0, 0)]:
        processes = whole / groups
        inside = processes * inner(cost.reach + 1)
        t.compute(processes - inside, "baroclinic")
        t.compute(
            cost.packing / groups * place.points / cost.points * factor, "baroclinic boundary"
        )
        if levels and len(points):
            t.exchange(
                t.messages(source, target, points * width * levels * cost.bytes, under.exchange),
                "baroclinic boundary",
                meanwhile=(inside, "baroclinic"),
            )
    iterations = max(cost.iterations, 1.0)
    small = (
        t.messages(source, target, points * cost.halo_bytes, under.exchange)
        if len(points)
        else None
    )
    between = (
        max(1, round(iterations / max(cost.sums, 1e-9))) if place.used > 1 else 1
    )  # iterations between two sums

    halos = cost.halos / iterations if small is not None else 0.0
    sums = max(cost.sums / iterations, 1.0) if place.used > 1 else 0.0
    pieces = between * halos + sums or 1.0  # of computing: a meeting after each

    piece = _iteration(cost, place, under) * between / pieces
    inside_piece = piece * inner(strip)

    def halo() -> None:
        t.compute(piece - inside_piece, "solver")
        assert small is not None  # there is a halo only where there is a neighbour
        t.exchange(small, "solver halo", meanwhile=(inside_piece, "solver"))

    def summed() -> None:
        t.compute(piece, "solver")
        t.sum(round(cost.words), "solver sum", under.total)

    def until_sum() -> None:
        if halos:
            t.times(between * halos, halo)
        if sums:
            t.times(sums, summed)
        if not halos and not sums:
            t.compute(piece, "solver")

    t.times(max(iterations / between, 1.0), until_sum)
    return t


phases: Mapping[str, tuple[str, ...]] = {
    "baroclinic": ("baroclinic", "baroclinic boundary"),
    "barotropic": ("solver", "solver halo", "solver sum"),
}
