"""Rates against limits: one clock for both, no time that cannot be, other load noticed and said."""

import json
import subprocess
import sys
import time

import pytest

import box
from fathom.base import mpi
from fathom.performance import history, load, roofline
from fathom.performance.bench import recorded

limits = roofline.Limits(
    1e9, (("second cache", 1e6, 8e9), ("last cache", 1e7, 4e9), ("memory", float("inf"), 1e9))
)


def test_a_time_that_cannot_be_has_no_rate():
    for seconds in (0.0, -1e-3, 1e-4):  # 1e9 operations take a second at the limit
        found = limits.against(seconds, 1e9, 0.0)
        assert (found["limit"], found["fraction"], found["gflops"]) == ("not measured", 0.0, 0.0)
    found = limits.against(2.0, 1e9, 0.0)
    assert found["limit"] == "multiply-adds" and found["fraction"] == pytest.approx(0.5)


def test_bytes_that_come_faster_lay_nearer():
    """2e7 bytes belong in memory, 20 ms; in 8 ms they came from the last cache, 5 ms of it."""
    assert limits.against(40e-3, 0.0, 2e7)["limit"] == "memory"
    found = limits.against(8e-3, 0.0, 2e7)
    assert found["limit"] == "last cache" and found["fraction"] == pytest.approx(5 / 8)
    assert limits.against(1e-3, 0.0, 2e7)["limit"] == "not measured"


def test_processor_clock_is_put_back():
    with roofline.one_clock(1, 1) as now:
        assert now is time.process_time
        assert mpi.core.by_processor_clock(True)
    assert not mpi.core.by_processor_clock(False)
    with roofline.one_clock(2, 1) as now:
        assert now is time.perf_counter


def reading(wall, busy, own):
    return load.Reading(wall, busy, own, 0)


def test_load_of_others():
    """In ten seconds the cores worked 12 s, this run 9 s of them: others took 0.3 cores."""
    found = load.between(reading(0, 100.0, 1), reading(10, 112.0, 10))
    assert found["others"] == pytest.approx(0.3) and found["busy"]
    assert "0.3 of" in load.said(found)[0]
    quiet = load.between(reading(0, 100.0, 1), reading(10, 110.0, 10.5))
    assert not quiet["busy"] and load.said(quiet) == []
    unknown = load.between(reading(0, None, 1), reading(10, None, 10))
    assert unknown["others"] is None and not unknown["busy"]


@pytest.mark.long
def test_busy_loops_beside(tmp_path):
    """Three loops take most of the machine: no kernel passes its limit, and the load is said, in
    the table, in the JSON, in the history."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        words = "bench kernels --truncation 21 --levels 8 --repetitions 2 --json k --record h"
        status, out, err = box.fathom(*words.split(), folder=tmp_path)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    assert (status, err) == (0, "") and "The machine was busy" in out
    figures = json.loads((tmp_path / "k").read_text())
    assert figures["load"]["busy"] and figures["clock"] == "processor"
    assert all(0 <= k["fraction"] <= 1 for k in figures["kernels"])
    (line,) = next((tmp_path / "h").iterdir()).read_text().splitlines()
    assert json.loads(line)["load"]["busy"]


def test_history_of_a_bench_has_the_load():
    case = {"truncation": 42}
    figures = {"case": case, "machine": "m", "phases": {"inverse": 1.0, "direct": 1.0}}
    assert recorded.profile("transform", figures | {"load": {"busy": True}})["load"]["busy"]
    assert "load" in history.kept
