"""The barotropic solver of the 0.1-degree ocean (CGPOP), 226 solves of 124 iterations a day, on
three machines: reference/cgpop_scaling.csv.

    T = 226 x 124 (A (a + b / (1 + (C / A)^4)) + halo + sum of three numbers)

A: points of the blocks of a rank, whole blocks with water of the real mask distributed one to six a
rank, whichever leaves the fewest to the fullest. a: a point in cache; b: its additional cost from
memory; C: points that fit into the cache. All other parameters are those of the machine.

Halo and sum are the adapter's: it takes the messages of all cores of its node one after another
(`network.gap`). In the halo these are those to ranks of other nodes, in the sum one of each core in
each stage. The gaps of the two Cray machines are fitted, to all five curves of both at once: each
curve has its b and C; a of PGI's compiler is in proportion to the cycle, since both have the same
kind of core.

The same solver in two programs differs by some 10 % on the same cores: a job is measured once,
while other jobs run. So errors beyond 10 % count in proportion, not by their squares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from fathom.performance.scaling import noise, sums
from fathom.performance.scaling.fit import Fit, fit
from fathom.performance.scaling.machine import Machine, load
from fathom.performance.scaling.network import entering, neighbours_away, overhead, wire
from fathom.performance.scaling.reference import table

six = ("XE6/POP/PGI", "XT5/POP", "XE6/CGPOP/PGI", "XE6/CGPOP/Cray", "XT5/CGPOP", "BGL/CGPOP")
iterations = 226 * 124
neighbours, halo = 8, 2
machines = {"XE6": "cray-xe6", "XT5": "cray-xt5", "BGL": "blue-gene-l"}
crays = {"XE6": six[0:1] + six[2:4], "XT5": six[1:2] + six[4:5]}  # machine: its curves
scatter = 0.1  # of single jobs (cgpop_terms.alike)
starts = {"a": 4e-8, "b": 9e-8, "C": 8e3}
gaps = {"XE6": 5e-7, "XT5": 3e-6}  # first guesses


@cache
def points(ranks: int) -> tuple[int, int]:
    """Returns (points of the fullest rank, height of a block)."""
    sizes = [
        tuple(int(row[key]) for key in ("width", "height", "kept"))
        for row in table("blocks_0.1deg.csv")
    ]
    return min(
        (width * height * -(-kept // ranks), height)
        for width, height, kept in sizes
        if -(-kept // ranks) <= 6
    )


def series(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns (cores, seconds a simulated day) of a curve."""
    rows = [
        (int(r["cores"]), float(r["seconds_per_simulated_day"]))
        for r in table("cgpop_scaling.csv")
        if r["series"] == name
    ]
    return np.array([c for c, _ in rows]), np.array([s for _, s in rows])


def iteration(
    machine: Machine, program: Mapping[str, float], ranks: int, way: str = "allreduce"
) -> dict[str, float]:
    """Returns seconds of one, by what is done."""
    a_rank, _ = points(ranks)
    calc = (
        a_rank
        * (program["a"] + program["b"] / (1 + (program["C"] / a_rank) ** 4))
        * (1 + noise.dilution(machine))
    )
    side, cores = np.sqrt(a_rank), int(machine["node.cores"])
    away = neighbours_away(cores)
    size = 8 * halo * (4 * side + 4 * halo) / away  # of a message that leaves the node, the mean
    exchange = (
        2 * neighbours * overhead(machine)
        + float(wire(machine, 1))
        + away * float(entering(machine, 1, size, cores))
    )
    total = sums.seconds(machine, ranks, 3, way)
    late = noise.excess(machine, calc + exchange + total, ranks)
    return {"calc": calc, "halo": exchange, "sum": total, "waiting": late}


Iteration = Callable[[Machine, Mapping[str, float], int, str], dict[str, float]]


def day(
    machine: Machine,
    program: Mapping[str, float],
    ranks: int,
    way: str = "allreduce",
    priced: Iteration = iteration,
) -> float:
    """Returns seconds of a simulated day. priced: an iteration, by what is done."""
    return iterations * sum(priced(machine, program, ranks, way).values())


