"""A rank that leaves, or that is told something else than the others, ends all ranks with words."""

import subprocess
import sys
from pathlib import Path

import pytest

from fathom.run import launch

expected = {
    "before": (1, "fathom: rank 1 has left, which this run needs; all ranks were ended"),
    "within": (1, "fathom: rank 1 left a run by sys.exit(0); all ranks were ended"),
    "together": (0, ""),
    "length": (1, "ranks are told different things: run = 1d on rank 0, 2d on rank 1"),
    "step": (1, "ranks are told different things: time_step = 1800.0 on rank 0, 3600.0 on rank 1"),
}


@pytest.mark.parametrize("case", expected)
def test_all_end(case):
    script = Path(__file__).with_name("leaving_on_ranks.py")
    command = [launch.mpiexec(), "-n", "2", sys.executable, str(script), case]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    status, words = expected[case]
    assert done.returncode == status and words in done.stderr, done.stderr
