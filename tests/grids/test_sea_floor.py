"""Depths from files as GEBCO, ETOPO and models write them."""

import numpy as np
import pytest
import xarray as xr

import fathom as fm

latitude, longitude = np.arange(-89.5, 90), np.arange(-179.5, 180)
depth = np.where((np.abs(longitude) < 40)[None], -500.0, 4000.0) + 5 * latitude[:, None]


def written(path, name, values, standard="", lat=latitude, lon=longitude):
    axes = {"lat": ("lat", lat), "lon": ("lon", lon)}
    attributes = {"standard_name": standard} if standard else {}
    xr.Dataset({name: (("lat", "lon"), values, attributes)}, axes).to_netcdf(path)
    return str(path)


def grid(bathymetry, **latitudes):
    return fm.LatitudeLongitudeGrid(
        nx=36,
        ny=14,
        latitude=latitudes.get("latitude", [-70, 70]),
        bathymetry=bathymetry,
        levels=fm.ZLevels(nz=10, depth=5000, partial_cells=True),
    )


@pytest.mark.parametrize(
    "name, sign, standard",
    [
        ("elevation", -1, ""),
        ("Band1", -1, ""),
        ("deptho", 1, ""),
        ("any", 1, "sea_floor_depth_below_geoid"),
        ("any", -1, "height_above_mean_sea_level"),
    ],
)
def test_heights_and_depths(tmp_path, name, sign, standard):
    found = grid(written(tmp_path / "floor.nc", name, sign * depth, standard))
    lon, lat = found.coordinates()
    away = np.abs((np.asarray(lon) + 180) % 360 - 180)  # from Greenwich
    sea, shore = away > 40, np.abs(away - 40) < 6
    assert ((np.asarray(found.wet_levels) > 0) == sea)[~shore].all()
    sea &= ~shore
    assert found.depth()[sea] == pytest.approx((4000 + 5 * np.asarray(lat))[sea], abs=90)


def test_finer_data_are_averaged(tmp_path):
    step = 1 / 30
    lat, lon = np.arange(0, 20, step) + step / 2, np.arange(0, 40, step) + step / 2
    values = np.where(np.arange(lon.size) % 2, -1000.0, -3000.0) + 0 * lat[:, None]
    path = written(tmp_path / "fine.nc", "elevation", values, lat=lat, lon=lon)
    corners = np.meshgrid(np.arange(5.0, 36, 5), np.arange(5.0, 16, 5))
    area = fm.CurvilinearGrid(
        corner_longitude=corners[0],
        corner_latitude=corners[1],
        periodic=False,
        bathymetry=path,
        levels=fm.ZLevels(nz=10, depth=5000, partial_cells=True),
    )
    assert area.depth() == pytest.approx(np.full((2, 6), 2000.0), rel=1e-3)
    with pytest.raises(fm.InputError, match="the grid goes beyond"):
        grid(path)


def test_what_is_no_depth(tmp_path):
    with pytest.raises(fm.InputError, match="no heights or depths .* it has rain"):
        grid(written(tmp_path / "rain.nc", "rain", depth))


@pytest.mark.parametrize("units", ["1e-3", "1", "psu"])
def test_water_of_files(tmp_path, units):
    """Salinity is a number, however a file writes its unit; WOA counts months."""
    axes = {
        "time": ("time", [372.5], {"units": "months since 1955-01-01 00:00:00"}),
        "depth": ("depth", [0.0, 1000.0, 6000.0], {"units": "m", "positive": "down"}),
        "lat": ("lat", latitude, {"units": "degrees_north"}),
        "lon": ("lon", longitude, {"units": "degrees_east"}),
    }
    field = np.full((1, 3, 180, 360), 35.0, "f4")
    file = xr.Dataset({"s_an": (tuple(axes), field, {"units": units})}, axes)
    file.s_an.attrs["standard_name"] = "sea_water_practical_salinity"
    file.to_netcdf(tmp_path / "woa.nc")
    ocean = fm.Ocean(grid("flat")).set(salinity=str(tmp_path / "woa.nc"))
    found = fm.Simulation(ocean, "1h").prepare().gather("salinity")
    assert found.max() == pytest.approx(35.0)