@cache
def together(most: float = np.inf, priced: Iteration = iteration, hold_out: bool = False) -> Fit:
    """Returns the fit of all curves of both Cray machines up to `most` cores: "work", the cost of a
    point in cache in multiply-adds at full speed; "work NAME" of another compiler; "b NAME", "C
    NAME" of each curve; "gap XT5" of each machine.
    """
    curves = {name: series(name) for names in crays.values() for name in names}
    ranks = {name: cores[cores <= most] for name, (cores, _) in curves.items()}
    seconds = [s for cores, days in curves.values() for s in days[cores <= most]]

    def model(values: Mapping[str, float]) -> list[float]:
        both = [(ranks[name], *_of(name, values)) for name in curves]
        return [
            day(machine, program, int(p), priced=priced)
            for those, machine, program in both
            for p in those
        ]

    start = {f"gap {key}": guess for key, guess in gaps.items()}
    for name in curves:
        start |= {_work(name): 300.0, f"b {name}": starts["b"], f"C {name}": starts["C"]}
    return fit(model, seconds, start, hold_out, scatter=scatter)


def _work(name: str) -> str:
    return f"work {name}" if name.endswith("/Cray") else "work"


def _of(name: str, values: Mapping[str, float]) -> tuple[Machine, dict[str, float]]:
    """Returns (machine, program) of a curve, from the values of `together`."""
    key = name.partition("/")[0]
    machine = load(machines[key]).but({"network.gap": values[f"gap {key}"]})
    a = values[_work(name)] / machine["node.multiply_add"]
    return machine, {"a": a, "b": values[f"b {name}"], "C": values[f"C {name}"]}


@cache
def fitted(
    name: str, hold_out: bool = True, most: float = np.inf, priced: Iteration = iteration
) -> Fit:
    """Returns a, b and C of a curve up to `most` cores, on the machine as in its file."""
    at = load(machines[name.partition("/")[0]])
    cores, seconds = series(name)
    seconds, cores = seconds[cores <= most], cores[cores <= most]

    def model(values: Any) -> Any:
        return [day(at, values, int(c), priced=priced) for c in cores]

    return fit(model, list(seconds), starts, hold_out)


def known(
    name: str, most: float = np.inf, priced: Iteration = iteration
) -> tuple[Machine, dict[str, float]]:
    """Returns (machine, program) of a curve from the points up to `most` cores."""
    key = name.partition("/")[0]
    if key in crays:
        return _of(name, together(most, priced).values)
    return load(machines[key]), fitted(name, False, most, priced).values


def beyond(name: str, most: int, priced: Iteration = iteration) -> tuple[np.ndarray, np.ndarray]:
    """Returns (cores, predicted over measured less one) of the points beyond `most` cores, from
    those up to `most` alone.
    """
    at = known(name, most, priced)
    cores, seconds = series(name)
    far = cores > most
    found = np.array([day(*at, int(c), priced=priced) for c in cores[far]])
    return cores[far], found / seconds[far] - 1


def straight(name: str, most: int, last: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Returns the same as `beyond` of no model: a straight line in logarithms through the last
    points up to `most` cores.
    """
    cores, seconds = (np.log(values) for values in series(name))
    order = np.argsort(cores)
    cores, seconds = cores[order], seconds[order]
    known = np.flatnonzero(cores <= np.log(most))[-last:]
    slope, level = np.polyfit(cores[known], seconds[known], 1)
    far = cores > np.log(most)
    found = slope * cores[far] + level - seconds[far]
    return np.round(np.exp(cores[far])).astype(int), np.expm1(found)


def optimum(
    machine: Machine, program: Mapping[str, float], way: str = "allreduce", most: int = 32768
) -> int:
    """Returns ranks of the shortest day."""
    ranks = np.unique(np.round(np.geomspace(512, most, 49)).astype(int))
    return int(ranks[np.argmin([day(machine, program, int(p), way) for p in ranks])])
