"""Radiation on separate ranks: one call late, same bits on any of them and after a restart."""

import subprocess
import sys
from pathlib import Path

import pytest

import fathom as fm
from fathom.run.launch import mpiexec

script = Path(__file__).with_name("apart_on_ranks.py")


@pytest.mark.parametrize("precision", [pytest.param("fp64", marks=pytest.mark.long), "fp32"])
def test_same_bits_after_a_restart(on_ranks, precision):
    one = on_ranks(2, script, precision, 1, "5")
    assert one["helpers"] == 1 and one["computed"][0] >= 2 and one["waiting"][0] > 0
    continued = on_ranks(2, script, precision, 1, "3+2")
    assert continued["checksum"] == one["checksum"]


def test_lag_of_separate_ranks(on_ranks):
    one, here = on_ranks(3, script, "fp32", 2, "5"), on_ranks(1, script, "fp32", 0, "5")
    assert on_ranks(2, script, "fp32", 1, "5")["checksum"] == one["checksum"]
    assert here["checksum"] != one["checksum"]  # the flux is that of two hours before
    assert here["mean"] == pytest.approx(one["mean"], rel=0.02)


@pytest.mark.long
def test_same_bits_on_any_ranks_and_with_servers(on_ranks):
    precision = "fp64"
    one = on_ranks(2, script, precision, 1, "5")
    continued = on_ranks(2, script, precision, 1, "3+2")
    served = on_ranks(3, script, precision, 1, "3+2", "none", "none", "served")
    assert all(served[name] == continued[name] for name in ("checksum", "stored"))
    assert on_ranks(3, script, precision, 2, "5")["checksum"] == one["checksum"]
    assert on_ranks(3, script, precision, 1, "5")["checksum"] == one["checksum"]
    here = on_ranks(1, script, precision, 0, "5")
    assert here["checksum"] != one["checksum"]  # the flux is that of two hours before
    assert here["mean"] == pytest.approx(one["mean"], rel=0.02)


def test_what_cannot_be():
    model = fm.SpectralAtmosphere(
        fm.GaussianGrid(10, levels=fm.SigmaLevels(8)), physics=fm.BasicPhysics(drag=None)
    )
    with pytest.raises(ValueError, match="radiation_ranks = 1 of 1 ranks leave none to step"):
        fm.Simulation(model, time_step="1h", parallel={"radiation_ranks": 1})
    both = {"radiation_ranks": 1, "io_servers": 2}
    with pytest.raises(ValueError, match="radiation_ranks = 1 and io_servers = 2 of 1 ranks leave"):
        fm.Simulation(model, time_step="1h", parallel=both)


def test_steps_outside_a_run_are_refused(on_ranks):
    told = on_ranks(2, script, "fp64", 1, "advance")
    assert "use run, and neither advance nor" in told["advance"]
    assert "give the state digital_filter = 0" in told["filter"]


@pytest.mark.long
def test_an_error_of_one_rank_ends_all():
    """Those that step, and those that wait for columns."""
    command = [mpiexec(), "-n", "3", sys.executable, str(script), "fp64", "1", "failing"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1 and "RuntimeError: no more" in ran.stderr
