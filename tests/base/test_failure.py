"""All errors of Fathom are `fm.Error`, from Python and from the core."""

import errno

import numpy as np
import pytest

import fathom as fm
from fathom.base.failure import MissingFileError, file_error
from fathom.base.mpi import core
from fathom.run import launch


def test_classes_are_those_of_python_too():
    assert issubclass(fm.InputError, (fm.Error, ValueError))
    assert issubclass(fm.FileError, OSError)
    assert issubclass(fm.UnstableError, fm.RunError)
    for name in ("InputError", "FileError", "RunError", "UnstableError", "LaunchError"):
        assert issubclass(getattr(fm, name), fm.Error), name


def test_python_and_core_raise_them(tmp_path):
    with pytest.raises(fm.InputError, match="levels"):
        fm.ZLevels(nz=-3, depth=5000)
    with pytest.raises(fm.FileError, match="does not exist"):
        fm.open(tmp_path / "none.zarr")
    with pytest.raises(fm.InputError, match="no elementary function"):
        core.elementary("sine", np.zeros(3), 0)


def test_an_error_of_the_system_keeps_its_number():
    error = file_error(FileNotFoundError(errno.ENOENT, "gone"), "a.nc cannot be read")
    assert isinstance(error, MissingFileError)
    assert isinstance(error, FileNotFoundError)
    assert (error.errno, error.strerror) == (errno.ENOENT, "a.nc cannot be read")


def test_a_message_is_one_line_whatever_a_file_is_called(capsys):
    """Line ends and signs that command a terminal are shown, not sent."""
    with pytest.raises(fm.Error) as error:
        fm.open("a\nb\x1b[2J.nc")
    assert str(error.value) == "a\\nb\\x1b[2J.nc does not exist"
    launch.report(error.value)
    assert capsys.readouterr().err == f"fathom: {error.value}\n"


@pytest.mark.parametrize(
    "error, status",
    [
        (fm.FileError("a.nc is damaged"), 2),
        (OSError(errno.ENAMETOOLONG, "File name too long"), 2),
        (fm.FileError(errno.ENOSPC, "the disk is full"), 1),
        (fm.RunError("the forcing cannot be read"), 1),
    ],
)
def test_status(error, status):
    """2 is a mistake in what was given, a damaged file too; 1 a run that failed."""
    assert launch.status_of(error) == status
