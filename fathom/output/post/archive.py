"""Food for learned models: stores of runs, or of an ensemble, as one array.

    data(time, variable, ensemble, cell)    float32, a chunk for each time
    mean, stdev, minimum, maximum           of each variable, over times, members and cells
    latitudes, longitudes (cell), dates (time)

A variable is a field on one level: zg_500. Fields without time, as land and height of the ground,
and sines and cosines of places are in `data` too, the same at all times; the attribute
`constant_fields` names them. The names are those of anemoi-datasets.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output
from fathom.base import writing
from fathom.base.failure import ExistingFileError, InputError
from fathom.names.roles import role_of

endings = ("_bounds", "_mean", "_spread")
kept = ("mean", "stdev", "minimum", "maximum")


class Part:
    """A variable of the array: a field of a store, on one level."""

    def __init__(self, name: str, field: Any, at: dict[str, int]) -> None:
        self.name, self.field, self.at = name, field, at

    def read(self, time: int) -> np.ndarray:
        """Returns (members, cells) of a time."""
        at = self.at | ({"time": time} if "time" in self.field.dims else {})
        found = np.asarray(self.field.isel(at).values, "float32")
        return found.reshape(-1 if "member" in self.field.dims else 1, _cells(self.field))


def make(stores: Sequence[Path], out: Path, overwrite: bool = False) -> dict[str, Any]:
    """Writes the archive of stores with the same times, members and points. Returns what it has:
    numbers of times, variables, members and cells. InputError: they differ; ExistingFileError.
    """
    if out.exists() and not overwrite:
        raise ExistingFileError(f"{out} exists; --overwrite replaces it")
    writing.refuse_link("archive", out)
    held = [output.open(store) for store in stores]
    first = held[0]
    _check_alike(stores, held)
    parts = _once([part for dataset in held for part in _parts(dataset)])
    names = [part.name for part in parts]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{', '.join(twice)} is in two of the stores")
    fixed = [part.name for part in parts if "time" not in part.field.dims]
    ours = _of_places(*_places(first))
    about = {
        "variables": [*names, *ours],
        "constant_fields": [*fixed, *ours],
        "start_date": str(first.time.values[0])[:19],
        "end_date": str(first.time.values[-1])[:19],
        "ensemble_dimension": first.sizes.get("member", 1),
        "source": [str(store) for store in stores],
    }
    return _write(out, first, parts, ours, about)


def _write(
    out: Path,
    first: Any,
    parts: Sequence[Part],
    ours: dict[str, np.ndarray],
    about: dict[str, Any],
) -> dict[str, Any]:
    """Writes the arrays, and what is said of them, time by time."""
    import zarr

    longitude, latitude = _places(first)
    times, members, cells = first.sizes["time"], first.sizes.get("member", 1), longitude.size
    shape = (times, len(about["variables"]), members, cells)
    group = zarr.open_group(out, mode="w", zarr_format=2)
    data = group.create_array("data", shape=shape, chunks=(1, *shape[1:]), dtype="float32")
    sums = _Sums(shape[1])
    for time in range(times):
        block = np.empty(shape[1:], "float32")
        for n, part in enumerate(parts):
            block[n] = part.read(time)
        for n, values in enumerate(ours.values(), len(parts)):
            block[n] = values
        sums.add(block)
        data[time] = block
    for name, values in {**sums.result(), "longitudes": longitude, "latitudes": latitude}.items():
        group.create_array(name, data=np.asarray(values, float))
    group.create_array("dates", data=first.time.values.astype("datetime64[s]"))
    group.attrs.update(about)
    return {"times": times, "variables": shape[1], "members": members, "cells": int(cells)}


class _Sums:
    """Sums for mean and deviation of each variable, without those that are no number."""

    def __init__(self, number: int) -> None:
        self.count, self.total, self.square = (np.zeros(number) for _ in range(3))
        self.least, self.most = np.full(number, np.inf), np.full(number, -np.inf)
        self.origin: np.ndarray | None = None  # near the values, so that squares keep their digits

    def add(self, block: np.ndarray) -> None:
        """Adds (variables, members, cells)."""
        x = block.reshape(len(block), -1).astype(float)
        there = np.isfinite(x)
        if self.origin is None:
            self.origin = np.array([one[ok][0] if ok.any() else 0.0 for one, ok in zip(x, there)])
        away = np.where(there, x - self.origin[:, None], 0.0)
        self.count += there.sum(axis=1)
        self.total += away.sum(axis=1)
        self.square += (away**2).sum(axis=1)
        self.least = np.minimum(self.least, np.where(there, x, np.inf).min(axis=1))
        self.most = np.maximum(self.most, np.where(there, x, -np.inf).max(axis=1))

    def result(self) -> dict[str, np.ndarray]:
        """Returns the numbers of each variable."""
        number = np.maximum(self.count, 1)
        mean = self.total / number
        spread = np.sqrt(np.maximum(self.square / number - mean**2, 0.0))
        origin = 0.0 if self.origin is None else self.origin
        return dict(zip(kept, (mean + origin, spread, self.least, self.most)))


def _once(parts: Sequence[Part]) -> list[Part]:
    """Returns the parts, fields without time of several stores once."""
    fixed = {part.name: n for n, part in reversed([*enumerate(parts)])}
    return [p for n, p in enumerate(parts) if "time" in p.field.dims or fixed[p.name] == n]


def _parts(dataset: Any) -> list[Part]:
    """Returns the variables of a store, level by level."""
    plane = _plane(dataset)
    maps = {
        str(name): field
        for name, field in dataset.data_vars.items()
        if not str(name).endswith(endings)
        and field.dims[-len(plane) :] == plane
        and field.dtype.kind == "f"
    }
    found = [part for name, field in maps.items() for part in _levels(dataset, name, field)]
    if not any("time" in part.field.dims for part in found):
        raise InputError(f"{dataset.encoding.get('source', 'a store')} has no field in time")
    return found


def _levels(dataset: Any, name: str, field: Any) -> list[Part]:
    """Returns the levels of a map; none where it has other dimensions than these and members."""
    between = [dim for dim in field.dims[:-2] if dim not in ("time", "member")]
    if not between:
        return [Part(name, field, {})]
    if len(between) > 1:
        return []
    dim = between[0]
    at = dataset[dim].values if dim in dataset.variables else range(field.sizes[dim])
    return [Part(f"{name}_{float(value):g}", field, {dim: n}) for n, value in enumerate(at)]


def _plane(dataset: Any) -> tuple[str, ...]:
    """Returns the two dimensions of maps."""
    in_time = [dataset[n] for n in dataset.data_vars if dataset[n].dims[:1] == ("time",)]
    field = next((one for one in in_time if len(one.dims) > 2), None)
    if field is None:
        raise InputError(f"{dataset.encoding.get('source', 'a store')} has no map in time")
    return tuple(map(str, field.dims[-2:]))


def _cells(field: Any) -> int:
    return int(np.prod(field.shape[-2:]))


def _places(dataset: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns longitude and latitude [degrees] of each cell. InputError: it lies on no earth."""
    plane = _plane(dataset)
    there = {
        role_of(held, str(key)): held
        for key, held in dataset.coords.items()
        if held.ndim and {*held.dims} <= {*plane}
    }
    if not {"longitude", "latitude"} <= {*there}:
        raise InputError("an archive needs longitudes and latitudes of its points")
    x, y = there["longitude"].values, there["latitude"].values
    if x.ndim == 1:
        x, y = np.meshgrid(x, y)
    return x.ravel().astype(float), y.ravel().astype(float)


def _of_places(longitude: np.ndarray, latitude: np.ndarray) -> dict[str, np.ndarray]:
    """Returns sines and cosines of the places."""
    x, y = np.radians(longitude), np.radians(latitude)
    return {
        "cos_latitude": np.cos(y),
        "sin_latitude": np.sin(y),
        "cos_longitude": np.cos(x),
        "sin_longitude": np.sin(x),
    }


def _check_alike(stores: Sequence[Path], held: Sequence[Any]) -> None:
    """Checks that stores have the same times, members and points. InputError: two differ."""
    first = held[0]
    for path, other in zip(stores[1:], held[1:]):
        same = (
            first.sizes.get("member", 1) == other.sizes.get("member", 1)
            and np.array_equal(first.time.values, other.time.values)
            and all(np.array_equal(a, b) for a, b in zip(_places(first), _places(other)))
        )
        if not same:
            raise InputError(f"{path} has other times, members or points than {stores[0]}")
