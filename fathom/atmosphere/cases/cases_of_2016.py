"""Test cases of DCMIP 2016 (Ullrich et al. 2016, test case document), as functions of the model.

tropical-cyclone  a vortex in gradient wind balance over a warm sea (Reed & Jablonowski 2011)
supercell         a warm bubble in moist, sheared air on a small planet that stands still
                  (Klemp, Skamarock & Park 2015); -balanced: without the bubble
ullrich           a baroclinic wave of dry air, deep or shallow as the model is (Ullrich, Melvin,
                  Jablonowski & Staniforth 2014); -balanced: without its perturbation
"""

from typing import Any

import numpy as np

from fathom.base.earth import GRAVITY as gravity
from fathom.base.failure import InputError
from fathom.model.component import Array

R, cp = 287.0, 1004.5
kappa, vapour = R / cp, 0.608


def _degrees(function: Any) -> Any:
    """Returns a function of degrees from one of radians."""
    return lambda longitude, latitude, *pressure: (
        np.asarray(function(np.deg2rad(longitude), np.deg2rad(latitude), *pressure))
        + 0 * (longitude + latitude)
    )


# long: the functions of a case share its constants
def tropical_cyclone(
    model: Any, latitude: float = 10.0, longitude: float = 180.0
) -> dict[str, Any]:
    """Returns p(r, z) = (p0 - dp exp(-(r/rp)^3/2 - (z/zp)^2)) ((T0 - G z) / T0)^(g / (R G)) below
    15 km, with the temperature and the wind that balance it, q = q0 exp(-z / 3 km - (z / 8 km)^2).
    """
    p0, dp, rp, zp, q0, lapse, tropopause = 101500.0, 1115.0, 282e3, 7e3, 0.021, 0.007, 15e3
    T0 = 302.15 * (1 + vapour * q0)
    a, c = model.grid.radius, np.deg2rad(latitude)
    middle, f = np.deg2rad(longitude), 2 * model.parameters["rotation"] * np.sin(c)
    power, at_top = gravity / (R * lapse), T0 - lapse * tropopause
    top_pressure = p0 * (at_top / T0) ** power

    def distance(x: Any, y: Any) -> Any:
        cosine = np.sin(c) * np.sin(y) + np.cos(c) * np.cos(y) * np.cos(x - middle)
        return a * np.arccos(np.clip(cosine, -1, 1))

    def log_pressure(r: Any, z: Any) -> Array:
        low = np.minimum(z, tropopause)
        deep = dp * np.exp(-((r / rp) ** 1.5) - (low / zp) ** 2)
        inside = np.log(p0 - deep) + power * np.log((T0 - lapse * low) / T0)
        above = np.log(top_pressure) - gravity * (z - tropopause) / (R * at_top)
        result: Array = np.where(z < tropopause, inside, above)
        return result

    def height(r: Any, p: Any) -> Any:
        """Returns the height, found by Newton's steps from the air around."""
        x = np.log(p)
        z = T0 / lapse * (1 - (p / p0) ** (1 / power))
        z = np.where(
            p < top_pressure, tropopause + R * at_top / gravity * np.log(top_pressure / p), z
        )
        for _ in range(12):
            warm = np.maximum(T0 - lapse * z, at_top)
            z = z + (log_pressure(r, z) - x) * R * warm / gravity
        return z

    def grown(r: Any, z: Any) -> Any:
        """Returns exp((r / rp)^3/2 + (z / zp)^2) p0 / dp, bounded: what lies far away is at
        rest."""
        return p0 / dp * np.exp(np.minimum((r / rp) ** 1.5 + (z / zp) ** 2, 300.0))

    def humid(z: Any) -> Array:
        return np.where(z < tropopause, q0 * np.exp(-z / 3e3 - (z / 8e3) ** 2), 1e-11)

    def temperature(x: Any, y: Any, p: Any) -> Any:
        r = distance(x, y)
        z = height(r, p)
        virtual = T0 - lapse * z
        colder = 1 + 2 * R * virtual * z / (gravity * zp**2 * (1 - grown(r, z)))
        return np.where(z < tropopause, virtual / colder, at_top) / (1 + vapour * humid(z))

    def around(x: Any, y: Any, p: Any) -> tuple[Any, ...]:
        """Returns the wind round the middle, and its share to the east and north."""
        r = distance(x, y)
        z = height(r, p)
        virtual = T0 - lapse * z
        below = 1 + 2 * R * virtual * z / (gravity * zp**2) - grown(r, z)
        half = f * r / 2
        push = -1.5 * (r / rp) ** 1.5 * virtual * R / below
        wind = np.where(z < tropopause, -half + np.sqrt(half**2 + np.maximum(push, 0)), 0.0)
        d1 = np.sin(c) * np.cos(y) - np.cos(c) * np.sin(y) * np.cos(x - middle)
        d2 = np.cos(c) * np.sin(x - middle)
        d = np.maximum(np.hypot(d1, d2), 1e-25)
        return wind * d1 / d, wind * d2 / d

    def humidity(x: Any, y: Any, p: Any) -> Any:
        return humid(height(distance(x, y), p))

    return {
        "eastward_wind": _degrees(lambda x, y, p: around(x, y, p)[0]),
        "northward_wind": _degrees(lambda x, y, p: around(x, y, p)[1]),
        "air_temperature": _degrees(temperature),
        "log_surface_pressure": _degrees(lambda x, y: log_pressure(distance(x, y), 0.0)),
        **_if_moist(model, _degrees(humidity)),
        **(
            {"sea_surface_temperature": 302.15}
            if "sea_surface_temperature" in model.boundary
            else {}
        ),
    }


