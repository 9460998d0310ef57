"""Surface: bulk formulae against NumPy, rotation of the stress, fluxes into tracers, restoring,
freezing, a closed heat budget.
"""

import numpy as np
import pytest

from columns import run
from fathom.ocean.surface import storms

rho0, cp, fusion = 1026.0, 3996.0, 3.337e5


def psi(zeta):
    zeta = np.clip(zeta, -10, 10)
    x = (1 - 16 * np.minimum(zeta, 0)) ** 0.25
    stable = zeta > 0
    m = np.where(
        stable, -5 * zeta, np.log((1 + x) ** 2 * (1 + x**2) / 8) - 2 * np.arctan(x) + np.pi / 2
    )
    h = np.where(stable, -5 * zeta, 2 * np.log((1 + x**2) / 2))
    return m, h


def bulk(air, iterations=3, zu=10.0, zt=10.0):
    """Large & Yeager (2004, section 2.1) with the drag of Large & Yeager (2009), with logarithms
    and arc tangents.
    """
    T, Ta, q = (
        air["temperature"] + 273.15,
        air["air_temperature"] + 273.15,
        air["specific_humidity"],
    )
    theta, rho = Ta + 0.0098 * zt, air["air_pressure"] / (287.05 * Ta * (1 + 0.608 * q))
    qs = 0.98 * 640380 * np.exp(-5107.4 / T) / rho
    S = np.maximum(air["wind_speed"], 0.5)

    def neutral(U, zeta):
        D = np.where(U < 33, 2.7 / U + 0.142 + U / 13.09 - 3.14807e-10 * U**6, 2.34) / 1e3
        return D, np.where(zeta > 0, 18.0, 32.7) * np.sqrt(D) / 1e3, 34.6 * np.sqrt(D) / 1e3

    DN, HN, EN = neutral(S, theta * (1 + 0.608 * q) - T * (1 + 0.608 * qs))
    D, H, E = DN, HN, EN
    tu, qu = theta, q
    for _ in range(iterations):
        us, ts, ms = np.sqrt(D) * S, H / np.sqrt(D) * (tu - T), E / np.sqrt(D) * (qu - qs)
        B = 9.80616 * (ts / tu + ms / (qu + 1 / 0.608))
        zeta_u, zeta_t = 0.4 * B * zu / us**2, 0.4 * B * zt / us**2
        (mu, hu), (_, ht) = psi(zeta_u), psi(zeta_t)
        U = np.maximum(S / (1 + np.sqrt(DN) / 0.4 * (np.log(zu / 10) - mu)), 0.5)
        shift = (np.log(zt / zu) + hu - ht) / 0.4
        tu, qu = theta - ts * shift, q - ms * shift
        DN, HN, EN = neutral(U, zeta_u)
        xm, xh = (np.log(zu / 10) - mu) / 0.4, (np.log(zu / 10) - hu) / 0.4
        D = DN / (1 + np.sqrt(DN) * xm) ** 2
        H = HN / (1 + HN / np.sqrt(DN) * xh) * np.sqrt(D / DN)
        E = EN / (1 + EN / np.sqrt(DN) * xh) * np.sqrt(D / DN)
    evaporation = rho * E * (qu - qs) * S
    sensible, latent = rho * 1000.5 * H * (tu - T) * S, 2.5e6 * evaporation
    sun = (1 - 0.066) * air["downward_shortwave_flux"]
    radiation = sun + air["downward_longwave_flux"] - 5.670374419e-8 * T**4
    return {
        "surface_heat_flux": radiation + sensible + latent,
        "surface_shortwave_flux": sun,
        "surface_freshwater_flux": air["precipitation_flux"] + evaporation,
        "stress_eastward": rho * D * S * air["eastward_wind"],
        "stress_northward": rho * D * S * air["northward_wind"],
        "sensible": sensible,
        "latent": latent,
    }


def weather(n=300, seed=0):
    r = np.random.default_rng(seed)
    T = r.uniform(-1.8, 31, n)
    air = {
        "temperature": T,
        "air_temperature": T + r.uniform(-12, 6, n),
        "wind_speed": r.uniform(0.2, 40, n),
        "eastward_wind": r.uniform(-20, 20, n),
        "northward_wind": r.uniform(-20, 20, n),
        "air_pressure": r.uniform(96e3, 104e3, n),
        "downward_shortwave_flux": r.uniform(0, 900, n),
        "downward_longwave_flux": r.uniform(150, 450, n),
        "precipitation_flux": r.uniform(0, 2e-4, n),
    }
    air["specific_humidity"] = (
        r.uniform(0.5, 1, n)
        * 0.98
        * 640380
        * np.exp(-5107.4 / (air["air_temperature"] + 273.15))
        / 1.2
    )
    return air


