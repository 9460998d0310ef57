"""Implicit parts: Coriolis, vertical viscosity and drag of ImplicitMomentum; vertical diffusion of
tracers. Against analytic solutions and SciPy's banded solver."""

import numpy as np
import pytest
from scipy.linalg import solve_banded

from operators import order, run

rng = np.random.default_rng(11)
side = 3  # of the arrays; the column in the middle counts
rho0 = 1026.0


def momentum(u, v, levels, **given):
    """One step from profiles (or numbers) of u and v; (u, v) of the middle column, and the depth
    means.
    """
    spread = lambda a: np.broadcast_to(
        np.asarray(a, float).reshape(-1, 1, 1) if np.ndim(a) == 1 else a,
        (np.shape(a)[0] if np.ndim(a) == 1 else levels, side, side),
    )
    parameters = {
        k: given.pop(k) for k in ("step", "implicitness", "drag", "background_speed") if k in given
    }
    fields = {k: spread(x) if np.ndim(x) == 1 and k != "thickness" else x for k, x in given.items()}
    out = run(
        "ImplicitMomentum",
        {"wet_levels": float(levels)} | fields | {"velocity_x": spread(u), "velocity_y": spread(v)},
        levels,
        **parameters,
    )
    middle = [
        out[f][..., 1, 1]
        for f in (
            "velocity_x_after",
            "velocity_y_after",
            "depth_mean_x_predicted",
            "depth_mean_y_predicted",
        )
    ]
    return middle[0] + 1j * middle[1], complex(middle[2].squeeze(), middle[3].squeeze())


@pytest.mark.parametrize("theta", [0.5, 0.6, 1.0])
@pytest.mark.parametrize("f", [1e-4, -1.4e-4])
def test_coriolis(theta, f):
    """u + i v is multiplied by [1 - i (1 - theta) f tau] / (1 + i theta f tau): of modulus 1, so
    that energy is kept, at theta = 1/2.
    """
    tau = 7200.0
    u, v = rng.standard_normal((2, 4))
    after, _ = momentum(
        u, v, 4, coriolis=f, thickness=np.full(4, 50.0), implicitness=theta, step=tau, drag=0
    )
    factor = (1 - 1j * (1 - theta) * f * tau) / (1 + 1j * theta * f * tau)
    assert (
        np.abs(after - factor * (u + 1j * v)).max() < 2e-15
    )  # a few operations on numbers of size 1
    if theta == 0.5:
        assert np.abs(np.abs(after) / np.abs(u + 1j * v) - 1).max() < 1e-15
    else:
        assert np.all(np.abs(after) < np.abs(u + 1j * v))


def test_geostrophic_balance_is_kept():
    """A tendency that balances Coriolis changes nothing, whatever theta: to rounding of tau f u."""
    u, v, f = 0.3, -0.2, 1e-4
    after, mean = momentum(
        np.full(5, u),
        np.full(5, v),
        5,
        velocity_tendency_x=-f * v,
        velocity_tendency_y=f * u,
        coriolis=f,
        thickness=np.full(5, 40.0),
        step=3600,
        drag=0,
    )
    assert np.abs(after - (u + 1j * v)).max() < 1e-16 and abs(mean - (u + 1j * v)) < 1e-16


