"""The absorption of the first radiation (core/physics/radiation/gases.hpp) against RRTMGP, and its
fit: the 100 columns of RFMIP (Pincus, Forster & Stevens 2016), today's and pre-industrial air,
CO2 x 1/2, 2, 4 and 8, and air 4 K warmer with the same relative humidity.

    python docs/results/radiation_fit.py FOLDER                  errors of the numbers in gases.hpp
    python docs/results/radiation_fit.py FOLDER --fit 10         starts from them: so many steps of
        Gauss & Newton (Levenberg & Marquardt), and prints the numbers that it ends with
    --start 0.3         each number times exp(0.3 N(0, 1)) before, to see where the fit leads to
    --json FILE

FOLDER is that of radiation_rfmip.py. The residual of a column has the net fluxes of all interfaces
[W m-2], and ten times the heating rates of all layers [K/day] by the square root of their masses;
of the short wave all in shares of the sunlight, times 1000, and heating as if 340 W m-2 fell on
each. The mean of the columns counts nine times more: no level should drift. The model's transfer
(two_stream.hpp) is written here again for clear air, without aerosol; tests/radiation/test_fit.py
checks that both agree.
"""

import argparse
import itertools
import json
import os
import re
import sys
from pathlib import Path

import numpy as np

from fathom.atmosphere.radiation import Tables, longwave, shortwave

sys.path.insert(0, str(Path(__file__).parent))
from radiation_rfmip import columns

SIGMA, GRAVITY = 5.670374419e-8, 9.80616
SOURCE = Path(__file__).parents[2] / "core/physics/radiation/gases.hpp"
LONG = ("h0", "h1", "hc", "c0", "c1", "o0", "o1", "b", "w0", "w1", "w2")
SHORT = ("sh0", "sh1", "so", "sb", "rayleigh", "sw")
SUMS = {"w0": 1.0, "w1": 0.0, "w2": 0.0, "sw": 1.0}  # of the last number: the rest
BANDS = (10, 20, 40, 70, 100, 150, 200, 240, 280, 350, 420, 600, 850, 1100)  # hPa
WATER, OZONE = 18.016 / 28.964, 47.9982 / 28.964  # mass over that of dry air


def numbers(text=None):
    """The tables of gases.hpp: name -> values of the spectral terms."""
    text = SOURCE.read_text() if text is None else text
    found = {}
    for name in (*LONG, *SHORT):
        (listed,) = re.findall(rf"using {name} =[^{{;]*\{{([^}}]*)\}}", text)
        found[name] = np.array([float(x) for x in listed.split(",")])
        if name in SUMS:
            found[name][-1] = SUMS[name] - found[name][:-1].sum()
    return found


def cases(folder, gases):
    """(name, columns) of all air that is fitted to, today's first; the ground is black."""
    all_of = columns(folder, gases)
    part = lambda n: {
        k: {g: x[n] if np.ndim(x) else x for g, x in v.items()} if k == "gases" else v[n]
        for k, v in all_of.items()
    }
    now, before = (part(slice(100 * n, 100 * n + 100)) for n in (0, 1))
    for given in (now, before):
        given["emissivity"], given["irradiance_factor"] = np.ones(100), np.ones(100)
    with_co2 = lambda x: now | {"gases": now["gases"] | {"co2": x * now["gases"]["co2"]}}
    yield "today", now
    yield "pre-industrial", before
    for x in (0.5, 2, 4, 8):
        yield f"CO2 x {x:g}", with_co2(x)
    pressure = lambda T: np.exp(17.67 * (T - 273.15) / (T - 29.65))
    moister = pressure(now["temperature"] + 4) / pressure(now["temperature"])
    h2o = now["gases"]["h2o"] * np.where(now["pressure"] > 2e4, moister, 1)
    warmer = ("temperature", "interface_temperature", "surface_temperature")
    yield (
        "4 K warmer",
        now | {n: now[n] + 4 for n in warmer} | {"gases": now["gases"] | {"h2o": h2o}},
    )


def layers(given):
    """The input of the scheme for clear air, (columns, layers)."""
    wet = given["gases"]["h2o"] * WATER
    q = wet / (1 + wet)
    mass = np.diff(given["interface_pressure"]) / GRAVITY
    return {
        "mass": mass,
        "q": q,
        "level": given["pressure"] / 1e5,
        "ozone": given["gases"]["o3"] * OZONE * (1 - q) * mass,
        "co2": np.broadcast_to(given["gases"]["co2"], len(q)),
        "T": given["temperature"],
        "ground": given["surface_temperature"],
        "mu": given["cosine_zenith"],
        "albedo": given["albedo_diffuse"],
    }


