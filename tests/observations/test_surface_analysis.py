"""Optimal interpolation of the surface, and its test of a datum against its neighbours."""

import numpy as np
import pytest

from fathom.assimilation.observations import surface
from fathom.base import earth
from networks import network

T = surface.structures["air_temperature"]


def test_single_datum():
    """sigma_b = sigma_o: half the departure at its place; elsewhere the structure function; at
    another height its factor.
    """
    s = surface.Structure(100e3, 500.0, 1.2, 1.2)
    data = surface.Data(*(np.array([x]) for x in (10.0, 50.0, 200.0, 3.0)))
    made, deviation = surface.analyse(s, [10, 10, 10], [50, 51, 50], [200, 200, 700], data)
    r = earth.RADIUS * np.deg2rad(1) / 100e3
    assert made == pytest.approx([1.5, 1.5 * (1 + r) * np.exp(-r), 1.5 * np.exp(-0.5)], rel=1e-12)
    assert deviation[0] == pytest.approx(1.2 / np.sqrt(2))


def test_against_the_whole_matrix():
    """With all data as neighbours: x = B (B + R)^-1 d by LAPACK; to its conditioning."""
    data, T = network(60).data, surface.Structure(400e3, 500.0, 1.2)
    made, deviation = surface.analyse(T, data.longitude, data.latitude, data.height, data, 60)
    x = earth.unit_vectors(data.longitude, data.latitude)
    r = 2 * np.arcsin(np.linalg.norm(x[:, None] - x, axis=-1) / 2) * earth.RADIUS / T.length
    dz = (data.height[:, None] - data.height) / T.height
    sigma = T.deviation(data.departure)
    B = sigma**2 * (1 + r) * np.exp(-r - 0.5 * dz**2)
    K = np.linalg.solve(B + T.error**2 * np.eye(60), B).T
    assert r.max() < 6 and made == pytest.approx(K @ data.departure, abs=1e-10)
    assert deviation == pytest.approx(np.sqrt(np.diag(B - K @ B)), abs=1e-10)


def test_heights_that_are_not_known():
    """Those of the nearest datum: every analysis is finite, and a gross error is still found."""
    net = network(300, gross=10)
    net.data.height[::4] = np.nan
    made, deviation = surface.analyse(
        T, net.data.longitude, net.data.latitude, np.full(300, np.nan), net.data
    )
    assert np.isfinite(made).all() and np.isfinite(deviation).all()
    assert np.isfinite(surface.withheld(T, net.data)).all()
    assert surface.outliers(T, net.data)[net.wrong].mean() >= 0.8
    high = surface.Data(*(np.array([x, x]) for x in (10.0, 50.0)), np.array([1e3, np.nan]),
                        np.array([1.0, 1.0]))  # fmt: skip
    same = surface.Data(high.longitude, high.latitude, np.array([1e3, 1e3]), high.departure)
    assert surface.analyse(T, 10, 50, 1e3, high) == surface.analyse(T, 10, 50, 1e3, same)


def test_bits_do_not_depend_on_who_solves():
    data = network(300).data
    whole = surface.analyse(T, data.longitude, data.latitude, data.height, data)
    some = slice(7, 120)
    part = surface.analyse(
        T, data.longitude[some], data.latitude[some], data.height[some], data, threads=3
    )
    for a, b in zip(whole, part):
        np.testing.assert_array_equal(a[some], b)


def test_withheld_stations_gain():
    """Errors drawn from the structure itself: the error at withheld stations is near the error
    estimate of the analysis, and much less than that of the background.
    """
    data = network(600).data
    left = surface.withheld(T, data)
    flat = surface.withheld(surface.Structure(T.length, np.inf, T.error), data)
    rms = lambda x: np.sqrt(np.mean(x**2))
    assert rms(left) < 0.85 * rms(data.departure) and rms(left) < rms(flat)


def test_outliers_are_found():
    """Of errors of eight deviations nearly all, of good data nearly none."""
    net = network(600, gross=30)
    found = surface.outliers(T, net.data)
    assert found[net.wrong].mean() >= 0.9
    assert found[~net.wrong].mean() <= 0.01


def test_titanlib_finds_the_same():
    """The spatial consistency test of titanlib on the same data, with its own structure and a
    limit at which it loses no good datum: ours catches as many, and loses no more than 1 %.
    """
    titanlib = pytest.importorskip("titanlib")
    net = network(600, gross=30)
    data, n = net.data, len(net.data)
    points = titanlib.Points(data.latitude, data.longitude, data.height)
    flags, *_ = titanlib.sct(
        points, data.departure, 5, 100, 100e3, 300e3, 5, 50, 200, 50e3, 500, np.full(n, 16.0),
        np.full(n, 16.0), np.full(n, 0.5),
    )  # fmt: skip
    theirs, ours = np.asarray(flags) == 1, surface.outliers(T, data)
    assert theirs[net.wrong].mean() > 0.7
    assert ours[net.wrong].mean() >= theirs[net.wrong].mean()
    assert ours[~net.wrong].mean() <= max(theirs[~net.wrong].mean(), 0.01)


def test_bad_input():
    data = network(20).data
    with pytest.raises(ValueError, match="did you mean 'air_temperature'"):
        surface.structure_of("air_temprature")
    with pytest.raises(ValueError, match="length = -1"):
        surface.Structure(-1, 500, 1)
    with pytest.raises(ValueError, match="folds = 30"):
        surface.withheld(T, data, 30)
    data.departure[3] = np.nan
    with pytest.raises(ValueError, match="departure of the data"):
        surface.analyse(T, 0, 0, 0, data)
    empty = data.taken(np.zeros(20, bool))
    made, deviation = surface.analyse(T, [0, 1], [0, 1], [0, 0], empty)
    assert (made == 0).all() and (deviation > 0).all()


def test_ground_gets_its_part():
    made = surface.ground_increments(np.array([2 * np.pi]))
    assert made["deep_ground_temperature"] == pytest.approx(1)
    made = surface.ground_increments(np.ones(2), land="SoilLayers")
    assert list(made) == ["ground_temperature", *(f"soil_temperature_{k}" for k in (1, 2, 3, 4))]
    layers = np.array([made[f"soil_temperature_{k}"][0] for k in (1, 2, 3, 4)])
    thickness = np.array([0.07, 0.21, 0.72, 1.89])
    assert 1 > layers[0] > layers[1] > layers[2] > layers[3] > 0
    assert layers @ thickness == pytest.approx(0.12)  # the heat of the wave is conserved
    with pytest.raises(ValueError, match="did you mean 'SoilLayers'"):
        surface.ground_increments(np.ones(2), land="SoilLayer")
