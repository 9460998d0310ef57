"""Experiments with something wrong in them: one value of a small case replaced by one that is of
another kind, absurd, empty or not a number. `outcome` says what became of one.

What may come of it: an error in one message, or a run in which the value counts. What must not: a
traceback, a hang, and a run that misreads the value without a message.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import box

atmosphere = """\
[grid]
type = "GaussianGrid"
truncation = 10
levels = { type = "SigmaLevels", nz = 4 }

[model]
type = "SpectralAtmosphere"
physics = [{ type = "HeldSuarez" }]
tracers = ["dust"]
diffusion_time = "6h"

[state]
air_temperature = 280.0

[simulation]
time_step = "20min"
run = "1h"

[output."day.nc"]
variables = ["air_temperature", "eastward_wind"]
every = "1h"
"""

shallow_water = """\
[grid]
type = "GaussianGrid"
truncation = 10

[model]
type = "ShallowWater"
mean_geopotential = 6e4

[state]
case = "williamson-2"

[simulation]
time_step = "20min"
run = "1h"

[output."height.zarr"]
variables = ["geopotential_height"]
every = "1h"
"""

ocean = (
    box.text.replace("nx = 24", "nx = 8").replace("ny = 20", "ny = 6")
    + """
[output."mean.nc"]
variables = ["temperature"]
every = "2h"
statistic = "mean"
"""
)

area = """\
[grid]
type = "LimitedAreaGrid"
centre = [8.0, 46.5]
resolution = 80e3
points = [20, 18]
coupling = 4
extension = 8
levels = { type = "HybridLevels", nz = "L8" }

[model]
type = "LimitedAreaAtmosphere"
diffusion_time = "30min"

[state]
air_temperature = 270.0

[simulation]
start = "2011-10-11"
time_step = "10min"
run = "1h"

[output."area.zarr"]
variables = ["air_temperature", "surface_air_pressure"]
every = "20min"
"""

plane = """\
[grid]
type = "CartesianGrid"
nx = 20
ny = 4
extent = [20e3, 4e3]
periodic = true
levels = { type = "HeightLevels", nz = 8, top = 10e3 }

[model]
type = "GridPointAtmosphere"

[state]
air_temperature = 280.0

[simulation]
time_step = "10s"
run = "1min"

[output."plane.nc"]
variables = ["air_potential_temperature"]
every = "20s"
"""

cases = {
    "ocean": ocean,
    "atmosphere": atmosphere,
    "shallow water": shallow_water,
    "area": area,
    "plane": plane,
}

# Values for any key, as they are written in a file.
values = (
    *('"none"', "false", "true", "[]", '""', "{}", "-1", "0", "1e300", "-1e300", "nan", "inf"),
    *('"nan"', '"many"', "1000000000000", "[1]", "[nan]", "[[[]]]", '["a", 1]', '"1e400"', "-inf"),
    *('{ type = "Nothing" }', "2000-01-01", '"2000-13-01"', '"../x"', "0.5", '"-1h"', '"1h"', "3"),
)


class Case:
    """One experiment: the name of its case, and settings on top of it."""

    def __init__(self, name: str, *settings: str):
        self.name, self.settings = name, settings

    @property
    def text(self) -> str:
        return cases[self.name]

    def __repr__(self):
        return f"{self.name}: {' '.join(f'--set {s!r}' for s in self.settings)}"


def keys(table: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All keys of a document, tables too."""
    for name, value in table.items():
        yield (*path, name)
        if isinstance(value, dict):
            yield from keys(value, (*path, name))


def dotted(path: tuple[str, ...]) -> str:
    return ".".join(part if re.fullmatch(r"[\w-]+", part) else f'"{part}"' for part in path)


def misspelt(path: tuple[str, ...], chance: random.Random) -> tuple[str, ...]:
    """The same key with two letters changed over, or one more."""
    *front, name = path
    at = chance.randrange(len(name))
    other = name[:at] + name[at + 1 : at + 2] + name[at : at + 1] + name[at + 2 :]
    return (*front, other if other != name else name + "s")


