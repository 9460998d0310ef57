"""Radiation of a column of a case by its own state: the air above it, its surface, its sun.

    above the case's layers   T and q of the file as far as it goes, then T falls by 6.5 K/km to
                              217 K, stays to 20 km and rises by 1 K/km; q as humid as below, at
                              least 3e-6. It affects only radiation.
    surface                   ts_forc or ts of the file, else the lowest air; emissivity 1; albedo
                              of the sea 0.06, of land 0.2
    ozone                     o3 of the file [kg kg-1], else StandardOzone
    sun                       of the file's place and date
    clouds                    of the scheme that carries cloud water, else none

RRTMGP computes fluxes now and then; RadiativeHeating scales them in each step with the sun.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.atmosphere.radiation import RRTMGP
from fathom.base import constants
from fathom.base.earth import GRAVITY
from fathom.base.moist_air import GAS_CONSTANT, VIRTUAL_FACTOR, specific_humidity
from fathom.model.schemes import scheme

TOP, DEEPEST, GROWTH = 45e3, 2500.0, 1.3  # of the air above: top, deepest layer [m]
LAPSE, TROPOPAUSE, STRATOSPHERE, WARMING = 6.5e-3, 217.0, 20e3, 1e-3  # [K/m], [K], [m], [K/m]
DRIEST = 3e-6
albedos = {"ocean": 0.06, "land": 0.2, "landice": 0.7}
fluxes = (
    "outgoing_longwave",
    "toa_net_shortwave",
    "surface_net_shortwave",
    "surface_downward_longwave",
)


def with_interfaces_above(heights: Any) -> Any:
    """Returns heights of interfaces, upward, and more of them above [m]."""
    z, depth, found = heights[-1], heights[-1] - heights[-2], []
    while z < TOP:
        depth = min(depth * GROWTH, DEEPEST)
        z += depth
        found.append(z)
    return np.append(heights, found)


def before(physics: Any, every: Any, ozone: Any) -> list[Any]:
    """Returns the schemes that go before the physics of a case, a list of Scheme."""
    written = {f["name"] for s in physics for f in s.entry["fields"] if f["access"] == "writes"}
    used = {name for s in physics for name in s.field_names}
    of_air = [] if ozone else [scheme("StandardOzone", every=every)]
    clouds = [] if "cloud_fraction" in written else clouds_of(physics, used, every)
    radiation = [] if "longwave_flux" in written else [RRTMGP(every=every)]
    return [scheme("Sunlight"), *of_air, *clouds, *radiation, scheme("RadiativeHeating")]


def clouds_of(physics: Any, used: Any, every: Any) -> list[Any]:
    """Returns the scheme that gives the cloud water of the physics to radiation, with the same
    humidity and share of ice.
    """
    if "cloud_liquid_water" not in used:
        return []
    given: dict[str, float] = {}
    for s in physics:
        for name in ("critical_humidity", "all_ice"):
            if name in s.all_parameters:
                given.setdefault(name, s.all_parameters[name])
    name = "PrognosticCloud" if "cloud_ice" in used else "PrognosticLiquidCloud"
    return [scheme(name, every=every, **given)]


class AirAbove:
    """Temperature, humidity and pressure above the top of a case, upward, that stay as they are."""

    def __init__(self, file: Any, interfaces: Any) -> None:
        """Reads the columns of a file. interfaces: the case's top and those above it, upward
        [m].
        """
        self.file, known = file, float(file.height[-1])
        self.z = 0.5 * (interfaces[1:] + interfaces[:-1])
        (last_T,), (last_q,) = self._of_file(np.array([known]))
        humid = last_q / specific_humidity(1.0, last_T, file.pressure(np.array([known]))[0])
        T, q = self._of_file(np.minimum(self.z, known))
        pressure = [float(file.pressure(interfaces[:1])[0])]
        for n, z in enumerate(self.z):
            if z > known:
                T[n] = standard(last_T, known, z)
                saturated = specific_humidity(1.0, T[n], pressure[-1])
                q[n] = max(min(humid * saturated, q[n - 1] if n else last_q), DRIEST)
            per = GRAVITY / (GAS_CONSTANT * T[n] * (1 + VIRTUAL_FACTOR * q[n]))
            pressure.append(pressure[-1] * np.exp(-per * (interfaces[n + 1] - interfaces[n])))
        self.temperature, self.humidity, self.pressure = T, q, np.array(pressure[1:])

    def _of_file(self, z: Any) -> tuple[Any, ...]:
        kind = self.file.first(("ta", "theta", "thetal"))
        T = self.file.initial(kind, z)
        if kind != "ta":
            T = T * (self.file.pressure(z) / 1e5) ** (2 / 7)
        return T, self.file.humidity(z)


def standard(T: Any, base: Any, z: Any) -> Any:
    """Returns temperature at z [K, m] above air of T at the height base."""
    falling = max(T - LAPSE * (min(z, STRATOSPHERE) - base), min(TROPOPAUSE, T))
    return falling + WARMING * max(z - max(STRATOSPHERE, base), 0)


def surface(file: Any, seconds: Any, lowest: Any) -> dict[str, Any]:
    """Returns temperature, emission and albedo of the ground, as fields."""
    name = next((n for n in ("ts_forc", "ts") if file.has(n)), None)
    T = lowest if name is None else file.at(name, seconds)
    kind = str(file.attributes.get("surface_type", "ocean")).strip().lower()
    return {
        "surface_temperature": T,
        "surface_emission": constants.stefan_boltzmann * T**4,
        "albedo": albedos.get(kind, 0.2),
    }
