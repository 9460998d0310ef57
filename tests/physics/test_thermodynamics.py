"""Equations of state against published values, NumPy and gsw; stratification against finite
differences; hydrostatic pressure.
"""

import numpy as np
import pytest

from columns import middle, reference_density, run

g, rho0 = 9.80616, 1026.0


def mwjf(S, T, p):
    """McDougall et al. (2003), term by term."""
    numerator = (
        9.99843699e2
        + 7.35212840 * T
        - 5.45928211e-2 * T**2
        + 3.98476704e-4 * T**3
        + 2.96938239 * S
        - 7.23268813e-3 * S * T
        + 2.12382341e-3 * S**2
        + 1.04004591e-2 * p
        + 1.03970529e-7 * p * T**2
        + 5.18761880e-6 * p * S
        - 3.24041825e-8 * p**2
        - 1.23869360e-11 * p**2 * T**2
    )
    denominator = (
        1
        + 7.28606739e-3 * T
        - 4.60835542e-5 * T**2
        + 3.68390573e-7 * T**3
        + 1.80809186e-10 * T**4
        + 2.14691708e-3 * S
        - 9.27062484e-6 * S * T
        - 1.78343643e-10 * S * T**3
        + 4.76534122e-6 * S**1.5
        + 1.63410736e-9 * S**1.5 * T**2
        + 5.30848875e-6 * p
        - 3.03175128e-16 * p**2 * T**3
        - 1.27934137e-17 * p**3 * T
    )
    return numerator / denominator


def ocean(n=400, seed=0):
    """Water of the ocean, layer by layer: the range narrows with depth."""
    random = np.random.default_rng(seed)
    p = np.sort(random.uniform(0, 6000, n))
    warm = np.interp(p, [0, 500, 1500, 6000], [33, 20, 14, 4])
    spread = np.interp(p, [0, 500, 1500, 6000], [1, 0.3, 0.15, 0.04])
    T, S = (
        random.uniform(-2, warm, (16, n)).T,
        35 + spread[:, None] * random.uniform(-10, 5, (n, 16)),
    )
    return S[:, None, :], T[:, None, :], p


def density(name, S, T, p, dtype=float):
    n = len(p)
    out = run(
        name,
        {"salinity": S, "temperature": T, "pressure_reference": p, "thickness": np.full(n, 10.0)},
        n,
        dtype=dtype,
    )
    return out["density_anomaly"].astype(float), out["stratification"].astype(float)


@pytest.mark.parametrize(
    "S, T, p, rho",
    [(35, 25, 2000, 1031.654229), (20, 20, 1000, 1017.726743), (40, 12, 8000, 1062.928258)],
)
def test_mwjf_published_values(S, T, p, rho):
    anomaly, _ = density("MWJF", np.array([S]), np.array([T]), np.array([p]))
    assert middle(anomaly)[0] + reference_density(p) == pytest.approx(rho, abs=5e-7)  # as printed


def test_mwjf_against_numpy():
    S, T, p = ocean()
    anomaly, _ = density("MWJF", S, T, p)
    P = p[:, None, None]
    np.testing.assert_allclose(
        anomaly, mwjf(S, T, P) - reference_density(P), rtol=0, atol=2e-12
    )  # a few ulps of 1030


# fresh water, S, S^(3/2), S^2 of the density at p = 0; of K at p = 0, of its slope A and curvature
# B: powers of temperature, p in bar
at_surface = (
    (999.842594, 6.793952e-2, -9.095290e-3, 1.001685e-4, -1.120083e-6, 6.536332e-9),
    (8.24493e-1, -4.0899e-3, 7.6438e-5, -8.2467e-7, 5.3875e-9),
    (-5.72466e-3, 1.0227e-4, -1.6546e-6),
    (4.8314e-4,),
)
eos80 = (
    (
        (19652.21, 148.4206, -2.327105, 1.360477e-2, -5.155288e-5),
        (54.6746, -0.603459, 1.09987e-2, -6.1670e-5),
        (7.944e-2, 1.6483e-2, -5.3009e-4),
    ),
    (
        (3.239908, 1.43713e-3, 1.16092e-4, -5.77905e-7),
        (2.2838e-3, -1.0981e-5, -1.6078e-6),
        (1.91075e-4,),
    ),
    ((8.50935e-5, -6.12293e-6, 5.2787e-8), (-9.9348e-7, 2.0816e-8, 9.1697e-10), (0,)),
)
jackett = (
    (
        (1.965933e4, 1.444304e2, -1.706103, 9.648704e-3, -4.190253e-5),
        (5.284855e1, -3.101089e-1, 6.283263e-3, -5.084188e-5),
        (3.886640e-1, 9.085835e-3, -4.619924e-4),
    ),
    (
        (3.186519, 2.212276e-2, -2.984642e-4, 1.956415e-6),
        (6.704388e-3, -1.847318e-4, 2.059331e-7),
        (1.480266e-4,),
    ),
    ((2.102898e-4, -1.202016e-5, 1.394680e-7), (-2.040237e-6, 6.128773e-8, 6.207323e-10), (0,)),
)


