"""The store of a forecast against analyses in another store or file, on the points of the analyses:
bias, rms, anomaly correlation, and rms of persistence, for each time that both have.

    rows(output.open("runs/day/pressure.zarr"), output.open("analyses.grib"))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom import names as known
from fathom import output
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.base.units import conversion
from fathom.grids.regrid import places
from fathom.names.roles import role_of
from fathom.output.post import scores

Region = tuple[float, float, float, float]  # west, east, south, north [degrees]
horizontal = ("longitude", "latitude")


@dataclass(frozen=True)
class Score:
    """Of a variable at a level and a time, in the units of the analyses."""

    name: str
    level: float | None
    time: str
    bias: float
    rms: float
    persistence: float
    correlation: float
    units: str


def rows(
    forecast: Any, analyses: Any, wanted: Collection[str] = (), region: Region | None = None
) -> Iterator[Score]:
    """Yields the scores of the variables that both have, or of those wanted.

    InputError: no variable, level, time or place in common, or none of that name.
    """
    ours, theirs = (_fields(data) for data in (forecast, analyses))
    shared = [name for name in ours if name in theirs]
    for name in wanted:
        if known.describe(name).name not in shared:
            raise InputError(unknown("variable of both", name, shared))
    chosen = [known.describe(name).name for name in wanted] or shared
    if not chosen:
        raise InputError(
            f"no variable in common: the forecast has {_some(ours)}, the analyses {_some(theirs)}"
        )
    times = _common_times(forecast, analyses)
    on = _Points(forecast, analyses, region)
    for name in chosen:
        one, truth = (x.sel(time=times) for x in (forecast[ours[name]], analyses[theirs[name]]))
        factor, offset = _conversion(name, one, truth)
        for level, f, a in _levels(name, one, truth):
            there = on.from_forecast(f) * factor + offset
            yield from _scores(name, level, times, there, on.of_analyses(a), on, truth)


def _fields(data: Any) -> dict[str, str]:
    """Returns full name -> variable of the fields in time; other programs' names as they are."""
    held = {
        str(name): str(name)
        for name, field in data.data_vars.items()
        if field.dims[:1] == ("time",) and field.ndim > 2
    }
    return {known.describe(name).name: name for name in held} | output.fields_in_time(data)


def _some(found: Iterable[str]) -> str:
    return ", ".join(list(found)[:8]) or "none"


def _common_times(forecast: Any, analyses: Any) -> np.ndarray:
    """Returns the times of both. InputError: there is none."""
    common = np.intersect1d(forecast.time.values, analyses.time.values)
    if not common.size:
        spans = [f"{_date(x.time.values[0])} to {_date(x.time.values[-1])}" if x.sizes["time"]
                 else "no time" for x in (forecast, analyses)]  # fmt: skip
        raise InputError(f"no date in common: the forecast has {spans[0]}, the analyses {spans[1]}")
    return np.asarray(common)


def _date(value: Any) -> str:
    return str(value).replace("T", " ")[:16]


def _conversion(name: str, one: Any, truth: Any) -> tuple[float, float]:
    said = [str(x.attrs.get("units") or known.describe(name).units) for x in (one, truth)]
    return conversion(*said)


def _levels(name: str, one: Any, truth: Any) -> Iterator[tuple[float | None, Any, Any]]:
    """Yields the levels that both have; InputError: none, or one of them has none."""
    ours, theirs = (_vertical(x) for x in (one, truth))
    if ours is None and theirs is None:
        yield None, one, truth
        return
    if ours is None or theirs is None:
        raise InputError(f"{name}: one has levels, the other has none")
    here, there = _values(one, ours), _values(truth, theirs)
    pairs = [(n, m) for n, z in enumerate(here) for m, y in enumerate(there)
             if abs(z - y) <= 1e-4 * max(abs(y), 1e-9)]  # fmt: skip
    if not pairs:
        raise InputError(
            f"{name}: no level in common: {_some(f'{z:g}' for z in here)} and"
            f" {_some(f'{y:g}' for y in there)}"
        )
    for n, m in pairs:
        yield float(here[n]), one.isel({ours: n}), truth.isel({theirs: m})


