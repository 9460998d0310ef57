"""Depth of the mixed layer from profiles, and the embedded climatology of its deepest."""

import numpy as np

from fathom.data import mixed_layer


def column(density):
    return np.asarray(density, float)[:, None, None]


depth = np.array([25.0, 85.0, 170.0, 290.0])


def test_foot_lies_where_density_has_risen_by_the_step():
    rho = column([26.0, 26.05, 26.25, 27.0])
    found = mixed_layer.depth_of(rho, depth)
    np.testing.assert_allclose(found, 85 + (0.125 - 0.05) / 0.2 * 85)
    months = np.stack([rho, column([26.0, 26.25, 26.45, 27.2])])  # (month, depth, 1, 1)
    np.testing.assert_allclose(mixed_layer.depth_of(months, depth)[:, 0, 0], [116.875, 55.0])


def test_unstable_above_the_step_counts_from_the_first_crossing():
    found = mixed_layer.depth_of(column([26.0, 26.2, 26.0, 26.3]), depth)
    np.testing.assert_allclose(found, 25 + 60 * 0.125 / 0.2)


def test_all_mixed_reaches_the_lowest_water_and_land_has_none():
    assert mixed_layer.depth_of(column([26.0, 26.01, np.nan, np.nan]), depth) == 85
    assert np.isnan(mixed_layer.depth_of(column([np.nan] * 4), depth))


def test_climatology_is_deep_where_water_sinks():
    at = lambda lat, lon: mixed_layer.on_points(np.array([lat]), np.array([lon])).item()
    assert at(58.0, 310.0) > 1000  # Labrador Sea
    assert at(0.0, 240.0) < 80
