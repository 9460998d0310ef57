"""The border between a user's code and Fathom: which side a call comes from, what a traceback
shows, and which attributes may be assigned from outside.

FATHOM_DEBUG=1 in the environment shows whole tracebacks, with the causes of errors.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable, Mapping
from types import FrameType, TracebackType
from typing import Any

from fathom.base.failure import Error, InputError
from fathom.base.near import near
from fathom.base.renamed import of_object

in_full = " (FATHOM_DEBUG=1 shows where)"
_values = re.compile(r"<xarray|array\(|\w+\(.*\n")  # of which Python writes several lines
_libraries = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib")})


def outside(frame: FrameType) -> bool:
    """Returns whether a frame is of code that is not Fathom's own."""
    name: str = frame.f_globals.get("__name__", "")
    return name != "fathom" and not name.startswith("fathom.")


def debugging() -> bool:
    """Returns whether whole tracebacks are wanted."""
    return bool(os.environ.get("FATHOM_DEBUG"))


def shortened(error: Error) -> Error:
    """Returns an error with the user's own frames alone, and without its causes."""
    if debugging():
        return error
    if len(error.args) == 1 and _values.search(text := str(error)):
        error.args = (" ".join(text.split()),)
    error.__cause__, error.__suppress_context__ = None, True
    return error.with_traceback(_of_user(error.__traceback__))


def _of_user(trace: TracebackType | None) -> TracebackType | None:
    """Returns the frames of a traceback that are a user's."""
    found = []
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if outside(trace.tb_frame) and not file.startswith((*_libraries, "<frozen")):
            found.append(trace)
        trace = trace.tb_next
    kept: TracebackType | None = None
    for one in reversed(found):
        kept = TracebackType(kept, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return kept


def called(said: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Returns what a user's function gives. InputError in one line: it fails."""
    try:
        return function(*arguments)
    except Error:
        raise
    except Exception as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise InputError(f"{said}: the function {failure(name, error)}") from error


def failure(name: str, error: BaseException) -> str:
    """Returns "name failed: ValueError: what (file, line 12)", the place in a user's code."""
    own = _of_user(error.__traceback__)
    places = traceback.extract_tb(own or error.__traceback__)
    where = f" ({places[-1].filename}, line {places[-1].lineno})" if places else ""
    text = " ".join(str(error).split())
    return f"{name} failed: {type(error).__name__}: {text}{where}"


def tell_shortly() -> None:
    """Makes an error of Fathom that nobody catches end in few lines."""
    usual: Callable[..., Any] = sys.excepthook

    def told(kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Error):
            error = shortened(error.with_traceback(trace))
            trace = error.__traceback__
        usual(kind, error, trace)

    sys.excepthook = told


def check_assigned(
    thing: object, name: str, arguments: Mapping[str, Any], instead: Mapping[str, str]
) -> None:
    """Raises InputError: an attribute is assigned from outside that is unknown, or that cannot act.

    arguments : those of the construction of its class.  instead : what to do, by attribute.
    """
    kind = type(thing)
    if kind.__module__.partition(".")[0] != "fathom" and name not in arguments:
        return  # a user's own class
    said = f"{kind.__name__}.{name} cannot be assigned"
    if advice := instead.get(name):
        raise InputError(f"{said}: {advice}")
    if name in arguments:
        raise InputError(f"{said}: make another one, as in {kind.__name__}(..., {name} = ...)")
    known = {one for one in (*vars(thing), *dir(kind)) if not one.startswith("_")}
    if name in known:
        raise InputError(f"{said}: it follows from what {kind.__name__} was made with")
    told = of_object(kind, name) or near(name, {*known, *arguments})
    raise InputError(f"{kind.__name__} has no attribute {name!r} to assign{told}")
