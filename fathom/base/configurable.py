"""Classes that keep the arguments of their construction, whatever the import path.

    class Mixing(Configurable):
        renamed = {"diff": "diffusivity"}               # old name -> new name

        def __init__(self, diffusivity: float = 1e-5) -> None: ...

    Mixing(2e-5).arguments          # {"diffusivity": 2e-05}
    Mixing(difusivity=2e-5)         # InputError: ...; did you mean 'diffusivity'?
    Mixing(diff=2e-5)               # InputError: ...; it is 'diffusivity' now
    Mixing(True)                    # InputError: diffusivity = True must be a number
    Mixing().diffusivity = 2e-5     # InputError: ... cannot be assigned: make another one, ...

The record of a run (fathom/run/experiment/written.py) is made of these arguments.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from fathom.base import kinds, turns
from fathom.base.border import check_assigned, debugging, in_full, outside, shortened
from fathom.base.failure import Error, InputError, file_error
from fathom.base.renamed import check_names, no_such, of_object

Function = TypeVar("Function", bound=Callable[..., Any])

large = 4096  # bytes of a value, from which its arguments keep only its type and shape
_open = inspect.Parameter.VAR_KEYWORD
_raw = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, OSError)
_by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Configurable:
    """Keeps the arguments of construction, and explains arguments that do not fit.

    `renamed`: old names of arguments of __init__, {old: new}; subclasses add theirs.
    `recorded`: names of methods whose calls are kept too (`calls_of`).
    `in_turn`: whether methods compute: one thread at a time (fathom/base/turns.py).
    `assignable`: attributes that may be assigned from outside, each with what makes its value.
    `instead`: what to do instead of assigning an attribute, for messages.
    """

    __slots__ = ("_arguments", "_calls")

    renamed: ClassVar[Mapping[str, str]] = {}
    recorded: ClassVar[tuple[str, ...]] = ()
    in_turn: ClassVar[bool] = False
    assignable: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    instead: ClassVar[Mapping[str, str]] = {}

    _arguments: dict[str, Any]
    _calls: list[tuple[str, dict[str, Any]]]

    def __init_subclass__(cls, **more: Any) -> None:
        """Explains wrong arguments of each public method, and joins `renamed` along the bases.
        InputError: a class of the user's defines what has another name now.
        """
        super().__init_subclass__(**more)
        check_names(cls)
        for name, method in list(vars(cls).items()):
            if inspect.isfunction(method) and (name == "__init__" or not name.startswith("_")):
                setattr(cls, name, _method(method, cls))
        if "renamed" in vars(cls):
            joined: dict[str, str] = {}
            for base in reversed(cls.__mro__):
                joined |= vars(base).get("renamed", {})
            cls.renamed = joined

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Keeps the arguments before __init__ gets them. InputError: they do not fit it."""
        kind: type = cls
        kept = _arguments(_of_class(kind), cls.__name__, cls.renamed, given, named)
        made = super().__new__(cls)
        object.__setattr__(made, "_arguments", kept)
        return made

    if not TYPE_CHECKING:  # to a checker of types all attributes are those that are declared

        def __getattr__(self, name: str) -> Any:
            """Explains an attribute that is not there, with its new name."""
            kind = type(self)
            told = f"{kind.__name__!r} object has no attribute {name!r}{of_object(kind, name)}"
            raise AttributeError(told, name=name, obj=self)

        def __setattr__(self, name: str, value: Any) -> None:
            """Sets an attribute; from outside only one that is `assignable`."""
            if not name.startswith("_") and outside(sys._getframe(1)):
                if name in (ways := type(self).assignable):
                    value = ways[name](value)
                    if name in self.arguments:
                        self._arguments[name] = value
                else:
                    known = _of_fathom(type(self)).parameters
                    check_assigned(self, name, known, type(self).instead)
            object.__setattr__(self, name, value)

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
    """A note in place of a large value: the name of its type, its shape, and the file that it was
    read from, where it is known.
    """

    def __init__(self, name: str, shape: tuple[int, ...], source: str = "") -> None:
        self.__name__, self.shape, self.source = name, shape, source


