"""Initial states of published test cases, balanced with the constants of the model:
`model.set(case="williamson-5")`.

Shallow water:

    williamson-2           steady zonal flow (Williamson et al. 1992, J. Comput. Phys. 102, 211)
    williamson-2-45        the same, turned by 45 degrees
    williamson-5           zonal flow over a mountain
    williamson-6           Rossby-Haurwitz wave 4
    galewsky               barotropically unstable jet (Galewsky et al. 2004, Tellus 56A, 429);
                           -balanced: without perturbation

Primitive equations:

    williamson-1           the tracer `bell` once round the equator in 12 days (rotation = 0);
                           -90: over the poles
    jablonowski-williamson
                           baroclinic wave (2006, Q. J. R. Meteorol. Soc. 132, 2943);
                           -balanced: without perturbation
    polvani                baroclinic wave of a short jet (Polvani et al. 2004, Mon. Wea. Rev. 132,
                           2539)
    dcmip-2-0-0            air at rest over rings of mountains (Ullrich et al. 2012, DCMIP test case
                           document; rotation = 0)
    dcmip-3-1              gravity waves of a warm spot on a small planet (the same; rotation = 0,
                           radius = 6371.22e3 / 125)
    ullrich, ullrich-balanced, tropical-cyclone, supercell, supercell-balanced
                           of DCMIP 2016 (fathom/atmosphere/cases/cases_of_2016.py)

A case is a function of the model. It returns the state as functions of longitude and latitude
[degrees] (and pressure [Pa]), and with it `orography`, `mean_geopotential`, `coriolis` where the
case prescribes them.
"""

from typing import Any

import numpy as np

from fathom.atmosphere.cases import cases_of_2016
from fathom.base.earth import GRAVITY as gravity
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.model.component import Array

day = 86400.0


def apply(model: Any, name: str, cases: Any) -> Any:
    """Puts the case of that name into the model; what is not a field of the state becomes the
    model's own. Returns what is set.
    """
    if name not in cases:
        raise InputError(
            f"no case '{name}'{near(str(name), list(cases)) or ';'} allowed: {', '.join(cases)}"
        )
    values = cases[name](model)
    for own in ("orography", "coriolis"):
        if own in values:
            setattr(model, own, values.pop(own))
    mean = values.pop("mean_geopotential", None)
    if mean is not None and model.takes_mean_of_case:
        model.parameters["mean_geopotential"] = mean
    return values


def radians(function: Any) -> Any:
    """Returns a function of degrees from one of radians; arrays of the shape of the coordinates."""
    return lambda longitude, latitude, *pressure: (
        np.asarray(function(np.deg2rad(longitude), np.deg2rad(latitude), *pressure))
        + 0 * (longitude + latitude)
    )


# ---- shallow water -------------------------------------------------------------------------------


def steady_flow(
    model: Any, angle: float = 0.0, speed: Any = None, geopotential: float = 2.94e4
) -> Any:
    """Returns u = u0 (cos(phi) cos(angle) + ...): solid rotation about an axis at `angle` [radians]
    to the poles, and the geopotential that holds it.
    """
    a, rotation = model.grid.radius, model.parameters["rotation"]
    u0 = 2 * np.pi * a / (12 * day) if speed is None else speed

    def along(x: Any, y: Any) -> Any:
        return -np.cos(x) * np.cos(y) * np.sin(angle) + np.sin(y) * np.cos(angle)

    state = {
        "eastward_wind": radians(
            lambda x, y: u0 * (np.cos(y) * np.cos(angle) + np.cos(x) * np.sin(y) * np.sin(angle))
        ),
        "northward_wind": radians(lambda x, y: -u0 * np.sin(x) * np.sin(angle)),
        "fluid_geopotential": radians(
            lambda x, y: geopotential - (a * rotation * u0 + 0.5 * u0**2) * along(x, y) ** 2
        ),
        "mean_geopotential": geopotential,
    }
    if angle:
        state["coriolis"] = radians(lambda x, y: 2 * rotation * along(x, y))
    return state


