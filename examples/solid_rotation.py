"""Solid rotation: what does advection do to a dye that should only travel?

A current turns like a solid body out to radius R and vanishes at R2. Linear dynamics without friction hold it for ever, for the slope of
the surface balances it: f v = g deta/dr. After one turn the dye should be back where it was; what it has lost or gained is numerics.

    python examples/solid_rotation.py [cells]
"""

import sys

import numpy as np

import fathom as fm

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 50

L, R, R2, f, g = 1000e3, 380e3, 490e3, 1e-5, 9.80616
days = 10
turn = 2 * np.pi / (days * 86400)  # [s-1]


def rotation(x, y):
    """Angular velocity [s-1]."""
    r = np.maximum(np.hypot(x, y), 1.0)
    return turn * np.clip(R / r * (R2 - r) / (R2 - R), 0, 1)


def height(x, y):
    """The integral of f v / g over r."""
    r = np.hypot(x, y)
    return f * turn / g * (np.minimum(r, R) ** 2 / 2 + R / 2 * ((R2 - R) - (R2 - np.clip(r, R, R2)) ** 2 / (R2 - R)))


def blob(x, y):
    return np.exp(-(x**2 + (y + 0.15 * L) ** 2) / (2 * (0.06 * L) ** 2))


def after_one_turn(advection):
    """(error, peak, least value): l2 norm of the change over that of the dye, its maximum over that of the start, its minimum."""
    axis = np.linspace(-L / 2, L / 2, cells + 1)
    grid = fm.CartesianGrid(x=axis, y=axis, levels=fm.ZLevels(number=1, depth=4000))  # deep: the surface's height is nothing to it
    ocean = fm.Ocean(
        grid, coriolis=(f, 0), momentum_advection=None, friction=None, diffusion=None, bottom_drag=0, vertical_mixing=fm.ConstantMixing(),
        tracer_advection=advection, tracers=["dye"], free_surface=fm.FreeSurface(tolerance=1e-6),
    )  # fmt: skip
    ocean.set(
        dye=lambda x, y, depth: blob(x, y), velocity_x=lambda x, y, depth: -rotation(x, y) * y, velocity_y=lambda x, y, depth: rotation(x, y) * x,
        sea_surface_height=height,
    )  # fmt: skip
    step = days * 86400 / (12 * cells)  # no point passes more than half a cell in a step
    sim = fm.Simulation(ocean, step=step).prepare()
    before = sim.gather("dye")
    sim.advance(12 * cells)
    dye = sim.gather("dye")
    return np.linalg.norm(dye - before) / np.linalg.norm(before), dye.max() / before.max(), dye.min()


results = {advection.name: after_one_turn(advection) for advection in (fm.CentredAdvection(), fm.UpwindAdvection())}
for name, (error, peak, least) in results.items():
    print(f"{name:<16}  error {error:.3f}   peak {peak:.3f}   least {least:+.3f}")
