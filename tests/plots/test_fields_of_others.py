"""Fields of others as they are drawn: columns in any order, names of CMIP and NEMO, and numbers
that stand for a missing value.
"""

import numpy as np
import pytest
import xarray as xr

from fathom.plots import chosen
from fathom.plots.picture import _roles

around = np.arange(0.0, 360, 30)
orders = {
    "descending": around[::-1],
    "first repeated": np.append(around, 360.0),
    "-180 to 180": np.sort((around + 180) % 360 - 180),
    "two halves": np.roll(around, 5),
}


def field(longitude, value=lambda x: np.cos(np.radians(x))):
    values = np.tile(value(longitude), (3, 1))
    return xr.DataArray(
        values,
        {"lat": [-10.0, 0, 10], "lon": ("lon", longitude, {"units": "degrees_east"})},
        ("lat", "lon"),
        "tos",
    )


@pytest.mark.parametrize("order", orders)
def test_columns_are_drawn_from_west_to_east_once(order):
    drawn = chosen.in_columns(field(orders[order]))
    assert drawn.sizes["lon"] == around.size and (np.diff(drawn.lon) > 0).all()
    np.testing.assert_allclose(drawn.values[0], np.cos(np.radians(drawn.lon)), atol=1e-12)


def test_places_by_other_names():
    assert set(_roles(field(around))) == {"longitude", "latitude"}
    curved = xr.DataArray(
        np.zeros((2, 3)),
        {"nav_lon": (("y", "x"), np.zeros((2, 3))), "nav_lat": (("y", "x"), np.zeros((2, 3)))},
        ("y", "x"),
    )
    assert set(_roles(curved)) == {"longitude", "latitude"}


def test_impossible_numbers_are_left_out():
    data = field(around).assign_attrs(units="degC")
    assert chosen.possible(data, "tos")[1] == ""
    data[1, 2:4] = 1e20
    drawn, said = chosen.possible(data, "tos")
    assert said == "without 2 impossible numbers" and np.isnan(drawn).sum() == 2
    assert chosen.possible(data, "my_own_field")[1] == ""
