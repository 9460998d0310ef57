"""The analysis of the air in a window: increments on their own grid, from the departures of the
forecast with all physics.

                departures                         G                          increment at
    3d-var      y - H x_b, x_b of the middle       H'                         the middle
    fgat        y - H x_b at the time of y         H'                         the middle
    envar       as fgat, B of members              H'                         the middle
    4d-var      y - H x_b at the time of y         H' M', M' the tangent      the start
    hybrid      as 4d-var, B of both               H' M'                      the start

H' is linear about the background on the grid of the increments, of 4d-var and hybrid about their
own trajectory; H' of all data of a time is one sparse matrix (observations/linear.py). M' is of
smooth physics (trajectory.py). Coefficients of the bias of radiances are a part of the control.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.balance import AirBackground, Errors, simple_errors
from fathom.assimilation.cost import Cost, Slot
from fathom.assimilation.cycle.chain import models
from fathom.assimilation.cycle.chain.biases import Bias
from fathom.assimilation.cycle.chain.models import Space, State
from fathom.assimilation.cycle.chain.settings import Suite
from fathom.assimilation.maps import LinearMap, Matrix, Product, Vector
from fathom.assimilation.minimisers import Found, lanczos
from fathom.assimilation.observations import linear, quality
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.trajectory import Trajectory
from fathom.atmosphere.spectral.model import SpectralAtmosphere
from fathom.base import mpi
from fathom.base.clock import seconds_of
from fathom.base.failure import InputError
from fathom.base.moist_air import specific_humidity
from fathom.grids.gaussian import GaussianGrid
from fathom.model.schemes import scheme
from fathom.run.simulation import Simulation

weights_of: Mapping[str, Callable[..., Any]] = {"huber": quality.huber, "flat": quality.flat}
minimisations = 2  # with quality control


@dataclass
class Increments:
    """The result: the increment on its grid, departures of the analysis, weights, the coefficients
    of the bias; and what the last cost function was, for what follows from it.
    """

    increment: Vector
    residuals: Vector
    weights: Vector
    bias: Bias
    found: Found
    cost: Any
    observed: LinearMap
    order: np.ndarray  # of the data in the cost function
    numbers: dict[str, float] = field(default_factory=dict)

    @property
    def of_state(self) -> Cost:
        """Returns the cost function of the state alone, without coefficients of bias."""
        (slot,) = self.cost.slots
        inner = getattr(slot.observation, "of_state", slot.observation)
        root = getattr(self.cost.background, "root", self.cost.background)
        return Cost(root, [Slot(slot.departures, slot.variances, inner)])


class Analyser:
    """The analyses of a chain in an outer loop (the last by default): the grid of the increments
    and its tangent model."""

    def __init__(
        self, suite: Suite, state: State, out: Path = Path(), loop: int | None = None
    ) -> None:
        self.statistics = out / "background.nc"
        self.suite, grid = suite, state.grid
        truncation = suite.truncation(suite.loops - 1 if loop is None else loop) or grid.truncation
        self.grid = GaussianGrid(truncation, grid=grid.grid, levels=grid.levels)
        self.fine, self.space = state.space, Space(self.grid)
        self.below = models.ground_on(state.fields, self.space, grid)

    def renewed(self, state: State) -> None:
        """Takes ground and sea of another state on the same grid."""
        self.below = models.ground_on(state.fields, self.space, state.grid)

    # ---- background errors -----------------------------------------------------------------------

    @cached_property
    def errors(self) -> Errors:
        """Returns covariances of background errors on this grid. InputError: those of a file are of
        other levels, or of fewer waves.
        """
        b, levels, truncation = self.suite.background, self.grid.levels, self.grid.truncation
        file = b.file or (str(self.statistics) if self.statistics.exists() else "")
        if not file:
            made = simple_errors(
                self.space.transform, np.asarray(levels.a), np.asarray(levels.b), wind=b.wind,
                temperature=b.temperature, pressure=b.pressure, length=b.length, depth=b.depth,
                humidity=b.humidity,
            )  # fmt: skip
            return made.scaled(b.scale)
        made = Errors.read(file)
        held, waves = made.balance.shape[1], len(made.mass) - 1
        if held != levels.nz or waves < truncation:
            place = self.suite.document.place("background", "file")
            raise InputError(
                f"{place}: {file} is of T{waves} with {held} levels; increments are of"
                f" T{truncation} with {levels.nz}"
            )
        return made.truncated(truncation).scaled(b.scale)

    def background(self, x: Vector) -> AirBackground:
        """Returns L about a state on this grid. InputError: covariances without humidity."""
        if self.errors.humidity is None:
            place = self.suite.document.place("background")
            raise InputError(f"{place}: covariances of a chain need humidity, these have none")
        full = self.saturation(x)
        return AirBackground(self.space.transform, self.errors, saturation=full)

    def saturation(self, x: Vector) -> np.ndarray:
        """Returns specific humidity of saturated air of a state (levels, points)."""
        _, _, warm, pi, q = self.space.unpacked(x)
        a, b = (v[:, None, None] for v in (self.space.air.a, self.space.air.b))
        p = a + b * 1e5 * np.exp(pi)
        inside = self.space.inside
        p = np.ascontiguousarray((0.5 * (p[1:] + p[:-1]))[:, inside])
        T = np.ascontiguousarray((warm / (1 + models.vapour * q))[:, inside])
        return specific_humidity(1.0, T, p)

    # ---- the tangent model -----------------------------------------------------------------------

    @cached_property
    def trajectory(self) -> Trajectory:
        """Returns the model of 4D-Var's increments: dynamics with smooth diffusion."""
        of = self.suite.increment
        model = SpectralAtmosphere(
            self.grid,
            physics=[scheme("SmoothMixing")],
            tracers=["specific_humidity"],
            orography=self.below[models.ground][0].astype(float),
            diffusion_time=of.diffusion_time,
            fix_mass=False,
        )
        simulation = Simulation(model, time_step=of.step, directory=tempfile.gettempdir())
        return Trajectory(simulation, of.keep)

    def forget(self) -> None:
        """Gives back the memory of the trajectory."""
        if "trajectory" in vars(self):
            self.trajectory.restart()

    @property
    def step(self) -> float:
        """Returns step of the tangent model [s]."""
        return seconds_of(self.suite.increment.step, "step")

    # ---- an analysis -----------------------------------------------------------------------------

    def observed(self, x: Vector, data: Observations, begin: float) -> tuple[Any, Any, np.ndarray]:
        """Returns G about a state x, the predictors of bias as a function of coefficients, and the
        order in which G has the data; begin: of the window [s since 1970].
        """
        if not self.suite.along:
            held, _ = self._held(x, data)
            return self._matrix(x, data), held, np.arange(len(data))
        t, steps = self.trajectory, round(self.suite.window / self.step)
        at = np.clip(np.round((data["time"] - begin) / self.step).astype(int), 0, steps)
        order = np.lexsort([np.arange(len(data)), at])
        t.restart(x)
        maps, helds = {}, []
        for n in range(steps + 1):
            of = order[at[order] == n]
            if len(of):
                state, some = t.vector(), data.taken(of)
                maps[n] = self._matrix(state, some)
                helds.append(self._held(state, some)[0])
            if n < steps:
                t.follow(1)
        held = {n: np.concatenate([h[n] for h in helds], axis=1) for n in helds[0]}
        return t.observed(maps), held, order

    def _held(self, x: Vector, data: Observations) -> tuple[models.Fields, Any]:
        return self.space.held(self.space.columns(x, self.below), data)

    def _matrix(self, x: Vector, data: Observations) -> Matrix:
        fields = self.space.columns(x, self.below)
        held, around = self.space.held(fields, data)
        pressure = fields["surface_air_pressure"][0]
        places = self.space.places(around, data)
        return linear.operator(
            self.space.air, data, held, around, places, self.space.inside, pressure, True, mpi.world
        )

    def analyse(
        self, x: Vector, data: Observations, begin: float, bias: Bias, start: Vector | None = None,
        root: Any = None, weights: Vector | None = None,
    ) -> Increments:  # fmt: skip
        """Returns the increments of data with departures from the background x (a vector on this
        grid); start: the increment that an earlier outer loop has added to x, about which the
        departures are, and weights, of its quality control. root: L, by default that of the
        statistics.
        """
        L = self.background(x) if root is None else root
        G, held, order = self.observed(x, data, begin)
        data = data.taken(order)
        d = data["background_departure"].astype(float)
        _, predictors = bias.of(data, self.space.air, held)
        if start is not None:
            d = d + G.apply(start)
        sigma = data["error_final"].astype(float)
        a, W = self.suite.assimilation, np.ones(len(d)) if weights is None else weights[order]
        control, ritz = weights_of.get(a.quality), None
        for _ in range(minimisations if control and weights is None else 1):
            cost = self._cost(L, G, d, sigma / np.sqrt(np.maximum(W, 1e-6)), predictors, bias)
            found = lanczos(
                cost, iterations=a.iterations, tolerance=a.tolerance, preconditioner=ritz
            )
            ritz = found.ritz.converged() if found.ritz is not None and ritz is None else ritz
            dx, change = self._parted(found.increment, bias)
            left = d - G.apply(dx) - predictors @ change
            if control:
                W = control(left / sigma)[1]
        assert found.control is not None
        J_b, J_o = cost.parts(found.control)
        back = np.argsort(order, kind="stable")
        return Increments(
            dx, left[back], W[back], bias.moved(change) if self.suite.bias.use else bias, found,
            cost, G, order, {"J_background": J_b, "J_observations": J_o, "data": len(d),
                      "iterations": found.iterations,
                      "departure": _size(d, sigma), "residual": _size(left, sigma)},
        )  # fmt: skip

    def linearised(self, x: Vector, data: Observations, begin: float, bias: Bias) -> Increments:
        """Returns what `analyse` has before its minimisation: no increment, the departures."""
        G, held, order = self.observed(x, data, begin)
        data = data.taken(order)
        _, predictors = bias.of(data, self.space.air, held)
        d, sigma = (data[n].astype(float) for n in ("background_departure", "error_final"))
        cost = self._cost(None, G, d, sigma, predictors, bias)
        nothing = np.zeros(self.space.size)
        return Increments(nothing, d, np.ones(len(d)), bias, Found(nothing), cost, G, order)

    def _cost(self, L: Any, G: Any, d: Vector, sigma: Vector, predictors: Any, bias: Bias) -> Cost:
        """Returns the cost function of weighted departures, with the bias where it is used."""
        from scipy import sparse

        weights = sparse.diags_array(1 / sigma)
        slot = Slot(d / sigma, np.ones(len(d)), Product(Matrix(weights.tocsr()), G))
        cost = Cost(L, [slot])
        if not self.suite.bias.use or not bias.beta:
            return cost
        return bias.into(cost, [(weights @ predictors).tocsr()])

    def _parted(self, increment: Vector, bias: Bias) -> tuple[Vector, Vector]:
        size = self.space.size
        change = increment[size:]
        return increment[:size], change if len(change) else np.zeros(len(bias.vector))


def _size(d: Vector, sigma: Vector) -> float:
    return float(np.sqrt(np.mean((d / sigma) ** 2))) if len(d) else 0.0


def vector_on(analyser: Analyser, state: State) -> Vector:
    """Returns the state of a restart on the grid of the increments."""
    return models.between(state.space, analyser.space, state.vector)


def increment_on(analyser: Analyser, state: State, increment: Vector) -> Vector:
    """Returns an increment on the grid of the model."""
    return models.between(analyser.space, state.space, increment)
