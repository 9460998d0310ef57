"""Free surface: standing gravity waves, also those that alternate from cell to cell, against the
amplification of the discrete scheme; the energy that what alternates loses.
"""

import numpy as np
import pytest

import fathom as fm
from closed_basin import closed_basin, nx, ny, rng
from operators import run

tau, depth, gravity, theta = 3600.0, 4000.0, 9.80616, 0.6


def wave_factor(omega_tau):
    """Roots of (1 + theta q) x^2 - [2 - (1 - theta) q] x + 1 = 0, q = (omega tau)^2: forward
    pressure (1 - theta), backward continuity.
    """
    q = omega_tau**2
    return np.roots([1 + theta * q, -(2 - (1 - theta) * q), 1])


def channel(nx, ny, spacing, compactness=0.3):
    """Water that neither turns nor rubs, periodic along x."""
    grid = fm.CartesianGrid(
        nx=nx,
        ny=ny,
        extent=(nx * spacing, ny * spacing),
        periodic=True,
        levels=fm.ZLevels(nz=3, depth=depth, spacing="uniform"),
    )
    return fm.Ocean(
        grid,
        coriolis=(0, 0),
        momentum_advection=None,
        friction=None,
        diffusion=None,
        bottom_drag=0,
        free_surface=fm.FreeSurface(tolerance=1e-12, compactness=compactness),
        equation_of_state=fm.LinearEquationOfState(thermal_expansion=0, haline_contraction=0),
        vertical_mixing=fm.ConstantMixing(),
    )


@pytest.mark.parametrize("mode", [1, 5, 12])
def test_standing_waves_damp_as_the_scheme_says(mode):
    """A channel along x, waves across it: cos(m pi (j + 1/2) / ny) is an eigenvector of the
    discrete operators with omega = sqrt(g H) 2 / dy sin(m pi / 2 ny). The height after n steps from
    rest follows from the roots, to the solver's residual, 1e-12 of the velocity's change, times H
    tau / dy = 288 a step."""
    ny, dy = 24, 50e3
    ocean = channel(8, ny, dy)
    wave = np.cos(mode * np.pi * (np.arange(ny) + 0.5) / ny)[:, None] * np.ones(8)
    sim = fm.Simulation(ocean.set(sea_surface_height=0.1 * wave), time_step=tau)
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


def differences(nx, ny):
    """Matrices from the cells to the wet corners of a channel: Gx, Gy and X of free_surface.hpp,
    and the corners next to each other.
    """
    cell = np.arange(nx * ny).reshape(ny, nx)
    sw, nw = cell[:-1].ravel(), cell[1:].ravel()
    se, ne = np.roll(cell, -1, 1)[:-1].ravel(), np.roll(cell, -1, 1)[1:].ravel()
    unit = np.eye(nx * ny)
    east, north = (unit[se] - unit[sw] + unit[ne] - unit[nw]) / 2, (unit[nw] - unit[sw]) / 2
    north = north + (unit[ne] - unit[se]) / 2
    corner = np.arange(nx * (ny - 1)).reshape(ny - 1, nx)
    near = np.zeros((corner.size,) * 2)
    for one, other in ((corner, np.roll(corner, -1, 1)), (corner[:-1], corner[1:])):
        near[one.ravel(), other.ravel()] = near[other.ravel(), one.ravel()] = 1
    return east, north, unit[se] + unit[nw] - unit[sw] - unit[ne], near


def test_what_alternates_in_the_height_goes_as_the_scheme_says():
    """Any height, with the matrices of the scheme in place of its kernels:
        u* = u - g tau G h,     u' = u* - theta g tau G dh,     h' = h + dh,
        (1 + theta g H tau^2 G'G + k X'X) dh = H tau G'u* - k X'B X h,
        k = e theta g H tau^2 / 2 d^2,     B = 1/2 - 1/8 (corners beside)
    A height (-1)^(i+j), without slope at any corner, loses nine tenths in a step.
    """
    nx, ny, spacing, compactness = 8, 13, 50e3, 0.3
    *G, X, near = differences(nx, ny)
    G = np.concatenate(G) / spacing
    k = compactness * theta * gravity * depth * tau**2 / (2 * spacing**2)
    left = np.eye(nx * ny) + theta * gravity * depth * tau**2 * G.T @ G + k * X.T @ X
    alternates = k * X.T @ (np.eye(len(near)) / 2 - near / 8) @ X
    j, i = np.mgrid[:ny, :nx]
    for start in (0.1 * rng.standard_normal((ny, nx)), 0.1 * (-1.0) ** (i + j)):
        ocean = channel(nx, ny, spacing, compactness).set(sea_surface_height=start)
        sim = fm.Simulation(ocean, time_step=tau)
        h, u = start.ravel(), np.zeros(len(G))
        for _ in range(6):
            u = u - gravity * tau * G @ h
            dh = np.linalg.solve(left, depth * tau * G.T @ u - alternates @ h)
            h, u = h + dh, u - theta * gravity * tau * G @ dh
            sim.advance(1)
            found = sim.gather("sea_surface_height")[0]
            assert np.abs(found.ravel() - h).max() < 1e-8
    assert np.abs(found).max() < 1e-3


def test_what_alternates_loses_energy():
    """sum of X Z >= 0 for any height, land, depth and metrics; no Z where there is no water, and
    none of an even slope.
    """
    g, _, _, corner, _ = closed_basin()

    def flow(eta):
        z = run("AlternatingHeight", g | {"sea_surface_height": eta}, step=tau, compactness=0.2)
        return z["alternating_flow"][2:-2, 2:-2]

    inner = (slice(2, -2), slice(2, -2))
    H = g["depth_corner"][inner]
    for _ in range(20):
        eta = rng.standard_normal((ny, nx))
        X = eta[:-1, 1:] + eta[1:, :-1] - eta[:-1, :-1] - eta[1:, 1:]
        z = flow(eta)
        assert np.all(z[~corner[0][inner]] == 0)
        assert (X[2:-1, 2:-1] * H * z).sum() > 0
    j, i = np.mgrid[:ny, :nx]
    assert np.abs(flow(3.0 * i - 2.0 * j)).max() < 1e-9
