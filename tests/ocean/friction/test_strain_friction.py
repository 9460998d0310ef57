"""Friction from strain: dissipation, rotations, eigenvalues, directions."""

import numpy as np
import pytest

from operators import Harmonic, Sphere, geometry, order, radius, run, spherical

nz, ny, nx = 3, 14, 19
rng = np.random.default_rng(8)
metrics = {
    n: 1e5 * (0.5 + rng.random((ny, nx)))
    for n in (
        "dx_corner",
        "dy_corner",
        "length_north_face",
        "length_east_face",
        "dx_east_face",
        "dy_north_face",
    )
} | {"area_center": 1e10 * (0.5 + rng.random((ny, nx)))}


def flow_of(grid, *parts):
    c = Sphere(grid, "corner")
    return c, c.components(sum(part(c.r) for part in parts))


def force(name, given, levels=1, **parameters):
    out = run(name, given, levels, **parameters)
    return np.array([out["velocity_tendency_x"], out["velocity_tendency_y"]])


@pytest.mark.parametrize("make", spherical)
def test_isotropic_is_the_laplacian(make):
    """Eigenvalue -[l (l + 1) - 2] / a^2 on flows of degree 3, with divergence and without, second
    order; applied twice, minus its square.
    """
    errors, squared = [], []
    for n in (48, 96):
        grid = make(n)
        c, u = flow_of(grid, Harmonic(3).swirl, Harmonic(3, np.eye(3)).gradient)
        given = geometry(grid) | {
            "velocity_x": u[0],
            "velocity_y": u[1],
            "lateral_viscosity": 1e6,
            "wet_levels": 1.0,
        }
        F = force("StrainFriction", given)[:, 0]
        errors.append(c.error(F, -10 * 1e6 / radius**2 * np.array(u)))
        half = run("StrainLaplacian", given)
        squared.append(
            c.error(
                force("BiharmonicStrainFriction", given | half)[:, 0],
                -100 * 1e12 / radius**4 * np.array(u),
            )
        )
    assert errors[-1] < 0.01 and order(errors) > 1.8
    assert squared[-1] < 0.02 and order(squared) > 1.7


@pytest.mark.parametrize("make", spherical)
def test_rotations_feel_nothing(make):
    """About any axis and for any direction of the viscosities: compared with a flow of degree 3 its
    friction vanishes with the square of the spacing.
    """
    errors = []
    for n in (48, 96):
        grid = make(n)
        t = Sphere(grid, "center")
        angle = 3 * t.r[0] + 2 * t.r[2]
        given = geometry(grid) | {
            "viscosity_along": 3e6 + 1e6 * t.r[1],
            "viscosity_across": 1e6,
            "cosine_of_direction": np.cos(2 * angle),
            "sine_of_direction": np.sin(2 * angle),
        }
        c, u = flow_of(grid, Harmonic(1).swirl)
        F = force("AnisotropicFriction", given | {"velocity_x": u[0], "velocity_y": u[1]})[:, 0]
        _, w = flow_of(grid, Harmonic(3).swirl)
        G = force("AnisotropicFriction", given | {"velocity_x": w[0], "velocity_y": w[1]})[:, 0]
        size = lambda f, of: np.sqrt(
            (f[:, c.inside] ** 2).mean() / (np.array(of)[:, c.inside] ** 2).mean()
        )
        errors.append(size(F, u) / size(G, w))
    assert errors[-1] < 2e-3 and order(errors) > 1.8, errors


@pytest.mark.parametrize("kind", ["isotropic", "anisotropic"])
def test_kinetic_energy_never_grows(kind):
    """On random land, metrics, viscosities and directions: u . F summed with the volumes of corners
    is negative, and the operator is symmetric.
    """
    corner = np.zeros((nz, ny, nx), bool)
    corner[:, 3:-3, 3:-3] = rng.random((nz, ny - 6, nx - 6)) > 0.2
    area = metrics["dx_corner"] * metrics["dy_corner"]
    fields = lambda: [rng.standard_normal((nz, ny, nx)) * corner for _ in "uv"]
    a, b = fields(), fields()
    angle = rng.uniform(0, 7, (nz, ny, nx))
    viscous = {
        "lateral_viscosity": rng.random((nz, ny, nx)),
        "viscosity_along": rng.random((ny, nx)),
        "viscosity_across": rng.random((ny, nx)),
        "cosine_of_direction": np.cos(angle),
        "sine_of_direction": np.sin(angle),
    }
    name = "StrainFriction" if kind == "isotropic" else "AnisotropicFriction"
    work = lambda u, by: np.nansum(
        np.array(by)
        * force(
            name,
            metrics | viscous | {"velocity_x": u[0], "velocity_y": u[1], "wet_levels": float(nz)},
            nz,
        )
        * area
    )
    assert work(a, a) < 0 and work(b, b) < 0
    assert abs(work(a, b) - work(b, a)) < 1e-12 * abs(work(a, a))


