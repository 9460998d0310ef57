"""Transforms on several ranks and threads, rows or squares of points: the same bits."""

from pathlib import Path

import pytest

SCRIPTS = [Path(__file__).with_name(f"{what}_on_ranks.py") for what in ("transforms", "planes")]


@pytest.fixture(scope="module", params=SCRIPTS, ids=["sphere", "plane"])
def script(request):
    return request.param


@pytest.fixture(scope="module")
def alone(on_ranks, script):
    return on_ranks(1, script)


@pytest.mark.parametrize(
    "ranks, threads",
    [(3, 2), *(pytest.param(*n, marks=pytest.mark.long) for n in ((1, 3), (2, 1), (4, 1)))],
)
def test_same_bits(on_ranks, script, alone, ranks, threads):
    found = on_ranks(ranks, script, threads=threads)
    assert found and found.items() <= alone.items()
