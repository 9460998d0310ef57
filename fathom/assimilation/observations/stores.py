"""Departures from the store of a run, off-line: the columns of its times, seen as inside a run.

    stores.compare(data, "runs/day/columns.zarr")

The store has fields of layers on the model's own grid (docs/observations.md names them), as
instantaneous values. With dtype = "float64" and the interval of the run's slots, departures are
equal to those computed in the run.

`climate` compares data of any date with the mean of what all moments of the store say there; the
deviation from it in time becomes the background error:

    d = y - <H x>,    sigma_b^2 = <(H x - <H x>)^2>
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output
from fathom.assimilation.observations import equivalents, looks
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reasons import code
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.regrid import places

endings = (".zarr", ".nc")
at_once = 20_000  # data


def compare(data: Observations, path: str | Path) -> list[str]:
    """Sets departures, slots (from one time to the next) and reasons of what has no equivalent.
    Returns a line for each kind and variable, and one that counts data of other times.

    FileNotFoundError; OSError: damaged; ValueError: the store has not what is needed.
    """
    with output.open(path) as store:
        times = _seconds(store, path)
        in_time = (data["time"] >= times[0]) & (data["time"] < times[-1])
        in_time &= _here(data)
        seen = _observed(store, output.fields_in_time(store), path).sees(data)
        unseen = np.flatnonzero(in_time & ~seen)
        slot = np.searchsorted(times, data["time"][unseen], "right") - 1
        _keep(data, unseen, slot, np.nan, code["no equivalent"], 0.0)
        here = np.flatnonzero(in_time & seen)
        some = data.taken(here)
        columns = _Columns(store, path, some)
        for n, (begin, end) in enumerate(pairwise(times)):
            all_ = np.flatnonzero((some["time"] >= begin) & (some["time"] < end))
            for of in np.array_split(all_, len(all_) // at_once + 1) if len(all_) else []:
                share = (some["time"][of] - begin) / (end - begin)
                held = equivalents.between(columns.at(n, of), columns.at(n + 1, of), share)
                _keep(data, here[of], n, *columns.model.see(some.taken(of), held))
    others = np.count_nonzero((data["time"] < times[0]) | (data["time"] >= times[-1]))
    return [
        *equivalents.told(data.taken(here)),
        *([f"{others} data are not within the times of {path}"] if others else []),
    ]


def climate(data: Observations, path: str | Path) -> list[str]:
    """Does what `compare` does, with the mean over the store's moments, for data of any date; sets
    background errors too. The same errors.
    """
    with output.open(path) as store:
        count = len(_seconds(store, path))
        model = _observed(store, output.fields_in_time(store), path)
        seen = _here(data) & model.sees(data)
        _keep(data, np.flatnonzero(~seen), -1, np.nan, code["no equivalent"], 0.0)
        seen = np.flatnonzero(seen)
        columns = _Columns(store, path, data.taken(seen))
        for own in np.array_split(np.arange(len(seen)), len(seen) // at_once + 1):
            some = data.taken(of := seen[own])
            each = [model.see(some, columns.at(n, own)) for n in range(count)]
            departure, reason, unlike = (np.array(part) for part in zip(*each))
            _keep(data, of, -1, departure.mean(axis=0), reason.max(axis=0), unlike.mean(axis=0))
            data["background_error"][of] = departure.std(axis=0)
    return equivalents.told(data)


def _here(data: Observations) -> np.ndarray:
    result: np.ndarray = (np.abs(data["latitude"]) <= 90) & np.isfinite(data["longitude"])
    return result


class _Columns:
    """Columns of a store at the places of data, and the operators for its model."""

    def __init__(self, store: Any, path: Any, data: Observations) -> None:
        self.store, self.fields = store, output.fields_in_time(store)
        self.model = _observed(store, self.fields, path)
        x, y = (store[name].values for name in ("longitude", "latitude"))
        self.around = places.from_coordinates(x, y, data["longitude"], data["latitude"])
        x, y = np.meshgrid(x, y) if x.ndim == 1 else (x, y)
        self.places = equivalents.Places(self.around, (x, y), data)

    def at(self, n: int, of: np.ndarray) -> looks.Columns:
        """Returns values of moment n at data `of`."""
        wanted = (*self.model.needs, *self.model.takes)
        around = {
            name: _around(self.store[alias][n], self.around.index[of])
            for name, alias in self.fields.items() if name in wanted
        }  # fmt: skip
        return self.places.columns(around, of)


def _keep(
    data: Observations, of: np.ndarray, slot: Any, departure: Any, reason: Any, unlike: Any
) -> None:
    equivalents.inflate(data, of, unlike)
    before = np.where(np.isin(data["reason"][of], equivalents.of_model), 0, data["reason"][of])
    data["background_departure"][of], data["slot"][of] = departure, slot
    data["reason"][of] = np.where(before == 0, reason, before)


def _around(field: Any, index: np.ndarray) -> np.ndarray:
    """Returns (levels, n, 4) of a field, which may have levels."""
    values = np.asarray(field.values, float)
    return values.reshape(-1, values.shape[-2] * values.shape[-1])[:, index]


def _observed(store: Any, fields: dict[str, str], path: Any) -> Any:
    """Returns how data observe the contents of the store. ValueError: what is missing."""
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
    """Returns times of the store [s since 1970]. ValueError: fewer than two, or another
    calendar."""
    if "bounds" in store.time.attrs or store.sizes["time"] < 2:
        raise InputError(f"{path}: departures need at least two times of moments, not of means")
    if store.time.encoding.get("calendar", "standard") not in ("standard", "proleptic_gregorian"):
        raise InputError(
            f"{path}: observations have dates of the standard calendar"
            f"{near(store.time.encoding['calendar'], ['standard'])}"
        )
    result: np.ndarray = store.time.values.astype("datetime64[s]").astype("i8")
    return result
