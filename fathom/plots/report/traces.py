"""A trace as a file for a common viewer, and as pictures.

The file is the JSON of Chrome's tracing, which ui.perfetto.dev, chrome://tracing and speedscope
read: a process for each rank, with its regions nested in one track and its waiting in another;
times in microseconds by the clock of rank 0.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom import plots
from fathom.plots.report import otf2_trace
from fathom.plots.report.timeline import Timeline, window


def events(traces: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the events of all ranks."""
    start = min((float(t["begin"].min()) for t in traces if len(t["begin"])), default=0.0)
    found: list[dict[str, Any]] = []

    def slice_(
        rank: int, track: int, name: str, category: str, begin: float, end: float, **arguments: Any
    ) -> None:
        more = {"args": arguments} if arguments else {}
        found.append(
            {
                "ph": "X",
                "pid": rank,
                "tid": track,
                "name": name,
                "cat": category,
                "ts": round((begin - start) * 1e6, 3),
                "dur": round((end - begin) * 1e6, 3),
                **more,
            }
        )

    for rank, trace in enumerate(traces):
        for track, name in ((0, "regions"), (1, "waiting and communication")):
            found.append(
                {
                    "ph": "M",
                    "pid": rank,
                    "tid": track,
                    "name": "thread_name",
                    "args": {"name": name},
                }
            )
        found.append(
            {
                "ph": "M",
                "pid": rank,
                "tid": 0,
                "name": "process_name",
                "args": {"name": f"rank {rank}"},
            }
        )
        regions = trace["regions"]
        for region, begin, end in zip(
            trace["region"][::-1], trace["begin"][::-1], trace["end"][::-1]
        ):
            held = regions[region]
            slice_(rank, 0, held["path"][-1], held["phase"] or "run", begin, end)
        for region, blocked, free, waiting in zip(
            trace["met"], trace["blocked"], trace["free"], trace["waiting"]
        ):
            name = regions[region]["path"][-1]
            if waiting > 0:
                slice_(rank, 1, "waiting", "waiting", blocked, blocked + waiting, of=name)
            slice_(rank, 1, "communication", "communication", blocked + waiting, free, of=name)
    return found


def write(path: Path, traces: Sequence[dict[str, Any]]) -> None:
    """Returns a file .json, or .json.gz; an archive .otf2 where that library is installed."""
    if path.suffix == ".otf2":
        return otf2_trace.write(path, traces)
    content = json.dumps({"traceEvents": events(traces), "displayTimeUnit": "ms"}).encode()
    path.write_bytes(gzip.compress(content, 6) if path.suffix == ".gz" else content)
    return None


def figures(found: Mapping[str, Any], traces: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns name -> function that draws it."""
    part = Timeline(traces, *window(traces))
    one = Timeline(traces, *window(traces, 1))
    solves = [bar for bars in one.states for bar in bars if bar.state == "solver"] or [
        bar for bars in one.solver for bar in bars
    ]
    drawn = {
        "gantt": lambda: plots.gantt(
            {"State of each rank": part.states} | _meetings(part),
            part.counts() if any(part.met) else None,
            title=f"Three steps on {len(traces)} rank{'s' * (len(traces) > 1)}",
        ),
        "steps": lambda: plots.steps(
            {"steps": found["step_seconds"]},
            found.get("output_steps"),
            title="Time of each step, with what follows it",
        ),
    }
    if solves:
        inner = Timeline(traces, min(bar.begin for bar in solves), max(bar.end for bar in solves))
        drawn["solver"] = lambda: plots.gantt(
            {"Within the solver": inner.solver} | _meetings(inner),
            inner.counts() if any(inner.met) else None,
            title="One solve",
        )
    return drawn


def _meetings(part: Timeline) -> dict[str, Any]:
    return {"Waiting and communication": part.met} if any(part.met) else {}


def draw(folder: Path, found: dict[str, Any], traces: Sequence[dict[str, Any]]) -> list[Path]:
    """Returns PNG of all figures; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in figures(found, traces).items():
        paths.append(folder / f"{name}.png")
        paths[-1].write_bytes(plots.encoded(figure()))
    return paths
