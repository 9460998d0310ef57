"""Output of grid-point atmospheres on chosen levels, by the columns of every atmosphere."""

import numpy as np
import pytest

import fathom as fm
from fathom.base.moist_air import virtual_temperature
from fathom.output.diagnostics import whole

HILL = 1500.0


def at_rest(levels=20, deep=False, **given):
    """The standard atmosphere over a hill."""
    model = fm.GridPointAtmosphere(
        fm.LatitudeLongitudeGrid(24, levels=fm.HeightLevels(nz=levels, top=30e3)),
        orography=lambda x, y: HILL * np.exp(-(((x - 90) / 20) ** 2) - ((y - 30) / 15) ** 2),
        deep=deep,
        **given,
    )
    simulation = fm.Simulation(model, time_step=600)
    simulation.prepare()
    return simulation


def standard(height):
    """Pressure [Pa] and temperature [K] of the model's standard atmosphere, below its bend."""
    temperature = 288.15 - 0.0065 * height
    return 1e5 * (temperature / 288.15) ** (9.80616 / (287.0597 * 0.0065)), temperature


@pytest.mark.parametrize("deep", [False, True])
def test_pressure_and_temperature_are_those_of_a_known_atmosphere_below_the_ground_too(deep):
    run = at_rest(deep=deep)
    pressure, warm = standard(np.array([100.0, 1000.0, 5000.0]))
    levels = list(pressure / 100)
    height = whole(run, "geopotential_height", levels)
    assert np.abs(height[1:] - [[[1000.0]], [[5000.0]]]).max() < 1.5
    assert np.abs(height[0] - 100).max() < 1.5
    assert np.abs(whole(run, "air_temperature", levels) - warm[:, None, None]).max() < 0.35
    sea = whole(run, "air_pressure_at_mean_sea_level")
    assert np.abs(sea - 1e5).max() < 20
    assert whole(run, "surface_air_pressure").min() < 8.6e4


def test_levels_of_other_coordinates_are_met():
    run = at_rest()
    altitudes = whole(run, "geopotential_height", {"altitude": [500, 5000]})
    assert np.allclose(altitudes, np.reshape([500, 5000], (2, 1, 1)), atol=1e-6)
    above = whole(run, "geopotential_height", {"height": [1000]})[0]
    assert np.allclose(above, 1000 + run.model.heights[-1], atol=1e-6)
    warm = whole(run, "potential_temperature", {"potential_temperature": [320]})
    assert np.abs(warm - 320).max() < 0.2
    layers = fm.HybridLevels("L19")
    found = whole(run, "air_pressure", {"hybrid": "L19"})
    surface = whole(run, "surface_air_pressure")[0]
    ends = layers.a[:, None, None] + layers.b[:, None, None] * surface
    assert ((ends[:-1] < found) & (found < ends[1:])).all()


def test_temperature_of_moist_air_is_not_the_virtual_one():
    model = fm.GridPointAtmosphere(
        fm.LatitudeLongitudeGrid(24, levels=fm.HeightLevels(nz=12, top=20e3)),
        physics=fm.BasicPhysics(),
    )
    model.set(
        air_temperature=lambda x, y, p: 290 * (p / 1e5) ** 0.19,
        specific_humidity=lambda x, y, p: 0.01 * (p / 1e5) ** 3,
    )
    run = fm.Simulation(model, time_step=600)
    run.prepare()
    run.advance(1)
    warm, virtual = (whole(run, f"{kind}_temperature")[-1] for kind in ("air", "virtual"))
    q = whole(run, "specific_humidity")[-1]  # of the interface above the lowest layer
    assert np.allclose(virtual_temperature(warm, q), virtual, rtol=1e-6)
    near = whole(run, "air_temperature_2m")
    assert np.abs(near - 288).max() < 5
    assert (whole(run, "relative_humidity", [850]) < 1).all()
