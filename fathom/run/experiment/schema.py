"""The keys of experiment files: as a JSON schema for editors, and for completion of `--set`.

Both come from the signatures and docstrings of the classes that a file can name, as the reader of
files itself takes them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import fathom
from fathom.base import kinds as values
from fathom.model import schemes
from fathom.run.ensemble.ensemble import Ensemble
from fathom.run.experiment import tables
from fathom.run.experiment.experiment import (
    extension_keys,
    kinds,
    parallel_keys,
    placing,
    run_keys,
    sections,
)
from fathom.run.simulation import Simulation

Schema = dict[str, Any]
others = (
    "programs",
    "chain",
    "cycle",
    "calibration",
)  # files with one of these have other sections
skipped = ("model", "directory", "overwrite", "parallel", "ensemble", "configuration")  # of no file


def schema() -> Schema:
    """Returns the JSON schema of experiment files (draft 2020-12)."""
    classes = dict(_classes())
    single = {
        "properties": {
            "constants": {"type": "object"},
            "extensions": _table({key: {"type": "array"} for key in extension_keys}),
            "grid": _of_kind("grid", classes),
            "model": _of_kind("model", classes),
            "state": {"type": "object"},
            "simulation": _table(_simulation(classes)),
            "output": {
                "type": "object",
                "additionalProperties": _table(_of(Simulation.output, ("path",))),
            },
            "ensemble": _table(_of(Ensemble)),
            "observations": _table(_of(Simulation.observe)),
            "parallel": _table({key: {} for key in parallel_keys}),
            "not_written": {"type": "object"},
        },
        "additionalProperties": False,
    }
    named = [{"required": [name]} for name in others]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An experiment of Fathom",
        "type": "object",
        "if": {"anyOf": named},
        "then": {},
        "else": single,
        "$defs": {name: _of_class(cls) for name, cls in classes.items()} | {"part": _part(classes)},
    }


def meanings(cls: Any) -> dict[str, str]:
    """Returns the meaning of parameters in the docstring of a class."""
    _, _, section = (inspect.getdoc(cls) or "").partition("Parameters\n----------\n")
    found: dict[str, str] = {}
    names: list[str] = []
    for line in section.split("\n"):
        head = re.match(r"([a-z]\w*(?:, [a-z]\w*)*) : (.*)", line)
        if head:
            names = head[1].split(", ")
            found.update(dict.fromkeys(names, head[2]))
        elif line.startswith("    ") and names:
            found.update({name: f"{found[name]} {line.strip()}" for name in names})
        else:
            names = []
    return found


def keys_below(given: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    """Returns the keys that a file with these tables can have in the table `path`."""
    if not path:
        return [name for name in sections if name != "not_written"]
    table: Any = given
    for name in path:
        table = table.get(name, {}) if isinstance(table, Mapping) else {}
    own = list(table) if isinstance(table, Mapping) else []
    if path[0] in ("grid", "model") or path[:2] == ("simulation", "surface"):
        cls = _class_at(given, path)
        known = list(tables.keys(cls)) if cls else []
    elif path == ("simulation",):
        known = [*_parameters(Simulation, skipped), *run_keys]
    elif path[0] == "output" and len(path) == 2:
        known = list(_parameters(Simulation.output, ("self", "path")))
    else:
        others: dict[tuple[str, ...], list[str]] = {
            ("parallel",): list(parallel_keys),
            ("ensemble",): list(_parameters(Ensemble, ())),
            ("observations",): list(_parameters(Simulation.observe, ("self",))),
            ("extensions",): list(extension_keys),
        }
        known = others.get(path, [])
    return list(dict.fromkeys([*own, *known]))


def _class_at(given: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """Returns the class of a table: the one that it names, else that of the default."""
    table: Any = given
    cls: Any = None
    for depth, name in enumerate(path):
        table = table.get(name) if isinstance(table, Mapping) else None
        said = table.get("type") if isinstance(table, Mapping) else table
        if isinstance(said, str) and (named := tables.class_named(said)):
            cls = named
        elif depth and cls is not None:
            default = tables.keys(cls).get(name)
            cls = type(default) if tables.ours(default) else None
    return cls


def _classes() -> Iterator[tuple[str, Any]]:
    """Yields the classes that a file can name."""
    for name in (*fathom.public, *schemes.schemes()):
        cls = tables.class_named(name)
        if cls is not None and not issubclass(cls, BaseException):
            yield name, cls


def _of_class(cls: Any) -> Schema:
    """Returns the table of a class: its keys with defaults and meanings."""
    said = (inspect.getdoc(cls) or "").partition("\n\n")[0].replace("\n", " ")
    own = meanings(cls)
    rows = {
        key: {**_of_value(default), **({"description": own[key]} if key in own else {})}
        for key, default in tables.keys(cls).items()
    }
    if isinstance(cls, type) and issubclass(cls, schemes.Scheme):
        rows |= {key: {} for key in placing}
    annotated = inspect.signature(cls).parameters
    for key, row in rows.items():
        said_of = str(annotated[key].annotation) if key in annotated else ""
        rule = values.members(said_of) - {"None", ""}
        if rule == {"bool"}:
            row["type"] = ["boolean", "string"]  # or "none"
        elif rule and rule <= {"float", "int"}:
            row["type"] = ["number", "string"]  # or arithmetic
    return {**_table({"type": {"const": cls.__name__}, **rows}), "description": said}


def _of_value(default: Any) -> Schema:
    """Returns what a key may be: a plain value, or the table of a part."""
    plain = {"type": ["number", "string", "boolean", "array"]}
    known = {"default": default} if isinstance(default, (bool, int, float, str)) else {}
    return {"anyOf": [plain, {"$ref": "#/$defs/part"}], **known}


def _part(classes: Mapping[str, Any]) -> Schema:
    """Returns any table: with the keys of its class where it names one."""
    return {"type": "object", "allOf": [_if_named(name) for name in classes]}


def _if_named(name: str) -> Schema:
    asked = {"properties": {"type": {"const": name}}, "required": ["type"]}
    return {"if": asked, "then": {"$ref": f"#/$defs/{name}"}}


def _of_kind(kind: str, classes: Mapping[str, Any]) -> Schema:
    """Returns a table that names one of the grids, of the models, or of the surfaces."""
    names = [
        name
        for name, cls in classes.items()
        if inspect.isclass(cls) and issubclass(cls, kinds[kind])
    ]
    return {
        "type": "object",
        "properties": {"type": {"enum": names}},
        "required": ["type"],
        "allOf": [_if_named(name) for name in names],
    }


def _simulation(classes: Mapping[str, Any]) -> Schema:
    own = _of(Simulation, skipped) | {key: {} for key in run_keys}
    return own | {"surface": {"anyOf": [{"type": "string"}, _of_kind("surface", classes)]}}


def _of(function: Any, skip: Iterable[str] = ()) -> Schema:
    """Returns the keys of a table whose keys are the keywords of a function."""
    return {name: {} for name in _parameters(function, ("self", *skip))}


def _parameters(function: Any, skip: Iterable[str]) -> dict[str, Any]:
    return tables.parameters(function, skip=skip)


def _table(rows: Mapping[str, Any]) -> Schema:
    return {"type": "object", "properties": dict(rows), "additionalProperties": False}