def _vertical(data: Any) -> str | None:
    return next((str(dim) for dim in data.dims[1:-2]), None)


def _values(data: Any, dim: str) -> np.ndarray:
    """Returns the levels, of pressure in hPa."""
    if dim not in data.coords:
        return np.arange(data.sizes[dim], dtype=float)
    pascals = data[dim].attrs.get("units") == "Pa"
    return np.asarray(data[dim].values, float) * (0.01 if pascals else 1.0)


class _Points:
    """The points of the analyses in a region, and the way there from those of the forecast."""

    def __init__(self, forecast: Any, analyses: Any, region: Region | None) -> None:
        longitude, latitude = _places(analyses)
        if longitude.ndim == 1:
            area = _area_of_rows(longitude, latitude)
            rows = np.repeat(np.arange(latitude.size)[:, None], longitude.size, 1)
            longitude, latitude = np.meshgrid(longitude, latitude)
        else:
            area = np.cos(np.deg2rad(latitude))
            rows = np.zeros(latitude.shape, int)
        self.inside = _inside(longitude, latitude, region)
        self.row = rows[self.inside]
        self.weights = area[self.inside]
        if not self.weights.size:
            raise InputError(f"region {region}: no point of the analyses lies there")
        self.way = places.from_coordinates(
            *_places(forecast), longitude[self.inside], latitude[self.inside]
        )

    def from_forecast(self, field: Any) -> np.ndarray:
        """Returns (times, points); NaN beyond the area of the forecast."""
        values = field.values
        flat = values.reshape(len(values), *values.shape[-2:])
        return np.asarray(self.way(flat, 0, slice(None)))

    def of_analyses(self, field: Any) -> np.ndarray:
        """Returns (times, points)."""
        return np.asarray(field.values, float)[:, self.inside]

    def zonal_mean(self, truth: np.ndarray) -> np.ndarray:
        """Returns the mean over times and the points of a row, at each point."""
        column = np.nanmean(truth, axis=0)
        there = np.isfinite(column)
        sums = np.bincount(self.row[there], column[there], self.row.max() + 1)
        count = np.bincount(self.row[there], minlength=self.row.max() + 1)
        return np.asarray((sums / np.maximum(count, 1))[self.row])


def _places(data: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns longitude and latitude of a store. InputError: it has none, as on a plane."""
    found: dict[str, np.ndarray] = {}
    for name, held in data.coords.items():
        role = role_of(held, str(name))
        if held.ndim and (role in horizontal or str(name) in horizontal):
            found.setdefault(role if role in horizontal else str(name), np.asarray(held.values))
    if len(found) < 2:
        raise InputError("one of both has no longitudes and latitudes: nothing to verify there")
    return found["longitude"], found["latitude"]


def _area_of_rows(longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    if len(latitude) > 2 and abs(latitude).max() > 80 and len(longitude) > 3:
        return scores.regular_weights(latitude, longitude)
    return np.repeat(np.cos(np.deg2rad(latitude))[:, None], len(longitude), 1)


def _inside(longitude: np.ndarray, latitude: np.ndarray, region: Region | None) -> np.ndarray:
    if region is None:
        return np.ones(longitude.shape, bool)
    west, east, south, north = region
    along = np.mod(longitude - west, 360) <= np.mod(east - west, 360) + 360 * (east - west >= 360)
    return np.asarray(along & (latitude >= south) & (latitude <= north))


def _scores(
    name: str,
    level: float | None,
    times: np.ndarray,
    forecast: np.ndarray,
    truth: np.ndarray,
    on: _Points,
    about: Any,
) -> Iterator[Score]:
    """Yields a row a time; anomalies are from the zonal mean of the analyses: the waves."""
    there = np.isfinite(forecast).any(0)
    if not there.any():
        raise InputError(f"{name}: the forecast has no value at the places of the analyses")
    climate = on.zonal_mean(truth)
    table = scores.table(forecast[:, there], truth[:, there], on.weights[there], climate[there])
    for n, time in enumerate(times):
        yield Score(
            name,
            level,
            _date(time),
            float(table["bias"][n]),
            float(table["rms"][n]),
            float(table["persistence"][n]),
            float(table["anomaly_correlation"][n]),
            str(about.attrs.get("units", "")),
        )
