"""KPP on single columns: velocity scales, shape and limits of Large, McWilliams & Doney (1994),
mixing of the interior; buoyancy of surface water.
"""

import numpy as np
import pytest

from columns import middle, run
from test_thermodynamics import mwjf

g, rho0, karman = 9.80616, 1026.0, 0.4
levels, dz = 40, 5.0
interfaces = dz * np.arange(levels + 1)
middles = interfaces[:-1] + dz / 2
expansion, contraction = 2e-4, 7.6e-4
quiet = {
    "wave_viscosity": 0,
    "wave_diffusivity": 0,
    "shear_diffusivity": 0,
    "convective_viscosity": 0,
    "convective_diffusivity": 0,
}


def mix(
    friction=0.01,
    buoyancy_flux=0.0,
    mixed=60.0,
    f=0.0,
    wet=levels,
    jump=1.0,
    dtype=float,
    given=None,
    **parameters,
):
    """A layer without stratification over an abrupt jump of buoyancy: h is where the jump is met.
    buoyancy_flux: into the sea [m2 s-3].
    """
    arrays = {
        "stratification": np.where(np.abs(interfaces - mixed) < dz, 1e-3, 0.0),
        "surface_buoyancy": np.where(middles > mixed, jump, 0.0),
        "friction_velocity": friction,
        "coriolis": f,
        "surface_thermal_expansion": expansion,
        "surface_haline_contraction": contraction,
        "temperature_surface_flux": buoyancy_flux / (g * expansion),
        "thickness": np.full(levels, dz),
        "wet_levels": float(wet),
    }
    return {
        name: middle(value)
        for name, value in run(
            "KPP", arrays | (given or {}), levels, quiet | parameters, dtype
        ).items()
    }


def scales(sigma, h, friction, B):
    """w_m, w_s of the paper's equations 13, B1: from phi, with its roots."""
    depth = np.where(B < 0, np.minimum(sigma, 0.1), sigma) * h
    zeta = karman * depth * B / friction**3
    with np.errstate(invalid="ignore"):
        phi_m = np.where(
            zeta >= 0,
            1 + 5 * zeta,
            np.where(zeta >= -0.2, (1 - 16 * zeta) ** -0.25, (1.26 - 8.38 * zeta) ** (-1 / 3)),
        )
        phi_s = np.where(
            zeta >= 0,
            1 + 5 * zeta,
            np.where(zeta >= -1, (1 - 16 * zeta) ** -0.5, (-28.86 - 98.96 * zeta) ** (-1 / 3)),
        )
    return karman * friction / phi_m, karman * friction / phi_s


@pytest.mark.parametrize(
    "friction, B",
    [
        (0.01, 0.0),
        (0.01, -1e-9),
        (0.01, -2e-8),
        (0.01, -2e-7),
        (0.005, -1e-6),
        (0.01, 5e-9),
        (0.003, 2e-10),
    ],
)
def test_profile_is_velocity_scale_times_shape(friction, B):
    """Neutral, both unstable branches of both functions, stable."""
    out = mix(friction, B)
    h = out["boundary_layer_depth"]
    sigma = interfaces / h
    far = (
        (sigma < 1) & (middles[0] < interfaces) & (h - interfaces > dz)
    )  # except the interface next to h
    shape = sigma * (1 - sigma) ** 2
    w_m, w_s = scales(sigma, h, friction, B)
    assert far.sum() > 6
    np.testing.assert_allclose(out["viscosity_at_center"][far], (h * w_m * shape)[far], rtol=1e-6)
    np.testing.assert_allclose(out["vertical_diffusivity"][far], (h * w_s * shape)[far], rtol=1e-6)


def test_free_convection_needs_no_wind():
    """w_s = kappa (c_s kappa epsilon)^(1/3) w*, w*^3 = -B h (eq. 14)."""
    out = mix(0.0, -1e-7)
    h = out["boundary_layer_depth"]
    sigma = interfaces[4] / h
    w = karman * (98.96 * karman * 0.1 * 1e-7 * h) ** (1 / 3)
    assert out["vertical_diffusivity"][4] == pytest.approx(
        h * w * sigma * (1 - sigma) ** 2, rel=1e-5
    )


@pytest.mark.parametrize("Ri", [0.31, 0.5, 2.0, 50.0])
def test_boundary_layer_ends_between_the_middles_of_layers(Ri):
    """The parabola that is level at the upper middle and meets Ri of the lower, with the unresolved
    shear of equation 23 alone.
    """
    k, N, friction = 12, 1e-2, 0.01  # first layer below the jump
    unresolved = (
        1.8 * np.sqrt(0.2 / (98.96 * 0.1)) / (0.3 * karman**2) * middles[k] * N * karman * friction
    )
    out = mix(
        friction,
        jump=Ri * unresolved / middles[k],
        given={"stratification": np.full(levels + 1, N**2)},
    )
    assert out["boundary_layer_depth"] == pytest.approx(
        middles[k - 1] + dz * np.sqrt(0.3 / Ri), rel=1e-6
    )


