"""Semi-Lagrangian advection: solid rotation over the poles, order of convergence, constants,
limits, vectors, reduced grids, precision.
"""

import numpy as np
import pytest

from fathom.base.mpi import core

radius = 6.37e6


class Advection:
    """Solid rotation about an axis at `angle` to the poles; arrays (rows, levels, points)."""

    def __init__(
        self,
        rows=32,
        points=64,
        levels=1,
        angle=np.pi / 2,
        steps=72,
        precision=8,
        grid=None,
        rotation=0.0,
    ):
        self.grid = grid or core.full_gaussian_grid(rows, points)
        ny, nx = self.grid.rows, self.grid.longest
        self.shape = (ny, levels, nx)
        self.lat = np.arcsin(np.asarray(self.grid.sine))[:, None, None]
        self.lon = 2 * np.pi * np.arange(nx) / np.asarray(self.grid.points)[:, None, None]
        self.there = np.broadcast_to(
            np.arange(nx) < np.asarray(self.grid.points)[:, None, None], self.shape
        )
        self.steps, step = steps, 12 * 86400 / steps
        speed = 2 * np.pi * radius / (steps * step)
        self.u = self.full(
            speed
            * (
                np.cos(self.lat) * np.cos(angle)
                + np.cos(self.lon) * np.sin(self.lat) * np.sin(angle)
            )
        )
        self.v = self.full(-speed * np.sin(self.lon) * np.sin(angle))
        self.scheme = core.SemiLagrangian(
            self.grid,
            [(k + 0.5) / levels for k in range(levels)],
            precision,
            step,
            radius,
            rotation,
        )
        self.scheme.depart([self.u, self.v, self.full(0.0)])

    def full(self, value):
        return np.array(np.broadcast_to(value, self.shape), order="C")

    def bell(self, smooth=False):
        r = np.arccos(np.clip(np.cos(self.lat) * np.cos(self.lon - np.pi / 2), -1, 1))
        return self.full(
            np.exp(-((r / 0.5) ** 2))
            if smooth
            else np.where(r < 2 / 3, 0.5 * (1 + np.cos(1.5 * np.pi * r)), 0.0)
        )

    def error(self, a, b):
        w = np.cos(self.lat) * self.there
        return float(np.sqrt((w * (a - b) ** 2).sum() / (w * b**2).sum()))


@pytest.mark.parametrize("angle", [0, np.pi / 4, np.pi / 2])
def test_bell_crosses_the_poles(angle):
    """Williamson et al. 1992, case 1, with a smooth bell: once round the sphere, the error falls
    with the third power of the spacing.
    """
    errors = []
    for rows in (24, 48):
        a = Advection(rows, 2 * rows, angle=angle, steps=144)
        first = a.bell(smooth=True)
        f = first.copy()
        for _ in range(a.steps):
            a.scheme.interpolate([f])
        errors.append(a.error(f, first))
    assert errors[1] < 0.012 and errors[1] < errors[0] / 8


@pytest.mark.parametrize("precision, tolerance", [(8, 1e-12), (4, 1e-4)])
def test_constants_and_limits(precision, tolerance):
    """A constant stays one; the quasi-monotone filter makes no new extremes; without it there are
    some. Courant number 6.
    """
    a = Advection(steps=24, precision=precision, levels=3)
    one, f, limited = a.full(1.0), a.bell(), a.bell()
    for _ in range(a.steps):
        a.scheme.interpolate([f, one])
        a.scheme.interpolate([limited], monotone=True)
    assert abs(one - 1).max() < tolerance
    assert limited.min() >= 0 and limited.max() <= a.bell().max()
    assert f.min() < -1e-4


@pytest.mark.parametrize("reduced", [False, True])
@pytest.mark.parametrize("precision, tolerance", [(8, 1e-13), (4, 3e-6)])
def test_one_field_by_levels(reduced, precision, tolerance):
    """A field alone lies by levels in place of fields: the same values, filtered or not, on any
    number of levels.
    """
    for levels in (1, 2, 3, 7):
        a = Advection(
            precision=precision,
            levels=levels,
            angle=0.4,
            steps=40,
            grid=core.classical_gaussian_grid_of(21, 3) if reduced else None,
        )
        a.scheme.depart([a.u, a.v, a.full(3e-6 * np.cos(a.lat))])
        first = a.full(
            np.sin(3 * a.lon) * np.cos(a.lat) ** 3 * (1 + np.arange(levels)[:, None] ** 2 % 3)
            + a.bell()
        )
        for monotone in (False, True):
            f, g = first.copy(), first.copy()
            for _ in range(3):
                a.scheme.interpolate([f], monotone=monotone)
                a.scheme.interpolate([g], monotone=monotone, by_levels=False)
            assert abs(f - g)[a.there].max() < tolerance * abs(first).max()
            assert abs(f - first)[a.there].max() > 0.01


