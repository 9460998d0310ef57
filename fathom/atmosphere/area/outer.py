"""The outer model of a limited area, in time: states to which the coupling zone is relaxed.

The area is relaxed before its linear terms are solved for (core/atmosphere/spectral/coupling.hpp),
so it is relaxed not to the outer state X but, with G the linear gravity waves of the solve, to
    R = (1 + beta G) X:     V_R = V + beta grad(gamma T + R T_r pi),   T_R = T + beta tau M D,
                            pi_R = pi + beta nu M D,                   beta = dt (1 + e) / 2
and with compressible air the linear terms of sound too
(fathom/atmosphere/spectral/compressible.py). D is the divergence of the map, M the square of its
largest map factor. R is linear in X: R between two times follows from R at both.

An upper zone may be relaxed to it, too, level by level. Weights of the edges (SUELBC of ALADIN), z
from 0 inside to 1 on the edge (fathom/grids/zones.py), 1 beyond it:
    alpha = (p + 1) z^p - p z^(p + 1),     p = 2.16 of air, 5.52 of water and tracers
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fathom import names
from fathom.atmosphere.area.running_outer import Every
from fathom.atmosphere.area.running_outer import Running as Running
from fathom.atmosphere.area.stored_outer import PIECES, Stored
from fathom.atmosphere.spectral import compressible
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.grids.periodic_plane import PeriodicPlane

EXPONENT, EXPONENT_OF_TRACERS = 2.16, 5.52


def weights(grid: Any, exponent: float) -> np.ndarray:
    """Returns alpha at all points of a WholeArea or a plane, (rows, points); 1 in E."""
    nx, ny = grid.points
    alpha = np.ones(grid.size[::-1])
    z = grid.zone
    alpha[:ny, :nx] = (exponent + 1) * z**exponent - exponent * z ** (exponent + 1)
    return alpha


def weights_of_levels(grid: Any, step: float, bottom: float, time: float) -> np.ndarray:
    """Returns alpha of the upper zone, (levels,): a rate that grows from 0 at the pressure `bottom`
    [Pa] to 1 / `time` [s] at the top as the square of a sine of ln p, taken implicitly.
    """
    levels = grid.levels
    p = np.asarray(levels.a) + np.asarray(levels.b) * 1e5
    middle = 0.5 * (p[1:] + p[:-1])
    share = np.log(bottom / middle) / np.log(bottom / middle[0])
    rate = np.sin(0.5 * np.pi * np.clip(share, 0, 1)) ** 2 * abs(step) / time
    result: np.ndarray = rate / (1 + rate)
    return result


class RightSide:
    """R of a state X of a LimitedAreaAtmosphere, with a step [s]."""

    def __init__(self, model: Any, step: float) -> None:
        grid, p = model.grid, model.parameters
        nx, ny = grid.points
        self.model = model
        self.m = np.ones(grid.size[::-1]) if grid.map_factor is None else grid.map_factor
        self.square = float((self.m[:ny, :nx] ** 2).max())
        self.beta = 0.5 * step * (1 + p["off_centring"])
        levels = grid.levels
        of = mpi.core.hybrid_reference(
            list(map(float, levels.a)),
            list(map(float, levels.b)),
            p["reference_pressure"],
            p["reference_temperature"],
            p["gas_constant"],
            p["heat_capacity"],
        )
        count = levels.nz
        self.gamma, self.tau = (np.reshape(of[name], (count, count)) for name in ("gamma", "tau"))
        self.nu = np.array(of["thickness"]) / p["reference_pressure"]
        self.RT = p["gas_constant"] * p["reference_temperature"]
        self.sound = compressible.LinearTerms(model, step) if model.compressible else None

    def __call__(self, state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Returns fields (levels, rows, points), (rows, points), by name; tracers as they are."""
        from fathom.grids.transform import BiFourier  # start-up time: loads the core

        grid, warmth = self.model.grid, self.model.temperature
        waves = BiFourier(grid.size, grid.spacing, truncation=self.model.truncation)
        # of the waves that the model keeps
        T, pi = (waves.direct(state[name]) for name in (warmth, "log_pressure_ratio"))
        potential = np.tensordot(self.gamma, T, 1) + self.RT * pi
        rotation, divergence = waves.vorticity_divergence(
            state["eastward_wind"] / self.m, state["northward_wind"] / self.m
        )
        u, v = waves.wind(rotation, divergence)
        divergence[:, 0] = 0  # the mean wind is stored in its place
        D, T, pi = self.square * waves.inverse(divergence), waves.inverse(T), waves.inverse(pi)
        heating = self.beta * np.tensordot(self.tau, D, 1)
        if self.sound:
            q, d = (waves.direct(state[name]) for name in compressible.fields)
            potential = potential + self.sound.potential(q)
            more, heating = self.sound.right_side(D, waves.inverse(q), waves.inverse(d))
            state = dict(state) | more
        east, north = waves.gradient(potential)
        return dict(state) | {
            "eastward_wind": self.m * (u + self.beta * east),
            "northward_wind": self.m * (v + self.beta * north),
            warmth: T + heating,
            "log_pressure_ratio": pi + self.beta * np.tensordot(self.nu, D, 1),
        }


