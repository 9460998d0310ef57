"""A restart of an ocean on another grid, with other levels, of another region: its fields become
the start of an experiment at its date, as those of a sea around a region do
(fathom/ocean/edges/around.py).
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output
from fathom.base.failure import InputError
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.ocean.edges.around import Around
from fathom.ocean.edges.given import ALONG_GRID, HEIGHT, TOWARDS
from fathom.ocean.edges.outer import OfGrid, Wanted
from fathom.ocean.model import Ocean
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document, dumps


def grid_of(restart: Path, held: Any) -> WaterGrid:
    """Returns the grid of the run that wrote a restart, of the experiment in it, or of the record
    of the run beside it. InputError: there is none, or it is no ocean's.
    """
    record = restart.absolute().parent / "resolved.toml"
    text = held.attrs.get("experiment") or (record.read_text() if record.is_file() else "")
    tables = tomllib.loads(text)
    lost = [key for key in tables.get("not_written", {}) if key.startswith("grid")]
    if "grid" not in tables or lost:
        what = tables["not_written"][lost[0]] if lost else "it holds no experiment"
        raise InputError(f"{restart} does not say on which grid it is: {what}")
    known: dict[str, Any] = {
        name: tables[name] for name in ("grid", "constants", "extensions") if name in tables
    }
    grid = Experiment(Document(dumps(known), str(restart))).grid
    if not isinstance(grid, WaterGrid) or "temperature" not in held:
        raise InputError(f"{restart} is no restart of an Ocean")
    return grid


def converted(restart: Path, experiment: Experiment, out: Path) -> list[str]:
    """Writes the restart of an experiment at the date of another restart. Returns what it did, a
    line each. InputError: no ocean, another calendar or a start after that date; a region that
    leaves that of the restart.
    """
    simulation = experiment.simulation()
    model, clock = simulation.model, simulation.clock
    if not isinstance(model, Ocean):
        raise InputError(f"{experiment.document.name}: a {type(model).__name__} is no Ocean")
    held = output.open(restart)
    source = OfGrid(grid_of(restart, held))
    source.text = f"{restart}, on {source.text}"
    count = _steps(restart, held, simulation)
    every = [field.name for field in model.components[0].state_fields()]
    tracers = [name for name in every if name in held]
    wanted = Wanted(model.grid, np.zeros(np.shape(model.grid.wet_levels)), [], tracers)
    start = model.initial_state
    found = wanted.whole(source, _reader(held, source))
    for name in (*ALONG_GRID, *TOWARDS, HEIGHT):
        start.values.pop(name, None)
    start.values, start.motion = start.values | found, "rest"
    simulation.prepare()
    simulation.count = simulation.anew = simulation.fields.count = count
    simulation.write_restart(out)
    lines = [
        f"{restart}: {source.text}",
        f"{out}: {model.grid!r}, {clock.date(simulation.seconds)}",
    ]
    lines += [f"{name} begins at its initial value" for name in every if name not in tracers]
    return lines + _dry(source, model.grid)


def _steps(restart: Path, held: Any, simulation: Any) -> int:
    """Returns how many steps of an experiment lie between its start and a restart."""
    clock, said = simulation.clock, output.formats.restart.read(restart).header
    if clock.calendar != said.calendar:
        raise InputError(
            f"{restart} is of the calendar {said.calendar!r}, the experiment of {clock.calendar!r}"
        )
    since = -float(type(clock)(said.start, said.calendar).seconds(clock.start)) + said.seconds
    count: int = round(since / simulation.time_step)
    if since < 0 or abs(count * simulation.time_step - since) > 1e-6:
        raise InputError(
            f"{restart} is of {said.seconds:g} s after {said.start}; that is no whole number of"
            f" steps of {simulation.time_step:g} s after {clock.start}, where the experiment starts"
        )
    return count


def _reader(held: Any, source: OfGrid) -> Any:
    """Returns the function that reads fields of a restart at points."""

    def of(name: str, needed: Array) -> Array:
        values = np.asarray(held[name].values, float)
        levels = 1 if name == HEIGHT else source.depth.size
        found: Array = np.nan_to_num(values.reshape(levels, -1)[:, needed])
        return found

    def read(fields: Sequence[str], where: str, needed: Array) -> Sequence[Array]:
        if tuple(fields) != TOWARDS:
            return [of(name, needed) for name in fields]
        u, v = (of(name, needed) for name in ALONG_GRID)
        cosine, sine = (np.asarray(part).ravel()[needed] for part in source.grid.turn)
        return u * cosine - v * sine, u * sine + v * cosine

    return read


def _dry(source: OfGrid, grid: WaterGrid) -> list[str]:
    """Returns a line on water where the restart has land."""
    there = np.asarray(grid.wet_levels) > 0
    x, y = (np.asarray(one)[there] for one in grid.coordinates())
    at = Around(source, "center", x, y, grid.levels.middles)
    if not at.dry.any():
        return []
    far = f", {int(at.far.sum())} of them further than two cells" if at.far.any() else ""
    return [
        f"{int(at.dry.sum())} of {there.sum()} columns have water where the restart has land: they"
        f" have that of the nearest column{far}"
    ]
