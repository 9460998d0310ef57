"""`fathom profile` of a chain: a window of it, stage by stage. Of each stage the time of the ranks,
the share of messages and of waiting, and the regions that took longest.

    share of messages = (travelling + waiting) / wall time
    efficiency        = mean processor time of the ranks / that of the slowest
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from fathom.assimilation.cycle.chain import areas
from fathom.assimilation.cycle.chain.settings import Suite
from fathom.base import machine, mpi
from fathom.plots.report import tables

least = 0.02  # of a stage: regions that are shown

Stage = Mapping[str, Any]


def run(suite: Suite, out: Path | None, json_file: Path | None, case: str) -> int:
    """Runs the first window of a chain on its ranks and shows where its time goes. Returns the exit
    status.
    """
    suite.chain.windows = 1
    with nullcontext(out) if out else tempfile.TemporaryDirectory() as folder:
        directory = Path(mpi.world.bcast(str(folder)))
        cycles = areas.of(suite, directory, lambda text: None)
        (window,) = cycles.run()
        found = {"case": case, "machine": machine.name(), "stages": profile(window)}
        if mpi.is_root:
            if json_file:
                json_file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
            click.echo("\n".join(told(found)))
        mpi.world.barrier()  # all have read what the folder holds
    return 0


def profile(window: Mapping[str, Stage]) -> dict[str, dict[str, Any]]:
    """Returns stage -> ranks, threads, seconds, share of messages, efficiency, regions."""
    return {
        name: {key: one[key] for key in ("ranks", "threads", "seconds", "regions")}
        | {"messages": messages(one), "efficiency": efficiency(one)}
        for name, one in window.items()
    }


def messages(stage: Stage) -> float:
    """Returns the share of the wall time in which ranks exchanged messages or waited for others."""
    s = stage["seconds"]
    return float((s["travelling"] + s["waiting"]) / s["wall"]) if s["wall"] else 0.0


def efficiency(stage: Stage) -> float:
    """Returns mean processor time over that of the slowest rank."""
    s = stage["seconds"]
    return float(s["processor"] / s["processor_most"]) if s["processor_most"] else 1.0


def told(found: Mapping[str, Any]) -> list[str]:
    """Returns all figures as lines of text."""
    stages = found["stages"]
    head = ["stage", "ranks", "threads", "wall [s]", "processor [s]", "slowest rank [s]",
            "efficiency", "messages %", "waiting %"]  # fmt: skip
    rows = []
    for name, one in stages.items():
        s = one["seconds"]
        rows.append([
            name, f"{one['ranks']}", f"{one['threads']}", f"{s['wall']:.3f}",
            f"{s['processor']:.3f}", f"{s['processor_most']:.3f}", f"{one['efficiency']:.2f}",
            f"{100 * one['messages']:.1f}", f"{100 * s['waiting'] / (s['wall'] or 1):.1f}",
        ])  # fmt: skip
    lines = [f"{found['case']}, {found['machine']}: a window", "", *tables.lines(head, rows)]
    for name, one in stages.items():
        wall = one["seconds"]["wall"] or 1.0
        longest = [r for r in one["regions"] if r["seconds"] >= least * wall]
        lines += ["", name, ""]
        lines += tables.lines(
            ["region", "phase", "calls", "seconds", "%", "most of a rank [s]"],
            [[r["region"], r["phase"], f"{r['calls']:.0f}", f"{r['seconds']:.3f}",
              f"{100 * r['seconds'] / wall:.1f}", f"{r['maximum']:.3f}"] for r in longest],
            left=(0, 1),
        )  # fmt: skip
    return lines
