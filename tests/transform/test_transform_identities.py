"""What holds exactly: round trips, plain sums, single harmonics, adjoints."""

import numpy as np
import pytest

from fathom.base.mpi import core as _core
from harmonics import Case, grid_of, legendre

KINDS = ("full", "octahedral", "classical")
RADIUS = 6371220.0
OCTAHEDRAL = 1e-12  # its short rows drop waves of some 1e-6, whose square the quadrature misses


def random(case, levels, seed=0):
    """A field of random numbers, 0 outside the rows."""
    return case.field(
        levels, np.random.default_rng(seed).normal(size=(levels, *case.inside.shape)) * case.inside
    )


def dot(case, a, b):
    return sum((x * y).sum() for x, y in zip(case.whole(a), case.whole(b)))


def test_rows():
    grid = grid_of(63, "linear")
    assert np.isclose(np.sum(grid.weight), 1, rtol=1e-15, atol=0)
    mu, w = np.polynomial.legendre.leggauss(grid.rows)
    assert np.allclose(grid.sine, mu, atol=3e-16) and np.allclose(grid.weight, w / 2, rtol=1e-13)
    assert np.allclose(np.square(grid.sine) + np.square(grid.cosine), 1, atol=3e-16)
    assert np.sum(np.asarray(grid.weight) * mu**40) == pytest.approx(1 / 41, rel=1e-14)