def net_longwave(c, a):
    """(up - down of interfaces, down at the ground) of `layers` [W m-2]; c: `numbers`."""
    of = lambda x: x[..., None]
    mass, vapour, level, T = a["mass"], a["q"] * a["mass"], a["level"], a["T"]
    edge = (T[:, :-1] * mass[:, 1:] + T[:, 1:] * mass[:, :-1]) / (mass[:, 1:] + mass[:, :-1])
    edge = np.concatenate([T[:, :1], edge, T[:, -1:]], axis=1)
    x = a["co2"][:, None, None]
    tau = of(vapour) * (c["h0"] + of(level) * (c["h1"] + c["hc"] * of(a["q"])))
    tau = tau + of(mass) * (c["c0"] * x + of(level) * (c["c1"] * x + c["b"]))
    tau = tau + of(a["ozone"]) * (c["o0"] + c["o1"] * of(level))

    def emitted(T):
        t = of((T - 250) / 50)
        return (c["w0"] + t * (c["w1"] + t * c["w2"])) * of(SIGMA * T**4)

    B, B_edge, opaque = emitted(T), emitted(edge), tau / (3.6 + tau)
    passes = np.exp(-np.minimum(tau, 80))
    from_above = B + opaque * (B_edge[:, :-1] - B)
    from_below = B + opaque * (B_edge[:, 1:] - B)
    n, L, terms = tau.shape
    net, D, U = np.zeros((n, L + 1)), np.zeros((n, terms)), emitted(a["ground"])
    for k in range(L):
        D = passes[:, k] * (D - from_below[:, k]) + from_below[:, k]
        net[:, k + 1] -= D.sum(1)
    net[:, L] += U.sum(1)
    for k in reversed(range(L)):
        U = passes[:, k] * (U - from_above[:, k]) + from_above[:, k]
        net[:, k] += U.sum(1)
    return net, D.sum(1)


def net_shortwave(c, a):
    """(down - up) of interfaces in shares of the sunlight."""
    of = lambda x: x[..., None]
    mass, vapour, slant = (
        a["mass"],
        a["q"] * a["mass"],
        1 / np.maximum(a["mu"], 0.05)[:, None, None],
    )
    half = 0.5 - 0.75 / slant
    tau = of(vapour) * (c["sh0"] + c["sh1"] * of(a["level"])) + of(a["ozone"]) * c["so"]
    tau, s = tau + of(mass * a["level"]) * c["sb"], of(mass) * c["rayleigh"]
    x = s * slant
    grown = x * (1 + x * (0.5 + x / 6))
    both = 1 / ((1 + 0.75 * s) * (1 + grown))
    beam, back = (np.exp(-np.minimum(f * tau, 80)) for f in (slant, 1.66))
    R, R_back = (half * grown + 0.75 * s * (1 + grown)) * both, 0.75 * s * (1 + grown) * both
    T, T_back = beam * (1 - R), back * (1 - R_back)
    R, R_back = (0.5 * beam + 0.5) * R, (0.5 * back + 0.5) * R_back
    n, L, terms = tau.shape
    alpha = np.empty((n, L + 1, terms))
    alpha[:, L], down = a["albedo"][:, None], np.empty_like(T)
    for k in reversed(range(L)):
        down[:, k] = T[:, k] / (1 - alpha[:, k + 1] * R_back[:, k])
        alpha[:, k] = R[:, k] + down[:, k] * T_back[:, k] * alpha[:, k + 1]
    D = np.concatenate([np.ones((n, 1, terms)), np.cumprod(down, axis=1)], axis=1)
    return (c["sw"] * D * (1 - alpha)).sum(2)


def wanted(given, thermal, solar):
    """By RRTMGP: (up - down, down at the ground) and (down - up) / sunlight."""
    up, down = longwave(thermal, given, angles=1)
    lit = given["cosine_zenith"] > 0
    back, through, _ = shortwave(solar, given)
    share = np.where(lit[:, None], (through - back) / np.maximum(through[:, :1], 1e-9), 0)
    return up - down, down[:, -1], share


def heating(net, mass):
    """[K/day] of layers, from upward fluxes."""
    return np.diff(net) / mass / 1004.7 * 86400


def errors(c, air):
    """Of all cases: name -> numbers [W m-2, K/day, shares of the sunlight]."""
    found = {}
    for name, a, (net, down, share) in air:
        own, arriving = net_longwave(c, a)
        lit = a["mu"] > 0.05
        sun = net_shortwave(c, a)[lit] - share[lit]
        by_mass = np.sqrt(a["mass"] / a["mass"].mean())
        rate = by_mass * heating(own - net, a["mass"])
        rms = lambda x: float(np.sqrt(np.mean(x**2)))
        found[name] = {
            "up, top": [float((own - net)[:, 0].mean()), rms((own - net)[:, 0])],
            "down, ground": [float((arriving - down).mean()), rms(arriving - down)],
            "cooling, by mass": rms(rate),
            "absorbed by air": [
                float((sun[:, 0] - sun[:, -1]).mean()),
                rms(sun[:, 0] - sun[:, -1]),
            ],
            "to the ground": [float(sun[:, -1].mean()), rms(sun[:, -1])],
        }
    return found


