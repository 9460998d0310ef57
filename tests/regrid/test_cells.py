"""Data finer than a grid: the mean of a cell keeps the sum that values at points would lose."""

import numpy as np
import pytest

import fathom as fm
from fathom import earth
from fathom.regrid import cells
from fathom.regrid.points import bilinear

latitude, longitude = np.arange(-89.75, 90, 0.5), np.arange(0.25, 360, 0.5)
levels = fm.ZLevels(number=2, depth=100)
grids = [
    fm.LatitudeLongitudeGrid(nx=72, ny=36, latitude=[-90, 90], bathymetry="flat", levels=levels),
    fm.TripolarGrid(resolution="3deg", bathymetry="flat", levels=levels),
]


def brought(grid, field):
    h = grid.horizontal
    corners = np.asarray(h.corner_latitude), np.asarray(h.corner_longitude)
    parts = cells.parts_of(latitude, longitude, np.asarray(h.area_center), earth.RADIUS)
    return parts, cells.means(field, latitude, longitude, corners, parts)


@pytest.mark.parametrize("grid", grids, ids=["latitudes", "tripolar"])
def test_the_sum_stays(grid):
    """Of rain in many small places."""
    rain = np.random.default_rng(1).random((latitude.size, longitude.size)) ** 8
    area = np.asarray(grid.horizontal.area_center)
    parts, found = brought(grid, rain)
    at_points = bilinear(rain, latitude, longitude, *grid.coordinates()[::-1])
    assert parts >= 4
    whole = np.cos(np.deg2rad(latitude))[:, None] * np.ones_like(rain)
    low = np.asarray(grid.horizontal.corner_latitude).min()
    covered = (latitude > low)[:, None]
    mean = (rain * whole * covered).sum() / (whole * covered).sum()
    error = lambda field: abs((field * area).sum() / area.sum() / mean - 1)
    assert error(found) < 0.004
    spread = lambda field: np.average((field - mean) ** 2, weights=area)
    assert spread(found) < 0.2 * spread(at_points)


@pytest.mark.parametrize("grid", grids, ids=["latitudes", "tripolar"])
def test_what_is_smooth_stays(grid):
    wave = lambda lat, lon: (
        np.sin(np.deg2rad(lat)) + np.cos(np.deg2rad(lat)) * np.sin(np.deg2rad(lon))
    )
    _, found = brought(grid, wave(latitude[:, None], longitude[None]))
    lon, lat = grid.coordinates()
    assert found == pytest.approx(wave(np.asarray(lat), np.asarray(lon)), abs=0.004)


def test_only_data_that_are_finer():
    area = np.full((4, 4), (3 * 111e3) ** 2)
    parts = lambda step: cells.parts_of(
        np.arange(-80, 81, step), np.arange(0, 360, step), area, earth.RADIUS
    )
    assert [parts(step) for step in (4, 2, 1.5, 1, 0.1)] == [1, 1, 1, 3, 8]
