"""Waves of one layer against their equations: linear, without friction, depth H, c = sqrt(g H)."""

import numpy as np
import pytest

g = 9.80616  # [m s-2]


def layer(nx, ny, extent, depth, step, coriolis=(0, 0), rotation=True, **state):
    """A simulation of one homogeneous layer, periodic in x."""
    import fathom as fm

    grid = fm.CartesianGrid(
        nx=nx, ny=ny, extent=extent, periodic=True, levels=fm.ZLevels(nz=1, depth=depth)
    )
    still = fm.ConstantMixing(viscosity=0, diffusivity=0)
    ocean = fm.Ocean(
        grid,
        coriolis=coriolis,
        momentum_advection=None,
        friction=None,
        diffusion=None,
        bottom_drag=0,
        vertical_mixing=still,
        free_surface=fm.FreeSurface(rotation=rotation),
    )
    return fm.Simulation(ocean.set(**state), time_step=step).prepare()


def height(sim):
    return sim.gather("sea_surface_height")[0]


def rate(series):
    """Frequency a step of a damped oscillation that obeys a(n + 1) = p a(n) + q a(n - 1)."""
    a = np.asarray(series)
    (p, q), *_ = np.linalg.lstsq(np.stack([a[1:-1], a[:-2]], 1), a[2:], rcond=None)
    return abs(np.angle(np.roots([1, -p, -q])[0]))


def gravity_wave(n, length=1000e3, depth=100.0):
    """Speed of the gravest standing wave of a closed channel over sqrt(g H), with n cells and n
    steps a period.
    """
    c, k = np.sqrt(g * depth), np.pi / length
    step = 2 * length / c / n
    sim = layer(
        4,
        n,
        (4 * length / n, length),
        depth,
        step,
        sea_surface_height=lambda x, y: 0.01 * np.cos(k * y),
    )
    y = np.asarray(sim.model.grid.horizontal.center_latitude)[:, 0]
    series = []
    for _ in range(n):
        sim.advance(1)
        series.append(height(sim)[:, 0] @ np.cos(k * y))
    return rate(series) / step / k / c


def test_gravity_wave_travels_at_sqrt_gH():
    """Second order in space and time together: with 64 cells and 64 steps a period the implicit
    surface delays it by 0.16 %.
    """
    coarse, fine = (abs(gravity_wave(n) - 1) for n in (32, 64))
    assert fine < 2e-3
    assert np.log2(coarse / fine) == pytest.approx(2, abs=0.1)


def kelvin_wave(cells):
    """Speed of a Kelvin wave along a wall over sqrt(g H), with so many cells in the radius of
    deformation R = c / f.
    """
    depth, f, length = 10.0, 1e-4, 2000e3
    c = np.sqrt(g * depth)
    R, k, step = c / f, 2 * np.pi / length, 900.0
    wave = lambda x, y: 0.01 * np.cos(k * x) * np.exp(-y / R)
    sim = layer(
        40,
        8 * cells,
        (length, 8 * R),
        depth,
        step,
        (f, 0),
        sea_surface_height=wave,
        velocity_x=lambda x, y, z: g / c * wave(x, y),
    )
    x = np.asarray(sim.model.grid.horizontal.center_longitude)[0]
    phases = []
    for _ in range(40):
        sim.advance(5)
        phases.append(np.angle(height(sim)[0] @ np.exp(-1j * k * x)))
    speed = -np.polyfit(np.arange(40) * 5 * step, np.unwrap(phases), 1)[0] / k
    return speed / c


def test_kelvin_wave_follows_the_wall():
    """The B grid has no current at the wall itself: half a cell of the wave's transport is missing,
    and it is slower by dy / 2R. First order; 0.005 is for the second order and the step."""
    for cells in (5, 10, 20):
        assert kelvin_wave(cells) == pytest.approx(1 - 0.5 / cells, abs=0.005)


def test_adjustment_stops_at_the_radius_of_deformation():
    """A step of the surface relaxes to eta0 (1 - exp(-|y| / R)) sgn(y), R = sqrt(g H) / f (Gill
    1982, section 7.2). What the waves that left have not yet lost is 1 % of the step after 40 days,
    and so is (f dt)^2 / 3, the error of the implicit Coriolis force."""
    depth, f, length = 10.0, 1e-4, 3000e3
    R = np.sqrt(g * depth) / f
    sim = layer(
        4,
        200,
        (60e3, length),
        depth,
        1800,
        (f, 0),
        sea_surface_height=lambda x, y: 0.01 * np.sign(y - length / 2),
    )
    y = np.asarray(sim.model.grid.horizontal.center_latitude)[:, 0] - length / 2
    sim.advance(40 * 48)
    eta = height(sim)[:, 0] / 0.01
    near = (y > 0) & (y < 2 * R)
    assert -1 / np.polyfit(y[near], np.log(1 - eta[near]), 1)[0] == pytest.approx(R, rel=0.02)
    assert np.abs(eta - np.sign(y) * (1 - np.exp(-np.abs(y) / R)))[np.abs(y) < 5 * R].max() < 0.02


def rossby_wave(waves, step, days, cells=20, depth=10.0, rotation=True):
    """Speed of a wave of a channel over -beta / (k2 + m2 + 1 / Rd2)."""
    f, beta, length, width = 1e-4, 2e-11, 4000e3, 1000e3
    Rd2 = g * depth / f**2
    k, m = 2 * np.pi * waves / length, np.pi / width
    eta = lambda x, y: 0.01 * np.cos(k * x) * np.sin(m * y)
    u = lambda x, y, z: -g / f * 0.01 * m * np.cos(k * x) * np.cos(m * y)
    v = lambda x, y, z: -g / f * 0.01 * k * np.sin(k * x) * np.sin(m * y)
    sim = layer(
        2 * cells,
        cells,
        (length, width),
        depth,
        step,
        (f - beta * width / 2, beta),
        rotation,
        sea_surface_height=eta,
        velocity_x=u,
        velocity_y=v,
    )
    x = np.asarray(sim.model.grid.horizontal.center_longitude)[0]
    phases = []
    for _ in range(days):
        sim.advance(round(86400 / step))
        phases.append(np.angle(height(sim)[cells // 2] @ np.exp(-1j * k * x)))
    speed = -np.polyfit(np.arange(days) * 86400, np.unwrap(phases), 1)[0] / k
    return speed * (k**2 + m**2 + 1 / Rd2) / -beta


@pytest.mark.parametrize("waves", [1, 2])
def test_rossby_wave_drifts_west(waves):
    """-beta Rd2 for long waves. f changes by a fifth across the channel: 4 %."""
    assert rossby_wave(waves, 3600, 50) == pytest.approx(1, abs=0.04)


def test_rossby_wave_has_one_speed_at_all_steps():
    """In deep water, where the surface is stiff. Where the earth does not turn the correction by
    the new surface, a wave is slower by 1 + (theta f tau)^2. What is left is the B grid's first
    order: no current at the walls."""
    speed = lambda step, **how: rossby_wave(1, step, 20, depth=1000.0, **how)
    short = speed(300)
    assert speed(3600) == pytest.approx(short, rel=2e-3)
    assert speed(10800) == pytest.approx(short, rel=2e-3)
    slow = 1 + (0.6 * 1e-4 * 10800) ** 2
    assert speed(10800, rotation=False) == pytest.approx(short / slow, rel=0.03)
    assert 1 - speed(3600, cells=40) == pytest.approx((1 - short) / 2, rel=0.1)
