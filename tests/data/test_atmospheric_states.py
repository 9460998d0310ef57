"""The embedded state, the two that a user may have, moist air, levels, and the filter for the
start.
"""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.atmosphere.remap import initial
from fathom.atmosphere.spectral import digital_filter
from fathom.base import moist_air
from fathom.data import atmosphere
from fathom.grids import hybrid
from fathom.output.post import scores

# ---------------------------------------------------------------------------- states


def test_gfs_is_october():
    data = atmosphere.gfs()
    assert str(data.time.values)[:13] == "2011-10-11T00" and data.sizes == {
        "pressure": 26,
        "latitude": 73,
        "longitude": 144,
        "soil_depth": 4,
        "ozone_pressure": 6,
    }
    weights = scores.regular_weights(data.latitude, data.longitude)
    assert scores.mean(
        data.geopotential.sel(pressure=5e4).values / 9.80665, weights
    ) == pytest.approx(5680, abs=40)  # m, of the earth
    assert scores.mean(data.surface_air_pressure.values, weights) == pytest.approx(98500, abs=400)
    zonal = data.eastward_wind.mean("longitude").sel(pressure=2e4)
    assert (
        25 < zonal.sel(latitude=slice(-60, -20)).max() < 60
        and 15 < zonal.sel(latitude=slice(20, 60)).max() < 45
    )
    assert data.air_temperature.sel(pressure=1e4, latitude=0).mean() < 200  # tropical tropopause
    water = (data.specific_humidity.integrate("pressure") / 9.80665).values
    assert scores.mean(water, weights) == pytest.approx(24.5, abs=2)  # kg m-2


def test_hydrostatic_balance_of_gfs():
    """Thickness from temperature and humidity is the difference of heights: names, units and the
    definition of humidity are right.
    """
    data = atmosphere.gfs().sel(pressure=slice(1e4, 1e5))
    virtual = moist_air.virtual_temperature(data.air_temperature, data.specific_humidity)
    x = np.log(data.pressure)
    thickness = (
        moist_air.GAS_CONSTANT
        * 0.5
        * (virtual + virtual.shift(pressure=1))
        * (x - x.shift(pressure=1))
    )
    error = (thickness + (data.geopotential - data.geopotential.shift(pressure=1))).isel(
        pressure=slice(1, None)
    ) / 9.80665
    assert float(np.sqrt((error.sel(latitude=slice(-60, 60)) ** 2).mean())) < 4  # m


def test_two_metre_humidity_of_gfs_shows_its_saturation():
    data = atmosphere.gfs()
    relative = moist_air.relative_humidity(
        data.specific_humidity_2m, data.air_temperature_2m, data.surface_air_pressure
    )
    assert 0.97 < float(relative.where(data.air_temperature_2m > 230).quantile(0.99)) < 1.03


def test_humidity_there_and_back():
    T, p = np.array([200.0, 240, 258, 280, 310]), np.array([1e4, 3e4, 5e4, 8e4, 1e5])
    np.testing.assert_allclose(
        moist_air.relative_humidity(moist_air.specific_humidity(0.7, T, p), T, p), 0.7
    )
    np.testing.assert_allclose(
        moist_air.saturation_pressure(np.array([253.16, 273.16, 293.15])),
        [103.3, 611.7, 2339],
        rtol=2e-3,
    )  # ice, both, water


def test_absent_files_say_how_to_get_them(tmp_path):
    with pytest.raises(FileNotFoundError, match="pip download .* earthkit-data"):
        atmosphere.ecmwf()
    with pytest.raises(FileNotFoundError, match="wanted: era5_tl31"):
        atmosphere.era5(tmp_path)
    with pytest.raises(ValueError, match="did you mean 'ecmwf'"):
        atmosphere.open("ecmfw")


def test_era5_where_the_user_has_it():
    if importlib.util.find_spec("neuralgcm") is None and "FATHOM_ERA5" not in os.environ:
        pytest.skip("no ERA5 file: install neuralgcm or set FATHOM_ERA5")
    data = atmosphere.era5(os.environ.get("FATHOM_ERA5"))
    assert data.sizes["pressure"] == 37 and (np.diff(data.latitude) > 0).all()
    assert 5200 < float(data.geopotential.sel(pressure=5e4).mean()) / 9.80665 < 5800


def test_ecmwf_where_the_user_has_it():
    """Persistence of 500 hPa height, rms: the numbers that a forecast has to beat."""
    pytest.importorskip("eccodes")
    if not Path(os.environ.get("FATHOM_ECMWF", "")).is_file():
        pytest.skip("no ECMWF file: set FATHOM_ECMWF to pl_regular_ll.grib")
    data = atmosphere.ecmwf(os.environ["FATHOM_ECMWF"])
    height = data.geopotential.sel(pressure=5e4).values / 9.80665
    error = scores.persistence(height, scores.regular_weights(data.latitude, data.longitude))
    np.testing.assert_allclose(error[[1, 2, 4]], [17, 27, 44], atol=1)


# ---------------------------------------------------------------------------- levels


@pytest.mark.parametrize("name", ["L8", "L19", "L24", "L26", "L31", "L40", "L60", "L91"])
@pytest.mark.parametrize("surface", [50000.0, 101325.0, 107000.0])
def test_levels_are_ordered_over_any_surface(name, surface):
    a, b = hybrid.named(name)
    p = a + b * surface
    assert len(p) == int(name[1:]) + 1 and p[-1] == surface
    thickness = np.diff(p)
    assert (thickness > 0).all()
    if name != "L8":
        assert (thickness / np.diff(a + b * 1e5)).min() > 0.25


