"""What the discrete operators keep exactly: kinetic energy, the exchange of energy with pressure
and surface, contents, constants.

All sums are over periodic domains or closed basins with random land, random levels and random
metrics: no symmetry helps. Round-off of a sum of n terms of both signs is taken as 1e-13 of the sum
of their magnitudes (n < 1e5, half an ulp each, in random directions).
"""

import numpy as np
import pytest

from closed_basin import (
    closed_basin,
    divergence,
    nx,
    ny,
    nz,
    rng,
    small,
    thickness,
    transports,
    volume,
)
from operators import run


@pytest.fixture(scope="module")
def basin():
    return closed_basin()


def test_momentum_advection_keeps_kinetic_energy(basin):
    """Sum of u . G x volume over wet corners, metric terms included, is zero: with the vertical
    transport of the velocity cells counted from the surface, a value beyond a wall or a bottom is
    0, and a flux F (u + u') / 2 moves energy without making any."""
    g, u, v, corner, _ = basin
    out = run("MomentumAdvection", g | {"velocity_x": u, "velocity_y": v}, nz)
    assert small(
        ((u * out["momentum_advection_x"] + v * out["momentum_advection_y"]) * volume(g))[corner]
    )


def test_momentum_advection_is_extrapolated_in_time(basin):
    """velocity_tendency = w0 G(now) + w1 G(before), and G(now) is kept."""
    g, u, v, corner, _ = basin
    before, weights = rng.standard_normal((2, *u.shape)), np.array([1.6, -0.6])
    now = run(
        "MomentumAdvection",
        g | {"velocity_x": u, "velocity_y": v, "time_weights": np.array([1.0, 0.0])},
        nz,
    )
    out = run(
        "MomentumAdvection",
        g
        | {
            "velocity_x": u,
            "velocity_y": v,
            "time_weights": weights,
            "momentum_advection_x": before[0],
            "momentum_advection_y": before[1],
        },
        nz,
    )
    for c, G in zip("xy", before):
        np.testing.assert_array_equal(
            out[f"momentum_advection_{c}"][corner], now[f"momentum_advection_{c}"][corner]
        )
        np.testing.assert_array_equal(
            now[f"velocity_tendency_{c}"][corner], now[f"momentum_advection_{c}"][corner]
        )
        np.testing.assert_allclose(
            out[f"velocity_tendency_{c}"][corner],
            (weights[0] * now[f"momentum_advection_{c}"] + weights[1] * G)[corner],
            rtol=1e-14,
            atol=1e-15,
        )


def test_advection_of_momentum_conserves_it_on_a_plane():
    """In a flat periodic box what leaves a velocity cell enters its neighbour."""
    u, v = (np.pad(rng.standard_normal((nz, 8, 8)), ((0, 0), (4, 4), (4, 4))) for _ in "uv")
    u -= (u * thickness[:, None, None]).sum(
        0
    ) / thickness.sum()  # no depth mean: nothing flows through the bottom
    v -= (v * thickness[:, None, None]).sum(0) / thickness.sum()
    out = run(
        "MomentumAdvection",
        {
            "velocity_x": u,
            "velocity_y": v,
            "dx_corner": 2e4,
            "dy_corner": 3e4,
            "thickness": thickness,
        },
        nz,
    )
    for c in "xy":
        assert small((out[f"momentum_advection_{c}"] * thickness[:, None, None])[:, 1:-1, 1:-1])


def test_pressure_gradient_and_divergence_are_adjoint(basin):
    """Work of the pressure gradient on the flow = sum of p x divergence of the transports that
    carry the tracers.
    """
    g, u, v, corner, center = basin
    p = rng.standard_normal((nz, ny, nx)) * center
    out = run("PressureGradient", g | {"pressure": p}, nz)
    work = ((u * out["velocity_tendency_x"] + v * out["velocity_tendency_y"]) * volume(g))[corner]
    released = (p * divergence(transports(g, u, v)))[center]
    assert small([work.sum(), -released.sum()], work)


def test_barotropic_gradient_and_divergence_are_adjoint(basin):
    """Work of the surface slope on the flow = -(sum of eta x convergence); BarotropicDivergence is
    the depth sum of the transports.
    """
    g, u, v, corner, center = basin
    U, V = (
        (w * thickness[:, None, None]).sum(0) / np.maximum(g["depth_corner"], 1) for w in (u, v)
    )
    convergence = run(
        "BarotropicDivergence", g | {"depth_mean_x_predicted": U, "depth_mean_y_predicted": V}
    )["barotropic_convergence"]
    eta = rng.standard_normal((ny, nx)) * center[0]
    out = run(
        "PressureGradient",
        g | {"sea_surface_height": eta, "pressure": np.zeros((nz, ny, nx))},
        nz,
        gravity=1,
    )
    work = ((u * out["velocity_tendency_x"] + v * out["velocity_tendency_y"]) * volume(g))[corner]
    inside = center[0]
    assert small([work.sum(), (eta * convergence)[inside].sum()], work)
    summed = divergence(transports(g, u, v)).sum(0)
    assert np.abs(summed + convergence)[inside].max() < 1e-13 * np.abs(summed[inside]).max() * nz

    zero = {"velocity_x_after": np.zeros((nz, ny, nx)), "velocity_y_after": np.zeros((nz, ny, nx))}
    corrected = run(
        "BarotropicCorrection",
        g | zero | {"sea_surface_height_increment": eta},
        nz,
        implicitness=0.5,
        gravity=2,
        step=1,
    )
    for c in "xy":  # the same gradient, at wet corners only
        assert (
            np.abs(corrected[f"velocity_{c}_after"] - out[f"velocity_tendency_{c}"])[corner].max()
            < 1e-15
        )
        assert np.all(corrected[f"velocity_{c}_after"][:, 1:-1, 1:-1][~corner[:, 1:-1, 1:-1]] == 0)


