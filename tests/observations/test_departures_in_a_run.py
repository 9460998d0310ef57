"""Departures inside a run: half-open slots, known values, the same file on any ranks and over a
restart, the same values off line.
"""

from pathlib import Path

import pytest

from fathom.assimilation.observations.reasons import code

script = Path(__file__).with_name("departures_in_a_run.py")


def test_departures_in_a_run(on_ranks):
    one = on_ranks(1, script)
    assert one["exactly"] and one["inside"] > 150 and one["slots"] == [-1, 0, 1, 2]
    # errors of interpolation in the first hour: eight layers, cells of 5.6 degrees, growing waves
    assert one["error"]["T"] < 1.5 and one["error"]["u"] < 2.5 and one["error"]["p"] < 0.05
    below, above, mountain = (code[n] for n in (*("outside the levels",) * 2, "height"))
    assert one["reasons"] == [below, above, mountain] and one["lines"] == 5
    assert one["offline"]
    coldest, warmest, radiances = one["brightness"]
    assert 210 < coldest < warmest < 280 and radiances > 10
    apart, known = one["climate"]  # the mean of three hours, used for data of any time
    assert apart < 0.5 and known > 250
    assert on_ranks(2, script, "stop")["digest"] == one["digest"]


@pytest.mark.long
def test_departures_on_more_ranks(on_ranks):
    one = on_ranks(1, script)
    assert on_ranks(2, script) == one
    assert on_ranks(4, script, "stop")["digest"] == one["digest"]
