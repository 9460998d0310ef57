"""Initial states of the grid-point atmosphere: from functions of height, or of pressure.

Pressure to height, in each column, from the ground up:
    Z(p) = Z_ground + integral of (R T_v / g) d ln p,        Z geopotential height
exactly where T and q are straight between layers, else by steps.
The Exner function of layers then follows from that of the lowest one by the discrete equation of
vertical motion at rest, so that the air stays where it is:
    c_p theta_k (pi_k-1 - pi_k) / (z_k-1 - z_k) = -g
"""

from typing import Any

import numpy as np

from fathom.atmosphere.gridpoint.balance import balanced
from fathom.atmosphere.remap import forecast, ground_of_area
from fathom.base import mpi
from fathom.base.border import called
from fathom.base.failure import InputError
from fathom.base.moist_air import virtual_temperature
from fathom.data.input.labelled import plain
from fathom.data.input.values import as_grid_has, on_columns
from fathom.grids.regrid.column import Between
from fathom.model.component import Array

by_height = (
    "x_wind",
    "y_wind",
    "upward_air_velocity",
    "potential_temperature_deviation",
    "temperature_deviation",
)
by_pressure = (
    "eastward_wind",
    "northward_wind",
    "air_temperature",
    "surface_air_pressure",
    "log_surface_pressure",
)
beside = {"x_wind": (2, -1), "y_wind": (1, -1)}  # axis of faces, and where the next column is
steps = 800  # of the integral


def analysis(model: Any, state: Any, time: int = 0) -> tuple[Any, ...]:
    """Returns the values to set from an analysis, and the ground [m]: the air on layers of
    pressure, as functions of it, and what the physics reads of ground and sea.

    state : "gfs", "era5", "ecmwf", the path of a file, or a data set (fathom.data.atmosphere).
    time : number of its record.
    """
    earth = ground_of_area.smoothed(model.grid) if model.area else None
    fields = forecast.start(state, model.grid, model.hybrid_levels, ground=earth, time=time)
    ground = fields.pop("surface_geopotential") / model.parameters["gravity"]
    if not model.moist:  # the density of moist air
        warm = virtual_temperature(fields["air_temperature"], fields["specific_humidity"])
        fields["air_temperature"] = warm
    below = {name: fields[name] for name in model.boundary if name in fields and name != "ozone"}
    return below | of_layers(model, fields), ground


def of_layers(model: Any, fields: Any) -> dict[str, Any]:
    """Returns air on the layers of model.hybrid_levels as functions of pressure, by name; wind as
    on earth becomes that along the axes of the grid.
    """
    levels, surface = model.hybrid_levels, fields["log_surface_pressure"]
    pressure = levels.a[:, None, None] + levels.b[:, None, None] * np.exp(surface)
    middle = np.log((pressure[1:] + pressure[:-1]) / 2)
    wind = fields["eastward_wind"], fields["northward_wind"]
    along = zip(by_pressure[:2], model.grid.along_axes(*wind) if model.area else wind)
    names = ("air_temperature", *model.tracers)
    given = {name: fields[name] for name in names if name in fields} | dict(along)
    air = {name: OfLevels(middle, values) for name, values in given.items()}
    return air | {"log_surface_pressure": surface}


def top_pressure(model: Any) -> float:
    """Returns pressure well above the model [Pa]."""
    z = model.rest.geopotential(1.1 * model.grid.levels.top)
    kappa = model.constants.gas_constant / model.constants.heat_capacity
    return float(
        model.constants.pressure * model.reference.exner(z, model.constants) ** (1 / kappa)
    )


