"""The alarm of a history: a slower program rings, a slower machine does not, and nothing that
became slower is called faster.
"""

import copy
import json

import pytest

from fathom.performance import history
from fathom.performance.bench import recorded

names = ("advection", "mixing", "solver")


def profile(slower=1.0, machine=1.0, of=names):
    """A run of three regions; the machine takes longer for all, and for its own limits."""
    return {
        "case": "ocean",
        "machine": "m",
        "samples": {
            name: [(slower if name in of else 1.0) * machine * (1 + 0.01 * n) for n in range(8)]
            for name in names
        },
        "speeds": {"multiply-adds": 1e9 / machine, "memory": 1e10 / machine},
    }


@pytest.fixture
def kept(tmp_path):
    for n in range(3):
        assert history.record(tmp_path, profile(1 + 0.01 * n)).status == 0
    return tmp_path


def test_slower_program_rings_until_it_is_mended(kept):
    found = history.record(kept, profile(1.45))
    assert found.status == 1 and "SLOWER" in found.lines[1] and "+44 %" in found.lines[1]
    assert history.record(kept, profile(1.45)).slower  # what rang is no record
    assert not history.record(kept, profile(1.0)).slower
    file = history.file_of(kept, profile())
    alarms = [json.loads(line)["alarm"] for line in file.read_text().splitlines()]
    assert alarms == [False] * 3 + [True, True, False]


def test_slower_machine_does_not_ring(kept):
    found = history.record(kept, profile(machine=1.45))
    assert (
        found.status == 0 and "the machine is slower: its own limits by up to 45 %" in found.lines
    )
    found = history.record(kept, profile(1.45, machine=1.45))
    assert found.status == 1 and "beyond what the machine explains" in " ".join(found.lines)


def test_slower_regions_are_not_called_faster():
    """All become 45 % slower, one 21 %: it lags behind, it is not faster."""
    before, now = profile(), profile(1.45)
    now["samples"]["mixing"] = [1.21 * x for x in before["samples"]["mixing"]]
    assert not [r for r in history.compared(before, now) if r["verdict"] == "faster"]
    back = [r["verdict"] for r in history.compared(now, copy.deepcopy(before))]
    assert "slower" not in back


def test_bench_ends_with_the_status_of_the_alarm(tmp_path):
    def told(seconds):
        figures = {"case": {"truncation": 42}, "machine": "m"}
        figures["phases"] = {"inverse": 1e3 * seconds, "direct": 1e3 * seconds}
        return recorded.told("transform", lambda *_: 0, figures, None, tmp_path)

    assert [told(1.0), told(1.01), told(100.0)] == [0, 0, 1]


def test_processor_time_counts_where_it_is_known(tmp_path):
    """The wall takes thrice as long beside other programs, processors do not."""
    for wall, processor, status in ((1, 1.0, 0), (3, 1.02, 0), (3, 1.45, 1)):
        entry = profile(wall) | {"processor_seconds_per_step": processor}
        assert history.record(tmp_path, entry).status == status
