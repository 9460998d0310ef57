"""Initial states of DCMIP 2016, and the simple physics of their tropical cyclone."""

import tempfile

import numpy as np
import pytest

import fathom as fm

document = {"gas_constant": 287.0, "heat_capacity": 1004.5, "gravity": 9.80616}


def started(case, grid, **model):
    air = fm.GridPointAtmosphere(grid, deep=False, **document, **model).set(case=case)
    return fm.Simulation(air, time_step="30s", directory=tempfile.mkdtemp()).prepare()


@pytest.mark.long
def test_air_of_the_supercell_is_in_balance():
    """Without its bubble the sheared air of a planet that stands still blows as it did."""
    grid = fm.LatitudeLongitudeGrid(24, 36, radius=53093.5, levels=fm.HeightLevels(nz=20, top=20e3))
    tracers = ["specific_humidity"]
    sim = started("supercell-balanced", grid, rotation=0.0, tracers=tracers)
    before, q = sim.gather("x_wind"), sim.gather("specific_humidity")
    assert abs(before[-1].min() + 12) < 0.1 and abs(before.max() - 15) < 0.1
    assert 0.0135 < q.max() < 0.014001
    sim.advance(10)
    assert np.abs(sim.gather("x_wind") - before).max() < 0.3


@pytest.mark.long
def test_the_cyclone_is_a_vortex_in_balance():
    """20 m/s at 282 km around 10 N, 180 E, 11 hPa below the air around."""
    grid = fm.LatitudeLongitudeGrid(180, 90, levels=fm.HeightLevels(nz=15, top=20e3))
    sim = started("tropical-cyclone", grid, tracers=["specific_humidity"])
    u, v = sim.gather("x_wind")[-1], sim.gather("y_wind")[-1]
    assert 15 < max(np.abs(u).max(), np.abs(v).max()) < 21
    j, i = np.unravel_index(sim.gather("air_density")[-1].argmin(), u.shape)
    assert np.hypot(*(c[j, i] - at for c, at in zip(grid.coordinates(), (180, 10)))) < 3
    sim.advance(10)
    assert np.abs(sim.gather("x_wind")[-1] - u).max() < 1.0


@pytest.mark.parametrize("deep", [False, pytest.param(True, marks=pytest.mark.long)])
def test_the_jet_of_the_baroclinic_wave_is_in_balance(deep):
    """28 m/s at 45 N in the troposphere; it blows on as it did."""
    grid = fm.LatitudeLongitudeGrid(16, 36, levels=fm.HeightLevels(nz=20, top=30e3, decay=2))
    air = fm.GridPointAtmosphere(grid, deep=deep, **document).set(case="ullrich-balanced")
    sim = fm.Simulation(air, time_step="20min", directory=tempfile.mkdtemp()).prepare()
    before = sim.gather("x_wind")
    assert 27 < before.max() < 30 and before.min() > -1
    sim.advance(9)
    assert np.abs(sim.gather("x_wind") - before).max() < 0.5


def test_cases_ask_for_what_they_need():
    grid = fm.LatitudeLongitudeGrid(16, levels=fm.HeightLevels(nz=8))
    with pytest.raises(fm.InputError, match="does not rotate"):
        fm.GridPointAtmosphere(grid, tracers=["specific_humidity"]).set(case="supercell")
    with pytest.raises(fm.InputError, match="moist air"):
        fm.GridPointAtmosphere(grid).set(case="tropical-cyclone")
