"""Halos on a device: the bits of the processor's, on one rank and several."""

from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("halos_on_ranks.py")


@pytest.mark.parametrize(
    "ranks", [1, 2, *(pytest.param(n, marks=pytest.mark.long) for n in (3, 4))]
)
def test_the_same_bits(on_ranks, ranks):
    said = on_ranks(ranks, SCRIPT)
    assert said["moved"] > 0
    assert "choose an exchange that packs" in said["said"] and "adds" in said["said"]
