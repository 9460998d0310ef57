"""Weights of the points of a stored field in a mean: the areas of their cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.names.roles import role_of
from fathom.plots.chosen import vertical

__all__ = ["areas", "weights"]


def areas(dataset: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Returns areas of cells (ny, nx) in the file; 1 where it has none."""
    for key in ("areacello", "cell_area", "area"):
        if key in dataset.variables and dataset[key].shape == shape:
            return np.asarray(dataset[key].values)
    return np.ones(shape)


def weights(dataset: Any, data: Any) -> np.ndarray:
    """Returns weights of the points of a field at one time: areas of the file, else the cosine of
    latitude, else 1; levels count alike.
    """
    if data.ndim < 2:
        return np.ones(data.shape)
    found = areas(dataset, data.shape[-2:])
    if np.ptp(found) == 0:
        for key, held in data.coords.items():
            if role_of(held, str(key)) == "latitude" and held.ndim:
                one = np.cos(np.deg2rad(held.values))
                column = held.ndim == 1 and held.dims[0] == data.dims[-2]
                found = one[:, None] if column else one
    shape = data.shape if vertical(data) else data.shape[-2:]
    return np.broadcast_to(np.nan_to_num(found), shape)
