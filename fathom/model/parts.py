"""The parts that a user chooses of a model: an object, its class, its name, or none. The purpose of
a scheme follows from the fields that it makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fathom.base.failure import InputError
from fathom.base.renamed import hint
from fathom.model import plugins
from fathom.model.schemes import PythonScheme, Scheme, schemes

plain = ("builtins", "datetime", "numpy")  # modules of values that are no part of a model
Made = tuple[str, str, str]  # "writes" or "updates", a field, and a word in the name of the scheme


def of_fathom() -> set[str]:
    """Returns names of the schemes that are none of the user's own."""
    return {*schemes()} - {name for names in plugins.loaded.values() for name in names}


def makers(made: Made, *, own_too: bool = False) -> dict[str, type]:
    """Returns schemes that do this to that field, by name; own_too: and all of the user's own."""
    access, field, word = made
    own = {*schemes()} - of_fathom()

    def makes(scheme: type[Scheme]) -> bool:
        return any(f["name"] == field and f["access"] == access for f in scheme.entry["fields"])

    return {
        name: scheme
        for name, scheme in schemes().items()
        if (own_too and name in own) or ((word in name or name in own) and makes(scheme))
    }


def one_or_none(part: str, given: Any, known: Mapping[str, type]) -> Any:
    """Returns the object of a part. given: an object, a class or its name; None or "none": none.
    known: allowed classes by name. InputError: it is none of them.
    """
    if given is None or (isinstance(given, str) and given == "none"):
        return None
    if isinstance(given, (str, type)):
        return _class(part, given, known)()
    module = type(given).__module__.split(".")[0]
    if module in plain or (module == "fathom" and type(given).__name__ not in known):
        said = repr(given)
        said = said if len(said) < 60 else f"{type(given).__name__}(...)"
        raise InputError(_refused(part, said, known))
    return given


def _class(part: str, given: str | type, known: Mapping[str, type]) -> type:
    if isinstance(given, str):
        if given not in known:
            raise InputError(_refused(part, repr(given), known, hint(given, known)))
        return known[given]
    if given not in known.values() and given.__module__.startswith("fathom"):
        raise InputError(_refused(part, given.__name__, known))
    return given


def _refused(part: str, given: str, known: Mapping[str, type], hint: str = "") -> str:
    *most, last = known
    these = f"{', '.join(most)} or {last}" if most else last
    return f"{part} = {given} must be {these}{hint}"


def listed(part: str, given: Any, others: Mapping[str, type]) -> list[Scheme]:
    """Returns the schemes of a list. given: a scheme, an object that stands for several, or a list
    of both; each an object, a class or a name; None or "none": no scheme. others: more classes than
    the catalogue has, by name. InputError: an element is none of these.
    """
    if given is None or (isinstance(given, str) and given == "none"):
        return []
    if isinstance(given, (str, type)):
        given = _made(part, given, others)
    if isinstance(given, Scheme):
        return [given]
    if isinstance(given, PythonScheme):
        raise InputError(
            f"{part}: {given!r} is a function in Python: give it as"
            " extra_processes=[Insertion(...)]"
        )
    if not isinstance(given, Iterable):
        raise InputError(_no_scheme(part, repr(given), others))
    return [scheme for one in given for scheme in listed(part, one, others)]


def _made(part: str, given: str | type, others: Mapping[str, type]) -> Any:
    """Returns the object of a class or a name."""
    if isinstance(given, str):
        if given not in (known := {**schemes(), **others}):
            raise InputError(f"{part}: unknown scheme {given!r}{hint(given, known)}")
        return known[given]()
    if not (issubclass(given, Scheme) or given in others.values()):
        raise InputError(_no_scheme(part, given.__name__, others))
    return given()


def _no_scheme(part: str, given: str, others: Mapping[str, type]) -> str:
    return f"{part}: {given} is no scheme; give a scheme, {' or '.join(others)}, or a list of them"