def test_shear_deepens():
    u = np.where(middles < 30, 0.5, 0.0)
    b = np.maximum(middles - 30, 0) * 1e-4
    still, moving = (
        mix(0.001, given={"surface_buoyancy": b, "velocity_x": velocity})["boundary_layer_depth"]
        for velocity in (0 * u, u)
    )
    first = middles[np.argmax(b * middles / 0.25 > 0.3)]  # Ri_b with |du| = 0.5
    assert still < 40 < first - dz <= moving <= first


@pytest.mark.parametrize(
    "B, f, limit",
    [
        (1e-9, 1e-4, 0.7 * 0.004 / 1e-4),
        (1e-8, 1e-5, 0.004**3 / (karman * 1e-8)),
        (4e-9, 0.0, 0.004**3 / (karman * 4e-9)),
        (1e-3, 1e-4, dz / 2),
    ],
)
def test_limits_under_stable_forcing(B, f, limit):
    """Ekman depth, Monin-Obukhov length, never less than half of the first layer."""
    assert mix(0.004, B, mixed=150.0, f=f)["boundary_layer_depth"] == pytest.approx(limit, rel=1e-6)


def test_bottom():
    for wet in (1, 2, 7):
        out = mix(0.01, -1e-7, wet=wet)
        assert out["boundary_layer_depth"] == wet * dz
        for field in ("viscosity_at_center", "vertical_diffusivity"):
            assert (
                out[field][0] == 0
                and (out[field][wet:] == 0).all()
                and (out[field][1:wet] > 0).all()
            )


def test_flux_without_gradient():
    """C_s = 10 kappa (c_s kappa epsilon)^(1/3) = 6.33 of the surface flux where the sea is
    unstable; heat without the sunlight that passes the base.
    """
    strength = 10 * karman * (98.96 * karman * 0.1) ** (1 / 3)
    sun = {
        "shortwave_flux_1": 1e-5,
        "shortwave_extinction_1": 1 / 20,
        "salinity_surface_flux": 1e-7,
    }
    out = mix(0.01, -2e-7, given=sun)
    kept = -2e-7 / (g * expansion) - 1e-5 * np.exp(-out["boundary_layer_depth"] / 20)
    assert out["temperature_nonlocal_flux"] == pytest.approx(strength * kept, rel=1e-6)
    assert out["salinity_nonlocal_flux"] == pytest.approx(strength * 1e-7, rel=1e-9)
    stable = mix(0.01, 2e-7, given=sun)
    assert stable["temperature_nonlocal_flux"] == 0 and stable["salinity_nonlocal_flux"] == 0


def test_interior_shear():
    """Equation 28 for an even Ri: K_0 (1 - (Ri / 0.7)^2)^3 + waves; convection where N^2 < 0. The
    boundary layer is kept in the first layer.
    """
    u = -1e-2 * middles
    for Ri in (0.0, 0.2, 0.5, 0.7, 2.0):
        given = {
            "velocity_x": u,
            "stratification": np.full(levels + 1, Ri * 1e-4),
            "surface_buoyancy": 10.0 * (middles > dz),
        }
        out = mix(
            0.0,
            0.0,
            given=given,
            shear_diffusivity=5e-3,
            wave_viscosity=1e-4,
            wave_diffusivity=1e-5,
        )
        expected = 5e-3 * max(1 - (Ri / 0.7) ** 2, 0) ** 3
        np.testing.assert_allclose(out["vertical_diffusivity"][3:-1], expected + 1e-5, rtol=1e-6)
        np.testing.assert_allclose(out["viscosity_at_center"][3:-1], expected + 1e-4, rtol=1e-6)
    unstable = {
        "stratification": np.where(np.arange(levels + 1) == 20, -1e-6, 1e-4),
        "surface_buoyancy": 10.0 * (middles > dz),
    }
    out = mix(0.0, given=unstable, wave_diffusivity=1e-5, convective_diffusivity=0.1)
    assert out["vertical_diffusivity"][20] == 0.1 and out["vertical_diffusivity"][
        21
    ] == pytest.approx(1e-5)


@pytest.mark.parametrize(
    "wave", [lambda i, j: (-1.0) ** i, lambda i, j: (-1.0) ** j, lambda i, j: (-1.0) ** (i + j)]
)
def test_shear_mixing_does_not_see_waves_of_two_cells(wave):
    """The shear at the corners is that of all cells around: N^2 is taken as there, and a neighbour
    without this interface counts as the cell itself.
    """
    Ri, share = 0.4, 0.5
    j, i = np.mgrid[0:3, 0:3]
    alternating = Ri * 1e-4 * (1 + share * wave(i, j) * np.ones((levels + 1, 1, 1)))
    given = {
        "velocity_x": np.broadcast_to((-1e-2 * middles)[:, None, None], (levels, 3, 3)),
        "surface_buoyancy": 10.0 * (middles > dz),
    }
    settings = {"given": given, "shear_diffusivity": 5e-3, "wave_diffusivity": 1e-5}
    given["stratification"] = alternating
    np.testing.assert_allclose(
        mix(0.0, **settings)["vertical_diffusivity"][3:-1],
        5e-3 * (1 - (Ri / 0.7) ** 2) ** 3 + 1e-5,
        rtol=1e-6,
    )
    given["wet_levels"] = np.where((i == 1) & (j == 1), levels, 20.0)
    own = Ri * (1 + share * wave(1, 1))
    np.testing.assert_allclose(
        mix(0.0, **settings)["vertical_diffusivity"][22:-1],
        5e-3 * max(1 - (own / 0.7) ** 2, 0) ** 3 + 1e-5,
        rtol=1e-6,
    )


