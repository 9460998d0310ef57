"""The barotropic solver of the 0.1-degree ocean (CGPOP), 226 solves of 124 iterations a day, on
three machines: reference/cgpop_scaling.csv.

    T = 226 x 124 (A (a + b / (1 + (C / A)^4)) + halo + sum of three numbers + late)

A: points of the blocks of a rank, whole blocks with water of the real mask distributed one to six a
rank, whichever leaves the fewest to the fullest. a: a point in cache; b: its additional cost from
memory; C: points that fit into the cache. late: of the most disturbed rank (noise.py), by other
jobs, its place or the system: a remainder, not a measurement of noise. All other parameters are
those of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from fathom.scaling import noise, sums
from fathom.scaling.fit import Fit, fit
from fathom.scaling.machine import Machine, load
from fathom.scaling.network import overhead, seconds_per_byte, wire
from fathom.scaling.reference import table

six = ("XE6/POP/PGI", "XT5/POP", "XE6/CGPOP/PGI", "XE6/CGPOP/Cray", "XT5/CGPOP", "BGL/CGPOP")
iterations = 226 * 124
neighbours, halo = 8, 2
machines = {"XE6": "cray-xe6", "XT5": "cray-xt5", "BGL": "blue-gene-l"}
of_machine = {
    "stage": "sum.stage",
    "frequency": "disturbance.frequency",
    "duration": "disturbance.duration",
}  # parameters in the machine's file
starts = {"a": 4e-8, "b": 9e-8, "C": 8e3}


@cache
def points(ranks: int) -> tuple[int, int]:
    """(points of the fullest rank, height of a block)."""
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
    """(cores, seconds a simulated day) of a curve."""
    rows = [
        (int(r["cores"]), float(r["seconds_per_simulated_day"]))
        for r in table("cgpop_scaling.csv")
        if r["series"] == name
    ]
    return np.array([c for c, _ in rows]), np.array([s for _, s in rows])


def iteration(
    machine: Machine, program: Mapping[str, float], ranks: int, way: str = "allreduce"
) -> dict[str, float]:
    """Seconds of one, by what is done."""
    a_rank, _ = points(ranks)
    calc = (
        a_rank
        * (program["a"] + program["b"] / (1 + (program["C"] / a_rank) ** 4))
        * (1 + noise.dilution(machine))
    )
    side = np.sqrt(a_rank)
    moved = 8 * halo * (4 * side + 4 * halo)
    exchange = (
        2 * neighbours * overhead(machine)
        + float(wire(machine, 1))
        + moved * float(seconds_per_byte(machine, 1, machine["node.cores"]))
    )
    total = sums.seconds(machine, ranks, 3, way)
    return {
        "calc": calc,
        "halo": exchange,
        "sum": total,
        "waiting": noise.excess(machine, calc + exchange + total, ranks),
    }


Iteration = Callable[[Machine, Mapping[str, float], int, str], dict[str, float]]


def day(
    machine: Machine,
    program: Mapping[str, float],
    ranks: int,
    way: str = "allreduce",
    priced: Iteration = iteration,
) -> float:
    """Seconds of a simulated day. priced: an iteration, by what is done."""
    return iterations * sum(priced(machine, program, ranks, way).values())


in_pop = {"XE6": "XE6/POP/PGI", "XT5": "XT5/POP"}  # to which the numbers of the machine are fitted


def fitted(name: str, with_machine: bool, hold_out: bool = True, most: float = np.inf) -> Fit:
    """Of a curve up to `most` cores: the program's parameters, and where asked those of the
    machine's file that are marked as fitted.
    """
    return _fitted(name, load(machines[name.partition("/")[0]]), with_machine, hold_out, most)


def _fitted(
    name: str,
    machine: Machine,
    with_machine: bool,
    hold_out: bool,
    most: float,
    priced: Iteration = iteration,
) -> Fit:
    cores, seconds = series(name)
    seconds, cores = seconds[cores <= most], cores[cores <= most]
    own = (
        {key: machine[where] for key, where in of_machine.items() if where in machine.fitted}
        if with_machine
        else {}
    )

    def model(values: Mapping[str, float]) -> list[float]:
        at = _with(machine, {key: values[key] for key in own})
        return [day(at, values, int(c), priced=priced) for c in cores]

    return fit(model, list(seconds), {**starts, **own}, hold_out)


def _with(machine: Machine, values: Mapping[str, float]) -> Machine:
    """The machine with its fitted values."""
    own = {of_machine[key]: value for key, value in values.items() if key in of_machine}
    return Machine(machine.name, {**machine.values, **own}, machine.sources)


def beyond(name: str, most: int, priced: Iteration = iteration) -> tuple[np.ndarray, np.ndarray]:
    """(cores, predicted over measured less one) of the points beyond `most` cores, from those up to
    `most` alone: the fitted values of the machine are those of the solver in POP, also up to
    `most`.
    """
    key = name.partition("/")[0]
    machine = load(machines[key])
    if key in in_pop:
        own = _fitted(in_pop[key], machine, True, False, most, priced)
        machine = _with(machine, own.values)
    values = _fitted(name, machine, False, False, most, priced).values
    cores, seconds = series(name)
    far = cores > most
    found = np.array([day(machine, values, int(c), priced=priced) for c in cores[far]])
    return cores[far], found / seconds[far] - 1


def frequencies(key: str, far: int) -> dict[float, dict[str, float]]:
    """By disturbances a second [s-1] of a machine ("XT5"): the sum of squared errors (logarithms)
    of all its curves, each fitted with it, and the seconds of a day of the solver in POP on `far`
    cores.
    """
    given, found = load(machines[key]), {}
    lost = given["disturbance.frequency"] * given["disturbance.duration"]
    for frequency in (0.5, 2.0, 8.0, 32.0, 64.0, 128.0):
        start = _with(given, {"frequency": frequency, "duration": lost / frequency})
        own = _fitted(in_pop[key], start, True, False, np.inf)
        machine = _with(start, own.values)
        errors = {
            name: np.log1p(_fitted(name, machine, False, False, np.inf).errors)
            for name in six
            if name.startswith(key + "/")
        }
        found[frequency] = {
            "squares": float(sum(np.sum(e**2) for e in errors.values())),
            "seconds": float(day(machine, own.values, far)),
        }
    return found


def optimum(
    machine: Machine, program: Mapping[str, float], way: str = "allreduce", most: int = 32768
) -> int:
    """Ranks of the shortest day."""
    ranks = np.unique(np.round(np.geomspace(512, most, 49)).astype(int))
    return int(ranks[np.argmin([day(machine, program, int(p), way) for p in ranks])])
