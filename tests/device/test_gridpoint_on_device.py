"""A grid-point atmosphere on a device: departure points, transported fields and tracers have the
bits of the processor.
"""

import json
from functools import cache
from pathlib import Path

import pytest

import carried
import computers

on_processor = cache(carried.carried)  # on one rank
precisions = ["fp64", "fp32"]


@pytest.mark.parametrize(
    "precision, name",
    [
        *(("fp64", name) for name in carried.cases),
        ("fp32", "moist"),
        *(
            pytest.param("fp32", name, marks=pytest.mark.long)
            for name in carried.cases
            if name != "moist"
        ),
    ],
)
def test_same_bits(name, precision):
    for blocks in (None, [10, 5]):
        found = carried.carried(name, precision, 3, device=computers.name, blocks=blocks)
        assert found["checksums"] == on_processor(name, precision, 3)["checksums"]
        assert not found["left"]


runs_of = {
    2: [(name, precisions[n % 2], 3, None) for n, name in enumerate(carried.cases)]
    + [("gust", precision, 1, None) for precision in precisions],
    3: [
        ("sectors", "fp64", 1, [80, 8]),
        ("deep sectors", "fp32", 1, [80, 8]),
        ("channel", "fp32", 3, [10, 4]),
        ("area", "fp64", 3, [8, 24]),
    ],
}


@pytest.mark.long
@pytest.mark.parametrize("ranks", [2, 3])
def test_several_ranks(on_ranks, ranks):
    """On two each has half of the rows, on three a third of each row."""
    runs = runs_of[ranks]
    found = on_ranks(ranks, Path(__file__).with_name("gridpoint_on_ranks.py"), json.dumps(runs))
    for (name, precision, steps, _), there in zip(runs, found, strict=True):
        here = on_processor(name, precision, steps)
        assert there["checksums"] == here["checksums"], (name, precision)
        assert there["received"] > 0 == here["received"] and not there["left"]
