"""A start of the sea from a file: what the file says counts as it does for a forcing."""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.data.input import layers

latitude, longitude, depth = np.arange(-87.5, 90, 5), np.arange(0.0, 360, 5), np.array([5.0, 200])


def sea(**said):
    """Water of 10 degC everywhere."""
    values = np.full((depth.size, latitude.size, longitude.size), 10.0)
    return xr.Dataset(
        {"thetao": (("depth", "lat", "lon"), values, {"units": "degC"} | said)},
        {"depth": ("depth", depth, {"units": "m"}), "lat": latitude, "lon": longitude},
    )


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda d: sea(units=""), "thetao has no units; say which, as in Records"),
        (lambda d: d.astype("S3"), "no numbers"),
        (lambda d: d.assign_coords(lat=2 * latitude), "its latitude goes from -175 to 175"),
        (lambda d: d.rename(thetao="tas"), "lies 2 m above the ground, not temperature"),
        (lambda d: sea(cell_methods="realization: variance"), "variance over realization"),
    ],
)
def test_refusals(change, text, tmp_path):
    file = tmp_path / "sea.nc"
    change(sea()).to_netcdf(file)
    with pytest.raises(fm.InputError, match=text):
        layers.on_points(str(file), "temperature", [[0.0]], [[20.0]], [100.0])


def test_units_that_are_given_count(tmp_path):
    file = tmp_path / "sea.nc"
    sea(units="").to_netcdf(file)
    said = fm.Records(str(file), units="K")
    with pytest.raises(fm.InputError, match="temperature = -263.15 degC"):
        layers.on_points(said, "temperature", np.array([[0.0]]), np.array([[20.0]]), [100.0])
