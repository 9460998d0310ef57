"""Waves of sub-grid mountains: all of their momentum and energy stays in the column."""

import numpy as np
import pytest

from columns import run

g, R = 9.80616, 287.0597
cp = 3.5 * R
levels, step = 30, 1800.0
interface = 1e5 * np.linspace(0, 1, levels + 1) ** 1.5
mass = np.diff(interface) / g
pressure = 0.5 * (interface[1:] + interface[:-1])


def waves(wind, deviation=20.0):
    """Tendencies and stress in air of 250 K; wind (levels,), towards the north-east."""
    given = {
        "eastward_wind": 0.6 * wind,
        "northward_wind": 0.8 * wind,
        "air_temperature": np.full(levels, 250.0),
        "pressure_interface": interface,
        "geopotential": R * 250 * np.log(1e5 / pressure),
        "orography_deviation": deviation,
    }
    out = run("OrographicDrag", given, levels, {"step": step})
    names = ("eastward_wind_tendency", "northward_wind_tendency", "air_temperature_tendency")
    return *(out[name][:, 0, 0] for name in names), out["gravity_wave_stress"][0, 0]


def test_waves_that_reach_the_top_break_there():
    """tau_0 = rho N U k h^2 / 2, and none of it leaves. (The scheme adds 1e-4 to U^2.)"""
    U = 15.0
    du, dv, _, stress = waves(np.full(levels, U))
    N = g / np.sqrt(cp * 250)
    source = 0.5 * 1e5 / (R * 250) * N * U * 1.2e-5 * 40.0**2
    assert stress == pytest.approx(source, rel=1e-3)
    assert -(mass * du).sum() == pytest.approx(0.6 * stress, rel=1e-6)
    assert -(mass * dv).sum() == pytest.approx(0.8 * stress, rel=1e-6)
    assert (du <= 0).all() and du[0] < 0 and (du[-10:] == 0).all()


def test_kinetic_energy_that_is_lost_warms_and_no_wind_turns():
    wind = np.linspace(60, 8, levels)
    for deviation in (20.0, 300.0):
        du, dv, dT, stress = waves(wind, deviation)
        after = wind + step * (0.6 * du + 0.8 * dv)
        assert (after >= 0.5 * wind - 1e-9).all() and stress > 0
        kinetic = (mass * (after**2 - wind**2)).sum() / 2 / step
        assert cp * (mass * dT).sum() == pytest.approx(-kinetic, rel=1e-6)


def test_wind_that_turns_against_the_source_stops_all_waves():
    wind = np.where(np.arange(levels) < 12, -10.0, 12.0)
    du, dv, dT, _ = waves(wind)
    assert not du[:12].any() and not dv[:12].any() and not dT[:12].any()
    assert du[12] < 0
