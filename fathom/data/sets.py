"""Data sets by name: allowed wherever the name of a file is allowed.

    ocean.set(temperature="levitus")
    fm.BulkForcing(data="coads")

An embedded file (`fathom data` lists them) has its own name, without ".nc".

Other packages have theirs by entry points of the group "fathom.data", each a `DataSet`:

    [project.entry-points."fathom.data"]
    woa23 = "my_package.woa:data_set"

A script registers one itself: `fathom.data.sets.register(DataSet(...))`. examples/own_data.py is a
lesson.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError

group = "fathom.data"


@dataclass(frozen=True)
class DataSet:
    """A data set that models know by its name.

    Parameters
    ----------
    name : by which it is asked for.
    title : a short description with the source.
    open : gives an xarray.Dataset, or the path of a file, with (depth,) latitude and longitude
        [degrees] and CF names and units; where it has a time, as files of a forcing have. Values
        under land are NaN, or filled.
    """

    name: str
    title: str
    open: Callable[[], Any]


_registered: dict[str, DataSet] = {}


def register(found: DataSet) -> DataSet:
    """Registers a data set; one of that name is replaced."""
    _registered[found.name] = found
    return found


@cache
def _of_packages() -> dict[str, Any]:
    return {point.name: point for point in entry_points(group=group)}


def of_scripts() -> set[str]:
    """Returns the names of data sets that scripts have registered, none of packages."""
    return {*_registered} - {*_of_packages()}


def known() -> list[str]:
    """Returns names of those that are not embedded."""
    return sorted({*_registered, *_of_packages()})


def find(name: Any) -> DataSet | None:
    """Returns the data set of that name that a script or a package has registered, or the embedded
    file; None: there is none.

    ValueError where an entry point is no `DataSet`.
    """
    if not isinstance(name, str):
        return None
    if name not in _registered and (point := _of_packages().get(name)):
        found = point.load()
        if not isinstance(found, DataSet):
            raise InputError(
                f"entry point {point.value} of {group} is {type(found).__name__}, no DataSet"
            )
        _registered[name] = found
    return _registered.get(name) or _of_embedded(name)


def _of_embedded(name: str) -> DataSet | None:
    file = Path(__file__).parent / f"{name}.nc"
    if Path(name).name != name or "\0" in name or not file.is_file():
        return None
    return DataSet(name, f"embedded {file.name}", lambda: file)
