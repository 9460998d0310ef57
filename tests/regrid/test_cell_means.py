"""Data finer than a grid: means over cells hold what the data hold."""

import numpy as np
import pytest

import fathom as fm
from fathom.grids.regrid.cell_means import CellMeans, edges_between, finer
from fathom.grids.regrid.points import bilinear

latitude, longitude = np.arange(-90, 90.1, 0.5), np.arange(0, 360, 0.5)
levels = fm.ZLevels(nz=2, depth=100)
grids = [
    fm.LatitudeLongitudeGrid(nx=72, ny=36, latitude=[-90, 90], bathymetry="flat", levels=levels),
    fm.TripolarGrid(resolution="3deg", bathymetry="flat", levels=levels),
    fm.DipoleGrid(resolution="3deg", bathymetry="flat", levels=levels),
]
each_grid = pytest.mark.parametrize("grid", grids, ids=["latitudes", "tripolar", "dipole"])


def means_on(grid, latitude=latitude):
    h = grid.horizontal
    corners = np.asarray(h.corner_latitude), np.asarray(h.corner_longitude)
    area = np.asarray(h.area_center) / h.radius**2
    return CellMeans.of_points(latitude, longitude, corners), area


def held(values):
    """Of the sphere, by latitudes from the south."""
    rows, columns = edges_between(latitude, longitude)
    boxes = np.diff(np.sin(np.deg2rad(rows)))[:, None] * np.deg2rad(np.diff(columns))
    return (values * boxes).sum()


@each_grid
def test_the_sum_stays(grid):
    """Of rain in many small places, where the grid is: to the poles, or within its edges."""
    edges = np.asarray(grid.horizontal.corner_latitude)
    inside = (latitude > edges.min() + 1) & ((latitude < 60) | (edges.max() > 89.9))
    rain = np.random.default_rng(1).random((latitude.size, longitude.size)) ** 8
    rain *= inside[:, None]
    means, area = means_on(grid)
    found = means(rain)
    assert (found * area).sum() == pytest.approx(held(rain), rel=1e-12)
    assert found.min() >= 0 and found.max() <= rain.max()
    assert means_on(grid, latitude[::-1])[0](rain[::-1]) == pytest.approx(found, rel=1e-9, abs=1e-9)
    at_points = bilinear(rain, latitude, longitude, *grid.coordinates()[::-1])
    assert found.std() < 0.5 * at_points.std()


@each_grid
def test_cells_are_those_of_the_model(grid):
    means, area = means_on(grid)
    assert means.area == pytest.approx(area, rel=1e-9)


@each_grid
def test_what_is_smooth_stays(grid):
    wave = lambda lat, lon: (
        np.sin(np.deg2rad(lat)) + np.cos(np.deg2rad(lat)) * np.sin(np.deg2rad(lon))
    )
    means, _ = means_on(grid)
    field = np.stack([wave(latitude[:, None], longitude[None]), np.full((361, 720), 7.0)])
    found, constant = means(field)
    lon, lat = grid.coordinates()
    assert found == pytest.approx(wave(np.asarray(lat), np.asarray(lon)), abs=0.02)
    assert (constant == 7).all()


def test_cells_with_gaps_are_gaps():
    means, _ = means_on(grids[0])
    field = np.ones((latitude.size, longitude.size), np.float32)
    field[103, 203] = np.nan
    found = means(field)
    assert found.dtype == np.float32 and np.argwhere(np.isnan(found)).tolist() == [[10, 20]]


def test_only_data_that_are_finer():
    area = np.full((4, 4), (3 * 111e3) ** 2)
    fine = lambda step: finer(np.arange(-80, 81, step), np.arange(0, 360, step), area)
    assert [fine(step) for step in (4, 2, 1.5, 1, 0.1)] == [False, False, False, True, True]
