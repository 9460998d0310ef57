"""What columns from driver files have found, compared with the ranges of large-eddy simulations.

Means (of plumes medians) over the hours that end where the publication's do, or with the run.
GABLS1: Beare et al. 2006, Boundary-Layer Meteorol. 118, 247-272, the depth where the stress has
fallen to 5 %, over 0.95. BOMEX: Siebesma et al. 2003, J. Atmos. Sci. 60, 1201-1219. Of other cases
no range is kept: the figures stand alone.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

plumes = ("TKE", "VerticalDiffusion", "ShallowMassFlux", "LargeScaleCondensation")


class Case(NamedTuple):
    """A published case: its ranges by quantity, and how it is run."""

    source: str = ""
    ranges: dict[str, tuple[float, float]] = {}
    hours: float = 1  # of which the means are
    until: float = 0  # end of them; 0: with the run
    top: float = 3000  # [m]
    layers: int = 75
    step: str = "60s"
    physics: tuple[str, ...] = plumes
    roughness: float | None = None  # [m]


dry = ("TKE", "VerticalDiffusion")
# sheets of cloud that microphysics carries, turbulence mixes and radiation sees
warm_sheet = (
    "CloudyTKE",
    "LiquidDiffusion",
    "VerticalDiffusion",
    "ShallowMassFlux",
    "WarmMicrophysics",
)
cold_sheet = (
    "CloudyTKE",
    "CloudDiffusion",
    "VerticalDiffusion",
    "ShallowMassFlux",
    "IceMicrophysics",
)
cases = {
    "GABLS1": Case(
        "Beare et al. 2006",
        {"friction velocity": (0.26, 0.30), "depth of the stress": (150, 200)},
        top=500,
        layers=80,
        step="30s",
        physics=dry,
        until=9,
    ),
    "BOMEX": Case(
        "Siebesma et al. 2003",
        {"cloud base": (500, 600), "mass flux at base": (0.02, 0.03), "cloud top": (1500, 2000)},
        hours=3,
        until=6,
    ),
    # its drag coefficient of 0.001229 at 20 m
    "RICO": Case(top=4000, layers=100, hours=4, until=24, roughness=2.2e-4),
    "ARMCU": Case(top=4400, layers=110, until=9),
    "AYOTTE": Case(top=3000, layers=75, physics=(*dry, "ShallowMassFlux")),
    "SANDU": Case(top=4000, layers=100, hours=24, physics=warm_sheet, roughness=2e-4),
    "FIRE": Case(top=1500, layers=75, hours=12, physics=warm_sheet, roughness=2e-4),
    "MPACE": Case(top=4000, layers=100, hours=4, physics=cold_sheet),
}


def case(name: str) -> Case:
    """Returns the case of that name in the file: "BOMEX", "GABLS1/REF", "AYOTTE/24SC"; a plain one
    for other names.
    """
    return cases.get(re.split(r"[^A-Z0-9]", str(name).upper())[0], Case())


def late(profiles: Any) -> Any:
    """Returns the hours that count, or the last of them where the run ends before."""
    of = case(profiles.attrs.get("case", ""))
    seconds = (profiles.time - profiles.time[0]) / np.timedelta64(1, "s")
    end = min(3600 * of.until or np.inf, float(seconds[-1]))
    inside = (seconds > end - 3600 * of.hours) & (seconds <= end)
    return profiles.sel(time=inside.values)


def found(profiles: Any) -> dict[str, tuple[float, str]]:
    """Returns quantity: number and unit, from the profiles of ForcedColumn.run."""
    counted = late(profiles)
    mean = counted.mean("time")
    speed = np.hypot(mean.eastward_wind.values, mean.northward_wind.values)
    at = int(speed.argmax())
    figures = {
        "friction velocity": (float(mean.friction_velocity), "m s-1"),
        "sensible heat": (float(mean.sensible_heat), "W m-2"),
        "evaporation": (86400 * float(mean.evaporation), "mm day-1"),
        "largest wind": (float(speed[at]), "m s-1"),
        "height of it": (float(mean.height[at]), "m"),
    }
    if "air_diffusivity" in mean:
        figures["depth of the stress"] = (stress_depth(mean), "m")
    if "shallow_mass_flux" in mean:
        each = [plume(counted.isel(time=n)) for n in range(counted.sizes["time"])]
        base, flux, top = (float(number) for number in np.median(each, axis=0))
        if flux > 0:
            figures["cloud base"], figures["mass flux at base"] = (base, "m"), (flux, "kg m-2 s-1")
        figures["cloud top" if flux > 0 else "top of the plume"] = (top, "m")
    for name in ("liquid_water", "ice"):
        if f"cloud_{name}_path" in mean:
            path = 1000 * float(mean[f"cloud_{name}_path"])
            figures[f"{name.replace('_', ' ')} path"] = (path, "g m-2")
    if "cloud_fraction" in mean:
        figures["largest cover of a layer"] = (float(mean.cloud_fraction.max()), "1")
        figures["long wave into space"] = (float(mean.outgoing_longwave), "W m-2")
        figures["sunlight taken"] = (float(mean.toa_net_shortwave), "W m-2")
        figures["sunlight at the ground"] = (float(mean.surface_net_shortwave), "W m-2")
    return figures


def stress_depth(mean: Any) -> float:
    """Returns where the stress has fallen to 5 % of that at the ground, over 0.95 [m]."""
    z = mean.height.values
    shear = np.hypot(np.diff(mean.eastward_wind), np.diff(mean.northward_wind)) / np.diff(z)
    stress = mean.air_diffusivity.values[1:-1] * shear
    inside = np.flatnonzero(stress > 0.05 * float(mean.friction_velocity) ** 2)
    return float(mean.interface.values[1:-1][inside[-1]]) / 0.95 if inside.size else 0.0


def plume(now: Any) -> tuple[float, float, float]:
    """Returns base of the clouds [m], where the plume loses most of its flux, the flux [kg m-2 s-1]
    there, 0 where there is no cloud, and where the plume ends [m].
    """
    flux, z = now.shallow_mass_flux.values, now.interface.values
    base, there = 1 + int(np.diff(flux).argmin()), flux > 1e-3 * flux.max()
    cloudy = there[base] and there[base + 1 :].sum() > 2
    top = float(z[there].max(initial=0))
    return float(z[base]), float(flux[base]) if cloudy else 0.0, top


def compared(profiles: Any) -> list[tuple[str, str, str]]:
    """Returns rows of quantity, result, and the published range with its source ("" if none)."""
    published = case(profiles.attrs.get("case", ""))
    rows = []
    for quantity, (number, unit) in found(profiles).items():
        said = ""
        if quantity in published.ranges:
            said = "{:g} to {:g}".format(*published.ranges[quantity]) + f" ({published.source})"
        rows.append((quantity, f"{number:.4g} {unit}", said))
    return rows
