"""The barotropic solver with all threads of a rank against one thread: solves in turn, the same
solver, either first in turn.

    seconds      least(1) / least(T)         of many solves: the fastest one counts
    pairs        median of the ratios of neighbours, and its error
    processor    T c(1) / c(T)               c: processor time of a solve, of all its threads: the
        speed-up if each thread had a core for itself; waiting threads that spin count as work

The first two mean something where each thread finds a core; the load of the machine is told.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.performance.pairs import middle


def against_one(problem: Any, case: Any, seconds: float = 10.0) -> dict[str, Any]:
    """Returns the figures of a Problem and a Case of barotropic.py; the same on all ranks; nothing
    where there is one thread.
    """
    if case.threads == 1:
        return {}
    solver, comm, load = problem.solver(case), problem.comm, os.getloadavg()[0]

    def solve(threads: int) -> tuple[float, float]:
        mpi.core.set_threads(threads)
        x = [np.zeros_like(b) for b in problem.right]
        comm.barrier()
        began, processor = time.perf_counter(), time.process_time()
        solver.solve(problem.right, x)
        comm.barrier()
        return time.perf_counter() - began, time.process_time() - processor

    taken: dict[int, list[tuple[float, float]]] = {1: [], case.threads: []}
    ends = time.perf_counter() + seconds
    while comm.bcast(len(taken[1]) < 4 or time.perf_counter() < ends):
        order = sorted(taken, reverse=bool(len(taken[1]) % 2))
        for threads in order:
            taken[threads].append(solve(threads))
    one, many = (np.array(comm.bcast(taken[threads])) for threads in (1, case.threads))
    ratios = one[:, 0] / many[:, 0]
    ratio, error = middle(ratios)
    return {
        "threads": case.threads,
        "seconds": float(one[:, 0].min() / many[:, 0].min()),
        "pairs": ratio,
        "error": error,
        "processor": float(case.threads * one[:, 1].min() / many[:, 1].min()),
        "solves": len(ratios),
        "load": load,
    }


def text(found: dict[str, Any]) -> str:
    """Returns one line."""
    return (
        f"{found['threads']} threads against one, {found['solves']} pairs: the least"
        f" {found['seconds']:.2f} times as fast, pairs {found['pairs']:.2f} ± {found['error']:.2f};"
        f" by processor time {found['processor']:.2f}; load of the machine before"
        f" {found['load']:.1f}"
    )
