"""The effect of the size of blocks and the length of tiles (NPROMA) on the time of a case. Each has
a separate simulation on the same ranks; their steps alternate with those of the usual one.

ratio = median over turns of  seconds of a step / seconds of the usual next to it,
    error = 1.25 sigma / sqrt(turns)
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom import plots
from fathom.base import machine, mpi
from fathom.base.failure import InputError
from fathom.performance.bench.blocks import size_of
from fathom.performance.pairs import middle
from fathom.performance.tune.search import RejectedError
from fathom.performance.tune.trials import Trials

Size = tuple[int, int]


def lengths(text: str | None, nx: int) -> list[int]:
    """Returns columns of tiles: "16,64,-2046", or powers of two up to a row."""
    if text is None:
        return [n for n in (4, 8, 16, 32, 64, 128, 256, 512, 1024) if n < 2 * nx]
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch("[0-9]+|-[0-9]+", part) and int(part) not in (0, -1) for part in parts):
        raise InputError(
            f"bench blocking: tile = '{text}': must be numbers of columns, as in 16,64,256;"
            " -2046: so many, whatever the rows"
        )
    return sorted({int(part) for part in parts}, key=lambda n: (n < 0, abs(n)))


def sizes(text: str | None, nx: int, ny: int, ranks: int, halo: int) -> list[Size]:
    """Returns blocks: "36x24,18x12", or the grid cut in halves again and again, each time along the
    side that is longer, down to four times the halo.
    """
    if text is not None:
        return [size_of(part.strip()) for part in text.split(",")]
    found, width, height = [], nx, ny
    while min(width, height) > 4 * halo and (nx // width) * (ny // height) < 4000:
        if math.ceil(nx / width) * math.ceil(ny / height) >= ranks:
            found.append((width, height))
        width, height = (
            (math.ceil(width / 2), height)
            if width >= 2 * height
            else (width, math.ceil(height / 2))
        )
    return found


@dataclass
class Candidate:
    """A length of tiles or a size of blocks. ratios: of its seconds to those of the usual next to
    it; refused: why it is impossible; given: lengths of tiles that lead to this one.
    """

    what: str
    size: int | list[int]
    configuration: dict[str, Any]
    ratios: list[float] = field(default_factory=list)
    refused: str = ""
    given: list[int] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """Returns the result, as plain data."""
        found = {
            "what": self.what,
            "size": self.size,
            "given": self.given,
            "refused": self.refused,
        }
        if not self.ratios:
            return found
        ratio, error = middle(self.ratios)
        return found | {"ratio": ratio, "error": error, "turns": len(self.ratios)}


def at_once(groups: Sequence[dict[str, Any]]) -> int:
    """Returns columns that the groups of a sequence really compute at once, the most of them."""
    return max((group["tile"] for group in groups), default=0)


def vector_and_row(simulation: Any) -> tuple[int, int]:
    """Returns columns of a vector, of a simulation with tiles of one, and of the longest row of its
    blocks with its halo, in whole vectors.
    """
    vector, blocks = at_once(simulation.sequence.groups), simulation.domain.decomposition.blocks
    mine = blocks[blocks[:, 5] == simulation.comm.rank]
    row = int(mine[:, 3].max()) + 2 * simulation.model.halo
    return vector, -(-row // vector) * vector


def by_what_is_computed(given: Sequence[int], vector: int, row: int) -> list[Candidate]:
    """Returns tiles by the columns that they compute at once, each once: whole vectors of a row,
    whole rows that join, or (negative) whole vectors of joined rows. Other lengths are the same
    code.
    """
    found: dict[int, Candidate] = {}
    for length in given:
        if length < 0:
            computed = -max(-length // vector, 1) * vector
        elif length >= 2 * row:
            computed = length // row * row
        else:
            computed = max(min(length, row) // vector, 1) * vector
        new = Candidate("tile", computed, {"tile": computed})
        found.setdefault(computed, new).given.append(length)
    return list(found.values())


def candidates(
    trials: Trials, model: Any, usual: dict[str, Any], tiles: str | None, blocks: str | None
) -> list[Candidate]:
    """Returns all lengths of tiles; and sizes of blocks where the grid is cut into such."""
    _, ny, nx = model.grid.shape
    vector, row = vector_and_row(trials.simulation({"tile": 1}))
    found = by_what_is_computed(lengths(tiles, nx), vector, row)
    if model.grid.distribution(mpi.world.size) != "auto":
        return found
    for size in sizes(blocks, nx, ny, mpi.world.size, model.halo):
        cut = usual | {"decomposition": ["space-filling", list(size)]}
        found.append(Candidate("block", list(size), cut))
    return found


def _side_by_side(
    trials: Trials, usual: dict[str, Any], other: dict[str, Any], usual_first: bool
) -> tuple[float, float]:
    """Returns seconds of a step of the usual and of another."""
    trials.keep = [usual, other]
    if usual_first:
        before = trials.measure(usual)
        return before, trials.measure(other)
    seconds = trials.measure(other)
    return trials.measure(usual), seconds


def _one_turn(
    trials: Trials, usual: dict[str, Any], wanted: list[Candidate], turn: int, line: Any
) -> list[float]:
    """Measures each candidate once, in the order of the turn; seconds of the usual next to them."""
    beside = []
    backward = turn % 2 == 0
    for candidate in reversed(wanted) if backward else wanted:
        if candidate.refused:
            continue
        if line is not None:
            line.redraw(f"turn {turn + 1}: {candidate.what} {candidate.size}")
        try:
            one, other = _side_by_side(trials, usual, candidate.configuration, not backward)
        except RejectedError as why:
            candidate.refused = str(why)
            continue
        beside.append(one)
        candidate.ratios.append(other / one)
    return beside


def measure(
    read: Any, seconds: float, tiles: str | None, blocks: str | None, line: Any = None
) -> dict[str, Any]:
    """Returns all ranks together; plain data. read(settings) -> Document of the case."""
    with Trials(read, mpi.world, sample=min(0.05, seconds / 500)) as trials:
        began, usual = trials.clock(), {"tile": "cache"}
        simulation = trials.simulation(usual)
        model = simulation.model
        wanted = candidates(trials, model, usual, tiles, blocks)
        beside: list[float] = []
        turn, spent = 0, 0.0
        while turn < 3 or (trials.clock() - began + spent < seconds and turn < 40):
            start = trials.clock()
            beside += _one_turn(trials, usual, wanted, turn, line)
            turn, spent = turn + 1, trials.clock() - start
        step = float(np.median(beside)) if beside else trials.measure(usual)
        return {
            "machine": machine.name(),
            "grid": repr(model.grid),
            "ranks": mpi.world.size,
            "threads": int(simulation.parallel["threads"]),
            "usual": simulation.domain.describe(),
            "seconds_per_step": step,
            "points_of_a_row": model.grid.shape[2],
            "found": [candidate.plain() for candidate in wanted],
        }


def present(
    figures: dict[str, Any], case: str, file: Path | None = None, picture: Path | None = None
) -> int:
    """Returns table, figures, picture. Returns the exit status."""
    if file is not None:
        file.write_text(json.dumps(figures | {"case": case}, indent=1) + "\n", encoding="utf-8")
    ms = 1e3 * figures["seconds_per_step"]
    click.echo(
        f"{case} on {figures['ranks']} × {figures['threads']}, {figures['machine']}: {ms:.3f} ms a"
        f" step with tiles by the cache and {figures['usual']}\n"
    )
    for entry in figures["found"]:
        size = _name(entry["size"])
        said = (
            entry["refused"]
            or f"{entry['ratio'] * ms:10.3f} ms {100 * (entry['ratio'] - 1):+7.1f} %"
            f" ± {100 * entry['error']:.1f}"
        )
        others = [n for n in entry["given"] if n != entry["size"]]
        same = f"   also {', '.join(map(str, others))}: the same code" if others else ""
        click.echo(f"{entry['what']:<6}{size:>12} {said}{same}")
    if picture is not None:
        draw(figures, case, path=picture)
        click.echo(picture)
    return 0


def _name(size: int | Sequence[int]) -> str:
    return str(size) if isinstance(size, int) else "×".join(map(str, size))


def draw(figures: dict[str, Any], case: str, path: Path | None = None) -> Any:
    """Returns two panels: ms a step against the length of a tile, and against the points of a
    block.
    """
    ms, panels = 1e3 * figures["seconds_per_step"], {}
    for what, name, xlabel in (
        (
            "tile",
            "Length of a tile (NPROMA)",
            "columns that pass through a group of processes at once",
        ),
        ("block", "Size of blocks", "points of a block"),
    ):
        seen = [e for e in figures["found"] if e["what"] == what and not e["refused"]]
        if seen:
            x = [float(abs(e["size"]) if what == "tile" else math.prod(e["size"])) for e in seen]
            panels[name] = plots.Panel(
                xlabel,
                "ms a step",
                {"": (x, [e["ratio"] * ms for e in seen], [2 * e["error"] * ms for e in seen])},
                {"by the cache" if what == "tile" else "one block a rank, by work": ms},
                {v: _name(e["size"]) for v, e in zip(x, seen)},
                {"a row": figures["points_of_a_row"]} if what == "tile" else {},
            )
    note = (
        f"{figures['grid']}, {figures['ranks']} rank{'s' * (figures['ranks'] > 1)} ×"
        f" {figures['threads']}, {figures['machine']}; bands: two errors of the median"
    )
    return plots.against(
        panels,
        title=f"{case}: speed against the size of what is computed at once",
        note=note,
        path=path,
    )
