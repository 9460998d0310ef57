"""Observations from NetCDF: Argo profiles (TEMP, PSAL against PRES) and along-track altimetry as
the Copernicus Marine Service gives it (sla_unfiltered or sla_filtered, mdt).

    sea surface height above the geoid = sea level anomaly + mean dynamic topography (mdt, or that
        of another file: topography.py)

Argo: adjusted values where the profile is adjusted (data mode A or D), flags 1 and 2 alone. The
depth is that of its pressure (Saunders & Fofonoff 1976, as in EOS-80).
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations.base import Observations, together
from fathom.assimilation.observations.reports import with_errors, wrapped
from fathom.base.failure import InputError
from fathom.base.reading import told

of_argo = {"TEMP": "sea_water_temperature", "PSAL": "sea_water_salinity"}
good = ("1", "2")  # flags of Argo: good, probably good


def read(path: Path, account: Any, anomalies: bool = False) -> Observations:
    """Returns the observations of a file; anomalies: of sea level, without its mdt. ValueError:
    neither Argo nor along-track; OSError: damaged.
    """
    import netCDF4

    with told(path), netCDF4.Dataset(path) as file:
        if "PRES" in file.variables and "JULD" in file.variables:
            return _argo(file, account)
        if {"time", "longitude", "latitude"} <= set(file.variables) and (
            name := next((n for n in ("sla_unfiltered", "sla_filtered") if n in file.variables), "")
        ):
            return _track(file, name, account, anomalies)
    raise InputError(
        f"{path} is neither a file of Argo profiles (PRES, TEMP, PSAL, JULD) nor of along-track"
        " altimetry (time, longitude, latitude, sla_unfiltered or sla_filtered)"
    )


def depth_of(pressure: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    """Returns depth [m] of a pressure of sea water [dbar]."""
    x = np.sin(np.deg2rad(latitude)) ** 2
    gravity = 9.780318 * (1 + (5.2788e-3 + 2.36e-5 * x) * x) + 1.092e-6 * pressure
    column = ((-1.82e-15 * pressure + 2.279e-10) * pressure - 2.2512e-5) * pressure + 9.72659
    result: np.ndarray = column * pressure / gravity
    return result


def pressure_at(depth: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    """Returns pressure [dbar] at a depth [m], to a millimetre: the inverse of `depth_at`."""
    pressure = np.asarray(depth, float)
    for _ in range(4):
        pressure = pressure + (depth - depth_of(pressure, latitude))
    return pressure


def _numbers(file: Any, name: str) -> np.ndarray:
    return np.ma.filled(np.ma.asarray(file[name][:], float), np.nan)


def _texts(file: Any, name: str) -> np.ndarray:
    """Returns strings of characters along the last dimension."""
    raw = np.ma.filled(file[name][:], b" ").astype("S1")
    return np.array(["".join(c.decode("ascii", "replace") for c in row).strip() for row in raw])


def _seconds(file: Any, name: str) -> np.ndarray:
    import cftime

    values = _numbers(file, name)
    units = file[name].units
    calendar = getattr(file[name], "calendar", "standard")
    start = cftime.num2date([0, 1], units, calendar)
    epoch = cftime.datetime(1970, 1, 1, calendar=calendar)
    zero, one = ((t - epoch).total_seconds() for t in start)
    result: np.ndarray = np.nan_to_num(np.rint(zero + (one - zero) * values)).astype("i8")
    return result


def _argo(file: Any, account: Any) -> Observations:
    pressure = _numbers(file, "PRES")
    profiles, levels = pressure.shape
    account.parts = profiles
    mode = np.ma.filled(file["DATA_MODE"][:], b"R").astype("U1")
    adjusted = np.isin(mode, ("A", "D"))
    station = _texts(file, "PLATFORM_NUMBER")
    time = _seconds(file, "JULD")
    longitude, latitude = _numbers(file, "LONGITUDE"), _numbers(file, "LATITUDE")
    cycle = _numbers(file, "CYCLE_NUMBER") if "CYCLE_NUMBER" in file.variables else time
    key = [
        hashlib.blake2b(f"{s} {t} {c}".encode(), digest_size=8).digest()
        for s, t, c in zip(station, time, cycle)
    ]
    report = np.array([int.from_bytes(k, signed=True) for k in key], "i8")
    parts = []
    pressure, fine = _best(file, "PRES", adjusted)
    for place, (name, variable) in enumerate(of_argo.items()):
        if name not in file.variables:
            continue
        value, ok = _best(file, name, adjusted)
        there = np.isfinite(value) & np.isfinite(pressure)
        profile, level = np.nonzero(there & ok & fine)
        if lost := int(there.sum()) - len(level):
            account.problems[f"{name} with a flag that is not good"] += lost
        parts.append(
            Observations(
                report=report[profile],
                datum=place * levels + level,
                kind=np.full(len(profile), "argo"),
                station=station[profile],
                time=time[profile],
                longitude=wrapped(longitude[profile]),
                latitude=latitude[profile],
                depth=depth_of(pressure[profile, level], latitude[profile]),
                variable=np.full(len(profile), variable),
                value=value[profile, level],
            )
        )
    return with_errors(together(parts))


def _best(file: Any, name: str, adjusted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns values, adjusted where a profile is, and where their flags are good."""

    def flags(of: str) -> np.ndarray:
        if of not in file.variables:
            return np.ones(value.shape, bool)
        return np.isin(np.ma.filled(file[of][:], b" ").astype("U1"), good)

    value = _numbers(file, name)
    ok = flags(f"{name}_QC")
    if f"{name}_ADJUSTED" in file.variables:
        other, fine = _numbers(file, f"{name}_ADJUSTED"), flags(f"{name}_ADJUSTED_QC")
        take = adjusted[:, None] & np.isfinite(other)
        value, ok = np.where(take, other, value), np.where(take, fine, ok)
    return value, ok


def _track(file: Any, name: str, account: Any, anomalies: bool) -> Observations:
    value = _numbers(file, name)
    account.parts = len(value)
    if "mdt" in file.variables and not anomalies:
        value = value + _numbers(file, "mdt")
    mission = str(getattr(file, "platform", "altimeter"))[:16]
    time = _seconds(file, "time")
    keep = np.isfinite(value)
    key = hashlib.blake2b(f"{mission} {name}".encode(), digest_size=8).digest()
    return with_errors(
        Observations(
            report=(np.int64(int.from_bytes(key, signed=True)) ^ (time * 1000003))[keep],
            datum=np.arange(len(value))[keep] % (1 << 31),
            kind=np.full(keep.sum(), "altimeter"),
            station=np.full(keep.sum(), mission),
            time=time[keep],
            longitude=wrapped(_numbers(file, "longitude"))[keep],
            latitude=_numbers(file, "latitude")[keep],
            variable=np.full(keep.sum(), "sea_surface_height_above_geoid"),
            value=value[keep],
        )
    )
