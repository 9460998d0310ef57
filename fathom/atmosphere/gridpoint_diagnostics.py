"""What follows from the fields of a grid-point atmosphere: output variables, numbers to watch."""

from functools import partial

import numpy as np

from fathom import mpi
from fathom.moist_air import LAPSE_RATE
from fathom.output.diagnostics import Diagnostic
from fathom.regrid.column import Between
from fathom.regrid.schmidt import turned

state = ("air_density", "air_potential_temperature")


def temperature(model, density, theta):
    """Of layers [K], from densities and the potential temperatures of interfaces."""
    c = model.constants
    kappa, warm = c.gas_constant / c.heat_capacity, (theta[1:] + theta[:-1]) / 2
    return warm * (c.gas_constant * density * warm / c.pressure) ** (kappa / (1 - kappa))


def pressure(model, density, theta):
    """Of layers [Pa]."""
    return model.constants.gas_constant * density * temperature(model, density, theta)


def surface_pressure(model, window, density, theta):
    """That of the lowest layer and the weight of its lower half: c_p theta d(pi)/dz = -g."""
    z, lowest = part(model.heights, window), pressure(model, density, theta)[-1]
    return ground_pressure(model.constants, (z[-2] - z[-1]) / 2, lowest, theta[-1])[None]


def ground_pressure(constants, half, lowest, theta):
    """From the pressure of the lowest layer, half of its thickness, and theta of the ground."""
    c, kappa = constants, constants.gas_constant / constants.heat_capacity
    exner = (lowest / c.pressure) ** kappa + c.gravity * half / (c.heat_capacity * theta)
    return c.pressure * exner ** (1 / kappa)


def sea_level_pressure(model, window, density, theta):
    """p_s exp(h (1 - x/2 + x^2/3)), h = g z / (R T_0), x = lapse z / T_0: the lapse rate of the
    standard atmosphere goes on below the ground, which has T_0.
    """
    c, z = model.constants, part(model.heights, window)
    above = LAPSE_RATE * (z[-2] - z[-1]) / 2
    warm = temperature(model, density, theta)[-1] + above
    h, x = c.gravity * z[-1] / (c.gas_constant * warm), LAPSE_RATE * z[-1] / warm
    return surface_pressure(model, window, density, theta) * np.exp(h * (1 - x / 2 + x**2 / 3))


def at_levels(model, name, diagnostic, levels):
    """The Diagnostic of a variable of layers at chosen pressures: cubic in ln p; below the lowest
    layer its value there, of heights with the temperature of that layer.
    """
    needs = tuple(dict.fromkeys((*state, *diagnostic.needs)))

    def of(model, window, *arrays):
        held = {name: np.asarray(a, float) for name, a in zip(needs, arrays, strict=True)}
        density, theta = (held[name] for name in state)
        values = diagnostic.of(model, window, *(held[name] for name in diagnostic.needs))
        log = np.log(pressure(model, density, theta))
        flat = lambda a: np.reshape(a, (len(a), -1))
        wanted = np.log(levels.values)[:, None]
        found = Between(flat(log), wanted).cubic(flat(values)).reshape(-1, *log.shape[1:])
        if name == "geopotential_height":
            c = model.constants
            scale = c.gas_constant * temperature(model, density, theta)[-1] / c.gravity
            found = found - scale * np.maximum(wanted[..., None] - log[-1], 0)
        return found

    return Diagnostic(needs, of, linear=False, vertical="layer")


def derived(model):
    """Output variables: name -> Diagnostic."""

    def of(function, vertical="layer"):
        return Diagnostic(
            state,
            lambda model, window, density, theta: function(
                model, window, np.asarray(density, float), np.asarray(theta, float)
            ),
            linear=False,
            vertical=vertical,
        )

    on_earth = {} if not model.area else dict(map(partial(wind_on_earth, model), range(2)))
    return on_earth | {
        "air_temperature": of(lambda model, _, density, theta: temperature(model, density, theta)),
        "air_pressure": of(lambda model, _, density, theta: pressure(model, density, theta)),
        "surface_air_pressure": of(surface_pressure, "column"),
        "air_pressure_at_mean_sea_level": of(sea_level_pressure, "column"),
        "geopotential_height": of(lambda model, window, density, theta: height(model, window)),
        "potential_temperature_deviation": Diagnostic(
            ("air_potential_temperature",),
            lambda model, window, theta: theta - part(model.air_at_rest[2], window),
            vertical="interface",
        ),
    }


def wind_on_earth(model, number):
    """Name and Diagnostic of the eastward or the northward wind, of wind along the axes."""
    needs = ("eastward_wind", "northward_wind")

    def of(model, window, u, v):
        angle = part(model.grid.angle, window)
        return turned(np.asarray(u, float), np.asarray(v, float), angle)[number]

    return needs[number], Diagnostic(needs, of, vertical="layer")


def height(model, window):
    """Of layers, geopotential [m]."""
    z = part(model.heights, window)
    return model.geopotential((z[1:] + z[:-1]) / 2)


def part(values, window):
    """Of a window (j0, i0, ny, nx) of the grid."""
    j0, i0, ny, nx = window
    return values[..., j0 : j0 + ny, i0 : i0 + nx]


def watch(simulation):
    """Numbers of now: name -> (value, units), and words for the line of progress."""
    e = simulation.fields.extremes
    u, v = (e(name) for name in ("eastward_wind", "northward_wind"))
    w, theta = (e(name) for name in ("upward_air_velocity", "air_potential_temperature"))
    most = lambda *all: max(abs(one[end]) for one in all for end in ("minimum", "maximum"))
    solve = simulation.find(mpi.core.HelmholtzSolve)
    each = solve.iterations / max(solve.solves, 1)
    return {
        "maximum_wind": (most(u, v), "m s-1"),
        "maximum_upward_velocity": (most(w), "m s-1"),
        "solver_iterations": (each, "1"),
    }, (
        f"|u| ≤ {most(u, v):.1f}  |w| ≤ {most(w):.3g} m/s"
        f"  theta [{theta['minimum']:.1f}, {theta['maximum']:.1f}] K"
    )
