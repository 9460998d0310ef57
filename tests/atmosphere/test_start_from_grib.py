"""A forecast starts from GRIB2 that Fathom wrote, on hybrid levels and on levels of pressure, and
from GRIB of edition 1 as a centre writes it.
"""

import numpy as np
import pytest

import fathom as fm
from fathom.data import atmosphere

eccodes = pytest.importorskip("eccodes")
PRESSURES = [10, 30, 50, 100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 850, 900, 950, 1000]
fields = ["air_temperature", "eastward_wind", "northward_wind", "specific_humidity"]


def simulation(folder, truncation=21):
    grid = fm.GaussianGrid(truncation, levels=fm.HybridLevels("L31"))
    model = fm.SpectralAtmosphere(grid, tracers=["specific_humidity"])
    return fm.Simulation(model, step="20m", start="2011-10-11", directory=folder)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grib")
    first = simulation(folder)
    first.model.set(analysis="gfs")
    first.output("layers.grib2", [*fields, "surface_air_pressure", "surface_geopotential"], "20m")
    first.output("levels.grib2", [*fields, "geopotential_height"], "20m", levels=PRESSURES)
    first.run("20m", report=False)
    return first, folder


@pytest.mark.parametrize("file, wind, warmth", [("layers", 1.0, 0.5), ("levels", 1.5, 0.8)])
def test_a_start_from_what_fathom_wrote(written, file, wind, warmth, tmp_path):
    first, folder = written
    again = simulation(tmp_path)
    data = atmosphere.open(str(folder / f"{file}.grib2"))
    assert data.sizes["time"] == 2
    again.model.set(analysis=data.isel(time=1))
    again.prepare()
    below = slice(8, None)  # what lies within the levels of pressure
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


def test_what_is_missing_is_told(tmp_path):
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels("L19"))
    other = fm.Simulation(fm.SpectralAtmosphere(grid), step="20m", directory=tmp_path)
    other.output("few.grib2", ["air_temperature"], every="20m")
    other.run("20m", report=False)
    with pytest.raises(ValueError, match="lacks eastward_wind"):
        atmosphere.open(str(tmp_path / "few.grib2"))