class OfLevels:
    """A field on layers as a function of pressure: linear in ln p, constant beyond the ends.

    log_pressure, values : (layers, ny, nx).
    """

    def __init__(self, log_pressure: Any, values: Any) -> None:
        self.log_pressure, self.values = log_pressure, values

    def moved(self, axis: Any, next_: Any) -> Any:
        """Returns the same field half-way to the next columns."""

        def half(a: Any) -> Any:
            return (a + np.roll(a, next_, axis)) / 2

        return OfLevels(half(self.log_pressure), half(self.values))

    def __call__(self, x: Any, y: Any, pressure: Any) -> Any:
        return self.on(pressure[None])[0]

    def on(self, pressures: Any) -> Any:
        """Returns (levels, ny, nx)."""

        def flat(a: Any) -> np.ndarray:
            return np.reshape(a, (len(a), -1))

        between = Between(flat(self.log_pressure), flat(np.log(pressures)))
        return between.linear(flat(self.values)).reshape(np.shape(pressures))


def check(given: Any) -> None:
    """Raises ValueError: arguments that exclude each other."""
    warmer = {"potential_temperature_deviation", "temperature_deviation"} & set(given)
    if len(warmer) > 1:
        raise InputError(
            "the state takes either potential_temperature_deviation or temperature_deviation"
        )
    of_pressure = set(by_pressure) & set(given)
    if of_pressure and (warmer or {"x_wind", "y_wind"} & set(given)):
        raise InputError(
            f"the state is given by pressure ({', '.join(sorted(of_pressure))}) or by height, not"
            " both"
        )
    if of_pressure and "air_temperature" not in given:
        raise InputError("a state by pressure needs air_temperature")


def state(model: Any, given: Any = None) -> Any:
    """Returns fields of the state: name -> (levels, ny, nx), of what was set, or of
    what is given.
    """
    balance = given is None and model.balanced
    given = model.initial if given is None else given
    fields = (_of_pressure if "air_temperature" in given else _of_height)(model, given)
    if model.area:  # beyond the last face there is nothing to take a mean with
        fields["x_wind"][..., -1] = fields["x_wind"][..., -2]
        fields["y_wind"][:, -1] = fields["y_wind"][:, -2]
    elif not (model.grid.slice or model.grid.horizontal.periodic_j):
        fields["y_wind"][:, -1] = 0
    return balanced(model, fields) if balance else fields


def wind_at_centers(model: Any, fields: Any) -> dict[str, Any]:
    """Returns wind along the axes of the grid, as a step leaves it, eastward and northward: means
    of faces; over the poles v is the projection of one vector
    (core/atmosphere/gridpoint/pole_wind.hpp).
    """
    u, v = fields["x_wind"], fields["y_wind"]
    east = (u + np.roll(u, 1, 2)) / 2
    if model.grid.slice:
        return {"eastward_wind": east, "northward_wind": v}
    south, north = np.zeros_like(v[:, 0]), v[:, -1]
    if model.grid.horizontal.periodic_j:
        south = north
    elif model.area:
        south = v[:, 0]
    elif model.sphere:
        x = np.deg2rad(model.grid.coordinates()[0][0])
        face = x + np.deg2rad(model.grid.dx) / 2
        ends = []
        for sign, row in ((-1, u[:, 0]), (1, u[:, -1])):
            X, Y = (2 * (row * f).mean(1, keepdims=True) for f in (-np.sin(face), np.cos(face)))
            ends.append(-sign * (X * np.cos(x) + Y * np.sin(x)))
        south, north = ends
    rows = np.concatenate([south[:, None], v[:, :-1], north[:, None]], 1)
    return {"eastward_wind": east, "northward_wind": (rows[:, 1:] + rows[:, :-1]) / 2}


def _of_height(model: Any, given: Any) -> dict[str, Any]:
    z, c = model.heights, model.constants
    exner, _, theta = model.rest.state
    middle = (z[1:] + z[:-1]) / 2
    fields = {}
    for name in ("x_wind", "y_wind", "upward_air_velocity"):
        at = z if name == "upward_air_velocity" else middle
        fields[name] = _given(model, given, name, at, beside.get(name))
    warmer = _given(model, given, "potential_temperature_deviation", z)
    if "temperature_deviation" in given:
        warmer = _given(model, given, "temperature_deviation", z) / model.reference.exner(
            model.rest.geopotential(z), c
        )
    fields["air_potential_temperature"] = theta = theta + warmer
    fields["air_density"] = c.density(exner, (theta[1:] + theta[:-1]) / 2)
    return fields | {name: _given(model, given, name, z[:-1]) for name in model.tracers}


