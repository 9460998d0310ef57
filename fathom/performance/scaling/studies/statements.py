"""Statements of the studies on orders and crossings, compared with the engine: each statement with
the figures of the engine, and whether they agree. docs/results/platforms.md lists them all.

A figure of a study that is an estimate of ours, read off a picture, is marked "(E)". Only where
the label is "predicted" is agreement a prediction:

    fitted      parameters were fitted to the statement, or to curves from which it was read
    assumed     a number or a term that decides it is an estimate of ours, is given by the study, or
                was chosen when the statement was known
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from fathom.performance.scaling import load, ranges, sums
from fathom.performance.scaling.clocks import Clocks
from fathom.performance.scaling.network import Network, shape_of
from fathom.performance.scaling.studies import (
    arome,
    cgpop,
    few_points,
    k_computer,
    pop_phases,
    pop_x1,
    sub_space_io,
    unified_model,
)

Label = Literal["fitted", "assumed", "predicted"]


class Found(NamedTuple):
    holds: bool
    figures: str


class Statement(NamedTuple):
    study: str
    text: str
    label: Label
    check: Callable[[], Found]


statements: list[Statement] = []
pop = "POP on the X1"
solver = "0.1° solver"
files = "I/O sets"
models = "AROME"
unified = "Unified Model"


def says(
    study: str, text: str, label: Label = "predicted"
) -> Callable[[Callable[[], Found]], Callable[[], Found]]:
    """Returns a statement of a study, checked by the function below it."""

    def keep(check: Callable[[], Found]) -> Callable[[], Found]:
        statements.append(Statement(study, text, label, check))
        return check

    return keep


# ---- POP on the Cray X1 and other platforms ------------------------------------------------------


@cache
def _x1() -> dict[str, float]:
    return pop_x1.fitted(False).values


def _years(ranks: int, variant: str = "mpi", name: str = "cray-x1") -> float:
    return pop_x1.years_a_day(*pop_x1.on_platform(name, _x1()), ranks, variant)


def _ratio(name: str, ranks: int, variant: str = "mpi") -> float:
    """Returns the ratio of the barotropic phase to the baroclinic one."""
    t = pop_x1.day(*pop_x1.on_platform(name, _x1()), ranks, variant)
    return t.mean("barotropic") / t.mean("baroclinic")


@says(pop, "by messages both phases take as long between 64 and 96 processors (E)", label="fitted")
def _crossing_by_messages() -> Found:
    at = pop_x1.crossing(load("cray-x1"), _x1())
    return Found(64 <= at <= 96, f"{at:.0f}")


@says(
    pop,
    "by one-sided stores the baroclinic phase is the longer one up to 192 processors (E)",
    label="fitted",
)
def _crossing_by_stores() -> Found:
    at = pop_x1.crossing(load("cray-x1"), _x1(), "co-arrays")
    return Found(at > 192, f"equal at {at:.0f}")


@says(pop, "by messages 256 processors are 1.28 times as fast as 96 (E)", label="fitted")
def _gain_of_messages() -> Found:
    gain = _years(256) / _years(96)
    return Found(abs(gain - 134 / 104) < 0.05, f"{gain:.2f}")


@says(pop, "stores make 128 processors 1.68 times as fast (E)", label="fitted")
def _gain_of_stores() -> Found:
    gain = _years(128, "co-arrays") / _years(128)
    return Found(abs(gain - 1.68) < 0.08, f"{gain:.2f}")


@says(pop, "of all ways to sum the tree is the fastest from 96 processors on")
def _order_of_sums() -> Found:
    machine, names = load("cray-x1"), ("tree", "sentinel", "flags", "barrier")
    us = {
        p: [1e6 * sums.seconds(machine, p, 1, f"one-sided-{name}") for name in names]
        for p in (96, 128, 256)
    }
    holds = all(found[0] < min(found[1:]) and found[1] < min(found[2:]) for found in us.values())
    text = ", ".join(f"{name} {t:.0f}" for name, t in zip(names, us[128]))
    return Found(holds, f"128 processors: {text} µs")


@says(pop, "the tree grows as the logarithm of the processors, the master's sums as their number")
def _growth_of_sums() -> Found:
    machine = load("cray-x1")
    tree, flags = (
        sums.seconds(machine, 256, 1, way) / sums.seconds(machine, 64, 1, way)
        for way in ("one-sided-tree", "one-sided-flags")
    )
    return Found(tree < 1.5 and flags > 3, f"64 → 256: {tree:.2f} and {flags:.2f} times as long")


@says(
    pop,
    "interrupts that do not come at once cost more than a tenth on 128 processors",
    label="fitted",
)
def _interrupts() -> Found:
    gain = pop_x1.at_once(load("cray-x1"), _x1())
    return Found(gain > 1.1, f"{gain:.2f} times as fast at once")


@says(pop, "derived datatypes cost more than packed messages", label="assumed")
def _datatypes() -> Found:
    machine = load("cray-x1")
    source, target, _ = pop_x1.neighbours(8, 16)

    def seconds(way: str) -> float:
        t = Clocks(machine, 128)
        t.exchange(t.messages(source, target, np.full(len(source), 640.0), way))
        return t.elapsed

    more = seconds("datatypes") / seconds("packed")
    return Found(more > 1, f"{more:.2f} times as long; their part is an estimate")


@says(pop, "the Earth Simulator is ahead on few processors, the X1 on many", label="assumed")
def _earth_simulator() -> Found:
    few, many = (_years(p, name="earth-simulator") / _years(p) for p in (16, 128))
    return Found(few > 1 > many, f"{few:.2f} times as fast on 16, {many:.2f} on 128")


@says(pop, "the Earth Simulator is bound by messages at 128 processors")
def _bound_by_messages() -> Found:
    ratio = _ratio("earth-simulator", 128)
    return Found(ratio > 1, f"barotropic {ratio:.1f} times the baroclinic phase")


@says(pop, "the Altix is not yet bound by messages at 128 processors")
def _altix() -> Found:
    ratio = _ratio("sgi-altix", 128)
    return Found(ratio < 1, f"barotropic {ratio:.2f} of the baroclinic phase")


@says(pop, "one-sided messages gain nothing on the Altix")
def _stores_on_altix() -> Found:
    gain = _years(128, "co-arrays", "sgi-altix") / _years(128, name="sgi-altix")
    return Found(gain < 1.1, f"{gain:.2f} times as fast on 128")


@says(pop, "both vector machines are ahead of IBM SP and Altix on as many processors")
def _vector_machines() -> Found:
    years = {name: _years(64, name=name) for name in pop_x1.platforms}
    vector = min(years[n] for n in ("cray-x1", "earth-simulator"))
    scalar = max(years[n] for n in ("ibm-sp", "sgi-altix"))
    return Found(vector > scalar, f"64 processors: at least {vector / scalar:.1f} times as fast")


# ---- the solver at 0.1 degree --------------------------------------------------------------------


def _day(name: str, cores: int) -> float:
    return cgpop.day(*cgpop.known(name), cores)


@says(solver, "the XE6 is flat near 7000 cores, at some 6 s a day", label="assumed")
def _flat_xe6() -> Found:
    days = [_day("XE6/POP/PGI", p) for p in (5000, 7000, 8000)]
    return Found(
        max(days) < 1.1 * min(days) and abs(days[1] - 6) < 1,
        ", ".join(f"{d:.1f}" for d in days) + " s on 5000, 7000, 8000",
    )


@says(solver, "the XT5 gets slower between 2800 and 4300 cores, the XE6 faster", label="fitted")
def _turning() -> Found:
    xt5, xe6 = (_day(name, 4328) / _day(name, 2830) for name in ("XT5/POP", "XE6/POP/PGI"))
    return Found(xt5 > 1 > xe6, f"{xt5:.2f} and {xe6:.2f} times as long")


@says(solver, "the XE6 is faster than the XT5 on any number of cores", label="fitted")
def _xe6_and_xt5() -> Found:
    parts = [_day("XE6/POP/PGI", p) / _day("XT5/POP", p) for p in (96, 384, 767, 1319, 2830, 4328)]
    return Found(max(parts) < 1, f"{min(parts):.2f} to {max(parts):.2f} of its time")


@says(
    solver,
    "Blue Gene/L with sums of its network passes the XT5 between 1400 and 2900 cores",
    label="fitted",
)
def _blue_gene() -> Found:
    cores = np.arange(900, 4400, 50)
    slower = [_day("BGL/CGPOP", int(p)) > _day("XT5/CGPOP", int(p)) for p in cores]
    at = int(cores[slower.index(False)]) if False in slower else 0
    return Found(1400 <= at <= 2900, f"at {at}")


@says(solver, "with sums by the network the best number of cores is beyond 15 000")
def _hardware_sums() -> Found:
    most = 32768
    at = cgpop.optimum(*cgpop.known("BGL/CGPOP"), most=most)
    return Found(at > 15000, f"≥ {at}, the most that was tried" if at == most else f"{at}")


@says(
    solver,
    "from 384 to 1319 cores both Cray machines gain more than they have more cores",
    label="fitted",
)
def _more_than_cores() -> Found:
    gains = [_day(name, 384) / _day(name, 1319) for name in ("XE6/CGPOP/Cray", "XT5/CGPOP")]
    return Found(min(gains) > 1319 / 384, f"{gains[0]:.1f} and {gains[1]:.1f} for 3.4")


@says(
    solver,
    "the barotropic share passes the baroclinic one between 3800 and 5500 cores (XT5)",
    label="fitted",
)
def _phases_cross() -> Found:
    cores = range(2000, 6000, 50)
    found = pop_phases.shares(pop_phases.fitted(), cores)
    at = cores[int(np.argmax(found[:, 1] > found[:, 0]))]
    return Found(3782 <= at <= 5521, f"at {at}")


@says(
    solver,
    "the baroclinic phase is three quarters of the time up to 768 cores (XT5)",
    label="fitted",
)
def _phases_of_few() -> Found:
    part = pop_phases.shares(pop_phases.fitted(), [96, 192, 384, 768])[:, 0]
    return Found(abs(part - 0.78).max() < 0.1, f"{part.min():.2f} to {part.max():.2f}")


# ---- K -------------------------------------------------------------------------------------------


@says(
    "K",
    "sums by the network, then halos by RDMA, then threads: each gains, 1.84 in all",
    label="fitted",
)
def _gains_on_k() -> Found:
    gains = [k_computer.gains()[step] for step in k_computer.steps]
    holds = all(a < b for a, b in itertools.pairwise(gains)) and abs(gains[-1] - 1.84) <= 0.05
    return Found(holds, ", ".join(f"{g:.2f}" for g in gains[1:]))


@says("K", "a faster halo alone makes the sum faster")
def _waiting_moves() -> Found:
    base, halo = (k_computer.iteration(s).mean("sum") for s in ("baseline", "halo only"))
    return Found(halo < base, f"{1e6 * base:.1f} → {1e6 * halo:.1f} µs")


@says("K", "the time hardly changes beyond 7545 nodes")
def _flat_beyond() -> Found:
    now, twice = (k_computer.iteration("baseline", shape=None, cut=n).elapsed for n in (1, 2))
    return Found(abs(twice / now - 1) < 0.1, f"{twice / now:.2f} of it on twice as many")


@says("K", "flat MPI, a rank on each core, is about as fast as threads", label="assumed")
def _flat_mpi() -> Found:
    machine = load("k-computer")
    band = ranges.Range.spanned(
        [k_computer.flat(at) for at in (machine, machine.at(0, -1), machine.at(0, 1))]
    )
    return Found(abs(band.best - 1) < 0.1, f"{ranges.text(band, 3)} times as long")


@says("K", "with eight threads computing takes 0.43 to 0.51 of its time", "assumed")
def _eight_threads() -> Found:
    band = k_computer.computing_of_threads()
    return Found(0.43 <= band.low and band.high <= 0.51, ranges.text(band))


@says("K", "jobs of more dimensions have fewer hops")
def _shapes() -> Found:
    hops = {
        nodes: [Network("torus", nodes, shape_of(nodes, n)).mean_hops for n in (3, 2, 1)]
        for nodes in (64, 4096)
    }
    holds = all(a < b for each in hops.values() for a, b in itertools.pairwise(each))
    text = "; ".join(f"{n}: " + ", ".join(f"{h:.1f}" for h in each) for n, each in hops.items())
    return Found(holds, text)


@says("K", "7600 nodes are 19 × 20 × 20")
def _shape_of_job() -> Found:
    shape = shape_of(7600, 3)
    return Found(shape == (19, 20, 20), " × ".join(map(str, shape)))


# ---- I/O sets on the XE6 -------------------------------------------------------------------------


@cache
def _sets() -> dict[str, float]:
    return sub_space_io.fitted()[0]


@says(files, "more sets are never slower, and four miss no output on 1152 tasks", label="fitted")
def _more_sets() -> Found:
    seconds = [sub_space_io.elapsed(_sets(), 1152, n) for n in (1, 2, 3, 4, 8)]
    missed = sub_space_io.forecast(_sets(), 1152, 4)["fallback"]
    holds = all(a >= b for a, b in itertools.pairwise(seconds)) and missed == 0
    return Found(holds, ", ".join(f"{s:.0f}" for s in seconds) + " s with 1, 2, 3, 4, 8")


@says(files, "the set that is free first gains at most 2 % over the next in turn")
def _free_first() -> Found:
    turn, free = (
        sub_space_io.forecast(_sets(), 1152, 2, pick=pick)["elapsed"] for pick in ("next", "fewest")
    )
    return Found(free <= turn <= 1.02 * free, f"{100 * (turn / free - 1):.1f} %")


@says(
    files,
    "an output by a set costs the tasks a half or less of one that they write, more with tasks",
    label="fitted",
)
def _cost_of_output() -> Found:
    stalls = [_sets()["s"] * tasks**0.5 for tasks in (128, 1152)]
    return Found(
        1 <= stalls[0] < stalls[1] <= 4 < _sets()["g"],
        f"{stalls[0]:.1f} to {stalls[1]:.1f} s for {_sets()['g']:.1f}",
    )


# ---- AROME and ARPEGE ----------------------------------------------------------------------------


@says(
    models,
    "SURFEX read by all tasks takes longer with more tasks, read once it does not",
    label="fitted",
)
def _surfex() -> Found:
    machine = load("nec-sx8r")
    seconds = [arome.read_by_all(machine, n) for n in (16, 32, 64)]
    once = arome.read_once(machine)
    holds = seconds[0] < seconds[1] < seconds[2] and once < seconds[0] / 7
    return Found(holds, ", ".join(f"{s:.0f}" for s in seconds) + f"; {once:.0f} s")


@says(models, "30 MB of coefficients in binary are read in 2 s, 60 MB of text in 18")
def _coefficients() -> Found:
    _, binary = arome.coefficients(load("nec-sx8r"))
    return Found(abs(binary / 2 - 1) < 0.15, f"{binary:.1f} s at SURFEX's rate; the 18 s are given")


@says(models, "square blocks and barriers before messages make AROME faster", label="fitted")
def _square() -> Found:
    _, _, _, square, rows, synchronised = arome.forecast_fit(False).predicted
    return Found(
        square < 0.95 and rows < 1 and synchronised < 0.95,
        f"{100 * (square - 1):.1f} and {100 * (synchronised - 1):.1f} %",
    )


@says(
    models,
    "lengths of 256 k cost far more than 256 k − 1, those at least as much as 256 k − 2",
    label="assumed",
)
def _banks() -> Found:
    vector = arome.vector_machine(load("nec-sx8r"))
    cycles = [[vector.cycles(256 * k - less) for less in (0, 1, 2)] for k in range(6, 13)]
    holds = all(a > 3 * b and b >= c for a, b, c in cycles)
    bands = [ranges.text(arome.bank_cycles(2048 - less)) for less in (0, 1, 2)]
    return Found(holds, "2048: " + ", ".join(bands) + " cycles")


@says(
    models,
    "a tenth of the time in barriers is idle, 62 % of that in messages; of fc6h almost nothing",
    label="assumed",
)
def _idle() -> Found:
    found = arome.idle(arome.forecast_fit(False).values)
    low, best, high = found["messages"]
    holds = found["barriers"].best <= 0.2 and 0.5 <= best <= 0.75 and found["fc6h"].best < 0.05
    text = f"{found['barriers'].best:.3f}; {best:.2f} ({low:.2f} to {high:.2f})"
    return Found(holds, f"{text}; {found['fc6h'].best:.3f}")


@says(models, "T358 with 46 levels on 12 processors is T538 with 60 on 16 with twice the power")
def _twice_the_power() -> Found:
    cases = ((358, 46, 12), (538, 60, 16))
    small, large = (few_points.points_of(t) * levels / p for t, levels, p in cases)
    return Found(1.8 < large / small < 2.4, f"{large / small:.2f} times the points of a processor")


@says(models, "points of a processor become too few for vectors, at T48 before T107")
def _few_points() -> Found:
    vector = arome.vector_machine(load("nec-sx8r"))
    of = (few_points.Minimisation(few_points.points_of(t)) for t in (48, 107, 538))
    dear = [one.crossing(vector) for one in of]
    text = ", ".join(map(str, dear))
    return Found(
        dear[0] < 32 < dear[1] < dear[2],
        f"5 % more expensive from {text} processors on at T48, T107, T538",
    )


# ---- the Unified Model ---------------------------------------------------------------------------


@says(
    unified,
    "departure points near the poles cost the slowest processor 1.6 times the fastest",
    label="fitted",
)
def _departure_points() -> Found:
    most, least = unified_model.departure_fit().predicted[2:4]
    return Found(abs(most / least - 1.606) < 0.02, f"{most / least:.2f}")


@says(
    unified, "1000 words: got and sent one by one, then sent and got in one message", label="fitted"
)
def _pairs() -> Found:
    ms = 1e3 * np.asarray(unified_model.pairs_fit().predicted)
    return Found(bool((np.diff(ms) < 0).all()), ", ".join(f"{t:.1f}" for t in ms) + " ms")


def found() -> list[tuple[Statement, Found]]:
    """Returns all statements with what their check found."""
    return [(statement, statement.check()) for statement in statements]
