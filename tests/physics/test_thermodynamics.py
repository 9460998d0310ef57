"""Equations of state against published values, NumPy and gsw; stratification against finite differences; hydrostatic pressure."""

import numpy as np
import pytest
from columns import middle, reference_density, run

g, rho0 = 9.80616, 1026.0


def mwjf(S, T, p):
    """McDougall et al. (2003), term by term."""
    numerator = (9.99843699e2 + 7.35212840 * T - 5.45928211e-2 * T**2 + 3.98476704e-4 * T**3 + 2.96938239 * S - 7.23268813e-3 * S * T + 2.12382341e-3 * S**2
                 + 1.04004591e-2 * p + 1.03970529e-7 * p * T**2 + 5.18761880e-6 * p * S - 3.24041825e-8 * p**2 - 1.23869360e-11 * p**2 * T**2)  # fmt: skip
    denominator = (1 + 7.28606739e-3 * T - 4.60835542e-5 * T**2 + 3.68390573e-7 * T**3 + 1.80809186e-10 * T**4 + 2.14691708e-3 * S - 9.27062484e-6 * S * T
                   - 1.78343643e-10 * S * T**3 + 4.76534122e-6 * S**1.5 + 1.63410736e-9 * S**1.5 * T**2 + 5.30848875e-6 * p - 3.03175128e-16 * p**2 * T**3
                   - 1.27934137e-17 * p**3 * T)  # fmt: skip
    return numerator / denominator


def ocean(n=400, seed=0):
    """Water of the ocean, layer by layer: the range narrows with depth."""
    random = np.random.default_rng(seed)
    p = np.sort(random.uniform(0, 6000, n))
    warm = np.interp(p, [0, 500, 1500, 6000], [33, 20, 14, 4])
    spread = np.interp(p, [0, 500, 1500, 6000], [1, 0.3, 0.15, 0.04])
    T, S = random.uniform(-2, warm, (16, n)).T, 35 + spread[:, None] * random.uniform(-10, 5, (n, 16))
    return S[:, None, :], T[:, None, :], p


def density(name, S, T, p, dtype=float):
    n = len(p)
    out = run(name, {"salinity": S, "temperature": T, "pressure_reference": p, "thickness": np.full(n, 10.0)}, n, dtype=dtype)
    return out["density_anomaly"].astype(float), out["stratification"].astype(float)


@pytest.mark.parametrize(("S", "T", "p", "rho"), [(35, 25, 2000, 1031.654229), (20, 20, 1000, 1017.726743), (40, 12, 8000, 1062.928258)])
def test_mwjf_published_values(S, T, p, rho):
    anomaly, _ = density("MWJF", np.array([S]), np.array([T]), np.array([p]))
    assert middle(anomaly)[0] + reference_density(p) == pytest.approx(rho, abs=5e-7)  # as printed


def test_mwjf_against_numpy():
    S, T, p = ocean()
    anomaly, _ = density("MWJF", S, T, p)
    P = p[:, None, None]
    np.testing.assert_allclose(anomaly, mwjf(S, T, P) - reference_density(P), rtol=0, atol=2e-12)  # a few ulps of 1030


def test_teos10_published_value():
    anomaly, _ = density("TEOS10Polynomial", np.array([30.0]), np.array([10.0]), np.array([1000.0]))
    assert middle(anomaly)[0] + reference_density(1000.0) == pytest.approx(1027.45140, abs=5e-6)  # NEMO's check value


def test_teos10_against_gsw():
    gsw = pytest.importorskip("gsw")
    S, T, p = ocean()
    anomaly, _ = density("TEOS10Polynomial", S, T, p)
    P = p[:, None, None]
    error = anomaly + reference_density(P) - gsw.rho(S, T, P)
    # Roquet et al.: 5e-4 rms of the fit at the surface, fresh and warm edges included; below 1000 dbar the range is the ocean's
    assert np.abs(error[p > 1500]).max() < 2e-3 and error[p > 1500].std() < 5e-4
    assert np.abs(error).max() < 2e-2


@pytest.mark.parametrize("name", ["MWJF", "TEOS10Polynomial"])
def test_fp32_resolves_the_anomaly(name):
    S, T, p = (x.astype(np.float32).astype(float) for x in ocean())
    double, single = density(name, S, T, p)[0], density(name, S, T, p, np.float32)[0]
    # in-situ density as a number of 32 bits is known to 6e-5; S and T of 24 bits themselves mean 1e-6
    assert np.abs(single - double).max() < 2e-5
    assert (single - double).std() < 4e-6


