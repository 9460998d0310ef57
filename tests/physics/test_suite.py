"""The whole physics on single columns, in one sequence: budgets of energy and water over two days,
bounds, radiation every few hours, restart.
"""

import numpy as np
import pytest

import suite

g, cp, L, fusion, sigma = 9.80616, 3.5 * 287.0597, 2.5008e6, 3.337e5, 5.670374419e-8
nx, ny, levels, step = 16, 6, 20, 1200.0
fluxes = (
    "toa_net_shortwave",
    "outgoing_longwave",
    "surface_net_shortwave",
    "surface_emission",
    "surface_downward_longwave",
    "sensible_heat_flux",
    "evaporation_flux",
    "convective_precipitation",
    "stratiform_precipitation",
    "snowfall",
)


def columns(**options):
    s = suite.build(nx, ny, levels, step, keep=fluxes, **options)
    interface = suite.fill(s, nx, ny, levels)
    s.follow_sun(step, 4300.0, 9 * step)
    return s, np.diff(interface)[:, None, None] / g


def test_two_days_close_energy_and_water():
    s, mass = columns()

    def store():
        T, q, u, v = (
            suite.read(s, n)
            for n in ("air_temperature", "specific_humidity", "eastward_wind", "northward_wind")
        )
        return (mass * (cp * T + L * q + 0.5 * (u * u + v * v))).sum(0), (mass * q).sum(0)

    start, came_in, rained, most = store(), 0.0, 0.0, 0.0
    for _ in range(144):
        s.advance(1)
        f = {n: suite.read(s, n)[0] for n in fluxes}
        surface = (
            f["surface_net_shortwave"] + f["surface_downward_longwave"] - f["surface_emission"]
        )
        came_in += step * (
            f["toa_net_shortwave"]
            - f["outgoing_longwave"]
            - surface
            + f["sensible_heat_flux"]
            + L * f["evaporation_flux"]
            + fusion * f["snowfall"]
        )
        rain = f["convective_precipitation"] + f["stratiform_precipitation"]
        rained += step * (rain - f["evaporation_flux"])
        most = max(most, rain.max())
        assert (
            (rain >= 0).all()
            and (f["toa_net_shortwave"] >= 0).all()
            and (f["outgoing_longwave"] > 80).all()
            and (f["outgoing_longwave"] < 400).all()
        )
    energy, water = store()
    # 288 sums of numbers of 1e9 J m-2 in 64 bits
    np.testing.assert_allclose(energy - start[0], came_in, atol=1e-11 * energy.max())
    np.testing.assert_allclose(water - start[1], -rained, atol=1e-11 * water.max())
    T, q, u = (suite.read(s, n) for n in ("air_temperature", "specific_humidity", "eastward_wind"))
    assert (
        150 < T.min()
        and T.max() < 330
        and q.min() >= -1e-18
        and q.max() < 0.03
        and np.abs(u).max() < 60
    )
    assert 1e-5 < most < 0.02 and np.isfinite(suite.read(s, "ground_temperature")).all()


def test_radiation_every_nine_steps_is_state_and_restarts():
    s, _ = columns()
    assert {
        "shortwave_share",
        "longwave_flux",
        "emission_share",
        "ozone",
        "cloud_fraction",
        "emission_seen",
    } <= set(s.state)
    s.advance(13)
    first = suite.read(s, "longwave_flux")
    s.advance(4)
    np.testing.assert_array_equal(
        suite.read(s, "longwave_flux"), first
    )  # steps 13 to 16: the radiation of step 9
    again, _ = columns()
    for name in s.state:
        again.set(name, np.ascontiguousarray(suite.read(s, name), float))
    again.count = s.count
    s.advance(10), again.advance(10)
    for name in s.state:
        np.testing.assert_array_equal(suite.read(s, name), suite.read(again, name), err_msg=name)
    assert not np.array_equal(suite.read(s, "longwave_flux"), first)


