"""Columns that other ranks compute, on separate ranks or as their share of the work, have the same
bits on a device: they are packed there, and whole fields do not travel.
"""

from pathlib import Path

import pytest

import balanced_physics
import computers

radiation = Path(__file__).parents[1] / "radiation"
apart, cloudy = radiation / "apart_on_ranks.py", radiation / "cloudy_atmosphere.py"


@pytest.fixture(scope="module")
def one(on_ranks):
    """A run of three hours, of each precision."""
    return {p: on_ranks(2, apart, p, 1, "3")["checksum"] for p in ("fp64", "fp32")}


@pytest.mark.parametrize(
    "ranks, precision, helpers, pieces, devices",
    [
        (2, "fp32", 1, "3", [computers.name]),
        pytest.param(
            *(3, "fp64", 1, "2+1", [computers.name, computers.name]), marks=pytest.mark.long
        ),
        pytest.param(3, "fp64", 2, "2+1", ["none", computers.name], marks=pytest.mark.long),
    ],
)
def test_radiation_on_separate_ranks(on_ranks, one, ranks, precision, helpers, pieces, devices):
    found = on_ranks(ranks, apart, precision, helpers, pieces, *devices)
    assert found["checksum"] == one[precision]
    assert "RRTMGP" not in ", ".join(found["device"][1:])


def test_only_columns_travel_to_separate_ranks(on_ranks):
    """One more call sends inputs of RRTMGP, receives its results and returns a few numbers."""
    short, long = (on_ranks(2, apart, "fp64", 1, hours, computers.name) for hours in ("3", "5"))
    assert long["computed"][0] - short["computed"][0] == 1
    assert long["travelled"] - short["travelled"] < 1.1 * short["columns"]


@pytest.mark.parametrize(
    "ranks, precision, carrier",
    [(2, "fp64", "messages"), pytest.param(3, "fp32", "pulled", marks=pytest.mark.long)],
)
def test_columns_shared_by_their_cost(on_ranks, ranks, precision, carrier):
    """Of radiation, convection and microphysics."""
    case = ('radiation="RRTMGP"', f'precision="{precision}"')
    how = ("balance=true", f'carrier="{carrier}"', f'device="{computers.name}"')
    alone = on_ranks(1, balanced_physics, "bits", *case)
    shared = on_ranks(ranks, balanced_physics, "bits", *case, *how)
    assert shared["checksum"] == alone["checksum"]
    assert len(shared["balanced"]) == 3 and shared["device"][1:] == []
    assert shared["travelled"] > 0


@pytest.mark.parametrize(
    "precision, spacing", [("fp64", "2"), pytest.param("fp32", "none", marks=pytest.mark.long)]
)
def test_radiation_shared_by_its_cost(on_ranks, precision, spacing):
    """In samples and in all columns."""
    alone = on_ranks(1, cloudy, precision, spacing, "none", 21, 3)
    shared = on_ranks(2, cloudy, precision, spacing, "balance", 21, 3, computers.name)
    assert shared["checksum"] == alone["checksum"] and shared["travelled"] > 0
