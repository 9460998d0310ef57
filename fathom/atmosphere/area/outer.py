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
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fathom import names
from fathom.atmosphere.area.grib_outer import StoredGrib, is_grib
from fathom.atmosphere.area.running_outer import Running as Running
from fathom.atmosphere.area.stored_outer import PIECES, Stored
from fathom.atmosphere.remap.around_area import Receiver
from fathom.atmosphere.spectral.compressible import LinearTerms
from fathom.atmosphere.spectral.compressible import fields as fields_of_sound
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.grids.periodic_plane import PeriodicPlane
from fathom.model.component import Array
from fathom.model.outer import EndOfStep

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
    """R of a state X of a LimitedAreaAtmosphere.

    grid : of all its points.
    truncation : waves along x and y.
    p : its parameters, by name: off_centring, reference_pressure [Pa], reference_temperature [K],
        gas_constant, heat_capacity [J kg-1 K-1]; of compressible air acoustic_temperature [K].
    warmth : name of its temperature.
    compressible : whether it has sound.
    step : [s].
    """

    def __init__(
        self,
        grid: Any,
        truncation: tuple[int, int],
        p: Mapping[str, float],
        warmth: str,
        compressible: bool,
        step: float,
    ) -> None:
        nx, ny = grid.points
        self.grid, self.truncation, self.warmth = grid, truncation, warmth
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
        self.sound = LinearTerms(levels, p, step) if compressible else None

    def __call__(self, state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Returns fields (levels, rows, points), (rows, points), by name; tracers as they are."""
        from fathom.grids.transform import BiFourier  # start-up time: loads the core

        grid, warmth = self.grid, self.warmth
        waves = BiFourier(grid.size, grid.spacing, truncation=self.truncation)
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
            q, d = (waves.direct(state[name]) for name in fields_of_sound)
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


def whole_fields(values: Iterable[tuple[str, Any, Array]]) -> dict[str, Array]:
    """Returns fields (levels, rows, points), (rows, points) by name, of their layers one after
    another: (name, level, values).
    """
    held: dict[str, list[Array]] = {}
    for name, _, layer in values:
        held.setdefault(name, []).append(layer)
    return {name: np.stack(v) if len(v) > 1 else v[0] for name, v in held.items()}


class Records:
    """A source of fields in time (fathom/run/forcing.py): the outer model at the end of each step,
    as NAME_outer.

    names : of the fields that are relaxed.
    states : what has `axis`, the times of its records (fathom/base/instants.py), and `state(n)`, a
        record as `set` takes it.
    step : of the area [s].
    relaxed_to : of a record, by name, the values to which these fields are relaxed.
    """

    def __init__(
        self,
        names: Iterable[str],
        states: Any,
        step: float,
        relaxed_to: Callable[[Mapping[str, Any]], Mapping[str, Array]],
    ) -> None:
        self.states, self.relaxed_to = states, relaxed_to
        if (check := getattr(states, "check", None)) is not None:
            check()
        self.fields = [name + "_outer" for name in names]
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

    def read(self, number: int) -> dict[str, Array]:
        """Returns the fields of a record, by name."""
        found = self.relaxed_to(self.states.state(number))
        return {name + "_outer": values for name, values in found.items()}


class Constant:
    """One record for ever."""

    repeated = True

    def bracket(self, clock: Any, seconds: float) -> tuple[int, int, float, float]:
        """Returns the one record, and times that hold for ever [s]."""
        return 0, 0, 0.0, math.inf

    def coverage(self, clock: Any) -> tuple[float, float]:
        """Returns all times [s]."""
        return -math.inf, math.inf

    def date(self, number: int) -> str:
        """Returns no date."""
        return ""


class Options(NamedTuple):
    """How the states of an outer model follow each other.

    in_time : "linear" or "cubic" between records.
    every : how often a state is read; None: each step of one that runs with it, each record.
    """

    in_time: str = "linear"
    every: float | str | None = None


def states_of(
    given: Any,
    options: Options,
    grid: Any,
    initial: Callable[[], Mapping[str, Any]],
    receiver: Callable[[], Receiver],
    upper_zone: float = 0.0,
) -> Any:
    """Returns the states of the outer model that is given; None: there is none. InputError: it is
    no outer model.

    grid : of the area or plane.
    initial : returns the state that it starts from.
    receiver : returns what it takes of a state.
    upper_zone : pressure above which it is relaxed too [Pa]; 0: nowhere.
    """
    periodic = isinstance(grid, PeriodicPlane)
    if options.in_time not in PIECES:
        raise InputError(names.unknown("outer_in_time", str(options.in_time), list(PIECES)))
    if hasattr(given, "sequence") or _is_name(given):
        return _running(receiver(), given, options)
    if given == "initial":
        return None if periodic and not upper_zone else Initial(initial)
    if periodic and not (grid.coupling or upper_zone):
        raise InputError(f"outer = {given!r} needs coupling = 8, say, of the CartesianGrid")
    if (stored := _of_files(given)) is not None:
        return stored(receiver(), given, options.in_time, options.every)
    if hasattr(given, "axis") and hasattr(given, "state"):
        return given
    raise InputError(
        f"outer = {given!r}: allowed are 'initial', the path of a store or a file, paths of GRIB"
        " files, and a simulation of a SpectralAtmosphere or a larger area, or its name in Programs"
    )


def _of_files(given: Any) -> type[Stored] | None:
    """Returns the class of states in files; None: it names no files."""
    if is_grib(given):
        return StoredGrib
    return Stored if isinstance(given, (str, Path)) else None


def _is_name(given: Any) -> bool:
    """Returns whether it names a program: it is no file, and could be none."""
    is_word = isinstance(given, str) and given.isidentifier() and given != "initial"
    return is_word and not Path(given).exists()


def _running(receiver: Receiver, given: Any, options: Options) -> Running:
    """Returns the states of a simulation, or of a program of that name. InputError: interpolated
    otherwise than linearly.
    """
    if options.in_time != "linear":
        raise InputError(
            f"outer_in_time = {options.in_time!r} is for the records of a store: between the states"
            " of a model that runs at the same time allowed is 'linear', with outer_every as short"
            " as its step"
        )
    return Running(receiver, given, options.every)


class Initial:
    """The state that the area itself starts from, for ever; initial: returns it."""

    axis = Constant()

    def __init__(self, initial: Callable[[], Mapping[str, Any]]) -> None:
        self.initial = initial

    def state(self, number: int) -> Mapping[str, Any]:
        """Returns it as `set` takes it."""
        return self.initial()

    def __str__(self) -> str:
        return "the state it starts from"
