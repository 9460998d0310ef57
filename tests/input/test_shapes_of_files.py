"""Files of models on curved rows are refused by what they are; bounds and places are no fields;
depths may be in any order, each once; a byte order mark is no text, `~` is the home.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.assimilation.observations import blacklist
from fathom.data.input import layers
from fathom.data.input.records import Input, Records
from fathom.data.input.table import parsed
from fathom.run.experiment.toml import Document

latitude, longitude = np.arange(-85.0, 86, 10), np.arange(5.0, 360, 10)
x, y = np.meshgrid(longitude, latitude)


def grid_at(east, north):
    rows, columns = np.shape(east)
    levels = fm.ZLevels(1, depth=10)
    plane = fm.CartesianGrid(columns, rows, extent=(columns * 1e3, rows * 1e3), levels=levels)
    return SimpleNamespace(
        mapping=plane.mapping,
        wet_levels=np.ones(np.shape(east), int),
        horizontal=SimpleNamespace(spherical=True),
        coordinates=lambda where: (east, north),
        levels_at=lambda where: np.ones(np.shape(east), int),
        place=lambda j, i: f"(j={j}, i={i})",
    )


models = {
    "NEMO": ("nav_lat", "nav_lon", {}),
    "MOM6": ("geolat", "geolon", {}),
    "ROMS": ("lat_rho", "lon_rho", {"units": ("degree_north", "degree_east")}),
    "CMIP": ("latitude", "longitude", {"standard_name": ("latitude", "longitude")}),
}


@pytest.mark.parametrize("as_coordinates", [True, False])
@pytest.mark.parametrize("model", models)
def test_curved_rows_are_named(model, as_coordinates):
    north, east, said = models[model]
    places = {
        name: (("j", "i"), where, {key: both[n] for key, both in said.items()})
        for n, (name, where) in enumerate(((north, y + 0.1 * x / 36), (east, x + 0.1 * y)))
    }
    fields = {"hfds": (("j", "i"), np.ones(x.shape), {"units": "W m-2"})}
    data = xr.Dataset(fields, places) if as_coordinates else xr.Dataset(fields | places)
    one = Input("heat_flux", Records(data), "W m-2", ("heat_flux", "hfds"))
    with pytest.raises(fm.InputError, match=f"on curved rows: its {north} and {east} have two"):
        one.check(grid_at(x[:, :9], y[:, :9]))
    with pytest.raises(fm.InputError, match="on curved rows"):  # as many points elsewhere
        one.check(grid_at(x + 60.0, y))
    one.check(grid_at(x + 0.1 * y, y + 0.1 * x / 36))


def test_a_start_on_curved_rows_is_named():
    data = xr.DataArray(
        np.ones((2, *x.shape)),
        {"depth": [5.0, 50.0], "nav_lat": (("y", "x"), y), "nav_lon": (("y", "x"), x)},
        ("depth", "y", "x"),
        "votemper",
    )
    with pytest.raises(fm.InputError, match="votemper is on curved rows: its nav_lat and nav_lon"):
        layers.on_points(data, "temperature", y, x, [10.0])


def test_bounds_are_no_fields():
    """The only field is found beside the bounds of its axes, however these are said."""
    data = xr.Dataset(
        {
            "uwnd": (("lat", "lon"), np.ones(x.shape), {"units": "m/s"}),
            "lat_edges": (("lat", "two"), np.zeros((latitude.size, 2))),
            "lon_bnds": (("lon", "two"), np.zeros((longitude.size, 2))),
        },
        {"lat": ("lat", latitude, {"bounds": "lat_edges"}), "lon": longitude},
    )
    assert list(Records(data).variables) == ["uwnd"]


def column(depths):
    """Temperatures that tell their depth, 10 - depth / 100."""
    values = 10 - np.abs(depths)[:, None, None] / 100 + np.zeros(x.shape)
    return xr.DataArray(
        values,
        {"depth": depths, "lat": latitude, "lon": longitude},
        ("depth", "lat", "lon"),
        "temperature",
    )


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
@pytest.mark.parametrize("sign", [1, -1])
def test_depths_in_any_order(order, sign):
    depths = np.array([0.0, 100, 500, 1000])
    found = layers.on_points(column(sign * depths[order]), "temperature", y, x, [50.0, 750.0])
    np.testing.assert_allclose(found[:, 3, 4], [9.5, 2.5])


def test_a_level_without_numbers_has_those_above_it():
    """Also where the deepest level is the first of the file."""
    data = column(np.array([1000.0, 500, 100, 0]))
    data[0] = np.nan
    found = layers.on_points(data, "temperature", y, x, [1000.0])
    np.testing.assert_allclose(found, 5)


@pytest.mark.parametrize("depths", [[0.0, 100, 100, 1000], [-5.0, 0.0, 5.0, 10.0]])
def test_depths_twice_or_of_both_signs_are_refused(depths):
    with pytest.raises(fm.InputError, match="each must be there once, all of them counted from"):
        layers.on_points(column(np.array(depths)), "temperature", y, x, [50.0])


mark = b"\xef\xbb\xbf"


def test_a_byte_order_mark_is_no_text(tmp_path):
    """As Notepad writes it: experiments, tables and blacklists are read as without it."""
    (tmp_path / "a.toml").write_bytes(mark + b"# a comment\n[grid]\nnx = 4\n")
    assert Document.read(tmp_path / "a.toml").tables == {"grid": {"nx": 4}}
    np.testing.assert_array_equal(parsed(mark + b"1 2\n3 4\n", "a.txt"), [[1, 2], [3, 4]])
    (tmp_path / "b.toml").write_bytes(mark + b'[far]\nwhere = "latitude > 80"\n')
    assert [rule.name for rule in blacklist.read(tmp_path / "b.toml")] == ["far"]


def test_the_home_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    column(np.array([0.0, 10.0])).to_dataset().to_netcdf(tmp_path / "a.nc")
    with fm.open("~/a.nc") as data:
        assert data.temperature.shape == (2, *x.shape)
    (tmp_path / "a.toml").write_text("[grid]\n")
    assert Document.read("~/a.toml").tables == {"grid": {}}
