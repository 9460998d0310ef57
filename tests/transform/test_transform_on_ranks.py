"""Transforms on several ranks and threads, rows or squares of points: the same bits."""

from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("transforms_on_ranks.py")


@pytest.fixture(scope="module")
def alone(on_ranks):
    return on_ranks(1, SCRIPT)


@pytest.mark.parametrize("ranks, threads", [(1, 3), (2, 1), (3, 2), (4, 1)])
def test_same_bits(on_ranks, alone, ranks, threads):
    found = on_ranks(ranks, SCRIPT, threads=threads)
    assert found and found.items() <= alone.items()
