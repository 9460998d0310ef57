"""The linear equations of compressible air in a mass coordinate: waves, operators, elimination."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from fathom.atmosphere.spectral import laprise
from fathom.base.earth import GRAVITY
from fathom.base.mpi import core as library
from fathom.grids import hybrid


@pytest.fixture(scope="module")
def experiment():
    path = Path(__file__).parents[2] / "docs" / "results" / "arome_stability.py"
    spec = importlib.util.spec_from_file_location("arome_stability", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pressures(name, top=0.0):
    a, b = hybrid.named(name)
    interfaces = a + b * 1e5
    return interfaces[interfaces > top] if top else interfaces


def on(name):
    return laprise.on_levels(pressures(name))


def test_frequencies_are_those_of_acoustic_and_gravity_waves():
    """sigma^4 - sigma^2 C^2 (K^2 + (nu^2 + 1/4) / H^2) + N^2 C^2 K^2 = 0 of isothermal air."""
    g, R, cp = laprise.Air()
    T, K, nu = 280.0, 2 * np.pi / 2e4, 3.0
    C2, H, N2 = R * T * cp / (cp - R), R * T / g, g**2 / (cp * T)
    rates = np.linalg.eigvals(laprise.linear(laprise.of_wave(nu), K, T, T))
    b = C2 * (K**2 + (nu**2 + 0.25) / H**2)
    squares = (b + np.array([1, -1]) * np.sqrt(b**2 - 4 * N2 * C2 * K**2)) / 2
    found = np.sort(rates.imag[np.abs(rates) > 1e-8])
    expected = np.sort(np.concatenate([np.sqrt(squares), -np.sqrt(squares)]))
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert np.abs(rates.real).max() < 1e-12


def test_frequencies_on_levels_converge():
    """Sound and gravity waves between the ground and a top where p = pi: of second order."""
    depth, K, errors = np.log(100.0), 2 * np.pi / 2e4, []
    frequencies = lambda count: np.sort(
        np.linalg.eigvals(
            laprise.linear(
                laprise.on_levels(1e5 * np.exp(np.linspace(-depth, 0, count + 1))), K, 280.0, 280.0
            )
        ).imag
    )
    near = frequencies(160)
    near = near[near > 1e-6]
    gravity_waves, sound = near[near < 0.0185][-3:], near[near > 0.0185][:4]
    exact = np.array([_exact(sigma, K, depth) for sigma in (*gravity_waves, *sound)])
    for count in (20, 40, 80):
        found = frequencies(count)
        errors.append([np.abs(found / one - 1).min() for one in exact])
    assert np.max(errors[-1]) < 3e-3
    assert np.min(np.log2(errors[0]) - np.log2(errors[-1])) / 2 > 1.9


def _exact(sigma, K, depth):
    """The frequency of continuous air near `sigma`: four solutions pi^n of the linear equations, of
    which a sum has p = pi and no mass above it at the top, no motion through the ground and the
    mass below as its pressure: a determinant that vanishes.
    """
    g, R, cp = laprise.Air()
    T, C2 = 280.0, R * 280.0 * cp / (cp - R)

    def determinant(sigma):
        i = 1j * sigma
        both = K**2 - sigma**2 / C2 - K**2 * g**2 / (cp * T) / sigma**2
        nu = np.sqrt(-both * (R * T / g) ** 2 - 0.25 + 0j)
        columns = []
        for n in (1j * nu - 0.5, -1j * nu - 0.5, 0.0, -1.0):  # S D = pi^n
            heat = R**2 * T / cp
            q = (i * n * (n + 1) / K**2 - heat / i) / (R * T * (1 + n) - heat)
            top = np.exp(-n * depth)
            ground = i * (n + 1) - K**2 * R * T * (q - 1 / i)
            columns.append([q * top, (1 + n) * q, top, ground])
        matrix = np.array(columns).T
        return np.linalg.det(matrix / np.abs(matrix).max(0)) / nu

    a, b = sigma, sigma * (1 + 1e-6)
    for _ in range(60):
        fa, fb = determinant(a), determinant(b)
        if fa == fb or abs(b - a) < 1e-15 * abs(b):
            break
        a, b = b, b - fb * (b - a) / (fb - fa)
    assert abs(b / sigma - 1) < 1e-2 and abs(b.imag) < 1e-9 * abs(b)
    return b.real


@pytest.mark.parametrize("reference", [(280, 280), (350, 100)])
def test_growth_of_the_worst_waves(experiment, reference):
    """The waves that grow most at 200 K: as known."""
    longest, few = experiment.horizontal[-1:], [laprise.of_wave(nu) for nu in (0.05, 10.0, 300.0)]
    expected = {(280, 280): (1.80, 2.37), (350, 100): (1.0, 1.0)}[reference]
    for scheme, growth in zip(("nesc", "settls"), expected):
        assert abs(experiment.worst(few, longest, 200, reference, scheme) - growth) < 0.005


@pytest.mark.parametrize("top", [0.0, 1000.0])
@pytest.mark.parametrize("name", ["L19", "L31"])
def test_air_at_rest_keeps_its_energy(name, top):
    """The linear equations neither damp nor make waves; B is symmetric by the masses, and so has
    real modes.
    """
    interfaces = pressures(name, top)
    of = laprise.on_levels(interfaces)
    rates = np.linalg.eigvals(laprise.linear(of, 2 * np.pi / 1e4, 280.0, 280.0))
    assert np.abs(rates.real).max() < 1e-13
    mass = np.diff(interfaces)[:, None] * laprise.helmholtz(of, 30.0, 350.0, 100.0)[0]
    np.testing.assert_allclose(mass, mass.T, rtol=1e-9, atol=1e-10 * np.abs(mass).max())


@pytest.mark.parametrize("top", [0.0, 1000.0])
def test_the_core_has_the_same_operators(top):
    interfaces = pressures("L31", top)
    of, air = laprise.on_levels(interfaces), laprise.Air(gravity=GRAVITY)
    B, F = laprise.helmholtz(of, 30.0, 350.0, 100.0, air)
    core = library.compressible_reference(
        list(interfaces),
        [0.0] * len(interfaces),
        30.0,
        pressure=interfaces[-1],
        gas_constant=air.gas_constant,
        heat_capacity=air.heat_capacity,
    )
    for name, expected in (("G", of.G), ("S", of.S), ("F", F), ("matrix", B)):
        found = np.reshape(core[name], expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max())
    above, here, below = core["acceleration"]
    L = np.diag(above[1:], -1) + np.diag(here) + np.diag(below[:-1], 1)
    np.testing.assert_allclose(L, of.L, rtol=1e-10, atol=1e-12)
    values = np.sort(np.linalg.eigvals(B).real)[::-1]
    np.testing.assert_allclose(core["speed_squared"], values, rtol=1e-9)


def test_the_elimination_solves_the_whole_system():
    """det(1 - b A) = det F det(1 + b^2 K^2 B), and D+ is that of the whole."""
    of, beta, K, reference = on("L19"), 30.0, 2 * np.pi / 1e4, (350.0, 100.0)
    whole = np.eye(4 * of.levels + 1) - beta * laprise.linear(of, K, *reference)
    B, F = laprise.helmholtz(of, beta, *reference)
    rest = np.eye(of.levels) + (beta * K) ** 2 * B
    logs = [np.linalg.slogdet(m)[1] for m in (whole, F, rest)]
    assert logs[0] == pytest.approx(logs[1] + logs[2], rel=1e-13)
    values = np.linalg.eigvals(B)
    assert np.abs(values.imag).max() < 1e-9 and values.real.min() > 0
    # a right-hand side that has only D: D+ = (1 + b^2 K^2 B)^-1 R
    right = np.zeros(len(whole))
    right[: of.levels] = np.cos(np.arange(of.levels))
    np.testing.assert_allclose(
        np.linalg.solve(whole, right)[: of.levels],
        np.linalg.solve(rest, right[: of.levels]),
        rtol=1e-9,
        atol=1e-12,
    )


def test_levels_are_checked():
    with pytest.raises(ValueError, match="must grow"):
        laprise.on_levels([0.0, 5e4, 4e4])
    with pytest.raises(ValueError, match="allowed are"):
        laprise.step_of("euler", np.eye(4), np.eye(4), 60.0)
