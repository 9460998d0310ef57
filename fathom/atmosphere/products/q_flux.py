"""The q-flux of a slab ocean from a run over a given sea: the heat that the sea must bring to a
place so that the slab keeps the temperature and the ice of that sea (core/physics/land/sea.hpp),

    Q = dh/dt - N,   h = rho c d (T - T_f) - L_f rho_i a z_0

N the heat into the sea and its ice, of means of the months; a month is that of all years, and
dh/dt goes from the middle of the month before to that of the month after. Over a year dh is 0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import constants, units
from fathom.base.failure import InputError
from fathom.data.input import checks

if TYPE_CHECKING:
    import xarray as xr

NAMES = {  # what is read of a run: its names in a file, and its unit here
    "sea_heat_flux": (("sea_heat_flux",), "W m-2"),
    "sea_surface_temperature": (("tos", "sea_surface_temperature"), "K"),
    "sea_ice_fraction": (("siconca", "sea_ice_fraction"), "1"),
}
MAP = ("latitude", "longitude")
FREEZING = 271.35  # of the sea below air, ground::sea_freezing [K]
SECONDS = 86400.0 * np.array([31, 28.25, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])  # of months


def q_flux(
    run: xr.Dataset, depth: Any = 50.0, *, thinnest_ice: float = 1.5, start: str | None = None
) -> xr.Dataset:
    """Returns the q-flux by month [W m-2], (month, latitude, longitude), NaN where all is land.

    run : a file of means by months, or shorter, of a run over a GivenSea, with sea_heat_flux,
        sea_surface_temperature and sea_ice_fraction.
    depth, thinnest_ice : of the slab [m]; depth a number or an array (latitude, longitude).
    start : the date from which records count, as the spin-up of the air does not.
    InputError: a variable or a month is missing, or the records are no means.
    """
    fields, bounds = _fields(run)
    months, years = _months(bounds, start)
    heat = _content(fields, np.asarray(depth, float), thinnest_ice)
    flux = fields["sea_heat_flux"]
    N, h = (
        np.stack([x[months == m].mean(0) for m in range(12)]) for x in (flux.astype(float), heat)
    )
    middle = np.cumsum(SECONDS) - SECONDS / 2
    year = SECONDS.sum()
    length = np.roll(middle, -1) - np.roll(middle, 1)
    length[[0, -1]] += year
    change = (np.roll(h, -1, 0) - np.roll(h, 1, 0)) / length[:, None, None]
    return _dataset(run, np.where(_water(run), change - N, np.nan), depth, thinnest_ice, years)


def _fields(run: xr.Dataset) -> tuple[dict[str, np.ndarray], Any]:
    """Returns the fields by name, in their units here, and the bounds of their times, in order of
    time. InputError: one is missing, another quantity, or has numbers that cannot be.
    """
    for name in (*MAP, "time_bounds", "areacello"):
        if name not in run.variables:
            raise InputError(f"the run has no {name}; output of a run of Fathom on its grid has it")
    bounds = run["time_bounds"].transpose("time", ...).values
    order = np.argsort(bounds[:, 0])
    water = _water(run)
    return {name: _field(run, name, water)[order] for name in NAMES}, bounds[order]


def _field(run: xr.Dataset, name: str, water: np.ndarray) -> np.ndarray:
    """Returns a field (time, latitude, longitude) of a run."""
    called, unit = NAMES[name]
    there = [n for n in called if n in run]
    if not there:
        raise InputError(
            f"the run has no {name} ({', '.join(map(str, run.data_vars))}); its output needs"
            f" {', '.join(NAMES)}, means by month"
        )
    array = run[there[0]]
    if "mean" not in str(array.attrs.get("cell_methods", "")):
        raise InputError(f"{there[0]} is no mean over time: output with statistic = 'mean'")
    if set(array.dims) != {"time", *MAP}:
        raise InputError(f"{there[0]} has {array.dims}; allowed: time, latitude, longitude")
    given = str(array.attrs.get("units", ""))
    try:
        factor, offset = units.conversion(given, unit)
    except InputError as error:
        raise InputError(f"the run: {there[0]} in {given!r}: {error}") from None
    values: np.ndarray = array.transpose("time", *MAP).values * factor + offset
    checks.check_values(np.where(water, values, np.nan), name, unit, f"the run: {there[0]}")
    if (gaps := np.isnan(values) & water).any():
        raise InputError(f"the run: {there[0]} has no value at {gaps.sum()} points of the sea")
    return values


def _water(run: xr.Dataset) -> np.ndarray:
    """Returns where there is sea (latitude, longitude)."""
    if "sftlf" not in run:
        return np.ones([run.sizes[name] for name in MAP], bool)
    water: np.ndarray = run["sftlf"].transpose(*MAP).values.astype(float) < 0.999
    return water


def _months(bounds: Any, start: str | None) -> tuple[np.ndarray, float]:
    """Returns the month of each record, from 0, -1 of those that do not count, and how many years
    count: whole ones, the last.
    """
    _check(bounds, start)
    middle = [first + (last - first) / 2 for first, last in bounds]
    dates = [str(when)[:10] for when in middle]
    months = np.array([int(date[5:7]) - 1 for date in dates])
    counts = np.array([start is None or date >= start for date in dates])
    days = np.array([_days(last - first) for first, last in bounds])
    if days.max() > 31.5:
        raise InputError(f"records are means over {days.max():g} days; allowed: up to a month")
    years = int(days[counts].sum() / 365 + 0.02)
    if years < 1:
        raise InputError(
            f"{days[counts].sum():g} days count{f' from {start} on' if start else ''}; a q-flux"
            " needs a whole year"
        )
    since = np.cumsum(np.where(counts, days, 0)[::-1])[::-1]  # from a record to the end
    counts &= since <= 366.0 * years
    if missing := sorted(set(range(12)) - set(months[counts].tolist())):
        raise InputError(f"no record of month {missing[0] + 1}")
    return np.where(counts, months, -1), float(years)


def _check(bounds: Any, start: str | None) -> None:
    """Raises InputError: records of the same time; a start that is no date."""
    if (bounds[1:, 0] < bounds[:-1, 1]).any():
        raise InputError("two records of the run are means over the same time")
    if start is not None and not re.fullmatch(r"\d{4}-(0\d|1[0-2])-[0-3]\d", start):
        raise InputError(f"start = {start!r} is not a date; allowed: 'YYYY-MM-DD'")


def _days(length: Any) -> float:
    """Returns a length of time of NumPy or of cftime in days."""
    whole = isinstance(length, np.timedelta64)
    return float(length / np.timedelta64(1, "D") if whole else length.total_seconds() / 86400)


def _content(fields: Any, depth: np.ndarray, thinnest_ice: float) -> np.ndarray:
    """Returns h [J m-2] of each record."""
    capacity = constants.sea_water_density * constants.sea_water_heat_capacity * depth
    ice = constants.fusion_heat * constants.ice_density * thinnest_ice
    warm = np.maximum(fields["sea_surface_temperature"].astype(float) - FREEZING, 0)
    found: np.ndarray = capacity * warm - ice * fields["sea_ice_fraction"]
    return found


def _dataset(
    run: xr.Dataset, values: np.ndarray, depth: Any, thinnest_ice: float, years: float
) -> xr.Dataset:
    import xarray as xr

    attributes = {
        "units": "W m-2",
        "long_name": "heat that the sea brings",
        "depth": float(np.mean(depth)),
        "thinnest_ice": float(thinnest_ice),
        "years": years,
    }
    made = xr.Dataset(
        {"q_flux": (("month", "latitude", "longitude"), values.astype(np.float32), attributes)},
        {"month": np.arange(1, 13), "latitude": run.latitude, "longitude": run.longitude},
        {"title": "q-flux of a slab ocean", "source": f"run {run.attrs.get('run', 'of files')}"},
    )
    return made.drop_vars("time", errors="ignore")


def mean(made: xr.Dataset, run: xr.Dataset) -> float:
    """Returns the mean over the year and the sea [W m-2]."""
    water = (1 - run["sftlf"]) * run["areacello"] if "sftlf" in run else run["areacello"]
    share = made.q_flux * SECONDS[:, None, None] / SECONDS.sum()
    return float((share.sum("month") * water).sum() / water.sum())
