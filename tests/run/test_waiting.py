"""Ranks that wait on a crowded core sleep, and leave it to those who work."""

import ctypes
import os
import resource
import subprocess
import sys
import time

import pytest

from fathom.run.launch import busy, ranks_environment, sleeping_ranks

pytestmark = pytest.mark.skipif(not sleeping_ranks(crowded=False), reason="no such library here")


def sleeps_of_yields():
    """Sleeps of the yields of half a second of a process that has one core, as the kernel counts
    them: a turn of the other program takes milliseconds.
    """
    library = ctypes.CDLL(os.environ["LD_PRELOAD"].split(":")[0])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
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


def test_sums_in_a_node_yield_where_it_is_crowded(monkeypatch):
    """Algorithms of MPICH with flags in shared memory spin; one that a user names stays."""
    monkeypatch.setenv("MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM", "release_gather")
    monkeypatch.delenv("MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM", raising=False)
    found = ranks_environment(100 * (os.cpu_count() or 1), 1)
    assert found["MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM"] == "mpir"
    assert found["MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM"] == "release_gather"
    assert not any(name.startswith("MPIR") for name in sleeping_ranks(crowded=False))
    assert busy(100 * (os.cpu_count() or 1))
