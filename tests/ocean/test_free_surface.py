"""Free surface: the noise filter, and standing gravity waves against the amplification of the
discrete scheme.
"""

import numpy as np
import pytest

import fathom as fm
from operators import order, run

tau, depth, gravity, theta = 3600.0, 4000.0, 9.80616, 0.6


def filtered(eta, noise_filter=0.02):
    """Height after a step without flow, on an even plane of 10 km cells."""
    g = {n: 1e4 for n in ("dx_corner", "dy_corner")} | {
        "area_center": 1e8,
        "depth_corner": 100.0,
        "thickness": 50.0,
    }
    still = {
        "velocity_x_after": np.zeros((1, *eta.shape)),
        "velocity_y_after": np.zeros((1, *eta.shape)),
    }
    return run(
        "VolumeTransport",
        g | still | {"sea_surface_height": eta},
        noise_filter=noise_filter,
        step=tau,
    )["sea_surface_height_after"]


def test_filter_damps_by_its_symbol():
    """A wave loses 8 noise_filter sin^2(kx dx / 2) sin^2(ky dy / 2) of its height a step: a
    checkerboard 16 %, a plane wave along an axis exactly nothing, and smooth waves in proportion to
    the fourth power of the spacing."""
    j, i = np.mgrid[:9, :9]
    checkerboard = (-1.0) ** (i + j)
    assert np.abs(filtered(checkerboard) - (1 - 8 * 0.02) * checkerboard)[1:-1, 1:-1].max() < 1e-15
    for a, b in ((0.3, 0.7), (1.1, 0.2), (np.pi, 0.9)):
        eta = np.cos(a * i + b * j)
        loss = 8 * 0.02 * np.sin(a / 2) ** 2 * np.sin(b / 2) ** 2
        assert np.abs(filtered(eta) - (1 - loss) * eta)[1:-1, 1:-1].max() < 1e-15
    assert np.abs(filtered(np.cos(0.7 * i)) - np.cos(0.7 * i))[1:-1, 1:-1].max() < 1e-16
    loss = [
        np.abs(filtered(e := np.cos(np.pi / n * i) * np.cos(np.pi / n * j)) - e)[4, 4]
        / np.abs(e[4, 4])
        for n in (16, 32)
    ]
    assert 3.9 < order(loss) < 4.1


def wave_factor(omega_tau):
    """Roots of (1 + theta q) x^2 - [2 - (1 - theta) q] x + 1 = 0, q = (omega tau)^2: forward
    pressure (1 - theta), backward continuity.
    """
    q = omega_tau**2
    return np.roots([1 + theta * q, -(2 - (1 - theta) * q), 1])


@pytest.mark.parametrize("mode", [1, 5, 12])
def test_standing_waves_damp_as_the_scheme_says(mode):
    """A channel along x, waves across it: cos(m pi (j + 1/2) / ny) is an eigenvector of the
    discrete operators with omega = sqrt(g H) 2 / dy sin(m pi / 2 ny). The height after n steps from
    rest follows from the roots, to the solver's residual, 1e-12 of the velocity's change, times H
    tau / dy = 288 a step."""
    ny, dy = 24, 50e3
    grid = fm.CartesianGrid(
        nx=8,
        ny=ny,
        extent=(8 * dy, ny * dy),
        periodic=True,
        levels=fm.ZLevels(number=3, depth=depth, spacing="uniform"),
    )
    ocean = fm.Ocean(
        grid,
        coriolis=(0, 0),
        momentum_advection=None,
        friction=None,
        diffusion=None,
        bottom_drag=0,
        free_surface=fm.FreeSurface(tolerance=1e-12),
        equation_of_state=fm.LinearEquationOfState(thermal_expansion=0, haline_contraction=0),
        vertical_mixing=fm.ConstantMixing(),
    )
    wave = np.cos(mode * np.pi * (np.arange(ny) + 0.5) / ny)[:, None] * np.ones(8)
    sim = fm.Simulation(ocean.set(sea_surface_height=0.1 * wave), step=tau)
    omega = np.sqrt(gravity * depth) * 2 / dy * np.sin(mode * np.pi / (2 * ny))
    x1, x2 = wave_factor(omega * tau)
    # from rest: h0 = 0.1, and the first step h1 = h0 - q (h0 + theta (h1 - h0))
    q = (omega * tau) ** 2
    h0, h1 = 0.1, 0.1 * (1 - (1 - theta) * q) / (1 + theta * q)
    b = (h1 - x1 * h0) / (x2 - x1)
    for n in range(1, 13):
        sim.advance(1)
        eta = sim.gather("sea_surface_height")[0]
        exact = ((h0 - b) * x1**n + b * x2**n).real
        assert np.abs(eta - exact * wave).max() < 1e-9
    assert abs(x1) < 1 and abs(x2) < 1
