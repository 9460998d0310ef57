"""Formats of output: the ending of a file, the writer and the reader of such files.

A format is one module with a writer (`fathom.output.formats.writer.Writer` says what it must do;
`fathom.output.formats.whole_times.WholeTimes` is what most begin with) and a function that opens a
file as an xarray.Dataset. Those of other packages are entry points of the group "fathom.formats",
each a `Format`:

    [project.entry-points."fathom.formats"]
    csv = "my_package.csv:format"

A script registers one itself: `output.formats.register(Format(...))`. From then on its ending works
everywhere: in output, in TOML files, in `open`, plots and input. examples/own_format.py is a
lesson.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError
from fathom.base.near import nearest

group = "fathom.formats"


@dataclass(frozen=True)
class Format:
    """A format of output.

    Parameters
    ----------
    ending : of its files, ".nc".
    title : its usual name.
    writer : the class that writes it, or "module:name", which is loaded when it is first needed.
        Its methods are those of `fathom.output.formats.writer.Writer`.
    reader : a function of a path that gives a lazy xarray.Dataset of the complete times, or
        "module:name".
    others : further endings that are read.
    recognises : a function of a path that says whether a file with any name is of this format, or
        "module:name"; None: its ending says it.
    every_grid : whether it holds fields of any grid, or those on rows of latitude and longitude
        only.
    """

    ending: str
    title: str
    writer: type | str
    reader: Callable[[Path], Any] | str
    others: tuple[str, ...] = ()
    recognises: Callable[[Path], bool] | str | None = None
    every_grid: bool = True

    def part(self, name: str) -> Any:
        """Returns writer, reader or recognises, loaded."""
        given = getattr(self, name)
        if not isinstance(given, str):
            return given
        module, _, attribute = given.partition(":")
        return getattr(import_module(module), attribute)


roots_of_zarr = ("zarr.json", ".zgroup")  # of version 3, as Fathom writes it, and of version 2


def is_zarr(path: Path) -> bool:
    """Returns whether a folder is a store of Zarr."""
    return any((path / root).is_file() for root in roots_of_zarr)


_here = "fathom.output.formats"
_own = (
    Format(
        ".zarr",
        "Zarr v3",
        f"{_here}.zarr:ZarrWriter",
        f"{_here}.zarr:open_dataset",
        recognises=is_zarr,
    ),
    Format(
        ".nc",
        "NetCDF-4",
        f"{_here}.netcdf:NetcdfWriter",
        f"{_here}.netcdf:open_dataset",
        others=(".nc4",),
    ),
    Format(
        ".grib2",
        "GRIB2",
        f"{_here}.grib:GribWriter",
        f"{_here}.grib_dataset:open_dataset",
        others=(".grib", ".grb", ".grb2"),
        every_grid=False,
    ),
    Format(
        ".fa",
        "FA",
        f"{_here}.fa:FaWriter",
        f"{_here}.fa_dataset:open_dataset",
        recognises=f"{_here}.lfi:begins",
        every_grid=False,
    ),
)
_restart = Format(
    ".fathom",
    "restart",
    "",  # a run writes it automatically: fathom/run/checkpoint.py
    f"{_here}.restart_dataset:open_dataset",
    recognises=f"{_here}.restart_dataset:recognises",
)
_registered: dict[str, Format] = {}  # by scripts


def register(found: Format) -> Format:
    """Registers a format; one of that ending is replaced. ValueError: no ending."""
    if not found.ending.startswith(".") or found.ending == ".":
        raise InputError(f"ending = {found.ending!r} of the format {found.title}: write '.csv'")
    _registered[found.ending] = found
    return found


@cache
def _of_packages() -> dict[str, Any]:
    """Returns ending -> entry point of another package."""
    return {f".{point.name}": point for point in entry_points(group=group)}


def of_scripts() -> set[str]:
    """Returns the endings of formats that scripts have registered, none of packages."""
    return {*_registered} - {*_of_packages()}


def endings() -> dict[str, str]:
    """Returns the endings of output files, with a name for each."""
    own = {f.ending: f.title for f in _own}
    packages = {ending: point.value.split(".")[0] for ending, point in _of_packages().items()}
    return own | packages | {f.ending: f.title for f in _registered.values()}


def readable() -> tuple[str, ...]:
    """Returns all endings of readable files."""
    return (*endings(), *(other for f in _all_loaded() for other in f.others))


def of_ending(path: str | Path, reading: bool = False) -> Format:
    """Returns the format by the ending of a path; ValueError for an unknown one. reading: also by
    an ending that is read only.
    """
    ending = Path(path).suffix
    if ending in _registered:
        return _registered[ending]
    if found := next((f for f in _own if ending in _endings(f, reading)), None):
        return found
    if point := _of_packages().get(ending):
        found = point.load()
        if not isinstance(found, Format):
            raise InputError(
                f"entry point {point.value} of {group} is {type(found).__name__}, no Format"
            )
        return register(found)
    allowed = ", ".join(f"{known} ({title})" for known, title in endings().items())
    near = nearest(ending, list(endings()), 1)
    raise InputError(
        f"{path}: an output file ends in {allowed}, not in {ending or 'nothing'!r}"
        + (f"; did you mean '{near[0]}'?" if near else "")
    )


def _endings(found: Format, reading: bool) -> tuple[str, ...]:
    return (found.ending, *found.others) if reading else (found.ending,)


def of_every_grid() -> str:
    """Returns the endings of the formats that hold fields of any grid, for messages: ".zarr or
    .nc".
    """
    return " or ".join(f.ending for f in (*_own, *_registered.values()) if f.every_grid)


def of_content(path: Path) -> Format:
    """Returns the format of an existing file or folder: by its content, else by its ending, else
    Zarr for a folder and NetCDF for a file (many programs write NetCDF under other names).
    """
    for found in (*_all_loaded(), _restart):
        if found.recognises is not None and found.part("recognises")(path):
            return found
    try:
        return of_ending(path, reading=True)
    except InputError:
        if path.is_file() and not _is_netcdf(path):
            raise InputError(
                f"{path} is in no format that is read: its content is not NetCDF or another known"
                f" one; endings of those: {', '.join(readable())}"
            ) from None
        return of_ending("any.zarr" if path.is_dir() else "any.nc")


def _is_netcdf(path: Path) -> bool:
    """Returns whether a file begins as NetCDF does: classic, or in HDF5."""
    with path.open("rb") as file:
        begin = file.read(8)
    return begin[:3] == b"CDF" or begin == b"\x89HDF\r\n\x1a\n"


def _all_loaded() -> tuple[Format, ...]:
    return (*_registered.values(), *_own)
