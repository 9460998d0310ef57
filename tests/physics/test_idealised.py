"""Held & Suarez (1994): the curves of the paper, and rest at its equilibrium."""

import numpy as np

from columns import middle, run

levels, day = 20, 86400.0
interface = np.linspace(0, 1e5, levels + 1)
p = 0.5 * (interface[1:] + interface[:-1])


def equilibrium(p, latitude):
    return np.maximum(
        200,
        (315 - 60 * np.sin(latitude) ** 2 - 10 * np.log(p / 1e5) * np.cos(latitude) ** 2)
        * (p / 1e5) ** (2 / 7),
    )


def forced(T, u=0.0, v=0.0, latitude=0.0, **parameters):
    given = {
        "air_temperature": T,
        "eastward_wind": u,
        "northward_wind": v,
        "air_pressure": p,
        "pressure_interface": interface,
        "latitude": latitude,
    }
    return {k: middle(x) for k, x in run("HeldSuarez", given, levels, parameters).items()}


def test_rest_at_equilibrium():
    for latitude in np.deg2rad([-90, -40, 0, 20, 75]):
        out = forced(equilibrium(p, latitude), latitude=latitude)
        assert (
            np.abs(out["air_temperature_tendency"]).max() < 1e-12 * 300 / day
            and (out["eastward_wind_tendency"] == 0).all()
        )


def test_time_scales():
    """1 day for the wind at the surface, 4 days for the temperature there at the equator, 40
    elsewhere; no friction above sigma = 0.7.
    """
    low = np.maximum(0, (p / 1e5 - 0.7) / 0.3)
    for latitude in np.deg2rad([0, 30, -60, 90]):
        out = forced(equilibrium(p, latitude) + 1, 10.0, -5.0, latitude)
        np.testing.assert_allclose(
            out["eastward_wind_tendency"], -10 * low / day, rtol=1e-12, atol=1e-20
        )
        np.testing.assert_allclose(
            out["northward_wind_tendency"], 5 * low / day, rtol=1e-12, atol=1e-20
        )
        np.testing.assert_allclose(
            out["air_temperature_tendency"],
            -(1 / 40 + (1 / 4 - 1 / 40) * low * np.cos(latitude) ** 4) / day,
            rtol=1e-9,
        )
    assert (forced(250.0, 1.0)["eastward_wind_tendency"][p < 0.7e5] == 0).all()


def test_simple_physics_gives_the_column_what_the_surface_takes():
    """Of Reed & Jablonowski (2012): without wind nothing is exchanged; with it the drag, and the
    vapour of a warm sea, go into the column.
    """
    given = {
        "eastward_wind": 10.0,
        "northward_wind": 0.0,
        "air_temperature": 295 * (p / 1e5) ** (2 / 7),
        "specific_humidity": 0.012,
        "air_pressure": p,
        "pressure_interface": interface,
        "sea_surface_temperature": 302.0,
    }
    names = [f"{n}_tendency" for n in ("eastward_wind", "air_temperature", "specific_humidity")]
    calm = run("ReedJablonowski", given | {"eastward_wind": 0.0}, levels, {"step": 600.0})
    found = run("ReedJablonowski", given, levels, {"step": 600.0})
    sums = [middle(found[n]) @ np.diff(interface) / 9.80616 for n in names]
    assert all(np.abs(middle(calm[n])).max() < 1e-12 for n in names)
    height = 287.05 / 9.80616 * 295 * 1.007 * np.log(1e5 / p[-1])
    flow = 10 / height * (interface[-1] - interface[-2]) / 9.80616
    np.testing.assert_allclose(sums[0], -flow * (0.7e-3 + 6.5e-5 * 10) * 10, rtol=0.06)
    np.testing.assert_allclose(sums[2], flow * 1.1e-3 * (0.0246 - 0.012), rtol=0.06)
    assert sums[1] > 0
