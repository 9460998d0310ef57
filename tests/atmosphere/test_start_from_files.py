"""A forecast starts from what Fathom wrote (GRIB2, FA, Zarr, NetCDF), on hybrid levels and on
levels of pressure, from GRIB of edition 1 as a centre writes it, and from NetCDF by CF's names.
"""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.data import atmosphere

eccodes = pytest.importorskip("eccodes")
PRESSURES = [10, 30, 50, 100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 850, 900, 950, 1000]
fields = ["air_temperature", "eastward_wind", "northward_wind", "specific_humidity"]


def simulation(folder, truncation=21):
    grid = fm.GaussianGrid(truncation, levels=fm.HybridLevels("L31"))
    model = fm.SpectralAtmosphere(grid, tracers=["specific_humidity"])
    return fm.Simulation(model, time_step="20m", start="2011-10-11", directory=folder)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grib")
    first = simulation(folder)
    first.model.set(analysis="gfs")
    for ending in ("grib2", "fa", "zarr"):
        layers = [*fields, "surface_air_pressure", "surface_geopotential"]
        first.output(f"layers.{ending}", layers, "20m")
    layers = [*fields, "surface_air_pressure", "surface_geopotential"]
    for ending in ("grib2", "fa"):
        first.output(f"waves.{ending}", layers, "20m", compression="waves")
    for ending in ("grib2", "fa", "nc"):
        first.output(f"levels.{ending}", [*fields, "geopotential_height"], "20m", levels=PRESSURES)
    first.run("20m", report=False)
    return first, folder


@pytest.mark.parametrize(
    "file",
    [
        *("layers.grib2", "layers.zarr", "waves.fa", "levels.nc"),
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in (
                *("layers.fa", "layers.fa/+0000-20.fa", "waves.grib2"),
                *("levels.fa", "levels.grib2", "levels.fa/+0000-20.fa"),
            )
        ),
    ],
)
def test_a_start_from_what_fathom_wrote(written, file, tmp_path):
    first, folder = written
    wind, warmth = (1.0, 0.5) if not file.startswith("levels") else (1.5, 0.8)
    again = simulation(tmp_path)
    data = atmosphere.open(str(folder / file))
    assert data.sizes["time"] == (1 if "+" in file else 2)
    again.model.set(analysis=data.isel(time=-1))
    again.prepare()
    below = slice(8, None)  # layers within the range of the pressure levels
    for name, most in (
        ("eastward_wind", wind),
        ("northward_wind", wind),
        ("virtual_temperature", warmth),
    ):
        a, b = first.gather(name)[below], again.gather(name)[below]
        assert np.sqrt(((a - b) ** 2).mean()) < most, name
    a, b = (s.gather("log_pressure_ratio") for s in (first, again))
    assert np.abs(a - b).max() < 0.01


def test_edition_one_of_a_centre(tmp_path):
    """Isothermal air at rest, coarse even rows from north to south, in messages of edition 1."""
    latitude, longitude = np.arange(80, -81, -20.0), np.arange(0, 360, 30.0)
    levels = [50, 100, 200, 300, 500, 700, 850, 1000]
    path = tmp_path / "centre.grib"
    with path.open("wb") as file:
        for level in levels:
            z = 287.0597 * 280 * np.log(1000 / level)
            for short, value in {"t": 280.0, "u": 3.0, "v": 0.0, "r": 40.0, "z": z}.items():
                message = eccodes.codes_grib_new_from_samples("regular_ll_pl_grib1")
                keys = {
                    "Ni": longitude.size,
                    "Nj": latitude.size,
                    "latitudeOfFirstGridPointInDegrees": latitude[0],
                    "latitudeOfLastGridPointInDegrees": latitude[-1],
                    "longitudeOfFirstGridPointInDegrees": 0.0,
                    "longitudeOfLastGridPointInDegrees": longitude[-1],
                    "iDirectionIncrementInDegrees": 30.0,
                    "jDirectionIncrementInDegrees": 20.0,
                    "shortName": short,
                    "level": level,
                    "dataDate": 20240603,
                    "dataTime": 1200,
                }
                for key, held in keys.items():
                    eccodes.codes_set(message, key, held)
                eccodes.codes_set_values(message, np.full(latitude.size * longitude.size, value))
                eccodes.codes_write(message, file)
                eccodes.codes_release(message)
    data = atmosphere.open(str(path))
    assert str(data.time.values[0]).startswith("2024-06-03T12:00")
    assert data.latitude.values[0] == -80 and data.pressure.values[0] == 5000
    model = simulation(tmp_path).model.set(analysis=data.isel(time=0))
    assert np.allclose(model.initial["eastward_wind"][-1].mean(), 3.0, atol=1.0)


