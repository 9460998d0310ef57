"""Run under mpiexec on two ranks: artificial imbalance and noise, and the result of the profile.
Rank 0 prints both as JSON.
"""

import json
import tempfile
import time

import numpy as np

import cases
import fathom as fm
from fathom.base import mpi, regions

comm = mpi.world


def planted(steps=40, seconds=0.01):
    """Rank 1 works 20 % longer; in some steps something holds up rank 0."""
    came, worked = [], 0.0
    regions.begin(comm)
    for n in range(steps):
        began = time.perf_counter()
        with regions.region("work", "baroclinic", "process"):
            time.sleep(seconds * (1.2 if comm.rank == 1 else 1.0))
            if comm.rank == 0 and n % 10 == 7:
                time.sleep(3 * seconds)
        came.append(time.perf_counter())
        worked += came[-1] - began
        with regions.region("sum", "barotropic", "sum", comm):
            comm.allreduce(1.0)
    profile = regions.gathered(comm)
    all_came, all_worked = np.array(comm.allgather(came)), comm.allgather(worked)
    waited = (all_came.max(axis=0) - all_came).sum(axis=1)
    return {"waited": waited.tolist(), "worked": all_worked, "found": profile}


def ocean(steps=30, seconds=0.01):
    """A model that runs, rank 1 held up after each step: rank 0 waits in the first exchange of the
    next.
    """
    came = []

    def hold_up(simulation):
        if simulation.comm.rank == 1:
            time.sleep(seconds)
        came.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder:
        folder = comm.bcast(folder)
        s = fm.Simulation(
            cases.stirred(cases.box()),
            time_step="1800s",
            surface=cases.wind(),
            directory=folder,
            overwrite=True,
            parallel={"automatic": False, "tile": 16},
        )
        s.call(hold_up, "1800s")
        summary = s.run(f"{1800 * steps}s", report=False)
        comm.barrier()
    late = np.diff(np.array(comm.allgather(came)), axis=0)[0]
    return {
        "late": float(late[late > 0].sum()),
        "wall": summary["wall_seconds"],
        "found": s.profile,
    }


offset = mpi.core.clock_offset(comm.py2f(), apart=True, ahead=5.0 * comm.rank)
found = {"planted": planted(), "ocean": ocean(), "offsets": comm.allgather(offset)}
if comm.rank == 0:
    print(json.dumps(found))
