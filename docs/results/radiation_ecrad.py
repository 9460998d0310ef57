"""Fluxes against those in the repository ecmwf-ifs/ecrad (Hogan & Bozzo 2018): line by line
for 50 clear columns of CKDMIP, and ecRad's own for a meridian of 32 columns of the IFS, clear and
cloudy, with the gas optics of RRTMG.

    python docs/results/radiation_ecrad.py FOLDER [--longwave lw-g128] [--shortwave sw-g112]
        [--draws 50] [--fractional-std 1] [--json FILE]

FOLDER (or the variable ECRAD_DATA) holds, from test/ifs and test/ckdmip of that repository:

    ecrad_meridian.nc  ecrad_meridian_{cloudless,noaer}_out_REFERENCE.nc
    ckdmip_evaluation1_{concentrations,lw_fluxes,sw_fluxes}_present_reduced.nc

--longwave and --shortwave may be definitions of ecCKD, from its folder data. Clouds are the mean of
so many draws of McICA. The reference varies the water within a layer of cloud, with a standard
deviation as large as its mean: --fractional-std, 1 by default. Printed are differences [W m-2]:
mean, rms and largest of the columns, at the top upward and at the ground downward.
"""

import argparse
import itertools
import json
import os
from pathlib import Path

import netCDF4
import numpy as np

from fathom.atmosphere.radiation import Tables, longwave, shortwave

MERIDIAN = "ecrad_meridian.nc"
CKDMIP = "ckdmip_evaluation1_{}_present_reduced.nc"
DRY, WATER, OZONE, GRAVITY = 28.964, 18.016, 47.9982, 9.80665
# Bounds of the bands of albedo and of the window, in which emissivity is another [um].
ALBEDO_BOUNDS, WINDOW = (0.0, 0.25, 0.44, 0.69, 1.19, 2.38, 100.0), (8.0, 13.0)


def of_file(path):
    with netCDF4.Dataset(path) as data:
        data.set_auto_mask(False)
        return {name: np.array(v[...], float) for name, v in data.variables.items()}


def share_of_planck(temperature, low, high):
    """Of the emission of a black body between two wave lengths [um]."""
    x = 14387.77 / temperature / np.geomspace(max(low, 0.05), high, 4000)
    y = 15 / np.pi**4 * x**3 / np.expm1(x)
    return float(-np.trapezoid(y, x) if hasattr(np, "trapezoid") else -np.trapz(y, x))


def air(interface_pressure, interface_temperature):
    """Layers between interfaces, as ecRad has them."""
    p, T = interface_pressure, interface_temperature
    weighed = T * p
    return {
        "interface_pressure": p,
        "interface_temperature": T,
        "pressure": 0.5 * (p[:, 1:] + p[:, :-1]),
        "temperature": (weighed[:, 1:] + weighed[:, :-1]) / (p[:, 1:] + p[:, :-1]),
    }


def known(tables, gases):
    """Those that the tables know."""
    return {name: values for name, values in gases.items() if name in tables.gases}


def ckdmip(folder):
    """(columns for the long wave, for the short wave at five heights of the sun; fluxes wanted)."""
    data = of_file(folder / CKDMIP.format("concentrations"))
    lw, sw = (of_file(folder / CKDMIP.format(f"{kind}_fluxes")) for kind in ("lw", "sw"))
    end = "_mole_fraction_fl"
    gases = {n.removesuffix(end): v for n, v in data.items() if n.endswith(end)}
    columns = air(data["pressure_hl"], data["temperature_hl"]) | {"gases": gases}
    columns["surface_temperature"] = data["temperature_hl"][:, -1]
    sun, count = sw["mu0"], len(data["pressure_hl"])

    def each_sun(values):
        return {
            name: each_sun(v) if isinstance(v, dict) else np.repeat(v, len(sun), axis=0)
            for name, v in values.items()
        }

    lit = each_sun(columns) | {
        "cosine_zenith": np.tile(sun, count),
        "albedo_direct": 0.15,
        "albedo_diffuse": 0.15,
    }
    wanted = [lw["flux_up_lw"], lw["flux_dn_lw"]]
    wanted += [sw[f"flux_{n}_sw"].reshape(-1, sw[f"flux_{n}_sw"].shape[-1]) for n in ("up", "dn")]
    return columns, lit, wanted


def meridian(folder):
    """(columns, clouds of them, decorrelation of each [m])."""
    data = of_file(folder / MERIDIAN)
    wet = data["q"] / (1 - data["q"])
    gases = {n.removesuffix("_vmr"): v for n, v in data.items() if n.endswith("_vmr")}
    gases["cfc22"] = gases.pop("hcfc22")
    gases |= {
        "h2o": wet * DRY / WATER,
        "o3": data["o3_mmr"] * (1 + wet) * DRY / OZONE,
        "n2": 0.7808,
    }
    columns = air(data["pressure_hl"], data["temperature_hl"]) | {"gases": gases}
    bounds = itertools.pairwise(ALBEDO_BOUNDS)
    of_sun = np.array([share_of_planck(5772.0, *b) for b in bounds])
    window = share_of_planck(288.0, *WINDOW)
    columns |= {
        "surface_temperature": data["skin_temperature"],
        "emissivity": data["lw_emissivity"] @ [1 - window, window],
        "cosine_zenith": data["cos_solar_zenith_angle"],
        "albedo_diffuse": data["sw_albedo"] @ of_sun / of_sun.sum(),
        "albedo_direct": data["sw_albedo_direct"] @ of_sun / of_sun.sum(),
    }
    mass = np.diff(data["pressure_hl"]) / GRAVITY * 1e3  # g m-2
    cover = data["cloud_fraction"]
    there = cover > 1e-6
    inside = np.where(there, mass / np.maximum(cover, 1e-6), 0)
    clouds = {
        "cloud_fraction": np.where(there, cover, 0),
        "liquid_path": data["q_liquid"] * inside,
        "ice_path": data["q_ice"] * inside,
        "droplet_radius": np.clip(data["re_liquid"] * 1e6, 2.5, 21.5),
        "ice_diameter": np.clip(2e6 * data["re_ice"], 10, 180),
    }
    return columns, clouds, decorrelations(data, columns)


