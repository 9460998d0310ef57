"""Errors that Fathom raises. Every class here is an `Error`, and, if Python has a class for the
same error, also of that class: an `InputError` is a ValueError, a `FileError` an OSError.
The compiled core raises `InputError`.

    try:
        simulation.run("10y")
    except fm.Error as error:
        print(error)
"""

from __future__ import annotations

from typing import Any

from fathom.base.shown import on_one_line

stopped_status = 3  # on request, with a restart


class Error(Exception):
    """An error that Fathom raises: a mistake in what was given, a file, a run that fails. Its
    message is one line, whatever was given.
    """

    def __str__(self) -> str:
        return on_one_line(super().__str__())


class InputError(Error, ValueError):
    """A mistake in what was given: a name, a number, a unit, a shape, an experiment file."""


class RoomError(InputError):
    """What was asked for needs more memory than this machine has left."""


class FileError(Error, OSError):
    """A file that cannot be read or written, or is damaged."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that does not exist."""


class ExistingFileError(FileError, FileExistsError):
    """A file or a folder that exists, and is not replaced."""


class NotPermittedError(FileError, PermissionError):
    """A file or a folder that may not be read or written."""


class RunError(Error, RuntimeError):
    """A run that cannot continue. `left`: ranks were lost before. All remaining ranks raise this
    error and end.
    """

    left = False


class UnstableError(RunError):
    """A field is no longer finite, or has absurd values."""


class LaunchError(Error, RuntimeError):
    """Ranks that could not be started, or that do not know each other."""


def beside(bad: Any, tail: str = "", joined: str = "and") -> str:
    """Returns the end of a message about the first of the `bad` points: ", and at 3 more points";
    nothing if there is no other.
    """
    others = int(bad.sum()) - 1
    return f", {joined} at {others} more point{'s' * (others > 1)}{tail}" if others else ""


def file_error(error: OSError, text: str) -> FileError:
    """Returns an error of the system as one of Fathom's, with `text` for its message."""
    kinds = {
        FileNotFoundError: MissingFileError,
        FileExistsError: ExistingFileError,
        PermissionError: NotPermittedError,
    }
    kind = next((kinds[k] for k in kinds if isinstance(error, k)), FileError)
    return kind(error.errno, text) if error.errno else kind(text)