def test_rotating_wind_stays():
    """The vector field of the solid rotation, carried by itself, turns into itself; at rest 2 Omega
    x r changes nothing.
    """
    a = Advection(48, 96, angle=0.3, steps=144)
    u, v = a.u.copy(), a.v.copy()
    a.scheme.interpolate([u, v], wind=True)
    # an axis that the trajectories turn about: the wind at the departure point, turned along the
    # arc, less the centripetal part of order dt
    turned = np.hypot(u - a.u, v - a.v).max() / np.hypot(a.u, a.v).max()
    assert turned < 2 * np.pi / a.steps
    assert abs(np.hypot(u, v) - np.hypot(a.u, a.v)).max() < 2e-3 * np.hypot(a.u, a.v).max()
    rest = Advection(16, 32, rotation=7.292e-5)
    zero = rest.full(0.0)
    rest.scheme.depart([zero, zero, zero])
    x, y = zero.copy(), zero.copy()
    rest.scheme.interpolate([x, y], wind=True)
    assert max(abs(x).max(), abs(y).max()) < 1e-9  # round-off of 2 Omega a = 929 m/s


def test_inertial_circle():
    """A wind of 1 m/s without pressure gradient turns by f dt a step, to second order."""
    grid = core.full_gaussian_grid(48, 96)
    step, omega = 900.0, 7.292e-5
    a = Advection(grid=grid)
    scheme = core.SemiLagrangian(grid, [0.5], 8, step, radius, omega)
    scheme.depart([a.full(1e-3), a.full(0.0), a.full(0.0)])
    u, v = a.full(1e-3), a.full(0.0)
    scheme.interpolate([u, v], wind=True)
    expected = -1e-3 * 2 * omega * np.sin(a.lat) * step
    middle = abs(np.rad2deg(a.lat)) < 70
    assert abs(v - expected)[np.broadcast_to(middle, v.shape)].max() < 1e-3 * abs(expected).max()


def test_reduced_grid_converges():
    """Rows whose points are not beneath each other; once over the poles with 20 points in the last
    row.
    """
    errors = []
    for rows in (16, 32):
        a = Advection(grid=core.octahedral_gaussian_grid(rows), steps=144)
        first = a.bell(smooth=True)
        f = first.copy()
        for _ in range(a.steps):
            a.scheme.interpolate([f])
        errors.append(a.error(f, first))
    assert errors[1] < 0.05 and errors[1] < errors[0] / 5


def test_vertical_motion():
    """A linear profile is carried down exactly, to half a layer beyond the first and the last."""
    a = Advection(8, 16, levels=10, steps=24)
    step = 12 * 86400 / 24
    eta = (np.arange(10) + 0.5) / 10
    a.scheme.depart([a.full(0.0), a.full(0.0), a.full(0.13 / step)])
    f = a.full(eta[None, :, None])
    a.scheme.interpolate([f])
    assert abs(f - np.maximum(eta - 0.13, 0.0)[None, :, None]).max() < 1e-13


def test_slow_vertical_motion_has_centred_slopes():
    """A parabola on uneven levels changes by the speed times its slope, the same up and down, to
    the square of the distance; rising and sinking air alike, so that the mean loses no heat.
    """
    a = Advection(8, 16, levels=12)
    eta = ((np.arange(12) + 0.5) / 12) ** 1.5
    a.scheme = core.SemiLagrangian(a.grid, list(eta), 8, 1.0, radius, 0.0)
    wave, small = a.full(eta[None, :, None] ** 2), 1e-5
    found = {}
    for way in (-small, small):
        a.scheme.depart([a.full(0.0), a.full(0.0), a.full(way)])
        f = wave.copy()
        a.scheme.interpolate([f])
        found[way] = (f - wave)[0, :, 0] / way
    for slope in found.values():
        np.testing.assert_allclose(slope[1:-1], -2 * eta[1:-1], atol=1e-3)
        ends = slope[[0, -1]], -(eta[[1, -1]] + eta[[0, -2]])  # those of their intervals
        np.testing.assert_allclose(*ends, atol=1e-3)


@pytest.mark.parametrize("precision, rounding", [(8, 1e-12), (4, 1e-3)])
def test_no_jump_where_a_departure_point_crosses_a_row(precision, rounding):
    """The stencil changes at the true latitude of a row: what is interpolated has no jump, be the
    field as rough as rows can show it. (Rows are not evenly spaced near the poles.)
    """
    rows, points, moves = 16, 32, 3001
    a = Advection(rows, points, precision=precision)
    rough = a.full((-1.0) ** np.arange(rows)[:, None, None])
    south = points // 4  # the flow goes due south there
    whole = 3 * np.pi / rows / (2 * np.pi / a.steps)  # three rows, in steps of the rotation
    found = []
    for part in np.linspace(0, whole, moves):
        a.scheme.depart([part * a.u, part * a.v, a.full(0.0)])
        f = rough.copy()
        a.scheme.interpolate([f])
        found.append(f[:, 0, south])
    change = abs(np.diff(found, axis=0))
    steepest = 3.5 * 3 / moves  # of a cubic between rows that alternate, in one move
    assert change.max() < steepest + rounding