def test_along_and_across():
    """A flow along x that varies across it feels B, along it (A + B) / 2, wherever the direction
    points the same way relative to the flow; on a plane, exactly.
    """
    n, dx = 12, 1e4
    plane = {
        name: dx
        for name in (
            "dx_corner",
            "dy_corner",
            "length_north_face",
            "length_east_face",
            "dx_east_face",
            "dy_north_face",
        )
    } | {"area_center": dx * dx}
    A, B, k = 3000.0, 500.0, 2 * np.pi / 12
    wave = np.broadcast_to(np.sin(k * np.arange(n)), (n, n))
    laplacian = (2 * np.cos(k) - 2) / dx**2
    zero = np.zeros((n, n))
    for flow, direction, viscosity in (
        ((wave.T, zero), 0, B),
        ((wave, zero), 0, (A + B) / 2),
        ((zero, wave), np.pi / 2, B),
        ((wave.T, zero), np.pi / 4, (A + B) / 2),
        ((zero, wave.T), np.pi / 4, B),
    ):
        F = force(
            "AnisotropicFriction",
            plane
            | {
                "velocity_x": flow[0],
                "velocity_y": flow[1],
                "viscosity_along": A,
                "viscosity_across": B,
                "cosine_of_direction": np.cos(2 * direction),
                "sine_of_direction": np.sin(2 * direction),
            },
        )
        np.testing.assert_allclose(
            F[:, 0, 1:-1, 1:-1], viscosity * laplacian * np.array(flow)[:, 1:-1, 1:-1], atol=1e-18
        )


def test_direction_of_the_flow():
    u, v = np.full((1, 5, 5), -0.3), np.full((1, 5, 5), 0.4)
    out = run("FlowDirection", {"velocity_x": u, "velocity_y": v})
    np.testing.assert_allclose(
        [out["cosine_of_direction"][0, 2, 2], out["sine_of_direction"][0, 2, 2]],
        [0.09 / 0.25 - 0.16 / 0.25, -2 * 0.12 / 0.25],
    )


def test_smagorinsky_viscosity():
    """(C / pi)^2 dx dy |D| of pure shear, pure strain and their sum; root of the biharmonic one;
    bounded by the step.
    """
    n, dx, rate = 6, 1e4, 1e-5
    plane = {
        name: dx
        for name in (
            "dx_corner",
            "dy_corner",
            "length_north_face",
            "length_east_face",
            "dx_east_face",
            "dy_north_face",
        )
    } | {"area_center": dx * dx}
    x, y = dx * np.arange(n), dx * np.arange(n)[:, None]
    for u, v, D in (
        (rate * y + 0 * x, 0 * x * y, rate),
        (rate * x + 0 * y, -rate * y + 0 * x, 2 * rate),
        (-rate * y + 0 * x, rate * x + 0 * y, 0),
        (rate * (x + y), 0 * x * y, rate * 2**0.5),
    ):
        given = plane | {"velocity_x": u, "velocity_y": v}
        nu = run("SmagorinskyViscosity", given, coefficient=2.5, step=600)["lateral_viscosity"][
            0, 2, 2
        ]
        root = run("BiharmonicSmagorinskyViscosity", given, coefficient=2.5, step=600)[
            "lateral_viscosity"
        ][0, 2, 2]
        np.testing.assert_allclose(
            [nu, root],
            [(2.5 / np.pi) ** 2 * dx**2 * D, 2.5 / np.pi * dx**2 * np.sqrt(D / 8)],
            rtol=1e-9,
            atol=1e-4,
        )
    strong = plane | {"velocity_x": 1e3 * y + 0 * x, "velocity_y": 0 * x * y}
    np.testing.assert_allclose(
        run("SmagorinskyViscosity", strong, step=3600)["lateral_viscosity"][0, 2, 2],
        dx**2 / (8 * 3600),
    )
    np.testing.assert_allclose(
        run("BiharmonicSmagorinskyViscosity", strong, step=3600)["lateral_viscosity"][0, 2, 2],
        dx**2 / 2 / np.sqrt(32 * 3600),
    )