def secant_bulk(modulus, S, T, p):
    """rho(S, T, 0) / (1 - p / K), term by term."""
    series = lambda parts: sum(
        S**power * np.polynomial.polynomial.polyval(T, part)
        for power, part in zip((0, 1, 1.5, 2), parts)
    )
    bar = p / 10
    return series(at_surface) / (
        1 - bar / (series(modulus[0]) + bar * series(modulus[1]) + bar**2 * series(modulus[2]))
    )


def in_situ(S, T, p, steps=100):
    """Temperature after sinking from the surface to p: Bryden's lapse rate in many small steps of
    Euler's midpoint method.
    """

    def rate(T, p):
        return (
            3.5803e-5
            + (8.5258e-6 + (-6.836e-8 + 6.6228e-10 * T) * T) * T
            + (1.8932e-6 - 4.2393e-8 * T) * (S - 35)
            + (
                1.8741e-8
                + (-6.7795e-10 + (8.733e-12 - 5.4481e-14 * T) * T) * T
                + (-1.1351e-10 + 2.7759e-12 * T) * (S - 35)
            )
            * p
            + (-4.6206e-13 + (1.8676e-14 - 2.1687e-16 * T) * T) * p**2
        )

    for n in range(steps):
        at = p * n / steps
        T = T + rate(T + rate(T, at) * p / steps / 2, at + p / steps / 2) * p / steps
    return T


def test_unesco_published_values():
    """Fofonoff & Millard (1983): the potential temperature of (40, 40 degC, 10000 dbar) is 36.89073
    degC, its density 1059.82037 kg m-3.
    """
    assert in_situ(40.0, 36.89073, 10000.0) == pytest.approx(40, abs=1e-4)
    anomaly, _ = density("UNESCO", np.array([40.0]), np.array([36.89073]), np.array([10000.0]))
    assert middle(anomaly)[0] + reference_density(10000.0) == pytest.approx(1059.82037, abs=5e-5)
    surface, _ = density("UNESCO", np.array([35.0]), np.array([5.0]), np.array([0.0]))
    assert middle(surface)[0] + reference_density(0.0) == pytest.approx(1027.67547, abs=5e-6)


def test_jmcd_published_value():
    """Jackett & McDougall (1995): 1041.83267 kg m-3 at (35.5, 3 degC, 3000 dbar)."""
    anomaly, _ = density("JMCD", np.array([35.5]), np.array([3.0]), np.array([3000.0]))
    assert middle(anomaly)[0] + reference_density(3000.0) == pytest.approx(1041.83267, abs=5e-6)


def test_secant_bulk_modulus_against_numpy():
    S, T, p = ocean()
    P = p[:, None, None]
    np.testing.assert_allclose(
        density("JMCD", S, T, p)[0],
        secant_bulk(jackett, S, T, P) - reference_density(P),
        rtol=0,
        atol=2e-12,
    )
    np.testing.assert_allclose(
        density("UNESCO", S, T, p)[0],
        secant_bulk(eos80, S, in_situ(S, T, P), P) - reference_density(P),
        rtol=0,
        atol=2e-5,
    )


def test_both_are_the_same_sea_water():
    """The fit of Jackett & McDougall to EOS-80: a few thousandths in the ocean; MWJF is near."""
    S, T, p = ocean()
    unesco = density("UNESCO", S, T, p)[0]
    assert np.abs(density("JMCD", S, T, p)[0] - unesco).max() < 0.01
    assert np.abs(density("MWJF", S, T, p)[0] - unesco).max() < 0.03


def test_teos10_published_value():
    anomaly, _ = density("TEOS10Polynomial", np.array([30.0]), np.array([10.0]), np.array([1000.0]))
    assert middle(anomaly)[0] + reference_density(1000.0) == pytest.approx(
        1027.45140, abs=5e-6
    )  # NEMO's check value


def test_teos10_against_gsw():
    gsw = pytest.importorskip("gsw")
    S, T, p = ocean()
    anomaly, _ = density("TEOS10Polynomial", S, T, p)
    P = p[:, None, None]
    error = anomaly + reference_density(P) - gsw.rho(S, T, P)
    # Roquet et al.: 5e-4 rms of the fit at the surface, fresh and warm edges included; below 1000
    # dbar only values that occur in the ocean
    assert np.abs(error[p > 1500]).max() < 2e-3 and error[p > 1500].std() < 5e-4
    assert np.abs(error).max() < 2e-2


