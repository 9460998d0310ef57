"""Common parts of verbs with an experiment as argument: their options, and the ranks on which they
act.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import fathom
from fathom.base.failure import InputError
from fathom.commands.completion import of_settings
from fathom.commands.options import PathOf
from fathom.run import launch, room
from fathom.run.experiment import trust
from fathom.run.experiment.toml import Document

if TYPE_CHECKING:
    from fathom.run.experiment.experiment import Experiment


trust_option = click.option(
    "--trust",
    "trusted",
    is_flag=True,
    help="Run the code of [extensions] of a file that somebody else has made.",
)


def experiment_options(command: Any) -> Any:
    """Adds FILE, --ranks, --io-servers, --threads, --set, --scheme, --trust."""

    @functools.wraps(command)
    def with_schemes(
        *, settings: tuple[str, ...], schemes: tuple[Path, ...], trusted: bool, **rest: Any
    ) -> Any:
        if trusted:
            trust.give()
        added = tuple(f"extensions.schemes+={json.dumps(str(file))}" for file in schemes)
        return command(settings=settings + added, **rest)

    decorated: Any = with_schemes
    for option in (
        trust_option,
        click.option(
            "--scheme",
            "schemes",
            multiple=True,
            type=PathOf(),
            metavar="HEADER",
            help="Schemes of your own, in C++: examples/own_scheme.hpp.",
        ),
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="A.B.C=VALUE",
            help="Change a key of the file, as in --set model.eddies.diffusivity=800.",
            shell_complete=of_settings,
        ),
        click.option("--threads", type=click.IntRange(1), help="OpenMP threads of each rank."),
        click.option(
            "--io-servers",
            "servers",
            type=click.IntRange(0),
            help="More MPI ranks, which write output while the others compute.",
        ),
        click.option(
            "--ranks",
            type=click.IntRange(1),
            help="MPI ranks that compute, started here; not needed under mpiexec or srun.",
        ),
        click.argument("file", type=PathOf()),
    ):
        decorated = option(decorated)
    return decorated


def parallel_settings(
    ranks: int | None, servers: int | None, threads: int | None
) -> tuple[str, ...]:
    """Returns the options of `experiment_options` as settings of the file."""
    given = {"ranks": ranks, "io_servers": servers, "threads": threads}
    return tuple(f"parallel.{name}={value}" for name, value in given.items() if value is not None)


def on_ranks(
    file: Path,
    settings: tuple[str, ...],
    directory: Path | None,
    act: Callable[[Experiment], int],
    several: Callable[[fathom.ProgramsFile], int] | None = None,
) -> int:
    """Does it with the experiment of a file, or with `several` programs, on the ranks and threads
    that file, settings and launcher ask for. InputError: several, for what takes one.
    """
    document = Document.read(file, settings)
    if (many := "programs" in document.tables) and several is None:
        raise InputError(f"{file} has several programs; give the file of one of them")
    document.tables["parallel"] = given = document.section("parallel")
    here = launch.launched()
    servers = _servers(document, here)
    ranks = _count(document, "ranks", here[1] - servers if here else 1)
    threads = _count(document, "threads", launch.threads_of_environment())
    room.for_threads(threads)

    def with_experiment() -> int:
        if many and several is not None:
            return several(fathom.ProgramsFile(document))
        from fathom.run.experiment.experiment import Experiment  # start-up time: loads NumPy

        return act(Experiment(document))

    if here and given.get("per_node"):
        servers = here[1] - ranks  # as many as there are nodes; checked where they are counted
    return launch.distribute(ranks + servers, threads, directory, with_experiment)


def _servers(document: Document, here: tuple[int, int] | None) -> int:
    """Returns the number of I/O servers in addition to the ranks; started here, all are on one
    node.
    """
    given = document.tables["parallel"]
    servers = given.get("io_servers", 0) or given.get("per_node", 0)
    if type(servers) is not int or servers < 0:
        raise InputError(
            f"{document.place('parallel', 'io_servers')}: {servers!r} I/O servers; must be a whole"
            " number, at least 0"
        )
    if here and 0 < here[1] <= servers:
        raise InputError(
            f"{servers} I/O servers of {here[1]} ranks leave none to compute; allowed: at most"
            f" {here[1] - 1}"
        )
    return servers


def _count(document: Document, name: str, usual: int) -> int:
    """Returns the number of [parallel] with that name, by default its usual value."""
    if find_spec("numpy") is None:  # says so once, before ranks start, and takes no start-up time
        raise InputError("every rank needs NumPy, which is not installed: pip install numpy")
    number = document.tables["parallel"].setdefault(name, usual)
    if type(number) is not int or number < 1:
        raise InputError(
            f"{document.place('parallel', name)}: {name} = {number!r} must be a whole number, at"
            " least 1"
        )
    return number
