"""Rows, and interpolation over the poles."""

import numpy as np
import pytest

from fathom.grids.regrid import sphere
from fathom.grids.regrid.rows import Rows


def fields(latitude, longitude):
    """A scalar smooth on the sphere, and u, v of a flow that crosses the poles and turns."""
    y, x = np.deg2rad(latitude), np.deg2rad(longitude)
    scalar = np.cos(y) * np.sin(x + 0.4) + np.sin(2 * y) * np.cos(y) * np.cos(2 * x)
    return scalar, np.sin(x) * np.sin(y) + 0.3 * np.cos(y), np.cos(x)


def on(latitude, longitude):
    return fields(*np.meshgrid(latitude, longitude, indexing="ij"))


@pytest.mark.parametrize("poles", [True, False])
@pytest.mark.parametrize("points", [None, "octahedral"])
def test_fourth_order_at_the_poles_too(poles, points):
    rows = Rows.gaussian(32, points)
    exact = fields(rows.point_latitude, rows.point_longitude)

    def errors(n):
        latitude = np.linspace(-90, 90, n + 1) if poles else -90 + (np.arange(n) + 0.5) * 180 / n
        longitude = np.arange(2 * n) * 180 / n
        source = on(latitude, longitude)
        return [
            np.abs(sphere.to_rows(f, latitude, longitude, rows, vector=v) - e).max()
            for f, e, v in zip(source, exact, (False, True, True))
        ]

    coarse, fine = errors(18), errors(36)
    assert max(fine) < 2e-4 and all(a / b > 11 for a, b in zip(coarse, fine))


def test_a_uniform_flow_over_the_pole_needs_the_sign():
    rows = Rows.gaussian(32)
    latitude, longitude = np.linspace(-90, 90, 37), np.arange(72) * 5.0
    u = on(latitude, longitude)[1]
    exact = fields(rows.point_latitude, rows.point_longitude)[1]
    assert np.abs(sphere.to_rows(u, latitude, longitude, rows, vector=True) - exact).max() < 1e-4
    assert np.abs(sphere.to_rows(u, latitude, longitude, rows) - exact).max() > 1e-2


def test_there_and_back():
    rows = Rows.gaussian(64, "octahedral")
    latitude, longitude = np.linspace(90, -90, 37), np.arange(-180, 180, 5.0)
    for f, vector in zip(on(latitude, longitude), (False, True, True)):
        back = sphere.to_regular(
            sphere.to_rows(f, latitude, longitude, rows, vector=vector),
            rows,
            latitude,
            longitude,
            vector=vector,
        )
        np.testing.assert_allclose(back, f, atol=2e-4)


def test_linear_stays_between_its_neighbours():
    rows, random = Rows.gaussian(48), np.random.default_rng(1)
    values = random.random((3, 36, 72))
    latitude, longitude = -87.5 + 5 * np.arange(36), 2.5 + 5 * np.arange(72)
    result = sphere.to_rows(values, latitude, longitude, rows, order=1)
    assert values.min() <= result.min() and result.max() <= values.max()
    same = Rows(latitude, np.full(36, 72))
    np.testing.assert_allclose(
        sphere.to_rows(values, latitude, same.longitude(0), same, order=1),
        same.pack(values),
        rtol=1e-12,
    )


def test_rows():
    rows = Rows.gaussian(16, "octahedral")
    assert rows.points[0] == 20 and rows.shape == (16, 48) and rows.size == rows.points.sum()
    assert rows.area.sum() == pytest.approx(1)
    assert (rows.area * np.sin(np.deg2rad(rows.point_latitude)) ** 2).sum() == pytest.approx(
        1 / 3, abs=1e-12
    )
    values = np.arange(2.0 * rows.size).reshape(2, -1)
    field = rows.unpack(values, np.nan)
    np.testing.assert_array_equal(rows.pack(field), values)
    assert np.isnan(field[:, ~rows.used]).all()


def test_errors_say_what_does_not_fit():
    rows = Rows.gaussian(8)
    with pytest.raises(ValueError, match="an even number with equal steps"):
        sphere.to_rows(np.zeros((5, 7)), np.linspace(-90, 90, 5), np.arange(7) * 360 / 7, rows)
    with pytest.raises(ValueError, match="do not fit 5 latitudes"):
        sphere.to_rows(np.zeros((4, 8)), np.linspace(-90, 90, 5), np.arange(8) * 45.0, rows)
    with pytest.raises(ValueError, match="even number of rows"):
        Rows.gaussian(7)
    with pytest.raises(ValueError, match="increase"):
        Rows([10, 0], [8, 8])
    with pytest.raises(ValueError, match="does not fit a grid of 8 rows"):
        rows.pack(np.zeros((8, 8)))