def decorrelations(data, columns):
    """Where the overlap alpha = exp(-dz / z_0) of neighbouring layers gives z_0: its median."""
    p, T = columns["pressure"], columns["temperature"]
    dz = 287.04 / GRAVITY * 0.5 * (T[:, 1:] + T[:, :-1]) * np.log(p[:, 1:] / p[:, :-1])
    alpha = data["overlap_param"]
    useful = (alpha > 0.05) & (alpha < 0.999) & (p[:, 1:] > 1e4)
    return [float(np.median(-d[u] / np.log(a[u]))) for d, a, u in zip(dz, alpha, useful)]


def one(columns, n):
    """Column n alone."""
    return {
        name: one(v, n) if isinstance(v, dict) else v[n : n + 1] if np.ndim(v) else v
        for name, v in columns.items()
    }


def cloudy(compute, tables, columns, lengths, draws, **options):
    """The mean of the draws: (up, down)."""
    found = []
    for n, length in enumerate(lengths):
        column = one(columns, n)
        of_column = [
            compute(
                tables,
                column,
                key=key,
                decorrelation=length,
                **options,
            )[:2]
            for key in range(draws)
        ]
        found.append(np.mean(of_column, axis=0)[:, 0])
    return np.moveaxis(found, 1, 0)


def compared(label, found, wanted, figures):
    """Print and keep the differences of (up, down) at the top and at the ground."""
    for what, f, w, at in zip(("up, top", "down, ground"), found, wanted, (0, -1)):
        d = f[:, at] - w[:, at]
        rms = float(np.sqrt((d**2).mean()))
        largest = float(np.abs(f - w).max())
        print(
            f"{label:34s} {what:13s} {w[:, at].mean():8.2f}  {d.mean():7.3f} {rms:7.3f}"
            f" {np.abs(d).max():7.3f}; any height {largest:.2f}"
        )
        figures[f"{label}, {what}"] = {"mean": float(d.mean()), "rms": rms, "largest": largest}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("ECRAD_DATA"))
    parser.add_argument("--longwave", default="lw-g128")
    parser.add_argument("--shortwave", default="sw-g112")
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--fractional-std", type=float, default=1.0, help="of cloud water")
    parser.add_argument("--json", type=Path)
    o = parser.parse_args()
    if o.folder is None or not (Path(o.folder) / MERIDIAN).is_file():
        parser.error(f"FOLDER = {o.folder} does not hold {MERIDIAN}")
    folder, figures = Path(o.folder), {"longwave": o.longwave, "shortwave": o.shortwave}
    thermal, solar = Tables(o.longwave, aerosols=None), Tables(o.shortwave, aerosols=None)
    print(f"{'':48s} wanted     mean     rms  largest")
    columns, lit, wanted = ckdmip(folder)
    solar_1361 = Tables(o.shortwave, clouds=None, aerosols=None, total_irradiance=1361.0)
    for angles in (1, 4):
        given = columns | {"gases": known(thermal, columns["gases"])}
        found = longwave(thermal, given, angles=angles)
        compared(f"line by line, long, {angles} angles", found, wanted[:2], figures)
    found = shortwave(solar_1361, lit | {"gases": known(solar, lit["gases"])})
    compared("line by line, short", found, wanted[2:], figures)

    columns, clouds, lengths = meridian(folder)
    total = of_file(folder / MERIDIAN)["solar_irradiance"]
    solar = Tables(o.shortwave, aerosols=None, total_irradiance=float(total))
    for sky, reference in (("clear", "cloudless"), ("cloudy", "noaer")):
        wanted = of_file(folder / f"ecrad_meridian_{reference}_out_REFERENCE.nc")
        of_sky = {} if sky == "clear" else clouds
        work = [("long, 1 angle", longwave, thermal, {"angles": 1})]
        work += [("long, two streams", longwave, thermal, {"angles": 0})]
        work += [("short", shortwave, solar, {})]
        for label, compute, tables, options in work:
            given = columns | of_sky | {"gases": known(tables, columns["gases"])}
            draws = 1 if sky == "clear" else o.draws
            options |= {"fractional_std": o.fractional_std}
            found = cloudy(compute, tables, given, lengths, draws, **options)
            kind = "sw" if compute is shortwave else "lw"
            flux = [wanted[f"flux_{way}_{kind}"] for way in ("up", "dn")]
            compared(f"meridian, {sky}, {label}", found, flux, figures)
    if o.json:
        o.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
