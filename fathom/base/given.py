"""Arguments that do not fit a public class or function are explained: Ocean has no
'vertical_mixin'; did you mean 'vertical_mixing'?

Done once, where public names are looked up (`fathom/__init__.py`).
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import weakref
from collections.abc import Callable
from typing import Any

from fathom.base.failure import InputError
from fathom.base.near import near

_seen: set[Any] = set()
_told: dict[int, tuple[Any, dict[str, Any]]] = {}  # arguments of objects, by their id


@functools.cache
def explained(thing: Any) -> Any:
    """The class, whose methods explain wrong arguments; or such a function."""
    if inspect.isclass(thing):
        if not issubclass(thing, BaseException):
            _explain_class(thing)
        return thing
    return _explained(thing, thing.__name__) if inspect.isfunction(thing) else thing


def _explain_class(thing: type) -> None:
    """Does the same with the base classes in Fathom: their methods are methods of the class."""
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
    keeps = inspect.isclass(owner) and function.__name__ == "__init__"

    @functools.wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        try:
            result = function(*given, **named)
            if keeps:
                _keep(function, given, named)
            return result
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


def _keep(function: Callable, given: tuple, named: dict[str, Any]) -> None:
    """An object keeps its arguments."""
    arguments = inspect.signature(function).bind(*given, **named).arguments
    thing = given[0]
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments |= arguments.pop(name, {})
    number, told = id(thing), {name: light(value) for name, value in [*arguments.items()][1:]}
    with contextlib.suppress(TypeError):  # of a class without weak references
        _told[number] = weakref.ref(thing, lambda _: _told.pop(number, None)), told


def said(thing: Any) -> dict[str, Any]:
    """The arguments of an object of a public class, by name; of large arrays, what they are."""
    return _told.get(id(thing), (None, {}))[1]


def light(value: Any) -> Any:
    """The value, or for large ones a note of what it was."""
    large = getattr(value, "nbytes", 0)
    if type(value).__name__ == "Simulation" or (isinstance(large, int) and large > 512):
        return _Was(type(value).__name__, tuple(getattr(value, "shape", ())))
    return value


class _Was:
    """A note in place of a large value: its type and shape."""

    def __init__(self, name: str, shape: tuple[int, ...]):
        self.__name__, self.shape = name, shape


def _problem(function: Callable, said: str, given: tuple, named: dict[str, Any]) -> str:
    """What is wrong with the arguments, or ""."""
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


def check_takes(name, given, *arguments):
    """InputError: no function of these arguments, as a user writes one."""
    try:
        inspect.signature(given).bind(*arguments)
    except TypeError:
        said = getattr(given, "__name__", repr(given))
        raise InputError(f"{name}: {said} must be a function of {', '.join(arguments)}") from None
    except ValueError:
        return  # a function of C tells nothing of its arguments