def _given(model: Any, given: Any, name: str, heights: Any, moved: Any = None) -> Any:
    """Returns the user's values of a field, (levels, ny, nx); moved: (axis, -1) of faces, half a
    cell further along it. ValueError: a shape that does not fit, or values that are not finite.
    """
    value = as_grid_has(model.grid, given.get(name, 0.0), name, layers=True)
    if callable(value):
        x, y = _places(model, moved)
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
        raise InputError(f"{name} is {values[k, j, i]} at {model.grid.place(j, i)}, level {k}")
    return np.array(values, float)


def _places(model: Any, moved: Any = None) -> Any:
    """Returns coordinates of centres, or of faces."""
    x, y = model.grid.coordinates()
    if moved is None:
        return x, y
    if model.area:
        return model.grid.face_coordinates(moved[0])
    return (x + model.grid.dx / 2, y) if moved[0] == 2 else (x, y + model.grid.dy / 2)


def _of_pressure(model: Any, given: Any) -> Any:
    c, grid = model.constants, model.grid
    kappa = c.gas_constant / c.heat_capacity
    if "log_surface_pressure" in given:
        surface = np.exp(on_columns(grid, given["log_surface_pressure"], name="surface pressure"))
    else:
        surface = on_columns(grid, given.get("surface_air_pressure", c.pressure), name="surface")
    z = model.heights
    middle = (z[1:] + z[:-1]) / 2

    def at(name: str, pressure: Any, moved: Any = None) -> Any:
        value = as_grid_has(grid, given.get(name, 0.0), name, layers=True)
        x, y = _places(model, moved)
        if moved and isinstance(value, OfLevels):
            value = value.moved(*moved)
        if isinstance(value, OfLevels):
            return value.on(pressure)
        of = value if callable(value) else lambda x, y, p: value
        layers = (called(name, of, x, y, p) for p in pressure)
        return np.stack([np.broadcast_to(layer, x.shape) for layer in layers]).astype(float)

    def temperature_at(pressure: Any) -> Any:
        warm = at("air_temperature", pressure)
        if not model.moist:
            return warm
        heavy = sum(at(kind, pressure) for kind in model.water)
        return virtual_temperature(warm, at("specific_humidity", pressure)) - warm * heavy

    layers = _in_layers(model, given, surface)
    if layers is None:
        depth = _depths(model, surface, lambda p: temperature_at(p[None])[0])
    else:
        depth = _depths_of_layers(model, surface, layers, temperature_at)
    pressure = surface * np.exp(-depth(z))
    theta = temperature_at(pressure) * (c.pressure / pressure) ** kappa
    inside = surface * np.exp(-depth(middle))
    exner = _in_balance(model, (inside[-1] / c.pressure) ** kappa, theta)
    fields = {
        "air_potential_temperature": theta,
        "air_density": c.density(exner, (theta[1:] + theta[:-1]) / 2),
        "upward_air_velocity": np.zeros_like(z),
    }
    fields |= {name: at(name, pressure[:-1]) for name in model.tracers}
    for name, own in (("x_wind", "eastward_wind"), ("y_wind", "northward_wind")):
        axis, next_ = beside[name]
        on_face = np.sqrt(inside * np.roll(inside, next_, axis))
        fields[name] = at(own, on_face, beside[name])
        on_earth = not isinstance(given.get(own), OfLevels) and {*by_pressure[:2]} & {*given}
        if model.area and on_earth:
            east, north = (at(part, on_face, beside[name]) for part in by_pressure[:2])
            turn = model.grid.projection.along_axes(east, north, *_places(model, beside[name]))
            fields[name] = turn[name == "y_wind"]
    return fields


