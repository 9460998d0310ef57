"""Cases in DEPHY format from their published definitions.

python tests/shared/driver_files.py FOLDER      writes them
"""

import sys
from pathlib import Path

import numpy as np
import xarray as xr


def dataset(profiles, forcing, hours, heights, attributes, latitude, ground_pressure):
    """profiles: first state by name; forcing: by name, numbers, (lev) or (time) or (time, lev)."""
    times = np.array(hours, float) * 3600
    file = xr.Dataset(attrs={"format_version": "DEPHY SCM format version 1", **attributes})
    units = {"units": "seconds since 2000-01-01 00:00:00"}
    file["t0"] = ("t0", [0.0], units)
    file["time"] = ("time", times, units)
    file["lat"], file["lon"] = ("t0", [latitude]), ("t0", [0.0])
    file["ps"] = ("t0", [ground_pressure])
    for name, values in {"zh": heights, **profiles}.items():
        file[name] = (("t0", "lev"), np.broadcast_to(values, (1, len(heights))))
    for name, values in forcing.items():
        values = np.asarray(values, float)
        if values.ndim == 1 and values.size == len(heights):
            values = np.broadcast_to(values, (times.size, values.size))
        elif values.ndim == 0:
            values = np.broadcast_to(values, times.shape)
        file[name] = (("time", "lev")[: values.ndim], values)
    return file


def gabls1():
    """Beare et al. 2006, Boundary-Layer Meteorol. 118, 247-272."""
    z = np.array([0.0, 100, 250, 400, 1000])
    profiles = {
        "theta": 265 + 0.01 * np.maximum(z - 100, 0),
        "qv": 0.0,
        "ua": 8.0,
        "va": 0.0,
        "tke": 0.4 * (1 - np.minimum(z / 250, 1)) ** 3,
    }
    forcing = {
        "ug": 8.0 + 0 * z,
        "vg": 0 * z,
        "ts_forc": (265 - 0.25 * np.arange(10)) * 1.0132 ** (2 / 7),  # theta is given
        "z0": 0.1,
    }
    attributes = {
        "case": "GABLS1",
        "surface_type": "land",
        "forc_geo": 1,
        "radiation": "off",
        "surface_forcing_temp": "ts",
        "surface_forcing_moisture": "none",
        "surface_forcing_wind": "z0",
    }
    return dataset(profiles, forcing, range(10), z, attributes, 73.0, 101320.0)


def bomex():
    """Siebesma et al. 2003, J. Atmos. Sci. 60, 1201-1219, appendix B."""
    z = np.array([0.0, 300, 500, 520, 700, 1480, 1500, 2000, 2100, 2500, 3000])
    rotated = np.interp(z, [0, 3000], [-10.0, -10 + 1.8e-3 * 3000])
    profiles = {
        "thetal": np.interp(z, [0, 520, 1480, 2000, 3000], [298.7, 298.7, 302.4, 308.2, 311.85]),
        "qt": 1e-3 * np.interp(z, [0, 520, 1480, 2000, 3000], [17.0, 16.3, 10.7, 4.2, 3.0]),
        "ua": np.interp(z, [0, 700, 3000], [-8.75, -8.75, -4.61]),
        "va": 0.0,
    }
    forcing = {
        "ug": rotated,
        "vg": 0 * z,
        "wa": np.interp(z, [0, 1500, 2100], [0, -6.5e-3, 0]),
        "tntheta_rad": np.interp(z, [0, 1500, 3000], [-2.0, -2.0, 0]) / 86400,
        "tnqt_adv": np.interp(z, [0, 300, 500], [-1.2e-8, -1.2e-8, 0]),
        "wpthetap_s": 8e-3,
        "wpqtp_s": 5.2e-5,
        "ustar": 0.28,
    }
    attributes = {
        "case": "BOMEX",
        "surface_type": "ocean",
        "forc_geo": 1,
        "forc_wa": 1,
        "adv_qt": 1,
        "radiation": "tend",
        "surface_forcing_temp": "surface_flux",
        "surface_forcing_moisture": "surface_flux",
        "surface_forcing_wind": "ustar",
    }
    return dataset(profiles, forcing, [0, 6], z, attributes, 14.94, 101500.0)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for case in (gabls1(), bomex()):
        case.to_netcdf(folder / f"{case.attrs['case']}_SCM_driver.nc")