@pytest.mark.parametrize("wet", [1, 4, 7])
def test_one_step_equals_scipy(wet):
    """Everything at once, over a bottom above the last level: the same linear system, built here as
    a matrix.
    """
    nz, tau, theta, f, drag, tide = 7, 5400.0, 0.6, 1.2e-4, 2e-3, 0.05
    dz = np.array([5.0, 8.0, 12.0, 20.0, 33.0, 50.0, 80.0])
    u, v, a, b = rng.standard_normal((4, nz)) * np.array([[0.5], [0.5], [1e-5], [1e-5]])
    u[wet:] = v[wet:] = 0
    nu = np.r_[0.0, 0.02 * rng.random(nz - 1) + 1e-4, 0.0]
    stress = 0.1 - 0.07j
    after, mean = momentum(
        u,
        v,
        nz,
        velocity_tendency_x=a,
        velocity_tendency_y=b,
        viscosity_at_center=nu,
        surface_stress_x=stress.real,
        surface_stress_y=stress.imag,
        coriolis=f,
        thickness=dz,
        wet_levels=float(wet),
        step=tau,
        implicitness=theta,
        drag=drag,
        background_speed=tide,
    )
    U, G = (u + 1j * v)[:wet], (a + 1j * b)[:wet]
    G[0] += stress / (rho0 * dz[0])
    exchange = nu[1:wet] * 2 / (dz[: wet - 1] + dz[1:wet])
    D = (
        np.diag(np.r_[exchange, 0][:wet] * -1.0)
        - np.diag(np.r_[0, exchange])
        + np.diag(exchange, 1)
        + np.diag(exchange, -1)
    )
    D[-1, -1] -= drag * (abs(U[-1]) + tide)
    D /= dz[:wet, None]
    system = (1 + 1j * theta * f * tau) * (np.eye(wet) - tau * D)
    banded = [np.r_[0, np.diag(system, 1)], np.diag(system), np.r_[np.diag(system, -1), 0]]
    exact = U + solve_banded((1, 1), banded, tau * (G - 1j * f * U + D @ U))
    assert (
        np.abs(after[:wet] - exact).max() < 1e-14
    )  # the system is diagonally dominant: rounding does not grow
    assert np.all(after[wet:] == 0)
    assert abs(mean - (exact * dz[:wet]).sum() / dz[:wet].sum()) < 1e-14


