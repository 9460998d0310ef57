"""Every solver with every preconditioner, exchange and sum: 5 x 5 x 9 x 9 solves of the free
surface on a coarse real ocean, all to the same bits for a solver and preconditioner.

    mpiexec -n 4 python docs/results/solver_product.py --json product-4.json
    mpiexec -n 7 python docs/results/solver_product.py --cross --json product-7.json --against
    product-4.json

Every second point of the tripolar grid of three degrees: 50 x 58, 1869 of them water, periodic and
folded. Prints, for each solver and preconditioner: iterations, sums, halos, how many combinations
of exchange and sum gave the same bits, and what failed. With more ranks than cores a solve is
mostly waiting: count, do not time.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import numpy as np

from fathom.base.mpi import core, world
from fathom.performance.bench.barotropic import Case, Problem, fields, halo


def coarse(grid: str = "3deg", every: int = 2, step: float = 300.0) -> dict:
    """A real mask, coarse enough for thousands of solves: flow only where all four cells around a
    corner are wet. A short step: some ten iterations.
    """
    f = fields(grid)
    thin = {
        name: np.ascontiguousarray(value[::every, ::every])
        for name, value in f.items()
        if isinstance(value, np.ndarray)
    }
    wet = thin["wet"]
    east = np.roll(wet, -1, 1)
    flow = wet & east
    flow[:-1] &= flow[1:]
    flow[-1] = False
    return (
        f
        | thin
        | {
            "depth": np.where(flow, np.maximum(thin["depth"], 100.0), 0.0),
            "area": every**2 * thin["area"],
            "dx": every * thin["dx"],
            "dy": every * thin["dy"],
            "step": step,
        }
    )


def digest(problem: Problem, x: list[np.ndarray]) -> str:
    """Of the whole solution, on any ranks the same."""
    mine = [(b[1], b[2], a[halo:-halo, halo:-halo]) for b, a in zip(problem.blocks, x)]
    whole = np.zeros((problem.ny, problem.nx))
    for part in world.allgather(mine):
        for i0, j0, a in part:
            whole[j0 : j0 + a.shape[0], i0 : i0 + a.shape[1]] = a
    return hashlib.sha256(whole.tobytes()).hexdigest()[:16]


def one(problem: Problem, case: Case) -> dict:
    """A solve: its counts and the bits of its solution, or its error."""
    try:
        solver = problem.solver(case)
        x = [np.zeros_like(b) for b in problem.right]
        solver.solve(problem.right, x)
    except ValueError as error:
        return {"failed": str(error)}
    return {
        "iterations": solver.iterations,
        "sums": solver.reductions,
        "halos": solver.halos,
        "residual": solver.last_residual,
        "bits": digest(problem, x),
    }


def arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--json", type=Path)
    options.add_argument(
        "--against", type=Path, help="what another number of ranks wrote: the bits must be the same"
    )
    options.add_argument("--tolerance", type=float, default=1e-5)
    options.add_argument("--solver", action="append", help="only this one; may be repeated")
    options.add_argument("--precision", default="mixed")
    options.add_argument(
        "--cross",
        action="store_true",
        help=(
            "each exchange with the first sum, each sum with the first exchange, instead of all"
            " with all"
        ),
    )
    return options.parse_args()


def solved(problem: Problem, given: argparse.Namespace) -> dict[str, dict[str, dict]]:
    """{"solver preconditioner": {"exchange sum": what the solve took}}."""
    names = lambda catalogue: [name for name, _ in catalogue]
    exchanges, sums = names(core.transports()), names(core.global_sums())
    ways = [
        (e, g)
        for e in exchanges
        for g in sums
        if not given.cross or e == exchanges[0] or g == sums[0]
    ]
    found = {}
    for s in given.solver or names(core.solvers()):
        for p in names(core.preconditioners()):
            case = Case(
                solver=s, preconditioner=p, tolerance=given.tolerance, precision=given.precision
            )
            results = {f"{e} {g}": one(problem, replace(case, exchange=e, sum=g)) for e, g in ways}
            found[f"{s} {p}"] = results
            if world.rank == 0:
                print(summary(s, p, results), flush=True)
    return found


def write(given: argparse.Namespace, problem: Problem, found: dict[str, dict[str, dict]]) -> None:
    content = {
        "ranks": world.size,
        "wet": int(problem.wet.sum()),
        "tolerance": given.tolerance,
        "precision": given.precision,
        "found": found,
    }
    given.json.write_text(json.dumps(content, indent=1) + "\n")


def several_solutions(found: dict[str, dict], other: dict[str, dict]) -> list[str]:
    """Pairs of solver and preconditioner whose solves do not all give the same bits."""
    bits = {
        name: {r.get("bits") for r in [*results.values(), *other.get(name, {}).values()]}
        for name, results in found.items()
    }
    return [name for name, seen in bits.items() if len(seen) != 1]


def main() -> int:
    given = arguments()
    problem, began = Problem(coarse(), world), time.perf_counter()
    found = solved(problem, given)
    if world.rank:
        return 0
    if given.json:
        write(given, problem, found)
    other = json.loads(given.against.read_text())["found"] if given.against else {}
    solves = [result for results in found.values() for result in results.values()]
    failures = sum("failed" in result for result in solves)
    odd = several_solutions(found, other)
    print(
        f"{len(solves)} solves on {world.size} ranks{' and on the others' if other else ''},"
        f" {failures} failed, {len(found) - len(odd)} of {len(found)} pairs of solver and"
        f" preconditioner have one solution, bit for bit; {time.perf_counter() - began:.0f} s"
    )
    return 1 if failures or odd else 0


def summary(solver: str, preconditioner: str, results: dict[str, dict]) -> str:
    sound = [r for r in results.values() if "failed" not in r]
    (bits, same), *_ = Counter(r["bits"] for r in sound).most_common(1) or [("", 0)]
    taken = next((r for r in sound if r["bits"] == bits), {})
    text = (
        f"{solver:10} {preconditioner:15} {taken.get('iterations', '-'):>5} iterations"
        f" {taken.get('sums', '-'):>5} sums {taken.get('halos', '-'):>5} halos   {same} of"
        f" {len(results)} the same bits"
    )
    failed = [f"{way}: {r['failed'][:100]}" for way, r in results.items() if "failed" in r]
    return text + (f"; {len(failed)} failed, first {failed[0]}" if failed else "")


if __name__ == "__main__":
    sys.exit(main())
