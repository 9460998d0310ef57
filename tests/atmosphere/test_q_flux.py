"""The q-flux of a slab from the output of a run: what the output says counts, in any order and
unit, and what cannot be is refused.
"""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.atmosphere.products.q_flux import q_flux

names = {"sea_heat_flux": "W m-2", "tos": "degC", "siconca": "1"}


def year(**values):
    """Means of twelve months of a sea that takes 5 W m-2 and stays as it is."""
    begin = np.array([f"2001-{m:02d}-01" for m in range(1, 13)], "M8[ns]")
    end = np.append(begin[1:], np.datetime64("2002-01-01", "ns"))
    usual = {"sea_heat_flux": 5.0, "tos": 17.0, "siconca": 0.0} | values
    dims, shape = ("time", "latitude", "longitude"), (12, 4, 6)
    said = {"cell_methods": "time: mean"}
    fields = {
        name: (dims, np.full(shape, usual[name]), said | {"units": unit})
        for name, unit in names.items()
    }
    fields["areacello"] = (dims[1:], np.ones(shape[1:]))
    fields["time_bounds"] = (("time", "bnds"), np.stack([begin, end], 1))
    axes = {"latitude": np.linspace(-75, 75, 4), "longitude": np.arange(0.0, 360, 60)}
    return xr.Dataset(fields, {"time": begin, **axes})


def test_heat_goes_away_in_any_order_and_unit():
    run = year().isel(time=slice(None, None, -1)).transpose("longitude", ...)
    run["sea_heat_flux"] = run.sea_heat_flux.copy(data=run.sea_heat_flux / 1000)
    run["sea_heat_flux"].attrs["units"] = "kW m-2"
    np.testing.assert_allclose(q_flux(run, 30.0).q_flux, -5.0, rtol=1e-6)


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda d: year(sea_heat_flux=np.nan), "no value at 288 points of the sea"),
        (lambda d: year(tos=290.0), "sea_surface_temperature = 563.15 K"),
        (lambda d: year(siconca=50.0), "sea_ice_fraction = 50"),
        (lambda d: d.drop_vars("time_bounds"), "no time_bounds"),
        (lambda d: d.isel(time=[0, 0, *range(1, 12)]), "means over the same time"),
        (lambda d: d.rename(latitude="y"), "no latitude"),
    ],
)
def test_refusals(change, text):
    with pytest.raises(fm.InputError, match=text):
        q_flux(change(year()), 30.0)
