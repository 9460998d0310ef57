"""Rest over a seamount (Beckmann & Haidvogel 1993, J. Phys. Oceanogr. 23, 1736): a Gaussian of
4 050 m in water of 4 500 m, 40 km wide. Where layers follow the ground, errors of the pressure
gradient drive currents of centimetres a second. Layers of depth have none."""

import numpy as np
import pytest

import fathom as fm


@pytest.mark.parametrize("freshwater", ["salt", "volume"])
def test_rest_over_a_seamount(freshwater):
    size, width = 320e3, 40e3
    away = lambda x, y: (x - size / 2) ** 2 + (y - size / 2) ** 2
    grid = fm.CartesianGrid(
        nx=32,
        ny=32,
        extent=(size, size),
        levels=fm.ZLevels(nz=20, depth=4500, partial_cells=0.1),
        bathymetry=lambda x, y: 4500 - 4050 * np.exp(-away(x, y) / width**2),
    )
    ocean = fm.Ocean(
        grid,
        coriolis=(1e-4, 0),
        equation_of_state=fm.MWJF(),
        vertical_mixing=fm.ConstantMixing(diffusivity=0),
        diffusion=None,
        free_surface=fm.FreeSurface(freshwater=freshwater),
    )
    ocean.set(temperature=lambda x, y, z: 2 + 18 * np.exp(-z / 1000), salinity=35.0)
    sim = fm.Simulation(ocean, "30min").prepare()
    assert np.min(sim.model.grid.depth()) < 600
    sim.advance(480)
    for name in ("velocity_x", "velocity_y"):
        assert np.abs(sim.gather(name)).max() < 1e-10
