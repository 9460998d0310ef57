"""Monthly climatology of what goes through the surface of the ocean, without gaps: stress of
Trenberth et al. (1990), net heat flux and precipitation less evaporation of the NCEP reanalysis,
surface temperature and salinity of Levitus, and the rivers of CORE-II. Known by the name "ncep".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.base.reading import once
from fathom.data import embedded, surface

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr

FILE = "surface-fluxes"
ALBEDO = 0.066  # of the sea, Large & Yeager (2009)
HERE = (
    "stress_eastward",
    "stress_northward",
    "surface_heat_flux",
    "surface_freshwater_flux",
)
# added from the climatology of the air and the sea (fathom/data/surface.py)
BESIDE = ("sea_surface_temperature", "sea_surface_salinity", "sea_ice_fraction")
VARIABLES = (*HERE, *BESIDE, "surface_shortwave_flux")


def open(variables: str | list[str] | None = None) -> xr.Dataset:
    """Returns the file: on (month, latitude, longitude), 4 degrees, from 78 S to 86 N;
    `runoff_flux` on (river_latitude, river_longitude), 1 degree. Raises KeyError for an unknown
    variable.
    """
    return embedded.dataset(FILE, variables)


@once
def on_points(
    latitude: np.ndarray, longitude: np.ndarray, *variables: str, month: int
) -> dict[str, np.ndarray]:
    """Returns the chosen variables (all, if none is named) at the points of a model grid in a
    month.

    latitude, longitude  any one shape, degrees
    month                0 for January

    Returns float32 arrays of the shape of latitude. Fluxes are positive into the ocean; sunlight is
    part of the heat flux. Raises KeyError for an unknown variable.
    """
    chosen = variables or VARIABLES
    made = {"surface_shortwave_flux": _sunlight}
    place = latitude, longitude
    found = embedded.on_points(
        FILE, *place, *(n for n in chosen if n not in (*BESIDE, *made)), month=month
    )
    found |= (
        surface.on_points(*place, *(n for n in chosen if n in BESIDE), month=month)
        if any(n in BESIDE for n in chosen)
        else {}
    )
    return {name: made[name](*place, month) if name in made else found[name] for name in chosen}


def _sunlight(latitude: np.ndarray, longitude: np.ndarray, month: int) -> np.ndarray:
    """Returns sunlight absorbed by the sea that no ice covers."""
    names = "downward_shortwave_flux", "sea_ice_fraction"
    sun, ice = surface.on_points(latitude, longitude, *names, month=month).values()
    result: np.ndarray = (1 - ALBEDO) * sun * (1 - ice)
    return result


@once
def rivers_on(
    latitude: np.ndarray,
    longitude: np.ndarray,
    area: np.ndarray,
    wet: np.ndarray,
    farthest: float = float("inf"),
) -> np.ndarray:
    """Returns runoff on the cells of a grid [kg m-2 s-1], annual mean, spread at the mouths and 0
    on land: all that the rivers bring, to round-off (fathom/grids/regrid/mouths.py).

    latitude, longitude [degrees], area [m2], wet (bool): of one shape
    farthest [m]: rivers that end farther from the sea of the grid are left out
    """
    from fathom.grids.regrid import mouths  # `import fathom.data` stays cheap

    names = "runoff_flux", "river_latitude", "river_longitude"
    flux, y, x = embedded.read(FILE, *names).values()
    return mouths.spread(flux, y, x, (latitude, longitude, area, wet), farthest=farthest)
