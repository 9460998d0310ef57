"""Noise of two grid points: the measure on maps whose noise is known, and the real globe."""

import numpy as np
import pytest

from cases import globe, simulate
from fathom.ocean import noise


def test_the_measure():
    """Noise alternates, a smooth map does not, chance is between; land is left out."""
    j, i = np.mgrid[:40, :60]
    checkerboard, smooth = (-1.0) ** (i + j), np.sin(2 * np.pi * i / 60) * np.cos(np.pi * j / 40)
    alone = noise.noise(0.03 * checkerboard)
    assert alone.correlation == pytest.approx(-1)
    assert alone.rms == pytest.approx(0.03) and alone.largest == pytest.approx(0.03)
    assert np.allclose(noise.amplitude(checkerboard), checkerboard[:-2])
    assert noise.noise(smooth).correlation > 0.95 and noise.noise(smooth).largest < 1e-4
    chance = np.random.default_rng(1).standard_normal((400, 600))
    assert noise.noise(chance).correlation == pytest.approx(-0.5, abs=0.01)
    land = np.where((i < 30) & (j < 20), np.nan, smooth)
    west = noise.noise(land + 0.01 * checkerboard, i < 20, periodic=False)
    assert west.largest == pytest.approx(0.01, rel=0.01) and west.correlation < -0.9
    assert np.isnan(noise.noise(land, (i < 25) & (j < 15)).correlation)


@pytest.mark.long
def test_no_noise_on_the_real_globe():
    """Ten days of the 3-degree ocean from rest, with its winds: no sea's surface alternates. With
    the four-point slope alone the same is nearly all noise."""
    import fathom as fm

    found = {}
    for compactness in (0.0, fm.FreeSurface().compactness):
        ocean = globe(
            vertical_mixing=fm.RichardsonMixing(),
            tracer_advection=fm.UpwindAdvection(),
            free_surface=fm.FreeSurface(compactness=compactness),
        )
        sim = simulate(ocean, step="3h", surface=fm.BulkForcing())
        sim.advance(80)
        h = ocean.grid.horizontal
        height = np.where(ocean.grid.wet_levels > 0, sim.gather("sea_surface_height")[0], np.nan)
        found[compactness] = noise.by_sea(height, h.center_longitude, h.center_latitude)
    wide, compact = found.values()
    assert len(compact) >= 10 and wide["Global Ocean"].correlation < -0.7
    assert compact["Global Ocean"].correlation > -0.1 and compact["Global Ocean"].rms < 5e-3
    for sea, one in compact.items():  # noise would be -1
        assert one.correlation > -0.5, (sea, one)
        if wide[sea].correlation < -0.6:
            assert one.rms < wide[sea].rms / 2, (sea, one, wide[sea])