def flow_over_mountain(model: Any) -> dict[str, Any]:
    """Returns the state of Williamson test 5 (1992, J. Comput. Phys. 102, section 3.5): zonal flow
    of 20 m/s onto a mountain of 2000 m.
    """
    h0, width = 5960.0, np.pi / 9
    state = steady_flow(model, speed=20.0, geopotential=gravity * h0)
    mountain = radians(
        lambda x, y: (
            gravity
            * 2000
            * (1 - np.minimum(width, np.hypot(x - 1.5 * np.pi, y - np.pi / 6)) / width)
        )
    )
    surface = state["fluid_geopotential"]
    result: dict[str, Any] = state | {
        "fluid_geopotential": lambda x, y: surface(x, y) - mountain(x, y),
        "orography": mountain,
    }
    return result


def rossby_haurwitz_wave(
    model: Any, wave: int = 4, rate: float = 7.848e-6, depth: float = 8000.0
) -> dict[str, Any]:
    """Returns the state of Williamson test 6 (1992, J. Comput. Phys. 102, section 3.6); rate: omega
    and K [s-1], depth: h0 [m].
    """
    a, f, w, K, R = model.grid.radius, model.parameters["rotation"], rate, rate, wave

    def geopotential(x: Any, y: Any) -> Any:
        c = np.cos(y)
        A = w / 2 * (2 * f + w) * c**2 + K**2 / 4 * (
            (R + 1) * c ** (2 * R + 2)
            + (2 * R * R - R - 2) * c ** (2 * R)
            - 2 * R * R * c ** (2 * R - 2)
        )
        B = 2 * (f + w) * K / ((R + 1) * (R + 2)) * c**R * (R * R + 2 * R + 2 - (R + 1) ** 2 * c**2)
        C = K**2 / 4 * c ** (2 * R) * ((R + 1) * c**2 - (R + 2))
        return gravity * depth + a * a * (A + B * np.cos(R * x) + C * np.cos(2 * R * x))

    return {
        "eastward_wind": radians(
            lambda x, y: (
                a * w * np.cos(y)
                + a
                * K
                * np.cos(y) ** (R - 1)
                * (R * np.sin(y) ** 2 - np.cos(y) ** 2)
                * np.cos(R * x)
            )
        ),
        "northward_wind": radians(
            lambda x, y: -a * K * R * np.cos(y) ** (R - 1) * np.sin(y) * np.sin(R * x)
        ),
        "fluid_geopotential": radians(geopotential),
        "mean_geopotential": 1.4 * gravity * depth,
    }


def unstable_jet(model: Any, perturbation: float = 120.0, speed: float = 80.0) -> dict[str, Any]:
    """Returns a jet between 26 and 64 N whose geopotential is its balance integrated from pole to
    pole; mean depth 10 km.
    """
    a, rotation = model.grid.radius, model.parameters["rotation"]
    south, north = np.pi / 7, np.pi / 2 - np.pi / 7

    def u(y: Any) -> Array:
        y = np.asarray(y, float)
        inside = (y > south) & (y < north)
        z = np.where(inside, (y - south) * (y - north), -1.0)
        return np.where(inside, speed * np.exp(4 / (north - south) ** 2) * np.exp(1 / z), 0.0)

    points, weights = np.polynomial.legendre.leggauss(20)  # on each of many short intervals
    edges = np.linspace(-np.pi / 2, np.pi / 2, 2001)
    at = edges[:-1, None] + 0.5 * (edges[1] - edges[0]) * (points + 1)
    slope = a * u(at) * (2 * rotation * np.sin(at) + np.tan(at) / a * u(at))
    drop = np.append(0, np.cumsum(0.5 * (edges[1] - edges[0]) * (slope * weights).sum(1)))
    from scipy.interpolate import CubicSpline

    balanced = CubicSpline(edges, -drop)
    dense = np.linspace(-np.pi / 2, np.pi / 2, 40001)
    mean = gravity * 1e4 - np.trapezoid(balanced(dense) * np.cos(dense), dense) / 2

    def hill(x: Any, y: Any) -> Any:
        return (
            gravity
            * perturbation
            * np.cos(y)
            * np.exp(-((3 * _around(x)) ** 2) - (15 * (np.pi / 4 - y)) ** 2)
        )

    return {
        "eastward_wind": radians(lambda x, y: u(y)),
        "northward_wind": 0.0,
        "fluid_geopotential": radians(lambda x, y: mean + balanced(y) + hill(x, y)),
        "mean_geopotential": 1.1 * gravity * 1e4,
    }


