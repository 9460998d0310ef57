"""The ground of a spectral model, and what lies on it."""

import numpy as np
import pytest

from fathom.atmosphere.ground import boundary, orography
from fathom.base import mpi
from fathom.base.earth import STANDARD_GRAVITY
from fathom.data import atmosphere, embedded
from fathom.grids.regrid.rows import Rows

ROWS = Rows.gaussian(64)


@pytest.fixture(scope="module")
def ground():
    return {name: ROWS.pack(field) for name, field in orography.orography(ROWS, 42).items()}


@pytest.fixture(scope="module")
def fields(ground):
    result = boundary.boundary_fields(
        ROWS,
        "2011-10-11",
        ROWS.unpack(ground["land_fraction"]),
        ROWS.unpack(ground["surface_geopotential"]),
        atmosphere.gfs(),
    )
    return {name: ROWS.pack(field) for name, field in result.items()}


def near(latitude, longitude):
    """Index of the nearest point."""
    east = (ROWS.point_longitude - longitude + 180) % 360 - 180
    return int(
        np.argmin(
            (ROWS.point_latitude - latitude) ** 2 + (east * np.cos(np.deg2rad(latitude))) ** 2
        )
    )


# ---------------------------------------------------------------------------- orography


@pytest.mark.parametrize("points", [None, "octahedral"])
def test_cell_means_conserve(points):
    rows, random = Rows.gaussian(24, points), np.random.default_rng(2)
    values = random.random((36, 72))
    band = np.diff(np.sin(np.deg2rad(np.linspace(-90, 90, 37))))
    area = np.diff(
        np.sin(
            np.deg2rad(
                np.concatenate([[-90], 0.5 * (rows.latitude[1:] + rows.latitude[:-1]), [90]])
            )
        )
    )
    whole = (orography.cell_means(values, rows) * np.repeat(area / rows.points, rows.points)).sum()
    assert whole == pytest.approx((values * band[:, None] / 72).sum(), rel=1e-13)
    np.testing.assert_allclose(orography.cell_means(np.ones((36, 72)), rows), 1)


def test_a_cell_lies_around_its_point():
    rows, step = Rows.gaussian(24), np.zeros((36, 72))
    step[:, :36] = 1  # the eastern hemisphere
    mean = rows.unpack(orography.cell_means(step, rows))
    np.testing.assert_allclose(
        mean[:, [0, 1, 23, 24, 25, 47]], np.broadcast_to([0.5, 1, 1, 0.5, 0, 0], (24, 6))
    )


@pytest.mark.parametrize("points", [None, "octahedral"])
def test_fit_keeps_what_the_truncation_holds(points):
    """A spherical harmonic within comes back times its factor, one beyond it vanishes."""
    rows = Rows.gaussian(48, points)
    mu, x = np.sin(np.deg2rad(rows.point_latitude)), np.deg2rad(rows.point_longitude)
    harmonic = (1 - mu**2) * mu * np.cos(2 * x + 0.3)  # m = 2, n = 3
    np.testing.assert_allclose(orography.fitted(harmonic, rows, 20, taper=0), harmonic, atol=1e-13)
    np.testing.assert_allclose(
        orography.fitted(harmonic, rows, 3), np.exp(-2) * harmonic, atol=1e-13
    )
    np.testing.assert_allclose(orography.fitted(harmonic, rows, 2), 0, atol=1e-13)
    noise = np.random.default_rng(3).random(rows.size)
    once = orography.fitted(noise, rows, 20, taper=0)
    if points is None:
        np.testing.assert_allclose(orography.fitted(once, rows, 20, taper=0), once, atol=1e-13)
    with pytest.raises(ValueError, match="truncation 100 does not fit"):
        orography.fitted(noise, rows, 100)


def test_mountains_are_where_they_are(ground):
    height = ground["surface_geopotential"] / STANDARD_GRAVITY
    assert (
        4000 < height[near(33, 88)] < 5600
        and 1800 < height[near(73, -40)] < 3200
        and 2500 < height[near(-80, 90)] < 4000
    )
    assert abs(height[near(0, -150)]) < 30
    assert (height * ROWS.area).sum() == pytest.approx(
        235, abs=10
    )  # m: 0.29 of the sphere, 800 m high
    assert (ground["land_fraction"] * ROWS.area).sum() == pytest.approx(0.291, abs=0.004)
    deviation = ground["orography_deviation"]
    assert (
        deviation[near(-20, -68)] > 300
        and deviation[near(60, 70)] < 60
        and deviation[near(0, -150)] == 0
    )


# ---------------------------------------------------------------------------- surface


