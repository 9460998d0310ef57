"""A start in balance: the thermal wind of its density, and no shock."""

import numpy as np
import pytest

import fathom as fm
from box import fathom, summary, write
from fathom.ocean.balance import Gradient

f0, slope, warm = 1e-4, 5e-6, 2e-4  # [s-1], [K m-1], [K-1]


def front(**state):
    """A channel with a front across it: T = -slope y down to 400 m, water of one kind below."""
    grid = fm.CartesianGrid(
        nx=12,
        ny=20,
        extent=(600e3, 1000e3),
        periodic=True,
        levels=fm.ZLevels(thickness=[50.0] * 20),
    )
    ocean = fm.Ocean(
        grid,
        coriolis=(f0, 0),
        equation_of_state=fm.LinearEquationOfState(thermal_expansion=warm),
        friction=None,
        bottom_drag=0,
    )
    temperature = lambda x, y, z: 10 - slope * y * np.clip(1 - z / 400, 0, None)
    ocean.set(temperature=temperature, salinity=35, **state)
    return fm.Simulation(ocean, "20min", surface=fm.SurfaceForcing()).prepare()


def test_thermal_wind():
    """f du/dz = g a dT/dy, u = 0 at the floor; the height has the slope of what is above it."""
    sim = front(motion="geostrophic")
    u, v = (sim.gather(name) for name in ("velocity_x", "velocity_y"))
    top = slice(2, -2)
    shear = (u[0] - u[4]) / 200
    middle = slope * np.mean([1 - z / 400 for z in (50, 100, 150, 200)])
    f = f0 + (2 * 7.292e-5 * np.sin(np.deg2rad(5))) ** 2 / f0
    assert shear[top] == pytest.approx(9.80 * warm * middle / f, rel=0.01)
    assert abs(u[12:]).max() < 1e-3 * abs(u).max() and abs(v).max() < 1e-6 * abs(u).max()
    eta = sim.gather("sea_surface_height")[0]
    assert eta[5, 0] - eta[15, 0] == pytest.approx(warm * slope * 200 * 500e3, rel=0.02)


def test_no_shock():
    """What moves is there from the start; from rest waves of the same strength come up."""
    change = {}
    for motion in ("rest", "geostrophic"):
        sim = front(motion=motion)
        before = sim.gather("sea_surface_height")[0]
        sim.advance(3)
        change[motion] = abs(sim.gather("sea_surface_height")[0] - before)[2:-2].max()
    assert change["geostrophic"] < 0.05 * change["rest"]


def test_same_bits_on_two_ranks(tmp_path):
    tilted = {
        "20 * exp(depth / -1000)": "(20 + y / L) * exp(depth / -1000)",
        "salinity = 35": 'salinity = 35\nmotion = "geostrophic"',
    }
    write(tmp_path, **tilted)
    bits = set()
    for ranks in (1, 2):
        where = ("--ranks", ranks, "--out", "run", "--overwrite", "--no-report")
        status, _, errors = fathom("run", "box.toml", "--for", "6h", *where, folder=tmp_path)
        assert status == 0, errors
        bits.add(summary(tmp_path / "run")["checksum"])
    assert len(bits) == 1


def test_gradient_and_its_inverse():
    """On the globe, with its fold and its islands."""
    grid = fm.TripolarGrid(resolution="3deg", levels=fm.ZLevels(number=6, depth=5500))
    gradient = Gradient(grid)
    longitude, latitude = (np.deg2rad(a) for a in grid.coordinates())
    field = np.where(gradient.wet, np.cos(latitude) * np.sin(longitude) + np.sin(latitude), 0.0)
    inside = np.asarray(grid.corner_levels) > 0
    given = gradient(field)
    found = gradient(gradient.inverse(*given))
    for one, other in zip(found, given):
        assert one[inside] == pytest.approx(other[inside], abs=1e-4 * abs(other[inside]).max())


def test_what_is_wrong():
    grid = fm.CartesianGrid(nx=6, ny=6, extent=(1e5, 1e5), levels=fm.ZLevels(number=2, depth=100))
    ocean = fm.Ocean(grid, coriolis=(f0, 0))
    with pytest.raises(fm.InputError, match="motion = 'fast' must be 'rest' or 'geostrophic'"):
        ocean.set(motion="fast")
    with pytest.raises(fm.InputError, match="sets velocity_x, which is given too"):
        ocean.set(motion="geostrophic", velocity_x=1.0)
