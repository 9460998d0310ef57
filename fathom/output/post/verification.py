"""A forecast compared with later analyses, on the points of the analyses.

If no climate is given for the anomaly correlation, it is the zonal mean of all analyses: the
anomalies are then the waves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.regrid import sphere
from fathom.grids.regrid.rows import Rows
from fathom.output.post import scores

if TYPE_CHECKING:
    import xarray
    from numpy.typing import ArrayLike


def verify(
    forecasts: ArrayLike,
    grid: Any,
    analyses: xarray.DataArray,
    climate: ArrayLike | None = None,
    *,
    latitudes: tuple[float, float] = (-90, 90),
) -> xarray.Dataset:
    """Returns an xarray.Dataset over `time` with bias, rms, persistence (rms of the first analysis)
    and anomaly_correlation.

    forecasts  (time, rows, longest row) of one field, at the times of the analyses; unused places
    of a row do not matter
    grid       rows of the model
    analyses   xarray.DataArray (time, latitude, longitude), the first one where the forecast starts
    climate    (latitude, longitude) or what broadcasts to it
    latitudes  only between these [degrees]
    """
    import xarray

    rows = Rows.of(grid)
    analyses = analyses.transpose("time", "latitude", "longitude")
    forecasts = np.asarray(forecasts, float)
    if len(forecasts) != analyses.sizes["time"]:
        raise InputError(
            f"{len(forecasts)} forecasts and {analyses.sizes['time']} analyses: both must be at the"
            " same times"
        )
    latitude, longitude = analyses.latitude.values, analyses.longitude.values
    here = sphere.to_regular(rows.pack(forecasts), rows, latitude, longitude)
    truth = analyses.values.astype(float)
    climate = truth.mean((0, 2))[:, None] if climate is None else np.asarray(climate, float)
    inside = (latitude >= latitudes[0]) & (latitude <= latitudes[1])
    weights = scores.regular_weights(latitude, longitude) * inside[:, None]
    table = scores.table(here, truth, weights, np.broadcast_to(climate, truth.shape[1:]))
    return xarray.Dataset(
        {name: ("time", values) for name, values in table.items()}, {"time": analyses.time}
    )
