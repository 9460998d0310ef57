"""FA as a lazy xarray.Dataset: a store of `FaWriter`, or a file of another program; an article is
decoded when its values are needed.
"""

from __future__ import annotations

import datetime
import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray
from xarray.backends import BackendArray
from xarray.core import indexing

from fathom.base.failure import FileError, InputError
from fathom.grids.regrid import projections
from fathom.grids.regrid.schmidt import Schmidt, turned
from fathom.names import fields
from fathom.output.formats import fa_waves, grib, lfi
from fathom.output.formats.fa import RADIUS, Contents, Frame, articles_of, in_file_order
from fathom.output.formats.whole_times import places
from fathom.output.specification import VariableSpec


class _Fields(BackendArray):
    """Fields of one shape, found by their place in the dimensions before: read(*place)."""

    def __init__(
        self,
        read: Callable[..., np.ndarray],
        front: tuple[int, ...],
        field: tuple[int, ...],
        dtype: Any,
    ) -> None:
        self.read, self.front, self.field, self.shape, self.dtype = (
            read,
            front,
            field,
            front + field,
            np.dtype(dtype),
        )

    def __getitem__(self, key: Any) -> np.ndarray:
        result: np.ndarray = indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._read
        )
        return result

    def _read(self, key: tuple[Any, ...]) -> np.ndarray:
        depth = len(self.front)
        front = [np.atleast_1d(np.arange(n)[k]) for n, k in zip(self.front, key)]
        found = np.empty((*map(len, front), *self.field), self.dtype)
        for place in np.ndindex(*found.shape[:depth]):
            found[place] = self.read(*(int(n[i]) for n, i in zip(front, place)))
        found = found[
            tuple(0 if isinstance(k, (int, np.integer)) else slice(None) for k in key[:depth])
        ]
        kept = 0
        for k in reversed(key[depth:]):  # from the last dimension on, behind which so many are kept
            found = found[(..., k, *[slice(None)] * kept)]
            kept += not isinstance(k, (int, np.integer))
        return found


def open_dataset(path: Path) -> xarray.Dataset:
    """Opens a file for `fathom.output.open`."""
    return _store(path) if path.is_dir() else _file(path)


# ---- a store -------------------------------------------------------------------------------------


def _store(path: Path) -> xarray.Dataset:
    held = Contents(path)
    found = {
        name: xarray.Variable(dims, np.array(values), given)
        for name, (dims, values, given) in held.head["coordinates"].items()
    }
    found |= {n: xarray.Variable(*where) for n, where in places(held.head["coordinates"]).items()}
    found["time"] = xarray.Variable(("time",), np.array(held.times, float), held.axis.attributes)
    if held.axis.bounds:
        found["time_bounds"] = xarray.Variable(
            ("time", "bounds"), np.array(held.bounds, float).reshape(-1, 2)
        )
    for variable in (*held.fixed.values(), *held.variables.values()):
        front = [
            len(held.times) if dim == "time" else held.sizes[dim] for dim in variable.dims[:-2]
        ]
        array = _Fields(
            partial(_of_store, held, variable),
            tuple(front),
            tuple(held.sizes[dim] for dim in variable.dims[-2:]),
            variable.dtype,
        )
        found[variable.name] = xarray.Variable(
            variable.dims, indexing.LazilyIndexedArray(array), variable.attributes
        )
    return _decoded(found, held.head["attributes"])


def _decoded(found: dict[str, xarray.Variable], attributes: dict[str, Any]) -> xarray.Dataset:
    axes = [name for name, variable in found.items() if variable.dims == (name,)]
    return xarray.decode_cf(
        xarray.Dataset(found, attrs={"Conventions": "CF-1.11", **attributes}).set_coords(axes)
    )


def _of_store(
    held: Contents, variable: VariableSpec, time: int | None = None, level: int = 0
) -> np.ndarray:
    """Returns (rows, points) from south to north."""
    articles = held.fixed_articles if time is None else lfi.Articles(held.files[time])
    name = articles_of(variable, held.head["coordinates"])[level]
    found = values(articles, name)
    if held.in_waves(variable) and time is not None:
        found = _at_points(articles, name, held.frame, found)
    found = found.reshape([held.sizes[dim] for dim in variable.dims[-2:]])
    found = found[in_file_order(held.frame)]
    return found / grib.factor(variable.name) if articles.beginning(name, 1)[0] >= 100 else found


