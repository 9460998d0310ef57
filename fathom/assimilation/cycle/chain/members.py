"""The members of a chain: an ensemble of forecasts with all physics, whose spread is the error of
the background. Each has data with other errors,

    d_i = d + R^1/2 xi_i - H' (x_i - x),    x_a,i = x_i + K d_i

with d and H' of the control forecast and K of the statistics (Isaksen et al. 2010). The first ones
are the first background and draws of B; a share of B is drawn again for each after each window.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.balance import AirBackground
from fathom.assimilation.cost import Cost
from fathom.assimilation.cycle.chain import forecasts, models
from fathom.assimilation.cycle.chain.minimisation import (
    Analyser,
    Increments,
    increment_on,
    vector_on,
)
from fathom.assimilation.cycle.chain.models import State
from fathom.assimilation.cycle.chain.settings import Suite
from fathom.assimilation.ensembles import AirLocalisation, background_of
from fathom.assimilation.maps import Hybrid, Vector
from fathom.assimilation.minimisers import lanczos


def folders(suite: Suite, folder: Path) -> Iterator[tuple[int, Path]]:
    """Yields numbers and folders of the members in a window."""
    for n in range(suite.ensemble.members):
        yield n, folder / f"member-{n:02d}"


def random(suite: Suite, number: int, member: int, what: int) -> np.random.Generator:
    """Returns random numbers of a member in a window, which depend on nothing else."""
    return np.random.default_rng([suite.chain.seed, 80, what, number, member])


def run(suite: Suite, number: int, before: Path, folder: Path) -> None:
    """Makes background.fathom of a member at the date of the analysis from its last analysis."""
    legs = [(suite.window, folder / "background.fathom")]
    forecasts.run(suite, folder / "run", before, legs)


def first(cycles: Any, member: int, state: State, folder: Path) -> None:
    """Makes the first background of a member: that of the control and a draw of B."""
    suite, analyser = cycles.suite, cycles.analyser_for(state)
    L = analyser.background(vector_on(analyser, state))
    draw = L.apply(random(suite, 0, member, 1).standard_normal(L.controls))
    whole = state.with_increment(increment_on(analyser, state, draw))
    models.set_out(suite, whole, state.header, suite.analysed(0), folder / "background.fathom")


def perturbations(cycles: Any, analyser: Analyser, folder: Path, x: Vector) -> np.ndarray:
    """Returns the states of all members less that of the control (members, n), on the grid of the
    increments."""
    states = (State(p / "background.fathom") for _, p in folders(cycles.suite, folder))
    return np.array([vector_on(analyser, state) - x for state in states])


def background(cycles: Any, analyser: Analyser, folder: Path, x: Vector) -> Any:
    """Returns L of the members and of the statistics, by the weight of [ensemble]."""
    suite = cycles.suite
    e, space = suite.ensemble, analyser.space
    a, b = space.air.a, space.air.b
    pressure = 0.5 * (a[1:] + a[:-1]) + 0.5e5 * (b[1:] + b[:-1])
    localisation = AirLocalisation(space.transform, pressure, 1e3 * e.length, e.depth, moist=True)
    of_day = background_of(perturbations(cycles, analyser, folder, x), localisation)
    if e.weight == 1:
        return of_day
    return Hybrid((1 - e.weight, analyser.background(x)), (e.weight, of_day))


def analyse(
    cycles: Any, number: int, member: int, x: Vector, made: Increments, folder: Path
) -> None:
    """Makes analysis.fathom of a member; made: of the control, whose data and H' it uses."""
    suite, state = cycles.suite, State(folder / "background.fathom")
    analyser = cycles.analyser_for(state)
    own = vector_on(analyser, state) - x
    L: AirBackground = analyser.background(x)
    (slot,) = made.of_state.slots
    xi = random(suite, number, member, 2).standard_normal(len(slot.departures))
    y = slot.departures + xi - slot.observation.apply(own)
    cost = Cost(L, [type(slot)(y, slot.variances, slot.observation)])
    a = suite.assimilation
    found = lanczos(cost, iterations=a.iterations, tolerance=a.tolerance)
    e, draws = suite.ensemble, random(suite, number, member, 3).standard_normal(L.controls)
    extra = (e.inflation - 1) * (own + found.increment - made.increment)
    drawn = np.sqrt(e.model_error) * L.apply(draws)
    increment = found.increment + extra + drawn
    whole = state.with_increment(increment_on(analyser, state, increment))
    date = suite.analysed(number)
    models.set_out(suite, whole, state.header, date, folder / "analysis.fathom")


def spread(cycles: Any, analyser: Analyser, folder: Path, x: Vector) -> dict[str, float]:
    """Returns the spread of the members about their mean: wind [m s-1] and virtual temperature [K],
    rms over the globe and the levels."""
    space = analyser.space
    d = perturbations(cycles, analyser, folder, x)
    d = d - d.mean(axis=0)
    weight = np.asarray(space.transform.weight)[:, None] * np.ones(space.inside.shape)
    weight = weight / weight.sum()
    square = [np.zeros(2)]
    for one in d:
        u, v, warm, _, _ = space.unpacked(one)
        parts = (np.mean(u**2 + v**2, axis=0), np.mean(warm**2, axis=0))
        square.append(np.array([np.sum(p * weight) for p in parts]))
    wind, temperature = np.sqrt(sum(square) / (len(d) - 1))
    return {"wind": float(wind), "temperature": float(temperature)}
