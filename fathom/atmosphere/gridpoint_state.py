"""Initial states of the grid-point atmosphere: from functions of height, or of pressure.

Pressure to height, in each column, from the ground up:
    Z(p) = Z_ground + integral of (R T / g) d ln p,        Z geopotential height
The Exner function of layers then follows from that of the lowest one by the discrete equation of
vertical motion at rest, so that the air stays where it is:
    c_p theta_k (pi_k-1 - pi_k) / (z_k-1 - z_k) = -g
"""

import numpy as np

from fathom.input.values import on_columns

by_pressure = (
    "eastward_wind",
    "northward_wind",
    "air_temperature",
    "surface_air_pressure",
    "log_surface_pressure",
)
beside = {"x_wind": (2, -1), "y_wind": (1, -1)}  # axis of faces, and where the next column is
steps = 800  # of the integral


def check(given):
    """ValueError: what excludes each other."""
    warmer = {"potential_temperature_deviation", "temperature_deviation"} & set(given)
    if len(warmer) > 1:
        raise ValueError(
            "the state takes either potential_temperature_deviation or temperature_deviation"
        )
    of_pressure = set(by_pressure) & set(given)
    if of_pressure and (warmer or {"x_wind", "y_wind"} & set(given)):
        raise ValueError(
            f"the state is given by pressure ({', '.join(sorted(of_pressure))}) or by height, not"
            " both"
        )
    if of_pressure and "air_temperature" not in given:
        raise ValueError("a state by pressure needs air_temperature")


def state(model):
    """Fields of the state: name -> (levels, ny, nx)."""
    fields = _of_pressure(model) if "air_temperature" in model.initial else _of_height(model)
    if not model.grid.slice:
        fields["y_wind"][:, -1] = 0
    return fields


def _of_height(model):
    z, c = model.heights, model.constants
    exner, _, theta = model.air_at_rest
    middle = (z[1:] + z[:-1]) / 2
    fields = {}
    for name in ("x_wind", "y_wind", "upward_air_velocity"):
        at = z if name == "upward_air_velocity" else middle
        fields[name] = _given(model, name, at, beside.get(name))
    warmer = _given(model, "potential_temperature_deviation", z)
    if "temperature_deviation" in model.initial:
        warmer = _given(model, "temperature_deviation", z) / model.reference.exner(
            model.geopotential(z), c
        )
    fields["air_potential_temperature"] = theta = theta + warmer
    fields["air_density"] = c.density(exner, (theta[1:] + theta[:-1]) / 2)
    return fields


def _given(model, name, heights, moved=None):
    """What the user gives for a field, (levels, ny, nx); moved: (axis, -1) of faces, half a cell
    further along it. ValueError: a shape that does not fit, what is not finite.
    """
    value = model.initial.get(name, 0.0)
    if callable(value):
        x, y = _places(model, moved)
        if moved:
            heights = (heights + np.roll(heights, moved[1], moved[0])) / 2
        values = np.stack([np.broadcast_to(value(x, y, z), x.shape) for z in heights])
    else:
        try:
            values = np.broadcast_to(np.asarray(value, float), heights.shape)
        except (TypeError, ValueError):
            raise ValueError(
                f"{name} = {value!r}: a number, an array that fits {heights.shape}, or a"
                " function of (x, y, height)"
            ) from None
    if not np.isfinite(values).all():
        k, j, i = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(f"{name} is {values[k, j, i]} at {model.grid.place(j, i)}, level {k}")
    return np.array(values, float)


def _places(model, moved=None):
    """Coordinates of centres, or of faces."""
    x, y = model.grid.coordinates()
    if moved is None:
        return x, y
    return (x + model.grid.dx / 2, y) if moved[0] == 2 else (x, y + model.grid.dy / 2)


def _of_pressure(model):
    c, given, grid = model.constants, model.initial, model.grid
    kappa = c.gas_constant / c.heat_capacity
    if "log_surface_pressure" in given:
        surface = np.exp(on_columns(grid, given["log_surface_pressure"], name="surface pressure"))
    else:
        surface = on_columns(grid, given.get("surface_air_pressure", c.pressure), name="surface")
    z = model.heights
    middle = (z[1:] + z[:-1]) / 2

    def at(name, pressure, moved=None):
        value, (x, y) = given.get(name, 0.0), _places(model, moved)
        of = value if callable(value) else lambda x, y, p: value
        return np.stack([np.broadcast_to(of(x, y, p), x.shape) for p in pressure]).astype(float)

    depth = _depths(model, surface, lambda p: at("air_temperature", p[None])[0])
    pressure = surface * np.exp(-depth(z))
    theta = at("air_temperature", pressure) * (c.pressure / pressure) ** kappa
    inside = surface * np.exp(-depth(middle))
    exner = _in_balance(model, (inside[-1] / c.pressure) ** kappa, theta)
    fields = {
        "air_potential_temperature": theta,
        "air_density": c.density(exner, (theta[1:] + theta[:-1]) / 2),
        "upward_air_velocity": np.zeros_like(z),
    }
    for name, own in (("x_wind", "eastward_wind"), ("y_wind", "northward_wind")):
        axis, next_ = beside[name]
        on_face = np.sqrt(inside * np.roll(inside, next_, axis))
        fields[name] = at(own, on_face, beside[name])
    return fields


def _depths(model, surface, temperature):
    """A function of heights (levels, ny, nx) that gives ln(p_surface / p)."""
    c = model.constants
    warm = 1.3 * c.gravity * model.grid.levels.top / (c.gas_constant * 150.0)  # cold air, and more
    s = np.linspace(0, min(warm, 14.0), steps)
    heights = np.empty((steps, *surface.shape))
    heights[0] = model.geopotential(model.heights[-1])
    before = temperature(surface)
    for n in range(1, steps):
        now = temperature(surface * np.exp(-s[n]))
        rise = c.gas_constant * (before + now) / (2 * c.gravity) * (s[n] - s[n - 1])
        heights[n], before = heights[n - 1] + rise, now

    def at(z):
        z = model.geopotential(z)
        found = np.empty(z.shape)
        for j in range(z.shape[1]):
            for i in range(z.shape[2]):
                found[:, j, i] = np.interp(z[:, j, i], heights[:, j, i], s)
        return found

    return at


def _in_balance(model, lowest, theta):
    """Exner function of layers over that of the lowest ones."""
    c, z = model.constants, model.heights
    exner, _, theta_0 = model.air_at_rest
    middle = (z[1:] + z[:-1]) / 2
    gravity = c.gravity / (1 + model.curvature * z) ** 2
    deviation = np.empty_like(exner)
    deviation[-1] = lowest - exner[-1]
    for k in range(len(exner) - 1, 0, -1):
        push = gravity[k] * (theta[k] / theta_0[k] - 1) / (c.heat_capacity * theta[k])
        deviation[k - 1] = deviation[k] + push * (middle[k - 1] - middle[k])
    return exner + deviation
