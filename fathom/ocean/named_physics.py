"""Two named sets of parts of an ocean: what is cheap, and what is right. A part that the user names
is the user's; the others are those of the set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.water import WaterGrid
from fathom.model.schemes import scheme
from fathom.ocean.components.eddies import GentMcWilliams
from fathom.ocean.components.free_surface import FreeSurface

OCEANIC_HEAT_FLOW = 0.1  # through the sea floor [W m-2] (Pollack et al. 1993, Rev. Geophys. 31)


def _simple(grid: WaterGrid) -> dict[str, Any]:
    return {
        "vertical_mixing": scheme("RichardsonMixing"),
        "tidal_mixing": None,
        "tracer_advection": scheme("CentredAdvection"),
        "eddies": None,
        "submesoscale": None,
        "geothermal_heat": 0.0,
        "free_surface": FreeSurface(),
    }


def _standard(grid: WaterGrid) -> dict[str, Any]:
    on_earth = grid.horizontal.spherical  # the embedded tides are those of the earth
    return {
        "vertical_mixing": scheme("KPP"),
        "tidal_mixing": scheme("TidalMixing") if on_earth else None,
        "tracer_advection": scheme("UpwindAdvection"),
        "eddies": GentMcWilliams(structure=scheme("StratificationStructure")),
        "submesoscale": scheme("MixedLayerEddies"),
        "geothermal_heat": OCEANIC_HEAT_FLOW if on_earth else 0.0,
        "free_surface": FreeSurface(freshwater="volume"),
    }


named: Mapping[str, Callable[[WaterGrid], dict[str, Any]]] = {
    "simple": _simple,
    "standard": _standard,
}


def usual_parts(physics: str, grid: WaterGrid) -> tuple[str, dict[str, Any]]:
    """Returns the name of a set and its parts by keyword; "default" is "standard" where rows go
    once around the earth, "simple" elsewhere. InputError: there is no such set.
    """
    if physics == "default":
        around = grid.horizontal.spherical and grid.horizontal.periodic
        physics = "standard" if around else "simple"
    if physics not in named:
        raise InputError(
            f"physics = {physics!r}{near(str(physics), named) or ';'} allowed: {', '.join(named)}"
        )
    return physics, named[physics](grid)
