"""`fathom scale` of a coupled system: each component is priced as it is alone, and the ways to lay
both out on P ranks are compared,

    in turn        T = T_a(P) + T_o(P) + T_x
    side by side   T = max(T_a(p), T_o(P - p)) + T_x,   the best of the parts p of `parts`

T in seconds of a simulated day. T_x is the coupling: in each exchange the ranks of a taker get
together its finished fields, n log2 steps of latency and all bytes through the adapter of a node,

    T_x = sum over both ways of [ceil(log2 P) (L + 2 o) + bytes / B]   for each exchange
"""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from fathom.base.clock import Period
from fathom.base.failure import InputError
from fathom.performance.scaling import predict as alone
from fathom.performance.scaling.machine import Machine
from fathom.performance.scaling.request import Request
from fathom.run.experiment.toml import Document, dumps
from fathom.run.tree import tree

parts = (0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875)  # of all ranks that are the atmosphere's
names = ("atmosphere", "ocean")
given = {"atmosphere": 10, "ocean": 12}  # fields of columns that each takes in an exchange
day = 86400.0


def several(request: Request) -> bool:
    """Returns whether the file has several programs."""
    return "programs" in Document.read(request.file).tables


def component(file: Path, settings: tuple[str, ...], name: str, folder: Path, end: str) -> Path:
    """Returns the file of a component of a coupled system with its settings, in a folder.
    InputError: the system has none of that name.
    """
    document = Document.read(file, settings)
    programs = document.tables.get("programs", {})
    if name not in programs:
        raise InputError(f"{file}: `fathom scale` of several programs needs [programs] {name}")
    one = programs[name]
    path, own = (one, []) if isinstance(one, str) else (one.get("file"), one.get("set", []))
    tables = dict(Document.read(document.beside(path), own).tables)
    tables.pop("output", None)
    found = folder / f"{name}{end}.toml"
    found.write_text(dumps(tables), encoding="utf-8")
    return found


def interval(file: Path, settings: tuple[str, ...], steps: dict[str, float]) -> float:
    """Returns how often the components exchange [s]."""
    table = Document.read(file, settings).tables.get("coupled", {})
    return Period(table["every"], "every").seconds if "every" in table else max(steps.values())


def counts_of(ranks: int) -> list[int]:
    """Returns the numbers of ranks of components side by side on so many."""
    return sorted({max(1, round(part * ranks)) for part in parts if ranks > 1})


def predict(request: Request, machine: Machine | None) -> dict[str, Any]:
    """Returns all figures, as plain data."""
    wanted = sorted({*request.simulate, *(n for p in request.simulate for n in counts_of(p))})
    with tempfile.TemporaryDirectory() as made:
        folder, found = Path(made), dict[str, Any]()
        for name in names:
            file = component(request.file, request.settings, name, folder, "")
            small = request.measure
            measured = component(small, (), name, folder, "-measured") if small else None
            one = replace(request, file=file, measure=measured, settings=(), simulate=tuple(wanted))
            found[name] = alone.predict(replace(one, json=None, gantt=None), machine)
    a_day = {name: _a_day(one) for name, one in found.items()}
    every = interval(request.file, request.settings, {n: one["step"] for n, one in found.items()})
    there = machine
    cells = {name: _cells(found[name]["grid"]) for name in names}
    rows = []
    for ranks in request.simulate:
        if any(ranks not in of for of in a_day.values()):
            continue
        crossing = _crossing(there, cells, ranks) * day / every
        rows.append(layouts(a_day, ranks, crossing))
    return {
        "case": str(request.file),
        "machine": found["ocean"]["machine"],
        "every": every,
        "components": found,
        "layouts": rows,
        "measured_on": str(request.measure or request.file),
    }


def _a_day(found: dict[str, Any]) -> dict[int, float]:
    """Returns seconds of a simulated day by ranks."""
    return {one["ranks"]: one["seconds"] * day / found["step"] for one in found["simulated"]}


def _cells(grid: str) -> int:
    """Returns the columns of a grid, as its text has them: "TL399 800×400×60"."""
    numbers = grid.split()[-1].split("×")
    return int(numbers[0]) * int(numbers[1])


def _crossing(machine: Machine | None, cells: dict[str, int], ranks: int) -> float:
    """Returns seconds of an exchange of both ways on so many ranks."""
    latency, overhead, bandwidth = 1e-6, 5e-7, 1e10
    if machine is not None:
        latency = float(machine.get("network.latency", latency))
        overhead = float(machine.get("network.overhead", overhead))
        bandwidth = float(machine.get("network.bandwidth", bandwidth))
    rounds = math.ceil(math.log2(max(ranks, 2)))
    sizes = (8 * given[name] * cells[name] / bandwidth for name in names)
    return sum(rounds * (latency + 2 * overhead) + seconds for seconds in sizes)


def layouts(a_day: dict[str, dict[int, float]], ranks: int, crossing: float) -> dict[str, Any]:
    """Returns seconds of a simulated day in turn and side by side on so many ranks, and which is
    shorter; crossing: seconds of the coupling in a day.
    """
    air, sea = (a_day[name] for name in names)
    in_turn = air[ranks] + sea[ranks] + crossing
    beside = {
        p: max(air[p], sea[ranks - p]) + crossing
        for p in counts_of(ranks)
        if p in air and ranks - p in sea
    }
    best = min(beside, key=lambda p: beside[p]) if beside else None
    shortest = min(in_turn, *beside.values()) if beside else in_turn
    return {
        "ranks": ranks,
        "atmosphere": air[ranks],
        "ocean": sea[ranks],
        "coupling": crossing,
        "in_turn": in_turn,
        "side_by_side": None if best is None else beside[best],
        "ranks_of_air": best,
        "layout": "in turn" if shortest == in_turn else "side by side",
        "years_a_day": day / shortest / 365.2425,
        "coupling_share": crossing / shortest,
    }


def present(found: dict[str, Any], file: Path | None = None) -> int:
    """Prints the tables, and writes the figures as JSON. Returns the exit status."""
    if file is not None:
        for one in found["components"].values():
            one.pop("chart", None)
        file.write_text(json.dumps(found, indent=1, default=str) + "\n", encoding="utf-8")
    head = (
        f"{'ranks':>7}{'air':>10}{'sea':>10}{'coupling':>10}{'in turn':>10}{'beside':>10}"
        f"{'air on':>8}{'years/day':>11}{'coupling':>10}  layout"
    )
    rows = [head]
    for one in found["layouts"]:
        beside, on = one["side_by_side"], one["ranks_of_air"]
        rows.append(
            f"{one['ranks']:>7}{one['atmosphere']:>10.3g}{one['ocean']:>10.3g}"
            f"{one['coupling']:>10.2g}{one['in_turn']:>10.3g}"
            f"{'' if beside is None else format(beside, '.3g'):>10}{'' if on is None else on:>8}"
            f"{one['years_a_day']:>11.3g}{100 * one['coupling_share']:>9.1f} %  {one['layout']}"
        )
    grids = [f"{name}: {one['grid']}" for name, one in found["components"].items()]
    refused = [f"{n}: {why}" for n, one in found["components"].items() for why in one["refused"]]
    entries: list[tuple[str, Any]] = [
        ("grids", grids),
        ("cost", [f"per unit of work as measured with {found['measured_on']}"]),
        ("seconds of a simulated day", rows),
        *([("not priced", refused)] if refused else []),
    ]
    click.echo(tree(f"{found['case']}, exchange every {found['every']:g} s, on"
                    f" {found['machine']}", entries))  # fmt: skip
    return 0
