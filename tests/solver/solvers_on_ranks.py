"""Run under mpiexec: solvers, preconditioners, exchanges and sums in combination, all of them, or
(argument `few`) each at least once. Rank 0 prints, as JSON, what each of them found: iterations,
residual, and a digest of the solution."""

import hashlib
import json
import os
import random
import sys

os.environ["OMP_WAIT_POLICY"] = "passive"
import numpy as np
from mpi4py import MPI

from computers import computer
from elliptic_cases import Case
from fathom.base.mpi import core
from fathom.performance.bench import barotropic

comm = MPI.COMM_WORLD
few = sys.argv[1:] == ["few"]
solvers, preconditioners, exchanges, sums = (
    [name for name, _ in list]
    for list in (core.solvers(), core.preconditioners(), core.transports(), core.global_sums())
)
unpacked = ("datatypes", "overlapped")  # no device does the first, not each the second
topologies = [(False, False), (True, False), (True, True)]


def land(case, rng, kind):
    """Islands; a wall with a strait of one cell; a single sea, so that most ranks have none;
    anything at all.
    """
    wet = np.ones_like(case.wet)
    if kind == "islands":
        wet = (rng.random(wet.shape) > 0.15).astype(float)
    elif kind == "strait":
        wet[:, case.nx // 2], wet[case.ny // 2, case.nx // 2] = 0, 1
        wet[case.ny // 3, :], wet[case.ny // 3, [3, 4, 5]] = 0, 1
    elif kind == "one sea":
        wet[:], wet[2:8, 3:12] = 0, 1
    elif kind == "noise":
        wet = (rng.random(wet.shape) > 0.5).astype(float)
    case.wet = wet
    if case.topology.fold:
        case.wet[-1, [case.nx // 2 - 1, case.nx // 2, case.nx - 1, 0]] = 0
    case.depth = np.where(case.corner(case.wet), np.maximum(case.depth, 500), 0)
    case.original("corner", case.depth)


def solve(case, block, seed, **options):
    b = np.random.default_rng(seed).normal(size=case.wet.shape)

    def solver():
        return case.distribute(
            comm,
            decomposition=case.dealt(comm.size, *block),
            tolerance=1e-4,
            maximum_iterations=3000,
            **options,
        )

    here = solver()
    assert case.nx < 96 or comm.allreduce(here.inner_packs) > 0
    found, solution = solved(case, here, b)
    del here
    if options.get("preconditioner") == "diagonal" and options.get("exchange") not in unpacked:
        there = solver()
        on_device = there.on_device(computer())
        assert on_device == (options["solver"] in ("chrongear", "pcsi"))
        assert not on_device or solved(case, there, b)[0] == found
    return (
        found if options.get("reproducible", True) else [float(f"{np.linalg.norm(solution):.8e}")]
    )


def solved(case, solver, b):
    x = case.scatter(np.zeros_like(b))
    solver.solve(case.scatter(b), x)
    solution = case.gather(comm, x)
    digest = hashlib.sha256(solution.tobytes()).hexdigest()[:16]
    return [solver.iterations, solver.last_residual.hex(), digest], solution


found = {}
case = Case(36, 22, True, True, seed=1, mass=2e-6)
for n, s in enumerate(solvers):
    for p in preconditioners[n::5] if few else preconditioners:
        found[f"{s} {p}"] = solve(case, (11, 9), 7, solver=s, preconditioner=p)
for n, e in enumerate(exchanges):
    for g in sums[n % len(sums) :: len(sums)] if few else sums:
        found[f"{e} {g}"] = solve(case, (11, 9), 7, exchange=e, sum=g, precision="fp64")
for g in sums[::4] if few else sums:
    found[f"plain {g}"] = solve(case, (11, 9), 7, sum=g, reproducible=False)

# blocks wide enough for strips along the borders: what lies between is computed while messages
# travel
case = Case(96, 140, True, True, seed=2, mass=2e-6)
pairs = [
    ("chrongear", "diagonal"),
    ("pcsi", "diagonal"),
    ("pcg", "evp"),
    ("pipelined", "none"),
    ("s-step", "polynomial"),
    ("pcsi", "factorisation"),
]
for s, p in pairs[::3] if few else pairs:
    block = {1: (96, 140), 2: (48, 140), 3: (96, 47)}[comm.size]
    found[f"strips {s} {p}"] = solve(
        case, block, 3, solver=s, preconditioner=p, exchange="overlapped"
    )

choose = random.Random(20)
for n in range(10 if few else 50):
    kind, sort = (
        choose.choice(topologies),
        choose.choice(["islands", "strait", "one sea", "noise", "all water"]),
    )
    case = Case(
        2 * choose.randint(8, 20),
        choose.randint(10, 26),
        *kind,
        seed=n,
        mass=10 ** choose.uniform(-7, -5),
        compactness=choose.choice([0.0, 0.8]),
    )
    land(case, np.random.default_rng(n), sort)
    options = {
        "solver": choose.choice(solvers),
        "preconditioner": choose.choice(preconditioners),
        "exchange": choose.choice(exchanges),
        "sum": choose.choice(sums),
        "steps": choose.randint(2, 4),
        "precision": choose.choice(["mixed", "fp64"]),
    }
    block = (choose.randint(4, 12), choose.randint(4, 12))
    found[f"{n}: {sort} {case.nx}x{case.ny} {kind} {block} {options}"] = solve(
        case, block, n, **options
    )


def large():
    """More than 64 MB on one rank, where gaps of land are bridged, less on several."""
    problem = barotropic.Problem("1200x800", comm)
    solver = problem.solver(barotropic.Case(tolerance=1e-2))
    x = [np.zeros_like(b) for b in problem.right]
    solver.solve(problem.right, x)
    h = barotropic.halo
    parts = comm.gather(
        [(i0, j0, a[h:-h, h:-h]) for (_, i0, j0, _, _, _), a in zip(problem.blocks, x)]
    )
    if comm.rank:
        return None
    solution = np.zeros_like(problem.b)
    for i0, j0, a in (part for rank in parts for part in rank):
        solution[j0 : j0 + a.shape[0], i0 : i0 + a.shape[1]] = a
    digest = hashlib.sha256(solution.tobytes()).hexdigest()[:16]
    return [solver.iterations, solver.last_residual.hex(), digest]


if not few:
    found["large"] = large()
if comm.rank == 0:
    print(json.dumps(found))
