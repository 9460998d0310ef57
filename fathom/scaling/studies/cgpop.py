"""The barotropic solver of the 0.1-degree ocean (CGPOP), 226 solves of 124 iterations a day, on
three machines: reference/cgpop_scaling.csv.

    T = 226 x 124 (A (a + b / (1 + (C / A)^4)) + halo + sum of three numbers + late)

A: points of the blocks of a rank, whole blocks with water of the real mask distributed one to six a
rank, whichever leaves the fewest to the fullest. a: a point in cache; b: its additional cost from
memory; C: points that fit into the cache. late: of the most disturbed rank (noise.py), by other
jobs, its place or the system: a remainder, not a measurement of noise. All other parameters are
those of the machine.

Disturbances of both Cray machines are fitted to the solver in POP, to both curves at once: the two
have the same kind of core and of system, so a is in proportion to the cycle, and how often a rank
is disturbed is one number. Above some 10 a second, `a` and the disturbances can stand for each
other within one curve.
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
in_pop = {"XE6": "XE6/POP/PGI", "XT5": "XT5/POP"}  # to which disturbances are fitted
common = ("work", "frequency")  # of both machines. work: a, in multiply-adds at full speed
starts = {"a": 4e-8, "b": 9e-8, "C": 8e3}
often = {1.0: 1e-3, 256.0: 2e-4}  # first guesses: disturbances a second, the length of each


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


@cache
def together(
    most: float = np.inf,
    priced: Iteration = iteration,
    shared: tuple[str, ...] = common,
    frequency: float = 0.0,
    hold_out: bool = False,
) -> Fit:
    """Of both curves of the solver in POP up to `most` cores: "work", "frequency", and of each
    machine "b XT5", "C XT5", "duration XT5". shared: parameters that are common to the machines.
    frequency: given, not fitted; 0: fitted.
    """
    curves = {key: series(name) for key, name in in_pop.items()}
    ranks = {key: cores[cores <= most] for key, (cores, _) in curves.items()}
    seconds = [s for cores, days in curves.values() for s in days[cores <= most]]
    given = {"frequency": frequency} if frequency else {}

    def model(values: Mapping[str, float]) -> list[float]:
        both = [(ranks[key], *_in_pop(key, {**values, **given})) for key in in_pop]
        return [
            day(machine, program, int(p), priced=priced)
            for those, machine, program in both
            for p in those
        ]

    def start(guess: float) -> dict[str, float]:
        program = {"work": 300.0, "b": starts["b"], "C": starts["C"]}
        first = program | {"duration": often[guess], "frequency": guess}
        return {
            name if name in shared else f"{name} {key}": value
            for name, value in first.items()
            for key in in_pop
            if name not in given
        }

    return fit(model, seconds, [start(guess) for guess in often], hold_out)


def _in_pop(key: str, values: Mapping[str, float]) -> tuple[Machine, dict[str, float]]:
    """(machine, program) of the values of `together`."""
    own = lambda name: values[name] if name in values else values[f"{name} {key}"]
    machine = load(machines[key]).but(
        {f"disturbance.{part}": own(part) for part in ("frequency", "duration")}
    )
    a = own("work") / machine["node.multiply_add"]
    return machine, {"a": a, "b": own("b"), "C": own("C")}


def fitted(
    name: str,
    machine: Machine | None = None,
    hold_out: bool = True,
    most: float = np.inf,
    priced: Iteration = iteration,
) -> Fit:
    """a, b and C of a curve up to `most` cores. machine: None: as in its file."""
    at = machine or load(machines[name.partition("/")[0]])
    cores, seconds = series(name)
    seconds, cores = seconds[cores <= most], cores[cores <= most]
    model = lambda values: [day(at, values, int(c), priced=priced) for c in cores]
    return fit(model, list(seconds), starts, hold_out)


@cache
def known(
    name: str,
    most: float = np.inf,
    priced: Iteration = iteration,
    shared: tuple[str, ...] = common,
) -> tuple[Machine, dict[str, float]]:
    """(machine, program) of a curve from the points up to `most` cores."""
    key = name.partition("/")[0]
    if key not in in_pop:
        machine = load(machines[key])
    else:
        machine, program = _in_pop(key, together(most, priced, shared).values)
        if name == in_pop[key]:
            return machine, program
    return machine, fitted(name, machine, False, most, priced).values


def beyond(
    name: str,
    most: int,
    priced: Iteration = iteration,
    shared: tuple[str, ...] = common,
) -> tuple[np.ndarray, np.ndarray]:
    """(cores, predicted over measured less one) of the points beyond `most` cores, from those up to
    `most` alone.
    """
    at = known(name, most, priced, shared)
    cores, seconds = series(name)
    far = cores > most
    found = np.array([day(*at, int(c), priced=priced) for c in cores[far]])
    return cores[far], found / seconds[far] - 1


def frequencies(far: int) -> dict[float, dict[str, float]]:
    """By disturbances a second, given, all else fitted: the sum of squared errors (logarithms) of
    both curves of the solver in POP, and the seconds of a day on `far` cores of each machine.
    """
    found = {}
    for frequency in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 32.0, 128.0, 256.0):
        one = together(frequency=frequency)
        values = one.values | {"frequency": frequency}
        found[frequency] = {"squares": float(np.sum(np.log1p(one.errors) ** 2))} | {
            key: day(*_in_pop(key, values), far) for key in in_pop
        }
    return found


def optimum(
    machine: Machine, program: Mapping[str, float], way: str = "allreduce", most: int = 32768
) -> int:
    """Ranks of the shortest day."""
    ranks = np.unique(np.round(np.geomspace(512, most, 49)).astype(int))
    return int(ranks[np.argmin([day(machine, program, int(p), way) for p in ranks])])
