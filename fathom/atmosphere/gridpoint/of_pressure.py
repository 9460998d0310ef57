"""The state of a grid-point atmosphere from functions of pressure.

Pressure to height, in each column, from the ground up:
    Z(p) = Z_ground + integral of (R T_v / g) d ln p,        Z geopotential height
exactly where T and q are straight between layers, else by steps.
The Exner function of layers then follows from that of the lowest one by the discrete equation of
vertical motion at rest, so that the air stays where it is:
    c_p theta_k (pi_k-1 - pi_k) / (z_k-1 - z_k) = -g
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from fathom.atmosphere.gridpoint.geometry import AirAtRest
from fathom.atmosphere.ground import orography_of_area
from fathom.atmosphere.physics.fields import AirFields
from fathom.atmosphere.remap import forecast
from fathom.base import mpi
from fathom.base.border import called
from fathom.base.moist_air import virtual_temperature
from fathom.data.input.values import as_grid_has, on_columns
from fathom.grids.levels import HybridLevels
from fathom.grids.regrid.column import Between
from fathom.grids.rotated import RotatedGrid
from fathom.model.component import Array, Given

by_pressure = (
    "eastward_wind",
    "northward_wind",
    "air_temperature",
    "surface_air_pressure",
    "log_surface_pressure",
)
Face = tuple[int, int]  # the axis across it, and -1: half a cell further along that
faces: dict[str, Face] = {"x_wind": (2, -1), "y_wind": (1, -1)}
steps = 800  # of the integral


def analysis(
    state: Any,
    grid: Any,
    levels: HybridLevels,
    air: AirFields,
    gravity: float,
    below: Iterable[str],
    time: int = 0,
) -> tuple[dict[str, Any], Array]:
    """Returns the values to set from an analysis, and the ground (ny, nx) [m]: the air on layers of
    pressure, as functions of it, and what the physics reads of ground and sea.

    state : "gfs", "era5", "ecmwf", the path of a file, or a data set (fathom.data.atmosphere).
    grid : of the columns.
    levels : on which the columns of the analysis are taken.
    air : what the model carries.
    gravity : at the ground [m s-2].
    below : names of the fields of ground and sea.
    time : number of its record.
    """
    earth = orography_of_area.smoothed(grid) if isinstance(grid, RotatedGrid) else None
    fields = forecast.start(state, grid, levels, ground=earth, time=time)
    ground = fields.pop("surface_geopotential") / gravity
    if not air.moist:  # the density of moist air
        warm = virtual_temperature(fields["air_temperature"], fields["specific_humidity"])
        fields["air_temperature"] = warm
    found = {name: fields[name] for name in below if name in fields and name != "ozone"}
    return found | of_layers(fields, grid, levels, air), ground


def of_layers(
    fields: Mapping[str, Any], grid: Any, levels: HybridLevels, air: AirFields
) -> dict[str, Any]:
    """Returns air on layers (nz, ny, nx) of hybrid levels as functions of pressure, by name; wind
    as on earth becomes that along the axes of the grid.
    """
    surface = fields["log_surface_pressure"]
    pressure = levels.a[:, None, None] + levels.b[:, None, None] * np.exp(surface)
    middle = np.log((pressure[1:] + pressure[:-1]) / 2)
    wind = fields["eastward_wind"], fields["northward_wind"]
    of_area = isinstance(grid, RotatedGrid)
    along = zip(by_pressure[:2], grid.along_axes(*wind) if of_area else wind)
    names = ("air_temperature", *air.tracer_names)
    given = {name: fields[name] for name in names if name in fields} | dict(along)
    functions: dict[str, Any] = {name: OfLevels(middle, v) for name, v in given.items()}
    return functions | {"log_surface_pressure": surface}


def top_pressure(rest: AirAtRest) -> float:
    """Returns pressure well above the top of the levels [Pa]."""
    c, z = rest.constants, rest.geopotential(1.1 * rest.grid.levels.top)
    kappa = c.gas_constant / c.heat_capacity
    return float(c.pressure * rest.reference.exner(z, c) ** (1 / kappa))


class OfLevels:
    """A field on layers as a function of pressure: linear in ln p, constant beyond the ends.

    log_pressure, values : (layers, ny, nx).
    """

    def __init__(self, log_pressure: Array, values: Array) -> None:
        self.log_pressure, self.values = log_pressure, values

    def moved(self, axis: int, next_: int) -> OfLevels:
        """Returns the same field half-way to the next columns."""

        def half(a: Array) -> Array:
            result: Array = (a + np.roll(a, next_, axis)) / 2
            return result

        return OfLevels(half(self.log_pressure), half(self.values))

    def __call__(self, x: Any, y: Any, pressure: Array) -> Array:
        found: Array = self.on(pressure[None])[0]
        return found

    def on(self, pressures: Array) -> Array:
        """Returns the values at pressures [Pa], both (levels, ny, nx)."""
        between = Between(_flat(self.log_pressure), _flat(np.log(pressures)))
        found: Array = between.linear(_flat(self.values)).reshape(np.shape(pressures))
        return found


def _flat(a: Any) -> Array:
    """Returns columns side by side: (levels, ny, nx) as (levels, points)."""
    return np.reshape(a, (len(a), -1))


def places_of(grid: Any, moved: Face | None = None) -> tuple[Array, Array]:
    """Returns coordinates (ny, nx) of centres, or of faces."""
    x, y = grid.coordinates()
    if moved is None:
        return x, y
    if isinstance(grid, RotatedGrid):
        found: tuple[Array, Array] = grid.face_coordinates(moved[0])
        return found
    return (x + grid.dx / 2, y) if moved[0] == 2 else (x, y + grid.dy / 2)


class _OfPressure:
    """Fields that are given as functions of pressure.

    grid : of the columns.
    air : what the model carries.
    given : name -> a number, a function of (x, y, pressure), or OfLevels.
    """

    def __init__(self, grid: Any, air: AirFields, given: Mapping[str, Given]) -> None:
        self.grid, self.air, self.given = grid, air, given

    def surface(self, usual: float) -> Array:
        """Returns pressure at the ground, (ny, nx) [Pa]; usual: where none is given."""
        if (logarithm := self.given.get("log_surface_pressure")) is not None:
            found: Array = np.exp(on_columns(self.grid, logarithm, name="surface pressure"))
            return found
        value = self.given.get("surface_air_pressure", usual)
        return np.asarray(on_columns(self.grid, value, name="surface"))

    def at(self, name: str, pressure: Array, moved: Face | None = None) -> Array:
        """Returns a field at pressures [Pa] of centres or faces, both (levels, ny, nx)."""
        value: Any = as_grid_has(self.grid, self.given.get(name, 0.0), name, layers=True)
        x, y = places_of(self.grid, moved)
        if moved and isinstance(value, OfLevels):
            value = value.moved(*moved)
        if isinstance(value, OfLevels):
            return value.on(pressure)
        of = value if callable(value) else lambda x, y, p: value
        layers = (called(name, of, x, y, p) for p in pressure)
        return np.stack([np.broadcast_to(layer, x.shape) for layer in layers]).astype(float)

    def temperature(self, pressure: Array) -> Array:
        """Returns that of dry air as heavy as this one, at pressures [Pa], (levels, ny, nx) [K]."""
        warm = self.at("air_temperature", pressure)
        if not self.air.moist:
            return warm
        heavy = sum(self.at(kind.name, pressure) for kind in self.air.water)
        humidity = self.at("specific_humidity", pressure)
        found: Array = virtual_temperature(warm, humidity) - warm * heavy
        return found

    def wind(self, name: str, inside: Array) -> Array:
        """Returns wind on the faces across an axis, (levels, ny, nx) [m s-1], x_wind or y_wind;
        inside: pressure of layers [Pa].
        """
        own = by_pressure[name == "y_wind"]
        axis, next_ = faces[name]
        on_face = np.sqrt(inside * np.roll(inside, next_, axis))
        found = self.at(own, on_face, faces[name])
        of_earth = not isinstance(self.given.get(own), OfLevels) and {*by_pressure[:2]} & {
            *self.given
        }
        if isinstance(self.grid, RotatedGrid) and of_earth:
            east, north = (self.at(part, on_face, faces[name]) for part in by_pressure[:2])
            turn = self.grid.projection.along_axes(east, north, *places_of(self.grid, faces[name]))
            found = turn[name == "y_wind"]
        return found


def state_of_pressure(
    rest: AirAtRest, air: AirFields, given: Mapping[str, Given]
) -> dict[str, Array]:
    """Returns the fields of a state that is given as functions of pressure, by name: (levels, ny,
    nx) of layers, or (levels + 1, ny, nx) of interfaces.
    """
    c, z, of = rest.constants, rest.heights, _OfPressure(rest.grid, air, given)
    kappa = c.gas_constant / c.heat_capacity
    surface = of.surface(c.pressure)
    middle = (z[1:] + z[:-1]) / 2
    layers = _in_layers(air, given, surface)
    if layers is None:
        depth = _depths(rest, surface, lambda p: of.temperature(p[None])[0])
    else:
        depth = _depths_of_layers(rest, layers, of.temperature)
    pressure = surface * np.exp(-depth(z))
    theta = of.temperature(pressure) * (c.pressure / pressure) ** kappa
    inside = surface * np.exp(-depth(middle))
    exner = _in_balance(rest, (inside[-1] / c.pressure) ** kappa, theta)
    fields = {
        "air_potential_temperature": theta,
        "air_density": c.density(exner, (theta[1:] + theta[:-1]) / 2),
        "upward_air_velocity": np.zeros_like(z),
    }
    fields |= {field.name: of.at(field.name, pressure[:-1]) for field in air.tracers}
    return fields | {name: of.wind(name, inside) for name in faces}


def _in_layers(air: AirFields, given: Mapping[str, Given], surface: Array) -> Array | None:
    """Returns ln p (nodes, ny, nx) between which temperature and water are straight, as they are
    given; with the ground, and well above the highest layer. None: they are not given on layers.
    """
    kinds = ("specific_humidity", *(field.name for field in air.water)) if air.moist else ()
    of = [given.get(name) for name in ("air_temperature", *kinds)]
    held = [value for value in of if isinstance(value, OfLevels)]
    plain = all(isinstance(v, OfLevels) or v is None for v in of)
    if not (plain and held) or any(v.log_pressure is not held[0].log_pressure for v in held):
        return None
    x, ground = held[0].log_pressure, np.log(surface)
    if not (x[-1] < ground).all():
        return None
    return np.concatenate([x[:1] - 3, x, ground[None]])


OfHeight = Callable[[Array], Array]


def _depths_of_layers(rest: AirAtRest, x: Array, temperature: OfHeight) -> OfHeight:
    """Returns what `_depths` returns, of air that is straight between nodes ln p = x: the integral
    is Simpson's rule, which is exact, and between nodes height is the cubic of hydrostatic balance.
    """
    c = rest.constants
    warm, half = temperature(np.exp(x)), temperature(np.exp((x[1:] + x[:-1]) / 2))
    length = np.diff(x, axis=0)
    rise = c.gas_constant / (6 * c.gravity) * length * (warm[1:] + 4 * half + warm[:-1])
    ground = rest.geopotential(rest.heights[-1])[None]
    heights = ground + np.concatenate([np.cumsum(rise[::-1], 0)[::-1], np.zeros_like(ground)])
    nodes, slope = _flat(heights), _flat(-c.gas_constant / c.gravity * warm)
    x, length = _flat(x), _flat(length)

    def at(z: Array) -> Array:
        wanted = _flat(rest.geopotential(z))
        number = np.broadcast_to(np.arange(len(nodes), dtype=float)[:, None], nodes.shape)
        found = Between(-nodes, -wanted).linear(np.ascontiguousarray(number))
        k = np.clip(found.astype(int), 0, len(nodes) - 2)

        def of(field: Array, more: int = 0) -> Array:
            return np.take_along_axis(field, k + more, 0)

        ends = (of(nodes), of(nodes, 1), of(length) * of(slope), of(length) * of(slope, 1))
        t = mpi.core.place_of(*(np.ascontiguousarray(a).ravel() for a in (wanted, *ends)))
        here = of(x) + t.reshape(k.shape) * of(length)
        depth: Array = (x[-1] - here).reshape(z.shape)
        return depth

    return at


def _depths(rest: AirAtRest, surface: Array, temperature: OfHeight) -> OfHeight:
    """Returns a function of heights (levels, ny, nx) [m] that gives ln(p_surface / p).

    surface : pressure at the ground, (ny, nx) [Pa].
    temperature : of pressure, (ny, nx) [Pa], as that of dry air [K].
    """
    c = rest.constants
    warm = 1.3 * c.gravity * rest.grid.levels.top / (c.gas_constant * 150.0)  # cold air, and more
    s = np.linspace(0, min(warm, 14.0), steps)
    heights = np.empty((steps, *surface.shape))
    heights[0] = rest.geopotential(rest.heights[-1])
    before = temperature(surface)
    for n in range(1, steps):
        now = temperature(surface * np.exp(-s[n]))
        rise = c.gas_constant * (before + now) / (2 * c.gravity) * (s[n] - s[n - 1])
        heights[n], before = heights[n - 1] + rise, now

    def at(z: Array) -> Array:
        z = rest.geopotential(z)
        found = np.empty(z.shape)
        for j in range(z.shape[1]):
            for i in range(z.shape[2]):
                found[:, j, i] = np.interp(z[:, j, i], heights[:, j, i], s)
        return found

    return at


def _in_balance(rest: AirAtRest, lowest: Array, theta: Array) -> Array:
    """Returns Exner function of layers (levels, ny, nx) over that of the lowest ones, (ny, nx);
    theta: potential temperature of interfaces [K].
    """
    c, z = rest.constants, rest.heights
    exner, _, theta_0 = rest.state
    middle = (z[1:] + z[:-1]) / 2
    gravity = c.gravity / (1 + rest.curvature * z) ** 2
    deviation = np.empty_like(exner)
    deviation[-1] = lowest - exner[-1]
    for k in range(len(exner) - 1, 0, -1):
        push = gravity[k] * (theta[k] / theta_0[k] - 1) / (c.heat_capacity * theta[k])
        deviation[k - 1] = deviation[k] + push * (middle[k - 1] - middle[k])
    return exner + deviation