def light(value: Any) -> Any:
    """Returns the value, or for a large one a note of what it was."""
    size = getattr(value, "nbytes", 0)
    if type(value).__name__ == "Simulation" or (isinstance(size, int) and size > large):
        shape = tuple(getattr(value, "shape", ()))
        return Was(type(value).__name__, shape, getattr(value, "source", ""))
    return value


def explained(**renamed: str) -> Callable[[Function], Function]:
    """Decorates a public function: arguments that do not fit end in an InputError with the near
    name. renamed: old names of its arguments, old="new".

    >>> @explained(chunks="chunk_shape")
    ... def create(path: str, chunk_shape: int = 1) -> None: ...
    """

    def decorated(function: Function) -> Function:
        name = function.__name__

        @functools.wraps(function)
        def checked(*given: Any, **named: Any) -> Any:
            try:
                _check_values(_of_function, function, name, given, named)
                return function(*given, **named)
            except Error as error:
                if outside(sys._getframe(1)):
                    raise shortened(error)  # noqa: B904  it decides which causes are shown
                raise
            except _raw as error:
                if isinstance(error, TypeError) and _is_of_call(error):
                    _check(_of_function(function), name, renamed, given, named)
                if outside(sys._getframe(1)):
                    _check_kinds(_of_function, function, name, given, named)
                    _check_system(error)
                raise

        return checked  # type: ignore[return-value]  # it has the signature of the function

    return decorated


def check_takes(name: str, given: Any, *arguments: str) -> None:
    """Raises InputError: no function of these arguments, as a user writes one."""
    try:
        inspect.signature(given).bind(*arguments)
    except TypeError:
        said = getattr(given, "__name__", repr(given))
        raise InputError(f"{name}: {said} must be a function of {', '.join(arguments)}") from None
    except ValueError:
        return  # a function of C tells nothing of its arguments


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
            if name != "__init__":
                whose = type(given[0]) if given else owner
                _check_values(_of_method, function, f"{whose.__name__}.{name}", given[1:], named)
            if given and type(given[0]).in_turn:
                with turns.turn():
                    result = function(*given, **named)
            else:
                result = function(*given, **named)
        except Error as error:
            if outside(sys._getframe(1)):
                raise shortened(error)  # noqa: B904  it decides which causes are shown
            raise
        except _raw as error:
            if given:
                _explain(function, owner, error, (given, named), outside(sys._getframe(1)))
            raise
        kind = type(given[0])
        if name in kind.recorded and getattr(kind, name, None) is checked:
            kept = _arguments(_of_method(function), name, {}, given[1:], named)
            _note(given[0], name, kept)
        return result

    return checked


def _explain(
    function: Callable[..., Any],
    owner: type[Configurable],
    error: Exception,
    call: tuple[tuple[Any, ...], Mapping[str, Any]],
    from_outside: bool,
) -> None:
    """Raises InputError where an error of Python comes of the arguments of a method, call."""
    given, named = call
    begins = function.__name__ == "__init__"
    whose = (type(given[0]) if isinstance(given[0], owner) else owner).__name__
    said = whose if begins else f"{whose}.{function.__name__}"
    if isinstance(error, TypeError) and _is_of_call(error):
        _check(_of_method(function), said, {}, given[1:], named)
    if from_outside:
        _check_kinds(_of_method, function, said, given[1:], named)
        _check_system(error)
        if begins and not debugging():
            text = " ".join(str(error).split())
            raise InputError(f"{said}: {type(error).__name__}: {text}{in_full}") from None


def _check_system(error: Exception) -> None:
    """Raises FileError where the system refuses a name of a file that the user has given."""
    if isinstance(error, OSError) and error.filename is not None and not debugging():
        file = str(error.filename)
        short = file if len(file) <= 160 else f"{file[:80]}…{file[-40:]}"
        raise file_error(error, f"{short}: {error.strerror}") from None


def _check_values(
    signature: Callable[[Callable[..., Any]], inspect.Signature],
    function: Callable[..., Any],
    said: str,
    given: tuple[Any, ...],
    named: Mapping[str, Any],
) -> None:
    """Raises InputError: a value is no number, or neither true nor false, where one is wanted."""
    checked = _rules(signature, function)
    if checked and (problem := kinds.problem(checked, given, named)):
        raise InputError(f"{said}: {problem}")


_kept_rules = functools.lru_cache(maxsize=4096)(kinds.rules)