def test_surface_fields_are_plausible(fields, ground):
    assert {
        "sea_surface_temperature",
        "ground_temperature",
        "deep_ground_temperature",
        "sea_ice_fraction",
        "snow_amount",
        "soil_moisture",
        "snow_free_albedo",
        "roughness_length",
        "vegetation_fraction",
        *(f"soil_{what}_{k}" for what in ("temperature", "water") for k in (1, 2, 3, 4)),
    } == set(fields)
    assert all(f.shape == (ROWS.size,) and np.isfinite(f).all() for f in fields.values())
    sahara, amazon, antarctica, pacific, arctic = (
        near(*p) for p in ((23, 10), (-3, 295), (-80, 90), (0, 210), (88, 0))
    )
    albedo, z0, water = (
        fields[name] for name in ("snow_free_albedo", "roughness_length", "soil_moisture")
    )
    assert albedo[amazon] < 0.18 < 0.25 < albedo[sahara] < 0.45 and albedo[antarctica] > 0.72
    assert z0[antarctica] < 0.002 and z0[sahara] < 0.1 < 0.5 < z0[amazon]
    desert = (abs(ROWS.point_latitude - 23) < 5) & (
        abs(ROWS.point_longitude - 15) < 15
    )  # one day of rain may wet a point, not the desert
    assert np.median(water[desert]) < 15 < 60 < water[amazon] <= 150
    assert (
        fields["snow_amount"][antarctica] > 900
        and fields["snow_amount"][pacific] == 0
        and fields["snow_amount"][amazon] < 1
    )
    assert fields["sea_ice_fraction"][arctic] > 0.9 and fields["sea_ice_fraction"][pacific] == 0
    assert (
        295 < fields["sea_surface_temperature"][pacific] < 302
        and fields["ground_temperature"][antarctica] < 240
    )
    assert (
        240 < fields["ground_temperature"][arctic] < 272
        and fields["deep_ground_temperature"][sahara] > 295
    )
    assert (
        fields["soil_temperature_4"][sahara] > 295 > 250 > fields["soil_temperature_1"][antarctica]
    )
    theta = fields["soil_water_3"] / 720
    assert 0.155 <= theta.min() and theta.max() <= 0.3141
    assert (
        np.median(fields["vegetation_fraction"][desert])
        < 0.3
        < fields["vegetation_fraction"][amazon]
    )
    assert np.median(fields["soil_water_1"][desert] / 70) < 0.25 < theta[amazon]


def test_ground_of_a_frozen_coast_is_land_and_ice_by_area():
    """With no land at all the ground is the ice: never warmer than freezing sea water."""
    none = boundary.boundary_fields(
        ROWS, "2011-10-11", np.zeros(ROWS.shape), np.zeros(ROWS.shape), atmosphere.gfs()
    )
    frozen = none["sea_ice_fraction"] > 0.5
    assert (none["ground_temperature"][frozen] <= mpi.core.ground["freezing_sea"]).all()
    assert not none["snow_amount"].any()


def test_climatology_and_analysis_of_the_sea_agree(fields, ground):
    months = boundary.boundary_fields(
        ROWS,
        "2011-10-11",
        ROWS.unpack(ground["land_fraction"]),
        ROWS.unpack(ground["surface_geopotential"]),
    )
    water = ground["land_fraction"] < 0.1
    difference = (ROWS.pack(months["sea_surface_temperature"]) - fields["sea_surface_temperature"])[
        water
    ]
    weight = ROWS.area[water] / ROWS.area[water].sum()
    assert abs((difference * weight).sum()) < 0.3 and np.sqrt((difference**2 * weight).sum()) < 1.0


def test_the_sea_goes_through_the_year(ground):
    land, phi = (ROWS.unpack(ground[name]) for name in ("land_fraction", "surface_geopotential"))
    at = near(45, 170)
    seasons = [
        ROWS.pack(boundary.boundary_fields(ROWS, date, land, phi)["sea_surface_temperature"])[at]
        for date in ("2001-12-31", "2002-01-01", "2001-08-15")
    ]
    assert abs(seasons[0] - seasons[1]) < 0.3 and seasons[2] - seasons[0] > 5


def test_ozone_column_is_that_of_the_data():
    latitude = np.linspace(-80, 80, 9)
    edges = np.exp(np.linspace(np.log(1.0), np.log(1e5), 1501))
    middle = 0.5 * (edges[1:] + edges[:-1])
    column = (boundary.ozone(latitude, middle[:, None]) * np.diff(edges)[:, None]).sum(
        0
    ) / STANDARD_GRAVITY
    data = embedded.read("gfs-2011-10-11", "total_ozone", "latitude")
    np.testing.assert_allclose(
        column, np.interp(latitude, data["latitude"], data["total_ozone"]), rtol=0.02
    )
    tropics = boundary.ozone(np.zeros(1), middle[:, None])[:, 0]
    assert 300 < middle[tropics.argmax()] < 3000 and tropics.max() == pytest.approx(1.6e-5, rel=0.2)
    assert boundary.ozone(np.zeros(1), np.array([0.1]))[0] < 1e-7
