"""What the sea holds and what passes its surface, by basin: storage is the sum of the fluxes."""

import numpy as np
import pytest

import fathom as fm
from cases import box, earth, simulate
from fathom.ocean.products.circulation import basins
from fathom.ocean.products.series import by_basin


def looks(sim, steps):
    """The series before and after each of some steps."""
    found = [by_basin(sim.prepare())]
    for _ in range(steps):
        sim.advance(1)
        found.append(by_basin(sim))
    return found


def test_storage_is_the_sum_of_the_fluxes():
    surface = fm.SurfaceForcing(
        heat_flux=lambda x, y: 100 * np.cos(np.deg2rad(y)),
        freshwater_flux=lambda x, y: 1e-4 * np.sin(np.deg2rad(x)),
        stress_eastward=0.1,
    )
    found = looks(simulate(earth(), surface=surface, step="1h"), 5)
    gained = lambda name: found[-1][name][0] - found[0][name][0]
    for content, flux in (("heat_content", "heat_flux"), ("salt_content", "salt_flux")):
        entered = 3600 * sum(look[f"{flux}_global"][0] for look in found[1:])
        assert abs(entered) > 1e12
        assert gained(f"{content}_global") == pytest.approx(entered, rel=2e-4)
    assert gained("surface_volume_global") == pytest.approx(0, abs=1e6)
    water = {basin: found[-1][f"freshwater_flux_{basin}"] for basin in basins}
    assert water["atlantic"][0] != 0 and water["global"][1] == "kg s-1"
    # 0.1 N m-2 on all corners with water
    grid = earth().grid
    area = np.asarray(grid.areas[1])[np.asarray(grid.corner_levels) > 0].sum()
    assert found[-1]["momentum_flux_global"][0] == pytest.approx(0.1 * area, rel=0.2)


def test_water_that_comes_as_volume():
    surface = fm.SurfaceForcing(freshwater_flux=2e-4)
    ocean = box(nz=4, free_surface=fm.FreeSurface(freshwater="volume"))
    found = looks(simulate(ocean, surface=surface, step="900s"), 4)
    entered = 900 * sum(look["freshwater_flux_global"][0] for look in found[1:]) / 1000
    gained = found[-1]["surface_volume_global"][0] - found[0]["surface_volume_global"][0]
    assert gained == pytest.approx(entered, rel=1e-4)
    assert set(found[0]) == {name for name in found[0] if name.endswith("_global")}


def test_on_any_blocks():
    """The same bits."""
    of = lambda blocks: by_basin(_advanced(blocks))
    assert of(None) == of((6, 8))


def _advanced(blocks):
    sim = simulate(earth(), surface=fm.BulkForcing(), step="1h", blocks=blocks)
    sim.advance(2)
    return sim
