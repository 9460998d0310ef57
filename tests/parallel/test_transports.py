"""The catalogue of exchanges: the same halos from each."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fathom.base.mpi import core
from fathom.run.launch import mpiexec

script = Path(__file__).with_name("transports_on_ranks.py")


@pytest.mark.parametrize(
    "ranks",
    [
        1,
        pytest.param(2, marks=pytest.mark.long),
        3,
        pytest.param(4, marks=pytest.mark.long),
        pytest.param(7, marks=pytest.mark.long),
    ],
)
def test_every_transport(on_ranks, ranks):
    assert (on_ranks(ranks, script) > 0) == (ranks > 1)


def test_unknown():
    from mpi4py import MPI

    d = core.decompose(core.Topology(4, 4), [1] * 16, 1)
    with pytest.raises(ValueError, match="unknown exchange 'put-flag'; did you mean 'put-flags'"):
        core.Exchange(
            MPI.COMM_SELF.py2f(), d, 1, 8, [("center", False, 1, 1)], transport="put-flag"
        )


def test_a_killed_rank_leaves_no_memory_and_ends_all_others():
    """The file that a node maps has no name, so nothing can be left of it."""
    command = [mpiexec(), "-n", "2", sys.executable, str(script.with_name("mapped_on_ranks.py"))]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        try:
            said = [running.stdout.readline().split(maxsplit=2) for _ in range(2)]
            assert all(maps.strip() == "['/memfd:fathom (deleted)']" for _, _, maps in said), said
            of_rank = {int(rank): int(process) for process, rank, _ in said}
            os.kill(of_rank[1], signal.SIGKILL)
            assert running.wait(timeout=60) != 0
        finally:
            running.kill()
    assert not any(Path(f"/proc/{process}").exists() for process in of_rank.values())