@pytest.mark.parametrize(("name", "rho"), [("MWJF", mwjf), ("TEOS10Polynomial", None)])
def test_stratification_compares_parcels_at_one_pressure(name, rho):
    if rho is None:
        gsw = pytest.importorskip("gsw")
        rho = gsw.rho
    n = 30
    p, dz = np.linspace(5, 4000, n), np.linspace(10, 250, n)
    T, S = 2 + 20 * np.exp(-p / 800), 34.5 + 0.5 * np.cos(p / 600)
    out = run(name, {"temperature": T, "salinity": S, "pressure_reference": p, "thickness": dz}, n)
    N2 = middle(out["stratification"])
    expected = g / rho0 * (rho(S[1:], T[1:], p[1:]) - rho(S[:-1], T[:-1], p[1:])) / (0.5 * (dz[1:] + dz[:-1]))
    np.testing.assert_allclose(N2[1:-1], expected, rtol=2e-3 if name != "MWJF" else 1e-9, atol=1e-9 if name != "MWJF" else 1e-15)
    assert N2[0] == 0 and N2[-1] == 0


def test_water_of_one_kind_has_no_stratification():
    n = 20
    p = np.linspace(0, 5000, n)
    for name in ("MWJF", "TEOS10Polynomial", "LinearEquationOfState"):
        out = run(name, {"temperature": 3.0, "salinity": 35.0, "pressure_reference": p, "thickness": np.full(n, 100.0)}, n)
        assert (middle(out["stratification"]) == 0).all()


def test_linear():
    T, S = np.array([10.0, 9.0, 9.0]), np.array([35.0, 35.0, 36.0])
    out = run("LinearEquationOfState", {"temperature": T, "salinity": S, "thickness": np.full(3, 50.0)}, 3, {"thermal_expansion": 2e-4, "haline_contraction": 8e-4, "reference_density": 1000})
    np.testing.assert_allclose(middle(out["density_anomaly"]), [0, 0.2, 1.0], atol=1e-14)
    np.testing.assert_allclose(middle(out["stratification"]), [0, g / rho0 * 0.2 / 50, g / rho0 * 0.8 / 50, 0], rtol=1e-12)


def test_pressure_is_trapezoidal():
    dz, rho = np.array([10.0, 20.0, 40.0]), np.array([-2.0, -1.0, 0.5])
    p = middle(run("HydrostaticPressure", {"density_anomaly": rho, "thickness": dz}, 3)["pressure"])
    expected = g / rho0 * np.cumsum([-2 * 5, -1.5 * 15, -0.25 * 30])
    np.testing.assert_allclose(p, expected, rtol=1e-15)


def test_pressure_converges_with_second_order():
    errors = []
    for n in (20, 40, 80):
        dz = np.full(n, 1000.0 / n)
        z = np.cumsum(dz) - dz / 2
        p = middle(run("HydrostaticPressure", {"density_anomaly": np.cos(z / 300), "thickness": dz}, n)["pressure"])
        errors.append(np.abs(p - g / rho0 * 300 * np.sin(z / 300)).max())
    assert np.log2(errors[0] / errors[1]) > 1.8 and np.log2(errors[1] / errors[2]) > 1.8


@pytest.mark.parametrize("name", ["MWJF", "TEOS10Polynomial"])
def test_expansion_and_contraction_are_derivatives_of_density(name):
    """Central differences of the scheme's own density; finite in fresh water."""
    S, T, p = ocean()
    S, n = np.maximum(S, 1), len(p)
    coefficients = run(f"{name}Expansion", {"salinity": S, "temperature": T, "pressure_reference": p}, n)
    dT = (density(name, S, T + 0.01, p)[0] - density(name, S, T - 0.01, p)[0]) / 0.02
    dS = (density(name, S + 0.01, T, p)[0] - density(name, S - 0.01, T, p)[0]) / 0.02
    np.testing.assert_allclose(coefficients["thermal_expansion"], -dT / rho0, atol=2e-10)
    np.testing.assert_allclose(coefficients["haline_contraction"], dS / rho0, atol=2e-9)
    fresh = run(f"{name}Expansion", {"salinity": 0 * S, "temperature": T, "pressure_reference": p}, n)
    assert all(np.isfinite(field).all() for field in fresh.values())
