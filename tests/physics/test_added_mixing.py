"""What is added to a mixing scheme: by depth, by tides, by double diffusion; and the real sea
floor's roughness.
"""

import numpy as np
import pytest

from columns import middle, run
from fathom.data import tides

levels, dz = 40, 100.0
interfaces = dz * np.arange(levels + 1)
base = {
    "thickness": np.full(levels, dz),
    "wet_levels": float(levels),
    "viscosity_at_center": np.zeros(levels + 1),
    "vertical_diffusivity": np.zeros(levels + 1),
}


def test_bryan_lewis():
    """0.3e-4 m2 s-1 at the surface, 0.8e-4 at 2500 m, 1.3e-4 in the abyss."""
    out = {
        name: middle(value)
        for name, value in run("BryanLewisMixing", base, levels, {"prandtl": 10}).items()
    }
    expected = 0.8e-4 + 1.05e-4 / np.pi * np.arctan(4.5e-3 * (interfaces - 2500))
    np.testing.assert_allclose(out["vertical_diffusivity"][1:-1], expected[1:-1], rtol=1e-12)
    np.testing.assert_allclose(out["viscosity_at_center"][1:-1], 10 * expected[1:-1], rtol=1e-12)
    assert expected[1] == pytest.approx(0.3e-4, rel=0.1) and expected[-1] == pytest.approx(
        1.28e-4, rel=0.02
    )
    assert out["vertical_diffusivity"][0] == out["vertical_diffusivity"][-1] == 0


@pytest.mark.parametrize("wet", [2, 13, levels])
def test_tides_lift_water_with_a_fifth_of_a_third_of_their_energy(wet):
    """rho0 int kappa N^2 dz = Gamma q E: half an exponential's cell at bottom and surface aside."""
    N2 = np.where(
        np.arange(levels + 1) < wet, 1e-6 * np.exp(-interfaces / 1000), 7.0
    )  # nothing below the bottom counts
    given = base | {"wet_levels": float(wet), "stratification": N2, "tidal_energy": 0.5}
    out = {
        name: middle(value)
        for name, value in run("TidalMixing", given, levels, {"maximum": 10}).items()
    }
    H, E = wet * dz, 0.5 * np.sqrt(N2[wet - 1])
    kappa = (
        0.2 / 3 * E * np.exp((interfaces - H) / 500) / (500 * (1 - np.exp(-H / 500))) / (1026 * N2)
    )
    np.testing.assert_allclose(out["vertical_diffusivity"][1:wet], kappa[1:wet], rtol=1e-6)
    assert (out["vertical_diffusivity"][[0, *range(wet, levels + 1)]] == 0).all()
    if wet > 10:
        power = 1026 * (out["vertical_diffusivity"] * N2)[1:wet].sum() * dz
        assert power == pytest.approx(0.2 / 3 * E, rel=0.12)
    capped = middle(
        run("TidalMixing", given | {"tidal_energy": 1e4}, levels)["vertical_diffusivity"]
    )
    assert capped.max() == 1e-2


def double(warm, salty, expansion=2e-4, contraction=7.5e-4, layer=0.0):
    """Two kinds of water. warm, salty: alpha dT and beta dS of the upper one, as differences of
    density.
    """
    above = np.arange(levels) < 20
    given = {
        "temperature": np.where(above, warm / expansion, 0.0),
        "salinity": 35 + np.where(above, salty / contraction, 0.0),
        "thermal_expansion": expansion,
        "haline_contraction": contraction,
        "thickness": np.full(levels, dz),
        "wet_levels": float(levels),
        "vertical_diffusivity": np.full(levels + 1, 1e-5),
        "boundary_layer_depth": layer,
    }
    out = {name: middle(value) for name, value in run("DoubleDiffusion", given, levels).items()}
    heat, salt = out["vertical_diffusivity"] - 1e-5, out["salt_diffusivity"] - 1e-5
    others = np.arange(levels + 1) != 20
    assert np.abs(heat[others]).max() < 1e-15 and np.abs(salt[others]).max() < 1e-15
    return heat[20], salt[20]


def test_salt_fingers():
    for R in (1.0001, 1.2, 1.5, 1.8):
        heat, salt = double(R * 1e-4, 1e-4)
        assert salt == pytest.approx(1e-3 * (1 - ((R - 1) / 0.9) ** 2) ** 3, rel=1e-6)
        assert heat == pytest.approx(0.7 * salt, rel=1e-9)
    assert double(2e-4, 1e-4) == (0, 0)  # too little salt for its heat
    assert double(1.2e-4, 1e-4, layer=2500.0) == (0, 0)  # within the boundary layer


def test_diffusive_convection():
    for R in (0.2, 0.5, 0.9):
        heat, salt = double(-R * 1e-4, -1e-4)
        assert heat == pytest.approx(
            1.5e-6 * 0.909 * np.exp(4.6 * np.exp(-0.54 * (1 / R - 1))), rel=1e-6
        )
        assert salt == pytest.approx(
            heat * (0.15 * R if R < 0.5 else 1.85 * R - 0.85), rel=1e-6, abs=1e-15
        )
    assert double(1e-4, -1e-4) == (0, 0)  # both stabilise
    assert double(-1e-4, 1e-4) == (0, 0)  # neither does


def test_roughness_is_what_a_plane_leaves():
    latitude, longitude = np.mgrid[0:9, 0:12].astype(float)
    water, plane = np.ones((9, 12)), 3000 + 40 * latitude + 0 * longitude
    assert np.abs(tides.roughness(plane, water)).max() < 1e-6
    bumps = plane + np.random.default_rng(0).normal(0, 100, plane.shape)
    j, i = np.mgrid[-1:2, -1:2]
    design = np.column_stack([np.ones(9), j.ravel(), i.ravel()])
    _, residual, *_ = np.linalg.lstsq(design, bumps[3:6, 5:8].ravel(), rcond=None)
    assert tides.roughness(bumps, water)[4, 6] == pytest.approx(residual[0] / 6)
    water[4, 6] = 0
    assert (tides.roughness(bumps, water)[3:6, 5:8] == 0).all()