# ---- a file --------------------------------------------------------------------------------------

potentials = "FONC.COURANT", "POT.VITESSE"  # stream function, velocity potential
_on_levels = re.compile(r"(S)(\d{3})(.+)|([PH])(\d{5})(.+)")
_vertical = {"S": "level", "P": "pressure", "H": "height"}


def _of_level(
    articles: lfi.Articles, names: list[str], frame: Frame, shape: Any, time: Any, level: int = 0
) -> Any:
    """Returns the values of one of the articles of a variable; a file has one time."""
    return _of_frame(articles, names[level], frame, shape)


def _file(path: Path) -> xarray.Dataset:
    articles = lfi.Articles(path)
    frame = Frame.of(articles)
    found, dims, shape = _grid(frame)
    fields_there = _fields_of(articles, int(np.prod(shape)))
    for (letter, rest), named in sorted(fields_there.items()):
        levels = sorted(named)
        in_waves = bool(articles.beginning(named[levels[0]], 2)[1])
        alias, attributes = _described(rest, letter, in_waves)
        name = next(word for word in (alias, rest, letter + rest) if word not in found)
        front: tuple[str, ...] = ()
        if letter:
            heights = np.array(levels) / (100.0 if letter == "P" else 1)
            front = (_dimension(found, _vertical[letter], heights),)
        layers = [named[level] for level in levels]
        read = partial(_of_level, articles, layers, frame, shape)
        array = _Fields(read, (1, len(levels)) if letter else (1,), shape, np.float64)
        found[name] = xarray.Variable(
            ("time", *front, *dims), indexing.LazilyIndexedArray(array), attributes
        )
    found |= _winds(articles, frame, fields_there, found)
    said = {} if dims != ("point",) else _rows_as_attributes(frame)
    said |= _on_its_map(found, dims, by_us="FATHOM" in articles)
    return _decoded(found | _when(articles), {"truncation": int(frame.dimensions[0]), **said})


def _on_its_map(
    found: dict[str, xarray.Variable], dims: tuple[str, ...], by_us: bool
) -> dict[str, Any]:
    """Tells fields of an area of their map; other models write winds along its axes."""
    if "projection" not in found:
        return {}
    for variable in found.values():
        if variable.dims[-2:] == dims and "fa_name" in variable.attrs:
            variable.attrs["grid_mapping"] = "projection"
    return {} if by_us else {"winds_along_axes": 1}


def _rows_as_attributes(frame: Frame) -> dict[str, Any]:
    """Returns the places of points, row after row from the north, for interpolation."""
    points, latitude = _rows_of(frame)
    sphere = _sphere_of(frame)
    return {
        "row_points": points,
        "row_latitude": latitude,
        "stretching_factor": sphere.stretching,
        "pole_longitude": sphere.pole[0],
        "pole_latitude": sphere.pole[1],
    }


def _winds(
    articles: lfi.Articles,
    frame: Frame,
    fields_there: dict[tuple[str, str], dict[float, str]],
    found: dict[str, xarray.Variable],
) -> dict[str, xarray.Variable]:
    """Returns eastward and northward on earth, where a file of the globe has only stream function
    and velocity potential in waves.
    """
    psi, chi = (fields_there.get(("S", name), {}) for name in potentials)
    levels = sorted(psi)
    there = levels and levels == sorted(chi) and frame.dimensions[4] > 0 and "ua" not in found
    names = [*psi.values(), *chi.values()]
    if not there or not all(articles.beginning(name, 2)[1] for name in names):
        return {}
    like = next(
        v for v in found.values() if v.attrs.get("fa_name") == potentials[0]
    )  # the same dimensions

    def read(n: int) -> Callable[..., np.ndarray]:
        return lambda time, level=0: _wind_of(articles, frame, psi[levels[level]], chi)[n]

    rows = [row for name in ("eastward_wind", "northward_wind") if (row := fields[name])]
    return {
        row.alias: xarray.Variable(
            like.dims,
            indexing.LazilyIndexedArray(
                _Fields(read(n), (1, len(levels)), like.shape[2:], np.float64)
            ),
            {**row.attributes, "fa_name": " and ".join(potentials)},
        )
        for n, row in enumerate(rows)
    }


