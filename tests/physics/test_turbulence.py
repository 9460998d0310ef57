"""Vertical mixing: the curve of Pacanowski & Philander (1981), convection, no flux through surface
and bottom.
"""

import numpy as np
import pytest

from columns import middle, run

levels, dz = 6, 20.0


def mix(Ri, shear=1e-2, name="RichardsonMixing", wet=levels, **parameters):
    u = -shear * dz * np.arange(levels)
    return run(
        name,
        {
            "stratification": np.full(levels + 1, Ri * shear**2),
            "velocity_x": 0.6 * u,
            "velocity_y": 0.8 * u,
            "thickness": np.full(levels, dz),
            "wet_levels": wet,
        },
        levels,
        parameters,
    )


@pytest.mark.parametrize("Ri", [0, 0.05, 0.2, 0.5, 1, 3, 10])
def test_curve_of_the_paper(Ri):
    """In cm2 s-1: nu = 50 / (1 + 5 Ri)^2 + 1, kappa = nu / (1 + 5 Ri) + 0.1."""
    out = mix(Ri)
    nu = 50 / (1 + 5 * Ri) ** 2 + 1
    np.testing.assert_allclose(
        middle(out["viscosity_at_center"])[1:-1] * 1e4, nu, rtol=1e-7
    )  # least shear 1e-12 s-2 of 1e-4
    np.testing.assert_allclose(
        middle(out["vertical_diffusivity"])[1:-1] * 1e4, nu / (1 + 5 * Ri) + 0.1, rtol=1e-7
    )


def test_shear_is_the_mean_of_four_corners():
    random = np.random.default_rng(1)
    u, v = random.normal(0, 0.1, (2, levels, 3, 3))
    N2 = np.full((levels + 1, 3, 3), 1e-4)
    out = run(
        "RichardsonMixing",
        {
            "stratification": N2,
            "velocity_x": u,
            "velocity_y": v,
            "thickness": np.full(levels, dz),
            "wet_levels": float(levels),
        },
        levels,
    )
    shear = ((np.diff(u, axis=0) ** 2 + np.diff(v, axis=0) ** 2) / dz**2)[:, :2, :2].mean(
        axis=(1, 2)
    )  # the corner (j, i) is north-east of the cell
    np.testing.assert_allclose(
        middle(out["viscosity_at_center"])[1:-1],
        1e-4 + 5e-3 / (1 + 5 * 1e-4 / shear) ** 2,
        rtol=1e-7,
    )


@pytest.mark.parametrize("name", ["RichardsonMixing", "ConstantMixing"])
def test_convection_and_boundaries(name):
    for wet in (1, 3, levels):
        out = mix(
            -1, name=name, wet=float(wet), convective_diffusivity=0.7, convective_viscosity=0.3
        )
        kappa, nu = middle(out["vertical_diffusivity"]), middle(out["viscosity_at_center"])
        assert (kappa[1:wet] == 0.7).all() and (nu[1:wet] == 0.3).all()
        for field in (kappa, nu):
            assert field[0] == 0 and (field[wet:] == 0).all()


def test_water_at_rest():
    out = mix(0.0, shear=0.0)  # neither stratified nor sheared: Ri = 0, not 0 / 0
    assert middle(out["vertical_diffusivity"])[1] == pytest.approx(5.11e-3)
    stratified = run(
        "RichardsonMixing",
        {"stratification": 1e-6, "thickness": np.full(levels, dz), "wet_levels": float(levels)},
        levels,
    )
    assert middle(stratified["vertical_diffusivity"])[1] == pytest.approx(1e-5, rel=1e-4)


def test_convection_never_mixes_less():
    out = mix(-1, convective_diffusivity=0.0, convective_viscosity=0.0)
    assert middle(out["vertical_diffusivity"])[1] == pytest.approx(5.11e-3, rel=1e-6)


def test_constant():
    out = mix(1, name="ConstantMixing", viscosity=2e-3, diffusivity=3e-5)
    assert (middle(out["viscosity_at_center"])[1:-1] == 2e-3).all() and (
        middle(out["vertical_diffusivity"])[1:-1] == 3e-5
    ).all()
