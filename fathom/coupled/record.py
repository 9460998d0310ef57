"""The record of a run of several programs: a file that runs them again from their own records."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fathom.run.experiment.toml import dumps, inline


def record(programs: Any, seconds: float) -> str:
    """Returns the text of a file for `fathom run`, of a run of `seconds`. What a file cannot hold
    is in [not_written].
    """
    lost, exchanges = dict[str, str](), list[str]()
    for n, call in enumerate(programs.calls_of("exchange")):
        table = {name: value for name, value in call.items() if value is not None}
        for name in [name for name, value in table.items() if callable(value)]:
            lost[f"exchange.{n}.{name}"] = f"the function of {programs.fields[n]}"
            del table[name]
        exchanges.append(inline(table))
    files = _files(programs)
    simulation: dict[str, Any] = {"run": _length(seconds), "restart": _restart(programs)}
    if checkpoints := programs.checkpoints:
        every, keep = checkpoints[0]
        simulation["checkpoint"] = {"every": every, "keep": keep}
    head = f"exchange = [{', '.join(exchanges)}]\n\n" if exchanges else ""
    tables: dict[str, Any] = {"programs": files, "simulation": simulation, "not_written": lost}
    if programs.coupled is not None:
        tables["coupled"] = programs.coupled
    return head + dumps(tables)


def _files(programs: Any) -> dict[str, Any]:
    """Returns the file of each program but for the rivers of a coupled system, which it makes."""
    sides = programs.arguments.get("ranks") or {}
    made = () if programs.coupled is None else ("rivers",)
    return {name: _of(name, sides) for name in programs.members if name not in made}


def _of(name: str, sides: Mapping[str, Any]) -> Any:
    """Returns the file of a program, with its ranks where it has its own."""
    file = f"{name}/resolved.toml"
    if name not in sides:
        return file
    ranks = sides[name]
    return {"file": file, "ranks": ranks if isinstance(ranks, int) else list(ranks)}


def _length(seconds: float) -> str:
    """Returns a length of time for a file."""
    return f"{int(seconds)}s" if seconds == int(seconds) else f"{seconds!r}s"


def _restart(programs: Any) -> str | None:
    """Returns the restart of another directory from which they start; None: they start anew."""
    folder: Path | None = programs.restarts.folder
    own = programs.directory.resolve()
    return None if folder is None or folder.parent == own else str(folder)