def test_points_of_reduced_grids():
    assert grid_of(538, "linear", "classical").size == pytest.approx(399_180, rel=0.01)
    assert grid_of(1279, "cubic", "octahedral").size == 6_599_680
    for kind in KINDS[1:]:
        points = np.asarray(grid_of(42, "quadratic", kind).points)
        assert (
            (points == points[::-1]).all()
            and (np.diff(points[: len(points) // 2]) >= 0).all()
            and (points % 2 == 0).all()
        )


@pytest.mark.parametrize(
    "order, kind",
    [(order, kind) for order in ("linear", "quadratic", "cubic") for kind in ("full", "classical")]
    + [("cubic", "octahedral")],
)
@pytest.mark.parametrize("truncation", [1, 21, 42])
def test_round_trip(truncation, order, kind):
    case = Case(truncation, order, kind)
    f, back, field = case.waves(3, seed=1), case.waves(3), case.field(3)
    case.scalar("inverse", f, field)
    case.scalar("direct", back, field)
    assert (
        np.abs(back - f).max() < (1e-13 if kind != "octahedral" else OCTAHEDRAL) * np.abs(f).max()
    )


@pytest.mark.parametrize(
    "truncation, order, kind",
    [
        (159, "linear", "full"),
        (106, "quadratic", "classical"),
        (255, "cubic", "octahedral"),
        (511, "linear", "full"),
    ],
)
def test_round_trip_of_long_rows(truncation, order, kind):
    case = Case(truncation, order, kind)
    f, back, field = case.waves(1, seed=1), case.waves(1), case.field(1)
    case.scalar("inverse", f, field)
    case.scalar("direct", back, field)
    assert (
        np.abs(back - f).max() < (1e-13 if kind != "octahedral" else OCTAHEDRAL) * np.abs(f).max()
    )


def test_round_trip_in_single_precision():
    case = Case(42, precision=4)
    f, back, field = case.waves(19, seed=1), case.waves(19), case.field(19)
    case.scalar("inverse", f, field)
    case.scalar("direct", back, field)
    assert np.abs(back - f).max() < 2e-5 * np.abs(f).max()


@pytest.mark.parametrize("kind", KINDS)
def test_against_plain_sums(kind):
    N = 10
    case = Case(N, "quadratic", kind)
    f, field = case.waves(2, seed=2), case.field(2)
    case.scalar("inverse", f, field)
    P, got = legendre(N, np.asarray(case.grid.sine)), case.whole(field)
    for j, points in enumerate(case.grid.points):
        longitude = 2 * np.pi * np.arange(points) / points
        want = 0
        for i, (m, n) in enumerate(zip(case.m, case.n)):
            c = f[i, 0] + 1j * f[i, 1]
            if m < points / 2:
                want = want + (1 + (m > 0)) * np.real(
                    P[m, n, j] * c[:, None] * np.exp(1j * m * longitude)
                )
        assert np.abs(got[:, j, :points] - want).max() < 1e-12


@pytest.mark.parametrize("half", [*range(2, 40), 97, 130, 641])
def test_rows_of_any_even_length(half):
    """Radices, general radices, chirps: each against numpy."""
    case = Case(1, _core.full_gaussian_grid(2, 2 * half))
    case = Case(1, case.grid) if half < 3 else case
    rng = np.random.default_rng(half)
    values = rng.normal(size=(9, 2, 2 * half))
    f = case.waves(9)
    case.scalar("direct", f, case.field(9, values))
    F = np.fft.rfft(values) / (2 * half)
    P, w = legendre(1, np.asarray(case.grid.sine)), np.asarray(case.grid.weight)
    for i, (m, n) in enumerate(zip(case.m, case.n)):
        want = np.einsum("j,kj->k", w * P[m, n], F[:, :, m])
        assert np.abs(f[i, 0] + 1j * f[i, 1] - want).max() < 1e-13


@pytest.mark.parametrize("kind", KINDS)
def test_solid_rotation_is_one_harmonic(kind):
    case = Case(21, "quadratic", kind)
    cosine = (
        np.broadcast_to(np.asarray(case.grid.cosine)[None, :, None], (1, *case.inside.shape))
        * case.inside
    )
    vorticity, divergence = case.waves(1), case.waves(1)
    case.wind("direct", vorticity, divergence, case.field(1, 40 * cosine), case.field(1))
    want = case.waves(1)
    want[(case.m == 0) & (case.n == 1), 0] = (
        2 * 40 / RADIUS / np.sqrt(3)
    )  # zeta = 2 u0 sin(phi) / a
    assert (
        np.abs(vorticity - want).max() < 1e-13 * want.max()
        and np.abs(divergence).max() < 1e-13 * want.max()
    )


def test_gradient_of_single_harmonics():
    """sin(phi) and cos(phi) cos(lambda), whose derivatives are known."""
    case = Case(21)
    longitude = 2 * np.pi * np.arange(case.grid.longest) / case.grid.longest
    mu, cosine = np.asarray(case.grid.sine)[:, None], np.asarray(case.grid.cosine)[:, None]
    f = case.waves(2)
    f[(case.m == 0) & (case.n == 1), 0, 0] = 1 / np.sqrt(3)
    f[(case.m == 1) & (case.n == 1), 0, 1] = 0.5 / np.sqrt(1.5)
    value, east, north = case.field(2), case.field(2), case.field(2)
    case.gradient("inverse", f, value, east, north)
    value, east, north = (case.whole(a) for a in (value, east, north))
    assert (
        np.abs(value[0] - mu).max() < 1e-14
        and np.abs(value[1] - cosine * np.cos(longitude)).max() < 1e-14
    )
    assert np.abs(east[0]).max() == 0 and np.abs(north[0] * RADIUS - cosine).max() < 1e-14
    assert (
        np.abs(east[1] * RADIUS + np.sin(longitude)).max() < 1e-13
        and np.abs(north[1] * RADIUS + mu * np.cos(longitude)).max() < 1e-13
    )


@pytest.mark.parametrize("kind", KINDS)
def test_wind_and_back(kind):
    case = Case(42, "quadratic", kind)
    vorticity, divergence, zeta, D = (
        case.waves(5, seed=3),
        case.waves(5, seed=4),
        case.waves(5),
        case.waves(5),
    )
    for a in (vorticity, divergence):
        a[case.n == 0] = 0
    u, v = case.field(5), case.field(5)
    case.wind("inverse", vorticity, divergence, u, v)
    case.wind("direct", zeta, D, u, v)
    assert (
        max(np.abs(zeta - vorticity).max(), np.abs(D - divergence).max())
        < (2e-13 if kind != "octahedral" else 10 * OCTAHEDRAL) * np.abs(vorticity).max()
    )


def test_wind_of_potentials_is_their_gradient():
    """u = (-dpsi/dy, dpsi/dx) + grad chi: vorticity and divergence are Laplacians."""
    case = Case(31)
    psi, chi = case.waves(2, seed=5), case.waves(2, seed=6)
    laplacian = (-(case.n * (case.n + 1)) / RADIUS**2)[:, None, None]
    u, v = case.field(2), case.field(2)
    case.wind("inverse", psi * laplacian, chi * laplacian, u, v)
    slopes = [case.field(2) for _ in range(4)]
    case.gradient("inverse", psi, None, *slopes[:2])
    case.gradient("inverse", chi, None, *slopes[2:])
    px, py, cx, cy = (case.whole(a) for a in slopes)
    u, v = case.whole(u), case.whole(v)
    assert (
        np.abs(u - (cx - py)).max() < 1e-13 * np.abs(u).max()
        and np.abs(v - (cy + px)).max() < 1e-13 * np.abs(v).max()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_adjoints(kind):
    """<A x, y> = <x, A' y> over all items in one list, partly filled registers included."""
    case, L = Case(21, "quadratic", kind), 5
    for way in ("inverse", "direct"):
        x = [case.waves(L, seed=s) for s in range(4)]
        y = [random(case, L, seed=s) for s in range(6)]
        out_x, out_y = [case.waves(L) for _ in range(4)], [case.field(L) for _ in range(6)]

        def items(waves, fields):
            list = case.items(case.transform)
            list.scalar(waves[0], fields[0])
            list.wind(waves[1], waves[2], fields[1], fields[2])
            if way == "inverse":
                list.gradient(waves[3], fields[3], fields[4], fields[5])
            return list

        to_points, to_waves = (
            ("inverse", "inverse_adjoint") if way == "inverse" else ("direct_adjoint", "direct")
        )
        getattr(case.transform, to_points)(items(x, out_y))
        getattr(case.transform, to_waves)(items(out_x, y))
        number = 4 if way == "inverse" else 3
        for waves, fields in (([0], [0]), ([1, 2], [1, 2]), ([3], [3, 4, 5]))[
            : 3 if number == 4 else 2
        ]:
            left = sum(dot(case, out_y[q], y[q]) for q in fields)
            right = sum((x[p] * out_x[p]).sum() for p in waves)
            size = sum(
                np.sqrt(dot(case, out_y[q], out_y[q]) * dot(case, y[q], y[q])) for q in fields
            )
            assert abs(left - right) < 1e-13 * size, (way, waves)


def test_bits_do_not_depend_on_the_list():
    """A field alone, and in the middle of others."""
    case = Case(21)
    f = case.waves(37, seed=7)
    field, alone = case.field(37), case.field(1)
    case.scalar("inverse", f, field)
    case.scalar("inverse", np.ascontiguousarray(f[:, :, 20:21]), alone)
    assert np.array_equal(case.whole(field)[20], case.whole(alone)[0])


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: _core.full_gaussian_grid(5, 16), "must be even"),
        (lambda: _core.full_gaussian_grid_of(21, 7), "allowed: 2 \\(linear\\)"),
        (lambda: Case(21, _core.full_gaussian_grid(32, 40)), "at least 43 are needed"),
        (lambda: Case(21, _core.full_gaussian_grid(20, 64)), "at least 22 are needed"),
    ],
)
def test_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("precision", [8, 4])
def test_bits_do_not_depend_on_the_table(precision):
    """Legendre functions from memory and on the fly, several stretches of degrees."""
    found = []
    for table in (0, 1 << 30):
        case = Case(299, "linear", "classical", precision, table=table)
        f, back, field = case.waves(1, seed=1), case.waves(1), case.field(1)
        case.scalar("inverse", f, field)
        case.scalar("direct", back, field)
        found.append((case.transform.table_bytes, back, case.whole(field)))
    assert found[0][0] < found[1][0] / 10 and all(
        np.array_equal(a, b) for a, b in zip(found[0][1:], found[1][1:])
    )
