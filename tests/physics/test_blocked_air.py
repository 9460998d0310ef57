"""Air that sub-grid mountains block: how deep, how fast it slows, energy and momentum closed."""

import numpy as np
import pytest

from columns import run

g, cp, R = 9.80616, 3.5 * 287.0597, 287.0597
N, sigma, speed = 0.01, 400.0, 8.0


def blocked(wind=speed, deviation=sigma, step=600.0, levels=60):
    """What the scheme writes in air of constant N, whose wind blows towards the north-east."""
    edges = np.linspace(6000, 0, levels + 1)
    z = 0.5 * (edges[1:] + edges[:-1])
    theta = lambda z: 300 * np.exp(N**2 * z / g)
    pressure = lambda z: (
        1e5 * (1 + g**2 / (cp * 300 * N**2) * (np.exp(-(N**2) * z / g) - 1)) ** (cp / R)
    )
    given = {
        "eastward_wind": np.full(levels, 0.6 * wind),
        "northward_wind": np.full(levels, 0.8 * wind),
        "air_temperature": theta(z) * (pressure(z) / 1e5) ** (R / cp),
        "pressure_interface": pressure(edges),
        "geopotential": g * z,
        "orography_deviation": deviation,
    }
    out = run("OrographicBlocking", given, levels, {"step": step})
    out = {name: values[..., 0, 0] for name, values in out.items()}
    return z, np.diff(pressure(edges)) / g, out


def test_air_below_the_height_that_it_can_climb_from_slows_down():
    z, _, out = blocked()
    expected = 3 * sigma - 0.5 * speed / N
    assert out["blocking_height"] == pytest.approx(expected, rel=0.01)
    du = out["eastward_wind_tendency"]
    assert (du[z > expected] == 0).all() and (du[z < expected - 60] < 0).all()
    k = np.argmin(abs(z - 200))
    C = 2 * 0.78 / 2 * 1e-4 / 2 * np.sqrt((out["blocking_height"] - z[k]) / (z[k] + sigma))
    after = (np.sqrt(1 + 4 * 600 * C * speed) - 1) / (2 * 600 * C)
    assert 0.6 * (after - speed) / 600 == pytest.approx(du[k], rel=1e-9)
    np.testing.assert_allclose(out["northward_wind_tendency"], du * 0.8 / 0.6)


def test_momentum_and_energy_close():
    _, mass, out = blocked(step=3600.0)
    du, dv, dT = (
        out[f"{name}_tendency"] for name in ("eastward_wind", "northward_wind", "air_temperature")
    )
    assert out["blocking_stress_eastward"] == pytest.approx(-(mass * du).sum(), rel=1e-12)
    u, v = 0.6 * speed, 0.8 * speed
    kinetic = 0.5 * ((u + 3600 * du) ** 2 + (v + 3600 * dv) ** 2 - u**2 - v**2) / 3600
    assert (mass * cp * dT).sum() == pytest.approx(-(mass * kinetic).sum(), rel=1e-12)
    assert 0.05 < out["blocking_stress_northward"] < 20


def test_wind_never_turns_and_fast_air_goes_over():
    for step in (60.0, 1e5):
        _, _, out = blocked(wind=3.0, step=step)
        after = 1.8 + step * out["eastward_wind_tendency"]
        assert (after > 0).all() and (after <= 1.8).all()
    for none in (blocked(wind=30.0), blocked(deviation=0.0)):
        assert none[2]["blocking_height"] == 0
        assert (none[2]["eastward_wind_tendency"] == 0).all()
