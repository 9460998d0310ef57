"""Values in words of TOML: objects as tables with their class and all its parameters."""

from __future__ import annotations

import datetime
import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.clock import Period
from fathom.base.configurable import Configurable, Was, light
from fathom.base.failure import InputError
from fathom.model import schemes
from fathom.model.order import Insertion
from fathom.run.experiment.expression import Expression, interpret
from fathom.run.experiment.tables import class_named, keys, ours
from fathom.run.experiment.toml import Path_

# values that a scheme gets from its model, unless the scheme has them
offered = ("step", "gas_constant", "heat_capacity", "gravity", "rotation", "curvature")


class Words:
    """Writes values in words of TOML; `missing` names what has none: {path of its key: what it is}.

    `constants`: those of the expressions that were written. `interpreted`: whether a file reads
    texts as expressions there.
    """

    def __init__(self, *, interpreted: bool = True) -> None:
        self.interpreted = interpreted
        self.missing: dict[Path_, str] = {}
        self.constants: dict[str, float] = {}

    def values(self, given: Mapping[str, Any], path: Path_) -> dict[str, Any]:
        """Returns values by name, without those that are None or have no words."""
        made = {name: self.value(value, (*path, name)) for name, value in given.items()}
        return {name: value for name, value in made.items() if given[name] is not None}

    def value(self, value: Any, path: Path_) -> Any:
        """Returns a value in words of TOML; None, and a note in `missing`, where it has none."""
        made = self._word(value, path)
        if made is None:
            self.missing.setdefault(path, about(value))
        return made

    def table(self, thing: Any, path: Path_) -> dict[str, Any]:
        """Returns the table of an object: its class and all its parameters, as it holds them, or as
        they were given. Its attribute `written`, where it has one, tells which of its arguments go
        together.
        """
        given = thing.arguments if isinstance(thing, Configurable) else {}
        held = {**vars(thing), **vars(thing).get("parameters", {})}
        written = held.get("written", {})
        made: dict[str, Any] = {"type": type(thing).__name__}
        made |= {name: value for name, value in written.items() if value is not None}
        for name, default in keys(type(thing)).items():
            unsaid = name not in held and name not in given
            if name in written or (unsaid and (written or _is_offered(thing, name))):
                continue
            value = self._parameter(held, given, name, default, (*path, name))
            if value is not None and value is not inspect.Parameter.empty:
                made[name] = value
        return made

    def _parameter(
        self,
        held: Mapping[str, Any],
        given: Mapping[str, Any],
        name: str,
        default: Any,
        path: Path_,
    ) -> Any:
        """Returns the value of a parameter: that of the object, the given one, or the default."""
        said, now = given.get(name), held.get(name)
        if isinstance(now, list) and any(isinstance(one, Insertion) for one in now):
            return self.value(now, path)  # a user has added to them since
        if (made := self._present(now, path)) is not None:
            same = isinstance(said, (int, str)) and not isinstance(now, str) and said == now
            return said if same else made
        if said is not None:
            return self.value(said, path)
        if name in given or (name in held and now is None):
            return "none"
        return self.value(default, path) if isinstance(default, tuple) else default

    def _present(self, now: Any, path: Path_) -> Any:
        """Returns the value that an object holds now, None where it has none or no words."""
        if now is None or isinstance(now, np.ndarray):
            return None
        own = Words(interpreted=self.interpreted)
        made = own.value(now, path)
        if made is None or path in own.missing:
            return None
        self._join(own)
        return made

    def _word(self, value: Any, path: Path_) -> Any:
        """Returns the value in words, None where it has none."""
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, Expression):
            self.constants |= {n: c for n, c in value.constants.items() if n != "pi"}
            return value.text
        if isinstance(value, str):
            return None if self.interpreted and _is_arithmetic(value) else value
        if value is None:
            return "none"
        if isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, (Path, Period, datetime.date, np.datetime64)):
            return str(value)
        if isinstance(value, type):
            return value.__name__ if class_named(value.__name__) is value else None
        return self._words(value, path)

    def _words(self, value: Any, path: Path_) -> Any:
        """Returns a value that has parts in words, None where it has none."""
        if isinstance(value, Mapping):
            return self.values(value, path)
        if isinstance(value, np.ndarray):
            return value.tolist() if value.ndim == 1 else None
        if isinstance(value, (list, tuple)):
            return self._list(value, path)
        if isinstance(value, Insertion):
            return self._placed(value, path)
        if ours(value):
            return self.table(value, path)
        value = light(value)
        return value.source or None if isinstance(value, Was) else None

    def _list(self, values: Iterable[Any], path: Path_) -> list[Any] | None:
        """Returns a list in words; None where a part has none, as a file can give it as a whole
        only.
        """
        own = Words(interpreted=self.interpreted)
        made = [own.value(value, ()) for value in values]
        if own.missing:
            self.missing[path] = next(iter(own.missing.values()))
            return None
        self._join(own)
        return made

    def _placed(self, value: Insertion, path: Path_) -> Any:
        """Returns the table of a process with its place; None of one that no file can name."""
        if not ours(value.process):
            return None
        where, name = value.beside
        more = {"on": value.on or None, "phase": value.phase}
        return self.table(value.process, path) | {where: name} | more

    def _join(self, other: Words) -> None:
        self.missing |= other.missing
        self.constants |= other.constants


def about(value: Any) -> str:
    """Returns a few words about a value that no file can hold."""
    if isinstance(value, Insertion):
        return about(value.process)
    if isinstance(value, str):
        return f"the text {value!r}, which a file reads as an expression"
    if callable(value) and hasattr(value, "__qualname__") and not isinstance(value, type):
        return f"the function {value.__name__}"
    what = getattr(value, "__name__", type(value).__name__)
    if shape := getattr(value, "shape", None):
        return f"{what} of {' × '.join(map(str, shape))}"
    return f"an object of the class {what}"


def _is_arithmetic(text: str) -> bool:
    """Returns whether a file reads a text as arithmetic, or refuses it as such."""
    try:
        return interpret(text) is not text
    except InputError:
        return True


def _is_offered(thing: Any, name: str) -> bool:
    """Returns whether a model gives a scheme that parameter."""
    return name in offered and isinstance(thing, schemes.Scheme)
