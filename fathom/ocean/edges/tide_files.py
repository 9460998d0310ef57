"""Files of tidal constituents on latitudes and longitudes, in the layouts that are in use: FES and
GOT (a file each: amplitude, phase), TPXO (heights and transports; all in one file, or a file each),
EOT, and what Fathom's own harmonic analysis writes.

A file says what it has: constituents by a variable, a coordinate or its own name; units by
attributes. Phases are lags in Greenwich [degrees]; real and imaginary parts are those of
A exp(-i g).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import longitudes, units
from fathom.base.failure import InputError
from fathom.base.reading import library
from fathom.data.input import checks, variables
from fathom.grids.regrid import fill, points
from fathom.model.component import Array
from fathom.ocean.constituents import CONSTITUENTS

HEIGHT, EAST, NORTH = "sea_surface_height", "eastward_velocity", "northward_velocity"
# names of amplitude and phase, or of both parts; small letters
_pairs = {
    HEIGHT: [
        ("sea_surface_height_amplitude", "sea_surface_height_phase"),
        ("zos_amplitude", "zos_phase"),
        ("elevation_amplitude", "elevation_phase"),
        ("amplitude", "phase"),
        ("ha", "hp"),
        ("tide_eamp", "tide_ephase"),
    ],
    EAST: [
        ("eastward_velocity_amplitude", "eastward_velocity_phase"),
        ("uo_amplitude", "uo_phase"),
        ("ua", "up"),
        ("ua", "ug"),
    ],
    NORTH: [
        ("northward_velocity_amplitude", "northward_velocity_phase"),
        ("vo_amplitude", "vo_phase"),
        ("va", "vp"),
        ("va", "vg"),
    ],
}
_parts = {HEIGHT: ("hre", "him"), EAST: ("ure", "uim"), NORTH: ("vre", "vim")}
_letters = {HEIGHT: "z", EAST: "u", NORTH: "v"}  # of their places in files of TPXO
_of_names = ("con", "constituent", "constituents", "tide_name", "tidal_constituent")
_by_letters = {name.lower(): name for name in CONSTITUENTS}


@dataclass(frozen=True)
class Map:
    """A exp(-i g) of one constituent on latitudes and longitudes, NaN where there is none.

    quantity : height [m], or velocity.  transport : whether it is velocity times depth [m2 s-1],
        instead of a velocity [m s-1].
    """

    constituent: str
    quantity: str
    transport: bool
    source: str
    latitude: Array
    longitude: Array
    values: Array

    def at(self, latitude: Array, longitude: Array) -> Array:
        """Returns it at places [degrees]; gaps are filled from around. InputError: it does not
        reach them.
        """
        columns = longitudes.eastward(self.longitude)
        x, values = columns.longitude, self.values
        values = values if columns.taken is None else values[:, columns.taken]
        checks.check_covers(self.source, self.latitude, x, columns.around, (latitude, longitude))
        if not columns.around:
            values, x = longitudes.closed(values, x)
        both = np.stack([values.real, values.imag])
        if np.isnan(both).any():
            both = fill.harmonic(both, self.latitude)
        real, imaginary = points.bilinear(both, self.latitude, x, latitude, longitude)
        return np.asarray(real + 1j * imaginary)


def maps(data: Any) -> list[Map]:
    """Returns all maps of known constituents of files. InputError: a file has none, or two files
    have the same.
    """
    found: dict[tuple[str, str], Map] = {}
    for path in variables.files(data):
        with library:
            own = list(_of_file(str(path), variables.opened(path)))
        for one in own:
            before = found.setdefault((one.constituent, one.quantity), one)
            if before is not one:
                raise InputError(
                    f"{before.source} and {one.source} both have {one.quantity} of"
                    f" {one.constituent}"
                )
    return list(found.values())


def _of_file(path: str, data: Any) -> Iterator[Map]:
    """Yields the maps of a file. InputError: it has none."""
    by_letters = {str(name).lower(): str(name) for name in data.variables}
    dim, there = _constituents(path, data, by_letters)
    quantities = [(q, pair) for q in _pairs if (pair := _pair(q, by_letters))]
    if not quantities:
        raise InputError(
            f"{path}: no amplitudes and phases of tides among {', '.join(map(str, data.variables))}"
            "; wanted are variables as amplitude and phase, ha and hp, or hRe and hIm"
        )
    for quantity, (one, other, as_parts) in quantities:
        arrays = [data[one], data[other]]
        for n, name in enumerate(there):
            if name not in CONSTITUENTS:
                continue
            chosen = [a.isel({dim: n}) if dim in a.dims else a for a in arrays]
            yield _map(path, data, quantity, name, chosen, as_parts)


def _pair(quantity: str, by_letters: dict[str, str]) -> tuple[str, str, bool] | None:
    """Returns the names of both variables of a quantity, and whether they are real and imaginary
    part; None: it has none.
    """
    for one, other in _pairs[quantity]:
        if one in by_letters and other in by_letters:
            return by_letters[one], by_letters[other], False
    one, other = _parts[quantity]
    if one in by_letters and other in by_letters:
        return by_letters[one], by_letters[other], True
    return None


def _constituents(path: str, data: Any, by_letters: dict[str, str]) -> tuple[Any, list[str]]:
    """Returns the dimension of constituents (None: there is one) and their names in a file."""
    for name in filter(by_letters.__contains__, _of_names):
        held = data[by_letters[name]]
        texts = _texts(held)
        known = [_by_letters.get(text.lower(), text) for text in texts]
        return (held.dims[0] if held.ndim and len(texts) > 1 else None), known
    said = str(data.attrs.get("constituent", "")) or Path(path).name
    words = re.split(r"[^a-z0-9]+", said.lower())
    known = [_by_letters[word] for word in words if word in _by_letters]
    if len(known) != 1:
        raise InputError(
            f"{path}: neither a variable `constituent` nor the name of the file says of which"
            f" constituent it is; known: {', '.join(CONSTITUENTS)}"
        )
    return None, known


def _texts(held: Any) -> list[str]:
    """Returns the words of a variable of texts or of letters."""
    values = np.asarray(held.values)
    if meanings := held.attrs.get("flag_meanings"):
        words = str(meanings).split()
        return [words[int(n)] for n in np.atleast_1d(values)]
    letters = values.dtype.kind in "SU" and values.dtype.itemsize <= (
        4 if values.dtype.kind == "U" else 1
    )
    if letters and values.ndim:
        values = np.array(["".join(map(_text, row)) for row in np.atleast_2d(values)])
    return [_text(one).strip() for one in np.atleast_1d(values)]


def _text(one: Any) -> str:
    return one.decode() if isinstance(one, bytes) else str(one)


def _map(path: str, data: Any, quantity: str, name: str, arrays: list[Any], as_parts: bool) -> Map:
    """Returns the map of one constituent."""
    arrays = [a.squeeze(drop=True) for a in arrays]
    what = f"{path}: {arrays[0].name}"
    if arrays[0].ndim != 2 or arrays[0].dims != arrays[1].dims:
        raise InputError(
            f"{what} of {name} has dimensions ({', '.join(map(str, arrays[0].dims))}); wanted:"
            " latitude and longitude"
        )
    latitude, longitude, turned = _places(what, data, quantity, arrays[0])
    factor, transport = _factor(what, arrays[0], quantity)
    one, other = (
        np.asarray(a.values, float).T if turned else np.asarray(a.values, float) for a in arrays
    )
    if as_parts:
        values = np.where((one == 0) & (other == 0), np.nan, one + 1j * other)  # land
    else:
        radians = "rad" in str(arrays[1].attrs.get("units", "degree"))
        values = one * np.exp(-1j * (other if radians else np.radians(other)))
    return Map(name, quantity, transport, what, latitude, longitude, values * factor)


def _factor(what: str, array: Any, quantity: str) -> tuple[float, bool]:
    """Returns the factor from the units of an array, and whether it is a transport. InputError: it
    has none, or others.
    """
    told = str(array.attrs.get("units", "")).strip()
    wanted = ("m",) if quantity == HEIGHT else ("m s-1", "m2 s-1")
    for n, unit in enumerate(wanted if told else ()):
        try:
            return units.conversion(told, unit)[0], n == 1
        except ValueError:
            continue
    raise InputError(
        f"{what} {f'is in {told!r}' if told else 'has no units'}; wanted: {' or '.join(wanted)}"
    )


def _places(what: str, data: Any, quantity: str, array: Any) -> tuple[Array, Array, bool]:
    """Returns latitudes, longitudes, and whether rows are those of longitude. InputError: they are
    not there, or curved.
    """
    found = {
        kind: _place(data, array, [f"{short}_{_letters[quantity]}", kind, short], kind)
        for kind, short in (("latitude", "lat"), ("longitude", "lon"))
    }
    if missing := [kind for kind, place in found.items() if place is None]:
        raise InputError(f"{what} has no {' and no '.join(missing)}")
    (y, of_y), (x, of_x) = (found[kind] for kind in ("latitude", "longitude"))  # type: ignore[misc]
    if of_y == of_x or {of_y, of_x} != {*array.dims}:
        raise InputError(
            f"{what} is on curved rows; wanted: rows of latitude and columns of longitude"
        )
    variables.check_degrees(what, y, x)
    return y, x, of_y == array.dims[1]


def _place(data: Any, array: Any, names: Iterable[str], kind: str) -> tuple[Array, Any] | None:
    """Returns (degrees, the dimension along which they vary) of an array; None: there are none."""
    own = [
        str(d) for d in array.dims if d in array.coords and variables.is_place(array[d], d, kind)
    ]
    for name in [*own, *names]:
        if name not in data.variables or not {*data[name].dims} <= {*array.dims}:
            continue
        held = data[name]
        values = np.asarray(held.values, float)
        if values.ndim == 2:  # the same in each row, or in each column
            along = next((n for n in (0, 1) if np.ptp(values, axis=1 - n).max() < 1e-4), None)
            if along is None:
                return values[0], None
            return values[:, 0] if along == 0 else values[0], held.dims[along]
        return values, held.dims[0]
    return None