def _wind_of(
    articles: lfi.Articles, frame: Frame, of_psi: str, chi: dict[float, str]
) -> list[np.ndarray]:
    of_chi = next(name for name in chi.values() if name[:4] == of_psi[:4])
    sphere = _sphere_of(frame)
    parts = fa_waves.wind(
        frame, sphere, RADIUS, *(values(articles, name) for name in (of_psi, of_chi))
    )
    if sphere.rotated:
        longitude, latitude = _along_rows(frame)
        parts = list(turned(parts[0], parts[1], sphere.angle(longitude, latitude)))
    shape = _grid(frame)[2]
    return [
        part.reshape(shape)[in_file_order(frame)] if len(shape) == 2 else part for part in parts
    ]


def _fields_of(articles: lfi.Articles, points: int) -> dict[tuple[str, str], dict[float, str]]:
    """Returns {(letter of the levels, name on them): {level: article}} of what lies on the grid, or
    can be brought there from waves; "": no levels.
    """
    found: dict[tuple[str, str], dict[float, str]] = {}
    for name in articles:
        if not _is_field(articles, name, points):
            continue
        match = _on_levels.fullmatch(name)
        letter, number, rest = [part for part in match.groups() if part] if match else ("", 0, name)
        level = int(number)
        if letter == "P" and level == 0:
            level = 100000  # 1000 hPa has no sixth digit
        found.setdefault((letter, rest), {})[level] = name
    return found


def _is_field(articles: lfi.Articles, name: str, points: int) -> bool:
    """Returns whether an article is a field, at points or in waves: not of the frame."""
    kind, size = articles.beginning(name, 2), articles.size(name)
    if name.startswith(("CADRE-", "DAT", "FATHOM")) or size < 3 or len(kind) < 2:
        return False
    packing, spectral = kind
    plain = size - 2 == points if spectral == 0 else True
    return -1 <= packing < 1000 and spectral in (0, 1) and (packing > 0 or plain)


def _dimension(found: dict[str, xarray.Variable], kind: str, levels: np.ndarray) -> str:
    """Returns the dimension of these levels; another one where variables have others."""
    name = next(
        name
        for n in range(len(found) + 1)
        if (name := kind + f"_{n}" * (n > 0)) not in found
        or np.array_equal(found[name].values, levels)
    )
    units = {
        "pressure": {"units": "hPa", "standard_name": "air_pressure", "positive": "down"},
        "height": {"units": "m", "standard_name": "height"},
        "level": {"positive": "down"},
    }
    found[name] = xarray.Variable((name,), levels, units[kind])
    return name


def _described(rest: str, letter: str, in_waves: bool) -> tuple[str, dict[str, str]]:
    """Returns alias and attributes of a field."""
    if in_waves and rest == "SURFPRESSION":  # of models in waves
        text = "natural logarithm of surface pressure in Pa"
        return "log_surface_pressure", {"long_name": text, "units": "1", "fa_name": rest}
    row = _row("SURFGEOPOTENTIEL" if rest == "SPECSURFGEOPOTEN" else rest, letter)
    return (row.alias, {**row.attributes, "fa_name": rest}) if row else (rest, {"fa_name": rest})


def _row(rest: str, letter: str) -> Any:
    """Returns the entry of a variable in the table of names."""
    return next(
        (
            row
            for row in fields.values()
            if row.fa
            and row.fa[: 10 if letter in ("P", "H") and len(rest) == 10 else None] == rest
            and (row.vertical == "column") == (not letter)
        ),
        None,
    )


_east = {"units": "degrees_east", "standard_name": "longitude"}
_north = {"units": "degrees_north", "standard_name": "latitude"}

# Coordinates, dimensions and shape of a field.
Grid = tuple[dict[str, xarray.Variable], tuple[str, ...], tuple[int, ...]]


def _grid(frame: Frame) -> Grid:
    found, dims, shape = _limited(frame) if frame.dimensions[4] <= 0 else _global(frame)
    return _interfaces(frame) | found, dims, shape


def _interfaces(frame: Frame) -> dict[str, xarray.Variable]:
    levels = int(frame.dimensions[3])
    if levels <= 1:
        return {}
    a, b = frame.hybrid[1 : levels + 2] * frame.hybrid[0], frame.hybrid[levels + 2 :]
    return {
        name: xarray.Variable(("interface",), held, {"long_name": text})
        for name, held, text in (("ap", a, "p = ap + b ps at interfaces, ap"), ("b", b, "b"))
    }


