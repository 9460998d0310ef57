"""Axes of a staggered grid, as CF and xgcm read them: along each dimension a coordinate with
`axis`, and with `c_grid_axis_shift` where its points lie half a cell further than the centres.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

_dimensions = {
    "x": ("X", 0.0, "number of the column"),
    "y": ("Y", 0.0, "number of the row"),
    "x_corner": ("X", 0.5, "number of the column, at the east side of its cells"),
    "y_corner": ("Y", 0.5, "number of the row, at the north side of its cells"),
    "depth_interface": ("Z", -0.5, ""),
    "height_interface": ("Z", -0.5, ""),
    "level_interface": ("Z", -0.5, ""),
}


def with_axes(
    coordinates: Mapping[str, tuple[Any, ...]], sizes: Mapping[str, int]
) -> dict[str, tuple[Any, ...]]:
    """Returns the coordinates with their axes. A dimension that has no coordinate gets one that
    counts, from 0 at the first centre.

    coordinates  name -> (dims, array, attributes)
    sizes        of the horizontal dimensions that variables have
    """
    found = dict(coordinates)
    for name, size in sizes.items():
        if name in _dimensions and name not in found:
            _, shift, what = _dimensions[name]
            found[name] = ((name,), np.arange(size) + shift, {"long_name": what, "units": "1"})
    for name in found.keys() & _dimensions.keys():
        axis, shift, _ = _dimensions[name]
        dims, array, attributes = found[name]
        more = {"axis": axis} | ({"c_grid_axis_shift": shift} if shift else {})
        found[name] = (dims, array, dict(attributes) | more)
    return found


def without_lost_terms(
    coordinates: dict[str, tuple[Any, ...]], names: Iterable[str]
) -> dict[str, tuple[Any, ...]]:
    """Returns hybrid levels in a file that has no surface pressure: the formula needs it, so the
    file has no formula. names: of the file's variables.
    """
    if "ps" in names:
        return coordinates
    lost = ("formula_terms", "standard_name", "computed_standard_name")
    return {
        name: (dims, array, {k: v for k, v in about.items() if k not in lost})
        if "formula_terms" in about
        else (dims, array, about)
        for name, (dims, array, about) in coordinates.items()
    }
