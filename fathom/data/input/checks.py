"""What a file says of itself, and whether its numbers are possible: one set of checks for all ways
in – a start, forcing, boundary values, depths of the sea, observations.

    said = said_by("qnet", array)           names, direction, height, statistic of an array
    check_meaning(said, "heat_flux", ...)   it is that quantity, with that sign
    check_values(values, "heat_flux", ...)  its numbers lie within fathom/names/quantities.py

An error is one line: what was given, what is allowed, and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.base import longitudes
from fathom.base import units as of_units
from fathom.base.failure import InputError, beside
from fathom.names import quantities

# Statistics that are no value of a time and no mean.
statistics = {
    "maximum",
    "minimum",
    "mid_range",
    "range",
    "standard_deviation",
    "variance",
    "sum_of_squares",
    "root_mean_square",
}
# Short names of CMIP and ECMWF that tell a height [m] by themselves.
heights = dict.fromkeys(("t2m", "2t", "d2m", "2d", "sh2", "2sh", "r2", "2r"), 2.0)
heights |= dict.fromkeys(("u10", "10u", "v10", "10v", "si10", "10si"), 10.0)
winds = ("uas", "vas", "sfcWind")
usual_heights = dict.fromkeys(("tas", "huss", "tdps", "hurs"), 2.0) | dict.fromkeys(winds, 10.0)
temperatures_of_sea = ("temperature", "restoring_temperature", "sea_surface_temperature")
names_of_sea = ("tos", "sst", "thetao")
missing = (-999.0, -9999.0, 9999.0)  # usual numbers of those who have no attribute for it
rare = 1e-3  # a share of a field that a measured number may have by chance
deepest = 50.0  # [m] that still stands for the surface of the sea
highest = 3e4  # [Pa] the uppermost level of a state of the air lies at it or above
_opposite = {
    "down": r"\b(upward|upwelling|upwards|outgoing)\b",
    "up": r"\b(downward|downwelling|downwards)\b",
}
_same = {"down": _opposite["up"], "up": _opposite["down"]}


@dataclass(frozen=True)
class Said:
    """What an array of a file says of itself."""

    name: str
    standard_name: str = ""
    long_name: str = ""
    cell_methods: str = ""
    positive: str = ""
    height: float | None = None  # above the ground [m]
    depth: float | None = None  # below the surface of the sea [m]
    pressure: float | None = None  # of its level, in the unit of the file


def said_by(name: str, array: Any) -> Said:
    """Returns what an xarray.DataArray says of itself."""
    attrs = array.attrs

    def text(key: str) -> str:
        """Returns an attribute without blanks around it, "" where there is none."""
        return str(attrs.get(key, "")).strip()

    standard = text("standard_name")
    return Said(
        name,
        "" if standard == "unknown" else standard,
        text("long_name"),
        text("cell_methods"),
        text("positive").lower(),
        _height(name, array),
        _level(array, ("depth", "lev", "deptht", "st_ocean"), ("depth",)),
        _level(
            array,
            ("plev", "pressure", "isobaricInhPa", "pressure_level"),
            ("air_pressure",),
        ),
    )


def _height(name: str, array: Any) -> float | None:
    """Returns the height of an array: by a name of ECMWF, by its coordinate, else that which CMIP
    defines for its name.
    """
    if name in heights:
        return heights[name]
    told = _height_told(array)
    return usual_heights.get(name) if told is None else told


def _height_told(array: Any) -> float | None:
    """Returns the height of an array by its coordinate. In one data set the coordinate of one array
    seems to be that of all: winds must say in `coordinates` that it is theirs.
    """
    told = array.encoding.get("coordinates")
    wind = "wind" in str(array.attrs.get("standard_name", "")) or str(array.name) in winds
    if "height" not in str(told).split() and (told is not None or wind):
        return None
    return _level(array, ("height",), ("height",))


def _level(array: Any, called: tuple[str, ...], standard: tuple[str, ...]) -> float | None:
    """Returns the number of the one level that an array lies on; None: it names none."""
    for name, coordinate in array.coords.items():
        if coordinate.size != 1 or coordinate.dtype.kind not in "fiu":
            continue
        if str(name) in called or coordinate.attrs.get("standard_name") in standard:
            return float(np.ravel(coordinate.values)[0])
    return None


def check_meaning(said: Said, field: str, source: str, known: tuple[str, ...] = ()) -> None:
    """Raises InputError: an array is another quantity, one of the other sign, a statistic over time
    that is no mean, or on another level. known: further names that it may have.
    """
    row = quantities.of(field)
    if row is None:
        return
    why = (
        other_quantity(said, row, known)
        or _other_direction(said, row)
        or other_statistic(said)
        or _other_level(said, row)
    )
    if why:
        raise InputError(
            f"{source}: its variable {said.name} {why}, not {field}; to use it nevertheless, name"
            f" it as in Records(file, {said.name!r})"
        )


def other_quantity(said: Said, row: quantities.Quantity, known: tuple[str, ...] = ()) -> str:
    """Returns the quantity that its standard name tells, where it is another; else ""."""
    same = {row.name, *row.also, *row.means, *known, ""}
    if not row.means or said.standard_name in same:
        return ""
    return f"is {said.standard_name} (its standard_name)"


def _other_direction(said: Said, row: quantities.Quantity) -> str:
    """Returns how it says that positive numbers go the other way; else ""."""
    if not row.direction:
        return ""
    if said.positive in ("up", "down"):
        told = said.positive != row.direction
        return f"says positive = {said.positive!r}" if told else ""
    if said.standard_name in row.means:
        return ""
    for words in (said.name, said.long_name):
        plain = words.replace("_", " ").lower()
        if match := re.search(r"\bpositive\W+(?:is\W+)?(up|down)", plain):
            return "" if match[1] == row.direction else f"is {words!r}"
        if re.search(_opposite[row.direction], plain):
            return "" if re.search(_same[row.direction], plain) else f"is {words!r}"
        if row.name == "freshwater_flux" and re.match(r"(?!.*precip.*evap).*\bevap", plain):
            return f"is {words!r}"
    return ""


def other_statistic(said: Said) -> str:
    """Returns the statistic over time, places or members, where it is no mean; else ""."""
    for over, method in re.findall(r"([a-z_]+)\d*\s*:\s*(\w+)", said.cell_methods):
        if method.lower() in statistics:
            return f"is a {method.lower()} over {over} (its cell_methods)"
    return ""


def _other_level(said: Said, row: quantities.Quantity) -> str:
    """Returns the level that it lies on, where it is not near the surface; else ""."""
    if row.height is not None and said.pressure is not None:
        return f"lies on a level of pressure, {said.pressure:g}"
    if row.height is not None and said.height is not None and said.height > 100:
        return f"lies {said.height:g} m above the ground"
    # a height of one variable of a Dataset stands at all of them: what is named as the sea's is its
    of_sea = said.name in names_of_sea or said.standard_name.startswith("sea_")
    if row.name in temperatures_of_sea and said.height is not None and not of_sea:
        return f"lies {said.height:g} m above the ground"
    at_surface = row.name.startswith(("restoring_", "sea_surface_"))
    if at_surface and said.depth is not None and abs(said.depth) > deepest:
        return f"lies {abs(said.depth):g} m below the surface"
    return ""


def check_values(
    values: np.ndarray,
    field: str,
    units: str,
    source: str,
    place: Callable[[int, int], str] | None = None,
    used: Callable[[np.ndarray], np.ndarray] | None = None,
) -> None:
    """Raises InputError: numbers (..., rows, columns) that the quantity cannot have, where they are
    used.

    units : of the numbers.
    place : text of a point of the model.  used : from a mask of the source's points to that of the
        model's points that would take from them; None: they are the same points.
    """
    row = quantities.of(field)
    if row is None or not values.size:
        return
    factor, offset = of_units.conversion(row.units, units or row.units)
    low, high = (factor * limit + offset for limit in (row.least, row.most))
    told = "" if source == field else f"{source}: "
    unit = f" {units or row.units}".removesuffix(" 1")
    bad = row.impossible(values, factor, offset) | seem_missing(values)
    touched = bad if used is None or not bad.any() else used(bad)
    if touched.any():
        *_, j, i = np.argwhere(touched)[0] if touched.ndim > 1 else (0, 0)
        where = f" at {place(int(j), int(i))}{beside(touched)}" if place else ""
        raise InputError(
            f"{told}{field} = {values[bad][0]:g}{unit}{where} must lie between {low:g} and"
            f" {high:g}{unit}; is it a missing value, or in another unit?"
        )
    most = float(np.nanmax(values, initial=0.0))
    if 0 < most < factor * row.whole:
        raise InputError(
            f"{told}{field} is nowhere above {most:g}{unit}: are its numbers in another unit?"
        )


def seem_missing(values: np.ndarray) -> np.ndarray:
    """Returns which numbers stand for missing values although nothing says so: exactly -999, -9999
    or 9999, many times, and not everywhere. A field that has missing values of its own has others.
    """
    found: np.ndarray = np.zeros(values.shape, bool)
    for number in () if np.isnan(values).any() else missing:
        these = values == number
        if rare * values.size < np.count_nonzero(these) < values.size:
            found |= these
    return found


# ------------------------------------------------------------------------------ places


def check_reaches_top(source: str, pressure: np.ndarray) -> None:
    """Raises InputError: levels [Pa] of a state of the air that end in the middle of the
    troposphere, above which nothing is known.
    """
    top = float(np.min(pressure))
    if top > highest:
        raise InputError(
            f"{source} has levels of pressure from {float(np.max(pressure)) / 100:g} to"
            f" {top / 100:g} hPa; the uppermost must lie at {highest / 100:g} hPa or above"
        )


def check_covers(
    source: str,
    latitude: np.ndarray,
    longitude: np.ndarray,
    around: bool,
    points: tuple[np.ndarray, np.ndarray],
) -> None:
    """Raises InputError: points of the model (latitude, longitude) that lie beyond the data, with
    the extents of both. Of data of a region: by more than a row or a column; of data once around
    the earth: more than a tenth of them by more than 5 degrees or two rows.
    """
    north, east = points
    if not north.size:
        return
    south, top = float(latitude.min()), float(latitude.max())
    reach, allowed = _reach(latitude, around)
    beyond = (north < south - reach) | (north > top + reach)
    if not around:
        step = np.diff(longitude).max() if longitude.size > 1 else 0.0
        from_west = np.mod(east - longitude[0] + step, 360)
        beyond |= from_west > np.ptp(longitude) + 2 * step + 1e-9
    if beyond.mean() > allowed:
        own = longitudes.eastward(np.unique(east)).longitude
        columns = [
            "" if around else f", longitudes from {x[0]:g} to {x[-1]:g}" for x in (longitude, own)
        ]
        raise InputError(
            f"{source} has latitudes from {south:g} to {top:g}{columns[0]}; the sea of the grid has"
            f" latitudes from {north.min():.4g} to {north.max():.4g}{columns[1]}: {_share(beyond)}"
            " of its points lie outside; it must cover them"
        )


def _reach(latitude: np.ndarray, around: bool) -> tuple[float, float]:
    """Returns how far beyond the first and the last row points may lie [degrees], and which share
    of them may lie farther.
    """
    if around:
        return max(5.0, 2 * np.ptp(latitude) / max(latitude.size - 1, 1)), 0.1
    return (np.abs(np.diff(latitude)).max() if latitude.size > 1 else 0.0) + 1e-9, 0.0


def _share(which: np.ndarray) -> str:
    """Returns a share in percent, never 0 %."""
    return f"{which.mean():.0%}" if which.mean() >= 0.01 else f"{int(which.sum())}"
