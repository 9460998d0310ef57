"""The elliptic solver on several ranks: every solver with every preconditioner, every exchange with
every sum, and fifty combinations drawn by lot, over seas with islands, straits of one cell and
ranks without water: the same bits everywhere."""

from pathlib import Path

import pytest

from fathom.base.mpi import core

script = Path(__file__).with_name("solvers_on_ranks.py")


@pytest.fixture(scope="module")
def alone(on_ranks):
    return on_ranks(1, script)


def test_every_exchange_and_sum_is_the_same_solver(alone):
    ways = [name for name, _ in core.transports()]
    found = [value for name, value in alone.items() if name.partition(" ")[0] in ways]
    assert len(ways) == 12 and len(found) == 120 and all(value == found[0] for value in found)
    assert len(alone) == 25 + 120 + 10 + 6 + 50 + 1


@pytest.mark.parametrize(
    "ranks, threads",
    [(3, 1), *(pytest.param(*n, marks=pytest.mark.long) for n in ((1, 2), (2, 1)))],
)
def test_same_bits(on_ranks, alone, ranks, threads):
    found = on_ranks(
        ranks, script, threads=threads, timeout=600
    )  # minutes where other work takes the cores
    assert found.keys() == alone.keys()
    assert {name: value for name, value in found.items() if value != alone[name]} == {}
