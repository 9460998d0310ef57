"""The configuration of a simulation that was made in Python, as the text of an experiment.

Values that TOML cannot express, as functions and arrays, are in < >: such a file documents the run,
but cannot be run. A file without them runs the same.
"""

from __future__ import annotations

from typing import Any

from fathom.base.given import said
from fathom.run.experiment.tables import table, text, texts
from fathom.run.experiment.toml import dumps

first_lines = "# Made in Python. TOML cannot hold what is in < >.\n\n"
of_the_run = ("model", "directory", "overwrite", "parallel", "configuration", "comm", "surface")


def written(simulation: Any) -> str:
    """All its sections; functions that it calls are in comments. If it fails, the run continues,
    and the text says why.
    """
    try:
        return _text(simulation)
    except Exception as error:  # of a user's own class, say
        return f"{first_lines}# The configuration could not be written: {error!r}\n"


def _text(simulation: Any) -> str:
    s, model = simulation, simulation.model
    given = {name: value for name, value in said(s).items() if name not in of_the_run}
    called = [event.label for event in s.events if event.label not in _known(s)]
    sections = {
        "grid": table(model.grid, None),
        "model": _without_grid(table(model, None)),
        "state": texts(model.state_arguments),
        "simulation": {
            "step": s.step,
            "start": str(s.clock.start),
            "calendar": s.clock.calendar,
            "surface": s.surface and text(s.surface),
            **texts(given),
            **_checkpoint(s),
        },
        "output": {str(store.path): texts(getattr(store, "told", {})) for store in s.outputs},
        "parallel": texts({k: v for k, v in s.parallel.items() if k in s.named}),
    }
    calls = "".join(f"# called: {name}\n" for name in called)
    return first_lines + calls + dumps(sections)


def _without_grid(made: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in made.items() if name != "grid"}


def _checkpoint(s: Any) -> dict[str, Any]:
    """The first interval of restarts; a file has one."""
    for event in s.events:
        if event.label == "checkpoint" and s.checkpoints:
            first = s.checkpoints[0]
            asked = {"every": str(event.every), "path": str(first.path), "keep": first.keep}
            return {"checkpoint": texts(asked)}
    return {}


def _known(s: Any) -> set[str]:
    return {"checkpoint", "watch", *(str(one.path) for one in [*s.outputs, *s.observing])}
