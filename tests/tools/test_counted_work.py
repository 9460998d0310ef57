"""The counts of a step of each model have not grown beyond the record, and a growth is an error."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import counted_work

few = ("double gyre", "spectral, dry", "grid point, plane")  # others take a minute


@pytest.mark.parametrize(
    "case",
    [*few, *(pytest.param(c, marks=pytest.mark.long) for c in counted_work.cases if c not in few)],
)
def test_no_count_of_a_step_grew(case):
    """Where this is meant, `python tools/counted_work.py --record` belongs to the same commit."""
    vector = counted_work.numbers_of_a_vector()
    was = counted_work.on_record(counted_work.file.read_text(), vector)[case]
    now = counted_work.counted(case)
    assert now["operations"] > 1e5 and now["bytes"] > 1e6 and now["messages"] > 0
    assert not counted_work.grown(was, now)


def test_the_trend_has_each_record_that_changed():
    first, later = {"bytes": 100.0, "launches": 4.0}, {"bytes": 103.0, "launches": 4.0}
    records = [
        ("day 1", {"a": first}),
        ("day 2", {"a": first}),
        ("day 3", {"a": later, "b": first}),
    ]
    assert counted_work.trend(records) == [
        "a",
        "  day 1  100 bytes, 4 launches",
        "  day 3  103 bytes (+3.0 %), 4 launches",
        "b",
        "  day 3  100 bytes, 4 launches",
    ]


def test_the_alarm_rings_above_three_percent():
    was = {"operations": 1000.0, "messages": 10.0}
    assert not counted_work.grown(was, {"operations": 1029.0, "messages": 10.0})
    assert not counted_work.grown(was, {"operations": 500.0, "messages": 0.0})
    assert counted_work.grown(was, {"operations": 1031.0, "messages": 11.0}) == [
        "operations: 1000 on record, 1031 now, +3.1 %",
        "messages: 10 on record, 11 now, +10.0 %",
    ]
    assert counted_work.grown(was, {"operations": 1000.0, "memory": 5.0})  # nobody recorded it
