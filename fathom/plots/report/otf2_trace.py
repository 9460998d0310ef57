"""A trace in the Open Trace Format 2 (Score-P; read by Vampir, Cube, Traveler): regions of each
rank, entered and left, waiting and communication in a second location.

The wheel `otf2` of the Score-P developers writes it, where it is installed.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError

resolution = 1_000_000_000  # ticks of a second


def library() -> Any:
    """Returns the module otf2. InputError: it is not installed."""
    try:
        import otf2
    except ImportError:
        raise InputError(
            "a trace .otf2 needs the package otf2 of Score-P (pip install otf2), which is not"
            " installed; .json and .json.gz need no package"
        ) from None
    return otf2


def write(folder: Path, traces: Sequence[dict[str, Any]]) -> None:
    """Writes an archive: `folder` with traces.otf2 in it; one that is there is replaced."""
    otf2 = library()
    start = min(
        (float(t[key].min()) for t in traces for key in ("begin", "blocked") if len(t[key])),
        default=0.0,
    )
    if folder.is_dir() and (folder / "traces.otf2").exists():
        shutil.rmtree(folder)
    with otf2.writer.open(str(folder), timer_resolution=resolution) as archive:
        region = _Regions(otf2, archive)
        node = archive.definitions.system_tree_node("node")
        for rank, trace in enumerate(traces):
            group = archive.definitions.location_group(f"rank {rank}", system_tree_parent=node)
            for name, kept in _lanes(trace, region).items():
                writer = archive.event_writer_from_location(
                    archive.definitions.location(name, group=group)
                )
                ticks = [
                    (round((b - start) * resolution), round((e - start) * resolution), r)
                    for b, e, r in kept
                ]
                _nest(writer, sorted(ticks, key=lambda bar: (bar[0], -bar[1])))


class _Regions:
    """The regions of an archive, each defined when it is first met."""

    def __init__(self, otf2: Any, archive: Any) -> None:
        self.otf2, self.archive = otf2, archive
        self.made: dict[tuple[str, str], Any] = {}
        self.roles = {
            "sum": otf2.RegionRole.COLL_ALL2ALL,
            "exchange": otf2.RegionRole.POINT2POINT,
            "output": otf2.RegionRole.FILE_IO,
            "waiting": otf2.RegionRole.BARRIER,
        }

    def __call__(self, name: str, kind: str) -> Any:
        paradigms, of_mpi = self.otf2.Paradigm, kind in ("sum", "exchange", "waiting")
        if (name, kind) not in self.made:
            self.made[name, kind] = self.archive.definitions.region(
                name,
                source_file=kind,
                region_role=self.roles.get(kind, self.otf2.RegionRole.FUNCTION),
                paradigm=paradigms.MPI if of_mpi else paradigms.USER,
            )
        return self.made[name, kind]


def _lanes(trace: dict[str, Any], region: _Regions) -> dict[str, list[tuple[float, float, Any]]]:
    """Returns bars (begin, end, region) of a rank: regions, and what it waited for."""
    named = [region(r["path"][-1], r["kind"] or r["phase"]) for r in trace["regions"]]
    bars = [(b, e, named[n]) for n, b, e in zip(trace["region"], trace["begin"], trace["end"])]
    met = [
        (b, b + w, region("waiting", "waiting"))
        for b, w in zip(trace["blocked"], trace["waiting"])
        if w > 0
    ]
    met += [
        (b + w, e, region("communication", "exchange"))
        for b, w, e in zip(trace["blocked"], trace["waiting"], trace["free"])
    ]
    return {"regions": bars, "waiting and communication": met}


def _nest(writer: Any, bars: list[tuple[int, int, Any]]) -> None:
    """Writes begins and ends of bars, in order; of two clocks one may end a tick late."""
    open_: list[tuple[int, Any]] = []
    for begin, end, what in bars:
        while open_ and open_[-1][0] <= begin:
            writer.leave(*open_.pop())
        writer.enter(begin, what)
        open_.append((min(end, open_[-1][0]) if open_ else end, what))
    while open_:
        writer.leave(*open_.pop())
