"""The origin of a result: the program, the time, the machine and the command. Files keep it as the
attributes of CF 2.6.2 (title, source, history), summary.json and the report as facts.
"""

from __future__ import annotations

import getpass
import os
import platform
import shlex
import sys
import time
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from fathom.base import machine, mpi


@cache
def version() -> str:
    """Returns the version of Fathom; "unknown" where it is not installed."""
    try:
        return metadata.version("fathom-models")
    except metadata.PackageNotFoundError:
        return "unknown"


@cache
def build() -> dict[str, str]:
    """Returns how the core was built: commit ("" outside a repository), compiler, flags. Empty
    where the build has no record.
    """
    try:
        made = import_module("fathom.built")  # written by CMake next to the core
    except ImportError:
        return {}
    return {name: getattr(made, name) for name in ("commit", "compiler", "flags")}


@cache
def library() -> str:
    """Returns the MPI library that runs, and its version."""
    return " ".join(mpi.MPI.Get_library_version().split("\n")[0].strip("\0").split())


@cache
def command() -> str:
    """Returns the command line of this process, as typed; of an interactive one "python"."""
    program, *arguments = sys.argv
    name = Path(program).name
    if name in ("", "-c", "-m"):
        return "python"
    if name == "__main__.py":
        name = Path(program).parent.name
    return shlex.join([name, *arguments])


@cache
def began() -> str:
    """Returns the time at which this process first asked: UTC, ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def facts() -> dict[str, str]:
    """Returns facts about this run, for summary.json and the report."""
    return {
        "version": version(),
        **{f"build_{name}": value for name, value in build().items() if value},
        "mpi": library(),
        "python": platform.python_version(),
        "host": platform.node(),
        "machine": machine.name(),
        "date": began(),
        "command": command(),
    }


# variables of the environment that act on a run: of Fathom, threads, messages, files, devices
acting = (
    *("FATHOM_", "OMP_", "GOMP_", "KMP_", "OPENBLAS_", "MKL_", "MPICH_", "OMPI_", "I_MPI_"),
    *("UCX_", "FI_", "HDF5_", "CUDA_VISIBLE_DEVICES", "XDG_CACHE_HOME", "SOURCE_DATE_EPOCH"),
)


def environment() -> dict[str, str]:
    """Returns variables of the environment that act on a run, with their values."""
    return {name: os.environ[name] for name in sorted(os.environ) if name.startswith(acting)}


def attributes(simulation: Any) -> dict[str, str]:
    """Returns CF attributes of a file that a run makes, and its experiment as TOML."""
    model = simulation.model
    title = f"{type(model).__name__} on {model.grid!r}, from {simulation.clock.start}"
    return made(title, f"{type(model).__name__}, {model.precision}", simulation.experiment)


def made(title: str, by: str, experiment: str = "") -> dict[str, str]:
    """Returns CF attributes of a file; experiment: its TOML. Where SOURCE_DATE_EPOCH is set, only
    title and source: the same numbers are the same bytes then.
    """
    commit = build().get("commit", "")
    fathom = f"Fathom {version()}" + (f" ({commit})" if commit else "")
    facts = {"title": title, "source": f"{fathom}, {by}"}
    if "SOURCE_DATE_EPOCH" in os.environ:
        return facts
    of_the_run = {
        "history": f"{began()} {_user()}@{platform.node()}: {command()}",
        "compiler": build().get("compiler", ""),
        "experiment": experiment,
    }
    return facts | {name: value for name, value in of_the_run.items() if value}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as containers have
        return str(os.getuid())
