"""A GRIB2 file of Fathom as a lazy xarray.Dataset: a message is decoded when its values are asked
for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import xarray
from xarray.backends import BackendArray, CachingFileManager
from xarray.core import indexing

from fathom.output.formats import grib_of_centres
from fathom.output.formats.grib import Contents, decoded, in_waves
from fathom.output.formats.whole_times import places
from fathom.output.specification import TimeAxis


class _Messages(BackendArray):
    """A variable ([time,] [level,] latitude, longitude) whose first message is number `first` of a
    time, in a file of those contents.
    """

    def __init__(
        self, held: Contents, file: CachingFileManager[Any], variable: Any, first: int
    ) -> None:
        self.file = file
        self.held, self.name, self.first, self.dtype = (
            held,
            variable.name,
            first,
            np.dtype(variable.dtype),
        )
        self.waves = held.head["waves"] if in_waves(variable, held.head) else None
        sizes = held.sizes | {"time": len(held.times)}
        self.varies, self.shape = variable.varies, tuple(sizes[dim] for dim in variable.dims)

    def __getitem__(self, key: Any) -> np.ndarray:
        result: np.ndarray = indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._read
        )
        return result

    def _read(self, key: tuple[Any, ...]) -> np.ndarray:
        front = [np.atleast_1d(np.arange(n)[k]) for n, k in zip(self.shape[:-2], key)]
        found = np.empty((*map(len, front), *self.shape[-2:]), self.dtype)
        with self.file.acquire_context() as file:
            for place in np.ndindex(*found.shape[:-2]):
                at = [int(n[i]) for n, i in zip(front, place)]
                time = len(self.held.fixed) + at.pop(0) * self.held.per_time if self.varies else 0
                found[place] = decoded(
                    self.held.message(time + self.first + (at[0] if at else 0), file),
                    self.shape[-2:],
                    self.name,
                    self.held.head.get("upward", False),
                    self.waves,
                )
        scalar = tuple(0 if isinstance(k, (int, np.integer)) else slice(None) for k in key[:-2])
        rows, points = key[-2:]
        return found[scalar][..., rows, :][..., points]


def open_dataset(path: Path) -> xarray.Dataset:
    """Opens a file for `fathom.output.open`; one of another writer, too."""
    if grib_of_centres.begins(path):
        return grib_of_centres.open_dataset(path)
    held, file = Contents(path), CachingFileManager(open, path, mode="rb")
    start, calendar, bounds = held.head["time"]
    axis = TimeAxis(start, calendar, bounds)
    found = {
        name: xarray.Variable(dims, np.array(values), given)
        for name, (dims, values, given) in held.head["coordinates"].items()
    }
    found |= {n: xarray.Variable(*held_) for n, held_ in places(held.head["coordinates"]).items()}
    found["time"] = xarray.Variable(("time",), np.array(held.times, float), axis.attributes)
    if bounds:
        found["time_bounds"] = xarray.Variable(
            ("time", "bounds"), np.array(held.bounds, float).reshape(-1, 2)
        )
    for n, variable in enumerate(held.fixed.values()):
        found[variable.name] = xarray.Variable(
            variable.dims,
            indexing.LazilyIndexedArray(_Messages(held, file, variable, n)),
            variable.attributes,
        )
    first = 0
    for name, variable in held.variables.items():
        found[name] = xarray.Variable(
            variable.dims,
            indexing.LazilyIndexedArray(_Messages(held, file, variable, first)),
            variable.attributes,
        )
        first += held.counts[name]
    axes = [name for name, variable in found.items() if variable.dims == (name,)]
    attributes = {"Conventions": "CF-1.11", **held.head["attributes"]}
    dataset = xarray.decode_cf(xarray.Dataset(found, attrs=attributes).set_coords(axes))
    dataset.set_close(file.close)
    return dataset