def _around(longitude: Any) -> Any:
    """Returns an angle in [-pi, pi)."""
    return (longitude + np.pi) % (2 * np.pi) - np.pi


shallow_water = {
    "williamson-2": steady_flow,
    "williamson-2-45": lambda model: steady_flow(model, np.pi / 4),
    "williamson-5": flow_over_mountain,
    "williamson-6": rossby_haurwitz_wave,
    "galewsky": unstable_jet,
    "galewsky-balanced": lambda model: unstable_jet(model, 0.0),
}


# ---- primitive equations -------------------------------------------------------------------------


def cosine_bell(model: Any, angle: float = 0.0) -> dict[str, Any]:
    """Returns a bell of width a / 3 in solid rotation about an axis at `angle` [radians] to the
    poles, round once in 12 days; the air turns without the earth and the surface pressure of an
    isothermal atmosphere holds it, so that wind and bell keep their shape.
    """
    if model.parameters["rotation"] or "bell" not in model.tracers:
        raise InputError(
            "the case carries a tracer over an earth that does not rotate: SpectralAtmosphere(grid,"
            ' rotation=0, tracers=["bell"])'
        )
    u0, temperature = 2 * np.pi * model.grid.radius / (12 * day), 300.0

    def along(x: Any, y: Any) -> Any:
        return -np.cos(x) * np.cos(y) * np.sin(angle) + np.sin(y) * np.cos(angle)

    def distance(x: Any, y: Any) -> Any:
        return np.arccos(np.clip(np.cos(y) * np.cos(x - 1.5 * np.pi), -1, 1))

    return {
        "eastward_wind": radians(
            lambda x, y, p: u0 * (np.cos(y) * np.cos(angle) + np.cos(x) * np.sin(y) * np.sin(angle))
        ),
        "northward_wind": radians(lambda x, y, p: -u0 * np.sin(x) * np.sin(angle)),
        "air_temperature": temperature,
        "log_surface_pressure": radians(
            lambda x, y: (
                np.log(1e5)
                - 0.5 * u0**2 / (model.parameters["gas_constant"] * temperature) * along(x, y) ** 2
            )
        ),
        "bell": radians(
            lambda x, y, p: 0.5 * (1 + np.cos(3 * np.pi * np.minimum(distance(x, y), 1 / 3)))
        ),
    }


