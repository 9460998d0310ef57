"""The measurement of what profiling costs ends after its seconds, however long a step is. No time
is measured: the clock is advanced by the steps.
"""

from types import SimpleNamespace

import pytest

from fathom.performance.profile import run


@pytest.mark.parametrize("step", [0.0004, 0.15, 3.0, 60.0])
def test_bounded_in_seconds(step, monkeypatch):
    """By 20 s and one pair more; at least one pair is taken, at most `run.pairs`."""
    now = [0.0]

    def advance(steps):
        now[0] += steps * step

    monkeypatch.setattr(run.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(run.mpi.core, "profiling", lambda on: None)
    monkeypatch.setattr(run.regions, "begin", lambda comm: None)
    monkeypatch.setattr(run, "steps_of_a_cycle", lambda s: 1)
    comm = SimpleNamespace(bcast=lambda value: value, barrier=lambda: None)
    found = run.overhead(SimpleNamespace(comm=comm, advance=advance))
    assert 1 <= found["pairs"] <= run.pairs
    pair = 2 * found["steps"] * step
    assert now[0] <= step + 20.0 + pair
    assert found["share"] == pytest.approx(0.0, abs=1e-9)
