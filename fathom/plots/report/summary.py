"""Results of a run: summary.json and report.html."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from fathom.base import mpi, places, provenance, reading, writing
from fathom.output import files
from fathom.output.staging import together
from fathom.plots.report import estimate
from fathom.plots.report.page import write_report


def finish(simulation: Any, report: bool = True) -> dict[str, Any]:
    """Writes the summary and the report on root. Returns the summary on every rank."""
    s = simulation
    summary: dict[str, Any] = (
        _of_the_run(s) | _of_the_state(s) | s.members.of_last(s.model.account(s)) | _of_the_time(s)
    )
    day = estimate.of_a_day(summary)
    summary["day"] = None if day is None else day._asdict()
    drawn = s.model.report(s) if report else None
    if s.is_root:
        writing.replace(s.directory / "summary.json", json.dumps(summary, indent=2) + "\n")
        if report:
            write_report(
                s.directory / "report.html",
                title=_title(summary),
                summary=summary,
                configuration=s.experiment,
                pictures=s.model.pictures(drawn),
                series=s.series.curves() if len(s.series.times) > 1 else {},
                profile=summary["profile"],
                trace=s.traces,
            )
    s.everyone.barrier()  # the report is written
    return summary


def _title(summary: dict[str, Any]) -> str:
    """Returns model and dates; with hours, where a run stays within a day."""
    start, end = summary["start"], summary["end"]
    long = 10 if start[:10] != end[:10] else 16
    return f"{summary['model']} {start[:long]} to {end[:long]}"


def _of_the_run(s: Any) -> dict[str, Any]:
    """Returns the model of a run, its distribution and its speed."""
    steps = s.count - s.start_steps
    solver = s.find(mpi.core.BarotropicSolve)
    iterations = (
        {"solver_iterations": solver.iterations / solver.solves}
        if solver is not None and solver.solves
        else {}
    )
    days = steps * s.time_step / 86400
    node = s.everyone.Split_type(mpi.MPI.COMM_TYPE_SHARED)
    nodes, processes = (
        s.everyone.allreduce(int(node.rank == 0)),
        s.everyone.size + (len(s.roles.servers) if s.roles else 0),
    )
    node.Free()
    return {
        **provenance.facts(),
        "environment": provenance.environment(),
        "run": s.identity.told,
        "model": type(s.model).__name__,
        "grid": repr(s.model.grid),
        "start": str(s.clock.start),
        "end": str(s.date),
        "stopped": s.stopped,  # on request, before its end
        "step": s.time_step,
        "steps": steps,
        "precision": s.model.precision,
        "cells": s.model.grid.wet_cells,
        "ranks": s.everyone.size,
        "threads": int(s.parallel["threads"]),
        "blocks": s.domain.describe(),
        "mapping": places.told(places.of_ranks(s.everyone)),
        "choices": {name: {"value": s.parallel[name], "why": why} for name, why in s.why.items()},
        "wall_seconds": round(s.wall_seconds, 4),
        "seconds_per_step": s.wall_seconds / max(steps, 1),
        "seconds_per_simulated_day": s.wall_seconds / max(days, 1e-9),
        "simulated_days_per_day": days / max(s.wall_seconds, 1e-9) * 86400,
        "simulated_years_per_day": days / 365.2425 / max(s.wall_seconds, 1e-9) * 86400,
        "nodes": nodes,  # of the ranks that compute
        "node_hours": nodes * s.wall_seconds / 3600,
        "core_hours": processes * int(s.parallel["threads"]) * s.wall_seconds / 3600,  # servers too
        **iterations,
    }


def _of_the_state(s: Any) -> dict[str, Any]:
    """Returns where it ended."""
    extremes = {name: s.fields.extremes(name) for name in s.model.prognostic}
    found = {
        "state": {
            name: {k: e[k] for k in ("minimum", "maximum", "mean")} | _allowed(s.limits[name])
            for name, e in extremes.items()
        },
        "series": {
            name: {"last": value, "units": units} for name, (value, units) in s.series.last.items()
        },
    }
    facts: dict[str, Any] = s.members.facts()
    return {**s.members.of_last(found), **facts}


def _allowed(limits: tuple[float, float]) -> dict[str, list[float]]:
    """Returns the limits of a field, where it has some."""
    return {"limits": list(limits)} if np.isfinite(limits).all() else {}


def _of_the_time(s: Any) -> dict[str, Any]:
    """Returns where the time went."""
    return {
        "profile": s.profile["regions"],
        "efficiency": s.profile["efficiency"],
        "seconds_of_ranks": s.profile["ranks"],
        "step_seconds": s.profile["step_seconds"],
        "output_steps": s.marked,
        "input": read(s),
        "output": output(s),
        "tiles": [
            {"first": g["processes"][0], "columns": g["tile"], "tried": g["tiles_tried"]}
            for g in s.sequence.groups
            if g["tiles_tried"]
        ],
    }


def profile(s: Any) -> list[dict[str, Any]]:
    """Returns records (process, phase, seconds, calls) of all processes and exchanges, the mean
    over ranks.
    """
    mine = s.sequence.timings
    seconds = s.everyone.allreduce(np.array([t["seconds"] for t in mine])) / s.everyone.size
    return [{**t, "seconds": float(x)} for t, x in zip(mine, seconds)]


def read(s: Any) -> dict[str, Any]:
    """Returns input since the start of the process: the readers, and seconds of the slowest rank
    for each part, those of readers' threads (`reading ahead`) and of waiting for them among them;
    for all but those of threads together (`seconds_in_all`); of each file, or what reads several,
    how often it was read, bytes and seconds (`files`: of all readers together, decoding included).
    """
    readers = list(range(s.everyone.size)) if s.readers.alone else s.readers.ranks
    files: dict[str, dict[str, float]] = {}
    for of_rank in s.everyone.allgather(reading.files):
        for name, found in of_rank.items():
            before = files.setdefault(name, dict.fromkeys(found, 0))
            files[name] = {key: before[key] + value for key, value in found.items()}
    counts = {name: s.everyone.allreduce(count) for name, count in reading.counts.items()}
    return {
        "readers": readers,
        **counts,
        "seconds_in_all": max(
            s.everyone.allgather(
                sum(each for name, each in reading.seconds.items() if name != "reading_ahead")
            )
        ),
        "seconds": {
            name.replace("_", " "): max(s.everyone.allgather(value))
            for name, value in reading.seconds.items()
        },
        "files": files,
    }


def output(s: Any) -> dict[str, Any]:
    """Returns the output of a run: times of each store and of restarts, how long they kept the
    slowest rank from computing [s], the protocol of the servers; calls and bytes written by all
    ranks, by the size of the call (at least so many bytes, less than twice as many), those of
    metadata apart, and the part of the bytes in calls of 64 KiB and more; with a staging folder its
    rates.
    """
    found: dict[str, dict[str, Any]] = {
        kind: {str(x.path): _stalls(s, x) for x in streams if x.stalls}
        for kind, streams in (("stores", s.outputs), ("restarts", s.checkpoints))
    }
    found |= {} if s.served is None else {"servers": s.served.summary()}
    serving: list[dict[str, Any]] = found.get("servers", {}).get("serving", [])
    counts = files.merged(
        [
            *s.everyone.allgather(files.merged(stream.writes for stream in s.streams)),
            *(server.pop("writes") for server in serving),
        ]
    )
    stage = s.delivery.stage
    staged = [*s.everyone.allgather(None if stage is None else stage.figures)]
    staged += [server.pop("staged", None) for server in serving]
    if rates := together(filter(None, staged)):
        found["staging"] = rates
    if not counts:
        return found
    share, about = files.share_of_large(counts), counts.pop(files.metadata, [0, 0])
    return found | {
        "writes": {str(1 << n): count for n, count in counts.items()},
        "writes_of_metadata": about,
        "share_in_large_writes": share,
    }


def _stalls(s: Any, stream: Any) -> dict[str, Any]:
    slowest = np.max(s.comm.allgather(stream.stalls), axis=0)  # groups have other members
    return {
        "times": len(slowest),
        "stall_seconds": float(slowest.sum()),
        "longest_stall": float(slowest.max()),
    }
