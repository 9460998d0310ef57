"""A restart as a lazy xarray.Dataset: the state of one moment, on the rows and points of the grid.

A field is read when its values are asked for. Names are Fathom's; attributes are those of CF where
the table of names has them. Longitudes and latitudes of the centres of cells, on a plane x and y,
are coordinates.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import xarray
from xarray.backends import BackendArray
from xarray.core import indexing

from fathom import names
from fathom.output.formats import restart
from fathom.output.specification import TimeAxis


def recognises(path: Path) -> bool:
    """Returns whether it is a restart, with any name."""
    return path.is_file() and restart.begins(path)


def open_dataset(path: Path) -> xarray.Dataset:
    """Opens a restart for `fathom.output.open`. ValueError: damaged or truncated."""
    held = restart.read(path)
    header, extra = held.header, held.header.extra
    layers = _layers(held)
    found: dict[str, tuple[Any, ...]] = {}
    for name in held.names:
        array = _Field(held, name, held.shape(name))
        dims, attributes = _described(name, array.shape[0], layers)
        if array.shape[0] == 1:
            dims = dims[1:]
            array = _Field(held, name, array.shape[1:])
        found[_plain(name)] = (dims, indexing.LazilyIndexedArray(array), attributes)
    places = _place(found)
    provenance = extra.get("provenance", {})
    run = provenance.get("title", f"a run from {header.start}")
    axis = TimeAxis(header.start, header.calendar, False)
    found["time"] = ((), np.array(float(header.seconds)), axis.attributes)
    dataset = xarray.decode_cf(
        xarray.Dataset(
            {name: xarray.Variable(*variable) for name, variable in found.items()},
            attrs={
                "Conventions": "CF-1.11",
                "source": "Fathom",
                **provenance,
                "title": f"Restart after {header.steps} steps of {run}",
            },
        ).set_coords(["time", *places])
    )
    dataset.set_close(held.close)
    return dataset


def _place(found: dict[str, tuple[Any, ...]]) -> list[str]:
    """Returns the coordinates among the fields: two-dimensional on the earth, axes of a plane."""
    on_earth, on_plane = ([n for n in names if n in found] for names in restart.places)
    for name, along_row in zip(on_plane, (True, False)):
        values = np.asarray(found[name][1])
        line = values[0] if along_row else values[:, 0]
        found[name] = ((name,), line, {"units": "m", "axis": name.upper()})
    return on_earth + on_plane


class _Field(BackendArray):
    """A field of a restart; of one level without its first dimension."""

    def __init__(self, held: restart.Restart, name: str, shape: tuple[int, ...]) -> None:
        self.held, self.name, self.shape = held, name, shape
        self.dtype = held.dtype(name)

    def __getitem__(self, key: Any) -> np.ndarray:
        result: np.ndarray = indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.BASIC, self._read
        )
        return result

    def _read(self, key: tuple[Any, ...]) -> np.ndarray:
        result: np.ndarray = self.held[self.name].reshape(self.shape)[key]
        return result


def _layers(held: restart.Restart) -> int:
    """Returns the number of layers of the model: that of most of its fields with more than one
    level.
    """
    levels = [held.shape(name)[0] for name in held.names if held.shape(name)[0] > 1]
    return max(set(levels), key=levels.count, default=1)


def _described(name: str, levels: int, layers: int) -> tuple[tuple[str, ...], dict[str, str]]:
    """Returns dimensions and attributes. A field of before, or a sum over time, is called after its
    own.
    """
    own = re.sub(r"^(sum|least|most) of (surface )?| for .*$|_before$", "", name)
    found = names.describe(own)
    vertical = {layers: "level", layers + 1: "interface"}.get(levels, f"level_{levels}")
    at = "_corner" if found.horizontal == "corner" else ""
    attributes = dict(found.attributes)
    if own != name:
        attributes.pop("standard_name", None)
        attributes["long_name"] = name.replace("_", " ")
    if re.match("sum of ", name):
        attributes.pop("units_metadata", None)
        attributes.pop("units", None)
    return (vertical, f"y{at}", f"x{at}"), attributes


def _plain(name: str) -> str:
    """Returns the name of a variable of CF: letters, digits and underscores."""
    return re.sub(r"\W", "_", name)
