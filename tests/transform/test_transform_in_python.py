"""The transforms that people use from Python: shapes, errors, and the same numbers as ducc0."""

import json

import numpy as np
import pytest

from fathom.grids.transform import SphericalHarmonics


def coefficients(transform, *shape, seed=0):
    rng = np.random.default_rng(seed)
    c = rng.normal(size=(*shape, transform.waves)) + 1j * rng.normal(size=(*shape, transform.waves))
    c[..., transform.m == 0] = c[..., transform.m == 0].real
    return c


@pytest.mark.parametrize("shape", [(), (3,), (2, 5)])
@pytest.mark.parametrize("reduced", [False, "classical"])
def test_round_trip(shape, reduced):
    transform = SphericalHarmonics(21, reduced=reduced, threads=2)
    c = coefficients(transform, *shape)
    field = transform.inverse(c)
    assert field.shape == (*shape, *transform.shape) and (field[..., ~transform.inside] == 0).all()
    assert np.abs(transform.direct(field) - c).max() < 1e-13 * np.abs(c).max()


def test_what_the_first_coefficients_are():
    transform = SphericalHarmonics(10, "linear", precision="fp32")
    c = np.zeros(transform.waves, np.complex64)
    c[transform.index(0, 0)], c[transform.index(0, 1)] = 7, 1 / np.sqrt(3)
    field = transform.inverse(c)
    assert field.dtype == np.float32 and np.allclose(
        field, 7 + np.sin(np.radians(transform.latitude))[:, None], atol=1e-6
    )
    assert transform.direct(field).dtype == np.complex64
    assert (transform.m[transform.index(3, 8)], transform.n[transform.index(3, 8)]) == (3, 8)


def test_winds_and_gradients():
    transform = SphericalHarmonics(15)
    psi = coefficients(transform, 4)
    laplacian = -transform.n * (transform.n + 1) / transform.radius**2
    u, v = transform.wind(psi * laplacian, 0 * psi)
    east, north = transform.gradient(psi)
    assert np.allclose(u, -north, rtol=0, atol=1e-12 * np.abs(u).max()) and np.allclose(
        v, east, rtol=0, atol=1e-12 * np.abs(v).max()
    )
    vorticity, divergence = transform.vorticity_divergence(u, v)
    assert (
        np.allclose(vorticity, psi * laplacian, rtol=0, atol=1e-12 * np.abs(psi * laplacian).max())
        and np.abs(divergence).max() < 1e-12 * np.abs(vorticity).max()
    )


def test_adjoints():
    transform = SphericalHarmonics(12)
    x, y = coefficients(transform, 3), np.random.default_rng(1).normal(size=(3, *transform.shape))
    real = lambda a, b: (a.conj() * b).real.sum()
    assert real(transform.inverse(x), y) == pytest.approx(
        real(x, transform.inverse_adjoint(y)), rel=1e-13
    )
    assert real(transform.direct(y), x) == pytest.approx(
        real(y, transform.direct_adjoint(x)), rel=1e-13
    )


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda t: SphericalHarmonics(21, "quadratik"), "did you mean 'quadratic'"),
        (lambda t: SphericalHarmonics(21, reduced="octahedral"), "cubic truncation"),
        (lambda t: SphericalHarmonics(2.5), "whole number"),
        (lambda t: t.inverse(np.zeros(7)), "coefficients of shape \\(7,\\)"),
        (lambda t: t.direct(np.zeros((4, 4))), "a field of shape \\(4, 4\\)"),
        (lambda t: t.index(5, 3), "there is no coefficient"),
    ],
)
def test_errors(act, message):
    with pytest.raises(ValueError, match=message):
        act(SphericalHarmonics(10))


@pytest.mark.parametrize("truncation, grid", [(42, "quadratic"), (95, "linear")])
def test_against_ducc0(truncation, grid):
    ducc0 = pytest.importorskip("ducc0")
    transform = SphericalHarmonics(truncation, grid)
    rows, points = transform.shape
    c = coefficients(transform)
    # its harmonics have 1 for the integral over the sphere; its rows begin in the north
    theirs = ducc0.sht.experimental.synthesis_2d(
        alm=c[None] * np.sqrt(4 * np.pi) * np.where(transform.m % 2, -1, 1),
        spin=0,
        lmax=truncation,
        ntheta=rows,
        nphi=points,
        geometry="GL",
    )[0]
    ours = transform.inverse(c)
    assert np.abs(theirs[::-1] - ours).max() < 1e-12 * np.abs(ours).max()


