"""Noise of two grid points in a map: what alternates from cell to cell.

At the corner of four cells X = SE + NW - SW - NE is four times the amplitude of a map (-1)^(i+j),
and second order small in a smooth one. Where X is

    noise     it changes sign from corner to corner: its neighbours' correlation is near -1
    chance    neighbouring corners share two cells: -1/2
    smooth    near 1

and a quarter of its part that alternates from corner to corner is the amplitude of the noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.model.component import Array

seas = {  # west, east, south, north [degrees]; the corners of whole cells of water in the box
    "Global Ocean": (-180.0, 180.0, -90.0, 90.0),
    "Arctic": (-180.0, 180.0, 70.0, 90.0),
    "Nordic Seas": (-20.0, 20.0, 62.0, 80.0),
    "North Atlantic": (-70.0, -5.0, 10.0, 60.0),
    "Mediterranean": (0.0, 36.0, 30.0, 46.0),
    "Gulf of Mexico": (-98.0, -82.0, 18.0, 31.0),
    "Caribbean": (-84.0, -60.0, 9.0, 20.0),
    "North Pacific": (140.0, 250.0, 10.0, 60.0),
    "Japan Sea": (127.0, 142.0, 35.0, 52.0),
    "Sea of Okhotsk": (140.0, 160.0, 45.0, 62.0),
    "Indonesian seas": (110.0, 135.0, -12.0, 8.0),
    "tropics": (-180.0, 180.0, -15.0, 15.0),
    "Southern Ocean": (-180.0, 180.0, -80.0, -40.0),
}


@dataclass(frozen=True)
class Noise:
    """The noise of a map in a region, in its units; the correlation has none."""

    correlation: float  #: of X at corners side by side; NaN where there are none
    rms: float  #: of the amplitude of what alternates
    largest: float


def crossing(field: Any, periodic: bool = True) -> Array:
    """Returns X at the north-east corners of the cells of a map (ny, nx): (ny - 1, nx), NaN next to
    land (NaN); on the eastern edge too unless the map is periodic.
    """
    field = np.asarray(field, float)
    east = np.roll(field, -1, 1)
    if not periodic:
        east[:, -1] = np.nan
    return np.asarray((east[:-1] + field[1:]) - (field[:-1] + east[1:]))


def amplitude(field: Any, periodic: bool = True) -> Array:
    """Returns amplitude of the alternating part, (ny - 2, nx), from X at four corners; NaN where
    one is next to land.
    """
    return crossing(crossing(field, periodic), periodic) / 16


def noise(field: Any, where: Any = True, periodic: bool = True) -> Noise:
    """Returns the noise of the corners and groups of four corners whose south-western cell is in
    `where` (ny, nx).
    """
    where = np.broadcast_to(where, np.shape(field))
    X = np.where(where[:-1], crossing(field, periodic), np.nan)
    products = squares = 0.0
    for beside in (np.roll(X, -1, 1), np.concatenate([X[1:], np.full_like(X[:1], np.nan)])):
        both = np.isfinite(X) & np.isfinite(beside)
        products += (X[both] * beside[both]).sum()
        squares += (X[both] ** 2 + beside[both] ** 2).sum() / 2
    found = np.where(where[:-2], amplitude(field, periodic), np.nan)
    found = found[np.isfinite(found)]
    if not found.size or not squares > 0:
        return Noise(np.nan, np.nan, np.nan)
    return Noise(
        float(products / squares), float(np.sqrt(np.mean(found**2))), float(np.abs(found).max())
    )


def by_sea(field: Any, longitude: Any, latitude: Any) -> Mapping[str, Noise]:
    """Returns the noise in a map of the globe (ny, nx) with longitude and latitude [degrees] of its
    cells, sea by sea; seas that it does not have are left out.
    """
    longitude, latitude = np.asarray(longitude), np.asarray(latitude)
    found = {}
    for name, (west, east, south, north) in seas.items():
        inside = (longitude - west) % 360 <= east - west
        found[name] = noise(field, inside & (latitude >= south) & (latitude <= north))
    return {name: one for name, one in found.items() if np.isfinite(one.correlation)}
