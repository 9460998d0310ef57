"""Moist columns: saturation against tables, water and moist enthalpy closed to round-off, states
bounded, convection after Frierson (2007).
"""

import numpy as np
import pytest

from columns import run

g, cp, L, L_f, R = 9.80616, 3.5 * 287.0597, 2.5008e6, 3.337e5, 287.0597
levels, columns, step = 20, 96, 1800.0
surface = 1e5
interface = np.linspace(0, 1, levels + 1) ** 1.3 * surface + 100
p = 0.5 * (interface[1:] + interface[:-1])
mass = np.diff(interface) / g


def e_s(T):
    return 610.78 * np.exp(
        np.where(
            T > 273.16,
            17.2693882 * (T - 273.16) / (T - 35.86),
            21.8745584 * (T - 273.16) / (T - 7.66),
        )
    )


def q_s(T, p):
    return 287.0597 / 461.525 * e_s(T) / (p - (1 - 287.0597 / 461.525) * e_s(T))


def spread(profile):
    return np.ascontiguousarray(
        np.broadcast_to(np.asarray(profile, float)[:, None, None], (len(profile), 1, columns))
    )


def weather(seed=0, humid=(0.2, 1.3)):
    """Columns of a moist troposphere, some of them unstable, some supersaturated."""
    random = np.random.default_rng(seed)
    T_surface, exponent = random.uniform(250, 305, columns), random.uniform(0.15, 0.23, columns)
    T = np.maximum(T_surface * (p[:, None] / surface) ** exponent, 195) + random.normal(
        0, 0.5, (levels, columns)
    )
    q = np.minimum(random.uniform(*humid, (levels, columns)) * q_s(T, p[:, None]), 0.03)
    phi = np.empty_like(T)
    below = 0.0
    for k in range(levels - 1, -1, -1):
        thick = R * T[k] * (1 + 0.608 * q[k]) * np.log(interface[k + 1] / interface[k])
        phi[k], below = below + 0.5 * thick, below + thick
    return {
        "air_temperature": T[:, None, :],
        "specific_humidity": q[:, None, :],
        "geopotential": phi[:, None, :],
        "air_pressure": spread(p),
        "pressure_interface": spread(interface),
    }


def apply(name, given, **parameters):
    wanted = (
        "air_temperature",
        "specific_humidity",
        "geopotential",
        "air_pressure",
        "pressure_interface",
    )
    given = {k: v for k, v in given.items() if k in wanted or k.endswith("_tendency")}
    from columns import catalogue

    fields = {f["name"] for f in catalogue[name]["fields"]}
    out = run(
        name, {k: v for k, v in given.items() if k in fields}, levels, {"step": step, **parameters}
    )
    return {k: v[..., 0, :] if v.ndim > 1 else v for k, v in out.items()}


def test_saturation_against_tables():
    """Vapour pressure over water and ice (Goff-Gratch values of the Smithsonian tables) within 1.2
    per cent, through a layer just supersaturated.
    """
    for T, table in (
        (303.15, 4243.0),
        (293.15, 2337.3),
        (283.15, 1227.2),
        (273.16, 611.3),
        (263.15, 259.7),
        (253.15, 103.2),
        (243.15, 37.98),
    ):
        assert e_s(T) == pytest.approx(table, rel=1.2e-2)
    T = spread(np.linspace(200, 305, levels))
    given = {
        "air_temperature": T,
        "specific_humidity": q_s(T, spread(p)) * 1.0001,
        "air_pressure": spread(p),
        "pressure_interface": spread(interface),
    }
    out = apply("LargeScaleCondensation", given)
    left = (
        given["specific_humidity"][:, 0]
        + step * out["specific_humidity_tendency"]
        - q_s(T[:, 0] + step * out["air_temperature_tendency"], p[:, None])
    )
    assert np.abs(left / q_s(T[:, 0], p[:, None])).max() < 1e-7


@pytest.mark.parametrize(
    "name, rain",
    [
        ("LargeScaleCondensation", "stratiform_precipitation"),
        ("BettsMiller", "convective_precipitation"),
    ],
)
def test_budgets_close(name, rain):
    for seed in range(5):
        given = weather(seed)
        out = apply(name, given)
        dT, dq, P = out["air_temperature_tendency"], out["specific_humidity_tendency"], out[rain]
        m = mass[:, None]
        scale = (np.abs(dq) * m).sum(0) + 1e-12
        assert np.abs((dq * m).sum(0) + P).max() < 1e-13 * scale.max()
        assert np.abs(((cp * dT + L * dq) * m).sum(0)).max() < 3e-13 * (L * scale).max()
        assert (P >= 0).all() and (P > 1e-5).any()


def test_condensation_dries_to_saturation_and_rain_evaporates():
    given = weather(3)
    out, still = (
        apply("LargeScaleCondensation", given),
        apply("LargeScaleCondensation", given, evaporation=0),
    )
    T, q = (
        given[n][:, 0] + step * out[f"{n}_tendency"]
        for n in ("air_temperature", "specific_humidity")
    )
    assert (q <= q_s(T, p[:, None]) * 1.02).all() and (
        q >= 0
    ).all()  # one Newton step from 30 % of supersaturation
    assert (out["stratiform_precipitation"] <= still["stratiform_precipitation"]).all() and (
        out["stratiform_precipitation"] < 0.95 * still["stratiform_precipitation"]
    ).any()
    dry = weather(3, (0.1, 0.9))
    assert all((x == 0).all() for x in apply("LargeScaleCondensation", dry).values())


