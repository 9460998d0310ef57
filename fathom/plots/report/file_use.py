"""The use of files by a run: bytes, calls, openings and seconds of each."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fathom.base import system_calls


class FileUse:
    """Counts openings of files in its body: those by Python, not those in the NetCDF library."""

    def __init__(self, simulation: Any) -> None:
        self.simulation, self.body = simulation, ExitStack()

    def __enter__(self) -> FileUse:
        self.opened = self.body.enter_context(system_calls.openings())
        return self

    def __exit__(self, *_: Any) -> None:
        self.body.close()

    def by_file(self) -> dict[str, dict[str, Any]]:
        """Returns, of each store and restart: bytes and calls that wrote, openings, closings, of
        all ranks; seconds of the slowest rank; all ranks together, rank 0 gets them.
        """
        s = self.simulation
        mine: dict[str, dict[str, Any]] = {}
        held = [
            str((s.directory / stream.path).absolute()) for stream in (*s.outputs, *s.checkpoints)
        ]
        still = _still_open()
        for stream, place in zip((*s.outputs, *s.checkpoints), held):
            place = place.split("{")[0]  # of the date in a restart's name
            counts = stream.writes.values()
            opened = sum(count for path, count in self.opened.items() if path.startswith(place))
            mine[str(stream.path)] = {
                "calls": sum(calls for calls, _ in counts),
                "bytes": sum(size for _, size in counts),
                "opened": opened,
                "closed": opened - sum(path.startswith(place) for path in still),
                "seconds": float(sum(stream.stalls)),
            }
        gathered = s.comm.gather(mine)
        return {} if gathered is None else {path: _of_all(gathered, path) for path in mine}


def _of_all(ranks: list[dict[str, dict[str, Any]]], path: str) -> dict[str, Any]:
    """Returns sums over ranks, and the seconds of the slowest."""
    found = [rank[path] for rank in ranks]
    counts = {what: sum(r[what] for r in found) for what in ("calls", "bytes", "opened", "closed")}
    return counts | {"seconds": max(r["seconds"] for r in found)}


def _still_open() -> list[str]:
    folder = Path("/proc/self/fd")
    found = []
    for entry in folder.iterdir() if folder.exists() else ():
        try:
            found.append(os.readlink(entry))
        except OSError:  # closed meanwhile
            continue
    return found
