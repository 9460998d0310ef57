"""An area that is larger than the memory here: what it needs, from smaller ones of the same file.

The memory of the fields is in proportion to the points of the whole area, with all zones; rows that
are filled up to whole vectors make it a few per cent more or less. Areas of `sides` points, which
are prepared one after another on one rank, give the least and the most bytes of a point.
"""

from __future__ import annotations

from typing import Any

from fathom.base import machine
from fathom.base.failure import RoomError
from fathom.grids.arguments import start_bytes
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document
from fathom.run.progress import duration
from fathom.run.show import date_text, describe
from fathom.run.tree import Entry, bytes_text

sides = (48, 96, 128)  # points of the smaller areas
measured = 64  # of the one whose steps are measured
of_small = ("sequence", "events", "surface")  # entries of a small area that hold for the large one


def can_estimate(document: Document) -> bool:
    """Returns whether the file describes an area, larger than the smaller ones."""
    grid = document.section("grid")
    points: Any = grid.get("points")
    area = grid.get("type") == "LimitedAreaGrid" and isinstance(points, list)
    return bool(area and all(type(n) is int and n > max(sides) for n in points))


def smaller(document: Document) -> Document | None:
    """Returns the document of a smaller area, where the start of this one has no room here."""
    if not can_estimate(document):
        return None
    if start_bytes * Experiment(document).grid.wet_cells <= machine.free_memory():
        return None
    return _of(document, measured)


def _of(document: Document, side: int) -> Document:
    return document.changed([f"grid.points=[{side},{side}]", 'model.outer="initial"'])


def bytes_of_point(document: Document) -> tuple[float, float, Any]:
    """Returns the least and the most bytes of the fields for a point; the largest of the small
    areas, prepared.
    """
    found = []
    for side in sides:
        small = Experiment(_of(document, side)).simulation().prepare()
        width, length = small.model.grid.size
        found.append(small.sequence.bytes_allocated / (width * length))
    return min(found), max(found), small


def estimate(document: Document, error: RoomError) -> tuple[str, list[Entry]]:
    """Returns what `describe` returns, of an area that has no room here. The error itself where
    that is not known of such a grid.
    """
    if not can_estimate(document):
        raise error
    *each, small = bytes_of_point(document)
    experiment = Experiment(document)
    grid, step, run = experiment.grid, small.time_step, experiment.period.seconds
    entries = dict(describe(small)[1])
    free, start = machine.free_memory(), start_bytes * grid.wet_cells
    low, high = (one * grid.size[0] * grid.size[1] for one in each)
    squares = ", ".join(f"{side}×{side}" for side in sides)
    memory = [
        f"{bytes_text(low)} to {bytes_text(high)} of fields, by areas of {squares} points",
        f"{bytes_text(start)} on each machine while the start is made",
        f"{bytes_text(free)} are left here",
    ]
    told: list[Entry] = [
        ("no room", str(error)),
        ("grid", [f"{grid!r}, halo {small.model.halo}", *grid.describe().values()]),
        ("memory", memory),
        ("step", f"{step:g} s, {run / step:.0f} in {duration(run)}"),
        *((name, entries[name]) for name in of_small if name in entries),
        ("cost", f"fathom scale {document.name}: by steps of {measured}×{measured} points"),
    ]
    return f"{date_text(small)}, estimated", told
