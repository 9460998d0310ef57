"""Vorticity and potential vorticity of a zonal flow, for which they are known."""

import numpy as np
import pytest

import fathom as fm
from fathom.atmosphere.products.diagnostics import State
from fathom.base.earth import RADIUS, STANDARD_GRAVITY
from fathom.output import diagnostics

U, SHEAR, WARM, COLD, KAPPA = 20.0, -0.4, 300.0, -40.0, 287.0597 / 1004.709


def flow(layers, **sphere):
    """u = U (1 + c ln p) cos, T = T_0 + D sin^2: Simulation and State, zeta and P by formulas."""
    grid = fm.GaussianGrid(31, levels=fm.SigmaLevels(layers), **sphere)
    model = fm.SpectralAtmosphere(grid)
    latitude = np.deg2rad(grid.coordinates()[1])
    sine, cosine = np.sin(latitude), np.cos(latitude)
    interfaces = np.linspace(0, 1, layers + 1)
    upper, lower = interfaces[:-1], interfaces[1:]
    alpha = np.append(
        np.log(2), 1 - upper[1:] * np.log(lower[1:] / upper[1:]) / (lower - upper)[1:]
    )
    x = (np.log(lower) - alpha)[:, None, None]
    east = U * (1 + SHEAR * x) * cosine
    T = WARM + COLD * sine**2 + 0 * x
    u, v = grid.about_the_pole(east, 0 * east)
    wind = {"eastward_wind": u, "northward_wind": v}
    zero = np.zeros((1, *grid.shape[1:]))
    air = {"log_pressure_ratio": zero, "surface_geopotential": zero}
    fields = wind | air | {model.temperature: T}
    state = State(model, (0, 0, *grid.shape[1:]), fields)
    simulation = fm.Simulation(model, time_step="10m").prepare()
    for name, values in fields.items():
        simulation.fields.put(name, 0, values)
    zeta = 2 * U * (1 + SHEAR * x) * sine / RADIUS
    f = 2 * model.parameters["rotation"] * sine
    p, kappa = 1e5 * np.exp(x), KAPPA
    theta = T * np.exp(-kappa * x)
    northward = 2 * COLD * sine * cosine / RADIUS * np.exp(-kappa * x)
    P = STANDARD_GRAVITY / p * ((zeta + f) * kappa * theta - U * SHEAR * cosine * northward)
    return simulation, state, zeta, P


@pytest.mark.parametrize("sphere", [{}, {"stretching": 1.3, "pole": (20.0, 50.0)}])
def test_of_a_zonal_flow(sphere):
    errors = []
    for layers in (20, 40):
        simulation, _, zeta, P = flow(layers, **sphere)
        found = diagnostics.whole(simulation, "vorticity")
        assert np.abs(found - zeta).max() < 1e-4 * np.abs(zeta).max()
        inner = slice(layers // 4, -1)  # levels of equal pressure in both
        difference = diagnostics.whole(simulation, "potential_vorticity") - P
        errors.append(np.abs(difference[inner]).max() / np.abs(P[inner]).max())
    assert errors[1] < 2e-3 and 3 < errors[0] / errors[1] < 5


def test_the_sea_needs_two_layers_of_the_column():
    """Sea-level pressure has the same bits whether the whole column was there before."""
    state, other = flow(20)[1], flow(20)[1]
    other.column  # computes the column
    assert len(state.above_ground.air.logarithm) == 2 and len(other.column.air.logarithm) == 20
    name = "air_pressure_at_mean_sea_level"
    assert state[name].tolist() == other[name].tolist()
