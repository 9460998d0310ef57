"""Balance in background errors: adjoints, the wind next to an observation of mass, estimation."""

import numpy as np
import pytest

from fathom import earth
from fathom.assimilation import Cost, Slot, adjoint_error, lanczos, observed
from fathom.assimilation.balance import AirBackground, Errors, Waves, estimated, simple_errors
from fathom.grids.levels import SigmaLevels
from fathom.mpi import core
from fathom.transform import SphericalHarmonics

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
