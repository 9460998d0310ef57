"""regrid = "conservative": means over the cells of other grids, with the contents of the model."""

import numpy as np
import pytest

import fathom as fm
import output_requests
from fathom.base.earth import unit_vectors
from fathom.grids.regrid import targets
from fathom.grids.regrid.overlap import Overlap

levels = fm.ZLevels(nz=2, depth=100)
tripolar = fm.TripolarGrid(resolution="3deg", bathymetry="flat", levels=levels)
dipole = fm.DipoleGrid(resolution="3deg", bathymetry="flat", levels=levels)
turned = fm.GaussianGrid(21, stretching=2.0, pole=(5.0, 45.0))
reduced = fm.GaussianGrid(31, grid="cubic", reduced="octahedral")


def sides(grid):
    """Corners (ny, nx, 3) of the cells of a grid, one after another."""
    h = grid.horizontal
    at = unit_vectors(np.asarray(h.corner_longitude), np.asarray(h.corner_latitude))
    return [at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]]


def sampled(grid, points):
    """The share of points in each cell of a grid (ny * nx): those to the left of all four sides."""
    around = sides(grid)
    near = (sum(around) @ points.mean(0) > 3.5).ravel()
    inside = np.ones((near.sum(), len(points)), bool)
    for a, b in zip(around, around[1:] + around[:1]):
        inside &= np.cross(a, b).reshape(-1, 3)[near] @ points.T > 0
    share = np.zeros(near.size)
    share[near] = inside.mean(1)
    return share


def of_box(west, south, degrees, n=40):
    """n x n points of equal area in a box of latitudes and longitudes."""
    sine = np.sin(np.deg2rad([south, south + degrees]))
    middle = (np.arange(n) + 0.5) / n
    latitude = np.rad2deg(np.arcsin(sine[0] + middle * (sine[1] - sine[0])))
    return unit_vectors(*np.meshgrid(west + degrees * middle, latitude)).reshape(-1, 3)


@pytest.mark.parametrize("grid", [tripolar, dipole, turned], ids=["tripolar", "dipole", "turned"])
def test_areas_are_those_of_points(grid):
    new = targets.regular(10)
    found, areas = Overlap.of(grid, new.mapping), new.mapping["area"].ravel()
    for j, i in ((17, 3), (15, 20), (16, 30), (12, 7)):  # the first is at the pole
        share = found.area[[j * 36 + i]].toarray()[0] / areas[j * 36 + i]
        counted = sampled(grid, of_box(10 * i, 10 * j - 90, 10))
        assert np.abs(share - counted).max() < 1 / 40
        assert share.sum() == pytest.approx(counted.sum(), abs=0.02)
    assert found.area.data.min() > 0


def test_areas_between_curved_grids_are_those_of_points():
    found = Overlap.of(tripolar, targets.of_grid(turned).mapping)
    corners = [c.reshape(-1, 3) for c in sides(turned)]
    everywhere = np.random.default_rng(2).normal(size=(1000000, 3))
    everywhere /= np.linalg.norm(everywhere, axis=1)[:, None]
    for cell in (200, 300, 700):
        around = np.stack([c[cell] for c in corners])
        points = everywhere[everywhere @ around.mean(0) > 0.98]
        for a, b in zip(around, np.roll(around, -1, 0)):
            points = points[points @ np.cross(a, b) > 0]
        share = found.area[[cell]].toarray()[0]
        assert np.abs(share / share.sum() - sampled(tripolar, points)).max() < 0.06


@pytest.mark.parametrize(
    "grid, new",
    [
        (turned, targets.of_grid(fm.GaussianGrid(15, stretching=1.5, pole=(-60.0, 30.0)))),
        (tripolar, targets.regular(2)),
        (turned, targets.regular(7.5)),
        (reduced, targets.regular(10)),
        (reduced, targets.of_grid(fm.GaussianGrid(10))),
        (fm.GaussianGrid(21), targets.of_grid(turned)),
    ],
    ids=["both turned", "tripolar", "turned", "reduced", "rows", "to turned"],
)
def test_each_cell_goes_somewhere(grid, new):
    area = np.asarray(Overlap.of(grid, new.mapping).area.sum(0)).ravel()
    assert area == pytest.approx(np.asarray(grid.areas[0]).ravel(), rel=1e-12)


def held(data, name):
    share = data.sftof if "sftof" in data else 1.0
    return (data[name][-1] * data.areacello * share).sum(data[name].dims[-2:]).values


def test_an_ocean_keeps_its_heat(tmp_path):
    output_requests.run_ocean(str(tmp_path))
    own, cells = fm.open(tmp_path / "whole.nc"), fm.open(tmp_path / "cells.nc")
    assert held(cells, "thetao") == pytest.approx(held(own, "thetao"), rel=1e-7)  # float32
    assert cells.thetao.attrs["cell_methods"] == "area: mean where sea"
    assert np.array_equal(np.isnan(cells.thetao[-1]), cells.sftof == 0)
    assert ((cells.sftof > 0.01) & (cells.sftof < 0.99)).any()


def test_winds_turn_between_cells():
    """A flow over the poles: its components are smooth nowhere, its mean is."""
    grid, new = fm.GaussianGrid(42), targets.regular(10)
    new.conservative = True
    east = lambda lon, lat: np.sin(np.deg2rad(lat)) * np.cos(np.deg2rad(lon))
    north = lambda lon, lat: -np.sin(np.deg2rad(lon)) + 0 * lat
    new.find(grid, "center")
    new.find_turn(grid, "center")
    places = grid.coordinates()
    region = (0, 18, 0, 36)
    j0, j1 = new.rows("center", region)
    u, v = (f(*places)[None, j0:j1] for f in (east, north))
    for found, wanted in zip(new.wind("center", region, u, v, j0), (east, north)):
        assert np.abs(found[0] - wanted(*new.places())).max() < 0.02


@pytest.mark.parametrize(
    "asked, words",
    [
        ({"regrid": "conserve", "latlon_resolution": 5}, "did you mean 'conservative'"),
        ({"regrid": "conservative"}, "goes with latlon_resolution"),
        ({"regrid": "conservative", "moorings": [[0, 0]]}, "two places"),
    ],
)
def test_what_cannot_be_is_told(asked, words):
    ocean = fm.Ocean(tripolar)
    simulation = fm.Simulation(ocean, time_step="30m")
    with pytest.raises(fm.InputError, match=words):
        simulation.output("a.nc", ["temperature"], **asked)
    with pytest.raises(fm.InputError, match="lies on the corners of cells"):
        simulation.output("a.nc", ["eastward_velocity"], latlon_resolution=5, regrid="conservative")
    with pytest.raises(fm.InputError, match="from reduced rows"):
        Overlap.of(reduced, targets.of_grid(tripolar).mapping)
