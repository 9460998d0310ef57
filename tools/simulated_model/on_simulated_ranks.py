"""The program of each simulated rank: the experiment of a file, some steps, a checksum of its
state."""

import json
import sys
import time

began = time.perf_counter()


class _Mpi(type(sys)):
    """fathom.base.mpi, where the root depends on the calling rank."""

    @property
    def is_root(self):
        return self.world.rank == 0


def act(arguments):
    from fathom.base import mpi

    getattr(mpi, "core")  # noqa: B009  loaded by the first rank
    vars(mpi).pop("is_root", None)
    mpi.__class__ = _Mpi
    from pathlib import Path

    from fathom.run.experiment.experiment import Experiment
    from fathom.run.experiment.toml import Document

    file, steps, *settings = arguments
    document = Document.read(Path(file), settings)
    document.tables.pop("output", None)
    rank, ranks = mpi.world.rank, mpi.world.size
    document.tables["parallel"] = {
        **document.tables.get("parallel", {}),
        "automatic": False,
        "tile": "cache",
    }
    mpi.core.profiling(False)
    simulation = Experiment(document).simulation(Path("/nowhere"), True).prepare()
    mpi.world.barrier()
    ready = time.perf_counter() - began
    simulation.advance(int(steps))
    checksum = simulation.checksum()
    if rank == 0:
        found = {
            "ranks": ranks,
            "steps": int(steps),
            "checksum": checksum,
            "blocks": simulation.domain.decomposition.describe()
            if hasattr(simulation.domain, "decomposition")
            else "",
            "seconds_to_prepare": round(ready, 1),
            "seconds": round(time.perf_counter() - began, 1),
        }
        print(json.dumps(found), flush=True)
