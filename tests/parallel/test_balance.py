"""Columns shared among ranks: senders and receivers, the same bits with and without, errors."""

import json

import numpy as np
import pytest

import balanced_physics
from fathom.base import mpi
from fathom.performance.bench import balance
from fathom.run.parallel import balanced


def after(loads, threshold):
    loads = np.array(loads, float)
    for giver, taker, amount in mpi.core.transfers(list(loads), threshold):
        assert amount > 0
        loads[giver] -= amount
        loads[taker] += amount
    return loads


def test_transfers_end_at_the_mean():
    np.testing.assert_allclose(after([4, 0, 2, 2], 0.0), 2)
    np.testing.assert_allclose(after([9, 1, 1, 1], 0.1), 3)
    random = np.random.default_rng(2)
    for ranks in (2, 5, 32):
        loads = random.uniform(0, 1, ranks) ** 3
        even = after(loads, 0.0)
        np.testing.assert_allclose(even, loads.mean())


def test_little_is_not_moved():
    assert mpi.core.transfers([1.0, 1.04, 0.96], 0.05) == []
    assert mpi.core.transfers([1.0, 1.0], 0.0) == []
    assert mpi.core.transfers([0.0, 0.0], 0.0) == []
    # a rank above the threshold gives work away until it has the mean
    found = mpi.core.transfers([1.2, 1.0, 0.8], 0.1)
    assert found == [(0, 2, pytest.approx(0.2))]


single = ('precision="fp32"', 'radiation="RRTMGP"')


@pytest.mark.parametrize(
    "options, ways",
    [
        ((), [("messages", 2, 2)]),
        pytest.param(single, [("pulled", 3, 1)], marks=pytest.mark.long),
        pytest.param((), [("pulled", 3, 1)], marks=pytest.mark.long),
        ((), [("list", 3, 1)]),
        pytest.param(single, [("list", 2, 2)], marks=pytest.mark.long),
        pytest.param(single, [("messages", 2, 2)], marks=pytest.mark.long),
    ],
)
def test_same_bits_with_and_without(on_ranks, options, ways):
    plain = on_ranks(1, balanced_physics, "bits", *options)
    assert plain["balanced"] == []
    for way, ranks, threads in ways:
        shared = on_ranks(
            ranks,
            balanced_physics,
            "bits",
            *options,
            "balance=true",
            f"threads={threads}",
            f'carrier="{way}"',
            threads=threads,
        )
        assert len(shared["balanced"]) == 3
        assert shared["checksum"] == plain["checksum"], ranks


@pytest.mark.parametrize("way", ["pulled", "list"])
def test_the_giver_takes_no_part(on_ranks, way):
    """While the giver makes no call of MPI for half a second the other rank gets 4 MB of columns
    and puts its results back; the giver's own calls are short."""
    giver, taker = on_ranks(2, balanced_physics, "transfer", f'way="{way}"')
    assert giver["idle"] >= 0.5
    assert 0 < taker["fetched"] < taker["returned"] < 0.4
    assert giver["gave"] < 0.2


def test_columns_travel(on_ranks):
    """On two ranks the one with more sunlit columns gives some to the other from the first call
    on, when the cost of a lit column is twice that of a dark one."""
    found = [
        on_ranks(
            2, balanced_physics, "bits", 'radiation="RRTMGP"', "balance=true", f'carrier="{way}"'
        )
        for way in ("messages", "pulled", "list")
    ]
    assert all(one["travelled"] > 0 for one in found)
    assert len({one["checksum"] for one in found}) == 1
    for one in found[:2]:  # of a list nobody knows before who takes what
        load, sent = np.array(one["expected"]), np.array(one["sent"])
        kept = load - sent.sum(1) + sent.sum(0)
        assert balance.efficiency(load) < 0.9 < 0.95 < balance.efficiency(kept)


def test_what_cannot_be_balanced():
    assert balanced(None) == {}
    assert balanced(["Radiation", "KProfileDiffusion"]) == {
        "Radiation": "cosine_zenith_ahead",
        "KProfileDiffusion": "",
    }
    with pytest.raises(ValueError, match=r"parallel balance = 'Radiation' must be a list of proc"):
        balanced("Radiation")
    with pytest.raises(
        ValueError,
        match=r"no carrier 'pushed'; did you mean 'pulled'\? allowed: messages, pulled, list",
    ):
        balanced_physics.simulation(carrier="pushed")
    process = mpi.core.process("UpwindAdvection")
    with pytest.raises(ValueError, match="UpwindAdvection looks at neighbours of a column"):
        mpi.core.Balanced(process)
    with pytest.raises(ValueError, match="Radiation has no field 'sunshine'"):
        mpi.core.Balanced(mpi.core.process("Radiation"), "sunshine")


def test_unknown_process_names_what_is_near():
    with pytest.raises(ValueError, match="no process 'Radiaton'; did you mean 'Radiation'"):
        balanced_physics.simulation(balance=["Radiaton"]).prepare()


@pytest.mark.long
@pytest.mark.parametrize("model", ["spectral", "grid-point"])
def test_bench(model, tmp_path):
    how = {"truncation": 10, "levels": 8, "spin_up": 3, "steps": 2, "simulated": 4}
    case = balance.Case(ranks=1, model=model, **how)
    figures = balance.measure(case, tmp_path)
    assert balance.present(figures, tmp_path / "balance.json") == 0
    kept = json.loads((tmp_path / "balance.json").read_text())
    assert kept["efficiency_before"] == kept["efficiency_after"] == 1  # one rank
    assert 0 < kept["efficiency_before_simulated"] <= kept["efficiency_after_simulated"] <= 1
    for name, figure in kept["processes"].items():
        assert 0 <= figure["active_columns"] <= 1
        for kind in ("cost", "active", "work-of-ranks"):
            assert (tmp_path / f"{kind}-{name}.png").stat().st_size > 1000
    assert (tmp_path / "work-of-ranks.png").stat().st_size > 1000
    lit = kept["processes"]["RRTMGP"]["active_columns"]
    assert 0.4 < lit < 0.6 and {"MassFluxConvection", "ShallowMassFlux"} <= {*kept["processes"]}


def test_bench_of_an_unknown_model():
    with pytest.raises(ValueError, match="did you mean 'grid-point'"):
        balance.Case(model="gridpoint")
