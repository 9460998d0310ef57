"""The force of moon and sun, and the pressure of the air, on the sea."""

import datetime

import numpy as np
import pytest

import fathom as fm
import open_seas
from fathom.base.failure import InputError
from fathom.ocean.constituents import longitudes_of_moon_and_sun

g, rho = 9.80616, 1026.0


def test_the_tide_of_the_sun_is_highest_at_noon_and_midnight():
    sun = fm.Tides("S2")
    at = lambda hour: sun.height(datetime.datetime(2001, 3, 20, hour), np.array([30.0]), 0.0)[0]
    heights = [at(hour) for hour in range(24)]  # 30 E: noon at 10 h
    assert np.argsort(heights)[-2:].tolist() in ([10, 22], [22, 10])
    assert max(heights) == pytest.approx(0.693 * 0.1128, rel=1e-3)


def test_spring_tides_are_at_new_and_full_moon():
    """New moon on 2000-01-06, full moon on 2000-01-21: both waves are in phase, to what the moon's
    path differs from its mean; in between they are opposite.
    """
    for day, phase in ((6, 0), (21, 0), (14, 180)):
        s, h, _ = longitudes_of_moon_and_sun(datetime.datetime(2000, 1, day))
        off = (2 * h - 2 * s - phase + 180) % 360 - 180
        assert abs(off) < 30


def test_daily_tides_vanish_at_the_equator_and_all_lie_within_their_sum():
    daily = fm.Tides(["K1", "O1", "P1", "Q1"])
    when = datetime.datetime(2010, 7, 1, 5)
    assert abs(daily.height(when, np.array([12.0]), 0.0)).max() < 1e-12
    x, y = np.meshgrid(np.arange(0.0, 360, 20), np.arange(-80.0, 81, 20))
    assert 0.1 < abs(fm.Tides().height(when, x, y)).max() < 0.55


def test_the_sea_follows_the_force_of_the_tide():
    """The first step of a sea at rest is that of the slope of the equilibrium tide."""
    grid = fm.LatitudeLongitudeGrid(
        nx=12, ny=10, longitude=(0, 60), latitude=(10, 60), levels=fm.ZLevels(nz=2, depth=4000)
    )
    model = fm.Ocean(grid, tides=fm.Tides(), friction=None, momentum_advection=None)
    sim = open_seas.start(model.set(temperature=10.0, salinity=35.0), "1min", start="2000-01-01")
    sim.advance(1)
    x, y = grid.coordinates()
    tide = model.tides.height(datetime.datetime(2000, 1, 1), x, y)
    south, north = (half[:, 1:] - half[:, :-1] for half in (tide[:-1], tide[1:]))
    expected = g * 0.5 * (south + north) / np.asarray(grid.horizontal.dx_corner)[:-1, :-1] * 60
    # the new surface and the rotation take part in it: 1 %
    found = sim.gather("velocity_x")[0, :-1, :-1]
    assert abs(found - expected).max() < 0.03 * abs(expected).max()


def test_the_sea_is_low_under_high_pressure():
    """In a closed basin at rest the height is that of the inverse barometer."""
    pressure = lambda x, y: 101325 + 1000 * np.cos(np.pi * x / 2e5) + 0 * y
    grid = open_seas.plane(20, 6)
    friction = {"friction": fm.LaplacianFriction(viscosity=1e3), "bottom_speed": 0.5}
    parts = {"diffusion": None, "bottom_drag": 0.02, "momentum_advection": None}
    model = fm.Ocean(grid, coriolis=(0, 0), air_pressure=True, **friction, **parts)
    surface = fm.SurfaceForcing(air_pressure=pressure)
    sim = open_seas.start(model.set(temperature=10.0, salinity=35.0), "1h", surface)
    sim.advance(24 * 5)
    x, y = grid.coordinates()
    expected = -(pressure(x, y) - 101325) / (rho * g)
    found = sim.gather("sea_surface_height")[0]
    assert abs(found - expected).max() < 0.02 * abs(expected).max()


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match="no constituent 'M3'"):
        fm.Tides(["M3"])
    with pytest.raises(InputError, match="tides need a grid on the sphere"):
        fm.Ocean(open_seas.plane(4, 4), coriolis=(0, 0), tides=fm.Tides())