@pytest.fixture(scope="module")
def stretched(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stretched")
    grid = fm.GaussianGrid(31, levels=fm.HybridLevels("L31"), stretching=1.5, pole=(20.0, 60.0))
    model = fm.SpectralAtmosphere(grid, tracers=["specific_humidity"]).set(analysis="gfs")
    sim = fm.Simulation(model, time_step="20m", start="2011-10-11", directory=folder)
    layers = [*fields, "surface_air_pressure", "surface_geopotential"]
    for file in ("a.zarr", "a.fa", "a.grib2"):
        sim.output(file, layers, "20m")
    sim.output("waves.grib2", layers, "20m", compression="waves")
    sim.output("p.grib2", [*fields, "geopotential_height"], "20m", levels=PRESSURES)
    sim.run("20m", report=False)
    return folder


@pytest.mark.parametrize(
    "file",
    [
        "a.zarr",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("a.fa/+0000-20.fa", "waves.grib2", "a.fa", "a.grib2", "p.grib2")
        ),
    ],
)
def test_a_start_from_a_stretched_grid(written, stretched, file, tmp_path):
    """Stores of it, and a file of FA alone, of which the frame says where the points are; messages
    of GRIB2 say it themselves.
    """
    first, _ = written
    data = atmosphere.open(str(stretched / file)).isel(time=-1)
    again = simulation(tmp_path / "again")
    again.model.set(analysis=data)
    again.prepare()
    below = slice(8, None)
    for name, most in (("eastward_wind", 2.0), ("northward_wind", 2.0), ("virtual_temperature", 1)):
        a, b = first.gather(name)[below], again.gather(name)[below]
        assert np.sqrt(((a - b) ** 2).mean()) < most, name


@pytest.mark.parametrize("kind", ["rotated_gg", "reduced_rotated_gg"])
def test_winds_along_rotated_rows(tmp_path, kind):
    """A centre's messages with wind along its rows: solid rotation about the pole of the rows."""
    N, U = 16, 20.0
    latitude = np.rad2deg(np.arcsin(np.polynomial.legendre.leggauss(2 * N)[0]))[::-1]
    points = np.full(2 * N, 4 * N) if kind == "rotated_gg" else 4 * N - 8 * (np.abs(latitude) > 60)
    wind = np.repeat(U * np.cos(np.deg2rad(latitude)), points)
    keys = {
        "gridType": kind,
        "N": N,
        "Nj": 2 * N,
        "latitudeOfSouthernPoleInDegrees": -60.0,
        "longitudeOfSouthernPoleInDegrees": 200.0,
        "uvRelativeToGrid": 1,
        "dataDate": 20240603,
        "typeOfLevel": "isobaricInhPa",
    }
    keys |= {"Ni": 4 * N} if kind == "rotated_gg" else {}
    path = tmp_path / "rotated.grib2"
    with path.open("wb") as file:
        for level in (100, 500, 1000):
            z = 287.0597 * 280 * np.log(1000 / level)
            for short, value in {"t": 280.0, "u": wind, "v": 0.0, "r": 40.0, "z": z}.items():
                message = eccodes.codes_grib_new_from_samples("GRIB2")
                for key, held in (keys | {"shortName": short, "level": level}).items():
                    eccodes.codes_set(message, key, held)
                if kind != "rotated_gg":
                    eccodes.codes_set_array(message, "pl", points)
                eccodes.codes_set_values(message, np.broadcast_to(value, wind.shape).copy())
                eccodes.codes_write(message, file)
                eccodes.codes_release(message)
    data = atmosphere.open(str(path)).isel(time=0, pressure=1)
    x, y = np.deg2rad(data.longitude - 20), np.deg2rad(data.latitude)
    tilt = np.deg2rad(60)
    east = U * (np.sin(tilt) * np.cos(y) - np.cos(tilt) * np.sin(y) * np.cos(x))
    north = U * np.cos(tilt) * np.sin(x)
    assert np.abs(data.eastward_wind - east).max() < 0.05
    assert np.abs(data.northward_wind - north).max() < 0.05


def _message(sample, keys, values, file):
    message = eccodes.codes_grib_new_from_samples(sample)
    for key, held in keys.items():
        eccodes.codes_set(message, key, held)
    eccodes.codes_set(message, "PVPresent", 1)
    interfaces = np.array([0, 5e3, 8e3, 5e3, 0, 0, 0, 0.2, 0.6, 1])
    eccodes.codes_set_array(message, "pv", interfaces)
    eccodes.codes_set_values(message, values)
    eccodes.codes_write(message, file)
    eccodes.codes_release(message)