def test_bench(tmp_path):
    """Figures of the benchmark on a small truncation; peers that are not installed do no harm."""
    from fathom.performance.bench.transforms import Case, measure, present

    figures = measure(Case(truncation=21, fields=20, repetitions=2))
    present(figures, tmp_path / "b.json")
    assert (
        json.loads((tmp_path / "b.json").read_text())["milliseconds_per_pair"]
        == figures["milliseconds_per_pair"]
        > 0
    )
    assert (
        figures["round_trip_error"] < 1e-13
        and 0 < figures["gflops"]
        and set(figures["peers"]) == {"ducc0", "shtns"}
    )
    assert all("message" in p or p["milliseconds_per_pair"] > 0 for p in figures["peers"].values())
    assert (
        sum(figures["phases"][p] for p in ("legendre", "fourier"))
        <= figures["wall_milliseconds_per_pair"]
    )
    with pytest.raises(ValueError, match="precision = 'fp46'; did you mean 'fp64'"):
        Case(precision="fp46")


def test_bench_on_ranks(tmp_path):
    """Legendre, Fourier and transposition apart, on two ranks that the command starts."""
    import subprocess
    import sys

    file = tmp_path / "ranks.json"
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "fathom",
            "bench",
            "transform",
            "--truncation",
            "21",
            "--fields",
            "20",
            "--ranks",
            "2",
            "--synchronise",
            "--repetitions",
            "2",
            "--json",
            str(file),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(file.read_text())
    assert (
        figures["case"]["ranks"] == 2
        and figures["round_trip_error"] < 1e-13
        and [len(figures["on_ranks"][way]) for way in ("inverse", "direct")] == [2, 2]
    )
    assert (
        all(figures["phases"][p] > 0 for p in ("legendre", "fourier", "transposition"))
        and "transposition" in done.stdout
    )
    assert (
        sum(figures["phases"][p] for p in ("legendre", "fourier", "transposition"))
        <= 1.01 * figures["milliseconds_per_pair"]
    )


@pytest.mark.parametrize("precision, fields", [("fp64", 32), ("fp32", 64)])
def test_bits_do_not_depend_on_streams(precision, fields):
    """Entries of many fields go past the caches, those of a few do not: winds and scalars, both
    ways, two threads.
    """
    transform = SphericalHarmonics(319, grid="linear", precision=precision, threads=2)
    few = fields // 4
    f = coefficients(transform, fields, seed=1)
    field = transform.inverse(f)
    assert np.array_equal(field[-few:], transform.inverse(f[-few:]))
    assert np.array_equal(transform.direct(field)[:few], transform.direct(field[:few]))
    u, v = transform.wind(f[: fields // 2], f[fields // 2 :])
    assert np.array_equal(
        np.array(transform.wind(f[: few // 2], f[fields // 2 :][: few // 2])),
        np.array([u[: few // 2], v[: few // 2]]),
    )


@pytest.mark.parametrize("fields", [1, 5, 8, 10, 25])
def test_gradient_and_its_transpose(fields):
    """<grad x, y> = <x, grad' y>, for any number of fields, whatever was transformed before."""
    transform = SphericalHarmonics(21)
    random = np.random.default_rng(fields)
    x = random.standard_normal((fields, transform.waves, 2)) @ [1, 1j]
    x[:, transform.m == 0] = x[:, transform.m == 0].real
    east, north = transform.gradient(1e9 * x)
    y = random.standard_normal((2, *east.shape))
    back = transform.gradient_adjoint(*y)
    forward = east * y[0] + north * y[1]
    backward = 1e9 * (x.real * back.real + x.imag * back.imag)
    assert abs(forward.sum() - backward.sum()) < 1e-13 * np.abs(forward).sum()
