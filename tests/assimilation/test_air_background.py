"""Balance in background errors: adjoints, the wind next to an observation of mass, estimation."""

import numpy as np
import pytest

from fathom.assimilation import Cost, Slot, adjoint_error, lanczos, observed
from fathom.assimilation.balance import AirBackground, Errors, Waves, simple_errors
from fathom.assimilation.departures import sized, variances
from fathom.assimilation.estimation import estimated
from fathom.base import earth
from fathom.base.mpi import core
from fathom.grids.levels import SigmaLevels
from fathom.grids.transform import SphericalHarmonics

transform = SphericalHarmonics(42)
levels = SigmaLevels(6)
a, b = np.asarray(levels.a), np.asarray(levels.b)
random = np.random.default_rng(4)


def made(**options):
    return AirBackground(transform, simple_errors(transform, a, b, length=1e6, **options))


def test_adjoint():
    background = made()
    x, y = (random.standard_normal(n) for n in (background.controls, background.waves.size))
    assert adjoint_error(background, x, y) < 1e-14


def test_variances_are_those_asked_for():
    """Of wind, over random draws."""
    background = made(wind=3.0, divergent=0.0)
    u = [
        background.waves.fields(background.apply(random.standard_normal(background.controls)))[:6]
        for _ in range(30)
    ]
    area = np.asarray(transform.weight)[:, None] / transform.shape[1]
    assert np.sqrt(np.sum(np.mean(np.square(u), (0, 1)) * area)) == pytest.approx(3.0, rel=0.05)


def test_single_datum():
    """Surface pressure at 45 N, errors as large as those of the background: half the departure, and
    next to it the geostrophic wind, f v = d(phi + R T_r pi)/dx on the levels.
    """
    background = made(temperature=0.01, pressure=1.0, divergent=0.01)
    H = observed.columns(transform, 6, np.array([180.0]), np.array([45.0]), ("pressure",))
    column = H.apply(background.apply(background.adjoint(H.adjoint(np.ones(1)))))
    cost = Cost(background, [Slot(np.array([2 * column[0]]), column, H)])
    found = lanczos(cost, iterations=5, tolerance=1e-12)
    assert H.apply(found.increment) == pytest.approx(column, rel=1e-12)

    fields = background.waves.fields(found.increment)
    v, T, pi = fields[6:12], fields[12:18], fields[18]
    gamma = np.reshape(core.hybrid_reference(list(a), list(b))["gamma"], (6, 6))
    geopotential = np.tensordot(gamma, T, 1) + 287.0 * 280.0 * pi
    row = int(np.argmin(np.abs(transform.latitude - 45)))
    f = 2 * earth.ROTATION * np.sin(np.radians(transform.latitude[row]))
    slope, _ = transform.gradient(transform.direct(geopotential))
    geostrophic = slope[:, row] / f
    for k in (3, 4, 5):
        at = np.argmax(np.abs(v[k, row]))
        assert v[k, row, at] == pytest.approx(geostrophic[k, at], rel=0.05), k


def test_estimation_finds_what_was_drawn(tmp_path):
    """Variances and the part of mass that wind explains, from draws with known covariances."""
    small = SphericalHarmonics(15)
    truth = simple_errors(small, a, b, length=1e6)
    background = AirBackground(small, truth)
    draws = [background.apply(random.standard_normal(background.controls)) for _ in range(60)]
    found = estimated(draws, small, 6)
    for name in ("stream_function", "velocity_potential", "mass"):
        ours, theirs = getattr(found, name), getattr(truth, name)
        size = (2 * np.arange(16) + 1)[:, None, None]
        of = lambda C, size=size: np.sqrt(np.diagonal((size * C).sum(0)))
        assert of(ours) == pytest.approx(of(theirs), rel=0.15), name
    waves = Waves(small, 6)
    psi, _, mass = waves.to_waves(draws[0])
    explained = found.balance @ (AirBackground(small, found).geopotential @ psi.T).T
    assert np.linalg.norm(mass[-1] - explained[-1]) < 0.6 * np.linalg.norm(mass[-1])
    found.write(str(tmp_path / "errors.nc"))
    assert (Errors.read(str(tmp_path / "errors.nc")).mass == found.mass).all()


