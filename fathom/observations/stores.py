"""Departures from the store of a run, off-line: the columns of its times, seen as inside a run.

    stores.compare(data, "runs/day/columns.zarr")

The store has fields of layers on the model's own grid (docs/observations.md names them), at
moments. With dtype = "float64" and the rhythm of the run's slots, departures are those of the run.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fathom import names, output
from fathom.failure import InputError
from fathom.names import near
from fathom.observations import equivalents
from fathom.observations.base import Observations
from fathom.regrid import places

endings = (".zarr", ".nc")


def compare(data: Observations, path: str | Path) -> list[str]:
    """Sets departures, slots (from one time to the next) and reasons of what has no equivalent.
    Returns a line for each kind and variable.

    FileNotFoundError; OSError: damaged; ValueError: the store has not what is needed.
    """
    with output.open(path) as store:
        fields = _fields(store)
        model = _observed(store, fields, path)
        times = _seconds(store, path)
        here = np.flatnonzero(
            (data["time"] >= times[0]) & (data["time"] < times[-1])
            & (np.abs(data["latitude"]) <= 90) & np.isfinite(data["longitude"])
        )  # fmt: skip
        some = data.taken(here)
        x, y = (store[name].values for name in ("longitude", "latitude"))
        around = places.from_coordinates(x, y, some["longitude"], some["latitude"])
        x, y = np.meshgrid(x, y) if x.ndim == 1 else (x, y)
        at = equivalents.Places(around, (x, y), some)
        columns = lambda n, of: at.columns(
            {name: _around(store[alias][n], around.index[of]) for name, alias in fields.items()
             if name in (*model.needs, *model.takes)}, of,
        )  # fmt: skip
        for n, (begin, end) in enumerate(pairwise(times)):
            of = np.flatnonzero((some["time"] >= begin) & (some["time"] < end))
            if len(of):
                share = (some["time"][of] - begin) / (end - begin)
                held = equivalents.between(columns(n, of), columns(n + 1, of), share)
                _keep(data, here[of], n, *model.see(some.taken(of), held))
    return equivalents.told(data.taken(here))


def _keep(
    data: Observations, of: np.ndarray, slot: int, departure: np.ndarray, reason: np.ndarray
) -> None:
    before = np.where(np.isin(data["reason"][of], equivalents.of_model), 0, data["reason"][of])
    data["background_departure"][of], data["slot"][of] = departure, slot
    data["reason"][of] = np.where(before == 0, reason, before)


def _around(field: Any, index: np.ndarray) -> np.ndarray:
    """(levels, n, 4) of a field, which may have levels."""
    values = np.asarray(field.values, float)
    return values.reshape(-1, values.shape[-2] * values.shape[-1])[:, index]


def _fields(store: Any) -> dict[str, str]:
    """Name -> its variable in the store, of fields in time."""
    by_alias = {entry.alias: name for name, entry in names.fields.items()}
    return {
        by_alias.get(alias, alias): alias
        for alias, held in store.data_vars.items()
        if held.dims[:1] == ("time",) and held.ndim > 2
    }


def _observed(store: Any, fields: dict[str, str], path: Any) -> Any:
    """How data are seen of what the store is of. ValueError: what is missing."""
    if all(name in fields for name in equivalents.Sea.needs) and "depth" in store:
        return equivalents.Sea(store["depth"].values)
    missing = [name for name in equivalents.Air.needs if name not in fields]
    if "ap_bounds" not in store:
        missing.append("layers of the model (an output without levels)")
    if missing:
        raise InputError(
            f"{path}: columns of an atmosphere need {', '.join(missing)}; columns of the sea"
            f" {' and '.join(equivalents.Sea.needs)}; the store has {', '.join(sorted(fields))}"
        )
    edges = [store[f"{part}_bounds"].values for part in ("ap", "b")]
    return equivalents.Air(*(np.append(pair[:, 0], pair[-1, 1]) for pair in edges))


def _seconds(store: Any, path: Any) -> np.ndarray:
    """Times of the store [s since 1970]. ValueError: fewer than two, or another calendar."""
    if "bounds" in store.time.attrs or store.sizes["time"] < 2:
        raise InputError(f"{path}: departures need at least two times of moments, not of means")
    if store.time.encoding.get("calendar", "standard") not in ("standard", "proleptic_gregorian"):
        raise InputError(
            f"{path}: observations have dates of the standard calendar"
            f"{near(store.time.encoding['calendar'], ['standard'])}"
        )
    return store.time.values.astype("datetime64[s]").astype("i8")