def _if_moist(model: Any, humidity: Any) -> dict[str, Any]:
    if not model.moist:
        raise InputError("this case is of moist air: tracers = ['specific_humidity'] at least")
    return {"specific_humidity": humidity}


# long: the functions of the case share its constants
def supercell(model: Any, warmer: float = 3.0) -> dict[str, Any]:
    """Returns theta = 300 K + 43 K (z / 12 km)^5/4, humidity 1 - 3/4 (z / 12 km)^5/4 on the equator
    up to 12 km, q at most 14 g/kg; u = U(z) cos(latitude), 30 m/s more at 5 km than at the ground.
    Away from the equator all is in balance, found by iteration:
        dPi/dlatitude = -U^2 sin(2 latitude) / (2 cp theta_v),  cp theta_v dPi/dz = -g
    """
    if model.parameters["rotation"]:
        raise InputError("the case supercell is for a planet that does not rotate: rotation = 0")
    from scipy.interpolate import RectBivariateSpline  # start-up time

    z, y = np.linspace(0, 1.3 * model.grid.levels.top, 800), np.linspace(0, np.pi / 2, 181)
    low = np.minimum(z, 12e3)
    theta = np.where(
        z < 12e3, 300 + 43 * (low / 12e3) ** 1.25, 343 * np.exp(gravity * (z - 12e3) / (cp * 213))
    )
    relative = np.where(z < 12e3, 1 - 0.75 * (low / 12e3) ** 1.25, 0.25)
    humid, exner = np.zeros_like(z), np.zeros_like(z)

    def along(f: Any, x: Any) -> np.ndarray:
        return np.concatenate([[0], np.cumsum((f[1:] + f[:-1]) / 2 * np.diff(x))])

    for _ in range(20):
        exner = 1 - along(gravity / (cp * theta * (1 + vapour * humid)), z)
        T = theta * exner
        saturated = 380 / (1e5 * exner ** (1 / kappa)) * np.exp(17.27 * (T - 273) / (T - 36))
        humid = np.minimum(relative * saturated, 0.014)
    on_equator = theta * (1 + vapour * humid)
    x = z / 5e3
    mixed = (-0.8 + 3 * x - 1.25 * x**2) * 30.0
    wind = np.where(z < 4e3, 30 * x, np.where(z < 6e3, mixed, 30.0)) - 15.0
    virtual = np.tile(on_equator, (len(y), 1))
    for _ in range(12):
        push = -np.sin(2 * y)[:, None] * wind**2 / (2 * cp * virtual)
        all_ = exner + np.stack([along(column, y) for column in push.T], 1)
        slope = np.gradient(all_, z, axis=1) - np.gradient(exner, z)
        virtual = 1 / (1 / on_equator - slope * cp / gravity)
    s = np.linspace(np.log(all_[:, -1].min()), np.log(all_[:, 0].max()), 800)

    def of_pressure(values: Any) -> Any:
        return RectBivariateSpline(
            y, s, [np.interp(-s, -np.log(p), f) for p, f in zip(all_, values)], kx=3, ky=1
        )

    def flat(f: Any) -> Any:
        return np.tile(f, (len(y), 1))

    heights, warmth, wet = (of_pressure(f) for f in (flat(z), virtual, flat(humid)))

    def ground(lat: Any) -> Any:
        return np.interp(np.abs(lat), y, all_[:, 0])

    def at(of: Any, lat: Any, p: Any) -> Any:
        return of.ev(np.abs(lat), kappa * np.log(p / 1e5))

    def bubble(longitude: Any, lat: Any, height: Any) -> Any:
        away = np.arccos(np.clip(np.cos(lat) * np.cos(longitude - 2 * np.pi / 3), -1, 1))
        far = np.hypot(model.grid.radius * away / 10e3, (height - 1.5e3) / 1.5e3)
        return warmer * np.where(far < 1, np.cos(np.pi / 2 * far) ** 2, 0.0)

    def temperature(longitude: Any, lat: Any, p: Any) -> Any:
        q, height = at(wet, lat, p), at(heights, lat, p)
        dry = at(warmth, lat, p) / (1 + vapour * q) + bubble(longitude, lat, height)
        return dry * (p / 1e5) ** kappa

    def blown(lat: Any, p: Any) -> Any:
        return np.interp(at(heights, lat, p), z, wind) * np.cos(lat)

    return {
        "eastward_wind": _degrees(lambda x, y, p: blown(y, p)),
        "northward_wind": 0.0,
        "air_temperature": _degrees(temperature),
        "surface_air_pressure": _degrees(lambda x, y: 1e5 * ground(y) ** (1 / kappa)),
        **_if_moist(model, _degrees(lambda x, y, p: at(wet, y, p))),
    }


