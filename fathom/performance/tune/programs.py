"""`fathom tune` of a coupled system: the layout of its components on the ranks that there are.
Short runs of each are timed, in turn on all ranks, and side by side with a part of the ranks for
each.

The order of the file stays, and with it every bit. Where another one would be faster, it is
proposed: side by side the sea takes the fluxes of the interval before.
"""

from __future__ import annotations

import json
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import click

import fathom
from fathom.base import mpi
from fathom.run.experiment.toml import dumps
from fathom.run.tree import tree

intervals = 4  # that are timed, at most
names = ("atmosphere", "ocean")


def layouts(ranks: int) -> list[tuple[str, dict[str, int] | None]]:
    """Returns orders and ranks that are tried on so many ranks."""
    beside = sorted({max(1, round(ranks * part / 6)) for part in range(1, 6)} & {*range(1, ranks)})
    one_another = [("side by side", {"atmosphere": p, "ocean": ranks - p}) for p in beside]
    return [("in turn", None), ("side by side", None), *one_another]


def tune(request: Any) -> int:
    """Tries all layouts, writes the fastest of the order that the file has, and proposes a faster
    one. Returns the exit status. All ranks call it.
    """
    document = request.read([])
    own = document.tables.get("coupled", {}).get("order", "in turn")
    found = list[dict[str, Any]]()
    ends = time.perf_counter() + request.seconds
    for order, ranks in layouts(mpi.world.size):
        if found and mpi.world.bcast(time.perf_counter() > ends):
            break
        seconds = timed(request, order, ranks, ends)
        found.append({"order": order, "ranks": ranks, "seconds_a_day": seconds})
    if mpi.is_root:
        _present(request, found, own)
    return 0


def timed(request: Any, order: str, ranks: dict[str, int] | None, ends: float) -> float:
    """Returns the seconds of a simulated day in a layout."""
    file = fathom.ProgramsFile(request.read([]))
    file.tables.setdefault("coupled", {})["order"] = order
    for name in names:
        file.given[name].pop("ranks", None)
        if ranks is not None:
            file.given[name]["ranks"] = ranks[name]
    with tempfile.TemporaryDirectory() as made, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of outputs that so short runs never write
        folder = mpi.world.bcast(made if mpi.is_root else None)
        programs = file.programs(Path(folder), True)
        interval = programs.timetable.interval / 1e6
        programs.run(f"{interval:.0f}s", progress=False, report=False)
        began, number = time.perf_counter(), 0
        while number < intervals:
            programs.run(f"{interval:.0f}s", progress=False, report=False)
            number += 1
            if mpi.world.bcast(time.perf_counter() > ends):
                break
        spent = mpi.world.allreduce(time.perf_counter() - began, op=mpi.MPI.MAX)
        mpi.world.barrier()
    return float(spent * 86400.0 / (number * interval))


def _present(request: Any, found: list[dict[str, Any]], own: str) -> None:
    """Prints what was measured; writes the file of the fastest layout."""
    kept = [one for one in found if one["order"] == own] or found[:1]
    best, fastest = (min(of, key=lambda one: one["seconds_a_day"]) for of in (kept, found))
    if request.evidence is not None:
        text = json.dumps({"layouts": found, "chosen": best}, indent=1)
        request.evidence.write_text(text + "\n", encoding="utf-8")
    request.out.write_text(_written(request, best), encoding="utf-8")
    rows = [
        f"{one['seconds_a_day']:>9.4g} s a day {86400 / one['seconds_a_day'] / 365.2425:>9.4g}"
        f" years/day  {told(one)}"
        for one in sorted(found, key=lambda one: one["seconds_a_day"])
    ]
    entries: list[tuple[str, Any]] = [("measured", rows), ("chosen", told(best))]
    if fastest is not best:
        gain = 100 * (1 - fastest["seconds_a_day"] / best["seconds_a_day"])
        entries.append(("proposed", f"{told(fastest)}: {gain:.0f} % shorter, other bits"))
    entries.append(("written", str(request.out)))
    click.echo(tree(f"layout of {request.file.stem} on {mpi.world.size} ranks", entries))


def told(one: dict[str, Any]) -> str:
    """Returns a layout in words."""
    ranks = one["ranks"]
    on = "all ranks" if ranks is None else ", ".join(f"{n} on {p}" for n, p in ranks.items())
    return f"{one['order']}, {on}"


def _written(request: Any, best: dict[str, Any]) -> str:
    """Returns the file of the system in a layout."""
    document = request.read([])
    tables = dict(document.tables)
    programs = {}
    for name, one in tables["programs"].items():
        table = {"file": one} if isinstance(one, str) else dict(one)
        table["file"] = str(document.beside(table["file"]))
        table.pop("ranks", None)
        if best["ranks"] is not None:
            table["ranks"] = best["ranks"][name]
        programs[name] = table
    coupled = dict(tables.get("coupled", {})) | {"order": best["order"]}
    parallel = {"ranks": mpi.world.size}
    return dumps(tables | {"programs": programs, "coupled": coupled, "parallel": parallel})
