"""Annual mean potential temperature and salinity, 1 degree, 20 levels, without gaps (Levitus
1982).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.data import embedded
from fathom.reading import once

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr


def open(variables: str | list[str] | None = None) -> xr.Dataset:
    """`potential_temperature` [degC, reference 0 dbar] and `salinity` [practical] on (depth,
    latitude, longitude).

    Values under the sea floor and on land are filled from the water around. Raises KeyError for an
    unknown variable.
    """
    return embedded.dataset("levitus", variables)


@once
def on_points(latitude, longitude, depth, *names: str) -> np.ndarray | tuple[np.ndarray, ...]:
    """Potential temperature [degC] and salinity at the points and depths of a model grid.

    latitude, longitude  any one shape, degrees
    depth                (levels,) m, middles of the layers; below 5000 m the values there
    names                "temperature", "salinity": one array for one name;
        both in this order if none is given

    Returns float32 arrays (levels, *shape of latitude). Raises ValueError as `regrid.bilinear`
    does.
    """
    from fathom.regrid import points as regrid  # `import fathom.data` stays cheap

    variables = {"temperature": "potential_temperature", "salinity": "salinity"}
    wanted = [variables[name] for name in names or variables]
    data = embedded.read("levitus", *wanted, "depth", "latitude", "longitude")
    fields = tuple(
        regrid.vertical(
            regrid.bilinear(data[name], data["latitude"], data["longitude"], latitude, longitude),
            data["depth"],
            depth,
        )
        for name in wanted
    )
    return fields[0] if len(names) == 1 else fields
