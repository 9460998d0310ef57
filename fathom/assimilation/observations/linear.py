"""The linear observation operator H' of a base of observations, as one sparse matrix: what an
increment of a model's state on its grid changes of the equivalents of all data.

    H = linear.operator(air, data, held, around, grid, inside)
    H.apply(increment), H.adjoint(values)

A row is a datum: the slopes of its operator by the state of its column (looks.py) times the weights
of the four grid points around it. An increment holds eastward and northward wind, virtual
temperature, pi = ln p_s and, if the air is moist, specific humidity, as a `Trajectory` has them:

    dT = dT_v / (1 + e q) - e T dq / (1 + e q),    dp_s = sum of w p_s dpi,    e = 0.6078

Winds turn from the frame of a grid point to that of the datum as vectors in space. The rows of
a datum depend on nothing but its column, so ranks that share the data get the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.assimilation.maps import Matrix
from fathom.assimilation.observations import equivalents, looks, parquet
from fathom.assimilation.observations.base import Observations
from fathom.base.moist_air import RATIO
from fathom.base.regions import region

vapour = 1 / RATIO - 1
at_once = 1000  # data


def slopes(air: equivalents.Air, data: Observations, held: looks.Columns) -> np.ndarray:
    """Returns the derivatives of all data by the state of their columns (n, 4 K + 2); 0 where there
    is no operator, or where it has no finite slope: such a datum has no say.
    """
    made = np.zeros((len(data), 4 * len(held["air_temperature"]) + 2))
    for look in air.looks(data, held):
        made[look.of] = look.slopes()
    made[~np.isfinite(made).all(axis=1)] = 0
    return made


def values(air: equivalents.Air, data: Observations, held: looks.Columns) -> np.ndarray:
    """Returns the equivalents of all data in these columns; NaN where there is no operator."""
    made = np.full(len(data), np.nan)
    for look in air.looks(data, held):
        made[look.of] = look.apply()
    return made


def operator(
    air: equivalents.Air,
    data: Observations,
    held: looks.Columns,
    around: Any,
    places: equivalents.Places,
    inside: np.ndarray,
    pressure: np.ndarray,
    moist: bool,
    comm: Any = parquet.alone,
) -> Matrix:
    """Returns H' about the columns `held` at the data; around: the grid points around each, as
    `grid.interpolation` gives them; places: with the axes of the wind there; inside (rows, points):
    those that a vector of the state holds, one field and level after another; pressure: p_s at all
    points [Pa]; moist: it has humidity. All ranks of `comm` share the data and get the whole.
    """
    from scipy import sparse

    packed = np.cumsum(inside.ravel()) - 1
    own = {}
    for first in range(0, len(data), at_once)[comm.rank :: comm.size]:
        of = np.arange(first, min(first + at_once, len(data)))
        some = {name: x[:, of] for name, x in held.items()}
        rows, index = slopes(air, data.taken(of), some), around.index[of]
        above = pressure.ravel()[index]
        own[first] = _rows(rows, some, places, packed[index], of, above, inside, moist)
    with region("slopes to all ranks", "minimisation", "exchange", comm):
        of_ranks = comm.allgather(own)
    every = {first: rows for part in of_ranks for first, rows in part.items()}
    parts = [every[first] for first in sorted(every)]
    K = len(held["air_temperature"])
    size = (3 * K + 1 + K * moist) * int(inside.sum())
    whole = sparse.vstack(parts) if parts else sparse.csr_matrix((0, size))
    return Matrix(whole.tocsr())


def _rows(
    slope: np.ndarray, held: looks.Columns, places: equivalents.Places, index: np.ndarray,
    of: np.ndarray, pressure: np.ndarray, inside: np.ndarray, moist: bool,
) -> Any:  # fmt: skip
    """Returns rows of H' of the data `of`, from their slopes (n, 4 K + 2)."""
    from scipy import sparse

    K, points = len(held["air_temperature"]), int(inside.sum())
    T = held["air_temperature"].T
    q = held["specific_humidity"].T if "specific_humidity" in held else np.zeros_like(T)
    of_T, of_q, east, north = (slope[:, n * K : (n + 1) * K] for n in range(4))
    warm = of_T / (1 + vapour * q)
    weight = places.weight[of]
    turned = [
        [weight * np.einsum("npx,nx->np", there[of], here[of]) for there in places.there]
        for here in places.here
    ]  # of the components here, by those at the points
    blocks = [
        (0, [east[:, :, None] * turned[0][0][:, None], north[:, :, None] * turned[1][0][:, None]]),
        (K, [east[:, :, None] * turned[0][1][:, None], north[:, :, None] * turned[1][1][:, None]]),
        (2 * K, [warm[:, :, None] * weight[:, None]]),
        (3 * K, [slope[:, -2, None, None] * (pressure * weight)[:, None]]),
    ]
    if moist:
        own = of_q - warm * vapour * T
        blocks.append((3 * K + 1, [own[:, :, None] * weight[:, None]]))
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for first, terms in blocks:
        value = sum(terms[1:], terms[0])
        row, level, corner = np.nonzero(value)
        column = (first + level) * points + index[row, corner]
        found.append((value[row, level, corner], row, column))
    value, row, column = (np.concatenate(part) for part in zip(*found))
    shape = (len(of), (3 * K + 1 + K * moist) * points)
    return sparse.csr_matrix((value, (row, column)), shape)