def tropical(humidity=0.92, warm=302.0):
    given = weather(0)
    T = np.maximum(warm * (p / surface) ** 0.15, 195)
    q = humidity * q_s(T, p)
    given["air_temperature"], given["specific_humidity"] = spread(T), spread(q)
    phi, below = np.empty(levels), 0.0
    for k in range(levels - 1, -1, -1):
        thick = R * T[k] * np.log(interface[k + 1] / interface[k])
        phi[k], below = below + 0.5 * thick, below + thick
    given["geopotential"] = spread(phi)
    return given


def test_parcel_is_that_of_a_root_finder():
    """Iterated for days, the column is left with the parcel's own temperature, up to Delta, and
    with RH of its humidity: both by SciPy, and then warmed by what freezes.
    """
    from scipy.optimize import brentq

    given = tropical()
    out = apply("BettsMiller", given)
    T, q, phi = (
        given[n][:, 0, 0] for n in ("air_temperature", "specific_humidity", "geopotential")
    )
    h, parcel, moist = cp * T[-1] + phi[-1] + L * q[-1], np.empty(levels), np.empty(levels)
    for k in range(levels):
        dry = T[-1] + (phi[-1] - phi[k]) / cp
        parcel[k] = (
            dry
            if q_s(dry, p[k]) >= q[-1]
            else brentq(lambda x: cp * x + phi[k] + L * q_s(x, p[k]) - h, 150, 320)
        )
        moist[k] = min(q[-1], q_s(parcel[k], p[k]))
    ice = 1 - np.clip((parcel - 250.16) / 23, 0, 1) ** 2
    lost = -np.diff(moist[::-1], prepend=q[-1])
    frozen = np.cumsum(ice[::-1] * np.maximum(lost, 0))[::-1]
    slope = (q_s(parcel + 0.01, p) - q_s(parcel - 0.01, p)) / 0.02 * (moist < q[-1])
    warming = L_f * frozen / (cp + L * slope)
    assert 0.4 < warming[abs(p - 3e4).argmin()] < 1.6
    parcel, moist = parcel + warming, moist + slope * warming
    dq, dT = out["specific_humidity_tendency"][:, 0], out["air_temperature_tendency"][:, 0]
    inside = dq != 0
    assert (
        inside[-1] and inside.sum() > 8 and (np.diff(inside.astype(int)) >= 0).all()
    )  # from the lowest layer to the top of the cloud
    np.testing.assert_allclose(dq[inside], (0.7 * moist - q)[inside] / 7200, rtol=2e-3, atol=1e-12)
    cloud = inside & (moist < q[-1])
    shift = (parcel - T - 7200 * dT)[cloud]
    assert cloud.sum() > 8 and np.ptp(shift) < 0.02  # Delta is one number
    assert (dT[inside & ~cloud] == 0).all()


def test_deep_rains_shallow_does_not_stable_rests():
    assert (apply("BettsMiller", tropical())["convective_precipitation"] * 86400 > 5).all()
    given = tropical(0.5)
    given["specific_humidity"][-4:] = 0.9 * q_s(
        given["air_temperature"][-4:], p[-4:, None, None]
    )  # moist boundary layer under dry air
    out = apply("BettsMiller", given)
    dq = out["specific_humidity_tendency"][:, 0]
    assert (out["convective_precipitation"] == 0).all() and (dq[-2:] < 0).all() and (dq > 0).any()
    assert np.abs((dq * mass).sum()) < 1e-13 * np.abs(dq * mass).sum()
    inversion = tropical()
    inversion["air_temperature"][:-1] += 30
    assert all((x == 0).all() for x in apply("BettsMiller", inversion).values())


def test_convection_stays_between_state_and_reference():
    for seed in range(5):
        given = weather(seed, (0.05, 1.0))
        out = apply("BettsMiller", given, step=7200.0)
        assert (
            given["specific_humidity"][:, 0] + 7200 * out["specific_humidity_tendency"] >= 0
        ).all()
        assert np.abs(7200 * out["air_temperature_tendency"]).max() < 40


def test_positive_humidity_borrows_from_below():
    random = np.random.default_rng(1)
    q = random.normal(2e-3, 2e-3, (levels, 1, columns))
    q[-1] = 0.02
    rate = random.normal(0, 1e-7, q.shape)
    out = apply(
        "PositiveHumidity",
        {
            "specific_humidity": q,
            "pressure_interface": spread(interface),
            "specific_humidity_tendency": rate,
        },
    )
    after, before = q[:, 0] + step * out["specific_humidity_tendency"], q[:, 0] + step * rate[:, 0]
    assert after.min() > -1e-17 and (before < 0).sum() > 50
    np.testing.assert_allclose(
        (after * mass[:, None]).sum(0), (before * mass[:, None]).sum(0), rtol=1e-13
    )
    fine = np.abs(before) == before
    assert (after <= np.maximum(before, 0) + 1e-17).all() and (
        after[0][fine[0]] == before[0][fine[0]]
    ).all()