def ekman(nz, depth=200.0, nu=0.02, f=1e-4, stress=0.1):
    """Steady state under an even wind, by steps: (u + i v, thickness, error against the spiral of
    infinite depth in the upper half).
    """
    dz = np.full(nz, depth / nz)
    u = np.zeros(nz, complex)
    for _ in range(400):  # theta = 1: inertial oscillations decay
        u, _ = momentum(
            u.real,
            u.imag,
            nz,
            viscosity_at_center=np.r_[0, np.full(nz - 1, nu), 0],
            surface_stress_x=stress,
            coriolis=f,
            thickness=dz,
            step=7200.0,
            implicitness=1.0,
            drag=0,
        )
    z = (np.arange(nz) + 0.5) * dz
    root = (1 + 1j) * np.sqrt(f / (2 * nu))
    spiral = stress / rho0 / (nu * root) * np.exp(-root * z)
    return u, dz, (np.abs(u - spiral) / np.abs(spiral[0]))[: nz // 2].max()


def test_ekman_spiral():
    """nu u_zz = i f u under a stress: the spiral to second order (Ekman depth 20 m), the transport
    exactly stress / (rho f), to its right, at f tau = 0.72: the steady state does not depend on the
    step. At 200 m the spiral is e^-10 of its surface value: what the bottom changes is far below
    the error."""
    errors = []
    for nz in (40, 80):
        u, dz, error = ekman(nz)
        errors.append(error)
        assert abs((u * dz).sum() - -1j * 0.1 / rho0 / 1e-4) < 1e-9 * 0.1 / rho0 / 1e-4
    assert errors[-1] < 4e-3 and order(errors) > 1.8


@pytest.mark.parametrize("wet", [1, 5, 8])
def test_vertical_diffusion_equals_scipy(wet):
    """VerticalFactors and TracerUpdate together: backward Euler of the whole column, the moving
    surface and a flux through it included.
    """
    nz, tau = 8, 3600.0
    dz = 5 + 20 * rng.random(nz)
    kappa = np.r_[0.0, 0.05 * rng.random(nz - 1), 0.0]
    kappa[wet:] = 0
    T, tendency, area, eta, eta_after, flux = (
        rng.standard_normal(nz),
        1e4 * rng.standard_normal(nz),
        3e9,
        0.4,
        -0.3,
        2e-5,
    )
    column = lambda a: np.broadcast_to(np.reshape(a, (-1, 1, 1)), (len(a), 1, 1))
    g = {"thickness": dz, "area_center": np.full((1, 1), area), "wet_levels": float(wet)}
    factors = run(
        "VerticalFactors",
        g | {"vertical_diffusivity": column(kappa), "sea_surface_height_after": eta_after},
        nz,
        step=tau,
    )
    out = run(
        "TracerUpdate",
        g
        | factors
        | {
            "tracer": column(T),
            "tracer_tendency": column(tendency),
            "tracer_surface_flux": flux,
            "sea_surface_height": eta,
            "sea_surface_height_after": eta_after,
        },
        nz,
        step=tau,
    )["tracer_after"][:, 0, 0]
    content = dz * T + tau * tendency / area
    content[0] += eta * T[0] + tau * flux
    exchange = (tau * kappa[1:-1] * 2 / (dz[:-1] + dz[1:]))[: wet - 1]
    diagonal = dz[:wet].copy()
    diagonal[0] += eta_after
    diagonal[:-1] += exchange
    diagonal[1:] += exchange
    exact = solve_banded(
        (1, 1), [np.r_[0, -exchange], diagonal, np.r_[-exchange, 0]], content[:wet]
    )
    assert np.abs(out[:wet] - exact).max() < 1e-14 and np.all(out[wet:] == 0)


def test_vertical_diffusion_conserves_and_is_monotone():
    """Convection: the content is kept to rounding, multiplied by exchange / thickness < 2e4; no new
    extremes.
    """
    nz = 20
    dz = np.linspace(5, 40, nz)
    T = rng.standard_normal(nz)
    g = {"thickness": dz, "area_center": np.ones((1, 1)), "wet_levels": float(nz)}
    kappa = np.r_[0.0, np.full(nz - 1, 10.0), 0.0].reshape(-1, 1, 1)
    factors = run("VerticalFactors", g | {"vertical_diffusivity": kappa}, nz, step=3600)
    after = run("TracerUpdate", g | factors | {"tracer": T.reshape(-1, 1, 1)}, nz, step=3600)[
        "tracer_after"
    ][:, 0, 0]
    assert abs((dz * after).sum() - (dz * T).sum()) < 2e4 * 1e-16 * np.abs(dz * T).sum()
    assert np.all((after >= T.min()) & (after <= T.max()))
    assert np.ptp(after) < 0.1 * np.ptp(T)


def test_a_column_that_is_even_stays_so_in_fp32():
    """Increments: no step after step of h (1 / h), rounded each its own way, which let salinity
    drift by 1e-3 in three years.
    """
    nz = 20
    dz = np.linspace(10, 300, nz)
    S = np.broadcast_to(34 + rng.random((1, 1, 50)).astype(np.float32), (nz, 1, 50))
    g = {"thickness": dz, "area_center": np.ones((1, 50)), "wet_levels": float(nz)}
    kappa = np.r_[0.0, np.full(nz - 1, 1e-4), 0.0].reshape(-1, 1, 1)
    factors = run(
        "VerticalFactors",
        g | {"vertical_diffusivity": kappa * np.ones((nz + 1, 1, 50))},
        nz,
        4,
        step=3600,
    )
    assert np.array_equal(
        run("TracerUpdate", g | factors | {"tracer": S}, nz, 4, step=3600)["tracer_after"], S
    )


def test_small_changes_add_up_in_fp32():
    """A thousandth to a third of the last digit of salinity a step, all lost if rounded to the
    nearest. Of a thousandth chance leaves an error of 1.6 %, of more less.
    """
    columns, steps, tau, dz = 4000, 1000, 3600.0, 50.0
    digit = 2.0**-18
    S = np.full((1, 1, columns), 34.5, np.float32)
    for share in (1e-3, 0.1, 0.3):
        gain = digit * share * (1 + 0.1 * rng.random(columns))  # a step
        g = {
            "thickness": [dz],
            "area_center": np.full((1, columns), 1e9),
            "wet_levels": 1.0,
            "mixing_pivot": np.full((1, 1, columns), 1 / dz),
        }
        after = S
        for _ in range(steps):
            after = run(
                "TracerUpdate",
                g
                | {
                    "tracer": after,
                    "tracer_tendency": (
                        gain[None, None] * (1 + 1e-3 * rng.random(columns)) * dz * 1e9 / tau
                    ),
                },
                1,
                4,
                step=tau,
            )["tracer_after"]
        grown = (after.astype(float) - 34.5).mean()
        assert abs(grown / (steps * gain.mean()) - 1) < 0.04
