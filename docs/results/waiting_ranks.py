"""A sum over ranks on a crowded machine: the waiting ranks yield, or sleep (core/parallel/waiting).

    python docs/results/waiting_ranks.py

Microseconds of MPI_Allreduce of one number over 2, 3 and 4 ranks, with and without as many other
busy processes as there are cores.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack

from fathom.run.launch import cores, mpiexec, sleeping_ranks

SUMS = """
import time
import numpy as np
from mpi4py import MPI
one, all = np.ones(1), np.zeros(1)
MPI.COMM_WORLD.Barrier()
start = time.perf_counter()
for n in range(2000):
    MPI.COMM_WORLD.Allreduce(one, all)
if not MPI.COMM_WORLD.rank:
    print((time.perf_counter() - start) / 2000 * 1e6)
"""


def microseconds(ranks: int, sleep: bool) -> float:
    """Returns the time of a sum over ranks [µs]."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("LD_PRELOAD", "FATHOM_SLEEP")
    }
    done = subprocess.run(
        [mpiexec(), "-n", str(ranks), sys.executable, "-c", SUMS],
        env=environment | (sleeping_ranks(ranks > cores()) if sleep else {}),
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def main() -> None:
    """Prints a row for each number of other processes and of ranks."""
    print("busy processes | ranks | yields [µs] | sleeps [µs]")
    for others in (0, cores()):
        with ExitStack() as stack:
            for _ in range(others):
                busy = subprocess.Popen([sys.executable, "-c", "while 1: pass"])
                stack.callback(busy.wait)
                stack.callback(busy.kill)
            for ranks in (2, 3, 4):
                times = [microseconds(ranks, sleep) for sleep in (False, True)]
                print(f"{others} | {ranks} | {times[0]:.3g} | {times[1]:.3g}")


if __name__ == "__main__":
    main()