@pytest.mark.parametrize("name", ["MWJF", "TEOS10Polynomial", "JMCD", "UNESCO"])
def test_fp32_resolves_the_anomaly(name):
    S, T, p = (x.astype(np.float32).astype(float) for x in ocean())
    double, single = density(name, S, T, p)[0], density(name, S, T, p, np.float32)[0]
    # in-situ density has a rounding error of 6e-5 in 32 bits; rounding S and T to 24 bits changes
    # it by 1e-6
    assert np.abs(single - double).max() < 2e-5
    assert (single - double).std() < 4e-6


@pytest.mark.parametrize("name, rho", [("MWJF", mwjf), ("TEOS10Polynomial", None)])
def test_stratification_compares_parcels_at_one_pressure(name, rho):
    if rho is None:
        gsw = pytest.importorskip("gsw")
        rho = gsw.rho
    n = 30
    p, dz = np.linspace(5, 4000, n), np.linspace(10, 250, n)
    T, S = 2 + 20 * np.exp(-p / 800), 34.5 + 0.5 * np.cos(p / 600)
    out = run(name, {"temperature": T, "salinity": S, "pressure_reference": p, "thickness": dz}, n)
    N2 = middle(out["stratification"])
    expected = (
        g
        / rho0
        * (rho(S[1:], T[1:], p[1:]) - rho(S[:-1], T[:-1], p[1:]))
        / (0.5 * (dz[1:] + dz[:-1]))
    )
    np.testing.assert_allclose(
        N2[1:-1],
        expected,
        rtol=2e-3 if name != "MWJF" else 1e-9,
        atol=1e-9 if name != "MWJF" else 1e-15,
    )
    assert N2[0] == 0 and N2[-1] == 0


def test_water_of_one_kind_has_no_stratification():
    n = 20
    p = np.linspace(0, 5000, n)
    for name in ("MWJF", "TEOS10Polynomial", "JMCD", "UNESCO", "LinearEquationOfState"):
        out = run(
            name,
            {
                "temperature": 3.0,
                "salinity": 35.0,
                "pressure_reference": p,
                "thickness": np.full(n, 100.0),
            },
            n,
        )
        assert (middle(out["stratification"]) == 0).all()


def test_linear():
    T, S = np.array([10.0, 9.0, 9.0]), np.array([35.0, 35.0, 36.0])
    out = run(
        "LinearEquationOfState",
        {"temperature": T, "salinity": S, "thickness": np.full(3, 50.0)},
        3,
        {"thermal_expansion": 2e-4, "haline_contraction": 8e-4, "reference_density": 1000},
    )
    np.testing.assert_allclose(middle(out["density_anomaly"]), [0, 0.2, 1.0], atol=1e-14)
    np.testing.assert_allclose(
        middle(out["stratification"]), [0, g / rho0 * 0.2 / 50, g / rho0 * 0.8 / 50, 0], rtol=1e-12
    )


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
        p = middle(
            run("HydrostaticPressure", {"density_anomaly": np.cos(z / 300), "thickness": dz}, n)[
                "pressure"
            ]
        )
        errors.append(np.abs(p - g / rho0 * 300 * np.sin(z / 300)).max())
    assert np.log2(errors[0] / errors[1]) > 1.8 and np.log2(errors[1] / errors[2]) > 1.8


@pytest.mark.parametrize("name", ["MWJF", "TEOS10Polynomial"])
def test_expansion_and_contraction_are_derivatives_of_density(name):
    """Central differences of the scheme's own density; finite in fresh water."""
    S, T, p = ocean()
    S, n = np.maximum(S, 1), len(p)
    coefficients = run(
        f"{name}Expansion", {"salinity": S, "temperature": T, "pressure_reference": p}, n
    )
    dT = (density(name, S, T + 0.01, p)[0] - density(name, S, T - 0.01, p)[0]) / 0.02
    dS = (density(name, S + 0.01, T, p)[0] - density(name, S - 0.01, T, p)[0]) / 0.02
    np.testing.assert_allclose(coefficients["thermal_expansion"], -dT / rho0, atol=2e-10)
    np.testing.assert_allclose(coefficients["haline_contraction"], dS / rho0, atol=2e-9)
    fresh = run(
        f"{name}Expansion", {"salinity": 0 * S, "temperature": T, "pressure_reference": p}, n
    )
    assert all(np.isfinite(field).all() for field in fresh.values())
