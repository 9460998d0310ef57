"""Columns of longitude in any order, of any turn, some of them twice: from west to east, each once.

east = eastward(longitude)      values[..., east.taken] are at east.longitude
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Columns:
    """Columns of longitude from west to east, each once.

    longitude : increasing [degrees], within a turn.
    taken : the numbers of these columns in the file; None: all, as they are.
    around : whether they go once around the earth.
    """

    longitude: np.ndarray
    taken: np.ndarray | None
    around: bool


def eastward(longitude: np.ndarray) -> Columns:
    """Returns columns of longitude [degrees] in any order, of any turn, some of them twice, from
    west to east; those of a part of the earth begin after the widest gap.
    """
    x = np.asarray(longitude, float)
    if x.size < 2:
        return Columns(x, None, False)
    gaps = np.diff(x)
    if (gaps > 0).all() and np.ptp(x) < 360 - 1e-6 * 360:
        around = goes_around(x)
        if around or gaps.max() <= 360 - np.ptp(x):
            return Columns(x, None, around)
    turned = np.mod(x - x[0] + 1e-6, 360) - 1e-6  # the first one and its repetition both at 0
    order = np.argsort(turned, kind="stable")
    kept = order[np.append(True, np.diff(turned[order]) > 1e-4)]
    east = x[0] + turned[kept]
    if not goes_around(east):
        gaps = np.diff(np.append(east, east[0] + 360))
        first = (int(gaps.argmax()) + 1) % east.size
        kept, east = np.roll(kept, -first), np.roll(east, -first)
        east = np.where(east < east[0], east + 360, east)
    begin = 360 * np.floor((east[0] + 180) / 360)
    return Columns(east - begin, kept, goes_around(east))


def goes_around(longitude: np.ndarray) -> bool:
    """Returns whether increasing columns go once around the earth: four or more, and no gap, the
    one behind the last included, is wider than three times the spacing beside it.
    """
    gaps = np.diff(np.append(longitude, longitude[0] + 360))
    if longitude.size < 4 or gaps[-1] <= 0:
        return False
    beside_it = np.maximum(np.roll(gaps, 1), np.roll(gaps, -1))
    return bool((gaps <= 3 * beside_it).all())


def closed(values: np.ndarray, longitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns values (..., rows, columns) of a part of the earth with columns that are not a number
    in the other part, and the longitudes of all.
    """
    gaps = np.diff(longitude)
    gap = longitude[0] + 360 - longitude[-1]
    more = max(1, round(gap / gaps.max()) - 1)
    beyond = longitude[-1] + gap * np.arange(1, more + 1) / (more + 1)
    none = np.full((*values.shape[:-1], more), np.nan, values.dtype)
    return np.concatenate([values, none], axis=-1), np.append(longitude, beyond)
