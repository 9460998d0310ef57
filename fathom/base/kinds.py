"""Values against the annotation of their argument: true is no number, "no" is no truth.

rules(inspect.signature(function))      [(0, "bottom_drag", rule), ...]
rule(True)                              "must be a number"
misfits(signature, given, named, scope)    "tracers = 5 must be PassiveTracer | str | Iterable[...]"
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

import numpy as np

Rule = Callable[[Any], str]  # of a value: what it must be, where it is not; else ""
Rules = tuple[tuple[int, str, Rule], ...]

_numeric = re.compile(r"\b(float|int|Given|Duration)\b")
_any = re.compile(r"\b(bool|Any|object)\b")
_of_function = re.compile(r"Callable\[.*?, \w+\]")
_wider: dict[Any, Any] = {float: Real, int: Integral, bool: (bool, np.bool_)}


@lru_cache(maxsize=4096)
def members(annotation: str) -> frozenset[str]:
    """Returns the parts of a union at its top: "float | list[int | str]" has two."""
    found, depth, word = set(), 0, ""
    for sign in annotation + "|":
        depth += (sign in "[(") - (sign in "])")
        if sign == "|" and not depth:
            found.add(word.strip())
            word = ""
        else:
            word += sign
    return frozenset(found)


@lru_cache(maxsize=4096)
def rule(annotation: str) -> Rule | None:
    """Returns what tells whether a value is a truth or a number as an annotation says; None:
    it may be anything.
    """
    parts = members(annotation)
    kinds, empty = parts - {"None"}, "None" in parts
    if kinds == {"bool"}:
        return lambda value: "" if _is_truth(value, empty) else "must be true or false"
    if kinds and kinds <= {"float", "int"}:
        whole = kinds == {"int"}
        text = "must be a whole number" if whole else "must be a number"
        return lambda value: "" if _is_number(value, whole, empty) else text
    if _numeric.search(annotation) and not _any.search(
        annotation.replace("Callable[..., Any]", "")
    ):
        return lambda value: (
            "holds true or false, which is no number" if _holds_truth(value) else ""
        )
    return None


def not_a_number(value: Any) -> str:
    """Returns "must be a number", or "" for a number."""
    return "" if _is_number(value, whole=False, empty=False) else "must be a number"


def _is_truth(value: Any, empty: bool) -> bool:
    return isinstance(value, (bool, np.bool_)) or (empty and value is None)


def _is_number(value: Any, whole: bool, empty: bool) -> bool:
    if isinstance(value, (bool, np.bool_, str, bytes)):
        return False
    if isinstance(value, Integral) or (empty and value is None):
        return True
    if whole:
        return False
    try:
        return not np.isnan(float(value))
    except (TypeError, ValueError):
        return False


def _holds_truth(value: Any) -> bool:
    """Returns whether it is true or false, or a list or an array with such an element."""
    if isinstance(value, (list, tuple)):
        return any(map(_holds_truth, value[:1000]))
    return isinstance(value, (bool, np.bool_)) or str(getattr(value, "dtype", "")) == "bool"


def rules(signature: inspect.Signature) -> Rules:
    """Returns (position, name, rule) of the arguments whose values are checked."""
    found = []
    for position, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) and (
            one := rule(str(parameter.annotation))
        ):
            found.append((position, name, one))
    return tuple(found)


def problem(checked: Rules, given: Sequence[Any], named: Mapping[str, Any]) -> str:
    """Returns what is wrong with the first value that breaks its rule: "bottom_drag = True must
    be a number"; "" where all are kept.
    """
    for position, name, one in checked:
        if position < len(given):
            value = given[position]
        elif name in named:
            value = named[name]
        else:
            continue
        if text := one(value):
            return f"{name} = {shown(value)} {text}"
    return ""


def misfits(
    signature: inspect.Signature,
    given: Sequence[Any],
    named: Mapping[str, Any],
    scope: Mapping[str, Any],
) -> str:
    """Returns which argument is nothing that its annotation allows: "tracers = 5 must be str |
    Iterable[str]"; "" where none is surely wrong. scope: names of the module of the function.
    """
    try:
        values = signature.bind(*given, **named).arguments
    except TypeError:
        return ""
    for name, value in values.items():
        annotation = str(signature.parameters[name].annotation)
        allowed = [_types(part, scope) for part in members(annotation)]
        if None in allowed:
            continue
        if not any(isinstance(value, kind) for kinds in allowed for kind in kinds or ()):
            return f"{name} = {shown(value)} must be {annotation}"
    return ""


def _types(part: str, scope: Mapping[str, Any]) -> list[Any] | None:
    """Returns the types that a part of an annotation allows; None: that cannot be said."""
    try:
        return _of_alias(eval(part, dict(scope)))  # of Fathom's own source
    except Exception:
        return None  # a name that only checkers of types import


def _of_alias(kind: Any) -> list[Any] | None:
    """Returns the types of a type, of an alias, or of a union of them; None: any."""
    if kind is None:
        return [type(None)]
    if isinstance(kind, types.UnionType):
        parts = [_of_alias(part) for part in typing.get_args(kind)]
        return None if None in parts else [one for part in parts for one in part or ()]
    kind = typing.get_origin(kind) or kind
    if not isinstance(kind, type) or kind is typing.Any:
        return None
    return [_wider.get(kind, kind)]


def shown(value: Any) -> str:
    """Returns a value in one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:56]} ..."