def _rules_of(signature: inspect.Signature) -> kinds.Rules:
    try:
        return _kept_rules(signature)
    except TypeError:  # a default that is a list has no key
        return kinds.rules(signature)


@functools.lru_cache(maxsize=4096)
def _rules(
    signature: Callable[[Callable[..., Any]], inspect.Signature], function: Callable[..., Any]
) -> kinds.Rules:
    return kinds.rules(signature(function))


def _check_kinds(
    signature: Callable[[Callable[..., Any]], inspect.Signature],
    function: Callable[..., Any],
    said: str,
    given: tuple[Any, ...],
    named: Mapping[str, Any],
) -> None:
    """Raises InputError: an argument is nothing that it can be, after an error that came of it."""
    scope = getattr(function, "__globals__", {})
    if problem := kinds.misfits(signature(function), given, named, scope):
        raise InputError(f"{said}: {problem}") from None


def _note(thing: Configurable, method: str, arguments: dict[str, Any]) -> None:
    """Keeps the arguments of a call."""
    if not hasattr(thing, "_calls"):
        object.__setattr__(thing, "_calls", [])
    thing._calls.append((method, arguments))


def _is_of_call(error: TypeError) -> bool:
    """Returns whether a TypeError comes from the call itself, not from deeper down."""
    return error.__traceback__ is None or error.__traceback__.tb_next is None


@functools.lru_cache(maxsize=4096)
def _of_function(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


@functools.lru_cache(maxsize=4096)
def _of_method(function: Callable[..., Any]) -> inspect.Signature:
    """Returns the signature without the object."""
    own = inspect.signature(function)
    return own.replace(parameters=list(own.parameters.values())[1:])


@functools.lru_cache(maxsize=4096)
def _of_class(cls: type) -> inspect.Signature:
    """Returns the signature of construction: the one that a class declares, else of its __init__;
    the nearest base has it.
    """
    for base in cls.__mro__[:-1]:
        if isinstance(declared := getattr(cls, "__signature__", None), inspect.Signature) and (
            "__signature__" in vars(base)
        ):
            return declared
        if "__init__" in vars(base):
            return _of_method(vars(base)["__init__"])
    return inspect.Signature()


@functools.lru_cache(maxsize=4096)
def _of_fathom(cls: type) -> inspect.Signature:
    """Returns the signature of construction of the nearest base that is Fathom's own."""
    own = (base for base in cls.__mro__ if base.__module__.partition(".")[0] == "fathom")
    return _of_class(next(own, Configurable))


def _arguments(
    signature: inspect.Signature,
    said: str,
    renamed: Mapping[str, str],
    given: tuple[Any, ...],
    named: Mapping[str, Any],
) -> dict[str, Any]:
    """Returns the arguments by name. InputError: they do not fit."""
    found = dict(_check(signature, said, renamed, given, named))
    if problem := kinds.problem(_rules_of(signature), (), found):
        raise InputError(problem)
    for name, parameter in signature.parameters.items():
        if parameter.kind is _open:
            found |= found.pop(name, {})
    return {name: light(value) for name, value in found.items()}


def _check(
    signature: inspect.Signature,
    said: str,
    renamed: Mapping[str, str],
    given: tuple[Any, ...],
    named: Mapping[str, Any],
) -> Mapping[str, Any]:
    """Returns the arguments as the signature has them. InputError: they do not fit; it has the
    near name, or the new one.
    """
    for old in named if renamed else ():
        if old in renamed and old not in signature.parameters:
            raise InputError(f"{said} has no {old!r}; it is {renamed[old]!r} now")
    try:
        return signature.bind(*given, **named).arguments
    except TypeError as misfit:
        raise InputError(_problem(misfit, signature, said, named)) from None


def _problem(
    misfit: TypeError, signature: inspect.Signature, said: str, named: Mapping[str, Any]
) -> str:
    """Returns what is wrong with arguments that do not fit."""
    parameters = signature.parameters
    known = [name for name, parameter in parameters.items() if parameter.kind in _by_name]
    strange = [name for name in named if name not in known]
    if strange and not any(p.kind is _open for p in parameters.values()):
        return no_such(said, strange[0], known)
    return f"{said}: {misfit}"
