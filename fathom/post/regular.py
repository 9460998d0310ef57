"""Fields of a grid of rows on a regular grid of latitudes and longitudes, for maps and for comparison."""

from __future__ import annotations

import numpy as np

from fathom.data import sphere
from fathom.data.rows import Rows


def regular(fields, grid, step: float = 1.0, *, latitude=None, longitude=None, order: int = 3):
    """Fields {name: (..., rows, longest row)} as an xarray.Dataset on a regular grid.

    step                 degrees, with both poles; or give `latitude`, `longitude` [degrees]
    order                3, splines that know the poles; 1 for rain, cloud and whatever must not overshoot
    Names with `wind` in them are components of a vector. Leading axes of a field are called `level` (one) or `time`, `level` (two).
    """
    import xarray

    rows = Rows.of(grid)
    latitude = np.linspace(-90, 90, round(180 / step) + 1) if latitude is None else np.asarray(latitude, float)
    longitude = np.arange(round(360 / step)) * (360 / round(360 / step)) if longitude is None else np.asarray(longitude, float)
    variables = {}
    for name, field in fields.items():
        field = np.asarray(field, float)
        if field.ndim not in (2, 3, 4):
            raise ValueError(f"{name} has {field.ndim} axes; a field has row and column, before them level, or time and level")
        axes = {2: (), 3: ("level",), 4: ("time", "level")}[field.ndim]
        variables[name] = (*axes, "latitude", "longitude"), sphere.to_regular(rows.pack(field), rows, latitude, longitude, vector="wind" in name, order=order)
    data = xarray.Dataset(variables, {"latitude": latitude, "longitude": longitude})
    data.latitude.attrs.update(units="degrees_north", standard_name="latitude")
    data.longitude.attrs.update(units="degrees_east", standard_name="longitude")
    return data
