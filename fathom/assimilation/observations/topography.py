"""Mean dynamic topography of a file, which makes heights above the geoid of sea level anomalies.

    height above the geoid = sea level anomaly + mean dynamic topography

A file of NetCDF with latitude and longitude, each a dimension or both on two, and a field of the
names below, of an altimetry service or the mean of a long run of the model's own ocean.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reasons import code
from fathom.assimilation.observations.variables import kinds, names
from fathom.base.failure import InputError, MissingFileError
from fathom.base.reading import told
from fathom.grids.regrid import places

fields = ("mdt", "mean_dynamic_topography", "sea_surface_height", "zos", "ssh")


def add(data: Observations, path: str | Path) -> int:
    """Turns anomalies of altimeters into heights above the geoid; where the file has none there,
    they get that reason. Returns how many got one. FileNotFoundError; ValueError: no such
    field.
    """
    height = names.index("sea_surface_height_above_geoid")
    wanted = (data["kind"] == kinds.index("altimeter")) & (data["variable"] == height)
    wanted &= np.isfinite(data["longitude"]) & (np.abs(data["latitude"]) <= 90)
    of = np.flatnonzero(wanted)
    mean = _at(Path(path), data["longitude"][of], data["latitude"][of])
    there = np.isfinite(mean)
    data["value"][of[there]] += mean[there]
    without = np.zeros(len(data), bool)
    without[of[~there]] = True
    data.remove(without, code["no topography"])
    return int(there.sum())


def _at(path: Path, longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    import netCDF4

    if not path.is_file():
        raise MissingFileError(f"{path}: no such file of a mean dynamic topography")
    with told(path), netCDF4.Dataset(path) as file:
        held = file.variables
        name = next((n for n in fields if n in held and held[n].ndim > 1), "")
        x, y = (next((held[n] for n in some if n in held), None)
                for some in (("longitude", "lon"), ("latitude", "lat")))  # fmt: skip
        if not name or x is None or y is None:
            raise InputError(
                f"{path} holds no mean dynamic topography: it needs longitude, latitude and one of"
                f" {', '.join(fields)}; it has {', '.join(held)}"
            )
        field, at_x, at_y = (_numbers(variable) for variable in (held[name], x, y))
    mean = field.reshape(-1, *field.shape[-2:]).mean(axis=0)  # of its times
    return _interpolated(mean, at_x, at_y, longitude, latitude)


def _numbers(variable: Any) -> np.ndarray:
    return np.ma.filled(np.ma.asarray(variable[:], float), np.nan)


def _interpolated(field: np.ndarray, x: Any, y: Any, longitude: Any, latitude: Any) -> np.ndarray:
    if not len(longitude):
        return np.zeros(0)
    if y.ndim == 1 and len(y) > 1 and y[0] > y[1]:
        y, field = y[::-1], field[::-1]
    around = places.from_coordinates(x, y, longitude, latitude)
    result: np.ndarray = np.asarray(around(field[None], 0, slice(None)))[0]
    return result
