"""Maps of limited areas against eccodes, against their own derivatives, and back again."""

import numpy as np
import pytest

from fathom.grids.regrid.projections import (
    LambertConformal,
    Mercator,
    PolarStereographic,
    RotatedLatitudeLongitude,
    fitting,
    kinds,
)

A = 6371220.0
maps = [
    LambertConformal(8, 46.5),
    LambertConformal(-95, (25, 60)),
    LambertConformal(140, (-30, -31)),
    PolarStereographic(-105, 60),
    PolarStereographic(20, -71),
    PolarStereographic(0),
    Mercator(-60, 15),
    RotatedLatitudeLongitude((-170, 43)),
    RotatedLatitudeLongitude((177.5, 37.5)),
    RotatedLatitudeLongitude((170, 40), middle=180),
    RotatedLatitudeLongitude((180, 90)),
]
each = pytest.mark.parametrize("plane", maps, ids=repr)


def places(number=400):
    random = np.random.default_rng(5)
    return random.uniform(-180, 180, number), random.uniform(-85, 85, number)


@each
def test_there_and_back(plane):
    longitude, latitude = places()
    x, y = plane.from_earth(longitude, latitude)
    assert plane.contains(x, y).all()
    there, up = plane.to_earth(x, y)
    np.testing.assert_allclose((there - longitude + 180) % 360 - 180, 0, atol=1e-11)
    np.testing.assert_allclose(up, latitude, atol=1e-11)


@each
def test_map_factors_and_angle_are_the_slopes_of_the_map(plane):
    """A wind to the east or north moves a parcel over the map as the wind along the axes says."""
    longitude, latitude = places()
    d = 1e-4
    across = 2 * A * np.deg2rad(d)
    east = (
        (longitude + d, latitude),
        (longitude - d, latitude),
        across * np.cos(np.deg2rad(latitude)),
    )
    north = (longitude, latitude + d), (longitude, latitude - d), across
    m = np.stack(plane.map_factors(longitude, latitude))
    for wind, (after, before, length) in (((1.0, 0.0), east), ((0.0, 1.0), north)):
        moved = (np.stack(plane.from_earth(*after)) - plane.from_earth(*before)) / length
        along = m * plane.along_axes(*wind, longitude, latitude)
        near = np.hypot(*moved) < 3 * m.max(0)  # not across the seam of the map
        assert near.mean() > 0.99
        np.testing.assert_allclose((moved / m)[:, near], (along / m)[:, near], atol=2e-7)


@each
def test_wind_turned_and_back(plane):
    longitude, latitude = places()
    wind = np.random.default_rng(2).normal(size=(2, 3, longitude.size))
    u, v = plane.along_axes(*wind, longitude, latitude)
    np.testing.assert_allclose(np.hypot(u, v), np.hypot(*wind), rtol=1e-13)
    np.testing.assert_allclose(plane.on_earth(u, v, longitude, latitude), wind, atol=1e-13)


def test_known_values():
    # m = 1 on the true latitudes only, less between two of a cone
    cone = LambertConformal(10, (30, 60))
    m = cone.map_factors(77.0, np.array([30, 60, 45, 20, 70]))[0]
    np.testing.assert_allclose(m[:2], 1, rtol=1e-14)
    assert m[2] < 1 < min(m[3:])
    # Snyder (1987), p. 296: sphere of radius 1, parallels 33 and 45, origin 23 N 96 W
    unit = LambertConformal(-96, (33, 45), radius=1.0)
    x, y = unit.from_earth(-75, 35)
    assert x == pytest.approx(0.2966785, abs=1e-7)
    assert y - unit.from_earth(-96, 23)[1] == pytest.approx(0.2462112, abs=1e-7)
    assert unit.map_factors(-75, 35)[0] == pytest.approx(0.9970040, abs=1e-7)
    assert unit.cone == pytest.approx(0.6304777, abs=1e-7)
    # a true scale at the pole: 2 a tan(colatitude / 2)
    pole = PolarStereographic(0)
    assert pole.from_earth(90, 60)[0] == pytest.approx(2 * A * np.tan(np.deg2rad(15)), rel=1e-14)
    assert pole.from_earth(0, 60)[1] < 0 and np.hypot(*pole.from_earth(30, 90)) < 1e-9
    assert pole.to_earth(0, 0)[1] == 90
    assert Mercator(0).from_earth(90, 0) == (pytest.approx(A * np.pi / 2), pytest.approx(0))
    np.testing.assert_allclose(RotatedLatitudeLongitude((-170, 43)).to_earth(0, 0), (10, 47))
    assert pole.coriolis(30) == pytest.approx(7.292123516990375e-5)


# ---- eccodes -------------------------------------------------------------------------------------

