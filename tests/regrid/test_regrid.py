"""Interpolation: exact where it should be, the same bits for a point on any rank, clear errors for
wrong arguments.
"""

import numpy as np
import pytest

from fathom.grids.regrid import points as regrid
from fathom.grids.regrid.fill import harmonic

LATITUDE, LONGITUDE = np.arange(-89.0, 90, 2), np.arange(1.0, 360, 2)
random = np.random.default_rng(1)


def field(function):
    return function(*np.meshgrid(LATITUDE, LONGITUDE, indexing="ij"))


def anywhere(n, limit=88.0):
    return random.uniform(-limit, limit, n), random.uniform(-720, 720, n)


def test_exact_for_fields_linear_in_latitude():
    latitude, longitude = anywhere(1000)
    result = regrid.bilinear(
        field(lambda y, x: 3 * y - 1), LATITUDE, LONGITUDE, latitude, longitude
    )
    np.testing.assert_allclose(
        result, 3 * latitude - 1, atol=1e-11
    )  # round-off of numbers near 300


def test_exact_for_products_within_the_longitudes():
    latitude, longitude = random.uniform(-88, 88, 500), random.uniform(2, 358, 500)
    result = regrid.bilinear(field(lambda y, x: y * x), LATITUDE, LONGITUDE, latitude, longitude)
    np.testing.assert_allclose(result, latitude * longitude, atol=1e-9)


def test_exact_at_source_points():
    values = random.normal(size=(3, LATITUDE.size, LONGITUDE.size))
    result = regrid.bilinear(
        values, LATITUDE, LONGITUDE, *np.meshgrid(LATITUDE, LONGITUDE, indexing="ij")
    )
    np.testing.assert_allclose(result, values, rtol=0, atol=1e-15)  # one rounding of numbers near 1


def test_periodic_and_closed_across_greenwich():
    values = field(lambda y, x: np.cos(np.deg2rad(x)))
    latitude = np.zeros(5)
    at = regrid.bilinear(
        values, LATITUDE, LONGITUDE, latitude, np.array([-0.5, 0.0, 0.5, 359.5, 360.0])
    )
    np.testing.assert_allclose(at, values[45, 0], rtol=1e-12)  # cos is even: both neighbours agree
    latitude, longitude = anywhere(100)
    longitude = np.round(longitude, 3)
    np.testing.assert_allclose(
        regrid.bilinear(values, LATITUDE, LONGITUDE, latitude, longitude + 360),
        regrid.bilinear(values, LATITUDE, LONGITUDE, latitude, longitude),
        atol=1e-13,
    )


def test_poles_take_the_outermost_latitude():
    values = field(lambda y, x: y)
    np.testing.assert_array_equal(
        regrid.bilinear(values, LATITUDE, LONGITUDE, [-90, 90], [12.0, 345.0]), [-89, 89]
    )


def test_decreasing_latitude_is_the_same():
    values, points = random.normal(size=(LATITUDE.size, LONGITUDE.size)), anywhere(200)
    np.testing.assert_array_equal(
        regrid.bilinear(values[::-1], LATITUDE[::-1], LONGITUDE, *points),
        regrid.bilinear(values, LATITUDE, LONGITUDE, *points),
    )


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_same_bits_whoever_asks(kind):
    values = random.normal(size=(4, LATITUDE.size, LONGITUDE.size)).astype(kind)
    latitude, longitude = anywhere(777)
    whole = regrid.bilinear(values, LATITUDE, LONGITUDE, latitude, longitude)
    assert whole.dtype == kind
    for chosen in (slice(3, 4), slice(100, 131), random.permutation(777)):
        part = regrid.bilinear(values, LATITUDE, LONGITUDE, latitude[chosen], longitude[chosen])
        np.testing.assert_array_equal(part, whole[:, chosen])


def test_values_stay_between_their_neighbours():
    values, points = random.uniform(2, 3, size=(LATITUDE.size, LONGITUDE.size)), anywhere(1000, 90)
    result = regrid.bilinear(values, LATITUDE, LONGITUDE, *points)
    assert 2 <= result.min() and result.max() <= 3


def test_vertical_is_linear_inside_and_constant_outside():
    depth, target = np.array([0.0, 10, 30, 100]), np.array([50.0, 5, 200, 30])
    values = np.stack([2 * depth, 7 - depth], 1)
    expected = np.stack([2 * target.clip(0, 100), 7 - target.clip(0, 100)], 1)
    np.testing.assert_allclose(regrid.vertical(values, depth, target), expected, rtol=1e-14)


@pytest.mark.parametrize(
    "given, message",
    [
        (
            {"values": np.zeros((3, 4))},
            r"last two axes must be latitude and longitude, \(90, 180\)",
        ),
        ({"longitude": np.linspace(0, 360, 180)}, "without the first point repeated"),
        ({"longitude": np.linspace(0, 90, 180)}, "once around the globe"),
        ({"longitude": LONGITUDE[::-1]}, "increasing"),
        ({"target_latitude": [95.0]}, "swapped"),
        ({"target_latitude": [np.nan]}, "not finite at index"),
    ],
)
def test_errors_say_what_does_not_fit(given, message):
    arguments = {
        "values": np.zeros((90, 180)),
        "latitude": LATITUDE,
        "longitude": LONGITUDE,
        "target_latitude": [0.0],
        "target_longitude": [0.0],
    } | given
    with pytest.raises(ValueError, match=message):
        regrid.bilinear(**arguments)


def test_levitus_on_the_points_of_a_degree():
    from fathom.data import levitus

    points = np.meshgrid(np.linspace(-78, 89, 300), np.linspace(0, 359, 360), indexing="ij")
    temperature, salinity = levitus.on_points(*points, np.linspace(5, 5400, 40))
    assert temperature.shape == salinity.shape == (40, 300, 360)
    assert -3 < np.nanmin(temperature) and np.nanmax(temperature) < 32


class TestHarmonicFill:
    latitude = np.arange(-87.5, 90, 5)

    def holes(self, values):
        return np.where(random.random(values.shape) < 0.4, np.nan, values)

    def test_known_values_stay_and_nothing_is_missing(self):
        values = self.holes(random.normal(size=(36, 72)))
        result = harmonic(values, self.latitude)
        known = ~np.isnan(values)
        np.testing.assert_array_equal(result[known], values[known])
        assert np.nanmin(values) <= result.min() and result.max() <= np.nanmax(values)

    def test_each_filled_value_is_the_mean_of_its_neighbours(self):
        values = random.normal(size=(36, 72))
        values[17, 30] = np.nan
        result, c = harmonic(values, self.latitude), np.cos(np.deg2rad(self.latitude))
        north, south, side = (c[17] + c[18]) / 2, (c[17] + c[16]) / 2, 1 / c[17]
        mean = (
            north * values[18, 30]
            + south * values[16, 30]
            + side * (values[17, 29] + values[17, 31])
        )
        assert result[17, 30] == pytest.approx(
            mean / (north + south + 2 * side), rel=1e-5
        )  # iterated to 1e-6

    def test_coupled_levels(self):
        values = self.holes(np.ones((4, 36, 72)))
        values[2] = np.nan
        np.testing.assert_allclose(harmonic(values, self.latitude, coupling=0.1), 1.0, rtol=1e-6)

    def test_nothing_to_fill_from(self):
        with pytest.raises(ValueError, match="all 2592 values are missing"):
            harmonic(np.full((36, 72), np.nan), self.latitude)