def baroclinic_wave(model: Any, perturbation: float = 1.0) -> dict[str, Any]:
    """Returns u = u0 cos(eta_v)^(3/2) sin(2 phi)^2, eta_v = (p / p0 - 0.252) pi / 2; temperature
    and surface geopotential hold it; a hill of 1 m/s in u at 20 E, 40 N.
    """
    a, rotation, R = (
        model.grid.radius,
        model.parameters["rotation"],
        model.parameters["gas_constant"],
    )
    u0, T0, lapse, tropopause, dT = 35.0, 288.0, 0.005, 0.2, 4.8e5

    def turned(p: Any) -> Any:
        return (p / 1e5 - 0.252) * np.pi / 2

    def of_wind(y: Any) -> Any:
        return -2 * np.sin(y) ** 6 * (np.cos(y) ** 2 + 1 / 3) + 10 / 63

    def of_rotation(y: Any) -> Any:
        return (8 / 5 * np.cos(y) ** 3 * (np.sin(y) ** 2 + 2 / 3) - np.pi / 4) * a * rotation

    def wind(x: Any, y: Any, p: Any) -> Any:
        distance = np.arccos(
            np.clip(
                np.sin(2 * np.pi / 9) * np.sin(y)
                + np.cos(2 * np.pi / 9) * np.cos(y) * np.cos(x - np.pi / 9),
                -1,
                1,
            )
        )
        return u0 * np.cos(turned(p)) ** 1.5 * np.sin(2 * y) ** 2 + perturbation * np.exp(
            -((10 * distance) ** 2)
        )

    def temperature(x: Any, y: Any, p: Any) -> Any:
        eta, at = p / 1e5, turned(p)
        mean = T0 * eta ** (R * lapse / gravity) + dT * np.maximum(0, tropopause - eta) ** 5
        return mean + 0.75 * eta * np.pi * u0 / R * np.sin(at) * np.sqrt(np.cos(at)) * (
            of_wind(y) * 2 * u0 * np.cos(at) ** 1.5 + of_rotation(y)
        )

    low = u0 * np.cos(turned(1e5)) ** 1.5
    return {
        "eastward_wind": radians(wind),
        "northward_wind": 0.0,
        "air_temperature": radians(temperature),
        "surface_air_pressure": 1e5,
        "orography": radians(lambda x, y: low * (of_wind(y) * low + of_rotation(y))),
    }


def short_jet(model: Any, perturbation: float = 1.0) -> dict[str, Any]:
    """Returns a jet of 50 m/s in the northern hemisphere alone; temperature in thermal wind balance
    around the standard atmosphere; a hill of 1 K at 0 E, 45 N.
    """
    a, rotation, R = (
        model.grid.radius,
        model.parameters["rotation"],
        model.parameters["gas_constant"],
    )
    H, z0, depth, z1, u0 = 7340.0, 22e3, 5e3, 30e3, 50.0
    heights, slopes = (
        np.array([0, 11e3, 20e3, 32e3, 47e3, 51e3, 71e3, 80e3]),
        np.array([-6.5e-3, 0, 1e-3, 2.8e-3, 0, -2.8e-3, -2e-3]),
    )
    standard = 288.15 + np.append(0, np.cumsum(slopes * np.diff(heights)))

    def across(y: Any) -> Any:
        return np.where(y > 0, np.sin(np.pi * np.sin(y) ** 2) ** 3, 0.0)

    def profile(p: Any) -> tuple[Any, ...]:
        z = -H * np.log(p / 1e5)
        bend, wave = 1 - np.tanh((z - z0) / depth) ** 3, np.sin(np.pi * z / z1)
        slope = -3 * (np.tanh((z - z0) / depth) / np.cosh((z - z0) / depth)) ** 2 / depth
        return (
            z,
            0.5 * bend * wave,
            0.5 * (bend * np.cos(np.pi * z / z1) * np.pi / z1 + slope * wave),
        )

    fine = np.linspace(-np.pi / 2, np.pi / 2, 8001)

    def temperature(x: Any, y: Any, p: Any) -> Any:
        from scipy.interpolate import CubicSpline

        z, F, dF = profile(p)
        slope = (
            -H
            / R
            * (
                2 * a * rotation * np.sin(fine[1:-1])
                + 2 * u0 * F * across(fine[1:-1]) * np.tan(fine[1:-1])
            )
            * u0
            * dF
            * across(fine[1:-1])
        )
        integral = CubicSpline(fine, np.concatenate([[0], slope, [0]])).antiderivative()
        mean = CubicSpline(fine, integral(fine) * np.cos(fine)).integrate(-np.pi / 2, np.pi / 2) / 2
        hill = perturbation / (np.cosh(3 * _around(x)) * np.cosh(6 * (y - np.pi / 4))) ** 2
        return integral(y) - mean + np.interp(z, heights, standard) + hill

    return {
        "eastward_wind": radians(lambda x, y, p: u0 * across(y) * profile(p)[1]),
        "northward_wind": 0.0,
        "air_temperature": radians(temperature),
        "surface_air_pressure": 1e5,
    }


