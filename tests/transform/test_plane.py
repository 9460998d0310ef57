"""Bi-Fourier transforms: exact waves, plain sums, round trips, adjoints, ecTrans."""

import numpy as np
import pytest

from fathom.base.mpi import MPI, core
from fathom.grids.transform import BiFourier

SPACING = (10e3, 8e3)


def coefficients(transform, *shape, seed=0):
    rng = np.random.default_rng(seed)
    c = rng.normal(size=(*shape, transform.waves, 2)) @ [1, 1j]
    c[..., 0] = c[..., 0].real
    return c


def positions(transform):
    """x and y of the points [m], of one row and of one column."""
    rows, points = transform.shape
    return np.arange(points) * SPACING[0], (np.arange(rows) * SPACING[1])[:, None]


def waves_on_points(transform):
    """exp(i (k x + l y)) of each coefficient."""
    x, y = positions(transform)
    return np.exp(1j * (transform.k[:, None, None] * x + transform.l[:, None, None] * y))


def test_ellipse():
    """The waves of ALADIN's routine for 29 x 26, and none outside the ellipse."""
    transform = BiFourier((60, 54), SPACING, truncation=(29, 26))
    assert (transform.m[0], transform.n[0]) == (0, 0) and transform.waves == len(
        set(zip(transform.m.tolist(), transform.n.tolist()))
    )
    assert ((transform.m / 29) ** 2 + (transform.n / 26) ** 2 <= 1 + 1e-9).all()
    for m in range(1, 30):
        most = int(1e-10 + 26 / 29 * np.sqrt(29**2 - m**2))
        assert np.array_equal(np.sort(transform.n[transform.m == m]), np.arange(-most, most + 1))
    assert np.array_equal(transform.n[transform.m == 0], np.arange(27))


@pytest.mark.parametrize("points", [(20, 18), (15, 25), (27, 16), (9, 9), (14, 22)])
@pytest.mark.parametrize("grid", ["linear", "quadratic"])
def test_against_plain_sums(points, grid):
    transform = BiFourier(points, SPACING, grid=grid)
    c = coefficients(transform, 3)
    alone = (transform.m == 0) & (transform.n == 0)
    waves = waves_on_points(transform) * np.where(alone, 1, 2)[:, None, None]
    field = transform.inverse(c)
    assert np.abs(field - np.tensordot(c, waves, 1).real).max() < 1e-12
    assert np.abs(transform.direct(field) - c).max() < 1e-13 * np.abs(c).max()
    slopes = transform.gradient(c)
    for got, number in zip(slopes, (transform.k, transform.l)):
        want = np.tensordot(1j * number * c, waves, 1).real
        assert np.abs(got - want).max() < 1e-13 * np.abs(want).max() * transform.waves


@pytest.mark.parametrize("points", [(300, 256), (405, 375), (250, 81)])
def test_round_trip(points):
    for precision, error in (("fp64", 1e-14), ("fp32", 1e-5)):
        transform = BiFourier(points, SPACING, grid="linear", precision=precision)
        c = coefficients(transform, 2).astype(transform.complex)
        field = transform.inverse(c)
        assert field.dtype == transform.real
        assert np.abs(transform.direct(field) - c).max() < error * np.abs(c).max()


def test_against_numpy():
    """The direct transform of anything is the Fourier transform, cut at the ellipse."""
    transform = BiFourier((45, 64), SPACING)
    field = np.random.default_rng(0).normal(size=(4, *transform.shape))
    F = np.fft.fft2(field) / field[0].size
    assert np.abs(transform.direct(field) - F[:, transform.n, transform.m]).max() < 1e-15


def test_wind_of_one_wave():
    """Streamfunction cos(kx + ly) and a mean wind, whose vorticity and wind are known."""
    transform = BiFourier((36, 30), SPACING)
    x, y = positions(transform)
    at = transform.index(3, -2)
    k_x, k_y = transform.k[at], transform.l[at]
    phase = k_x * x + k_y * y
    u, v = 7 + k_y * np.sin(phase), -3 - k_x * np.sin(phase)
    vorticity, divergence = transform.vorticity_divergence(u, v)
    want = np.zeros(transform.waves, complex)
    want[at], want[0] = -(k_x**2 + k_y**2) / 2, -3
    assert np.abs(vorticity - want).max() < 1e-14
    assert divergence[0] == pytest.approx(7, abs=1e-14) and np.abs(divergence[1:]).max() < 1e-17
    again = transform.wind(vorticity, divergence)
    assert np.abs(np.array(again) - np.array([u, v])).max() < 1e-13