def with_regression(size=15):
    """Errors in which a half of the velocity potential's variance follows the balanced mass, some
    of the mass the rest of it, and a half of humidity all of them."""
    small = SphericalHarmonics(size)
    errors = simple_errors(small, a, b, length=1e6, divergent=0.2)
    K, every = 6, (size + 1, 1, 1)
    per_phi = -0.5 / (2 * earth.ROTATION * np.sin(np.pi / 4))  # phi is about f psi
    errors.divergence_balance = np.tile(per_phi * np.eye(K), every)
    errors.mass_by_divergence = np.tile(np.eye(K + 1, K) * 5e-7, every)
    errors.humidity = 0.01 * np.tile(np.eye(K), every) / (size + 1) ** 2
    known = np.eye(K, 3 * K + 1, 2 * K) * 0.05  # half of the deviation for 1 K
    errors.humidity_balance = np.tile(known, every)
    points = int(small.inside.sum())
    return small, errors, 0.01 * random.uniform(0.2, 1.0, (K, points))


def test_regression_is_balanced():
    """The adjoint; humidity next to a datum of temperature; variances as drawn."""
    small, errors, saturation = with_regression()
    L = AirBackground(small, errors, saturation=saturation)
    x, y = random.standard_normal(L.controls), random.standard_normal(L.waves.size)
    assert adjoint_error(L, x, y) < 1e-14
    points, place = L.waves.points, 200
    datum = np.zeros(L.waves.size)
    datum[(2 * 6 + 3) * points + place] = 1
    column = L.apply(L.adjoint(datum))
    moist = column[(3 * 6 + 1 + 3) * points + place]
    assert moist == pytest.approx(
        0.05 * saturation[3, place] * errors.mass[:, 3, 3] @ (2 * np.arange(16) + 1), rel=1e-2
    )
    with pytest.raises(ValueError, match="needs both its errors and the saturation"):
        AirBackground(small, errors)


def test_regression_is_found(tmp_path):
    """The explained parts, from draws: of each part the variance that is left."""
    small, errors, saturation = with_regression()
    L = AirBackground(small, errors, saturation=saturation)
    draws = [L.apply(random.standard_normal(L.controls)) for _ in range(40)]
    found = estimated(draws, small, 6, divergence=True, saturation=saturation)
    without = estimated(draws, small, 6, saturation=saturation)
    total = lambda C: np.diagonal(((2 * np.arange(16) + 1)[:, None, None] * C).sum(0))
    for name in ("velocity_potential", "humidity"):
        assert total(getattr(found, name)) == pytest.approx(
            total(getattr(errors, name)), rel=0.25
        ), name
    assert (total(found.velocity_potential) < 0.8 * total(without.velocity_potential)).all()
    phi = (L.geopotential @ L.waves.to_waves(draws[0])[0].T).T
    mine, theirs = (L.waves.by_degree(e.divergence_balance, phi) for e in (found, errors))
    assert np.linalg.norm(mine - theirs) < 0.3 * np.linalg.norm(theirs)
    found.write(str(tmp_path / "errors.nc"))
    read = Errors.read(str(tmp_path / "errors.nc"))
    assert (read.humidity_balance == found.humidity_balance).all()


def test_variances_with_regression():
    """Those of draws; and `sized` gives those that are asked for."""
    small, errors, _ = with_regression()
    dry = Errors(errors.stream_function, errors.velocity_potential, errors.mass, errors.balance,
                 errors.divergence_balance, errors.mass_by_divergence)  # fmt: skip
    L = AirBackground(small, dry)
    area = np.asarray(small.weight)[:, None] / small.shape[1]
    draws = [L.waves.fields(L.apply(random.standard_normal(L.controls))) for _ in range(60)]
    mean = np.sum(np.mean(np.square(draws), 0) * area, (1, 2))
    wind, balanced, rest = variances(dry, small)
    assert 0.5 * (mean[:6] + mean[6:12]) == pytest.approx(wind, rel=0.1)
    assert mean[12:] == pytest.approx(balanced + rest, rel=0.15)
    wanted = np.concatenate([2 * wind, 2 * wind, 2 * balanced + 3 * rest])
    made = variances(sized(dry, small, wanted), small)
    assert made[0] == pytest.approx(2 * wind)
    assert made[1] + made[2] == pytest.approx(wanted[12:], rel=0.1)
