"""Arguments that do not fit a public class or function are explained: Ocean has no
'vertical_mixin'; did you mean 'vertical_mixing'?

Done once, where public names are looked up (`fathom/__init__.py`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from fathom.failure import InputError
from fathom.names.near import near

_seen: set[Any] = set()


@functools.cache
def explained(thing: Any) -> Any:
    """The class, whose methods explain what does not fit; or a function that does."""
    if inspect.isclass(thing):
        if not issubclass(thing, BaseException):
            _explain_class(thing)
        return thing
    return _explained(thing, thing.__name__) if inspect.isfunction(thing) else thing


def _explain_class(thing: type) -> None:
    """Also of the classes of Fathom that it stands on: their methods are its own."""
    for one in thing.__mro__:
        if one in _seen or not one.__module__.startswith("fathom"):
            continue
        _seen.add(one)
        for name, method in list(vars(one).items()):
            if name == "__new__" and isinstance(method, staticmethod):  # of a named tuple
                made = _explained(method.__func__, one.__name__)
                setattr(one, name, staticmethod(made))
            elif inspect.isfunction(method) and (name == "__init__" or name[0] != "_"):
                of = one.__name__ if name == "__init__" else f"{one.__name__}.{name}"
                setattr(one, name, _explained(method, of, one))


def _explained(function: Callable, said: str, owner: Any = None) -> Callable:
    """The function; where its arguments do not fit, an InputError instead of a bare TypeError."""

    @functools.wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except TypeError as error:
            # A TypeError from deeper down has more than this frame.
            deep = error.__traceback__ is not None and error.__traceback__.tb_next is not None
            whose = said
            if inspect.isclass(owner) and given and isinstance(given[0], owner):
                whose = type(given[0]).__name__ + said.removeprefix(owner.__name__)
            if deep or not (problem := _problem(function, whose, given, named)):
                raise
            raise InputError(problem) from None

    return checked


def _problem(function: Callable, said: str, given: tuple, named: dict[str, Any]) -> str:
    """What of the arguments does not fit, or ""."""
    signature = inspect.signature(function)
    try:
        signature.bind(*given, **named)
    except TypeError as error:
        first = next(iter(signature.parameters), "")
        known = [
            name
            for name, parameter in signature.parameters.items()
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
            and not (name == first and name in ("self", "cls", "_cls"))
        ]
        strange = [name for name in named if name not in known]
        if strange and not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
            tail = near(strange[0], known) or f". It has {', '.join(known) or 'none'}"
            return f"{said} has no {strange[0]!r}{tail}"
        return f"{said}: {error}"
    return ""