def _limited(frame: Frame) -> Grid:
    """Returns coordinates of a limited area: in longitude and latitude, or on the plane of a
    projection.
    """
    ny, nx = (int(n) for n in frame.dimensions[1:3])
    sines = frame.sines
    if sines[0] == -1 and sines[1] == -9:
        west, south, east, north = np.rad2deg(sines[12:16])
        east += 360 * (east < west)
        axes = {
            "latitude": (np.linspace(south, north, ny), _north),
            "longitude": (np.linspace(west, east, nx), _east),
        }
    else:
        dx, dy = sines[6:8] if sines[0] else sines[14:16]
        axes = {
            name: (
                step * np.arange(n),
                {"units": "m", "standard_name": f"projection_{name}_coordinate"},
            )
            for name, step, n in (("y", dy, ny), ("x", dx, nx))
        }
    found = {name: xarray.Variable((name,), *held) for name, held in axes.items()}
    if "x" in axes:
        found |= _on_earth(frame, *(axes[name][0] for name in "xy"))
    return found, tuple(axes), (ny, nx)


def _on_earth(frame: Frame, x: np.ndarray, y: np.ndarray) -> dict[str, xarray.Variable]:
    """Returns longitude and latitude of the points of a plane map (ny, nx), laid on the
    south-western corner of the physical area; none where the other corner is not where the frame
    has it then.
    """
    middle, touched, *corners = np.rad2deg([*frame.sines[2:4], *frame.sines[12:16]])
    west, east, south, north = frame.rows[2:6] - 1
    described = (
        frame.sines[0] == -1
        and any(corners)
        and np.isfinite([*corners, middle]).all()
        and np.max(np.abs([touched, *corners[1::2]])) <= 90
        and 0 <= west < east < x.size
        and 0 <= south < north < y.size
    )
    if not described:
        return {}
    plane = projections.touching(middle, touched, RADIUS)
    x0, y0 = plane.from_earth(*corners[:2])
    places = plane.to_earth(*np.meshgrid(x0 + x - x[west], y0 + y - y[south]))
    off = np.array([values[north, east] for values in places]) - corners[2:]
    if not (np.abs((off + 180) % 360 - 180) <= 1e-3).all():
        return {}
    said = plane.attributes | {"physical_area": [south, north, west, east]}
    return {
        name: xarray.Variable(("y", "x"), values, given)
        for name, values, given in zip(("longitude", "latitude"), places, (_east, _north))
    } | {"projection": xarray.Variable((), 0, said)}


def _global(frame: Frame) -> Grid:
    """Returns coordinates of the sphere: rows of latitude where they are alike, else points."""
    ny, nx = (int(n) for n in frame.dimensions[1:3])
    points, latitude = _rows_of(frame)
    sphere = _sphere_of(frame)
    if sphere.plain and (points == nx).all():
        axes = {
            "latitude": xarray.Variable(("latitude",), latitude[::-1], _north),
            "longitude": xarray.Variable(("longitude",), 360.0 * np.arange(nx) / nx, _east),
        }
        return axes, ("latitude", "longitude"), (ny, nx)
    places = sphere.to_earth(*_along_rows(frame))
    axes = {
        name: xarray.Variable(("point",), held, given)
        for name, held, given in zip(("longitude", "latitude"), places, (_east, _north))
    }
    return axes, ("point",), (int(points.sum()),)