def _in_layers(model: Any, given: Any, surface: Any) -> Array | None:
    """Returns ln p (nodes, ny, nx) between which temperature and water are straight, as they are
    given; with the ground, and well above the highest layer. None: they are not given on layers.
    """
    kinds = ("specific_humidity", *model.water) if model.moist else ()
    of = [given.get(name) for name in ("air_temperature", *kinds)]
    held = [value for value in of if isinstance(value, OfLevels)]
    plain = all(isinstance(v, OfLevels) or v is None for v in of)
    if not (plain and held) or any(v.log_pressure is not held[0].log_pressure for v in held):
        return None
    x, ground = held[0].log_pressure, np.log(surface)
    if not (x[-1] < ground).all():
        return None
    return np.concatenate([x[:1] - 3, x, ground[None]])


def _depths_of_layers(model: Any, surface: Any, x: Any, temperature: Any) -> Any:
    """As `_depths`, of air that is straight between nodes ln p = x: the integral is Simpson's rule,
    which is exact, and between nodes height is the cubic of hydrostatic balance.
    """
    c = model.constants
    warm, half = temperature(np.exp(x)), temperature(np.exp((x[1:] + x[:-1]) / 2))
    length = np.diff(x, axis=0)
    rise = c.gas_constant / (6 * c.gravity) * length * (warm[1:] + 4 * half + warm[:-1])
    ground = model.rest.geopotential(model.heights[-1])[None]
    heights = ground + np.concatenate([np.cumsum(rise[::-1], 0)[::-1], np.zeros_like(ground)])

    def flat(a: Any) -> np.ndarray:
        return np.reshape(a, (len(a), -1))

    nodes, slope = flat(heights), flat(-c.gas_constant / c.gravity * warm)
    x, length = flat(x), flat(length)

    def at(z: Any) -> Any:
        wanted = flat(model.rest.geopotential(z))
        number = np.broadcast_to(np.arange(len(nodes), dtype=float)[:, None], nodes.shape)
        found = Between(-nodes, -wanted).linear(np.ascontiguousarray(number))
        k = np.clip(found.astype(int), 0, len(nodes) - 2)

        def of(field: Any, more: Any = 0) -> Any:
            return np.take_along_axis(field, k + more, 0)

        ends = (of(nodes), of(nodes, 1), of(length) * of(slope), of(length) * of(slope, 1))
        t = mpi.core.place_of(*(np.ascontiguousarray(a).ravel() for a in (wanted, *ends)))
        here = of(x) + t.reshape(k.shape) * of(length)
        return (x[-1] - here).reshape(z.shape)

    return at


def _depths(model: Any, surface: Any, temperature: Any) -> Any:
    """Returns a function of heights (levels, ny, nx) that gives ln(p_surface / p)."""
    c = model.constants
    warm = 1.3 * c.gravity * model.grid.levels.top / (c.gas_constant * 150.0)  # cold air, and more
    s = np.linspace(0, min(warm, 14.0), steps)
    heights = np.empty((steps, *surface.shape))
    heights[0] = model.rest.geopotential(model.heights[-1])
    before = temperature(surface)
    for n in range(1, steps):
        now = temperature(surface * np.exp(-s[n]))
        rise = c.gas_constant * (before + now) / (2 * c.gravity) * (s[n] - s[n - 1])
        heights[n], before = heights[n - 1] + rise, now

    def at(z: Any) -> Any:
        z = model.rest.geopotential(z)
        found = np.empty(z.shape)
        for j in range(z.shape[1]):
            for i in range(z.shape[2]):
                found[:, j, i] = np.interp(z[:, j, i], heights[:, j, i], s)
        return found

    return at


def _in_balance(model: Any, lowest: Any, theta: Any) -> Any:
    """Returns Exner function of layers over that of the lowest ones."""
    c, z = model.constants, model.heights
    exner, _, theta_0 = model.rest.state
    middle = (z[1:] + z[:-1]) / 2
    gravity = c.gravity / (1 + model.curvature * z) ** 2
    deviation = np.empty_like(exner)
    deviation[-1] = lowest - exner[-1]
    for k in range(len(exner) - 1, 0, -1):
        push = gravity[k] * (theta[k] / theta_0[k] - 1) / (c.heat_capacity * theta[k])
        deviation[k - 1] = deviation[k] + push * (middle[k - 1] - middle[k])
    return exner + deviation