def alternating(eta):
    """What alternates in a height, and in its increment, drives through faces too."""
    return {
        "compactness": 0.3,
        "sea_surface_height": eta,
        "sea_surface_height_increment": 0.1 * eta,
        "alternating_flow": 50 * eta,
    }


@pytest.mark.parametrize("more", [lambda eta: {"sea_surface_height": eta}, alternating])
def test_transports_have_one_value_on_each_face(basin, more):
    """What a cell loses to the east its neighbour gains from the west, bit for bit; nothing passes
    land; the divergence closes.
    """
    g, u, v, _, center = basin
    eta = rng.standard_normal((ny, nx)) * center[0]
    f = transports(g, u, v, **more(eta))
    e, w, n, s = (f[f"transport_{d}"] for d in ("east", "west", "north", "south"))
    assert np.array_equal(e[:, 1:-1, 1:-2], w[:, 1:-1, 2:-1]) and np.array_equal(
        n[:, 1:-2, 1:-1], s[:, 2:-1, 1:-1]
    )
    assert np.all(e[:, 1:-1, 1:-2][~(center[:, 1:-1, 1:-2] & center[:, 1:-1, 2:-1])] == 0)
    assert np.all(n[:, 1:-2, 1:-1][~(center[:, 1:-2, 1:-1] & center[:, 2:-1, 1:-1])] == 0)
    residual = divergence(f) + f["transport_up"][:-1] - f["transport_up"][1:]
    assert np.nanmax(np.abs(residual)) <= 4e-16 * nz * np.nanmax(np.abs(e)) * 4
    change = (f["sea_surface_height_after"] - eta) * g["area_center"]
    assert small(change[center[0]], 3600 * f["transport_up"][0][center[0]])


@pytest.mark.parametrize("scheme", ["CentredAdvection", "UpwindAdvection"])
def test_tracer_advection_conserves_and_keeps_constants(basin, scheme):
    """Sum of the tendency = what passes the surface (zero here); a constant changes as the volume
    does: tendency = -T x divergence.
    """
    g, u, v, _, center = basin
    eta = 0.1 * rng.standard_normal((ny, nx)) * center[0]
    f = transports(g, u, v, **alternating(eta))
    T, before = (rng.standard_normal((nz, ny, nx)) * center for _ in "ab")
    time = {"time_weights": [1.6, -0.6]}
    clean = {k: np.nan_to_num(x) for k, x in f.items()}  # the rim is land
    out = run(scheme, g | clean | time | {"tracer": T, "tracer_before": before}, nz)[
        "tracer_tendency"
    ]
    assert small(out[center])
    one = run(
        scheme,
        g
        | clean
        | time
        | {
            "tracer": np.ones((nz, ny, nx)),
            "tracer_before": np.ones((nz, ny, nx)),
        },
        nz,
    )["tracer_tendency"]
    surface = np.zeros_like(one)
    surface[0] = f["transport_up"][0]  # leaves the cell by raising its surface
    assert np.abs(one - surface)[center].max() < 1e-14 * np.abs(clean["transport_east"]).max()


@pytest.mark.parametrize("scheme", ["LaplacianDiffusion", "TracerLaplacian"])
def test_diffusion_conserves_and_dissipates(basin, scheme):
    """Sum of fluxes is zero; variance never grows; a constant feels nothing; the operator is
    symmetric.
    """
    g, _, _, _, center = basin
    weight = np.where(
        center,
        1.0 if scheme == "LaplacianDiffusion" else (g["area_center"] * thickness[:, None, None]),
        0,
    )
    name = {"LaplacianDiffusion": "tracer_tendency", "TracerLaplacian": "tracer_laplacian"}[scheme]
    L = lambda T: np.nan_to_num(run(scheme, g | {"tracer": T}, nz)[name]) * weight
    a, b = (rng.standard_normal((nz, ny, nx)) * center for _ in "ab")
    assert small(L(a))
    assert (a * L(a)).sum() < 0
    assert np.all(L(np.ones_like(a)) == 0)
    assert abs((a * L(b)).sum() - (b * L(a)).sum()) < 1e-13 * np.abs(a * L(b)).sum()


def test_friction_dissipates_on_a_closed_plane(basin):
    """u . F < 0 for any flow between no-slip walls, coefficient uneven or not; symmetric with an
    even one.
    """
    _, u, v, corner, _ = basin
    plane = {
        n: 2e4
        for n in (
            "dx_corner",
            "dy_corner",
            "length_north_face",
            "length_east_face",
            "dx_east_face",
            "dy_north_face",
        )
    }

    def work(scale, by=(u, v)):
        F = run(
            "LaplacianFriction",
            plane | {"velocity_x": u, "velocity_y": v, "viscosity_scale": scale},
            nz,
            viscosity=1e4,
        )
        return (by[0] * F["velocity_tendency_x"] + by[1] * F["velocity_tendency_y"])[corner].sum()

    assert (
        work(1.0) < 0
        and work(1 + 0.5 * np.sin(np.arange(nx) / 3) * np.cos(np.arange(ny) / 4)[:, None]) < 0
    )
