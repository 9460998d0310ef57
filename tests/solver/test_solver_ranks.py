"""The elliptic solver on several ranks: solvers with preconditioners, exchanges with sums, and
combinations drawn by lot, over seas with islands, straits of one cell and
ranks without water: the same bits everywhere."""

import functools
from pathlib import Path

import pytest

from fathom.base.mpi import core

script = Path(__file__).with_name("solvers_on_ranks.py")


ways, sums = ([name for name, _ in some()] for some in (core.transports, core.global_sums))


@pytest.fixture(scope="module")
def alone(on_ranks):
    """What one rank finds, of few combinations or of all."""
    return functools.cache(lambda *few: on_ranks(1, script, *few))


def _same(found):
    """Whether solutions of every exchange with its sums are the same; how many there are."""
    values = [value for name, value in found.items() if name.partition(" ")[0] in ways]
    assert all(value == values[0] for value in values)
    return len(values)


def test_every_exchange_and_sum_is_the_same_solver(alone):
    found = alone("few")
    assert _same(found) == len(ways)
    named = {word for name in found for word in name.split()}
    assert {*sums} <= named


@pytest.mark.long
def test_every_exchange_with_every_sum_is_the_same_solver(alone):
    pairs = len(ways) * len(sums)
    assert _same(alone()) == pairs and len(alone()) == 25 + pairs + len(sums) + 6 + 50 + 1


@pytest.mark.parametrize(
    "ranks, threads, few",
    [
        (3, 1, ["few"]),
        *(pytest.param(*n, [], marks=pytest.mark.long) for n in ((1, 2), (2, 1), (3, 1))),
    ],
)
def test_same_bits(on_ranks, alone, ranks, threads, few):
    found = on_ranks(
        ranks, script, *few, threads=threads, timeout=600
    )  # minutes where other work takes the cores
    known = alone(*few)
    assert found.keys() == known.keys()
    assert {name: value for name, value in found.items() if value != known[name]} == {}
