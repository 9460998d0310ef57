"""Initial states of the grid-point atmosphere: from functions of height, or of pressure
(fathom/atmosphere/gridpoint/of_pressure.py). The air has the pressure of the air at rest if its
temperature is given as a deviation from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.atmosphere.gridpoint.geometry import AirAtRest
from fathom.atmosphere.gridpoint.of_pressure import (
    Face,
    by_pressure,
    faces,
    places_of,
    state_of_pressure,
)
from fathom.atmosphere.physics.fields import AirFields
from fathom.base.border import called
from fathom.base.failure import InputError
from fathom.data.input.labelled import plain
from fathom.data.input.values import as_grid_has
from fathom.grids.rotated import RotatedGrid
from fathom.model.component import Array, Given

by_height = (
    "x_wind",
    "y_wind",
    "upward_air_velocity",
    "potential_temperature_deviation",
    "temperature_deviation",
)


def check(given: Mapping[str, Given]) -> None:
    """Raises ValueError: arguments that exclude each other."""
    warmer = {"potential_temperature_deviation", "temperature_deviation"} & set(given)
    if len(warmer) > 1:
        raise InputError(
            "the state takes either potential_temperature_deviation or temperature_deviation"
        )
    pressures = set(by_pressure) & set(given)
    if pressures and (warmer or {"x_wind", "y_wind"} & set(given)):
        raise InputError(
            f"the state is given by pressure ({', '.join(sorted(pressures))}) or by height, not"
            " both"
        )
    if pressures and "air_temperature" not in given:
        raise InputError("a state by pressure needs air_temperature")


def state(rest: AirAtRest, air: AirFields, given: Mapping[str, Given]) -> dict[str, Array]:
    """Returns the fields of the state that is given, by name: (levels, ny, nx) of layers, or
    (levels + 1, ny, nx) of interfaces.

    rest : the air at rest over the ground, with its heights.
    air : what the model carries.
    """
    grid: Any = rest.grid
    fields = (state_of_pressure if "air_temperature" in given else _of_height)(rest, air, given)
    if isinstance(grid, RotatedGrid):  # beyond the last face there is nothing to take a mean with
        fields["x_wind"][..., -1] = fields["x_wind"][..., -2]
        fields["y_wind"][:, -1] = fields["y_wind"][:, -2]
    elif not (grid.slice or grid.horizontal.periodic_j):
        fields["y_wind"][:, -1] = 0
    return fields


def wind_at_centers(grid: Any, fields: Mapping[str, Array]) -> dict[str, Array]:
    """Returns wind along the axes of the grid, (levels, ny, nx), as a step leaves it, eastward and
    northward: means of faces; over the poles v is the projection of one vector
    (core/atmosphere/gridpoint/pole_wind.hpp).
    """
    u, v = fields["x_wind"], fields["y_wind"]
    east = (u + np.roll(u, 1, 2)) / 2
    if grid.slice:
        return {"eastward_wind": east, "northward_wind": v}
    south, north = np.zeros_like(v[:, 0]), v[:, -1]
    if grid.horizontal.periodic_j:
        south = north
    elif isinstance(grid, RotatedGrid):
        south = v[:, 0]
    elif grid.horizontal.spherical:
        x = np.deg2rad(grid.coordinates()[0][0])
        face = x + np.deg2rad(grid.dx) / 2
        ends = []
        for sign, row in ((-1, u[:, 0]), (1, u[:, -1])):
            X, Y = (2 * (row * f).mean(1, keepdims=True) for f in (-np.sin(face), np.cos(face)))
            ends.append(-sign * (X * np.cos(x) + Y * np.sin(x)))
        south, north = ends
    rows = np.concatenate([south[:, None], v[:, :-1], north[:, None]], 1)
    return {"eastward_wind": east, "northward_wind": (rows[:, 1:] + rows[:, :-1]) / 2}


def _of_height(rest: AirAtRest, air: AirFields, given: Mapping[str, Given]) -> dict[str, Array]:
    """Returns the fields of `state`, of deviations from the air at rest."""
    z, c = rest.heights, rest.constants
    exner, _, theta = rest.state
    middle = (z[1:] + z[:-1]) / 2

    def of(name: str, heights: Array, moved: Face | None = None) -> Array:
        return _values(rest.grid, name, given.get(name, 0.0), heights, moved)

    fields = {}
    for name in ("x_wind", "y_wind", "upward_air_velocity"):
        at = z if name == "upward_air_velocity" else middle
        fields[name] = of(name, at, faces.get(name))
    warmer = of("potential_temperature_deviation", z)
    if "temperature_deviation" in given:
        reference = rest.reference.exner(rest.geopotential(z), c)
        warmer = of("temperature_deviation", z) / reference
    fields["air_potential_temperature"] = theta = theta + warmer
    fields["air_density"] = c.density(exner, (theta[1:] + theta[:-1]) / 2)
    return fields | {field.name: of(field.name, z[:-1]) for field in air.tracers}


def _values(grid: Any, name: str, value: Given, heights: Array, moved: Face | None = None) -> Array:
    """Returns the user's value of a field at heights, (levels, ny, nx), of centres or of faces.
    InputError: a shape that does not fit, or values that are not finite.
    """
    value = as_grid_has(grid, value, name, layers=True)
    if callable(value):
        x, y = places_of(grid, moved)
        if moved:
            heights = (heights + np.roll(heights, moved[1], moved[0])) / 2
        values = np.stack([np.broadcast_to(called(name, value, x, y, z), x.shape) for z in heights])
    else:
        try:
            values = np.broadcast_to(plain(value, name), heights.shape)
        except (TypeError, ValueError):
            raise InputError(
                f"{name} = {value!r}: a number, an array that fits {heights.shape}, or a"
                " function of (x, y, height)"
            ) from None
    if not np.isfinite(values).all():
        k, j, i = np.argwhere(~np.isfinite(values))[0]
        raise InputError(f"{name} is {values[k, j, i]} at {grid.place(j, i)}, level {k}")
    return np.array(values, float)
