"""Objects as tables of TOML: the class by its name, and all its parameters.

A value that has no words in TOML, as an array or a function, is a text in < >.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import fathom
from fathom.base.given import said
from fathom.model import schemes
from fathom.model.order import Insertion
from fathom.run.experiment.expression import Expression

# values that a scheme gets from its model, unless the scheme has them
offered = ("step", "gas_constant", "heat_capacity", "gravity", "rotation", "curvature")
no_parts = ("Simulation", "RunFailure", "Unstable")  # classes that no file names


def parameters(function: Any, skip: Iterable[str] = ()) -> dict[str, Any]:
    """Keywords and defaults of a class or function; of a scheme, its parameters in the core's
    catalogue.
    """
    known = schemes.schemes()
    name = getattr(function, "__name__", "")
    of_scheme = (
        {p["name"]: p["value"] for p in known[name].entry["parameters"]} if name in known else {}
    )
    if known.get(name) is function:
        return of_scheme | {"every": None}
    found = inspect.signature(function).parameters.values()
    open_ended = any(p.kind is p.VAR_KEYWORD for p in found)
    own = {
        p.name: p.default
        for p in found
        if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) and p.name not in skip
    }
    return own | (of_scheme if open_ended else {})


def keys(cls: Any) -> dict[str, Any]:
    """Keywords that a table may have for a class: all but the grid of a model, which has a separate
    section.
    """
    return {
        name: default
        for name, default in parameters(cls).items()
        if (name, default) != ("grid", inspect.Parameter.empty)
    }


def class_named(name: str) -> type | None:
    if name in fathom.public and name not in no_parts:
        found = getattr(fathom, name)
        return found if inspect.isclass(found) else None
    return schemes.schemes().get(name)


def ours(thing: Any) -> bool:
    """Whether it is an object that a file can name."""
    return type(thing).__module__.startswith("fathom") and class_named(
        type(thing).__name__
    ) is type(thing)


def table(thing: Any, given: Any) -> dict[str, Any]:
    """The inline table of an object: its class and all its parameters; `given` for what cannot be
    read back from it. `written` of it: what was said, where it can be said in several ways.
    """
    given = given if isinstance(given, Mapping) else texts(said(thing))
    held = {**vars(thing), **vars(thing).get("parameters", {})}
    written = held.get("written", {})
    made: dict[str, Any] = {"is": type(thing).__name__}
    made |= {name: value for name, value in written.items() if value is not None}
    for name, default in keys(type(thing)).items():
        unsaid = name not in held and name not in given
        if name in written or (unsaid and (written or _is_offered(thing, name))):
            continue
        value = _held(held, name, given.get(name), default)
        if value is not None and value is not inspect.Parameter.empty:
            made[name] = value
    return made


def _is_offered(thing: Any, name: str) -> bool:
    """Whether a model gives a scheme that parameter."""
    return name in offered and isinstance(thing, schemes.Scheme)


def texts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Given values by name, as in a file."""
    return {name: text(value) for name, value in given.items() if value is not None}


def text(value: Any) -> Any:
    """A value in words of TOML, or in < >."""
    if isinstance(value, Mapping):
        return texts(value)
    if isinstance(value, (list, tuple)):
        return [text(item) for item in value]
    if isinstance(value, type) and class_named(value.__name__) is value:
        return value.__name__
    made = plain(value, None)
    return f"<{_about(value)}>" if made is None else made


def _about(value: Any) -> str:
    """A few words about a value that no file can hold."""
    what = getattr(value, "__name__", type(value).__name__)
    if shape := getattr(value, "shape", None):
        return f"{what} of {' × '.join(map(str, shape))}"
    return what


def _held(held: Mapping[str, Any], name: str, given: Any, default: Any) -> Any:
    """The value of a parameter in a file: that of the object, the given one, or the default."""
    value = plain(held[name], given) if name in held else None
    if value is not None:
        return value
    if given is not None:
        return given
    return "none" if name in held and held[name] is None else default


def plain(value: Any, given: Any) -> Any:
    """A value as a file can hold it; None where it cannot."""
    if isinstance(value, Expression):
        return value.text
    if isinstance(value, (bool, int, float, str)):
        return (
            given
            if isinstance(given, (int, str)) and not isinstance(value, str) and given == value
            else value
        )
    if isinstance(value, (list, tuple)):
        items = [plain(item, None) for item in value]
        return None if any(item is None for item in items) else items
    if isinstance(value, Insertion):
        where, name = value.beside
        more = {"on": value.on or None, "phase": value.phase}
        return table(value.process, None) | {where: name} | more
    if ours(value):
        return table(value, given)
    return None
