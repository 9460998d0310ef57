"""`fathom profile` of several programs under one clock: the time of each, and of what lies between
them.

    exchange    maps, messages with the waiting for them, fields that are read and set
    fluxes      of the pieces that air and sea have in common: physics, no part of the coupling
    agreement   of the ranks on the next intervals

    coupling = exchange - fluxes + agreement
"""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from fathom import plots
from fathom.base import machine, mpi, regions
from fathom.performance.profile.run import Request
from fathom.plots.report import tables, traces
from fathom.run.tree import tree

Record = Mapping[str, Any]
between = ("exchange", "agreement")  # regions beside those of the programs
of_physics = "fluxes"  # within an exchange


def run(file: Any, request: Request, case: str) -> int:
    """Profiles the programs of a file on its ranks and says what was found. Returns the exit
    status.
    """
    with nullcontext(request.out) if request.out else tempfile.TemporaryDirectory() as folder:
        directory = Path(mpi.world.bcast(str(folder)))
        programs = file.programs(directory, True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of outputs that it never writes
            found = measure(programs, request, case)
        if found is not None:
            _present(found, request)
        return 0


def measure(programs: Any, request: Request, case: str) -> dict[str, Any] | None:
    """Returns all figures as plain data, on rank 0; all ranks together."""
    lead = programs.members[programs.lead].program
    interval = programs.timetable.interval / 1e6
    spin_up, measured = (
        f"{max(1, round(steps * lead.time_step / interval)) * interval:.0f}s"
        for steps in (request.spin_up, request.steps)
    )
    programs.run(spin_up, progress=False, report=False)
    for member in programs.members.values():
        member.program.trace_events = request.events
    summaries = programs.run(measured, progress=False, report=request.out is not None)
    gathered = regions.gathered(programs.comm)
    traced = regions.traced(programs.comm) if request.events else None
    if programs.comm.rank:
        return None
    records = gathered["regions"]
    return {
        "case": case,
        "machine": machine.name(),
        "programs": programs.describe(),
        "ranks": programs.comm.size,
        "period": measured,
        "simulated_years_per_day": _years_per_day(records, measured),
        "parts": parts(records, [*programs.members]),
        "steps": {name: one.get("steps") for name, one in summaries.items()},
        "profile": records,
        "efficiency": gathered["efficiency"],
        "seconds_of_ranks": gathered["ranks"],
        "trace": traced,
    }


def _years_per_day(records: Sequence[Record], period: str) -> float:
    """Returns simulated years in a day of wall clock, without the end of the run."""
    seconds: float = sum(r["elapsed"] for r in records if len(r["path"]) == 2)
    return float(period.removesuffix("s")) / (365.25 * max(seconds, 1e-9))


def parts(records: Sequence[Record], names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Returns seconds, and those of messages and of waiting, of each program, of the coupling and
    of its parts, means over ranks; and the share of the whole.
    """

    def total(chosen: Any) -> dict[str, float]:
        what = ("elapsed", "communication", "waiting")
        return {key: sum(r[key] for r in records if chosen(r)) for key in what}

    def top(name: str) -> Any:
        return lambda r: len(r["path"]) == 2 and r["region"] == name

    found = {name: total(top(name)) for name in [*names, *between]}

    def inner(name: str) -> Any:
        return lambda r: r["region"] == name and "exchange" in r["path"][:-1]

    of = {name: total(inner(name)) for name in ("map", "messages", of_physics)}
    found |= {f"exchange: {name}": one for name, one in of.items()}
    found["coupling"] = {
        key: found["exchange"][key] + found["agreement"][key] - of[of_physics][key]
        for key in found["exchange"]
    }
    whole = sum(found[name]["elapsed"] for name in [*names, *between])
    return {
        name: {"seconds": one["elapsed"], "share": one["elapsed"] / max(whole, 1e-9)}
        | {key: one[key] for key in ("communication", "waiting")}
        for name, one in found.items()
    }


def _present(found: dict[str, Any], request: Request) -> None:
    """Prints all, and writes the files that are asked for."""
    trace, said = found.pop("trace"), list[str]()
    if request.file:
        request.file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if request.trace and trace:
        traces.write(request.trace, trace)
        said += ["", f"{request.trace}: for ui.perfetto.dev or chrome://tracing"]
    if request.pictures and trace:
        said += ["", str(_draw(request.pictures, trace, found))]
    rows = [
        [
            name,
            f"{one['seconds']:.4f}",
            f"{100 * one['share']:.2f}",
            f"{one['communication']:.4f}",
            f"{one['waiting']:.4f}",
        ]
        for name, one in found["parts"].items()
    ]
    head = ["part", "seconds", "%", "communication [s]", "waiting [s]"]
    entries: list[tuple[str, Any]] = [("program", line) for line in found["programs"]]
    share = 100 * found["parts"]["coupling"]["share"]
    entries += [
        ("ranks", tables.of_ranks(found["efficiency"]) if found["ranks"] > 1 else "1"),
        ("run", f"{found['period']}, {found['simulated_years_per_day']:.4g} years/day"),
        ("coupling", f"{share:.2f} % of the run: maps, messages, waiting"),
    ]
    click.echo(tree(f"{found['case']}, {found['machine']}", entries))
    records = found["profile"]
    by_name = tables.by_exclusive_time(records)
    shown = {
        "Programs and the coupling": tables.lines(head, rows, left=(0,)),
        "By exclusive time": tables.lines(*by_name, left=(0, 1)),
        "By elapsed time, with all that is within": tables.lines(
            *tables.by_elapsed_time(records), left=(0,)
        ),
    }
    for title, lines in shown.items():
        click.echo("\n".join(["", title, "", *lines]))
    if found["ranks"] > 1:
        rows_of_ranks = tables.by_rank(found["seconds_of_ranks"])
        click.echo("\n".join(["", "Ranks", "", *tables.lines(*rows_of_ranks)]))
    if said:
        click.echo("\n".join(said))


def bars(
    traced: Sequence[dict[str, Any]], names: Sequence[str], most: int = 64
) -> list[list[tuple[float, float, str]]]:
    """Returns (begin, end, name) [s] of these programs and of exchanges on each rank, the last
    `most` of them.
    """
    shown = {*names, *between}
    start = min((float(t["begin"].min()) for t in traced if len(t["begin"])), default=0.0)
    rows = []
    for trace in traced:
        paths = [one["path"] for one in trace["regions"]]
        events = zip(trace["region"], trace["begin"] - start, trace["end"] - start, strict=True)
        own = [(float(b), float(e), paths[n][1]) for n, b, e in events if _shown(paths[n], shown)]
        rows.append(sorted(own)[-most:])
    return rows


def _shown(path: Sequence[str], names: set[str]) -> bool:
    """Returns whether a region is one of these, and lies in no other."""
    return len(path) == 2 and path[1] in names


def _draw(folder: Path, traced: Sequence[dict[str, Any]], found: Mapping[str, Any]) -> Path:
    """Draws when each program stepped on each rank; returns the path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "gantt.png"
    rows = bars(traced, [*found["steps"], *found["parts"]])
    title = f"Programs and exchanges on {len(rows)} rank{'s' * (len(rows) != 1)}"
    path.write_bytes(plots.encoded(plots.gantt({"Programs": rows}, title=title)))
    return path
