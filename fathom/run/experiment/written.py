"""The record of a run, as the text of an experiment with every default: running it repeats the run.

It is written from the arguments that objects keep (fathom/base/configurable.py). What TOML cannot
hold, as a function or a large array, is named in [not_written], and an experiment with this table
is refused until each key in it has been given (`refuse`).
"""

from __future__ import annotations

import inspect
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError
from fathom.data import sets
from fathom.model import plugins
from fathom.output import diagnostics, formats
from fathom.run.experiment.stretch import Stretch
from fathom.run.experiment.tables import ours, parameters
from fathom.run.experiment.toml import Document, Path_, bare, dumps, split
from fathom.run.experiment.words import Words, about

first_line = "# The experiment of this run. TOML cannot hold what [not_written] names.\n\n"
apart = (
    "model",
    "surface",
    "directory",
    "overwrite",
    "parallel",
    "ensemble",
    "configuration",
    "comm",
)


def written(simulation: Any) -> str:
    """Returns the experiment of a simulation. If it fails, the run continues, and the text says
    why.
    """
    try:
        tables = sections(simulation)
    except Exception as error:  # of a user's own class, say
        tables = {"not_written": {"model": f"the configuration could not be written: {error!r}"}}
    return first_line + _text(repr(tables), tables)


def _text(key: str, tables: dict[str, Any]) -> str:
    """Returns the TOML of tables; key: all that is in them. The last one is kept: restart, stores
    and the directory of a run have the same.
    """
    if key not in _last:
        _last.clear()
        _last[key] = dumps(tables)
    return _last[key]


_last: dict[str, str] = {}


def sections(simulation: Any) -> dict[str, Any]:
    """Returns the tables of the experiment, by section."""
    s, words, raw = simulation, Words(), Words(interpreted=False)
    read = tomllib.loads(s.configuration)
    made = {
        "grid": _object(s.model.arguments.get("grid", s.model.grid), words, ("grid",)),
        "model": {k: v for k, v in _object(s.model, words, ("model",)).items() if k != "grid"},
        "state": words.values(_joined(s.model.calls_of("set")), ("state",)),
        "simulation": _of_simulation(s, words, raw),
        "ensemble": _of_ensemble(s.members.ensemble, raw),
        "output": {str(store.path): _of_output(s, str(store.path), raw) for store in s.outputs},
        "observations": _of_observations(s, raw),
        "parallel": {
            "ranks": s.everyone.size + len(s.helpers.get("radiation_ranks", ())),
            "threads": int(s.parallel["threads"]),
            **raw.values({k: v for k, v in s.parallel.items() if k in s.named}, ("parallel",)),
        },
    }
    missing = {**words.missing, **raw.missing, **_in_python(s), **_of_programs(s)}
    if not read.get("extensions", {}).get("python"):
        missing |= _of_scripts(made)
    return {
        "constants": {**words.constants, **read.get("constants", {})},
        "extensions": _extensions(made, read.get("extensions", {})),
        **made,
        "not_written": {".".join(map(bare, path)): what for path, what in missing.items()},
    }


def state_of(simulation: Any) -> dict[str, Any]:
    """Returns the start of a simulation as a file has it, with the constants in it; {}: it has no
    words.
    """
    words = Words()
    try:
        state = words.values(_joined(simulation.model.calls_of("set")), ("state",))
    except Exception:  # of a user's own class, say
        return {}
    known = {name: value for name, value in state.items() if value is not None}
    return known | ({"constants": words.constants} if words.constants else {})


def refuse(document: Document) -> None:
    """Raises InputError: an experiment lacks what [not_written] names, and nobody has given it."""
    named = document.section("not_written")
    lacking = [key for key in named if not document.gives(split(key))]
    if lacking:
        what = "; ".join(f"{key}, {named[key]}" for key in lacking)
        none = ' (simulation.python="none": without it)' * ("simulation.python" in lacking)
        raise InputError(
            f"{document.place('not_written', lacking[0])}: this record of a run lacks what a file"
            f" cannot hold: {what}. Give it, as --set {lacking[0]}=VALUE{none}, or make the run in"
            " Python"
        )


def _object(thing: Any, words: Words, path: Path_) -> dict[str, Any]:
    """Returns the table of the grid or the model; {} for one of a user's own class."""
    if ours(thing):
        return words.table(thing, path)
    words.missing[path] = about(thing)
    return {}


