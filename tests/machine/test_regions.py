"""Regions: exclusive seconds add up to the wall time; artificial imbalance and noise are found as
waiting and in the efficiencies.
"""

from pathlib import Path

import pytest

import cases
import fathom as fm
from fathom.base import mpi, regions
from fathom.plots.report import tables as profile_tables

here = Path(__file__).parent


def by_name(profile):
    return {r["region"]: r for r in profile["regions"]}


@pytest.fixture(scope="module")
def found(on_ranks):
    return on_ranks(2, here / "regions_on_ranks.py")


def test_regions_add_up_to_the_wall_time(tmp_path):
    s = fm.Simulation(
        cases.stirred(cases.box()), time_step="1800s", surface=cases.wind(), directory=tmp_path
    )
    s.output("state.zarr", ["temperature"], every="5h")
    summary = s.run("5d", report=False)
    records = summary["profile"]
    wall, held = summary["wall_seconds"], by_name(s.profile)
    assert sum(r["seconds"] for r in records) == pytest.approx(wall, rel=0.02)
    assert held["run"]["seconds"] < 0.1 * wall  # time outside all named regions
    assert (
        held["MWJF"]["calls"] == held["step"]["calls"] == 240 and held["state.zarr"]["calls"] == 25
    )
    assert held["BarotropicSolve"]["elapsed"] > held["BarotropicSolve"]["seconds"] > 0 and held[
        "halo"
    ]["path"][-2] in ("BarotropicSolve", "preconditioner")
    for part in ("gather", "make and write"):
        assert "state.zarr" in held[part]["path"] and held[part]["seconds"] > 0
    assert held["halo"]["phase"] == "barotropic" and held["MWJF"]["kind"] == "process"
    head, rows = profile_tables.by_exclusive_time(records)
    assert float(rows[-1][head.index("seconds")]) == pytest.approx(wall, rel=0.02)


def test_profiling_can_be_switched_off_and_changes_no_bit(tmp_path):
    runs = []
    for on in (True, False):
        mpi.core.profiling(on)
        try:
            s = fm.Simulation(
                cases.stirred(cases.box()),
                time_step="1800s",
                surface=cases.wind(),
                directory=tmp_path,
            ).prepare()
            regions.begin(s.comm)
            s.advance(3)
            runs.append((s.checksum(), len(mpi.core.regions())))
        finally:
            mpi.core.profiling(True)
    assert runs[0][0] == runs[1][0] and runs[0][1] > 20 and runs[1][1] == 1


def test_planted_imbalance_and_noise(found):
    given, profile = found["planted"], found["planted"]["found"]
    assert profile["ranks"]["waiting"] == pytest.approx(given["waited"], rel=0.05)
    sums = by_name(profile)["sum"]
    assert sums["calls"] == 40 and sums["waiting"] == pytest.approx(
        sum(given["waited"]) / 2, rel=0.05
    )
    a, b = given["worked"]
    e = profile["efficiency"]
    assert e["load_balance"] == pytest.approx((a + b) / 2 / max(a, b), rel=0.05)
    assert e["parallel_efficiency"] == pytest.approx(
        e["load_balance"] * e["serialisation"] * e["transfer"], rel=1e-12
    )
    whole = max(a + given["waited"][0], b + given["waited"][1])  # only work and waiting
    assert e["load_balance"] * e["serialisation"] == pytest.approx(
        (a + b) / 2 / whole, rel=0.05
    )  # transfer depends on the load of the machine


def test_a_late_rank_shows_as_waiting_of_the_other(found):
    given, profile = found["ocean"], found["ocean"]["found"]
    waiting = profile["ranks"]["waiting"]
    assert (
        0.8 * given["late"] < waiting[0] < given["late"] + 0.5 * given["wall"]
        and given["late"] > 0.25
    )
    first = by_name(profile)["agreement"]  # where ranks meet after one was delayed
    assert first["waiting"] <= first["communication"] <= first["elapsed"]
    exchanges = [r for r in profile["regions"] if r["kind"] == "exchange" and r["messages"]]
    assert exchanges and all(
        r["bytes"] > 0 and r["waiting"] <= r["communication"] * (1 + 1e-12) for r in exchanges
    )


def test_clocks_that_differ_are_brought_together(found):
    assert found["offsets"][0] == 0 and found["offsets"][1] == pytest.approx(-5, abs=0.005)


def test_efficiencies_by_hand():
    e = regions.efficiency([8.0, 6.0], [1.0, 2.0], 10.0)
    assert e == pytest.approx(
        {
            "parallel_efficiency": 0.7,
            "load_balance": 7 / 8,
            "communication_efficiency": 0.8,
            "serialisation": 8 / 9,
            "transfer": 0.9,
        }
    )


def test_an_account_of_several_profiles():
    """Runs within it begin their own; it has the sum of all."""
    with regions.Account(mpi.world) as account:
        with regions.region("before", "one"):
            pass
        for _ in range(2):
            regions.begin(mpi.world)
            with regions.region("within", "two"):
                pass
    found = by_name(account.gathered())
    assert found["within"]["calls"] == 2 and found["before"]["calls"] == 1
    assert found["run"]["calls"] == 3
    parts = sum(r["seconds"] for r in account.gathered()["regions"])
    assert parts == pytest.approx(found["run"]["elapsed"], rel=1e-6)
    regions.begin(mpi.world)
    assert len(account.profiles) == 3  # it is closed
