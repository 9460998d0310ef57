"""Draws the histories of benches and profiles over time as one page: each bench and profile, of
each machine, with its commit, and the counted work of each commit.

    python tools/dashboard.py history [another ...] --out dashboard.html --json dashboard.json

A history is a folder that `--record` fills (fathom/performance/history.py). A point is the time of
a step of one entry as a part of the first of its line; what rang the alarm is marked.
"""

from __future__ import annotations

import argparse
import base64
import html
import io
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import counted_work
from fathom.base.failure import InputError
from fathom.plots.colours import faint, phases
from fathom.plots.style import new_figure, styled


def entries(folders: Iterable[Path]) -> list[dict[str, Any]]:
    """Returns a record for each case, shape and machine: its entries, the oldest first."""
    found = []
    for file in sorted(f for folder in folders for f in folder.glob("*.jsonl")):
        kept = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        first = kept[0]
        points = [
            {
                "recorded": e["recorded"],
                "commit": e.get("commit", ""),
                "seconds": e["seconds_per_step"],
                "alarm": bool(e.get("alarm")),
                "busy": bool((e.get("load") or {}).get("busy")),
            }
            for e in kept
            if e.get("seconds_per_step")
        ]
        shape = f"{first.get('ranks')} × {first.get('threads')}"
        about = {"case": first["case"], "machine": first["machine"], "shape": shape}
        found.append(about | {"entries": points})
    return [record for record in found if record["entries"]]


def counted() -> list[dict[str, Any]]:
    """Returns the counted work of each commit that changed it, in the same form."""
    records = counted_work.history()
    lines: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for commit, record in records:
        day, _, name = commit.partition(" ")
        for case, counts in record.items():
            for what, number in counts.items():
                point = {"recorded": day, "commit": name, "seconds": number}
                lines.setdefault((case, what), []).append(point | {"alarm": False, "busy": False})
    return [
        {"case": f"{case}: {what}", "machine": "counted", "shape": "", "entries": points}
        for (case, what), points in lines.items()
    ]


@styled
def drawn(record: dict[str, Any]) -> Any:
    """Returns the figure of one record: time of a step over entries, as a part of the first."""
    figure = new_figure(7.4, 1.7)
    axes = figure.add_axes((0.08, 0.26, 0.9, 0.66))
    points = record["entries"]
    parts = [p["seconds"] / points[0]["seconds"] for p in points]
    axes.plot(range(len(parts)), parts, "o-", markersize=3, color=phases[0], linewidth=1)
    for n, p in enumerate(points):
        if p["alarm"]:
            axes.plot(n, parts[n], "x", color="red", markersize=8)
        elif p["busy"]:
            axes.plot(n, parts[n], "o", color=faint, markersize=5)
    ticks = range(0, len(points), max(1, len(points) // 6))
    names = [f"{points[n]['recorded'][:10]}\n{points[n]['commit'][:8]}" for n in ticks]
    axes.set_xticks(list(ticks), names, fontsize=6.5)
    axes.set_ylim(0, 1.15 * max(parts))
    return figure


def page(records: list[dict[str, Any]]) -> str:
    """Returns the page in HTML, with its pictures in it."""
    parts = [
        "<!doctype html><meta charset=utf-8><title>Benches over time</title>",
        "<style>body{font:14px sans-serif;max-width:60em;margin:2em auto}</style>",
        "<h1>Benches over time</h1><p>Time of a step as a part of the first entry; × rang the"
        " alarm, grey: the machine was busy.</p>",
    ]
    for machine in dict.fromkeys(r["machine"] for r in records):
        parts.append(f"<h2>{html.escape(machine)}</h2>")
        for record in (r for r in records if r["machine"] == machine):
            last = record["entries"][-1]["seconds"]
            title = f"{record['case']} {record['shape']}: {last:.4g} at last"
            to = io.BytesIO()
            drawn(record).savefig(to, format="png", dpi=110)
            picture = base64.b64encode(to.getvalue()).decode()
            parts.append(
                f"<h3>{html.escape(title)}</h3><img src='data:image/png;base64,{picture}'>"
            )
    return "\n".join(parts)


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("dashboard.html"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--counted", action="store_true", help="also the counted work of commits")
    given = parser.parse_args(arguments)
    for folder in given.folders:
        if not folder.is_dir():
            raise InputError(f"dashboard: {folder} is no folder of a history (--record)")
    records = entries(given.folders) + (counted() if given.counted else [])
    given.out.write_text(page(records), encoding="utf-8")
    if given.json:
        given.json.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    print(f"{given.out}: {len(records)} curves")
    return 0


if __name__ == "__main__":
    sys.exit(main())
