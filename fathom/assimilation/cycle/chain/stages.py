"""The stages of a chain: each leaves its files and then its record, so a stopped chain goes on with
the first stage without a record. A record has the seconds of the stage, and where they went:

    wall, processor (mean and most of a rank), travelling (messages), waiting (for other ranks)
    regions: the parts that took longest, of all runs and minimisations in the stage
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fathom.base import mpi, regions, writing

longest = 12  # regions of a record


class Stages:
    """The stages of one window, or of the nature run, with their records in its folder."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self.folder, self.threads = folder, threads
        self.records: dict[str, dict[str, Any]] = {}
        if mpi.is_root:
            folder.mkdir(parents=True, exist_ok=True)
        mpi.world.barrier()  # the folder is there

    def done(self, name: str) -> bool:
        """Returns whether a stage has its record; all ranks see the same."""
        there = self._path(name).exists() if mpi.is_root else False
        return bool(mpi.world.bcast(there))

    def run(self, name: str, work: Callable[[], dict[str, Any] | None]) -> dict[str, Any]:
        """Returns the record of a stage; its work is done if it has none. All ranks call it."""
        if not self.done(name):
            record = self._measured(work)
            if mpi.is_root:
                writing.replace(self._path(name), json.dumps(record, default=float))
            mpi.world.barrier()  # it is there for all
        text = self._path(name).read_text() if mpi.is_root else ""
        self.records[name] = json.loads(mpi.world.bcast(text))
        return self.records[name]

    def _path(self, name: str) -> Path:
        return self.folder / f"stage-{name}.json"

    def _measured(self, work: Callable[[], dict[str, Any] | None]) -> dict[str, Any]:
        """Returns what the work tells, and the time that it took on all ranks."""
        mpi.world.barrier()  # its time begins for all at once
        began, spent = time.perf_counter(), time.process_time()
        with regions.Account(mpi.world) as account:
            told = work() or {}
            own = time.process_time() - spent
            mpi.world.barrier()  # all have ended
            wall = time.perf_counter() - began
        profile = account.gathered()
        ranks = profile["ranks"]
        cpu = mpi.world.allgather(own)
        return {
            "seconds": {
                "wall": wall,
                "processor": sum(cpu) / len(cpu),
                "processor_most": max(cpu),
                "travelling": sum(ranks["travelling"]) / len(cpu),
                "waiting": sum(ranks["waiting"]) / len(cpu),
            },
            "ranks": len(cpu),
            "threads": self.threads,
            "regions": regions.exclusive(profile["regions"])[:longest],
            **told,
        }