def test_langmuir_turbulence():
    """Strong where the layer is as shallow as the waves, 1.1 to 2 in a wind of 10 m/s, none without
    it.
    """
    plain, waves = mix(0.012, mixed=40.0), mix(0.012, mixed=40.0, langmuir=1)
    factor = waves["vertical_diffusivity"][3] / plain["vertical_diffusivity"][3]
    assert 1.1 < factor < 2
    deep = (
        mix(0.012, mixed=150.0, langmuir=1)["vertical_diffusivity"][3]
        / mix(0.012, mixed=150.0)["vertical_diffusivity"][3]
    )
    assert 1 < deep < factor


def test_buoyancy_of_surface_water():
    """Density of the mean of the upper tenth under the pressure of each layer; slopes of MWJF by
    finite differences.
    """
    depth = interfaces[1:] - dz / 2
    T, S, p = 20 * np.exp(-depth / 60), 35 + 0.01 * depth, 1026 * 9.80616 * depth / 1e4
    state = {
        "temperature": T,
        "salinity": S,
        "pressure_reference": p,
        "thickness": np.full(levels, dz),
    }
    density = middle(run("MWJF", state, levels)["density_anomaly"])
    out = {
        name: middle(value)
        for name, value in run(
            "MWJFSurfaceBuoyancy", state | {"density_anomaly": density}, levels
        ).items()
    }
    for k in range(levels):
        wanted = max(dz, depth[k] / 10)
        share = np.clip((wanted - interfaces[:-1]) / dz, 0, 1)
        mean_T, mean_S = (share @ T) / share.sum(), (share @ S) / share.sum()
        assert out["surface_buoyancy"][k] == pytest.approx(
            g / rho0 * (mwjf(S[k], T[k], p[k]) - mwjf(mean_S, mean_T, p[k])), rel=1e-8, abs=1e-12
        )
    by_T = (mwjf(S[0], T[0] + 1e-3, p[0]) - mwjf(S[0], T[0] - 1e-3, p[0])) / 2e-3
    by_S = (mwjf(S[0] + 1e-3, T[0], p[0]) - mwjf(S[0] - 1e-3, T[0], p[0])) / 2e-3
    assert out["surface_thermal_expansion"] == pytest.approx(-by_T / rho0, rel=1e-7) and out[
        "surface_haline_contraction"
    ] == pytest.approx(by_S / rho0, rel=1e-7)


def test_expansion_of_every_equation_of_state():
    """2.1e-4 K-1 and 7.4e-4 in the subtropics, also by TEOS-10, and what is given for the linear
    one.
    """
    state = {
        "temperature": 15.0,
        "salinity": 35.0,
        "pressure_reference": np.array([5.0]),
        "thickness": np.array([10.0]),
        "density_anomaly": 0.0,
    }
    for name in ("MWJF", "JMCD", "UNESCO", "TEOS10Polynomial", "LinearEquationOfState"):
        out = run(f"{name}SurfaceBuoyancy", state, 1)
        assert middle(out["surface_thermal_expansion"]) == pytest.approx(
            2.07e-4, rel=0.04
        ) and middle(out["surface_haline_contraction"]) == pytest.approx(7.5e-4, rel=0.02)


def test_friction_velocity_is_that_of_the_mean_stress():
    """Opposite stresses at the corners are none; 0.1 N m-2 are 0.99 cm/s; what stands at dry
    corners does not count.
    """

    def velocity(x, y, depth):
        return middle(
            run(
                "FrictionVelocity",
                {"surface_stress_x": x, "surface_stress_y": y, "depth_corner": depth},
            )["friction_velocity"]
        )

    x, y, water = np.full((3, 3), 0.06), np.full((3, 3), 0.08), np.full((3, 3), 4000.0)
    assert velocity(x, y, water) == pytest.approx(np.sqrt(0.1 / rho0))
    coast = water.copy()
    coast[0] = 0
    strange = x.copy()
    strange[0] = 1e30
    assert (
        velocity(strange, y, coast) == pytest.approx(np.sqrt(0.1 / rho0))
        and velocity(strange, y, 0 * water) == 0
    )
    x[:, ::2] = -0.06
    assert velocity(x, np.zeros((3, 3)), water) == 0
