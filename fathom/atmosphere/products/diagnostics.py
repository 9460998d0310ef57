"""Diagnostics from the fields of an atmosphere: output variables by name, on the model's levels
and on levels of pressure.

A model that uses it has `grid` on levels of pressure, the fields log_pressure_ratio – ln(p_s / 1000
hPa) –, `temperature` – the name of the field that carries it, air_temperature or
virtual_temperature –, surface_geopotential, and says whether it is `moist` (has specific_humidity).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fathom.atmosphere.physics import near_surface
from fathom.atmosphere.products import potential_vorticity
from fathom.base import mpi
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.failure import InputError
from fathom.base.moist_air import potential_temperature
from fathom.grids.hybrid import interfaces_of
from fathom.grids.regrid.chosen import ChosenLevels
from fathom.grids.regrid.schmidt import turned
from fathom.model.component import Series
from fathom.model.model import Criterion
from fathom.output.diagnostics import Diagnostic
from fathom.output.post.pressure_levels import Column

wind = ("eastward_wind", "northward_wind")
heights = ("geopotential_height", "geopotential")
rain = ("convective_precipitation", "stratiform_precipitation")  # the flux that reaches the ground


def needed(model: Any) -> tuple[Any, ...]:
    """Returns the fields from which pressure and height of a column follow."""
    return (
        model.temperature,
        *(["specific_humidity"] if model.moist else []),
        "log_pressure_ratio",
        "surface_geopotential",
    )


def limit_of_splitting(rotation: float, time_step: float) -> Criterion:
    """Returns the limit where rotation [s-1] is split off
    (core/atmosphere/hydrostatic/coriolis.hpp): the part by which slow motion is slowed at the poles
    of the earth, (2 Omega dt / 2)^2.
    """
    return Criterion(
        "rotation by itself slows weather by (rotation x step)^2",
        (rotation * time_step) ** 2,
        0.01,
        "the poles of the earth",
        unstable=False,
    )


def of_earth(model: Any, vertical: str = "layer") -> dict[str, Any]:
    """Returns wind as on earth, where the state has it about another pole: name -> Diagnostic."""
    return (
        {}
        if model.grid.angle is None
        else {name: of_state(name, wind, vertical, linear=True) for name in wind}
    )


def of_state(
    name: str, needs: Any, vertical: str = "layer", linear: bool = False, state: Any = None
) -> Any:
    """Returns the Diagnostic of the attribute of a State, or of a kind of it, with that name."""

    def value(state: Any) -> Any:
        return state.spread(state[name])

    return Diagnostic(needs, value, linear=linear, vertical=vertical, shared=state or State)


def near_ground(model: Any, needs: Any, state: Any = None) -> dict[str, Any]:
    """Returns air at 2 m and wind at 10 m, where the physics has an exchange with the ground;
    `needs`: what a column and its wind follow from.
    """
    if not any(p.name in near_surface.schemes for p in model.physics):
        return {}

    def of(name: str) -> Any:
        def value(state: Any) -> Any:
            return state.spread(near_surface.at(state, name))

        fields = (*needs, *near_surface.exchange)
        return Diagnostic(fields, value, linear=False, vertical="column", shared=state or State)

    return {name: of(name) for name in near_surface.names}


def falling(model: Any) -> dict[str, Any]:
    """Returns the variables of precipitation at the ground, where the physics has it."""
    parts = tuple(name for name in rain if name in model.diagnostics)
    if not parts:
        return {}

    def together(model: Any, window: Any, *parts: Any) -> Any:
        return sum(parts)

    return {"precipitation_flux": Diagnostic(parts, together, vertical="column")}


def derived(model: Any) -> Mapping[str, Any]:
    """Returns the output variables of a model on levels of pressure: name -> Diagnostic."""
    column = needed(model)
    table = of_earth(model) | {
        name: of_state(name, column)
        for name in ("air_pressure", "geopotential", "geopotential_height", "potential_temperature")
    }
    table |= {
        name: of_state(name, column, "column")
        for name in ("surface_air_pressure", "air_pressure_at_mean_sea_level")
    }
    table["wind_speed"] = of_state("wind_speed", wind)
    if model.temperature != "air_temperature":
        table["air_temperature"] = of_state("air_temperature", column)
    else:
        table["virtual_temperature"] = of_state("virtual_temperature", column)
    if model.grid.truncation is not None:
        zeta = potential_vorticity.vorticity_along()
        slopes = potential_vorticity.slopes_along(table["potential_temperature"])
        turning = of_state("vorticity", zeta.fields, linear=True)
        table["vorticity"] = replace(turning, before=(zeta,))
        turning = of_state("potential_vorticity", (*wind, *column, *zeta.fields, *slopes.fields))
        table["potential_vorticity"] = replace(turning, before=(zeta, slopes))
    if model.moist:
        table["relative_humidity"] = of_state("relative_humidity", column)
        table |= falling(model) | near_ground(model, (*column, *wind))
    return table


@dataclass(frozen=True)
class AtLevels:
    """States with their chosen levels; equal ones share results."""

    levels: ChosenLevels
    state: type["State"]

    def __call__(self, model: Any, window: Any, fields: Any) -> Any:
        return self.state(model, window, fields, self.levels)


def at_levels(
    model: Any, name: str, diagnostic: Any, levels: Any, column: Any = None, state: Any = None
) -> Any:
    """Returns the Diagnostic of a variable of layers at chosen levels: as
    `fathom.output.post.pressure_levels` says, below the ground too. `column`: the fields a column
    follows from, for a `state`.
    """
    needs, before = (*diagnostic.needs, *(column or needed(model))), diagnostic.before
    if levels.name == "potential_vorticity":
        turning = model.derived["potential_vorticity"]
        needs = (*needs, *turning.needs)
        before = tuple({step.fields: step for step in (*before, *turning.before)}.values())
    return Diagnostic(
        tuple(dict.fromkeys(needs)),
        lambda state: state.spread(state.at_levels(name)),
        linear=False,
        vertical="layer",
        shared=AtLevels(levels, state or State),
        before=before,
    )


def _totals(simulation: Any) -> Any:
    """Returns sums over all columns, exact: area [m2], mass times g [Pa m2], kinetic energy as
    much.
    """
    grid, wind = simulation.model.grid, ("eastward_wind", "northward_wind")
    columns: dict[str, list[Any]] = {"area": [], "mass": [], "energy": []}
    for window, *fields in zip(
        simulation.domain.blocks,
        *(simulation.fields.windows(name) for name in (*wind, "log_pressure_ratio")),
    ):
        j0, i0, ny, nx = window
        area = grid.horizontal.area_center[j0 : j0 + ny, i0 : i0 + nx]
        east, north, ratio = (np.asarray(field, float) for field in fields)
        thickness = (
            np.diff(grid.levels.a) + np.diff(grid.levels.b) * (1e5 * np.exp(ratio))[0, ..., None]
        ).transpose(2, 0, 1)
        for name, terms in (
            ("area", area),
            ("mass", area * thickness.sum(0)),
            ("energy", 0.5 * area * (thickness * (east**2 + north**2)).sum(0)),
        ):
            columns[name].append(np.where(area > 0, terms, 0.0).ravel())
    return tuple(
        mpi.core.exact_sum(simulation.comm.py2f(), np.concatenate([np.empty(0), *terms]))
        for terms in columns.values()
    )


def watch(model: Any, simulation: Any) -> tuple[Series, str]:
    """Returns present numbers, name -> (value, units), and words for the line of progress; the same
    bits on any ranks.
    """
    e, grid = simulation.fields.extremes, model.grid
    names = ("eastward_wind", "northward_wind", model.temperature)
    u, v, temperature = (e(name) for name in names)
    speed = max(abs(x) for w in (u, v) for x in (w["minimum"], w["maximum"]))
    area, mass, energy = _totals(simulation)
    series = {
        "mean_temperature": (temperature["mean"], "K"),
        "kinetic_energy": (energy / mass, "m2 s-2"),
        "mean_surface_pressure": (mass / area + grid.levels.a[0], "Pa"),
        "maximum_wind": (speed, "m s-1"),
    }
    words = (
        f"|u| ≤ {speed:.1f} m/s  T [{temperature['minimum']:.1f}, {temperature['maximum']:.1f}] K"
    )
    for title, parts in (("precipitation", rain), ("evaporation", ("evaporation_flux",))):
        held = [name for name in parts if name in model.diagnostics]
        if held:
            series[title] = (86400 * sum(e(name)["mean"] for name in held), "mm/day")
            words += f"  {title[:4]} {series[title][0]:.2f} mm/day"
    return series, words


class State:
    """The columns of a window (j0, i0, ny, nx) that exist, packed: fields (levels, points), wind as
    on earth, with what follows from them by name.
    """

    def __init__(self, model: Any, window: Any, fields: Any, levels: Any = None) -> None:
        j0, i0, ny, nx = window
        self.model, self.levels, self.shape, self.block = model, levels, (ny, nx), window
        self.given = fields  # wind of the state
        self.window = slice(j0, j0 + ny), slice(i0, i0 + nx)
        self.there = np.asarray(model.grid.wet_levels)[self.window] > 0
        self.whole = self.there.all()
        self.fields = {
            name: a.reshape(len(a), -1) if self.whole else a[:, self.there]
            for name, a in fields.items()
        }
        if model.grid.angle is not None and set(wind) <= set(fields):
            angle = self.of_window(model.grid.angle)
            u, v = (np.asarray(self.fields[part], float) for part in wind)
            self.fields |= zip(wind, turned(u, v, angle))

    @property
    def rules(self) -> Any:
        """Returns the variables that follow from others: name -> function of this."""
        return _rules

    def __getitem__(self, name: str) -> Any:
        if name in self.fields:
            return self.fields[name]
        if name not in self.rules:
            raise InputError(f"'{name}' does not follow from {', '.join(self.fields)}")
        value = self.fields[name] = self.rules[name](self)
        return value

    @cached_property
    def column(self) -> Any:
        """Returns the hydrostatic column, as `fathom.output.post.pressure_levels` has it."""
        return self._lowest(self.model.grid.levels.nz)

    @property
    def above_ground(self) -> Any:
        """Returns a column of two layers: enough for values at the ground and at the sea."""
        return self.column if "column" in self.__dict__ else self._lowest(2)

    def _lowest(self, layers: Any) -> Any:
        """Returns the column of so many layers."""
        names = (self.model.temperature, *(("specific_humidity",) if self.model.moist else ()))
        ground = ("log_surface_pressure", "surface_geopotential")
        a, b = interfaces_of(self.model.grid.levels)
        return Column(
            {name: self[name][-layers:] for name in names}
            | {name: self[name][0] for name in ground},
            (a[-layers - 1 :], b[-layers - 1 :]),
        )

    @cached_property
    def targets(self) -> tuple[Any, ...]:
        """Returns pressures [Pa] of the chosen levels, and where a column has none; there it is
        that of the ground.
        """
        if self.levels.name == "potential_vorticity":
            northern = self["potential_vorticity"] * np.sign(potential_vorticity.coriolis(self))
            pressures = self.column.pressure_where(northern, self.levels.values)
        else:
            pressures = self.column.pressure_of(self.levels)
        lacking = np.isnan(pressures)
        if lacking.any():
            pressures = np.where(lacking, self.column.surface_pressure, pressures)
        return pressures, lacking if lacking.any() else None

    def at_levels(self, name: str) -> Any:
        """Returns a variable of layers, or a height, on the chosen levels; NaN where there are
        none.
        """
        pressures, lacking = self.targets
        values = self._at(name, pressures)
        return values if lacking is None else np.where(lacking, np.nan, values)

    def _at(self, name: str, pressures: Any) -> Any:
        """Returns what `at_levels` does, at pressures (levels) or at those of each point (levels,
        points).
        """
        if name in heights:
            scale = 1 if name == "geopotential_height" else STANDARD_GRAVITY
            return self.column.geopotential_height(pressures) * scale
        if name == "air_temperature":
            return self.column.air_temperature(pressures)
        if name == "air_pressure":
            return self._each(pressures)
        if name == "potential_temperature":
            temperature = self._at("air_temperature", pressures)
            return potential_temperature(temperature, self._each(pressures))
        if name == "wind_speed":
            return np.hypot(*(self._at(part, pressures) for part in wind))
        order = 1 if "humidity" in name else 3
        return self.column.at(self[name], pressures, order=order)

    def _each(self, pressures: Any) -> Any:
        """Returns pressures of each point, (levels, points)."""
        if pressures.ndim == 2:
            return pressures
        return np.repeat(pressures[:, None], self.column.surface_pressure.size, axis=1)

    def of_window(self, whole: Any) -> Any:
        """Returns (points) of a field of the grid (ny, nx)."""
        return np.asarray(whole)[self.window][self.there]

    def about_the_pole(self, name: str) -> Any:
        """Returns a component of wind as the state has it, (levels, points)."""
        values = np.asarray(self.given[name], float)
        return values.reshape(len(values), -1) if self.whole else values[:, self.there]

    def spread(self, values: Any) -> Any:
        """Returns (levels, ny, nx), NaN where no column is."""
        values = np.asarray(values)
        values = values[None] if values.ndim == 1 else values
        if self.whole:
            return values.reshape(len(values), *self.shape)
        everywhere = np.full((len(values), *self.shape), np.nan)
        everywhere[:, self.there] = values
        return everywhere


def _humidity(state: Any) -> Any:
    return state.column.relative_humidity(state["specific_humidity"])


_rules: dict[str, Callable[..., Any]] = {
    "log_surface_pressure": lambda s: s["log_pressure_ratio"] + np.log(1e5),
    "air_temperature": lambda s: s.column.air.temperature,
    "virtual_temperature": lambda s: s.column.air.virtual_temperature,
    "surface_air_pressure": lambda s: 1e5 * np.exp(s["log_pressure_ratio"]),
    "air_pressure": lambda s: np.exp(s.column.air.logarithm),
    "potential_temperature": lambda s: potential_temperature(
        s["air_temperature"], s["air_pressure"]
    ),
    "geopotential": lambda s: s.column.air.geopotential,
    "geopotential_height": lambda s: s.column.air.geopotential / STANDARD_GRAVITY,
    "air_pressure_at_mean_sea_level": lambda s: s.above_ground.mean_sea_level_pressure()[None],
    "wind_speed": lambda s: np.hypot(s["eastward_wind"], s["northward_wind"]),
    "relative_humidity": _humidity,
    "vorticity": lambda s: s[potential_vorticity.spin],
    "potential_vorticity": potential_vorticity.potential_vorticity,
}
