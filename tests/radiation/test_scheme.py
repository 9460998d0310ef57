"""RRTMGP in the atmosphere: its fields, parameters, calls, budgets and bits."""

from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from cloudy_columns import cloudy_column, levels
from fathom.base import mpi

script = Path(__file__).with_name("cloudy_atmosphere.py")


def test_same_bits_on_ranks(on_ranks):
    """Clouds are drawn at random, the same on any ranks."""
    alone = on_ranks(1, script)
    assert on_ranks(3, script)["checksum"] == alone["checksum"]
    assert 150 < alone["outgoing_longwave"][0] < 300
    assert 0 == alone["toa_net_shortwave"][1] < alone["toa_net_shortwave"][0] < 340
    assert 100 < alone["surface_downward_longwave"][1]


def test_precisions_agree(on_ranks):
    double, single = on_ranks(1, script, "fp64"), on_ranks(1, script, "fp32")
    for name in ("outgoing_longwave", "toa_net_shortwave", "surface_downward_longwave"):
        # other random numbers: other sub-columns, the same mean
        assert single[name][0] == pytest.approx(double[name][0], rel=0.02)


def test_what_stays_until_the_next_call():
    """Fluxes at the ground are those of the surface; what it emits reaches less and less far."""
    given = cloudy_column()
    out = mpi.core.run_column(fm.RRTMGP().process(8), given, levels)
    up = given["surface_emission"] - out["surface_downward_longwave"]
    np.testing.assert_allclose(out["longwave_flux"][-1], up, rtol=1e-12)
    assert (np.diff(out["emission_share"], axis=0) >= 0).all()
    assert (out["emission_share"][-1] == 1).all()
    lit = out["shortwave_share"][..., :4]
    assert (np.diff(lit, axis=0) < 1e-9).all() and (lit > 0).all() and (lit < 1).all()
    assert (out["shortwave_share"][..., 4:] == 0).all()
    assert len(np.unique(out["longwave_flux"][0])) == 8  # each place draws its own clouds
    clear = given | {"cloud_fraction": 0 * given["cloud_fraction"]}
    fluxes = mpi.core.run_column(fm.RRTMGP().process(8), clear, levels)["longwave_flux"][0]
    assert (fluxes == fluxes[0, 0]).all() and 240 < fluxes[0, 0] < 300
    more = fm.RRTMGP(carbon_dioxide=800).process(8)
    less = fluxes - mpi.core.run_column(more, clear, levels)["longwave_flux"][0]
    assert 1 < less[0, 0] < 5


def test_net_short_wave_over_another_ground():
    """LocalAlbedo finds what RRTMGP gives over that ground itself."""
    given = cloudy_column()
    radiation = fm.RRTMGP(overlap="homogeneous").process(8)
    of = {
        albedo: mpi.core.run_column(radiation, given | {"albedo": np.full((1, 8), albedo)}, levels)
        for albedo in (0.1, 0.3, 0.8)
    }
    names = ("surface_downward_share", "reflection_share", "shortwave_share")
    for there, here in ((0.1, 0.3), (0.3, 0.1), (0.1, 0.8), (0.8, 0.1)):
        seen = {name: of[there][name] for name in names} | {"albedo": np.full((1, 8), here)}
        found = mpi.core.run_column(mpi.core.process("LocalAlbedo"), seen, levels)
        found, exact = found["shortwave_share"], of[here]["shortwave_share"]
        change = np.abs(exact - of[there]["shortwave_share"]).max()
        assert np.abs(found - exact).max() < 0.05 * change, (there, here)
        assert (found[..., 4:] == 0).all()


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="carbon_dioxide"):
        fm.RRTMGP(carbondioxide=400)
    with pytest.raises(ValueError, match="must lie in"):
        fm.RRTMGP(droplet_radius=100)
    with pytest.raises(ValueError, match="exponential-random"):
        fm.RRTMGP(overlap="exponential")
    with pytest.raises(ValueError, match="wrong spectrum"):
        fm.RRTMGP(longwave="sw-g112")
    with pytest.raises(ValueError, match="every"):
        fm.RRTMGP(every="1month")
    physics = fm.BasicPhysics(radiation=fm.RRTMGP, radiation_every="1h")
    assert physics.radiation.every == fm.RRTMGP(every="1h").every