def _of_programs(s: Any) -> dict[Path_, str]:
    """Returns what other programs under the same clock give to a simulation (fathom/coupled)."""
    taken = ", ".join(s.handed.taken)
    return {("simulation", "taken"): f"fields from other programs: {taken}"} if taken else {}


def _joined(calls: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the arguments of several calls, of which the later ones count."""
    return {name: value for call in calls for name, value in call.items()}


def _of_simulation(s: Any, words: Words, raw: Words) -> dict[str, Any]:
    """Returns its keywords, with the defaults of others, its length, its restarts, its surface."""
    path = ("simulation",)
    stretch: Stretch = s.stretch
    usual = parameters(type(s), skip=apart)
    given = {name: value for name, value in s.arguments.items() if name in usual}
    keywords = {n: v for n, v in usual.items() if v is not inspect.Parameter.empty}
    made = keywords | raw.values(given | {"start": str(s.clock.start)}, path)
    made |= {"run": stretch.run, "checkpoint": _checkpoints(s, raw), "restart": stretch.restart}
    if stretch.lost:
        raw.missing[*path, "restart"] = stretch.lost
    if s.surface is not None:
        made["surface"] = _object(s.surface, words, (*path, "surface")) or None
    return made


def _of_ensemble(ensemble: Any, raw: Words) -> dict[str, Any]:
    """Returns the keywords of the ensemble; {}: there is none."""
    if ensemble is None:
        return {}
    usual = parameters(type(ensemble), skip=("self", "members"))
    given = raw.values(ensemble.arguments, ("ensemble",))
    return {n: v for n, v in (usual | given).items() if v is not None}


def _checkpoints(s: Any, raw: Words) -> Any:
    """Returns the table of the checkpoints, or a list of several; None: there are none."""
    calls = s.calls_of("checkpoint")
    usual = parameters(type(s).checkpoint, skip=("self",))
    found = [
        {n: v for n, v in usual.items() if v is not None}
        | raw.values(call, ("simulation", "checkpoint"))
        for call in calls
    ]
    return found if len(found) > 1 else next(iter(found), None)


def _of_output(s: Any, path: str, raw: Words) -> dict[str, Any]:
    """Returns the table of one output."""
    calls = (c for c in s.calls_of("output") if os.path.normpath(c["path"]) == path)
    call: Mapping[str, Any] = next(calls, {})
    usual = parameters(type(s).output, skip=("self", "path", "variables"))
    given = {name: value for name, value in call.items() if name != "path"}
    return usual | raw.values(given, ("output", path))


def _of_observations(s: Any, raw: Words) -> dict[str, Any]:
    """Returns the table of the departures that are made in the run; {}: none are."""
    calls = s.calls_of("observe")
    for _ in calls[1:]:
        raw.missing["observations", "base"] = "another base of observations"
    usual = parameters(type(s).observe, skip=("self", "base"))
    return usual | raw.values(calls[0], ("observations",)) if calls else {}


def _in_python(s: Any) -> dict[Path_, str]:
    """Returns what Python code does between steps."""
    calls = [
        f"{about(call['function'])} is called each {call['every']}" for call in s.calls_of("call")
    ]
    sets = [f"{name} is set at {date}" for name, date in s.set_between.items()]
    return {("simulation", "python"): "; ".join(calls + sets)} if calls or sets else {}


def _of_scripts(made: Mapping[str, Any]) -> dict[Path_, str]:
    """Returns the diagnostics, formats and data sets of the user's script that are used."""
    texts = {*_texts(made)}
    endings = {Path(path).suffix for path in made["output"]}
    used = {
        "diagnostic": texts & diagnostics.of_scripts(),
        "format": endings & formats.of_scripts(),
        "data set": texts & sets.of_scripts(),
    }
    named = [f"the {what} {name}" for what, names in used.items() for name in sorted(names)]
    said = f"{', '.join(named)}: a file of Python that registers it"
    return {("extensions", "python"): said} if named else {}


def _extensions(made: Mapping[str, Any], read: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the headers of the user's own schemes that are named, and other own parts."""
    used = {*_texts(made)}
    headers = [str(file) for file, names in plugins.loaded.items() if used & {*names}]
    schemes = list(dict.fromkeys([*read.get("schemes", []), *headers]))
    return {**read, **({"schemes": schemes} if schemes else {})}


def _texts(made: Any) -> Iterator[str]:
    """Returns all texts in tables: names of classes, data sets, variables."""
    if isinstance(made, str):
        yield made
    for part in made.values() if isinstance(made, Mapping) else made:
        if not isinstance(made, str) and isinstance(part, (str, Mapping, list)):
            yield from _texts(part)