def test_a_process_with_a_period_has_limits():
    process = suite.core.process("StandardOzone")
    process.every = 0
    domain = suite.core.Domain(suite.world.py2f(), 4, 2, True, False, 4, [4] * 8, 0)
    with pytest.raises(ValueError, match="every = 0 steps must be at least 1"):
        suite.core.StepProgram(domain, [process])
    process.every = 2
    with pytest.raises(ValueError, match="every 2 steps and cannot write 'ozone'"):
        suite.core.StepProgram(domain, [process], rotate=[["ozone", "air_pressure"]])
    s = suite.core.StepProgram(domain, [suite.core.process("Sunlight")])
    s.follow_sun(60.0, 0.0)  # works with few levels, too


def test_the_sun_stands_where_it_does():
    """Solstice, equinox and hour of true noon: declination and equation of time of the almanac for
    2011.
    """
    s = suite.build(360, 181, 6, 3600.0, names=("Sunlight",), keep=["cosine_zenith", "insolation"])
    latitude, longitude = np.deg2rad(np.linspace(-90, 90, 181)), np.deg2rad(np.arange(360.0))
    s.set("latitude", np.ascontiguousarray(np.broadcast_to(latitude[:, None], (181, 360))))
    s.set("longitude", np.ascontiguousarray(np.broadcast_to(longitude, (181, 360))))
    for days, declination, equation, distance in (
        (4189.0, 23.43, -1.9, 1.0163),
        (4301.0, -6.9, 13.2, 0.9981),
    ):  # noon of 2011-06-21 and 2011-10-11
        s.count = 0
        s.follow_sun(3600.0, days)
        s.advance(1)
        mu = suite.read(s, "cosine_zenith")[0]
        j, i = np.unravel_index(mu.argmax(), mu.shape)
        assert (
            abs((j - 90) - declination) <= 0.6 and abs((i + equation / 4 + 180) % 360 - 180) <= 0.6
        )  # minutes before noon, 4 a degree
        assert mu.min() == 0 and (mu > 0).mean() == pytest.approx(0.5, abs=0.02)
        flux = suite.read(s, "insolation")[0]
        assert flux.max() == pytest.approx(1361 / distance**2, rel=1e-3)


@pytest.mark.parametrize(
    "days", [4017.5, 4096.5, 4189.5, 4283.5]
)  # midnight of 2011-01-01, 03-21, 06-22, 09-24
def test_half_of_the_sphere_is_lit_and_a_pole_has_its_night(days):
    """Whatever the hour; and the polar night begins where the sun at noon is below the horizon."""
    nx, ny = 180, 90
    s = suite.build(nx, ny, 6, 3600.0, names=("Sunlight",), keep=["insolation"])
    latitude, longitude = -90 + (np.arange(ny) + 0.5) * 2, np.arange(nx) * 2.0
    s.set(
        "latitude", np.ascontiguousarray(np.broadcast_to(np.deg2rad(latitude)[:, None], (ny, nx)))
    )
    s.set("longitude", np.ascontiguousarray(np.broadcast_to(np.deg2rad(longitude), (ny, nx))))
    s.follow_sun(3600.0, days)
    area, ever = np.cos(np.deg2rad(latitude)), np.zeros(ny, bool)
    for _ in range(24):
        s.advance(1)
        lit = suite.read(s, "insolation")[0] > 0
        assert (area * lit.mean(axis=1)).sum() / area.sum() == pytest.approx(0.5, rel=0.01)
        ever |= lit.any(axis=1)
    declination = np.rad2deg(
        np.arcsin(
            np.sin(np.deg2rad(23.44))
            * np.sin(
                np.deg2rad(
                    280.46
                    + 0.9856474 * days
                    + 1.915 * np.sin(np.deg2rad(357.528 + 0.9856003 * days))
                )
            )
        )
    )
    assert (ever == (np.abs(latitude - declination) < 90)).all() or np.abs(
        np.abs(latitude[ever != (np.abs(latitude - declination) < 90)] - declination) - 90
    ).max() < 0.5
    if abs(declination) > 20:
        assert 6 < (~ever).sum() < 14  # rows of two degrees beyond 67 degrees of one pole