def run_bulk(air, **parameters):
    arrays = {name: np.atleast_1d(value).reshape(1, -1) for name, value in air.items()}
    arrays["temperature"] = arrays["temperature"][None]
    return {
        name: value.ravel()
        for name, value in run("BulkForcing", arrays, parameters=parameters).items()
    }


@pytest.mark.parametrize("heights", [(10.0, 10.0), (10.0, 2.0), (17.0, 3.5)])
def test_bulk_against_numpy(heights):
    air = weather()
    expected, out = (
        bulk(air, 3, *heights),
        run_bulk(air, wind_height=heights[0], air_height=heights[1]),
    )
    for name in out:  # the polynomials of the stability functions are within 6e-8
        np.testing.assert_allclose(
            out[name],
            expected[name],
            rtol=2e-6,
            atol=2e-6 * np.abs(expected[name]).max(),
            err_msg=name,
        )


def test_three_iterations_are_enough():
    """In winds above 2 m/s. In calm, strongly stable or unstable air the iteration itself wanders,
    by a watt or two.
    """
    air = weather()
    windy = air["wind_speed"] > 2
    three, many = run_bulk(air, iterations=3), run_bulk(air, iterations=20)
    difference = np.abs(three["surface_heat_flux"] - many["surface_heat_flux"])[windy]
    assert np.median(difference) < 0.2 and np.percentile(difference, 95) < 5


def test_bulk_of_known_places():
    """A trade-wind sea, and cold air over the Gulf Stream: the size of what is observed."""
    trades = {
        "temperature": 27.0,
        "air_temperature": 26.0,
        "specific_humidity": 0.0165,
        "wind_speed": 7.0,
        "eastward_wind": -7.0,
        "northward_wind": 0.0,
        "air_pressure": 101300.0,
        "downward_shortwave_flux": 240.0,
        "downward_longwave_flux": 400.0,
        "precipitation_flux": 3e-5,
    }
    out, parts = run_bulk(trades), bulk({k: np.float64(v) for k, v in trades.items()})
    assert -0.09 < out["stress_eastward"][0] < -0.05 and out["stress_northward"][0] == 0
    assert -150 < parts["latent"] < -90 and -20 < parts["sensible"] < -4
    assert -10 < out["surface_heat_flux"][0] < 90
    assert out["surface_freshwater_flux"][0] == pytest.approx(
        3e-5 + parts["latent"] / 2.5e6, rel=1e-5
    )
    outbreak = trades | {
        "temperature": 22.0,
        "air_temperature": 8.0,
        "specific_humidity": 0.004,
        "wind_speed": 13.0,
        "eastward_wind": 13.0,
        "downward_shortwave_flux": 80.0,
        "downward_longwave_flux": 280.0,
    }
    assert -1200 < run_bulk(outbreak)["surface_heat_flux"][0] < -600


def test_storms_keep_the_mean_wind_and_its_speed():
    """Over years of storms at a place, for winds of any steadiness; stress is that of the winds of
    the moment, and winds of a moment stay.
    """
    places = np.array([[-60.0] * 9, range(0, 360, 40)])
    year = np.array([storms.at(*places, n / 730) for n in range(730)])
    assert np.abs(year.mean(0)).max() < 1e-3
    east, north = year.swapaxes(0, 1).reshape(2, -1)
    assert abs((east**2).mean() - 1) < 0.1 and abs((north**2).mean() - 1) < 0.1
    assert abs((east * north).mean()) < 0.05
    for steadiness in (0.1, 0.5, 0.8, 0.95, 1.0):
        winds = {"eastward_wind": 10 * steadiness, "northward_wind": 0.0, "wind_speed": 10.0}
        given = {name: np.full((1, east.size), value) for name, value in winds.items()}
        given |= {"storm_eastward": east[None], "storm_northward": north[None]}
        out = {name: value[0] for name, value in run("StormyWind", given).items()}
        u, v, speed = (out[name] for name in winds)
        assert abs(u.mean() - 10 * steadiness) < 0.3 and abs(v.mean()) < 0.3
        assert abs(speed.mean() - 10) < 0.3
        np.testing.assert_allclose(speed, np.hypot(u, v), rtol=1e-12)
        gain = (speed * u).mean() / (100 * steadiness)
        assert 1.04 < gain < 1.6 if steadiness < 1 else abs(gain - 1) < 1e-12


