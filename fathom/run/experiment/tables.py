"""Classes that a file can name, and the keys of their tables."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import fathom
from fathom.grids.staggered import Staggered
from fathom.model import schemes

no_parts = ("Simulation", "RunError", "UnstableError")  # classes that no file names


def parameters(function: Any, skip: Iterable[str] = ()) -> dict[str, Any]:
    """Returns keywords and defaults of a class or function; of a scheme, its parameters in the
    core's catalogue.
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
    """Returns keywords that a table may have for a class: all but the grid of a model, which has a
    separate section.
    """
    return {
        name: default
        for name, default in parameters(cls).items()
        if (name, default) != ("grid", inspect.Parameter.empty)
    }


def class_named(name: str) -> type | None:
    """Returns the public class or scheme of that name; None: there is none."""
    if name in fathom.public and name not in no_parts:
        found = getattr(fathom, name)
        return found if inspect.isclass(found) else None
    return schemes.schemes().get(name)


def ours(thing: Any) -> bool:
    """Returns whether it is an object that a file can name."""
    cls, found = type(thing), class_named(type(thing).__name__)
    if isinstance(thing, schemes.Scheme) and cls.__module__ == "fathom":
        return found is not None  # its class is made anew where a header adds schemes
    same = found is cls or (issubclass(cls, Staggered) and found in cls.__mro__)
    return cls.__module__.startswith("fathom") and same
