"""The linear equations of compressible air in a mass coordinate: waves, operators, elimination."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from fathom.atmosphere import laprise
from fathom.grids import hybrid


@pytest.fixture(scope="module")
def experiment():
    path = Path(__file__).parents[2] / "experiments" / "arome_stability.py"
    spec = importlib.util.spec_from_file_location("arome_stability", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on(name, top=0.0):
    a, b = hybrid.named(name)
    return laprise.on_levels(np.maximum(a + b * 1e5, top))


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


@pytest.mark.parametrize("reference", [(280, 280), (350, 100)])
def test_growth_of_the_worst_waves(experiment, reference):
    """The waves that grow most at 200 K: as known."""
    longest, few = experiment.horizontal[-1:], [laprise.of_wave(nu) for nu in (0.05, 10.0, 300.0)]
    expected = {(280, 280): (1.80, 2.37), (350, 100): (1.0, 1.0)}[reference]
    for scheme, growth in zip(("nesc", "settls"), expected):
        assert abs(experiment.worst(few, longest, 200, reference, scheme) - growth) < 0.005


@pytest.mark.parametrize("top", [0.0, 1000.0])
@pytest.mark.parametrize("name", ["L19", "L31"])
def test_vertical_and_horizontal_divergence_separate(name, top):
    a, b = hybrid.named(name)
    interfaces = a + b * 1e5
    interfaces = interfaces[interfaces > top] if top else interfaces
    assert np.abs(laprise.on_levels(interfaces).constraint).max() < 1e-14


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
    # a right-hand side of D alone: D+ = (1 + b^2 K^2 B)^-1 R
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