def test_smooth_levels_are_smooth_and_reach_where_they_should():
    a, b = hybrid.smooth(60, top=10.0)
    p = a + 1e5 * b
    assert p[0] == 0 and p[1] == pytest.approx(20, rel=1e-6)
    assert 7000 * np.log(1e5 / p[-2]) == pytest.approx(20, rel=0.15)  # the lowest layer [m]
    ratio = np.diff(-np.log(p[1:]))[1:] / np.diff(-np.log(p[1:]))[:-1]
    assert 0.8 < ratio.min() and ratio.max() < 1.2
    assert (b[p < 7900] == 0).all()
    with pytest.raises(ValueError, match="at least 4 layers"):
        hybrid.smooth(3)
    with pytest.raises(ValueError, match="did you mean 'L60'"):
        hybrid.named("L66")


def test_uniform_sigma():
    a, b = hybrid.uniform_sigma(20)
    assert not a.any() and np.allclose(np.diff(b), 0.05)


# ---------------------------------------------------------------------------- digital filter


def test_lanczos_response():
    h = digital_filter.weights(600, 6 * 3600)
    assert h.sum() == pytest.approx(1) and (h == h[::-1]).all() and len(h) == 37
    np.testing.assert_allclose(
        digital_filter.response(h, 600, np.array([3, 6, 12]) * 3600.0),
        [0.04, 0.54, 0.86],
        atol=0.011,
    )


def test_dolph_ripples_are_equal_and_small():
    step, span, cutoff = 300.0, 6 * 3600.0, 3 * 3600.0
    h = digital_filter.weights(step, span, cutoff, window="dolph")
    assert h.sum() == pytest.approx(1) and np.allclose(h, h[::-1])
    shorter = np.abs(digital_filter.response(h, step, np.linspace(2 * step, cutoff, 4000)))
    assert shorter.max() < 0.12
    peaks = shorter[1:-1][(shorter[1:-1] >= shorter[:-2]) & (shorter[1:-1] > shorter[2:])]
    np.testing.assert_allclose(peaks, peaks[0], rtol=0.02)
    lanczos = digital_filter.weights(step, span, cutoff)
    assert (
        digital_filter.response(h, step, 24 * 3600.0) > 0.75
        and abs(digital_filter.response(lanczos, step, 1800.0)) < 0.01
    )


def test_filter_arguments():
    with pytest.raises(ValueError, match="allowed are 'lanczos' and 'dolph'"):
        digital_filter.weights(600, 21600, window="hann")
    with pytest.raises(ValueError, match="must hold 2 steps"):
        digital_filter.weights(600, 600)


def test_files_of_the_copernicus_store(tmp_path):
    """The time is called valid_time, levels pressure_level; what is wrong is said with the file."""
    lat, lon, levels = np.linspace(90, -90, 7), np.arange(0.0, 360, 30), np.array([850.0, 500, 50])
    axes = {
        "valid_time": ("valid_time", np.array(["2020-01-01"], "datetime64[ns]")),
        "pressure_level": ("pressure_level", levels, {"units": "hPa"}),
        "latitude": ("latitude", lat, {"units": "degrees_north"}),
        "longitude": ("longitude", lon, {"units": "degrees_east"}),
    }
    field = lambda value, name, units: (
        tuple(axes),
        np.full((1, 3, 7, 12), value),
        {"standard_name": name, "units": units},
    )
    data = xr.Dataset(
        {
            "t": field(280.0, "air_temperature", "K"),
            "u": field(5.0, "eastward_wind", "m s**-1"),
            "v": field(0.0, "northward_wind", "m s**-1"),
            "q": field(1e-3, "specific_humidity", "kg kg**-1"),
            "z": field(1e4, "geopotential", "m**2 s**-2"),
        },
        axes,
    )
    data.to_netcdf(tmp_path / "era5.nc")
    state = atmosphere.open(str(tmp_path / "era5.nc"))
    assert str(state.time.values[0]).startswith("2020-01-01")
    assert state.pressure.values.tolist() == [5000, 50000, 85000]
    grid = fm.GaussianGrid(5, levels=fm.HybridLevels(4))
    ground = np.zeros((len(grid.latitude), max(grid.points)))
    state.air_temperature[0, 1, 2, 3] = np.nan
    with pytest.raises(fm.InputError, match="air_temperature of the state has no value at 500 hPa"):
        initial.initial_state(state.isel(time=0), grid, grid.levels, ground)
    data["t"].attrs["units"] = "hPa"
    data.to_netcdf(tmp_path / "wrong.nc")
    with pytest.raises(fm.InputError, match="wrong.nc: air_temperature: .hPa. has not"):
        atmosphere.open(str(tmp_path / "wrong.nc"))


def test_a_truncated_grib_file(tmp_path):
    eccodes = pytest.importorskip("eccodes")
    message = eccodes.codes_grib_new_from_samples("regular_ll_pl_grib2")
    (tmp_path / "a.grib2").write_bytes(eccodes.codes_get_message(message)[:-60])
    with pytest.raises(fm.FileError, match="a.grib2 cannot be read: damaged or truncated"):
        atmosphere.open(str(tmp_path / "a.grib2"))