def right_sides(model: Any, step: float) -> Callable[..., Any]:
    """Returns a function that gives R of a record, as a LimitedAreaAtmosphere starts from it."""
    right_side = RightSide(model, step)

    def of(given: Mapping[str, Any]) -> dict[str, np.ndarray]:
        held: dict[str, list[np.ndarray]] = {}
        given = {name: model.at_all_points(value) for name, value in given.items()}
        for name, _, values in model.start_values(given):
            held.setdefault(name, []).append(values)
        return right_side({n: np.stack(v) if len(v) > 1 else v[0] for n, v in held.items()})

    return of


class Records:
    """A source of fields in time (fathom/run/forcing.py): the outer model at the end of each step,
    as NAME_outer.

    states: what has `axis`, the times of its records (fathom/base/instants.py), and `state(n)`, a
        record as `set` takes it
    drawn: of a record, by name, the values to which fields of the model are relaxed
    """

    def __init__(self, model: Any, states: Any, step: float, drawn: Callable[..., Any]) -> None:
        self.states, self.drawn = states, drawn
        if (check := getattr(states, "check", None)) is not None:
            check()
        self.fields = [name + "_outer" for name in model.prognostic]
        self.axis = EndOfStep(states.axis, step)
        self.collective = getattr(states, "collective", False)

    def describe(self) -> list[str]:
        """Returns a line for the tree."""
        return [f"the coupling zone is relaxed to {self.states}"]

    @property
    def text(self) -> str:
        """Returns its name in messages."""
        return f"outer = {str(getattr(self.states, 'path', self.states))!r}"

    remedy = "take outer = 'initial' for one that stays as it is"

    def read(self, number: int) -> dict[str, np.ndarray]:
        drawn = self.drawn(self.states.state(number))
        return {name + "_outer": values for name, values in drawn.items()}


class EndOfStep:
    """A time axis evaluated at the end of the step that begins at a time. A step that ends at a
    record needs that one alone: the next may not be there yet.
    """

    def __init__(self, axis: Any, step: float) -> None:
        self.axis, self.step = axis, step

    def bracket(self, clock: Any, seconds: float) -> tuple[int, int, float, float]:
        end = seconds + self.step
        before, after, t0, t1 = self.axis.bracket(clock, end)
        if isinstance(self.axis, Every) and abs(end - t0) < 1e-6:
            after, t1 = before, t0 + self.step
        return before, after, t0 - self.step, t1 - self.step

    def coverage(self, clock: Any) -> tuple[float, float]:
        """From the first record to the last, and no further: nothing holds beyond. A run may end at
        the last one: its last step begins before.
        """
        result: tuple[float, float] = getattr(self.axis, "extent", self.axis.coverage)(clock)
        return result

    def date(self, number: int) -> str:
        result: str = self.axis.date(number)
        return result


class Constant:
    """One record for ever."""

    repeated = True

    def bracket(self, clock: Any, seconds: float) -> tuple[int, int, float, float]:
        return 0, 0, 0.0, math.inf

    def coverage(self, clock: Any) -> tuple[float, float]:
        return -math.inf, math.inf

    def date(self, number: int) -> str:
        return ""


def of(model: Any, given: Any, in_time: str = "linear", every: Any = None) -> Any:
    """Returns the states of `outer`, and their interpolation between records; None: there is no
    outer model. ValueError: none of these.
    """
    periodic = isinstance(model.grid, PeriodicPlane)
    if in_time not in PIECES:
        raise InputError(names.unknown("outer_in_time", str(in_time), list(PIECES)))
    if hasattr(given, "sequence") or _is_name(given):
        return _running(model, given, in_time, every)
    if given == "initial":
        return None if periodic and not model.upper_zone else Initial(model)
    if periodic and not (model.grid.coupling or model.upper_zone):
        raise InputError(f"outer = {given!r} needs coupling = 8, say, of the CartesianGrid")
    if isinstance(given, (str, Path)):
        return Stored(model, Path(given), in_time, every)
    if hasattr(given, "axis") and hasattr(given, "state"):
        return given
    raise InputError(
        f"outer = {given!r}: allowed are 'initial', the path of a store or a file, and a simulation"
        " of a SpectralAtmosphere or a larger area, or its name in Programs"
    )


def _is_name(given: Any) -> bool:
    """Returns whether it names a program: it is no file, and could be none."""
    is_word = isinstance(given, str) and given.isidentifier() and given != "initial"
    return is_word and not Path(given).exists()


def _running(model: Any, given: Any, in_time: str, every: Any) -> Running:
    """Returns the states of a simulation, or of a program of that name. InputError: interpolated
    otherwise than linearly.
    """
    if in_time != "linear":
        raise InputError(
            f"outer_in_time = {in_time!r} is for the records of a store: between the states of a"
            " model that runs at the same time allowed is 'linear', with outer_every as short as"
            " its step"
        )
    return Running(model, given, every)


class Initial:
    """The state that the area itself starts from, for ever."""

    axis = Constant()

    def __init__(self, model: Any) -> None:
        self.model = model

    def state(self, number: int) -> Mapping[str, Any]:
        result: Mapping[str, Any] = self.model.initial
        return result

    def __str__(self) -> str:
        return "the state it starts from"
