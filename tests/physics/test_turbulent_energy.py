"""Turbulence from a prognostic energy: the layer next to the ground, a convective layer that grows
by encroachment, the stable layer of GABLS1, long steps.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import fathom as fm
from columns import run

g, cp, R = 9.80616, 3.5 * 287.0597, 287.0597


def column(interfaces, mean_theta, physics, step, **keep):
    """A dry column over fixed pressures between heights [m], potential temperature by height."""
    pressure = 1e5 * (1 - g * interfaces / (cp * mean_theta)) ** (cp / R)
    levels = SimpleNamespace(nz=interfaces.size - 1, a=pressure, b=0 * pressure)
    kept = ["air_diffusivity", "boundary_layer_height", "friction_velocity"]
    return fm.SingleColumn(levels, physics, time_step=f"{step}s", keep=kept)


def test_logarithmic_layer():
    """A neutral wind of u*/k ln(z / z0) in balance: K = k z u* next to the ground."""
    height = np.concatenate([np.geomspace(3000, 20, 40), [10, 5]])
    u_star, levels = 0.4, height.size
    given = {
        "eastward_wind": u_star / 0.4 * np.log(height / 0.1),
        "air_temperature": 300 - g / cp * height,
        "geopotential": g * height,
        "friction_velocity": u_star,
        "turbulent_kinetic_energy": np.full(levels + 1, u_star**2 / (0.85 * 0.126) ** 0.5),
    }
    out = run("TKE", given, levels, {"step": 600.0, "background": 0.0})
    K = out["air_diffusivity"][:, 0, 0]
    z = 0.5 * (height[1:] + height[:-1])
    shear = (given["eastward_wind"][:-1] - given["eastward_wind"][1:]) / (height[:-1] - height[1:])
    beside = z < 100
    np.testing.assert_allclose((K[1:-1] * shear)[beside], u_star**2, rtol=0.08)
    np.testing.assert_allclose(K[1:-1][beside], 0.4 * z[beside] * u_star, rtol=0.12)
    assert (out["turbulent_kinetic_energy"] > 0).all()


def convective_layer(levels, step, physics):
    """120 W/m2 for six hours into theta = 300 K + 4 K/km: theta, heights of layers, interfaces, and
    the height of encroachment, (2 Q t / Gamma)^1/2.
    """
    edges, gamma, heat, conductance = np.linspace(2400, 0, levels + 1), 4e-3, 120.0, 1e-4
    c = column(edges, 304.0, physics, step)
    z, exner = 0.5 * (edges[1:] + edges[:-1]), (c.pressure / 1e5) ** (R / cp)
    hot = 300 + heat / (conductance * cp)
    c.set(
        air_temperature=(300 + gamma * z) * exner,
        specific_humidity=0.0,
        open_sea=0.0,
        ground_inertia=1e12,
        ground_conductance=conductance,
        ground_temperature=hot,
        ground_forcing=hot,
        friction_velocity=0.1,
        buoyancy_flux=g / 300 * heat / (1.16 * cp),
    )
    c.advance("6h")
    theta = c["air_temperature"] / exner
    return theta, z, edges, np.sqrt(2 * heat / (1.16 * cp) * 6 * 3600 / gamma)


def steepest(theta, z, edges):
    """The height of the interface where theta rises most."""
    return edges[1:-1][((theta[:-1] - theta[1:]) / (z[:-1] - z[1:])).argmax()]


@pytest.mark.parametrize("levels, step", [(60, 60), (60, 600), (20, 1200)])
def test_convective_layer_grows_by_encroachment(levels, step):
    """Well mixed up to the height of encroachment, of which entrainment adds a tenth or two."""
    theta, z, edges, height = convective_layer(levels, step, ["TKE", "VerticalDiffusion"])
    assert 0.93 * height < steepest(theta, z, edges) < 1.2 * height
    inside = (z > 100) & (z < 0.7 * height)
    assert np.ptp(theta[inside]) < 0.7
    assert theta[np.argmin(abs(z - 0.3 * height))] == pytest.approx(300 + 4e-3 * height, abs=0.3)


@pytest.mark.parametrize("levels", [120, 60, 20, 10])
def test_a_profile_of_diffusivity_grows_alike_on_any_levels(levels):
    """1.14 of encroachment, for any part of the heat of thermals in the lowest layer, with its
    middle at 10 to 120 m; with all of it counted twice it is 1.25 to 1.38.
    """
    theta, z, edges, height = convective_layer(
        levels, 600, ["KProfileDiffusion", "VerticalDiffusion"]
    )
    assert 1.08 * height < steepest(theta, z, edges) < 1.2 * height


@pytest.mark.parametrize("levels, step", [(64, 60), (32, 300)])
def test_stable_layer_of_gabls1(levels, step):
    """8 m/s, f = 1.39e-4 s-1, the ground cools by 0.25 K an hour, nine hours (Beare et al. 2006):
    a layer of some 210 to 240 m (large-eddy simulations: 150 to 200) under a jet of 9 to 10 m/s.
    """
    edges = np.concatenate([[600.0], np.linspace(400, 0, levels + 1)])
    c = column(edges, 265.0, ["BulkExchange", "TKE", "VerticalDiffusion"], step)
    z, exner = 0.5 * (edges[1:] + edges[:-1]), (c.pressure / 1e5) ** (R / cp)
    c.set(
        air_temperature=(265 + 0.01 * np.maximum(z - 100, 0)) * exner,
        eastward_wind=8.0,
        specific_humidity=0.0,
        roughness_length=0.1,
        open_sea=0.0,
        soil_moisture=0.0,
        ground_inertia=1e9,
        turbulent_kinetic_energy=0.4 * (1 - np.minimum(edges / 250, 1)) ** 3,
    )
    turn = 1.39e-4 * step
    for n in range(9 * 3600 // step):
        cold = 265 - 0.25 * n * step / 3600
        c.set(ground_temperature=cold, ground_forcing=cold).advance(1)
        u, v = c["eastward_wind"] - 8, c["northward_wind"]
        c.set(
            eastward_wind=8 + (u + turn * v) / (1 + turn**2),
            northward_wind=(v - turn * u) / (1 + turn**2),
        )
    u, v = c["eastward_wind"], c["northward_wind"]
    shear = np.hypot(u[:-1] - u[1:], v[:-1] - v[1:]) / (z[:-1] - z[1:])
    stress = c["air_diffusivity"][1:-1] * shear
    height = edges[1:-1][stress > 0.05 * c["friction_velocity"] ** 2].max() / 0.95
    speed = np.hypot(u, v)
    assert 150 < height < 245
    assert 9 < speed.max() < 10.2
    assert 0.7 * height < z[speed.argmax()] < 1.2 * height


def cloud_layer(cover):
    """Air between 600 and 1000 m that is neutral for what is saturated, under an inversion: what
    the scheme writes for a cloud of that cover there.
    """
    height = np.arange(1980.0, 0, -40)
    levels = height.size
    pressure = 1e5 * np.exp(-height / 8300)
    T, q = 288 - 6e-3 * height, np.full(levels, 2e-3)
    cloudy = (height > 600) & (height < 1000)
    saturated = lambda T, p: 0.622 * 610.78 * np.exp(17.27 * (T - 273.16) / (T - 35.86)) / p
    base = np.flatnonzero(cloudy)[-1]
    h = cp * T[base] + 2.5008e6 * saturated(T[base], pressure[base]) + g * height[base]
    for k in np.flatnonzero(cloudy)[::-1]:  # as warm as gives h
        low, high = 200.0, 320.0
        for _ in range(60):
            T[k] = 0.5 * (low + high)
            too_much = cp * T[k] + 2.5008e6 * saturated(T[k], pressure[k]) + g * height[k] > h
            low, high = (low, T[k]) if too_much else (T[k], high)
    q[cloudy] = saturated(T, pressure)[cloudy]
    T[height > 1000] += 8
    given = {
        "air_temperature": T,
        "specific_humidity": q,
        "air_pressure": pressure,
        "geopotential": g * height,
        "friction_velocity": 0.1,
        "turbulent_kinetic_energy": np.full(levels + 1, 0.2),
        "cloud_fraction": np.where(cloudy, cover, 0.0),
    }
    out = run("CloudyTKE", given, levels, {"step": 600.0, "background": 0.0})
    plain = run("TKE", given, levels, {"step": 600.0, "background": 0.0})
    inside = np.flatnonzero(cloudy)[1:]  # interfaces between two layers of cloud
    K = [o["air_diffusivity"][inside, 0, 0].mean() for o in (out, plain)]
    return K, out, plain


def test_saturated_air_mixes_where_it_is_neutral():
    """Air that a dry parcel finds stable is neutral for a saturated one: there e is not lost."""
    (cloudy, clear), *_ = cloud_layer(1.0)
    assert cloudy > 3 * clear > 0
    (half, _), *_ = cloud_layer(0.5)
    assert clear < half < cloudy
    _, out, plain = cloud_layer(0.0)
    for name in ("air_diffusivity", "turbulent_kinetic_energy"):
        np.testing.assert_allclose(out[name], plain[name], rtol=1e-6)


def test_cloud_is_mixed_with_what_it_condensed_from():
    """Cloud water and ice are spread as vapour is, by the same factors: kept, never negative, at
    steps of any length, and vapour and liquid together as their sum by itself.
    """
    levels = 24
    height = np.linspace(3000, 0, levels + 1)
    middle = 0.5 * (height[1:] + height[:-1])
    interface = 1e5 * np.exp(-height / 8000)
    mass = np.diff(interface) / g
    sheet = np.where(abs(middle - 1200) < 200, 4e-4, 0.0)
    given = {
        "air_temperature": 290 - 6e-3 * middle,
        "specific_humidity": 8e-3 * np.exp(-middle / 2000),
        "geopotential": g * middle,
        "pressure_interface": interface,
        "air_diffusivity": np.where(height < 2000, 20.0, 0.1),
        "cloud_liquid_water": sheet,
        "cloud_ice": 0.5 * sheet,
    }
    for step in (60.0, 1800.0):
        out = run("CloudDiffusion", given, levels, {"step": step})
        liquid, ice = (out[f"{n}_tendency"][:, 0, 0] for n in ("cloud_liquid_water", "cloud_ice"))
        np.testing.assert_allclose(ice, 0.5 * liquid, atol=1e-20)
        assert abs(mass @ liquid) < 1e-14 * (mass @ abs(liquid))
        assert (sheet + step * liquid >= 0).all() and abs(liquid).max() > 1e-8
        warm = run("LiquidDiffusion", given, levels, {"step": step})
        np.testing.assert_array_equal(warm["cloud_liquid_water_tendency"][:, 0, 0], liquid)
        apart = [
            run("VerticalDiffusion", given | {"specific_humidity": q}, levels, {"step": step})
            for q in (given["specific_humidity"], given["specific_humidity"] + sheet)
        ]
        vapour, both = (one["specific_humidity_tendency"][:, 0, 0] for one in apart)
        np.testing.assert_allclose(both, vapour + liquid, rtol=0.01, atol=1e-3 * abs(liquid).max())
