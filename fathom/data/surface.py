"""Monthly climatology of the sea surface and the air above it, without gaps: the forcing of an
ocean for a year.

The means over the open ocean are balanced: with the bulk formulae of Large & Yeager (2009) over
`sea_surface_temperature`, fluxes multiplied by 1 - `sea_ice_fraction`, net heat flux and
evaporation minus precipitation are zero over the year.

Light over the pack ice of the Southern Ocean is that of fathom/data/light.py, light and longwave
over that of the Arctic those of fathom/data/sky.py.
The surface salinity of `on_points` has the annual mean of the file, 1 degree, and the months of the
climatology of fluxes (fathom/data/fluxes.py), 4 degrees:

    S(month) = S_1 + S_4(month) - mean of S_4
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.base.reading import once
from fathom.data import embedded

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr

FILE = "surface-climatology"
LIGHT, SKY = "downward_shortwave_flux", "downward_longwave_flux"
AIR, SALT = "air_temperature", "sea_surface_salinity"
OF_MONTHS = "surface-fluxes"  # the file whose salinity has months
VARIABLES = (
    "wind_speed",
    "eastward_wind",
    "northward_wind",
    "air_temperature",
    "specific_humidity",
    "air_pressure",
    "downward_shortwave_flux",
    "downward_longwave_flux",
    "precipitation_flux",
    "sea_surface_temperature",
    "sea_surface_salinity",
    "sea_ice_fraction",
)


def open(variables: str | list[str] | None = None) -> xr.Dataset:
    """Returns the climatology: air on (month, latitude, longitude), 2 degrees; sea on (month,
    sea_latitude, sea_longitude), 1.

    `precipitation_flux` and, here, `sea_surface_salinity` are annual means, without `month`;
    `day_of_year` is the middle of each month. Raises KeyError for an unknown variable.
    """
    data = embedded.dataset(FILE, variables)
    for name in (LIGHT, SKY):
        if name in data:
            data = data.assign({name: data[name].copy(data=_over_pack(name)[0])})
    return data


@once
def on_points(
    latitude: np.ndarray, longitude: np.ndarray, *variables: str, month: int | None = None
) -> dict[str, np.ndarray]:
    """Returns the chosen variables (all, if none is named) at the points of a model grid.

    latitude, longitude  any one shape, degrees
    month                0 for January; None for all twelve

    Returns float32 arrays (12, *shape of latitude), or of the shape of latitude for one month;
    annual means repeated as read-only views. Wind components stay eastward and northward. Raises
    KeyError for an unknown variable.
    """
    import numpy as np  # `import fathom.data` stays cheap

    from fathom.grids.regrid import points as regrid  # `import fathom.data` stays cheap

    wanted = variables or VARIABLES
    replaced = [name for name in (LIGHT, SKY) if name in wanted]
    found = embedded.on_points(
        FILE, latitude, longitude, *(name for name in wanted if name not in replaced), month=month
    )
    for name in replaced:
        flux, y, x = _over_pack(name, month)
        found[name] = regrid.bilinear(flux, y, x, latitude, longitude)
    found = {name: found[name] for name in wanted}
    if SALT in wanted:
        name, place = OF_MONTHS, (latitude, longitude)
        (months,) = embedded.on_points(name, *place, SALT).values()
        change = months - months.mean(0)
        found[SALT] = found[SALT] + (change if month is None else change[month])
    if month is not None:
        return found
    shape = (12, *np.shape(latitude))
    return {name: np.broadcast_to(field, shape) for name, field in found.items()}


def _over_pack(name: str, month: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns light or longwave of a month (latitude, longitude), or of all (12, ...), with that
    over the pack; latitude, longitude.
    """
    import numpy as np  # `import fathom.data` stays cheap

    from fathom.data import light, sky  # `import fathom.data` stays cheap

    flux, air, y, x = embedded.read(FILE, name, AIR, "latitude", "longitude", month=month).values()
    rows = y[:, None]

    def replaced(flux: np.ndarray, air: np.ndarray, month: int) -> np.ndarray:
        if name == LIGHT:
            return sky.light(light.over_pack(flux, rows, month), rows, month)
        return sky.longwave(flux, air, rows, month)

    new = (
        [replaced(*both, m) for m, both in enumerate(zip(flux, air))]
        if month is None
        else replaced(flux, air, month)
    )
    return np.asarray(new, np.float32), y, x


def day_of_year() -> np.ndarray:
    """Returns days from the start of the year to the middle of each month (12,)."""
    return embedded.read(FILE, "day_of_year")["day_of_year"].astype(float)