@pytest.mark.parametrize("fields", [1, 5, 20])
def test_winds_and_back(fields):
    transform = BiFourier((50, 48), SPACING)
    vorticity, divergence = coefficients(transform, 2, fields) * 1e-5
    wind = transform.wind(vorticity, divergence)
    error = np.abs(np.array(transform.vorticity_divergence(*wind)) - [vorticity, divergence])
    assert error[..., 1:].max() < 1e-13 * 1e-5
    assert error[..., 0].max() < 1e-15 * np.abs(wind).max()  # the mean wind
    zeros = np.zeros_like(vorticity)
    chi = coefficients(transform, fields, seed=1)
    chi[:, 0] = 0
    laplacian = -(transform.k**2 + transform.l**2) * chi
    assert np.allclose(transform.wind(zeros, laplacian), transform.gradient(chi), atol=1e-16)


@pytest.mark.parametrize("points", [(24, 20), (25, 27)])
@pytest.mark.parametrize("fields", [1, 5, 11])
def test_adjoints(points, fields):
    """<A x, y> = <x, A' y>, with re and im of the coefficients as separate numbers."""
    transform = BiFourier(points, (1.0, 1.0))
    rng = np.random.default_rng(fields)
    x = coefficients(transform, 2, fields)
    y = rng.normal(size=(2, fields, *transform.shape))
    dot = lambda a, b: (np.conj(a) * b).real.sum()
    one = lambda act: lambda a: np.array([act(a[0])])
    two = lambda act: lambda a: np.array(act(*a))
    for forward, backward in (
        (one(transform.inverse), one(transform.inverse_adjoint)),
        (lambda c: np.array(transform.gradient(c[0])), lambda f: transform.gradient_adjoint(*f)),
        (two(transform.wind), two(transform.wind_adjoint)),
    ):
        there, back = forward(x), backward(y)
        assert dot(there, y[: len(there)]) == pytest.approx(
            dot(x[: len(back)] if back.ndim == 3 else x[0], back), rel=1e-12, abs=1e-12
        )
    for forward, backward in (
        (one(transform.direct), one(transform.direct_adjoint)),
        (two(transform.vorticity_divergence), two(transform.vorticity_divergence_adjoint)),
    ):
        there, back = forward(y), backward(x)
        assert dot(there, x[: len(there)]) == pytest.approx(
            dot(y[: len(back)], back), rel=1e-12, abs=1e-12
        )


def test_bits_do_not_depend_on_the_list():
    transform = BiFourier((45, 40), SPACING, threads=2)
    c = coefficients(transform, 37)
    assert np.array_equal(transform.inverse(c)[20], transform.inverse(c[20]))
    field = transform.inverse(c)
    assert np.array_equal(transform.direct(field)[20], transform.direct(field[20]))


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda t: BiFourier((20, 20), 1e3, grid="quadratik"), "did you mean 'quadratic'"),
        (lambda t: BiFourier((20, 20), 1e3, truncation=(10, 6)), "at least 21 are needed"),
        (lambda t: BiFourier((20, 20), 1e3, truncation=(6, 10)), "at least 21 are needed"),
        (lambda t: BiFourier((20, 20), -1e3), "a plane of -20000 m"),
        (lambda t: BiFourier((2, 20), 1e3), "at least 1 each way"),
        (lambda t: t.inverse(np.zeros(7)), "coefficients of shape \\(7,\\)"),
        (lambda t: t.direct(np.zeros((4, 4))), "a field of shape \\(4, 4\\)"),
        (lambda t: t.index(0, -3), "there is no coefficient m = 0, n = -3"),
    ],
)
def test_errors(act, message):
    with pytest.raises(ValueError, match=message):
        act(BiFourier((20, 20), 1e3))


def test_decomposition_of_another_plane():
    whole = core.arrange(
        core.Topology(20, 20, True), np.ones(400, np.int32), 1, [0, 20], [0, 20], [0], 0
    )
    with pytest.raises(ValueError, match="20 × 20 points for a grid of 18 rows"):
        core.BiFourier64(MPI.COMM_SELF.py2f(), (20, 18), (6, 5), (1.0, 1.0), whole)


def test_against_ectrans(monkeypatch):
    """The same waves as ecTrans: what it keeps of noise, and its derivatives, for which the
    interface for Python has a pi of single precision.
    """
    monkeypatch.setenv("DR_HOOK_NOT_MPI", "1")
    ectrans = pytest.importorskip("ectrans4py")
    size, waves = (60, 54), (29, 26)
    domain = (*size, *size, *waves, 1)
    transform = BiFourier(size, SPACING, truncation=waves)
    points, numbers = ectrans.etrans_inq4py(*domain, *SPACING)
    assert points == 60 * 54
    noise = np.random.default_rng(1).normal(size=transform.shape)
    spectrum = ectrans.gp2sp_lam4py(numbers, *domain, *SPACING, False, noise.ravel())
    kept, north, east = (
        values.reshape(transform.shape)
        for values in ectrans.sp2gp_lam4py(*domain, numbers, True, False, *SPACING, spectrum)
    )
    ours = transform.direct(noise)
    assert np.abs(transform.inverse(ours) - kept).max() < 1e-14
    for got, want in zip(transform.gradient(ours), (east, north)):
        assert np.abs(got - want).max() < 1e-7 * np.abs(want).max()
