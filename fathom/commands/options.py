"""Options that several verbs have."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from fathom.base.home import at_home
from fathom.commands.completion import of_settings

most = 2**31 - 1  # of whole numbers that the core takes


class PathOf(click.Path):
    """The path of an argument or option, in which `~` is the home."""

    def __init__(self, **more: Any) -> None:
        super().__init__(path_type=Path, **more)

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Returns the path."""
        return super().convert(at_home(value), parameter, context)


class StoreOf(PathOf):
    """A store that is read: a path, or an address as s3://bucket/run.zarr, which stays a text."""

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Returns the path, or the address."""
        remote = isinstance(value, str) and "://" in value
        return value if remote else super().convert(value, parameter, context)


class Number(click.FloatRange):
    """A finite number of an option, from least to most."""

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Returns the number."""
        if not math.isfinite(number := click.FLOAT.convert(value, parameter, context)):
            self.fail(f"{value!r} is no finite number.", parameter, context)
        return super().convert(number, parameter, context)


positive = Number(0, min_open=True)

Option = Callable[[Any], Any]  # decorates a command


def file_option(*names: str, metavar: str = "FILE", help: str, **more: Any) -> Option:
    """Returns an option: the path of something that is written or read."""
    return click.option(*names, type=PathOf(), metavar=metavar, help=help, **more)


def json_option(*name: str, help: str = "Write the figures, one object.") -> Option:
    """Returns the option --json FILE, given to the command as `file` or as it says."""
    return file_option("--json", *(name or ("file",)), help=help)


def number_option(*names: str, default: int, least: int = 1, help: str | None = None) -> Option:
    """Returns an option: a whole number with its usual value."""
    return click.option(
        *names, type=click.IntRange(least, most), default=default, show_default=True, help=help
    )


def usual_option(*names: str, default: str, help: str | None = None) -> Option:
    """Returns an option: a text with its usual value."""
    return click.option(*names, default=default, show_default=True, help=help)


def precision_option(default: str) -> Option:
    """Returns the option --precision."""
    return usual_option("--precision", default=default, help="fp64 or fp32.")


ranks_option = number_option("--ranks", default=1)
threads_option = number_option("--threads", default=1)
settings_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="A.B.C=VALUE",
    help="Change a key of the file.",
    shell_complete=of_settings,
)
device_option = click.option(
    "--device", help="cuda: on a GPU, with its bandwidth and power, and the processor's cores."
)
cores_option = click.option(
    "--peers/--no-peers", default=True, help="With a device: also the processor's cores."
)
record_option = file_option(
    "--record",
    metavar="DIR",
    help="Append to the history of this machine in this folder, and report slower regions.",
)
