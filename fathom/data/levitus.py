"""Annual mean potential temperature and salinity, 1 degree, 20 levels, without gaps (Levitus
1982).

The file has the water of the Pacific in the Sulu Sea above 1500 m, 4 degC over 10 degC. Below its
sills, 420 m deep, that sea is 9.8 degC warm (Quadfasel et al. 1990, Nature 348, 320-322): the
values are replaced when the file is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.base.reading import once
from fathom.data import embedded

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr

SULU = {"potential_temperature": 9.8, "salinity": 34.47}  # below its sills; [degC], at the least


def open(variables: str | list[str] | None = None) -> xr.Dataset:
    """Opens `potential_temperature` [degC, reference 0 dbar] and `salinity` [practical] on (depth,
    latitude, longitude).

    Values under the sea floor and on land are filled from the water around. Raises KeyError for an
    unknown variable.
    """
    data = embedded.dataset("levitus", variables)
    place = (data[axis].values for axis in ("depth", "latitude", "longitude"))
    sulu = _sulu_sea(*place)
    return data.assign(
        {v: data[v].copy(data=_mended(data[v].values, v, sulu)) for v in SULU if v in data}
    )


@once
def on_points(
    latitude: np.ndarray, longitude: np.ndarray, depth: np.ndarray, *names: str
) -> np.ndarray | tuple[np.ndarray, ...]:
    """Returns potential temperature [degC] and salinity at the points and depths of a model grid.

    latitude, longitude  any one shape, degrees
    depth                (levels,) m, middles of the layers; below 5000 m the values there
    names                "temperature", "salinity": one array for one name;
        both in this order if none is given

    Returns float32 arrays (levels, *shape of latitude). Raises ValueError as `regrid.bilinear`
    does.
    """
    from fathom.grids.regrid import points as regrid  # `import fathom.data` stays cheap

    variables = {"temperature": "potential_temperature", "salinity": "salinity"}
    wanted = [variables[name] for name in names or variables]
    axes = "depth", "latitude", "longitude"
    data = embedded.read("levitus", *wanted, *axes)
    z, y, x = (data[axis] for axis in axes)
    sulu = _sulu_sea(z, y, x)
    fields = tuple(
        regrid.vertical(
            regrid.bilinear(_mended(data[name], name, sulu), y, x, latitude, longitude), z, depth
        )
        for name in wanted
    )
    return fields[0] if len(names) == 1 else fields


def _sulu_sea(depth: np.ndarray, latitude: np.ndarray, longitude: np.ndarray) -> np.ndarray:
    """Returns its place, below its sills, from Palawan to the islands between Borneo and
    Mindanao."""
    z, y, x = depth[:, None, None], latitude[:, None], longitude
    return (z > 450) & (x > 118) & (x < 122.6) & (y < 11.5) & (y > 5.3 + 0.67 * (x - 119))


def _mended(field: np.ndarray, name: str, sulu: np.ndarray) -> np.ndarray:
    """Returns the field with the water of the Sulu Sea."""
    new = field.copy()
    new[sulu] = field[sulu].clip(SULU[name]) if name == "potential_temperature" else SULU[name]
    return new