written = {
    "lambert": (
        LambertConformal(8, (44, 50)),
        {"LaDInDegrees": 44, "LoVInDegrees": 8, "Latin1InDegrees": 44, "Latin2InDegrees": 50}
        | {"DxInMetres": 40e3, "DyInMetres": 40e3},
    ),
    "polar_stereographic": (
        PolarStereographic(20, 60),
        {"LaDInDegrees": 60, "orientationOfTheGridInDegrees": 20}
        | {"DxInMetres": 40e3, "DyInMetres": 40e3},
    ),
    "mercator": (
        Mercator(0, 15),
        {"LaDInDegrees": 15, "DiInMetres": 40e3, "DjInMetres": 40e3},
    ),
    "rotated_ll": (
        RotatedLatitudeLongitude((-170, 43)),
        {"latitudeOfSouthernPoleInDegrees": -43, "longitudeOfSouthernPoleInDegrees": 10}
        | {"iDirectionIncrementInDegrees": 0.5, "jDirectionIncrementInDegrees": 0.5},
    ),
}


@pytest.mark.parametrize("kind", written)
def test_places_are_those_of_eccodes(kind):
    """GRIB keeps the first point to 1e-6 degrees."""
    eccodes = pytest.importorskip("eccodes")
    plane, keys = written[kind]
    nx, ny = 30, 20
    rotated = kind == "rotated_ll"
    step = A * np.deg2rad(0.5) if rotated else 40e3
    x0, y0 = (-7 * step, -5 * step) if rotated else plane.from_earth(3, 42)
    x, y = np.meshgrid(x0 + step * np.arange(nx), y0 + step * np.arange(ny))
    longitude, latitude = plane.to_earth(x, y)
    ends = [(longitude[j, i], latitude[j, i]) for j, i in ((0, 0), (-1, -1))]
    if rotated:
        ends = [tuple(np.rad2deg([x[j, j], y[j, j]]) / A) for j in (0, -1)]
    message = eccodes.codes_grib_new_from_samples("GRIB2")
    keys = {"gridType": kind, "Ni": nx, "Nj": ny, "shapeOfTheEarth": 1} | keys
    keys |= {"scaleFactorOfRadiusOfSphericalEarth": 0, "scaledValueOfRadiusOfSphericalEarth": A}
    keys |= {"iScansNegatively": 0, "jScansPositively": 1}
    keys |= {
        f"{axis}Of{end}GridPointInDegrees": value % 360 if axis == "longitude" else value
        for end, place in zip(("First", "Last"), ends)
        for axis, value in zip(("longitude", "latitude"), place)
        if end == "First" or kind in ("mercator", "rotated_ll")
    }
    for name, value in keys.items():
        eccodes.codes_set(message, name, value)
    eccodes.codes_set_values(message, np.zeros(nx * ny))
    there = eccodes.codes_get_array(message, "longitudes").reshape(ny, nx)
    up = eccodes.codes_get_array(message, "latitudes").reshape(ny, nx)
    eccodes.codes_release(message)
    np.testing.assert_allclose((there - longitude + 180) % 360 - 180, 0, atol=5e-6)
    np.testing.assert_allclose(up, latitude, atol=5e-6)


# ---- what is given -------------------------------------------------------------------------------


@pytest.mark.parametrize("make", list(kinds.values()), ids=list(kinds))
@pytest.mark.parametrize("latitude", [-48.0, 20.0, 66.0])
def test_laid_around_a_place(make, latitude):
    plane = make(12.0, latitude, A)
    m = plane.map_factors(12.0, latitude)
    np.testing.assert_allclose(m, 1, rtol=1e-14)
    np.testing.assert_allclose(plane.angle(12.0, latitude), 0, atol=1e-14)
    assert plane.from_earth(12.0, latitude)[0] == pytest.approx(0, abs=1e-6)


def test_the_map_that_bends_least():
    assert [fitting(f) for f in (0, -25, 46, -70)] == [
        "mercator", "mercator", "lambert", "polar stereographic",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda: LambertConformal(0, 0), "take Mercator at the equator"),
        (lambda: LambertConformal(0, (30, -30)), "on one side of the equator"),
        (lambda: LambertConformal(0, 90), "PolarStereographic at a pole"),
        (lambda: LambertConformal("east", 45), "longitude must be a number"),
        (lambda: PolarStereographic(0, 0), "its sign says which pole"),
        (lambda: Mercator(0, 90), "a cylinder"),
        (lambda: RotatedLatitudeLongitude(40), "longitude and latitude of the pole"),
        (lambda: RotatedLatitudeLongitude((0, 100)), r"latitude within \[-90, 90\]"),
        (lambda: Mercator(0, radius=-1.0), "more than 0 m"),
        (lambda: Mercator(0).from_earth(0, 91), "latitude 91 is none"),
    ],
)
def test_what_cannot_be(wrong, said):
    with pytest.raises(ValueError, match=said):
        wrong()
