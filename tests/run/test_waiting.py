"""Ranks that wait on a crowded core sleep, and leave it to those who work."""

import ctypes
import os
import resource
import subprocess
import sys

import pytest

from fathom.run.launch import ranks_environment, sleeping_ranks

pytestmark = pytest.mark.skipif(not sleeping_ranks(crowded=False), reason="no such library here")


def sleeps_of_yields():
    """Sleeps of 2000 yields of a process that has one core, as the kernel counts them."""
    library = ctypes.CDLL(os.environ["LD_PRELOAD"].split(":")[0])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    for _ in range(2000):
        library.sched_yield()
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before


def test_a_rank_sleeps_where_another_program_has_its_core():
    mine = os.sched_getaffinity(0)
    core = max(mine)
    busy = [sys.executable, "-c", f"import os; os.sched_setaffinity(0, [{core}])\nwhile 1: pass"]
    other = subprocess.Popen(busy)
    try:
        os.sched_setaffinity(0, [core])
        assert sleeps_of_yields() > 50
    finally:
        os.sched_setaffinity(0, mine)
        other.kill()
        other.wait()


def test_ranks_have_it_first(on_ranks, tmp_path):
    script = tmp_path / "maps.py"
    script.write_text(
        "import json\n"
        "from fathom.base import mpi\n"
        "maps = open('/proc/self/maps').read()\n"
        "here = mpi.world.allgather('_waiting.so' in maps)\n"
        "mpi.world.rank == 0 and print(json.dumps(here))\n"
    )
    assert on_ranks(2, script) == [True, True]


def test_what_was_loaded_first_stays(monkeypatch):
    own = sleeping_ranks(crowded=True)["LD_PRELOAD"].split(":")[0]
    monkeypatch.setenv("LD_PRELOAD", "libother.so")
    assert ranks_environment(2, 1)["LD_PRELOAD"] == f"{own}:libother.so"
    monkeypatch.setenv("LD_PRELOAD", f"{own}:libother.so")
    assert ranks_environment(2, 1)["LD_PRELOAD"] == f"{own}:libother.so"