def test_wind_blows_relative_to_the_current():
    air = weather(20)
    air["wind_speed"] = np.hypot(air["eastward_wind"], air["northward_wind"])
    moving = run_bulk(
        air
        | {
            "surface_current_eastward": np.full(20, 0.7),
            "surface_current_northward": np.full(20, -0.3),
        }
    )
    shifted = air | {
        "eastward_wind": air["eastward_wind"] - 0.7,
        "northward_wind": air["northward_wind"] + 0.3,
    }
    shifted["wind_speed"] = np.hypot(shifted["eastward_wind"], shifted["northward_wind"])
    for name, value in run_bulk(shifted).items():
        np.testing.assert_allclose(moving[name], value, rtol=1e-9, atol=1e-12, err_msg=name)


def test_frazil_ice_insulates_cooling_only():
    air = weather(200)
    bare = run_bulk(air)["surface_heat_flux"]
    iced = run_bulk(air | {"frazil_heat": np.full(200, 0.05 * 917 * fusion)})[
        "surface_heat_flux"
    ]  # 5 cm: half
    np.testing.assert_allclose(iced, np.where(bare < 0, bare / 2, bare), rtol=1e-12)


def test_stress_turns_with_the_grid():
    angle = np.linspace(-2 * np.pi, 2 * np.pi, 33).reshape(1, -1)
    padded = np.pad(np.broadcast_to(angle, (1, 33)), 1, mode="edge")
    east, north = np.full(padded.shape, 0.3), np.full(padded.shape, -0.1)
    out = run(
        "StressToGrid", {"stress_eastward": east, "stress_northward": north, "grid_angle": padded}
    )
    x, y = out["surface_stress_x"][1, 1:-1], out["surface_stress_y"][1, 1:-1]
    np.testing.assert_allclose(x + 1j * y, (0.3 - 0.1j) * np.exp(-1j * angle[0]), atol=3e-15)


def test_stress_is_the_mean_of_four_cells():
    tau = np.arange(9.0).reshape(3, 3)
    out = run(
        "StressToGrid",
        {"stress_eastward": tau, "stress_northward": 2 * tau, "grid_angle": np.zeros((3, 3))},
    )
    assert (
        out["surface_stress_x"][1, 1] == tau[1:, 1:].mean()
        and out["surface_stress_y"][1, 1] == 2 * tau[1:, 1:].mean()
    )  # the corner is north-east


def test_current_turns_back():
    random = np.random.default_rng(2)
    u, v, angle = (
        random.normal(size=(1, 3, 3)),
        random.normal(size=(1, 3, 3)),
        random.uniform(-3, 3, (3, 3)),
    )
    out = run("SurfaceCurrent", {"velocity_x": u, "velocity_y": v, "grid_angle": angle})
    true = ((u[0] + 1j * v[0]) * np.exp(1j * angle))[:2, :2].mean()
    np.testing.assert_allclose(
        out["surface_current_eastward"][1, 1] + 1j * out["surface_current_northward"][1, 1],
        true,
        atol=1e-14,
    )


def test_fluxes_and_restoring():
    out = run(
        "SurfaceFluxes",
        {"surface_heat_flux": 100.0, "surface_freshwater_flux": 1e-4},
        parameters={"reference_salinity": 35},
    )
    assert out["temperature_surface_flux"].item() == pytest.approx(100 / (rho0 * cp))
    assert out["salinity_surface_flux"].item() == pytest.approx(
        -35 * 1e-7
    )  # 0.1 mm/s of rain dilutes
    for tracer, units in (("temperature", 1e-6), ("salinity", 2e-8)):
        flux = run(
            f"{tracer.capitalize()}Restoring",
            {tracer: 12.0, f"restoring_{tracer}": 10.0, f"{tracer}_surface_flux": units},
            parameters={"piston_velocity": 1e-5},
        )
        assert flux[f"{tracer}_surface_flux"].item() == pytest.approx(units - 2e-5)


