"""Fields of a grid of rows on a regular grid of latitudes and longitudes, for maps and for
comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.regrid import sphere
from fathom.grids.regrid.rows import Rows
from fathom.grids.regrid.schmidt import turned

if TYPE_CHECKING:
    import xarray
    from numpy.typing import ArrayLike


def regular(
    fields: Mapping[str, np.ndarray],
    grid: Any,
    step: float = 1.0,
    *,
    latitude: ArrayLike | None = None,
    longitude: ArrayLike | None = None,
    order: int = 3,
) -> xarray.Dataset:
    """Returns fields {name: (..., rows, longest row)} as an xarray.Dataset on a regular grid.

    step                 degrees, with both poles; or give `latitude`, `longitude` [degrees]
    order                3, splines that know the poles; 1 for rain, cloud and other fields
        that must not overshoot
    Names with `wind` in them are components of a vector, as output has them; a rotated grid needs
    both. Leading axes of a field are called `level` (one) or `time`, `level` (two).
    """
    import xarray

    rows = Rows.of(grid)
    latitude = (
        np.linspace(-90, 90, round(180 / step) + 1)
        if latitude is None
        else np.asarray(latitude, float)
    )
    longitude = (
        np.arange(round(360 / step)) * (360 / round(360 / step))
        if longitude is None
        else np.asarray(longitude, float)
    )
    variables, fields = {}, {name: np.asarray(field, float) for name, field in fields.items()}
    for name, field in (_about_the_pole(fields, rows) if rows.sphere.rotated else fields).items():
        if field.ndim not in (2, 3, 4):
            raise InputError(
                f"{name} has {field.ndim} axes; a field has row and column, before them level, or"
                " time and level"
            )
        axes = {2: (), 3: ("level",), 4: ("time", "level")}[field.ndim]
        variables[name] = (
            (*axes, "latitude", "longitude"),
            sphere.to_regular(
                rows.pack(field), rows, latitude, longitude, vector="wind" in name, order=order
            ),
        )
    if rows.sphere.rotated:
        angle = rows.sphere.angle(*rows.sphere.from_earth(longitude, latitude[:, None]), longitude)
        for east, north in _pairs(variables):
            (axes, u), (_, v) = variables[east], variables[north]
            u, v = turned(u, v, angle)
            variables |= {east: (axes, u), north: (axes, v)}
    data = xarray.Dataset(variables, {"latitude": latitude, "longitude": longitude})
    data.latitude.attrs.update(units="degrees_north", standard_name="latitude")
    data.longitude.attrs.update(units="degrees_east", standard_name="longitude")
    return data


def _pairs(fields: Iterable[str]) -> list[tuple[str, str]]:
    """Returns names of eastward and northward winds; ValueError for one without the other."""
    for name in (n for n in fields if "wind" in n and "ward" in n):
        other = (
            name.replace("eastward", "northward")
            if "eastward" in name
            else name.replace("northward", "eastward")
        )
        if other not in fields:
            raise InputError(f"{name} on a rotated grid needs {other} as well: rotation mixes both")
    return [
        (name, name.replace("eastward", "northward"))
        for name in fields
        if "eastward" in name and "wind" in name
    ]


def _about_the_pole(fields: dict[str, np.ndarray], rows: Rows) -> dict[str, np.ndarray]:
    """Returns winds eastward and northward about the pole of stretching, where they are smooth."""
    angle = rows.unpack(
        rows.sphere.angle(
            np.concatenate([rows.longitude(j) for j in range(rows.points.size)]),
            np.repeat(rows.latitude, rows.points),
        )
    )
    turned_back = {}
    for east, north in _pairs(fields):
        turned_back[east], turned_back[north] = turned(fields[east], fields[north], -angle)
    return fields | turned_back
