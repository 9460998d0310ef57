"""The numbers that each bench gives to the history of a machine (history.py): seconds by name, of a
step, a call or a run, as a profile of one step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from fathom.performance import history, roofline

Figures = Mapping[str, Any]
shape = ("ranks", "threads", "precision")  # have their own places in a history
not_the_case = (
    "peer",
    "peers",
    "repetitions",
    "steps",
    "spin_up",
)  # results do not depend on it


def _messages(f: Figures) -> dict[str, float]:
    exchanges = {
        f"{e['name']}, {words} words": seconds
        for e in f["exchanges"]
        for words, seconds in zip(f["words"], e["row"])
    }
    return exchanges | {
        f"sum {s['name']}, {numbers} numbers": seconds
        for s in f["sums"]
        for numbers, seconds in zip(f["numbers"], s["seconds"])
    }


def _processes(f: Figures) -> dict[str, float]:
    """Returns those of one name together, and the parts within a spectral step."""
    found: dict[str, float] = {}
    for p in f["processes"]:
        found[p["process"]] = found.get(p["process"], 0.0) + p["seconds"]
    return found | {f"inside: {name}": s for name, s in f.get("inside", {}).items()}


def _radiation(f: Figures) -> dict[str, float]:
    """Returns seconds of a column: of a thread of the processor, or of a device."""
    if f.get("device"):
        return {"RRTMGP": 1 / f["device"]["columns_per_second"]}
    return {name: f[name]["microseconds_per_column"] / 1e6 for name in ("longwave", "shortwave")}


def _assimilation(f: Figures) -> dict[str, float]:
    """Returns processor seconds of a step, its tangent and adjoint, and of an iteration's maps."""
    steps = {
        name: s["processor_seconds"]
        for name, s in f.get("step", {}).items()
        if isinstance(s, Mapping) and "processor_seconds" in s
    }
    return steps | dict(f.get("minimisation", {}).get("by_map", {}))


seconds: dict[str, Callable[[Figures], dict[str, float]]] = {
    "assimilation": _assimilation,
    "observations": lambda f: dict(f["processor_seconds"]),
    "ocean": _processes,
    "atmosphere": _processes,
    "balance": lambda f: {"step": f["seconds_per_step"]},
    "gridpoint": _processes,
    "limited-area": _processes,
    "radiation": _radiation,
    "kernels": lambda f: {k["name"]: k["seconds"] for k in f["kernels"]},
    "barotropic": lambda f: {
        f"{v['solver']}, {v['preconditioner']}, {v['exchange']}, {v['sum']}": (
            v["microseconds_per_iteration"] / 1e6
        )
        for v in (f, *f["variants"])
    },
    "transform": lambda f: {phase: f["phases"][phase] / 1e3 for phase in ("inverse", "direct")},
    "bi-fourier": lambda f: {phase: f["phases"][phase] / 1e3 for phase in ("inverse", "direct")},
    "messages": _messages,
    "output": lambda f: {name.replace("_", " "): s for name, s in f["run_seconds"].items()},
}


def profile(bench: str, figures: Figures) -> dict[str, Any]:
    """Returns the measurement in the form that `history.record` takes."""
    case = figures["case"]
    what = " ".join(
        f"{value}"
        for key, value in case.items()
        if key not in (*shape, *not_the_case) and value not in (None, "", False)
    )
    records = [
        {"region": name, "phase": "", "kind": "process", "calls": 1, "seconds": s}
        for name, s in seconds[bench](figures).items()
    ]
    return {
        "case": f"bench {bench} {what}".strip(),
        "machine": figures["machine"],
        "grid": figures.get("grid"),
        "load": figures.get("load"),
        "blocks": figures.get("blocks"),
        "steps": 1,
        "profile": records,
        "seconds_per_step": sum(r["seconds"] for r in records),
        **{key: case.get(key, 1) for key in shape},
    }


def told(
    bench: str,
    present: Callable[..., int],
    figures: Figures | None,
    file: Path | None,
    record: Path | None,
    *more: Any,
) -> int:
    """Presents the figures where they are, and records them; returns the exit status: 1 where the
    history says that the program is slower.
    """
    status = present(figures, file, *more)  # it adds the load
    if figures is None or record is None:
        return status
    case = figures["case"]
    with roofline.one_clock(case.get("ranks", 1), case.get("threads", 1)):
        speeds = roofline.speeds(4 if case.get("precision") == "fp32" else 8)
    found = history.record(record, profile(bench, figures) | {"speeds": speeds})
    click.echo("\n".join(found.lines))
    return status or found.status


def measured(
    bench: str,
    case: Any,
    measure: Callable[[Any], Figures | None],
    present: Callable[..., int],
    file: Path | None,
    record: Path | None,
) -> int:
    """Measures a case here, or on the device that it names, and presents the figures; returns the
    exit status.
    """
    if case.device:
        from fathom.performance.bench import on_device  # start-up time: loads NumPy

        return told(bench, on_device.present, on_device.measure(case), file, record)
    return told(bench, present, measure(case), file, record)