# long: the functions of the case share its constants
def baroclinic_wave(model: Any, hill: float = 1.0) -> dict[str, Any]:
    """Returns T = (a/r)^2 / (t1(z) - t2(z) J(x)),  J = x^3 - 3/5 x^5,  x = r/a cos(latitude),
    p = p0 exp(-g/R int (t1 - t2 J) dz), the wind that balances it, and where it begins to grow a
    hill of 1 m/s in the wind at 20 E, 40 N, up to 15 km. a/r = 1 in a shallow atmosphere.
    """
    p0, at_equator, at_pole, lapse, width, K = 1e5, 310.0, 240.0, 0.005, 2.0, 3.0
    a, Omega = model.grid.radius, model.parameters["rotation"]
    curvature = model.curvature
    T0 = (at_equator + at_pole) / 2
    H = width * R * T0 / gravity
    B = (T0 - at_pole) / (T0 * at_pole)
    C = (K + 2) / 2 * (at_equator - at_pole) / (at_equator * at_pole)

    def profiles(z: Any) -> tuple[Any, ...]:
        """Returns t1, t2 and their integrals from the ground."""
        square = (z / H) ** 2
        bump = np.exp(-square)
        steep, warm = (1 - 2 * square) * bump, np.exp(lapse / T0 * z)
        return (
            warm / T0 + B * steep, C * steep, (warm - 1) / lapse + B * z * bump, C * z * bump
        )  # fmt: skip

    def state(latitude: Any, p: Any) -> tuple[Any, ...]:
        """Returns height, temperature, wind to the east; the height by Newton's steps."""
        z = R * T0 / gravity * np.log(p0 / p) + 0 * latitude
        for _ in range(20):
            s = 1 + curvature * z
            x = s * np.cos(latitude)
            t1, t2, T1, T2 = profiles(z)
            J = x**K - K / (K + 2) * x ** (K + 2)
            z = z + (np.log(p0 / p) * R / gravity - (T1 - T2 * J)) / (t1 - t2 * J)
        T = 1 / (s**2 * (t1 - t2 * J))
        U = gravity * K / a * T2 * (x ** (K - 1) - x ** (K + 1)) * T
        turning = Omega * a * x
        return z, T, -turning + np.sqrt(turning**2 + a * x * U)

    def eastward(longitude: Any, latitude: Any, p: Any) -> Any:
        z, _, u = state(latitude, p)
        middle = 2 * np.pi / 9
        away = np.arccos(
            np.sin(middle) * np.sin(latitude)
            + np.cos(middle) * np.cos(latitude) * np.cos(longitude - np.pi / 9)
        )
        low = np.clip(z / 15e3, 0, 1)
        near = np.where(away < 0.1, np.exp(-((away / 0.1) ** 2)), 0.0)
        return u + hill * near * (1 - 3 * low**2 + 2 * low**3)

    return {
        "eastward_wind": _degrees(eastward),
        "northward_wind": 0.0,
        "air_temperature": _degrees(lambda x, y, p: state(y, p)[1]),
        "surface_air_pressure": _degrees(lambda x, y: p0),
    }


cases = {
    "ullrich": baroclinic_wave,
    "ullrich-balanced": lambda model: baroclinic_wave(model, 0.0),
    "tropical-cyclone": tropical_cyclone,
    "supercell": supercell,
    "supercell-balanced": lambda model: supercell(model, 0.0),
}
