"""Ocean fraction and depth on 1/6 degree cells: ETOPO5 under the GLOBE land mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.data import embedded

if TYPE_CHECKING:
    import xarray as xr


def open(variables: str | list[str] | None = None) -> xr.Dataset:
    """Opens `ocean_fraction` [1] and `ocean_depth` [m, mean over the ocean part, 0 on land] on
    (latitude, longitude).

    Lakes and the Caspian Sea are land. Raises KeyError for an unknown variable.
    """
    return embedded.dataset("topography", variables)
