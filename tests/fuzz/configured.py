"""Files of cycles (of the globe, of an area, of a sea), of chains, of calibration and of machines,
with one value replaced by another. Each is an error of one message, or is read, its models are
built, and the value counts.
"""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import experiments

source = Path(__file__).parents[2] / "experiments"
machine = source.parent / "fathom/performance/scaling/machines/cray-ex.toml"

sea = """
[grid]
type = "LatitudeLongitudeGrid"
nx = 12
ny = 6
levels = { type = "ZLevels", nz = 3, depth = 2000 }
[model]
type = "Ocean"
physics = "simple"
[state]
temperature = "20 - depth / 200"
salinity = 35.0
[simulation]
start = "2000-01-01"
time_step = "3h"
"""
calibrated = f"""{sea}run = "1d"
[output."sea.zarr"]
variables = ["sea_surface_temperature"]
every = "6h"
[calibration]
members = 10
[calibration.parameters]
"model.bottom_drag" = {{ prior = "loguniform", range = [1e-4, 1e-2] }}
[calibration.costs.heat]
kind = "mean"
output = "sea.zarr"
variables = ["sea_surface_temperature"]
last = 2
value = 20.0
error = 0.5
"""
small = {
    "cycles": (
        "osse.toml",
        ("model.truncation=8", "nature.truncation=10", "model.levels=3", "nature.levels=3"),
    ),
    "cycles of an area": (
        "osse-area.toml",
        ("area.resolution=100e3", "area.points=[20, 18]", "area.coupling=4", "area.levels=4"),
    ),
    "cycles of a sea": ("osse-sea.toml", ("sea.settings=[]", "inner.settings=[]")),
    "chain": (
        "suite-t42.toml",
        ("grid.truncation=10", 'grid.levels.nz="L8"', "nature.set=['grid.truncation=15']"),
    ),
}  # fmt: skip


def plainly(read: Any) -> Any:
    """All that was understood, as plain values; not where the file lies."""
    held = {k: x for k, x in vars(read).items() if k not in ("document", "file", "path", "text")}
    return json.loads(json.dumps(held, default=lambda x: getattr(x, "__dict__", str(x))))


def _file(name: str, folder: Path) -> Path:
    """The file of a case in a folder, with what it names."""
    folder.mkdir(parents=True, exist_ok=True)
    text = (source / small[name][0]).read_text()
    if name == "cycles of a sea":
        (folder / "sea.toml").write_text(sea)
        text = text.replace("ocean-3deg.toml", "sea.toml")
    path = folder / "case.toml"
    path.write_text(text)
    return path


def _quiet(_: str) -> None:
    pass


def cycles(name: str, folder: Path, settings: list[str]) -> Any:
    """Reads a file of cycles, and builds what it asks for."""
    from fathom.assimilation.cycle import area, experiment, run, sea_experiment
    from fathom.assimilation.cycle import sea as sea_cycles
    from fathom.assimilation.cycle.chain import areas
    from fathom.assimilation.cycle.chain import settings as suites

    readers: dict[str, tuple[Any, Any]] = {
        "cycles": (experiment.read, run.Cycles),
        "cycles of an area": (area.read, area.AreaCycles),
        "cycles of a sea": (sea_experiment.read, sea_cycles.SeaCycles),
        "chain": (suites.read, areas.of),
    }
    read, of = readers[name]
    found = read(_file(name, folder), [*small[name][1], *settings])
    of(found, folder / "run", _quiet)
    if name == "chain":
        return {"tables": found.document.tables, **plainly(found)}
    return plainly(found)


def calibration(folder: Path, settings: list[str]) -> Any:
    """Reads a calibration, and builds the model at the ends of its priors."""
    from fathom.assimilation.calibration import settings as calibrations

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.toml").write_text(calibrated)
    found = calibrations.read(folder / "case.toml", settings)
    return plainly(found) | {"tables": found.experiment(found.middle()).tables}


def machines(folder: Path, settings: list[str]) -> Any:
    """Reads a machine, and prices a sum and some work on its ranks."""
    from fathom.performance.scaling import Clocks, sums
    from fathom.performance.scaling.machine import read
    from fathom.performance.scaling.network import Network
    from fathom.run.experiment.toml import Document, inline

    tables = Document(machine.read_text(), "case.toml", settings).tables
    lines = [f"{key} = {inline(value)}" for key, value in tables.items()]
    found = read("\n".join(lines), "case.toml")
    for ranks in (1, 64, 5000):
        clocks = Clocks(found, ranks)
        clocks.compute(1e-3)
        clocks.sum()
        sums.seconds(found, ranks)
        Network.of(found, ranks)
    ranges = {k: list(v) for k, v in found.given.items()}
    return {"name": found.name, **found.values, **ranges}


def _tables(name: str, folder: Path) -> dict[str, Any]:
    """The tables of a case, with all their keys."""
    if name in ("calibration", "machine"):
        return tomllib.loads(machine.read_text() if name == "machine" else calibrated)
    found = ways[name](folder, [])
    return {key: held for key, held in found.items() if isinstance(held, dict) and key != "tables"}


def _way(name: str) -> Callable[[Path, list[str]], Any]:
    return lambda folder, settings: cycles(name, folder, settings)


ways: dict[str, Callable[[Path, list[str]], Any]] = {
    **{name: _way(name) for name in small},
    "calibration": calibration,
    "machine": machines,
}


def resolved() -> dict[str, dict[str, Any]]:
    """Of each case its tables with all their keys."""
    with tempfile.TemporaryDirectory() as folder:
        return {name: _tables(name, Path(folder) / name) for name in ways}


@cache
def _plain(name: str) -> Any:
    """What is understood without a setting."""
    with tempfile.TemporaryDirectory() as folder:
        return ways[name](Path(folder), [])


def outcome(case: experiments.Case, folder: Path) -> dict[str, str]:
    """As of an experiment; nothing is run."""
    plain = _plain(case.name)
    try:
        found = ways[case.name](folder, list(case.settings))
    except Exception as error:
        return experiments.ended(error)
    counts = found != plain or experiments.holds(plain, case)
    return {"what": "ran" if counts else "silent", "said": ""}
