"""A forecast against analyses; and everything a forecast starts from, back on the points of its
source.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from fathom.atmosphere.remap import forecast
from fathom.data import atmosphere
from fathom.grids import hybrid
from fathom.grids.regrid.rows import Rows
from fathom.output.post.pressure_levels import Column
from fathom.output.post.verification import verify

ROWS = Rows.gaussian(48)
GRID = SimpleNamespace(
    latitude=ROWS.latitude, points=ROWS.points, truncation=31, levels=hybrid.named("L19")
)


@pytest.fixture(scope="module")
def travelling():
    """A wave that moves east by 10 degrees from one time to the next, on 10 degrees and on the
    rows.
    """
    import xarray

    def wave(latitude, longitude, time):
        return 5500 + 100 * np.cos(np.deg2rad(latitude)) ** 3 * np.cos(
            np.deg2rad(3 * (longitude - 10 * time))
        )

    latitude, longitude, times = np.linspace(-90, 90, 19), np.arange(36) * 10.0, np.arange(3)
    y, x = np.meshgrid(latitude, longitude, indexing="ij")
    analyses = xarray.DataArray(
        np.stack([wave(y, x, t) for t in times]),
        {"time": times, "latitude": latitude, "longitude": longitude},
        ("time", "latitude", "longitude"),
    )
    return analyses, np.stack(
        [ROWS.unpack(wave(ROWS.point_latitude, ROWS.point_longitude, t)) for t in times]
    )


def test_a_perfect_forecast(travelling):
    analyses, forecasts = travelling
    table = verify(forecasts, ROWS, analyses)
    assert (
        (table.rms < 0.05).all()
        and (np.abs(table.bias) < 0.01).all()
        and (table.anomaly_correlation > 0.99999).all()
    )
    assert table.persistence[0] == 0 and table.persistence[2] > table.persistence[1] > 20


def test_persistence_as_a_forecast(travelling):
    analyses, forecasts = travelling
    table = verify(forecasts[[0, 0, 0]], ROWS, analyses)
    np.testing.assert_allclose(table.rms, table.persistence, atol=0.05)
    np.testing.assert_allclose(
        table.anomaly_correlation, [1, np.cos(np.pi / 6), np.cos(np.pi / 3)], atol=0.01
    )
    assert (
        verify(forecasts[[0, 0, 0]], ROWS, analyses, latitudes=(20, 90)).persistence[1]
        < table.persistence[1]
    )
    with pytest.raises(ValueError, match="2 forecasts and 3 analyses"):
        verify(forecasts[:2], ROWS, analyses)


def test_everything_a_forecast_starts_from():
    fields = forecast.start("gfs", GRID)
    assert all(
        field.shape[-2:] == ROWS.shape and np.isfinite(field).all() for field in fields.values()
    )
    assert {
        "air_temperature",
        "log_surface_pressure",
        "surface_geopotential",
        "orography_deviation",
        "land_fraction",
        "snow_free_albedo",
        "ground_temperature",
        "ozone",
    } <= set(fields)
    data = atmosphere.gfs()
    height = Column(fields, GRID.levels, GRID).geopotential_height([5e4])
    start = data.geopotential.sel(pressure=[5e4]).rename(pressure="time") / 9.80665
    table = verify(height, GRID, start)
    assert table.rms[0] < 8 and abs(table.bias[0]) < 1 and table.anomaly_correlation[0] > 0.99


def test_a_state_needs_a_day():
    with pytest.raises(ValueError, match="has no time"):
        forecast.start(atmosphere.gfs().drop_vars("time"), GRID)
