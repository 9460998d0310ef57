"""RRTMGP in few of the columns: which ones, the same bits on any ranks, how near to all of them."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from fathom.atmosphere.radiation.scheme import samples
from fathom.base import mpi

script = Path(__file__).with_name("cloudy_atmosphere.py")


def test_samples_are_as_far_apart_in_both_directions():
    grid = fm.GaussianGrid(42)
    found = fm.RRTMGP(spacing=3).samples(grid)
    rows = [row for row, _ in found]
    assert rows[0] == 0 and rows[-1] == 63 and set(np.diff(rows)) <= {2, 3}
    for row, columns in found:
        wanted = 128 * np.cos(np.deg2rad(grid.latitude[row])) / 3
        assert len(columns) == pytest.approx(max(4, wanted), abs=0.6)
        assert len(set(columns)) == len(columns) and 0 <= columns[0] < columns[-1] < 128
    assert 64 * 128 / 16 < sum(len(columns) for _, columns in found) < 64 * 128 / 9


def test_samples_of_an_area_have_its_edges():
    """Every third column and row of the 11 x 8, and none in E."""
    levels = fm.HybridLevels(19)
    grid = fm.LimitedAreaGrid((8, 47), resolution=50e3, points=(11, 8), coupling=2, levels=levels)
    physics = fm.BasicPhysics(radiation="RRTMGP", radiation_spacing=3, land=None, drag=None)
    model = fm.LimitedAreaAtmosphere(grid, physics=physics)
    scheme = next(s for s in model.physics if s.name == "RRTMGP")
    rows = [0, 2, 5, 7]
    assert scheme.samples(model.grid) == [(row, [0, 2, 5, 8, 10]) for row in rows]
    model.set(air_temperature=lambda x, y, p: 250 + x + 2 * y, specific_humidity=1e-4)
    sim = fm.Simulation(model, time_step="5min", start="2001-03-21 12:00").prepare()
    sim.advance(1)
    flux = np.asarray(sim.gather("outgoing_longwave"), float)[0, :8, :11]
    for a, b in itertools.pairwise(rows):
        inner = slice(a + 1, b)
        w = (np.arange(a, b + 1)[1:-1, None] - a) / (b - a)
        np.testing.assert_allclose(flux[inner], (1 - w) * flux[a] + w * flux[b], rtol=1e-12)
    assert np.ptp(flux) > 5
    np.testing.assert_allclose(flux[:, 1], (flux[:, 0] + flux[:, 2]) / 2, rtol=1e-12)


def test_rows_of_few_columns():
    found = samples([6, 20, 20, 6], np.deg2rad([-70, -20, 20, 70]), 16)
    assert [(row, len(columns)) for row, columns in found] == [(0, 4), (3, 4)]


def test_same_bits_on_ranks(on_ranks):
    alone = on_ranks(1, script, "fp32", "2")
    assert on_ranks(3, script, "fp32", "2")["checksum"] == alone["checksum"]


def test_samples_are_shared_by_cost_with_the_same_bits(on_ranks):
    alone = on_ranks(1, script, "fp64", "2", "none", 21)
    shared = on_ranks(2, script, "fp64", "2", "balance", 21)
    assert shared["checksum"] == alone["checksum"] and shared["travelled"] > 0


def fluxes(spacing, without=(), **ground):
    physics = fm.BasicPhysics(
        radiation=fm.RRTMGP(overlap="homogeneous"),
        radiation_every="1h",
        radiation_spacing=spacing,
    )
    physics = [scheme for scheme in physics if scheme.name not in without]
    grid = fm.GaussianGrid(15, levels=fm.SigmaLevels(8))
    model = fm.SpectralAtmosphere(grid, physics=physics)
    model.set(
        air_temperature=lambda lon, lat, p: (
            (250 + 35 * np.cos(np.deg2rad(lat)) ** 2) * (p / 1e5) ** 0.15
        ),
        specific_humidity=lambda lon, lat, p: 3e-3 * np.cos(np.deg2rad(lat)) ** 2 * (p / 1e5) ** 3,
        **ground,
    )
    sim = fm.Simulation(model, time_step="1h", start="2001-03-21").prepare()
    sim.advance(1)
    names = ("toa_net_shortwave", "outgoing_longwave", "surface_net_shortwave")
    return {name: np.asarray(sim.gather(name), float)[0] for name in names}


def test_smooth_air_over_sea_and_land():
    """Without clouds fluxes are smooth; what jumps is the ground, and each column has its own."""
    land = lambda lon, lat: np.where((lon > 60) & (lon < 200), 1.0, 0.0)
    ground = {"land_fraction": land, "snow_free_albedo": 0.4, "ground_temperature": 270.0}
    whole, few = fluxes(None, **ground), fluxes(2, **ground)
    mixed = fluxes(2, without=["LocalAlbedo"], **ground)

    def error(found, name):
        return np.abs(found[name] - whole[name]).max() / np.ptp(whole[name])

    for name, least, most in (
        ("toa_net_shortwave", 250, 0.03),
        ("surface_net_shortwave", 150, 0.03),
        ("outgoing_longwave", 20, 0.08),  # ground 18 K warmer emits in other parts of the spectrum
    ):
        assert np.ptp(whole[name]) > least
        assert error(few, name) < most, name
    assert error(mixed, "surface_net_shortwave") > 4 * error(few, "surface_net_shortwave")


def test_what_cannot_be_spaced():
    with pytest.raises(ValueError, match=r"RRTMGP spacing = 0 must be a whole number"):
        fm.RRTMGP(spacing=0)
    with pytest.raises(ValueError, match='needs radiation = "RRTMGP"'):
        fm.BasicPhysics(radiation_spacing=3)
    process = fm.RRTMGP().process(8)
    with pytest.raises(ValueError, match="from west to east"):
        mpi.core.Sampled(process, [(3, [1, 0])])
    with pytest.raises(ValueError, match="which cannot be interpolated"):
        mpi.core.Sampled(mpi.core.process("RadiativeHeating"), [(0, [1])])