def _stands_still(model: Any, name: str) -> None:
    if model.parameters["rotation"]:
        raise InputError(f"the case {name} is for a planet that does not rotate: rotation = 0")


def rest_over_rings(model: Any) -> dict[str, Any]:
    """Returns one lapse rate; h = h0 / 2 (1 + cos(pi r / R)) cos(pi r / d)^2 within R of a place on
    the equator, h0 = 2000 m, R = 3 pi / 4, d = pi / 16.
    """
    _stands_still(model, "dcmip-2-0-0")
    lapse, warmth, power = 0.0065, 300.0, model.parameters["gas_constant"] / gravity * 0.0065

    def height(x: Any, y: Any) -> Array:
        r = np.arccos(np.clip(np.cos(y) * np.cos(x - 1.5 * np.pi), -1, 1))
        rings = 1e3 * (1 + np.cos(4 / 3 * r)) * np.cos(16 * r) ** 2
        return np.where(r < 0.75 * np.pi, rings, 0.0)

    return {
        "eastward_wind": 0.0,
        "northward_wind": 0.0,
        "air_temperature": radians(lambda x, y, p: warmth * (p / 1e5) ** power),
        "log_surface_pressure": radians(
            lambda x, y: np.log(1e5) + np.log(1 - lapse / warmth * height(x, y)) / power
        ),
        "orography": radians(lambda x, y: gravity * height(x, y)),
    }


def small_planet_waves(model: Any) -> dict[str, Any]:
    """Returns solid rotation of 20 m/s, N = 0.01 s-1, in balance; theta' = d^2 / (d^2 + r^2)
    sin(2 pi z / L) K around 120 E on the equator, d = 5 km, L = 20 km.
    """
    _stands_still(model, "dcmip-3-1")
    a, R = model.grid.radius, model.parameters["gas_constant"]
    u0, equator, N2, kappa = 20.0, 300.0, 1e-4, 2 / 7
    G = gravity**2 * kappa / (N2 * R)

    def ground(y: Any) -> Any:
        return G + (equator - G) * np.exp(-((u0 / gravity) ** 2) * N2 / 4 * (np.cos(2 * y) - 1))

    def temperature(x: Any, y: Any, p: Any) -> Any:
        surface, low = ground(y), np.exp(log_pressure(x, y))
        z = -gravity / N2 * np.log(surface / G * ((p / low) ** kappa - 1) + 1)
        stretch = np.exp(N2 * z / gravity)
        r = a * np.arccos(np.clip(np.cos(y) * np.cos(x - 2 / 3 * np.pi), -1, 1))
        warmer = 5e3**2 / (5e3**2 + r**2) * np.sin(2 * np.pi * z / 20e3)
        return G * (1 - stretch) + surface * stretch + warmer * (p / 1e5) ** kappa

    def log_pressure(x: Any, y: Any) -> Any:
        return (
            np.log(1e5)
            + u0**2 / (4 * G * R) * (np.cos(2 * y) - 1)
            + np.log(ground(y) / equator) / kappa
        )

    return {
        "eastward_wind": radians(lambda x, y, p: u0 * np.cos(y)),
        "northward_wind": 0.0,
        "air_temperature": radians(temperature),
        "log_surface_pressure": radians(log_pressure),
    }


primitive_equations = {
    "williamson-1": cosine_bell,
    "williamson-1-90": lambda model: cosine_bell(model, np.pi / 2),
    "jablonowski-williamson": baroclinic_wave,
    "jablonowski-williamson-balanced": lambda model: baroclinic_wave(model, 0.0),
    "polvani": short_jet,
    "dcmip-2-0-0": rest_over_rings,
    "dcmip-3-1": small_planet_waves,
    **cases_of_2016.cases,
}
