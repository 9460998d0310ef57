"""Rivers at their mouths: all that they bring, near where they end, on any grid."""

import numpy as np
import pytest

import fathom as fm
from fathom.data import embedded, fluxes
from fathom.grids.regrid import mouths

latitude, longitude = np.arange(-89.0, 90, 2), np.arange(1.0, 360, 2)


def target(spacing, wet=lambda x, y: np.ones(x.shape, bool)):
    y, x = np.meshgrid(
        np.arange(-90 + spacing / 2, 90, spacing),
        np.arange(spacing / 2, 360, spacing),
        indexing="ij",
    )
    area = np.broadcast_to(mouths._cells(y[:, 0], x.shape[1]), x.shape)
    return y, x, area, wet(x, y)


def mass(flux, y):
    return float((flux * mouths._cells(y, flux.shape[1])).sum())


@pytest.mark.parametrize("spacing", [1.0, 3.0, 10.0])
def test_not_a_kilogram_is_lost(spacing):
    rng = np.random.default_rng(1)
    flux = np.where(rng.random((90, 180)) < 0.05, rng.random((90, 180)), 0.0)
    to = target(spacing, lambda x, y: np.abs(x - 100) > 60)
    found = mouths.spread(flux, latitude, longitude, to)
    assert (found * to[2]).sum() == pytest.approx(mass(flux, latitude), rel=1e-12)
    assert not found[~to[3]].any() and (found >= 0).all()


def test_near_its_mouth():
    """Of one river everything lies within twice the reach, more of it the nearer."""
    flux = np.zeros((90, 180))
    flux[45, 20] = 1.0  # 1 N, 41 E
    y, x, area, wet = target(0.5)
    found = mouths.spread(flux, latitude, longitude, (y, x, area, wet), reach=200e3)
    away = 111.2 * np.hypot(y - 1, x - 41)
    assert found[away > 402].max() == 0 and found[away < 390].min() > 0
    assert found[away < 60].max() == found.max() and found[away > 200].max() < found.max() / 2


def test_far_from_the_sea():
    """It goes to the nearest cell, or nowhere where that is too far."""
    flux = np.zeros((90, 180))
    flux[45, 20] = 1.0
    to = target(2.0, lambda x, y: x > 60)
    found = mouths.spread(flux, latitude, longitude, to)
    assert np.argwhere(found).tolist() == [[45, 30]]
    assert not mouths.spread(flux, latitude, longitude, to, farthest=500e3).any()


def test_the_rivers_of_the_earth():
    """1.29 Sv in all (Dai & Trenberth 2002: 1.2, with ice sheets), the Amazon some 0.2 of it."""
    grid = fm.TripolarGrid(
        resolution="3deg", levels=fm.ZLevels(nz=25, depth=5500), bathymetry="etopo5"
    )
    x, y = map(np.asarray, grid.coordinates("center"))
    area, wet = np.asarray(grid.horizontal.area_center), np.asarray(grid.wet_levels) > 0
    found = fluxes.rivers_on(y, x, area, wet)
    flux, rows = embedded.read(fluxes.FILE, "runoff_flux", "river_latitude").values()
    assert (found * area).sum() == pytest.approx(mass(flux.astype(float), rows), rel=1e-9)
    assert (found * area).sum() / 1e9 == pytest.approx(1.29, abs=0.005)
    amazon = (np.abs(y) < 8) & (x % 360 > 300) & (x % 360 < 318)
    assert 0.17 < (found * area)[amazon].sum() / 1e9 < 0.3