def test_spherical_harmonics_of_a_centre(tmp_path):
    """Temperature, vorticity, divergence, pressure and ground in waves on hybrid levels, humidity
    on reduced rows: solid rotation about the axis of the earth.
    """
    N, U, radius = 21, 20.0, 6371229.0
    sine = np.sqrt(1 / 3)  # of sin(latitude), the harmonic (0, 1)

    def waves(mean, first=0.0):
        numbers = np.zeros((N + 1) * (N + 2))  # real and imaginary parts, m = 0 first
        numbers[[0, 2]] = mean, first
        return numbers

    fields = {"t": waves(270, 5), "vo": waves(0, 2 * U / radius * sine), "d": waves(0)}
    ground = {"lnsp": waves(np.log(1e5)), "z": waves(500)}
    reduced = eccodes.codes_grib_new_from_samples("reduced_gg_ml_grib2")
    points = eccodes.codes_get_array(reduced, "pl")
    eccodes.codes_release(reduced)
    humidity = lambda along: 1e-3 * (2 + np.sin(along))
    humid = np.concatenate([humidity(2 * np.pi * np.arange(n) / n) for n in points])
    date = {"dataDate": 20240603, "dataTime": 0, "typeOfLevel": "hybrid"}
    spectral = dict.fromkeys("JKM", N) | dict.fromkeys(("JS", "KS", "MS"), 20)
    spectral |= date | {"unpackedSubsetPrecision": 2}
    path = tmp_path / "centre.grib2"
    with path.open("wb") as file:
        for level in range(1, 5):
            there = {"level": level}
            for short, held in (fields | ground if level == 1 else fields).items():
                _message("sh_ml_grib2", spectral | there | {"shortName": short}, held, file)
            _message("reduced_gg_ml_grib2", date | there | {"shortName": "q"}, humid, file)
    data = atmosphere.open(str(path)).isel(time=0)
    assert data.sizes["latitude"] == points.size and data.sizes["longitude"] == points.max()
    wanted = U * np.cos(np.deg2rad(data.latitude))
    assert np.abs(data.eastward_wind - wanted).max() < 1e-3
    assert np.abs(data.northward_wind).max() < 1e-3
    found = data.specific_humidity.values - humidity(np.deg2rad(data.longitude.values))
    assert np.abs(found).max() < 1e-5
    assert abs(float(data.air_temperature.isel(pressure=20).mean()) - 270) < 0.1
    model = simulation(tmp_path).model.set(analysis=data)
    fastest = np.abs(model.initial["eastward_wind"][-1]).max()
    assert fastest == pytest.approx(U, abs=1.0)


def test_names_of_cf(tmp_path):
    """A file of others: its own names, standard names, levels [hPa] upward, degC."""
    data = atmosphere.gfs().isel(latitude=slice(None, None, 8), longitude=slice(None, None, 8))
    kept = data[[*atmosphere.OUTLINE]].reset_coords(drop=True)
    other = kept.assign_coords(pressure=("pressure", kept.pressure.values / 100, {"units": "hPa"}))
    other["air_temperature"] = other.air_temperature - 273.15
    other.air_temperature.attrs = {"units": "degC"}
    short = {name: "x_" + name for name in atmosphere.OUTLINE}
    for name in other.data_vars:
        other[name].attrs["standard_name"] = name
    moment = np.datetime64("2011-10-11", "ns")
    other = other.rename(short | {"latitude": "lat", "longitude": "lon", "pressure": "plev"})
    other.isel(plev=slice(None, None, -1)).expand_dims(time=[moment]).to_netcdf(tmp_path / "a.nc")
    found = atmosphere.open(str(tmp_path / "a.nc"))
    assert found.time.values[0] == moment
    for name in atmosphere.OUTLINE:
        np.testing.assert_allclose(found[name][0], data[name], rtol=1e-6)


def test_what_is_missing_is_told(tmp_path):
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels("L19"))
    other = fm.Simulation(fm.SpectralAtmosphere(grid), time_step="20m", directory=tmp_path)
    other.output("few.grib2", ["air_temperature"], every="20m")
    other.run("20m", report=False)
    with pytest.raises(ValueError, match="lacks eastward_wind"):
        atmosphere.open(str(tmp_path / "few.grib2"))
    for ending in ("zarr", "fa"):
        again = fm.Simulation(
            fm.SpectralAtmosphere(grid), time_step="20m", directory=tmp_path / ending
        )
        again.output(f"few.{ending}", ["air_temperature"], every="20m")
        again.run("20m", report=False)
        with pytest.raises(ValueError, match=f"few.{ending} lacks eastward_wind"):
            atmosphere.open(str(tmp_path / ending / f"few.{ending}"))


def test_an_area_is_no_start():
    rows = xr.DataArray(np.zeros((3, 4)), dims=("y", "x"))
    held = atmosphere.open("gfs").isel(latitude=slice(3), longitude=slice(4))
    held = held.rename(latitude="y", longitude="x").drop_vars(["y", "x"])
    with pytest.raises(fm.InputError, match=r"here both are on \(y, x\)"):
        atmosphere.complete(held.assign_coords(latitude=rows, longitude=rows))
