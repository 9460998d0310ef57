"""Numbers that describe fields on a device have the bits that they have without, and little
travels for them.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import cases
import computers
import fathom as fm
from computers import computer

SCRIPT = Path(__file__).with_name("watch_on_ranks.py")


@pytest.fixture(scope="module")
def alone(on_ranks):
    return on_ranks(1, SCRIPT, json.dumps(None))


@pytest.mark.parametrize(
    "ranks, blocks", [(1, [7, 6]), pytest.param(2, None, marks=pytest.mark.long)]
)
def test_the_same_numbers(on_ranks, alone, ranks, blocks):
    found = on_ranks(ranks, SCRIPT, json.dumps(computers.name), json.dumps(blocks))
    assert found == alone


@pytest.mark.parametrize("precision", ["fp64", "fp32"])
def test_few_bytes_travel(precision):
    model = cases.stirred(cases.box(precision=precision))
    s = fm.Simulation(model, "1h", parallel={"device": computers.name})
    s.advance(2)
    watch = lambda: (
        s.fields.motion(s.time_step),
        s.fields.extremes("temperature"),
        s.fields.content("salinity"),
        s.fields.volume(),
        s.fields.checksum(["temperature", "velocity_x"]),
    )
    first = watch()
    before = computer().travelled
    assert watch() == first
    assert computer().travelled - before < 1000


@pytest.mark.parametrize("wrong", [np.nan, -np.nan, np.inf, -np.inf])
def test_what_is_not_finite(wrong):
    found = []
    for parallel in ({}, {"device": computers.name}):
        model = cases.stirred(cases.box())
        s = fm.Simulation(model, "1h", parallel=parallel).prepare()
        (values,) = s.fields.windows("temperature")
        values[2, 20, 30] = wrong
        s.fields.put("temperature", 0, np.ascontiguousarray(values, float))
        found.append([s.fields.extremes("temperature"), s.fields.content("temperature")])
    assert not found[0][0]["finite"]
    np.testing.assert_equal(*found)
