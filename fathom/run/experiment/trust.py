"""Code that an experiment file brings with it: the Python and the C++ of its [extensions].

A file from somebody else is looked at before its code runs. `fathom show` and other verbs that only
look at a file run none of it, `fathom run` and the rest only where file and code belong to the
user (or to the machine), unless the user says `--trust`. What the user types, `--scheme` and
`--set`, is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from fathom.base.failure import InputError

variable = "FATHOM_TRUST"  # "yes": --trust; processes that are started have it too
_looking = ContextVar("looking", default=False)


def give() -> None:
    """Lets the code of files run, here and in processes that are started from here: --trust."""
    os.environ[variable] = "yes"


@contextmanager
def looking() -> Iterator[None]:
    """Surrounds looks at files, whose code does not run without --trust."""
    token = _looking.set(True)
    try:
        yield
    finally:
        _looking.reset(token)


def check(file: str, code: list[str]) -> None:
    """Raises InputError where code that an experiment file brings is not to run: it names it, and
    who it belongs to.
    """
    if not code or os.environ.get(variable) == "yes":
        return
    named = ", ".join(code)
    if _looking.get():
        raise InputError(
            f"{file} brings code that would run: {named}. Look at it first; then --trust runs it"
        )
    others = [name for name in (file, *code) if not _is_own(Path(name))]
    if others:
        raise InputError(
            f"{file} brings code that would run: {named}. {others[0]} belongs to another user; look"
            " at it first, then --trust runs it"
        )


def _is_own(path: Path) -> bool:
    """Returns whether a file belongs to this user or to the machine; one that is not there does."""
    if not hasattr(os, "geteuid"):  # Windows
        return True
    try:
        return path.stat().st_uid in (os.geteuid(), 0)
    except OSError:
        return True