def like(usual: Any, chance: random.Random) -> str:
    """A value of the kind of the usual one, as it is written in a file."""
    from fathom.run.experiment.toml import inline

    if isinstance(usual, bool):
        return inline(not usual)
    if isinstance(usual, int):
        return inline(chance.choice((-usual, 0, usual + 1, 100 * usual, usual // 3)))
    if isinstance(usual, float):
        return inline(chance.choice((-1.0, 0.37, 1e-6, 1e6)) * usual)
    if isinstance(usual, str):
        return inline(chance.choice(("7min", "45d", "90min", usual + "s", usual[:-1])))
    if isinstance(usual, list):
        return inline(chance.choice((usual[::-1], usual + usual, usual[1:], [0.37, -3])))
    return chance.choice(values)


def at(tables: Any, path: tuple[str, ...]) -> Any:
    """What lies there."""
    for part in path:
        tables = tables[part]
    return tables


def made(number: int, resolved: dict[str, dict[str, Any]], seed: int = 0) -> list[Case]:
    """So many different cases; resolved: name -> tables of the case with all their keys."""
    chance = random.Random(seed)
    known = {name: list(keys(tables)) for name, tables in resolved.items()}
    found: dict[str, Case] = {}
    while len(found) < number:
        name = chance.choice(list(known))
        path = key = chance.choice(known[name])
        if chance.random() < 0.1:
            key = misspelt(path, chance)
        value = chance.choice(values)
        if chance.random() < 0.4:
            value = like(at(resolved[name], path), chance)
        if name == "machine" and chance.random() < 0.7:
            value = f'[{value}, "said"]' if value[0] != "[" else value  # with where it is from
        case = Case(name, f"{dotted(key)}={value}")
        found[repr(case)] = case
    return list(found.values())


def outcome(case: Case, directory: Path) -> dict[str, str]:
    """{"what": "error", "ran", "silent" or "traceback", "said": why}. In a process that may be
    killed: it may take long, or much memory.
    """
    from fathom.run.experiment.experiment import Experiment
    from fathom.run.experiment.toml import Document

    try:
        experiment = Experiment(Document(case.text, "case.toml", case.settings))
        simulation = experiment.simulation(directory, overwrite=True)
        simulation.run(2 * simulation.time_step, report=False)
        text = experiment.resolved()
    except Exception as error:
        return ended(error)
    plain = Experiment(Document(case.text, "case.toml"))
    plain.simulation(directory, overwrite=True)
    unchanged = plain.resolved()
    counts = text != unchanged or holds(tomllib.loads(unchanged), case)
    return {"what": "ran" if counts else "silent", "said": ""}


def ended(error: Exception) -> dict[str, str]:
    """What an error is: one of Fathom with a message, or a traceback."""
    import traceback

    from fathom.base.failure import Error

    said = str(error).strip()
    if isinstance(error, MemoryError):  # the command says it in one line (fathom/run/launch.py)
        return {"what": "error", "said": "too little memory"}
    if isinstance(error, Error) and said:
        return {"what": "error", "said": said}
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(where.filename).name}:{where.lineno}"
    return {"what": "traceback", "said": f"{error!r} at {place}"}


def holds(held: Any, case: Case) -> bool:
    """Whether the tables hold the value without the case's setting, or both say that there is
    none.
    """
    path, _, value = case.settings[0].partition("=")
    for part in re.findall(r'"([^"]*)"|([\w-]+)', path):
        held = held.get("".join(part)) if isinstance(held, dict) else None
    given = tomllib.loads(f"value = {value}")["value"]
    nothing = (None, "none", False, 0, "", [], {}, [False, False])
    same_day = path == "simulation.start" and str(given)[:10] == str(held)[:10]
    if path in ("parallel.ranks", "model.deep") or same_day:
        return True  # the launcher's; planes have no depth; the same date in other words
    usual = ("grid.levels", "model.linear_about", "model.sponge_bottom")
    if given == {} or (path in usual and given == "none"):
        return True  # same as the default; one layer; the usual one of the grid; its top
    if given == [[[]]]:
        given = []  # lists in lists are one list
    same = str(held) == str(given) or (type(given) is int and held == given)
    return same or (held in nothing and given in nothing)