def test_restoring_under_ice_acts_where_there_is_ice():
    for ice, share in ((0.0, 0), (0.25, 0.25), (1.0, 1), (1.2, 1)):
        out = run(
            "SalinityRestoringUnderIce",
            {
                "salinity": 33.0,
                "restoring_salinity": 34.0,
                "sea_ice_fraction": ice,
                "salinity_surface_flux": 0.0,
            },
            parameters={"piston_velocity": 2e-5},
        )
        assert out["salinity_surface_flux"].item() == pytest.approx(share * 2e-5)


def test_freezing_point_holds_and_heat_and_salt_are_kept():
    """A year of a top layer under bulk forcing that freezes it in winter: heat in the water less
    frazil heat = what came in; the salt that left the ice is in the water.
    """
    h, step, T, S, frazil = 10.0, 10800.0, 1.0, 34.0, 0.0
    height, came_in, start, thickest, saltiest = 0.3, 0.0, 1.0, 0.0, 34.0
    capacity = rho0 * cp * (h + height)
    for n in range(365 * 8):
        season = np.cos(2 * np.pi * n / (365 * 8))
        air = {
            "temperature": T,
            "air_temperature": -2 - 18 * season,
            "specific_humidity": 0.002 - 0.0012 * season,
            "wind_speed": 6.0,
            "eastward_wind": 4.0,
            "northward_wind": 0.0,
            "air_pressure": 101000.0,
            "downward_shortwave_flux": 110 - 100 * season,
            "downward_longwave_flux": 230 - 50 * season,
            "precipitation_flux": 1e-5,
            "frazil_heat": frazil,
        }
        Q = run_bulk(air)["surface_heat_flux"]
        flux = run(
            "SurfaceFluxes",
            {"surface_heat_flux": Q.reshape(1, 1), "surface_freshwater_flux": np.zeros((1, 1))},
        )["temperature_surface_flux"].item()
        T += flux * step / (h + height)
        came_in += flux * step * rho0 * cp
        out = run(
            "FreezingLimit",
            {
                "temperature": T,
                "salinity": S,
                "surface_height": height,
                "thickness": np.array([h]),
                "frazil_heat": frazil,
            },
        )
        T, S, frazil = (out[name].item() for name in ("temperature", "salinity", "frazil_heat"))
        assert (h + height) * (S - 34.0) == pytest.approx(
            (34.7 - 4) * frazil / fusion / 1000, rel=1e-9, abs=1e-9
        )
        saltiest = max(saltiest, S)
        thickest = max(thickest, frazil / (917 * fusion))
        assert T >= -0.0544 * S - 1e-12 and frazil >= 0
        assert (
            frazil == 0 or abs(T + 0.0544 * S) < 1e-9
        )  # ice and water warmer than freezing do not meet
    assert capacity * (T - start) - frazil == pytest.approx(
        came_in, abs=1e-9 * thickest * 917 * fusion + 1
    )
    assert saltiest > 35
    assert 0.3 < thickest < 3  # Stefan's law with ice on top: not the ten metres of open water


def test_thick_frazil_ice_spreads_and_is_kept():
    """Forty metres of ice in one cell and as much in all of a bay spread to below the limit; what
    there is stays.
    """
    heat = 917 * fusion
    wet = np.zeros((11, 15))
    wet[2:-2, 2:-2] = 3
    wet[5, 6] = 0
    frazil = np.where(wet > 0, 1.0 * heat, 0.0)
    frazil[3, 4] = 40 * heat
    rng = np.random.default_rng(6)
    area = 1e10 * (0.8 + 0.4 * rng.random(wet.shape))
    faces = ("length_north_face", "dy_north_face", "length_east_face", "dx_east_face")
    given = {name: 1e5 * (0.8 + 0.4 * rng.random(wet.shape)) for name in faces}
    given |= {"wet_levels": wet, "area_center": area}
    start = (frazil * area).sum()
    for _ in range(2000):
        gain = run("FrazilExport", given | {"frazil_heat": frazil})["frazil_gain"]
        frazil = frazil + np.nan_to_num(gain)
    assert (frazil * area).sum() == pytest.approx(start, rel=1e-12)
    assert frazil[wet > 0].max() < 5.2 * heat and (frazil[wet == 0] == 0).all()
    assert frazil.min() >= 0
