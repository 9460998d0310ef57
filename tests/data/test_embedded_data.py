"""The embedded files: whole, documented, within budget, and like the ocean."""

import importlib
import itertools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from fathom.base import system_calls
from fathom.data import embedded, fluxes, levitus, surface, topography
from fathom.data.light import BALANCE
from fathom.data.sky import LONGWAVE

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "topography": topography,
    "levitus": levitus,
    "surface-climatology": surface,
    "surface-fluxes": fluxes,
}
EARTH_RADIUS = 6.371e6


@pytest.fixture(scope="module")
def builder():
    """The program that built the surface climatology: its bulk formulae check the balance of the
    file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("embed.surface")


def ocean_fraction(rows):
    """On `rows` x 2 `rows` cells."""
    n = 1080 // rows
    return topography.open().ocean_fraction.values.reshape(rows, n, 2 * rows, n).mean((1, 3))


def area(latitude, nx):
    half = np.deg2rad(latitude[1] - latitude[0]) / 2
    latitude = np.deg2rad(latitude)
    return (EARTH_RADIUS**2 * (np.sin(latitude + half) - np.sin(latitude - half)) * 2 * np.pi / nx)[
        :, None
    ]


# ---------------------------------------------------------------------------- files


def test_within_budget():
    files = [file for file in embedded.FOLDER.iterdir() if file.is_file() and file.suffix != ".py"]
    sizes = {file.name: file.stat().st_size for file in files}
    assert sum(sizes.values()) < 12e6, sizes


@pytest.mark.parametrize("name", FILES)
def test_documented_and_without_gaps(name):
    with FILES[name].open() as data:
        assert (
            data.attrs["source"]
            and data.attrs["licence"]
            and data.attrs["references"] == "docs/data.md"
        )
        assert re.findall(r"\b[0-9a-f]{64}\b", data.attrs["sha256"])
        for variable in data.data_vars.values():
            assert variable.attrs["units"] and variable.attrs["long_name"]
            assert variable.name == "day_of_year" or variable.attrs["standard_name"]
            assert np.isfinite(variable.values).all(), variable.name


def test_every_source_is_in_the_readme():
    text = (embedded.FOLDER / "README.md").read_text()
    for name in FILES:
        with embedded.dataset(name) as data:
            for digest in re.findall(r"\b[0-9a-f]{64}\b", data.attrs["sha256"]):
                assert digest in text


def test_both_ways_of_reading_agree():
    fast = embedded.read("topography", "ocean_depth")["ocean_depth"]
    np.testing.assert_array_equal(fast, topography.open("ocean_depth").ocean_depth.values)


def test_importing_the_package_is_cheap():
    code = (
        "import sys, fathom.data, fathom.data.levitus, fathom.data.surface, fathom.data.topography;"
        " print({'numpy', 'scipy', 'xarray', 'netCDF4'} & set(sys.modules))"
    )
    out = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, env={}
    ).stdout
    assert out.strip() == "set()"


def test_errors_say_what_is_near(tmp_path, monkeypatch):
    with pytest.raises(fm.Error, match="did you mean 'salinity'"):
        levitus.open("salinty")
    with pytest.raises(fm.Error, match="did you mean 'wind_speed'"):
        surface.on_points([0.0], [0.0], "windspeed")
    with pytest.raises(FileNotFoundError, match="did you mean 'levitus'"):
        embedded.path("levitis")
    (tmp_path / "levitus.nc").write_bytes(embedded.path("levitus").read_bytes()[:1000])
    monkeypatch.setattr(embedded, "FOLDER", tmp_path)
    with pytest.raises(OSError, match=r"levitus.nc \(1000 bytes\) is not a readable NetCDF-4 file"):
        levitus.open()


# ---------------------------------------------------------------------------- topography


def test_volume_and_area_of_the_ocean():
    data = topography.open()
    cells = area(data.latitude.values, data.longitude.size) * data.ocean_fraction.values
    assert (cells * data.ocean_depth.values).sum() / 1e9 == pytest.approx(
        1.338e9, rel=0.02
    )  # km3, ETOPO1
    assert cells.sum() / 1e6 == pytest.approx(361.9e6, rel=0.01)  # km2, ETOPO1


@pytest.mark.parametrize(
    "place, longitude, latitude, shallowest, deepest",
    [
        ("Drake Passage", -65, -58.5, 3000, 4500),
        ("Gibraltar", -5.6, 35.95, 100, 600),
        ("Denmark Strait", -27, 66.2, 300, 800),
        ("Mariana Trench", 142.2, 11.35, 8000, 11000),
        ("Bering Strait", -169, 65.9, 30, 70),
    ],
)
def test_depth_at(place, longitude, latitude, shallowest, deepest):
    data = topography.open().sel(latitude=latitude, longitude=longitude % 360, method="nearest")
    assert data.ocean_fraction > 0.5 and shallowest < data.ocean_depth < deepest


@pytest.mark.parametrize(
    "longitude, latitude", [(51, 42), (-87, 44), (35.5, 31.5), (0, -85), (10, 50)]
)
def test_caspian_lakes_and_low_land_are_land(longitude, latitude):
    data = topography.open().sel(latitude=latitude, longitude=longitude % 360, method="nearest")
    assert data.ocean_fraction == 0 and data.ocean_depth == 0


# ------------------------------------------------------------------------ temperature and salinity


def test_means_of_the_ocean():
    data, relief = levitus.open(), topography.open()
    depth = data.depth.values
    interfaces = np.concatenate([[0], (depth[1:] + depth[:-1]) / 2, [12000]])
    cells = area(relief.latitude.values, relief.longitude.size) * relief.ocean_fraction.values
    bottom = relief.ocean_depth.values
    volume = np.stack(
        [
            (cells * np.clip(bottom - top, 0, base - top)).reshape(180, 6, 360, 6).sum((1, 3))
            for top, base in itertools.pairwise(interfaces)
        ]
    )
    mean = {name: (data[name].values * volume).sum() / volume.sum() for name in data.data_vars}
    assert mean["potential_temperature"] == pytest.approx(3.60, abs=0.05)  # World Ocean Atlas: 3.59
    assert mean["salinity"] == pytest.approx(34.73, abs=0.01)


@pytest.mark.parametrize(
    "longitude, latitude, depth, temperature, salinity",
    [
        (-30, 25, 0, (21, 26), (36.8, 37.8)),  # salinity maximum of the North Atlantic
        (160, 0, 0, (28, 30.5), (33.8, 35.2)),  # warm pool
        (-15, 36, 1000, (7, 11.5), (35.6, 36.5)),  # Mediterranean Water
        (180, 30, 5000, (0.8, 1.3), (34.6, 34.75)),  # bottom of the North Pacific, potential
        (0, 89, 300, (-0.5, 1.5), (34.5, 35)),  # Atlantic layer of the Arctic
    ],
)
def test_water_masses(longitude, latitude, depth, temperature, salinity):
    T, S = (
        float(v[0]) for v in (a[:, 0] for a in levitus.on_points([latitude], [longitude], [depth]))
    )
    assert temperature[0] < T < temperature[1] and salinity[0] < S < salinity[1]


def test_filled_water_is_plausible():
    data = levitus.open()
    assert -2.2 < data.potential_temperature.min() and data.potential_temperature.max() < 31
    assert 4 < data.salinity.min() and data.salinity.max() < 41


def test_sulu_sea_is_warm_to_its_floor():
    """And the Celebes Sea next to it is cold, in both ways to read."""
    T, S = levitus.on_points([8.0, 4.0], [120.0, 123.0], [1000.0, 2000.0])
    assert (T[:, 0] > 9.7).all() and (T[:, 1] < 5).all() and S[:, 0] == pytest.approx(34.47)
    columns = levitus.open().potential_temperature.sel(latitude=8.5, longitude=[119.5, 120.5])
    assert columns.sel(depth=slice(500, 5000)).min() > 9.7


# ---------------------------------------------------------------------------- surface


def test_on_points_is_complete():
    data = surface.on_points(np.array([[0.0, 50.0]]), np.array([[200.0, 330.0]]))
    assert set(data) == set(surface.VARIABLES)
    assert all(
        values.shape == (12, 1, 2) and values.dtype == np.float32 for values in data.values()
    )
    assert (np.diff(surface.day_of_year()) > 28).all()


@pytest.mark.parametrize(
    "name, low, high",
    [
        ("wind_speed", 1, 16),
        ("eastward_wind", -11, 14),
        ("northward_wind", -10, 13),
        ("air_temperature", -36, 36),
        ("specific_humidity", 1e-4, 0.027),
        ("air_pressure", 96500, 104500),
        ("downward_shortwave_flux", 0, 330),
        ("downward_longwave_flux", 140, 470),
        ("precipitation_flux", 0, 1e-4),
        ("sea_surface_temperature", -1.9, 34.5),
        ("sea_surface_salinity", 4, 41),
        ("sea_ice_fraction", 0, 1),
    ],
)
def test_bounds(name, low, high):
    values = surface.open(name)[name]
    assert low <= values.min() and values.max() <= high


def test_polar_winter_is_dark_and_cold():
    january = surface.on_points([85.0], [0.0])
    assert january["downward_shortwave_flux"][0] == 0
    assert -36 < january["air_temperature"][0] < -25 and january["sea_ice_fraction"][0] > 0.9
    assert 140 < january["downward_longwave_flux"][0] < 200
    july = surface.on_points([-70.0], [330.0])
    assert july["downward_shortwave_flux"][6] < 5 and -28 < july["air_temperature"][6] < -12


def test_light_over_the_pack():
    """Over the dark sea as in the file except for the balance; at 68 S in December, under snow
    (albedo 0.84) and a sky that sends two fifths back, what the ice camp ISPOL measured: 52 +- 8 W
    m-2 (Vihma et al. 2009).
    """
    latitude = np.array([-68.0, -59.0, -57.0, 40.0])
    place = latitude, 0 * latitude + 305, surface.LIGHT
    (light,) = surface.on_points(*place, month=11).values()
    (in_file,) = embedded.on_points(surface.FILE, *place, month=11).values()
    ratio = light / in_file
    assert 1.05 < ratio[0] < 1.25 and ratio[1] == pytest.approx(1, abs=0.05)
    assert ratio[2:] == pytest.approx(BALANCE, rel=1e-6)
    assert 44 < light[0] * (1 - 0.4 * 0.066) / (1 - 0.4 * 0.84) * (1 - 0.84) < 60


def test_sky_over_the_arctic():
    """As measured by drifting stations at 87 N, as in the file south of 70 N."""
    name, place = "downward_longwave_flux", ([87.0, 69.0], [0.0, 5.0])
    for month in (0, 6):
        (sky,) = surface.on_points(*place, name, month=month).values()
        (in_file,) = embedded.on_points(surface.FILE, *place, name, month=month).values()
        assert sky == pytest.approx([LONGWAVE[month], in_file[1]], abs=0.5)
    (all_months,) = surface.on_points(*place, name).values()
    np.testing.assert_array_equal(all_months[6], sky)
    at = surface.open(name)[name].sel(latitude=87).mean("longitude").values
    assert at == pytest.approx(LONGWAVE, abs=1)


def test_area_of_sea_ice():
    ice = surface.open().sea_ice_fraction
    cells = area(ice.sea_latitude.values, 360) * ocean_fraction(180) / 1e12
    north, south = (
        (ice * cells).values[:, half].sum((1, 2)) for half in (slice(90, None), slice(90))
    )
    assert 10 < north.max() < 15 and 2.5 < north.min() < 6  # 1e6 km2; satellites: 13.5 and 4.5
    assert 13 < south.max() < 17 and 1.2 < south.min() < 3  # satellites: 14.8 and 1.8


def test_stress_of_the_westerlies(builder):
    data = surface.open().sel(latitude=-53)
    speed = data.wind_speed
    drag = 1e-3 * (2.7 / speed + 0.142 + speed / 13.09)  # Large & Yeager (2004), neutral
    stress = float((1.22 * drag * speed * data.eastward_wind).mean())
    assert 0.13 < stress < 0.20


def test_heat_and_fresh_water_balance(builder):
    data = surface.open()
    names = ("wind_speed", "air_temperature", "specific_humidity", "air_pressure")
    sst, ice = (
        builder.halve(data[name].values) for name in ("sea_surface_temperature", "sea_ice_fraction")
    )
    turbulent, evaporation = builder.bulk_fluxes(
        *(data[name].values.astype(float) for name in names), sst
    )
    radiation = (
        (1 - builder.ALBEDO) * data.downward_shortwave_flux.values
        + data.downward_longwave_flux.values
        - builder.STEFAN_BOLTZMANN * (sst + builder.CELSIUS) ** 4
    )
    water = area(data.latitude.values, 180) * ocean_fraction(90) * (1 - ice)

    def mean(field):
        return (field * water).sum() / water.sum()

    assert abs(mean(radiation + turbulent)) < 0.05  # W m-2; packing leaves 0.01
    assert abs(mean(evaporation - data.precipitation_flux.values)) < 1e-3 / 86400  # mm day-1
    assert mean(evaporation) * 86400 == pytest.approx(3.13, abs=0.01)


def test_a_file_is_opened_and_read_once():
    """Arrays, months, points of a grid and data sets come from one reading of the file."""
    embedded.dataset("topography").load()  # the libraries are there
    embedded._content.cache_clear()
    file = embedded.path("surface-climatology")
    with system_calls.openings() as opened:
        before = system_calls.moved()
        for month in (0, 6):
            embedded.read("surface-climatology", "latitude", month=month)
        data = embedded.dataset("surface-climatology")
        name = next(str(n) for n, v in data.data_vars.items() if v.ndim > 1)
        found = embedded.read("surface-climatology", name)[name]
        assert np.allclose(data[name].values, found, rtol=1e-6, equal_nan=True)
        read = system_calls.moved().since(before).read
    assert opened[str(file)] == 1
    assert 0 <= read - file.stat().st_size < 10_000 or read == 0  # 0: the system does not count
