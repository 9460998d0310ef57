"""A small definition of ecCKD, with coefficients of nobody."""

import netCDF4
import numpy as np

SIZES = {"temperature": 4, "pressure": 7, "h2o_mole_fraction": 3, "wavenumber": 6}
PER_GAS = ("temperature", "pressure", "g_point")


def definition(path, kind, points=5):
    """A file for so many g points, of sw or lw; its variables."""
    random = np.random.default_rng(4)
    pressure = np.geomspace(10, 1e5, SIZES["pressure"])
    cold = 190 + 15 * np.log10(pressure / 10)
    variables = {
        "pressure": (("pressure",), pressure),
        "temperature": (("temperature", "pressure"), cold + 25 * np.arange(4)[:, None]),
        "wavenumber1": (("wavenumber",), 4000.0 + 3000 * np.arange(6)),
        "wavenumber2": (("wavenumber",), 7000.0 + 3000 * np.arange(6)),
        "gpoint_fraction": (("g_point", "wavenumber"), random.uniform(0, 1, (points, 6))),
        "h2o_mole_fraction": (("h2o_mole_fraction",), [1e-7, 1e-4, 1e-1]),
        "h2o_conc_dependence_code": ((), 2),
        "ch4_reference_mole_fraction": ((), 1.9e-6),
    }
    absorb = {"composite": (0, 1e-6), "o3": (1, 0.3), "co2": (1, 3e-3), "ch4": (3, 0.1)}
    for gas, (code, k) in absorb.items():
        variables[f"{gas}_conc_dependence_code"] = ((), code)
        table = k * random.lognormal(0, 1, (4, 7, points))
        variables[f"{gas}_molar_absorption_coeff"] = (PER_GAS, table)
    table = 2e-4 * random.lognormal(0, 1, (3, 4, 7, points))
    variables["h2o_molar_absorption_coeff"] = (("h2o_mole_fraction", *PER_GAS), table)
    if kind == "sw":
        variables["solar_irradiance"] = (("g_point",), np.geomspace(400, 60, points))
        variables["rayleigh_molar_scattering_coeff"] = (
            ("g_point",),
            random.uniform(0, 1e-6, points),
        )
    else:
        temperature = np.arange(120.0, 351)
        share = random.dirichlet(np.ones(points))
        variables["temperature_planck"] = (("temperature_planck",), temperature)
        planck = 5.67e-8 * temperature[:, None] ** 4 * share
        variables["planck_function"] = (("temperature_planck", "g_point"), planck)
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (SIZES | {"g_point": points, "temperature_planck": 231}).items():
            file.createDimension(name, size)
        for name, (dimensions, values) in variables.items():
            variable = file.createVariable(name, "i4" if "code" in name else "f4", dimensions)
            variable[...] = values
    return {name: np.asarray(values, np.float32) for name, (_, values) in variables.items()}
