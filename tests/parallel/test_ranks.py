"""Exchanges, sums and the elliptic solver on several ranks and threads: the right points, and the
same bits.
"""

from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("on_ranks.py")


@pytest.fixture(scope="module")
def alone(on_ranks):
    return on_ranks(1, SCRIPT, "--all")


def test_one_rank(alone):
    assert (
        alone["sum"] and alone["tripolar diagonal"][0] > 10 > alone["tripolar factorisation"][0] > 0
    )


@pytest.mark.parametrize(
    "ranks, threads",
    [
        (3, 1),
        pytest.param(3, 2, marks=pytest.mark.long),
        pytest.param(7, 1, marks=pytest.mark.long),
    ],
)
def test_same_bits(on_ranks, alone, ranks, threads):
    assert on_ranks(ranks, SCRIPT, threads=threads) == alone
