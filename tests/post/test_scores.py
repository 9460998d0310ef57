"""Scores, regular grids, and the persistence of the ECMWF set where the user has it."""

import numpy as np
import pytest

from fathom.grids.regrid import regular
from fathom.grids.regrid.rows import Rows
from fathom.output.post import scores

LATITUDE, LONGITUDE = np.linspace(-90, 90, 37), np.arange(72) * 5.0
WEIGHTS = scores.regular_weights(LATITUDE, LONGITUDE)


def wave(latitude, longitude):
    """A smooth scalar, 4 cos^2 phi cos 2 lambda + sin phi."""
    return 4 * np.cos(np.deg2rad(latitude)) ** 2 * np.cos(2 * np.deg2rad(longitude)) + np.sin(
        np.deg2rad(latitude)
    )


def test_weights_are_areas():
    assert WEIGHTS.sum() == pytest.approx(1)
    assert (WEIGHTS * np.sin(np.deg2rad(LATITUDE))[:, None] ** 2).sum() == pytest.approx(
        1 / 3, abs=2e-3
    )
    np.testing.assert_allclose(scores.regular_weights(LATITUDE[::-1], LONGITUDE), WEIGHTS[::-1])


def test_scores_of_known_errors():
    y, x = np.meshgrid(LATITUDE, LONGITUDE, indexing="ij")
    a = wave(y, x)
    assert scores.bias(a + 3, a, WEIGHTS) == pytest.approx(3)
    assert scores.rms(a + 3, a, WEIGHTS) == pytest.approx(3)
    assert scores.anomaly_correlation(2 * a + 5, a, 0 * a, WEIGHTS) == pytest.approx(1)
    assert scores.anomaly_correlation(-a, a, 0 * a, WEIGHTS) == pytest.approx(-1)
    quarter = (
        4 * np.cos(np.deg2rad(y)) ** 2 * np.sin(2 * np.deg2rad(x))
    )  # the wave a quarter of its length further
    assert scores.anomaly_correlation(
        quarter, a - np.sin(np.deg2rad(y)), 0 * a, WEIGHTS
    ) == pytest.approx(0, abs=1e-12)


def test_gaps_do_not_count():
    field = np.ones((37, 72))
    with_gap = np.where(np.arange(72) < 9, np.nan, field)
    assert scores.rms(with_gap + 1, field, WEIGHTS) == pytest.approx(1)
    with pytest.raises(ValueError, match="does not fit weights"):
        scores.bias(field[1:], field[1:], WEIGHTS)


def test_persistence_and_table():
    analyses = np.arange(4.0)[:, None, None] * np.ones((37, 72))
    np.testing.assert_allclose(scores.persistence(analyses, WEIGHTS), [0, 1, 2, 3])
    table = scores.table(analyses + 0.5, analyses, WEIGHTS)
    np.testing.assert_allclose(table["rms"], 0.5)
    assert "anomaly_correlation" not in table


@pytest.mark.parametrize("points", [None, "octahedral"])
def test_regular_grid_from_rows(points):
    rows = Rows.gaussian(48, points)
    field = rows.unpack(wave(rows.point_latitude, rows.point_longitude))
    speed = rows.unpack(
        np.sin(np.deg2rad(rows.point_longitude + 30))
    )  # u of a uniform flow across the poles
    data = regular.regular(
        {"temperature": field, "eastward_wind": np.stack([speed, 2 * speed])}, rows, 5.0
    )
    y, x = np.meshgrid(data.latitude, data.longitude, indexing="ij")
    np.testing.assert_allclose(data.temperature, wave(y, x), atol=2e-3)
    assert data.eastward_wind.dims == ("level", "latitude", "longitude")
    np.testing.assert_allclose(data.eastward_wind[1], 2 * np.sin(np.deg2rad(x + 30)), atol=2e-3)