def by_level(c, air):
    """Of today's air: mean error of heating [K/day] between the pressures of BANDS, long wave, and
    short wave where 340 W m-2 of sunlight fall on the mean of all columns.
    """
    _, a, (net, _, share) = air[0]
    lit = (a["mu"] > 0.05)[:, None]
    sun = np.where(lit, share - net_shortwave(c, a), 0) * 340 / lit.mean()
    rows = [heating(x, a["mass"]) for x in (net_longwave(c, a)[0] - net, sun)]
    inside = [
        (1000 * a["level"] >= low) & (1000 * a["level"] < high)
        for low, high in itertools.pairwise(BANDS)
    ]
    return [[float(np.average(x, weights=a["mass"] * here)) for x in rows] for here in inside]


def fitted(c, air, steps, names, residual):
    """The numbers after so many steps; positive ones as logarithms."""
    from scipy.optimize import least_squares

    free = [(n, g) for n in names for g in range(len(c[n]) - (n in SUMS))]

    def unpacked(x):
        made = {n: v.copy() for n, v in c.items()}
        for (n, g), value in zip(free, x):
            made[n][g] = c[n][g] * np.exp(value) if n not in SUMS else c[n][g] + 0.02 * value
        for n in names:
            if n in SUMS:
                made[n][-1] = SUMS[n] - made[n][:-1].sum()
        return made

    of = lambda x: np.concatenate([residual(unpacked(x), a, w).ravel() for _, a, w in air])
    found = least_squares(of, np.zeros(len(free)), method="trf", max_nfev=steps, diff_step=1e-4)
    print(f"cost {0.5 * (of(0 * found.x) ** 2).sum():.6g} -> {found.cost:.6g}")
    return unpacked(found.x)


def with_mean(residual):
    """Rows of columns, and nine times the squares of their mean for each of them."""
    return np.concatenate([residual, 3 * np.sqrt(len(residual)) * residual.mean(0)[None]])


def rates(difference, mass):
    """Heating by a difference of net fluxes, upward, weighted as a residual."""
    return 10 * heating(difference, mass) * np.sqrt(mass / mass.sum(1)[:, None])


def thermal_residual(c, a, w):
    difference = net_longwave(c, a)[0] - w[0]
    t = np.array([[-1.4], [-1.0], [1.2]])  # 180, 200 and 310 K: no share is negative there
    shares = c["w0"] + t * (c["w1"] + t * c["w2"])
    rows = with_mean(np.concatenate([difference, rates(difference, a["mass"])], axis=1))
    return np.append(rows.ravel(), 1e4 * np.minimum(shares, 0))


def solar_residual(c, a, w):
    lit = a["mu"] > 0.05
    difference = net_shortwave(c, a)[lit] - w[2][lit]
    heats = rates(-340 * difference, a["mass"][lit])
    return with_mean(np.concatenate([1000 * difference, heats], axis=1))


def moved(c, by):
    """Each number times exp(by N(0, 1)), except those with a given sum."""
    random = np.random.default_rng(1)
    return c | {n: c[n] * np.exp(by * random.normal(size=len(c[n]))) for n in c if n not in SUMS}


def told(found):
    for name, of_case in found.items():
        print(name)
        for what, value in of_case.items():
            print(f"    {what:24s} {np.round(value, 5)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=os.environ.get("RFMIP_DATA"))
    parser.add_argument("--fit", type=int, default=0)
    parser.add_argument("--start", type=float, default=0.0)
    parser.add_argument("--json", type=Path)
    o = parser.parse_args()
    if o.folder is None or not o.folder.is_dir():
        parser.error(f"FOLDER = {o.folder} is no folder with the inputs of RFMIP")
    thermal, solar = Tables("lw-g128", aerosols=None), Tables("sw-g112", aerosols=None)
    air = [
        (name, layers(g), wanted(g, thermal, solar)) for name, g in cases(o.folder, thermal.gases)
    ]
    c = moved(numbers(), o.start)
    if o.fit:
        c = fitted(c, air, o.fit, LONG, thermal_residual)
        c = fitted(c, air, o.fit, SHORT, solar_residual)
        for name in (*LONG, *SHORT):
            print(f"{name:9s}" + ", ".join(f"{x:.4g}" for x in c[name]))
    found = errors(c, air)
    told(found)
    print("hPa, mean error of heating today, long wave, short wave [K/day]")
    for (low, high), row in zip(itertools.pairwise(BANDS), by_level(c, air), strict=True):
        print(f"{low:5d} to {high:4d}  {row[0]:6.3f} {row[1]:6.3f}")
    if o.json:
        o.json.write_text(json.dumps({"numbers": {k: v.tolist() for k, v in c.items()}} | found))


if __name__ == "__main__":
    main()