def _rows_of(frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Returns points and latitude of each row, from the north."""
    ny = int(frame.dimensions[1])
    half = (ny + 1) // 2
    points, latitude = (
        np.concatenate([held[:half], sign * held[: ny - half][::-1]])
        for held, sign in ((frame.rows, 1), (np.rad2deg(np.arcsin(frame.sines)), -1))
    )
    return points, latitude


def _sphere_of(frame: Frame) -> Schmidt:
    """Returns the sphere of the rows."""
    sine, cosine_east, sine_east, stretching = frame.sphere
    pole = np.rad2deg(np.arctan2(sine_east, cosine_east)), np.rad2deg(np.arcsin(sine))
    return Schmidt(stretching, pole if frame.dimensions[4] == 2 else (0.0, 90.0), towards_pole=True)


def _along_rows(frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Returns longitude and latitude of all points about the pole of the rows, in the order of the
    file.
    """
    points, latitude = _rows_of(frame)
    along = np.concatenate([360.0 * np.arange(n) / n for n in points])
    return along, np.repeat(latitude, points)


def _of_frame(
    articles: lfi.Articles, name: str, frame: Frame, shape: tuple[int, ...]
) -> np.ndarray:
    found = values(articles, name)
    if articles.beginning(name, 2)[1]:
        found = _at_points(articles, name, frame, found)
    if found.size != np.prod(shape):
        raise FileError(
            f"{articles.path} is damaged: article {name} has {found.size} numbers, the grid of its"
            f" frame {np.prod(shape)} points"
        )
    return found.reshape(shape)[in_file_order(frame)] if len(shape) == 2 else found


def _at_points(articles: lfi.Articles, name: str, frame: Frame, numbers: np.ndarray) -> np.ndarray:
    """Returns values of an article in waves at points, in the order of the file."""
    wanted = fa_waves.size(frame)
    if numbers.size < wanted:
        raise FileError(
            f"{articles.path} is damaged: article {name} has {numbers.size} waves, the truncation"
            f" of its frame {wanted}"
        )
    return fa_waves.to_points(frame, numbers[:wanted])


def _when(articles: lfi.Articles) -> dict[str, xarray.Variable]:
    """Returns the time that it is valid at."""
    if "DATE-DES-DONNEES" not in articles:
        return {"time": xarray.Variable(("time",), [0.0], {"long_name": "unknown"})}
    year, month, day, hour, minute, unit, term = (int(n) for n in articles["DATE-DES-DONNEES"][:7])
    start, seconds = (
        datetime.datetime(year, month, day, hour, minute),
        term * (86400 if unit == 2 else 3600),
    )
    if "DATX-DES-DONNEES" in articles and (exact := articles["DATX-DES-DONNEES"])[0] == 1:
        start, seconds = (
            datetime.datetime(year, month, day) + datetime.timedelta(seconds=int(exact[2])),
            int(exact[3]),
        )
    return {
        "time": xarray.Variable(
            ("time",),
            [float(seconds)],
            {"standard_name": "time", "units": f"seconds since {start}", "calendar": "standard"},
        )
    }


# ---- an article ----------------------------------------------------------------------------------


def values(articles: lfi.Articles, name: str) -> np.ndarray:
    """Returns the numbers of a field in the order of the file; NaN where one is missing."""
    packing, spectral = articles.beginning(name, 2)
    if packing <= 0:
        return articles[name][2:].view(float)
    if packing >= 100 and not spectral:
        message = articles[name][3:].astype("<i8").tobytes()
        if message[:4] != b"GRIB":
            raise FileError(f"{articles.path} is damaged: no message begins in article {name}")
        return grib.unpacked(message[: int.from_bytes(message[8:16], "big")])
    return _by_library(articles, name)


_reader = """
import sys
from falfilfa4py import FA
path, name, size, spectral = sys.argv[1:]
unit = FA.wfaitou(path, "OLD", "READING")
field = FA.wfacile(int(size), unit, name[:4], 0, name[4:], bool(int(spectral)))
sys.stderr.buffer.write(field.tobytes())
"""


def _by_library(articles: lfi.Articles, name: str) -> np.ndarray:
    """Returns packings older than GRIB2, and of waves, by their own library. It runs in a separate
    process, since it contains another eccodes and ends its process after an error.
    """
    packing, spectral = articles.beginning(name, 2)
    if importlib.util.find_spec("falfilfa4py") is None:
        raise InputError(
            f"{articles.path}: article {name} has the packing {packing}; pip"
            " install falfilfa4py reads it"
        )
    frame = Frame.of(articles)
    size = fa_waves.size(frame) if spectral else int(np.prod(_grid(frame)[2]))
    done = subprocess.run(
        [sys.executable, "-c", _reader, str(articles.path), name, str(size), str(spectral)],
        capture_output=True,
    )
    if done.returncode or len(done.stderr) != 8 * size:
        raise FileError(
            f"{articles.path}: article {name}, packing {packing}, cannot be read by falfilfa4py:"
            f" {done.stdout.decode(errors='replace').strip()[-300:]}"
        )
    return np.frombuffer(done.stderr)
