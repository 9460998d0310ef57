"""A start in balance: the thermal wind of its density, and no shock."""

import numpy as np
import pytest

import fathom as fm
from box import fathom, summary, write
from fathom.ocean.balance import Gradient, even_at_equator

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


@pytest.mark.long
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
    grid = fm.TripolarGrid(resolution="3deg", levels=fm.ZLevels(nz=6, depth=5500))
    gradient = Gradient(grid)
    longitude, latitude = (np.deg2rad(a) for a in grid.coordinates())
    field = np.where(gradient.wet, np.cos(latitude) * np.sin(longitude) + np.sin(latitude), 0.0)
    inside = np.asarray(grid.corner_levels) > 0
    given = gradient(field)
    found = gradient(gradient.inverse(*given))
    for one, other in zip(found, given):
        assert one[inside] == pytest.approx(other[inside], abs=1e-4 * abs(other[inside]).max())


def tropics(motion):
    """Water 2 K warmer north of the equator at all depths, less so farther away."""
    grid = fm.LatitudeLongitudeGrid(
        nx=24, ny=36, latitude=(-45, 45), levels=fm.ZLevels(thickness=[100.0] * 10)
    )
    ocean = fm.Ocean(grid, equation_of_state=fm.LinearEquationOfState(thermal_expansion=warm))
    temperature = lambda x, y, z: 10 - 5e-3 * z + np.tanh(y / 10) * (1 - z / 1000)
    ocean.set(temperature=temperature, salinity=35, motion=motion)
    return fm.Simulation(ocean, "1h", surface=fm.SurfaceForcing()).prepare()


def test_nothing_drives_water_across_the_equator():
    """The flow across it after two days is a quarter of what the geostrophic start has: what stays
    is of the upper layers.
    """
    across = {}
    for motion in ("geostrophic", "balanced"):
        sim = tropics(motion)
        latitude = np.asarray(sim.model.grid.coordinates("corner")[1])[:, 0]
        sim.advance(48)
        v = sim.gather("velocity_y")[:, np.abs(latitude) < 1]
        across[motion] = np.abs(v[2:]).max()
    assert across["balanced"] < 0.25 * across["geostrophic"]


def test_what_is_even_stays():
    """Alike on both sides, at the surface or far away: not touched. What is odd halves or more."""
    sim = tropics("rest")
    grid, given = sim.model.grid, sim.gather("temperature")
    latitude = np.asarray(grid.coordinates()[1])
    even = np.broadcast_to(np.cos(np.deg2rad(latitude)), given.shape)
    np.testing.assert_allclose(even_at_equator(grid, even), even, rtol=1e-13)
    found = even_at_equator(grid, given)
    far = np.abs(latitude[:, 0]) > 20
    assert (found[:1] == given[:1]).all() and (found[:, far] == given[:, far]).all()
    beside = np.abs(latitude[:, 0]) < 1.5
    odd = lambda a: np.ptp(a[3:, beside], axis=1).max()
    assert odd(found) < 0.2 * odd(given)


def test_what_is_wrong():
    grid = fm.CartesianGrid(nx=6, ny=6, extent=(1e5, 1e5), levels=fm.ZLevels(nz=2, depth=100))
    ocean = fm.Ocean(grid, coriolis=(f0, 0))
    message = "motion = 'fast' must be 'rest', 'geostrophic' or 'balanced'"
    with pytest.raises(fm.InputError, match=message):
        ocean.set(motion="fast")
    with pytest.raises(fm.InputError, match="'balanced' is for grids on the sphere"):
        ocean.set(motion="balanced")
    with pytest.raises(fm.InputError, match="sets velocity_x, which is given too"):
        ocean.set(motion="geostrophic", velocity_x=1.0)
