"""Classes that keep the arguments of their construction, whatever the import path.

    class Mixing(Configurable):
        renamed = {"diff": "diffusivity"}               # old name -> new name

        def __init__(self, diffusivity: float = 1e-5) -> None: ...

    Mixing(2e-5).arguments          # {"diffusivity": 2e-05}
    Mixing(difusivity=2e-5)         # InputError: ...; did you mean 'diffusivity'?
    Mixing(diff=2e-5)               # InputError: ...; it is 'diffusivity' now

The record of a run (fathom/run/experiment/written.py) is made of these arguments.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

from fathom.base.failure import InputError
from fathom.base.near import near

Function = TypeVar("Function", bound=Callable[..., Any])

large = 512  # bytes of a value, from which its arguments keep only its type and shape
_open = inspect.Parameter.VAR_KEYWORD
_by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Configurable:
    """Keeps the arguments of construction, and explains arguments that do not fit.

    `renamed`: old names of arguments of __init__, {old: new}; subclasses add theirs.
    `recorded`: names of methods whose calls are kept too (`calls_of`).
    """

    __slots__ = ("_arguments", "_calls")

    renamed: ClassVar[Mapping[str, str]] = {}
    recorded: ClassVar[tuple[str, ...]] = ()

    _arguments: dict[str, Any]
    _calls: list[tuple[str, dict[str, Any]]]

    def __init_subclass__(cls, **more: Any) -> None:
        """Explains wrong arguments of each public method, and joins `renamed` along the bases."""
        super().__init_subclass__(**more)
        for name, method in list(vars(cls).items()):
            if inspect.isfunction(method) and not name.startswith("_"):
                setattr(cls, name, _method(method, cls))
        if "renamed" in vars(cls):
            joined: dict[str, str] = {}
            for base in reversed(cls.__mro__):
                joined |= vars(base).get("renamed", {})
            cls.renamed = joined

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Keeps the arguments before __init__ gets them. InputError: they do not fit it."""
        made = super().__new__(cls)
        function = _nothing if cls.__init__ is object.__init__ else cls.__init__
        kept = _arguments_of(function, cls.__name__, cls.renamed, (made, *given), named)
        object.__setattr__(made, "_arguments", kept)
        return made

    def __reduce__(self) -> Any:
        """Copies are made without another construction, and have the same arguments."""
        kept = self.arguments, getattr(self, "_calls", [])
        return _again, (type(self), dict(kept[0]), list(kept[1])), dict(vars(self))

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Returns what was given at construction, by name; of large arrays a note of what it was
        (`Was`).
        """
        return MappingProxyType(getattr(self, "_arguments", {}))

    def calls_of(self, method: str) -> list[Mapping[str, Any]]:
        """Returns the arguments by name of each call of a method in `recorded`, in order."""
        return [given for name, given in getattr(self, "_calls", ()) if name == method]


class Was:
    """A note in place of a large value: the name of its type, and its shape."""

    def __init__(self, name: str, shape: tuple[int, ...]) -> None:
        self.__name__, self.shape = name, shape


def light(value: Any) -> Any:
    """Returns the value, or for a large one a note of what it was."""
    size = getattr(value, "nbytes", 0)
    if type(value).__name__ == "Simulation" or (isinstance(size, int) and size > large):
        return Was(type(value).__name__, tuple(getattr(value, "shape", ())))
    return value


def explained(**renamed: str) -> Callable[[Function], Function]:
    """Decorates a public function: arguments that do not fit end in an InputError with the near
    name. renamed: old names of its arguments, old="new".

    >>> @explained(chunks="chunk_shape")
    ... def create(path: str, chunk_shape: int = 1) -> None: ...
    """

    def decorated(function: Function) -> Function:
        @functools.wraps(function)
        def checked(*given: Any, **named: Any) -> Any:
            try:
                return function(*given, **named)
            except TypeError as error:
                _explain(error, function, function.__name__, renamed, given, named)
                raise

        return checked  # type: ignore[return-value]  # it has the signature of the function

    return decorated


def check_takes(name: str, given: Any, *arguments: str) -> None:
    """InputError: no function of these arguments, as a user writes one."""
    try:
        inspect.signature(given).bind(*arguments)
    except TypeError:
        said = getattr(given, "__name__", repr(given))
        raise InputError(f"{name}: {said} must be a function of {', '.join(arguments)}") from None
    except ValueError:
        return  # a function of C tells nothing of its arguments


def _nothing(self: Any) -> None:
    """The __init__ of a class that has none."""


def _again(cls: type[Configurable], arguments: dict[str, Any], calls: list[Any]) -> Configurable:
    """Returns an object of a class that has only its arguments so far."""
    made: Configurable = object.__new__(cls)
    object.__setattr__(made, "_arguments", arguments)
    object.__setattr__(made, "_calls", calls)
    return made


def _method(function: Callable[..., Any], owner: type[Configurable]) -> Callable[..., Any]:
    """Returns a public method that explains wrong arguments, and keeps those of `recorded` ones."""
    name = function.__name__

    @functools.wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        try:
            result = function(*given, **named)
        except TypeError as error:
            whose = type(given[0]) if given and isinstance(given[0], owner) else owner
            _explain(error, function, f"{whose.__name__}.{name}", {}, given, named)
            raise
        if name in owner.recorded and getattr(type(given[0]), name, None) is checked:
            _note(given[0], name, _arguments_of(function, name, {}, given, named))
        return result

    return checked


def _note(thing: Configurable, method: str, arguments: dict[str, Any]) -> None:
    """Keeps the arguments of a call."""
    if not hasattr(thing, "_calls"):
        object.__setattr__(thing, "_calls", [])
    thing._calls.append((method, arguments))


@functools.lru_cache(maxsize=4096)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _arguments_of(
    function: Callable[..., Any],
    said: str,
    renamed: Mapping[str, str],
    given: tuple[Any, ...],
    named: Mapping[str, Any],
) -> dict[str, Any]:
    """Returns the arguments by name, without the first, the object. InputError: they do not fit."""
    signature = _signature(function)
    _check_names(said, renamed, signature.parameters, named)
    try:
        bound = signature.bind(*given, **named).arguments
    except TypeError as error:
        raise InputError(_problem(error, signature, said, named)) from None
    first = next(iter(signature.parameters))
    found = {name: value for name, value in bound.items() if name != first}
    for name, parameter in signature.parameters.items():
        if parameter.kind is _open:
            found |= found.pop(name, {})
    return {name: light(value) for name, value in found.items()}


def _check_names(
    said: str, renamed: Mapping[str, str], known: Iterable[str], named: Mapping[str, Any]
) -> None:
    """InputError: an argument has another name now."""
    for old in named if renamed else ():
        if old in renamed and old not in known:
            raise InputError(f"{said} has no {old!r}; it is {renamed[old]!r} now")


def _explain(
    error: TypeError,
    function: Callable[..., Any],
    said: str,
    renamed: Mapping[str, str],
    given: tuple[Any, ...],
    named: Mapping[str, Any],
) -> None:
    """InputError where a TypeError says that arguments do not fit; nothing for one from within."""
    if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
        return  # it comes from deeper down
    signature = _signature(function)
    _check_names(said, renamed, signature.parameters, named)
    try:
        signature.bind(*given, **named)
    except TypeError as misfit:
        raise InputError(_problem(misfit, signature, said, named)) from None


def _problem(
    error: TypeError, signature: inspect.Signature, said: str, named: Mapping[str, Any]
) -> str:
    """Returns what is wrong with arguments that do not fit."""
    first = next(iter(signature.parameters), "")
    known = [
        name
        for name, parameter in signature.parameters.items()
        if parameter.kind in _by_name and not (name == first and name in ("self", "cls"))
    ]
    strange = [name for name in named if name not in known]
    if strange and not any(p.kind is _open for p in signature.parameters.values()):
        tail = near(strange[0], known) or f". It has {', '.join(known) or 'none'}"
        return f"{said} has no {strange[0]!r}{tail}"
    return f"{said}: {error}"
