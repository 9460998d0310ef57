"""Clouds below an inversion over the sea: their share as Wood & Bretherton (2006) have it."""

import numpy as np
import pytest

from columns import run

g, R, cp, L, R_v = 9.80665, 287.05, 1004.64, 2.5008e6, 461.5


def sounding(jump):
    """A dry subtropical sounding: a mixed layer of 0 to 1.2 km at 288 K, above it theta rises by
    `jump` and then by 4 K/km. Layers from the top: pressure, T, q, z.
    """
    z = np.array([9e3, 7e3, 5.5e3, 4.2e3, 3.1e3, 2.4e3, 1.8e3, 1.4e3, 1e3, 600.0, 250.0, 50.0])
    p = 1.015e5 * np.exp(-z / 8000)
    theta = 288 + np.where(z > 1200, jump + 4e-3 * (z - 1200), 0.0)
    T = theta * (p / 1e5) ** (R / cp)
    q = np.where(z > 1200, 1e-3, 7.5e-3)
    return p, T, q, z


def clouds(name, p, T, q, z, open_sea):
    fields = {"air_temperature": T, "specific_humidity": q, "air_pressure": p}
    fields |= {"geopotential": g * z, "open_sea": open_sea}
    fields["pressure_interface"] = np.append(0.5 * (np.append(p[0] / 2, p[:-1]) + p), 1.015e5)
    return run(name, fields, p.size)["cloud_fraction"][:, 0, 0]


def expected(p, T, q, z):
    """0.06 EIS + 0.14, by interpolation to 700 hPa."""
    at = lambda values: np.interp(7e4, p, values)
    theta = T * (1e5 / p) ** (R / cp)
    vapour = lambda T: 610.78 * np.exp(17.2693882 * (T - 273.16) / (T - 35.86))
    saturated = lambda T, p: 0.62198 * vapour(T) / (p - 0.37802 * vapour(T))
    mean = 0.5 * (T[-1] + at(T))
    q_s = saturated(mean, 8.5e4)
    moist = 1 - (1 + L * q_s / (R * mean)) / (1 + L**2 * q_s / (cp * R_v * mean**2))
    condenses = (20 + (T[-1] - 273.15) / 5) * 100 * (1 - q[-1] / saturated(T[-1], p[-1]))
    strength = at(theta) - theta[-1] - g / cp * moist * (at(z) - z[-1] - condenses)
    return 0.06 * strength + 0.14


@pytest.mark.parametrize("jump", [5.0, 7.0, 9.0])
def test_share_follows_the_inversion(jump):
    column = sounding(jump)
    without = clouds("DiagnosticCloud", *column, 1.0)
    found = clouds("StratocumulusCloud", *column, 1.0)
    below = 8  # the highest layer of the mixed air
    assert 0.2 < expected(*column) < 0.95
    assert found[below] == pytest.approx(max(expected(*column), without[below]), abs=0.01)
    np.testing.assert_array_equal(np.delete(found, below), np.delete(without, below))


def test_none_on_land_or_without_inversion():
    column = sounding(6.0)
    same = clouds("DiagnosticCloud", *column, 1.0)
    np.testing.assert_array_equal(clouds("StratocumulusCloud", *column, 0.0), same)
    p, T, q, z = sounding(0.0)
    falls = np.minimum(T, 288 - 6.5e-3 * z)  # a lapse rate near the moist one
    np.testing.assert_array_equal(
        clouds("StratocumulusCloud", p, falls, q, z, 1.0),
        clouds("DiagnosticCloud", p, falls, q, z, 1.0),
    )
