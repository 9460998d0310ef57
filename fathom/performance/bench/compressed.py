"""The barotropic matrix on one dimension, next to the blocks of the solver: SciPy's compressed rows
of the wet points alone, their conjugate gradients, and one product y = (M + K) x by both.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

_seconds = 1.0  # that products are repeated in turn
_piece = 0.01  # s of products that are timed at once: the clock of a process may be coarse


def conjugate_gradients(problem: Any, iterations: int) -> dict[str, Any]:
    """Returns SciPy's, with the diagonal as preconditioner, on this rank alone."""
    from scipy.sparse import diags
    from scipy.sparse.linalg import cg

    A = problem.matrix()
    if A is None:
        return {"message": "no matrix on a folded grid"}
    M, count = diags(1 / A.diagonal()), [0]
    began = time.perf_counter()
    cg(
        A,
        problem.b[problem.wet],
        rtol=1e-15,
        atol=0,
        maxiter=iterations,
        M=M,
        callback=lambda _: count.__setitem__(0, count[0] + 1),
    )
    seconds = time.perf_counter() - began
    return {
        "iterations": count[0],
        "microseconds_per_iteration": seconds / count[0] * 1e6,
        "ns_per_wet_point_per_iteration": seconds / count[0] / A.shape[0] * 1e9,
    }


def product(problem: Any, case: Any) -> dict[str, Any]:
    """Returns processor time of y = (M + K) x on one rank, by compressed rows and on the blocks
    (with their scaling and halo): the least of many pieces, in turn; and what both read and write.
    Empty where there is no matrix.
    """
    A = problem.matrix() if problem.comm.size == 1 else None
    if A is None:
        return {}
    solver, list_of_points = problem.solver(case), problem.b[problem.wet]
    blocks = problem.scatter(problem.b)
    results = [np.zeros_like(b) for b in blocks]
    ways: dict[str, Callable[[], Any]] = {
        "compressed": lambda: A @ list_of_points,
        "blocks": lambda: solver.apply(blocks, results),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    ends = time.perf_counter() + _seconds
    while len(taken["blocks"]) < 3 or time.perf_counter() < ends:
        for name, act in ways.items():
            taken[name].append(_of_one(act))
    wet, index = A.shape[0], A.indices.itemsize
    return {
        "ns_per_wet_point": {name: min(t) / wet * 1e9 for name, t in taken.items()},
        "bytes_per_wet_point": {
            "compressed": (A.nnz * (8 + index) + (wet + 1) * index + 2 * 8 * wet) / wet,
            "blocks": 5 * 8 * solver.packs * 8 / wet,  # x, y, P, M, 1 / d
        },
        "computed_over_wet": solver.packs * 8 / wet,
    }


def _of_one(act: Callable[[], Any]) -> float:
    """Returns processor seconds of one, from a piece of many."""
    times, ends, began = 0, time.perf_counter() + _piece, time.process_time_ns()
    while not times or time.perf_counter() < ends:
        act()
        times += 1
    return (time.process_time_ns() - began) * 1e-9 / times


def text(found: dict[str, Any]) -> str:
    """Returns one line."""
    ns, moved = found["ns_per_wet_point"], found["bytes_per_wet_point"]
    return (
        f"y = A x, ns of a processor and bytes a wet point: compressed rows {ns['compressed']:.2f},"
        f" {moved['compressed']:.0f}; blocks {ns['blocks']:.2f}, {moved['blocks']:.0f}, which"
        f" compute {found['computed_over_wet']:.3f} times the wet points"
    )
