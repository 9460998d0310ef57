"""Compressible air over small hills, with levels that follow them up to the top."""

import numpy as np
import pytest

import fathom as fm
from small_areas import R, gravity, simulation


def test_short_waves_decay():
    """Hills of 10 m, 4 km long, eight columns: waves shorter than 2 pi U / N = 6.3 km decay as
    exp(-z sqrt(k^2 - N^2 / U^2)), though levels at 6 km still have most of the hills.
    """
    k, N, U, ground = 2 * np.pi / 4e3, 0.01, 10.0, 280.0
    kappa = R / 1004.0
    cp, z = R / kappa, np.linspace(15e3, 0, 51)
    g = gravity

    def pressure(z):  # of constant N
        return 1e5 * (1 - g**2 / (cp * ground * N**2) * (1 - np.exp(-(N**2) * z / g))) ** (
            1 / kappa
        )

    def temperature(p):
        fine = np.linspace(17e3, -500, 2001)
        exner = (pressure(fine) / 1e5) ** kappa
        return np.interp(
            np.log(p), np.log(pressure(fine)), ground * np.exp(N**2 * fine / g) * exner
        )

    p = pressure(z)
    b = (p - p[0]) / (1e5 - p[0])
    levels = fm.HybridLevels(a=list(p - 1e5 * b), b=list(b))
    air = fm.LimitedAreaAtmosphere(
        fm.CartesianGrid(8, 4, extent=4e3, levels=levels),
        dynamics="non-hydrostatic",
        orography=lambda x, y: g * 10 * np.cos(k * x) + 0 * y,
        rotation=0.0,
        upper_zone=float(pressure(9e3)),
        upper_zone_time="60s",
        diffusion_time=0,
        off_centring=0.4,
        heat_capacity=cp,
    )
    surface = pressure(np.asarray(air.surface_geopotential) / g)
    between = levels.a[:, None, None] + levels.b[:, None, None] * surface
    air.set(
        air_temperature=temperature((between[1:] + between[:-1]) / 2),
        eastward_wind=U,
        log_surface_pressure=np.log(surface),
    )
    sim = simulation(air, "20s").prepare()
    sim.advance(240)
    w = np.abs(np.fft.rfft(sim.gather("upward_air_velocity")[:, 0])[:, 1])
    linear = np.exp(-z * np.sqrt(k**2 - (N / U) ** 2))
    low = (z > 0) & (z <= 3e3)
    assert w[low] / w[-1] == pytest.approx(linear[low], rel=0.35, abs=0.002)
    assert w[z == 6e3] < 0.006 * w[-1]
