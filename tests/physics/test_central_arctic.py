"""Ice of the central Arctic under the fluxes that drifting stations measured (Fletcher 1965, in
Maykut & Untersteiner 1971, J. Geophys. Res. 76, 1550-1575): its thickness after it has settled, and
what decides it.
"""

import numpy as np
import pytest

from columns import run

# means of months, downward [W m-2]
measured = {
    "shortwave": (0, 0, 31, 160, 286, 310, 220, 145, 59, 6, 0, 0),
    "longwave": (168, 166, 166, 187, 244, 291, 308, 302, 266, 224, 181, 176),
    "sensible": (19.0, 12.3, 11.6, 4.7, -7.3, -6.3, -4.8, -6.5, -2.7, 1.6, 9.0, 12.7),
    "latent": (0, -0.3, -0.5, -1.5, -7.4, -11.3, -10.3, -10.7, -6.3, -3.1, -0.2, -0.2),
}
measured_albedo = (0.85, 0.84, 0.83, 0.81, 0.82, 0.78, 0.64, 0.69, 0.84, 0.85, 0.85, 0.85)
snowfall = ((120, 151, 0.05), (231, 303, 0.30), (303, 485, 0.05))  # days from, to; depth [m]
sigma, of_snow, days = 5.67e-8, 330.0, 1.0
contents = ("area", "volume", "snow", "upper_heat", "lower_heat", "ponds", "surface_temperature")


def fluxes(day, T):
    """Of the air over ice of the surface temperature T [degC], and of the sea."""
    kelvin = T + 273.15
    falls = sum(
        depth / (end - begin)
        for begin, end, depth in snowfall
        if begin <= day < end or begin <= day + 365 < end
    )
    of_air = sum(of_day(day, measured[f]) for f in ("longwave", "sensible", "latent"))
    return {
        "ice_heat_flux": of_air - sigma * kelvin**4,
        "ice_heat_flux_slope": -4 * sigma * kelvin**3,
        "ice_surface_temperature": T,
        "ice_shortwave_flux": of_day(day, measured["shortwave"]),
        "snowfall_flux": of_snow * falls / 86400,
        "ice_bottom_temperature": -1.8,
        "ice_bottom_flux": 2.0,
        "ice_crowding": 1.0,
    }


def of_day(day, months):
    """Values of months at their middles, linear between."""
    return np.interp((day / 365 * 12 - 0.5) % 12, np.arange(13), (*months, months[0]))


def seasons(years, starts=(2.8,), albedo=None, **light):
    """Ice that begins with these thicknesses [m]: (years, steps, thickness + snow + ponds [m] +
    albedo + light below the ice [W m-2], starts). albedo: of months, in place of that of the model;
    light: parameters of IceAlbedo.
    """
    h = np.array([starts], float)
    begin = (1.0 + 0 * h, h, 0.2 + 0 * h, 1.55e8 * h, 1.44e8 * h, 0 * h, -20 + 0 * h)
    state = dict(zip(contents, begin))
    steps, rows = round(365 / days), []
    for n in range(years * steps):
        day = (n % steps + 0.5) * days
        given = {f"category_{name}": value for name, value in state.items()} | {"sea_ice_area": 1.0}
        given |= fluxes(day, state["surface_temperature"])
        seen = run("FirstIceAlbedo", given, parameters=light)
        if albedo is not None:
            of_model, known = seen["category_albedo"], of_day(day, albedo)
            seen["category_passing_light"] *= (1 - known) / (1 - of_model)
            seen["category_albedo"] = known + 0 * of_model
        given |= {f: seen[f] for f in ("category_albedo", "category_passing_light")}
        step = {"step": days * 86400, "drifting_snow": 0.0}
        out = run("IceThermodynamics", given, parameters=step)
        state = {name: out[f"category_{name}"] for name in contents}
        kept = [state[f] for f in ("volume", "snow", "ponds")]
        rows.append([*kept, seen["category_albedo"], out["surface_shortwave_flux"]])
    return np.array(rows).reshape(years, steps, 5, -1)


def thickness(found):
    """Means of years [m]: (years, starts)."""
    return found[:, :, 0].mean(axis=1)


def test_thickness_that_maykut_and_untersteiner_found():
    """They have 2.88 m in the mean of the year, 2.71 to 3.14 m in its course. Here thinner ice
    grows and thicker ice melts, so that it settles between.
    """
    found = seasons(5, starts=(2.5, 3.0))
    thin, thick = thickness(found)[-2:].T
    assert 2.5 < thin[0] < thin[1] < thick[1] < thick[0] < 3.1
    h, snow, ponds, albedo, below = found[-1].mean(axis=-1).T
    month = lambda number, values: np.array_split(values, 12)[number - 1].mean()
    assert 0.25 < np.ptp(h) < 0.55
    assert 0.1 < np.sqrt(month(7, ponds) / 0.8) < 0.3  # share of ponds
    for number in (6, 7, 8):  # of what drifting stations measured
        assert month(number, albedo) == pytest.approx(measured_albedo[number - 1], abs=0.03)
    assert month(4, snow) > 0.3 and month(6, snow) > 0.1 and month(7, snow) < 0.02
    assert 0.1 < month(7, below) < 2


@pytest.mark.long
def test_what_decides_the_thickness():
    """With the measured albedo; then without light below the surface; with the albedos that bare
    ice and melting snow had before.
    """
    given = thickness(seasons(20, albedo=measured_albedo))[-1]
    assert 2.7 < given < 3.2
    surface = thickness(seasons(20, albedo=measured_albedo, passing_light=0.0))[-1]
    assert 0.25 < given - surface < 0.9
    assert thickness(seasons(7, ice_albedo=0.578, melting_snow_albedo=0.722))[-1] < 1


def table():
    """Prints the table of docs/results/sea-ice.md."""
    rows = {
        "all defaults": {},
        "the measured albedo": {"albedo": measured_albedo},
        "the measured albedo, no light below the surface": {
            "albedo": measured_albedo,
            "passing_light": 0.0,
        },
        "no light below the surface": {"passing_light": 0.0},
        "bare ice 0.578, melting snow 0.722": {"ice_albedo": 0.578, "melting_snow_albedo": 0.722},
    }
    for name, given in rows.items():
        found = thickness(seasons(10, **given))[:, 0]
        print(f"| {name} | " + " | ".join(f"{x:.2f}" for x in found[[0, 2, 5, 9]]) + " |")


if __name__ == "__main__":
    table()
