"""Sizes of errors from departures: against draws whose errors are known."""

import numpy as np
import pytest

from fathom.assimilation import Cost, Matrix, Slot, lanczos, observed
from fathom.assimilation.balance import AirBackground, simple_errors
from fathom.assimilation.departures import (
    Statistics,
    ratios,
    reshaped,
    root_inverse,
    sized,
    spectra,
    variance_of_members,
    variances,
)
from fathom.grids.levels import SigmaLevels
from fathom.grids.transform import SphericalHarmonics

values, places = 4, 60
levels = SigmaLevels(3)
a, b = np.asarray(levels.a), np.asarray(levels.b)
transform = SphericalHarmonics(15)


def test_errors_are_found_from_departures_alone():
    """Columns of four values over a line: R with correlations within a column, and the variance of
    the background, from a start that is wrong by factors of four and of a half.
    """
    random, x = np.random.default_rng(3), np.arange(places)
    instrument = np.array([1.0, 1.0, 0.5, 0.5])
    extra = np.outer(v := np.array([1.0, 0.8, 0.6, 0.4]), v)
    R = np.diag(instrument) + extra
    along = np.linalg.cholesky(np.exp(-np.abs(x[:, None] - x) / 8) + 1e-9 * np.eye(places))
    root = np.kron(np.eye(values), along)  # B of variance one
    known, scale = Statistics.empty(values), 4.0
    everything = np.ones(values * places, bool)
    for _ in range(40):
        now = known.data_errors(instrument) if known.columns else np.diag(instrument)
        W = Matrix(root_inverse(now, everything))
        error = (np.linalg.cholesky(R) @ random.standard_normal((values, places))).ravel()
        d = error + root @ random.standard_normal(values * places)
        L = Matrix(np.sqrt(scale) * root)
        found = lanczos(Cost(L, [Slot(W.apply(d), np.ones(len(d)), W)]), tolerance=1e-4)
        b, a = d.reshape(values, places), (d - found.increment).reshape(values, places)
        known = known.after(b, a, kept=0.85)
        scale = np.diagonal(known.of_background).mean()
    np.testing.assert_allclose(known.data_errors(instrument), R, atol=0.25)
    assert scale == pytest.approx(1.0, rel=0.2)


def test_pairs_of_columns_show_the_variance_of_the_background_whatever_the_errors_of_data():
    random, values, columns = np.random.default_rng(0), 300, 60
    x = np.arange(columns)
    covariance = np.exp(-abs(x[:, None] - x) / 4)
    root = np.linalg.cholesky(covariance)
    drawn = lambda *shape: random.standard_normal((*shape, columns)) @ root.T
    d = 2 * drawn(values) + 3 * random.standard_normal((values, columns))
    members = drawn(10, values)
    d[:, 7] = np.nan
    deviations = members - members.mean(0)
    found = variance_of_members(
        d, deviations, np.broadcast_to(covariance, (values, columns, columns))
    )
    assert found.mean() == pytest.approx(4, rel=0.1)
    assert np.nanmean(d**2) == pytest.approx(13, rel=0.1)


def test_root_of_columns_with_values_left_out():
    random = np.random.default_rng(1)
    A = random.standard_normal((3, 3))
    R = A @ A.T + np.eye(3)
    taken = np.ones(12, bool)
    taken[[1, 4, 5, 9]] = False
    taken[[2, 6, 10]] = False  # a column without any observation left
    whole = np.kron(R, np.eye(4))[np.ix_(taken, taken)]
    W = root_inverse(R, taken).toarray()
    np.testing.assert_allclose(W @ whole @ W.T, np.eye(taken.sum()), atol=1e-12)
    with pytest.raises(ValueError, match="no whole number of columns of 3 values"):
        root_inverse(R, taken[:-1])


def test_a_background_has_the_sizes_asked_for():
    """Means over the sphere, over draws of B."""
    errors = simple_errors(transform, a, b, length=1e6, temperature=0.8)
    wanted = np.concatenate([np.tile([4.0, 9.0, 2.0], 2), [3.0, 6.0, 14.0], [9e-6]])
    made = sized(errors, transform, wanted)
    L, random = AirBackground(transform, made), np.random.default_rng(5)
    draws = [L.waves.fields(L.apply(random.standard_normal(L.controls))) for _ in range(100)]
    area = np.asarray(transform.weight)[:, None] / transform.shape[1]
    found = np.sum(np.mean(np.square(draws), 0) * area, (1, 2))
    np.testing.assert_allclose(found, wanted, rtol=0.12)
    assert np.allclose(variances(made, transform)[0], wanted[:3])
    with pytest.raises(ValueError, match=r"variances of shape \(3,\); allowed is \(10,\)"):
        sized(errors, transform, np.ones(3))


def test_the_shape_of_a_background_is_found():
    """B of another length and size, from increments of data that were drawn with the true one: the
    spectrum of the wind comes near that of the truth in three bands of degrees.
    """
    n, random = np.arange(16), np.random.default_rng(8)
    truth = AirBackground(transform, simple_errors(transform, a, b, wind=2.0, length=4e5))
    errors = simple_errors(transform, a, b, wind=3.0, length=2e6)
    longitude, latitude = (
        random.uniform(0, 360, 150),
        np.degrees(np.arcsin(random.uniform(-1, 1, 150))),
    )
    H = observed.columns(transform, 3, longitude, latitude)
    logs = [np.zeros((16, k)) for k in (3, 3, 4)]
    deviation = np.full(10 * 150, 0.5)
    deviation[-150:] = 5e-4
    draw = lambda L: (
        H.apply(L.apply(random.standard_normal(L.controls)))
        + deviation * random.standard_normal(len(deviation))
    )
    for _ in range(8):
        L = AirBackground(transform, reshaped(errors, [np.exp(x) for x in logs]))
        control = lambda d, L=L: lanczos(Cost(L, [Slot(d, deviation**2, H)]), iterations=25).control
        squares = ratios(spectra(L, control(draw(truth))), spectra(L, control(draw(L))))
        logs = [old + 0.5 * np.log(s) for old, s in zip(logs, squares)]
    found = reshaped(errors, [np.exp(x) for x in logs]).stream_function
    of_wind = (2 * n + 1) * n * (n + 1)
    bands = lambda C: np.array(
        [
            (of_wind[part] * np.trace(C, axis1=1, axis2=2)[part]).sum()
            for part in (n < 5, (n >= 5) & (n < 10), n >= 10)
        ]
    )
    before, after = (
        bands(C) / bands(truth.errors.stream_function) for C in (errors.stream_function, found)
    )
    assert abs(np.log(before)).max() > np.log(2.5)
    assert abs(np.log(after)).max() < np.log(1.5), after
