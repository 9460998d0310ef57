"""Departures inside a run: half-open slots, known values, the same bits on any ranks."""

from pathlib import Path


def test_departures_in_a_run(on_ranks):
    script = Path(__file__).with_name("departures_in_a_run.py")
    one, two = (on_ranks(n, script) for n in (1, 2))
    assert one["exactly"] and sum(one["counts"]) == one["inside"] > 150 and len(one["counts"]) == 3
    # in the first hour; eight layers, cells of 5.6 degrees, and waves that begin
    assert one["error"]["T"] < 1.5 and one["error"]["u"] < 2.5 and one["error"]["p"] < 0.05
    assert one["digest"] == two["digest"]
