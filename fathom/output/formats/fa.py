"""FA ("fichier ARPEGE", Météo-France): LFI articles (lfi.py) of which some describe all others.

    CADRE-DIMENSIONS
        truncation, rows, points of the longest, levels, kind: 1 Gaussian rows,
        2 such about their own pole, < 1 a limited area
    CADRE-FRANKSCHMI
        of the pole of stretching sine of latitude, cosine and sine of longitude;
        factor of stretching (Schmidt 1977)
    CADRE-REDPOINPOL
        points, then largest zonal wave number, of each row from the north pole to the equator
    CADRE-SINLATITUD
        sine of their latitudes
    CADRE-FOCOHYBRID
        p0; a of each interface, b of each interface: p = a p0 + b ps
    DATE-DES-DONNEES
        year, month, day, hour, minute, 1, hours of the forecast, 0, 10,
        hours where an interval begins, 0;  DATX-...: seconds of the same
    S001TEMPERATURE
        a field on a level from the top (S), of pressure [Pa, five digits] (P),
        of the surface (SURF), at 2 and 10 m (CLS): two words, packing and whether it is spectral;
        packing 0: its numbers, from the north, or those of its waves (fa_waves.py);
        100 and more: bits, and a message of GRIB2

A store is a folder: the frame with what does not vary in `frame.fa`, and for each time, by hours
after the start, a file with frame and fields, as models of this family leave them: +0006.fa, or
+0006-30.fa (minutes), +0006-30-15.fa (seconds). Rows about another pole begin on the meridian
towards the north pole, as those of GaussianGrid do.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.regrid.projections import (
    LambertConformal,
    PolarStereographic,
    Projection,
    touching,
)
from fathom.grids.regrid.schmidt import Schmidt
from fathom.names import describe
from fathom.output import files
from fathom.output.formats import fa_waves, grib, lfi
from fathom.output.formats.whole_times import (
    Finished,
    WholeTimes,
    are_gaussian,
    axes_of,
    check_compression,
    check_place,
    check_rows,
    dims_of,
    elsewhere,
    gaussian,
    is_zonal,
    map_of,
    sphere_of,
)
from fathom.output.specification import TimeAxis, VariableSpec, coordinate_arrays, explain, sizes_of

packed = 120  # of 100 and more, all of which are messages of GRIB2
_contents, _time = (
    "FATHOM-CONTENTS",
    "FATHOM-TIME",
)  # articles of a store: other contents in JSON; seconds, and those of its interval
_waves = 11  # of a grid of latitudes and longitudes, which has none: what libraries expect


@dataclass(frozen=True)
class Frame:
    """The description of the grid of the fields in a file, article by article."""

    dimensions: np.ndarray
    sphere: np.ndarray
    rows: np.ndarray
    sines: np.ndarray
    hybrid: np.ndarray

    @classmethod
    def of(cls, articles: lfi.Articles) -> Frame:
        """Returns the frame that is in the articles of a file. InputError: it has none, so is no
        FA.
        """
        missing = [name for name in _frame if name not in articles]
        if missing:
            raise InputError(
                f"{articles.path} is LFI but not FA: it has no article {', '.join(missing)};"
                " fathom.output.formats.lfi.Articles reads its articles"
            )
        return cls(*(articles[name].view(kind) for name, kind in _frame.items()))

    @classmethod
    def on(
        cls,
        latitude: np.ndarray,
        longitude: np.ndarray,
        a: np.ndarray,
        b: np.ndarray,
        truncation: int | None = None,
    ) -> Frame:
        """Returns the frame of rows from south to north and interfaces p = a + b ps [Pa];
        truncation of Gaussian rows, by default that of a quadratic grid.
        """
        ny, nx, levels = len(latitude), len(longitude), len(b) - 1
        hybrid = np.concatenate([[_p0], a / _p0, b])
        if are_gaussian("FA", latitude, longitude):
            if longitude[0]:
                raise InputError(
                    f"Gaussian rows of FA begin at longitude 0, not {longitude[0]:g}: {elsewhere()}"
                )
            return cls.on_sphere(Schmidt(), ny, nx, a, b, truncation or (nx - 1) // 3)
        return cls(
            np.array([_waves, ny, nx, levels, -_waves]),
            np.zeros(4),
            _limited_rows(nx, ny),
            _limited_corners(latitude, longitude),
            hybrid,
        )

    @classmethod
    def on_sphere(
        cls, sphere: Schmidt, ny: int, nx: int, a: np.ndarray, b: np.ndarray, truncation: int
    ) -> Frame:
        """Returns the frame of Gaussian rows with equal numbers of points, on a sphere that may be
        stretched, and rotated; interfaces p = a + b ps [Pa].
        """
        x, y = np.deg2rad(sphere.pole)
        # exactly, where it is the pole of the earth
        pole = [np.sin(y), np.cos(x), np.sin(x)] if sphere.rotated else [1.0, 1.0, 0.0]
        half = np.ones(ny // 2, np.int64)
        return cls(
            np.array([truncation, ny, nx, len(b) - 1, 2 if sphere.rotated else 1]),
            np.array([*pole, sphere.stretching]),
            np.concatenate([nx * half, truncation * half]),
            np.sin(np.deg2rad(gaussian(ny)[: ny // 2 - 1 : -1])),
            np.concatenate([[_p0], a / _p0, b]),
        )

    @classmethod
    def on_map(
        cls, projection: Projection, x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray
    ) -> Frame:
        """Returns the frame of points of a map that touches the sphere, without an extension, and
        interfaces p = a + b ps [Pa]. ValueError: another map.
        """
        touched = _touched(projection)
        if projection != touching(projection.longitude, touched, projection.radius):
            raise InputError(
                f"FA holds maps that touch the sphere, at a latitude, the equator or a pole; this"
                f" is {projection!r}: {elsewhere()}"
            )
        nx, ny = len(x), len(y)
        ends = [projection.to_earth(x[n], y[n]) for n in (0, -1)]
        centre = projection.to_earth((x[0] + x[-1]) / 2, (y[0] + y[-1]) / 2)
        larger = RADIUS / projection.radius  # the same angles on the earth of FA
        steps = larger * np.array([np.diff(x).mean(), np.diff(y).mean()])
        extent = steps * [nx - 1, ny - 1]
        places = np.concatenate([[projection.longitude, touched], centre, *ends])
        angles = np.deg2rad(places.astype(float))
        waves = 2 * np.pi / extent
        head = [-1, np.sin(np.deg2rad(touched)), *angles[:4], *steps, *extent, *waves, *angles[4:]]
        return cls(
            np.array([_waves, ny, nx, len(b) - 1, -_waves]),
            np.zeros(4),
            _limited_rows(nx, ny),
            np.array([*head, 0, 0]),
            np.concatenate([[_p0], a / _p0, b]),
        )

    @property
    def articles(self) -> dict[str, list[np.ndarray]]:
        """Returns the articles of the frame by name."""
        held = (self.dimensions, self.sphere, self.rows, self.sines, self.hybrid)
        return {name: [values] for name, values in zip(_frame, held)} | {
            "FATHOM": [np.array([1])]
        }  # the sixth: who made it


_frame = {
    "CADRE-DIMENSIONS": np.int64,
    "CADRE-FRANKSCHMI": np.float64,
    "CADRE-REDPOINPOL": np.int64,
    "CADRE-SINLATITUD": np.float64,
    "CADRE-FOCOHYBRID": np.float64,
}
_p0 = 101325.0
RADIUS = 6371229.0  # m, of the earth in FA


def _limited_rows(nx: int, ny: int) -> np.ndarray:
    """Returns CADRE-REDPOINPOL of a limited area: its points, and where the coefficients of each
    wave number within an ellipse begin and end.
    """
    ends = 4 * np.cumsum([1 + math.isqrt(_waves**2 - m**2) for m in range(_waves + 1)])
    head = [_waves - 1, 0, 1, nx, 1, ny, 8, 8, _waves, _waves]
    return np.array([*head, *np.stack([np.append(1, ends[:-1] + 1), ends], 1).ravel()], np.int64)


def _limited_corners(latitude: np.ndarray, longitude: np.ndarray) -> np.ndarray:
    """Returns CADRE-SINLATITUD of a limited area in longitude and latitude [rad]: its middle,
    steps, extent and corners.
    """
    corners = np.deg2rad([longitude[0], latitude[0], longitude[-1], latitude[-1]])
    steps = np.deg2rad([np.diff(longitude).mean(), np.diff(latitude).mean()])
    middle, extent = (
        (corners[:2] + corners[2:]) / 2,
        steps * [longitude.size - 1, latitude.size - 1],
    )
    return np.array([-1, -9, 0, 0, *middle, *steps, *extent, 0, 0, *corners, 0, 0])


def _touched(projection: Projection) -> float:
    """Returns the latitude where a map may touch the sphere."""
    if isinstance(projection, LambertConformal):
        return projection.latitude[0]
    return (
        np.copysign(90.0, projection.latitude)
        if isinstance(projection, PolarStereographic)
        else 0.0
    )


def _frame_of(arrays: Mapping[str, tuple[Any, ...]]) -> Frame:
    a, b = _interfaces(arrays)
    if "projection" in arrays:
        return Frame.on_map(*map_of(arrays), a, b)
    if "sphere" in arrays:
        ny, nx = (len(arrays[name][1]) for name in dims_of(arrays))
        return Frame.on_sphere(sphere_of(arrays), ny, nx, a, b, arrays["sphere"][2]["truncation"])
    latitude, longitude = arrays["latitude"], arrays["longitude"]
    return Frame.on(latitude[1], longitude[1], a, b, latitude[2].get("truncation"))


def _interfaces(arrays: Mapping[str, tuple[Any, ...]]) -> list[np.ndarray]:
    """Returns a and b of the interfaces of levels, p = a + b ps; of one layer where there are
    none."""
    if "ap_bounds" not in arrays:
        return [np.array([0.0, 0.0]), np.array([0.0, 1.0])]
    bounds = [arrays[name][1] for name in ("ap_bounds", "b_bounds")]
    return [np.append(pairs[:, 0], pairs[-1, 1]) for pairs in bounds]


class FaWriter(WholeTimes):
    """A store of FA files open for writing."""

    compressions = ("none", "waves", *grib.compressions)
    encodes = True

    def __init__(self, path: str | Path, writes: files.Writes | None = None) -> None:
        """Opens a store made by `create`, to append."""
        self._hold(Path(path), writes or files.Writes())

    def _hold(self, path: Path, writes: files.Writes) -> None:
        self.path, self.writes = path, writes
        self._held = Contents(self.path)
        self.variables, self.sizes, self._bounds, self._encoded = (
            self._held.variables,
            self._held.sizes,
            self._held.axis.bounds,
            {},
        )

    @classmethod
    def create(
        cls,
        path: str | Path,
        coordinates: Any,
        variables: list[VariableSpec],
        chunks: Mapping[str, int] | None = None,
        *,
        time: TimeAxis | None = None,
        attributes: Mapping[str, Any] | None = None,
        compression: str = "none",
        overwrite: bool = False,
    ) -> FaWriter:
        """Creates the store with its frame and no times. Arguments and errors as
        `ZarrWriter.create`; compression: "none", float64; "waves", the same, but the spherical
        harmonics of smooth fields on a Gaussian grid; "ccsds" or "simple", 24 bits by GRIB2;
        ValueError too for what FA cannot hold."""
        path, time = Path(path), time or TimeAxis()
        arrays = coordinate_arrays(coordinates)
        sizes = sizes_of(arrays, variables)
        check_rows("FA", arrays, variables, time)
        if is_zonal(axes_of(arrays)):
            raise InputError(
                f"a frame of FA is of points: it has no place for zonal means; {elsewhere()}, or"
                " .grib2"
            )
        frame = _frame_of(arrays)
        _check_compression(compression, frame)
        fixed = [
            VariableSpec(name, dims, str(array.dtype), given)
            for name, (dims, array, given) in arrays.items()
            if dims == dims_of(arrays) and _named(name)
        ]
        head = {
            "fathom": 1,
            "sizes": sizes,
            "coordinates": axes_of(arrays),
            "attributes": dict(attributes or {}),
            "time": [time.start, time.calendar, time.bounds],
            "packing": grib.compressions.get(compression),
            "waves": compression == "waves",
            "upward": bool(frame.dimensions[4] <= 0),
            "centre": 85,
            "fixed": [v.described for v in fixed],
            "variables": [v.described for v in variables],
        }
        _check_names(variables, arrays)
        check_place(path, overwrite and _is_store(path))
        in_rows = in_file_order(frame)
        articles = {
            **frame.articles,
            _contents: [lfi.text(json.dumps(head, default=lambda value: value.tolist()))],
            **{
                _named(v.name): [_plain, np.asarray(arrays[v.name][1], float)[in_rows].ravel()]
                for v in fixed
            },
        }
        writes = files.Writes()
        try:
            path.mkdir(exist_ok=True)
            for old in path.glob("*.fa"):
                old.unlink()
            told = files.OfMetadata(writes)
            lfi.write(path / "frame.fa", articles, told, _moment(time.start, 0.0)[1])
        except OSError as error:
            raise explain(error, path, f"creating {path}") from None
        return cls(path, writes)

    def close(self) -> None:
        """Closes nothing: no file is open."""

    def _encode(
        self, variable: VariableSpec, array: np.ndarray, first: int = 0
    ) -> list[tuple[str, Any]]:
        """Returns (name, message or numbers) of each level."""
        names = articles_of(variable, self._held.head["coordinates"])
        names = names[first : first + (len(array) if np.ndim(array) == 3 else 1)]
        if self._held.head["packing"]:
            return list(
                zip(
                    names,
                    grib.messages_of(
                        variable, array, self._held.head, self._held.head["coordinates"], first
                    ),
                )
            )
        levels = array.reshape(len(names), *array.shape[-2:])
        if self._held.in_waves(variable):
            waves = fa_waves.to_waves(self._held.frame, levels)
            return [(name, Waves(numbers)) for name, numbers in zip(names, waves)]
        rows = in_file_order(self._held.frame)
        return [
            (name, values.astype(variable.dtype).ravel())
            for name, values in zip(names, levels[:, rows])
        ]

    def _finish(
        self, held: list[Any], seconds: float, bounds: tuple[float, float] | None
    ) -> Finished:
        """Returns (name, words) of each level."""

        def words(values: Any) -> Any:
            if isinstance(values, Waves):
                return [_in_waves, values.numbers]
            return (
                [_plain, values]
                if isinstance(values, np.ndarray)
                else _message(grib.at_time(values, *(bounds or (seconds,))))
            )

        return Finished((name, words(values)) for name, values in held)

    def _put(self, seconds: float, bounds: tuple[float, float] | None) -> None:
        """Writes a file that has its name once it is whole."""
        start, interval = self._held.axis.start, bounds or (0.0, seconds)
        dates, moment = _moment(start, *(interval[::-1] if bounds else (seconds,)))
        fields = {
            name: words
            for variable in self.variables
            for name, words in self._finished(variable, seconds, bounds)
        }
        file = self.path / _file_name(interval[1])
        lfi.write(
            file,
            self._held.frame.articles
            | dates
            | {_time: [np.array([seconds, *(bounds or ())], float)]}
            | fields,
            self.writes,
            moment,
        )
        self._held.add(file, seconds, bounds)

    def _cut(self, count: int) -> None:
        for file in self._held.keep(count):
            file.unlink(missing_ok=True)


def _check_compression(given: str, frame: Frame) -> None:
    check_compression(given, FaWriter.compressions)
    if given == "waves" and frame.dimensions[4] < 1:
        raise InputError(f"FA: waves are those of a Gaussian grid; {elsewhere()}")


def _is_store(path: Path) -> bool:
    """Returns whether it is one, or was being made when its run was killed."""
    return path.is_dir() and (
        (path / "frame.fa").is_file() or all(file.suffix == ".partial" for file in path.iterdir())
    )


class Contents:
    """The files of a store and their times. ValueError for a folder that `FaWriter` has not made,
    OSError for a damaged one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not (path / "frame.fa").is_file():
            raise InputError(f"{path} is not a store of FA files: it has no frame.fa")
        self.fixed_articles = lfi.Articles(path / "frame.fa")
        self.frame = Frame.of(self.fixed_articles)
        if _contents not in self.fixed_articles:
            raise InputError(
                f"{path / 'frame.fa'} is not of a store: it has no article {_contents}"
            )
        self.head = json.loads(self.fixed_articles[_contents].byteswap().tobytes())
        self.variables, self.fixed = (
            {
                name: VariableSpec(name, tuple(dims), dtype, given)
                for name, dims, dtype, given in self.head[key]
            }
            for key in ("variables", "fixed")
        )
        self.sizes, self.axis = self.head["sizes"], TimeAxis(*self.head["time"])
        found = sorted(
            (*lfi.Articles(file)[_time].view(float).tolist(), file) for file in path.glob("+*.fa")
        )
        self.files, self.times, self.bounds = (
            [row[-1] for row in found],
            [row[0] for row in found],
            [row[1:-1] for row in found],
        )

    def in_waves(self, variable: VariableSpec) -> bool:
        """Returns whether its articles hold waves: of a smooth field, where the store has them
        so."""
        known = describe(variable.name).name
        return bool(self.head.get("waves")) and fa_waves.are_waves(self.frame, known)

    def add(self, file: Path, seconds: float, bounds: tuple[float, float] | None) -> None:
        """Adds the file of a time [s after the start] with the bounds of its interval."""
        self.files.append(file)
        self.times.append(seconds)
        self.bounds.append(bounds or ())

    def keep(self, count: int) -> list[Path]:
        """Returns the first so many times; the files of the others."""
        dropped = self.files[count:]
        del self.files[count:], self.times[count:], self.bounds[count:]
        return dropped


_plain = np.zeros(2, np.int64)  # of a field: not packed, not spectral
_in_waves = np.array([0, 1])


@dataclass(frozen=True)
class Waves:
    """The contents of a spectral article."""

    numbers: np.ndarray


def _message(data: bytes) -> list[np.ndarray]:
    """Returns the words of a packed field: the message in each word backwards."""
    return [np.array([packed, 0, grib.bits]), np.frombuffer(data + bytes(-len(data) % 8), "<i8")]


def in_file_order(frame: Frame) -> slice:
    """Returns rows as they stand in a file, of those from south to north."""
    return slice(None, None, -1 if frame.dimensions[4] > 0 else 1)


def articles_of(variable: VariableSpec, axes: Mapping[str, Any]) -> list[str]:
    """Returns the article of each of its levels."""
    name = describe(variable.name).fa or variable.name
    vertical = variable.dims[1] if len(variable.dims) == 4 else ""
    before = (
        [f"S{k + 1:03d}" for k in range(len(axes["level"][1]))]
        if vertical == "level"
        else [f"P{round(100 * p) % 100000:05d}" for p in axes["pressure"][1]]
        if vertical
        else [""]
    )
    return [(level + name)[:16] for level in before]


def _check_names(variables: list[VariableSpec], arrays: Mapping[str, tuple[Any, ...]]) -> None:
    names = [name for variable in variables for name in articles_of(variable, arrays)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"FA: two fields would have the name {', '.join(twice)}: {elsewhere()}")


def _named(alias: str) -> str:
    return describe(alias).fa


def _file_name(seconds: float) -> str:
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return (
        f"+{hours:04d}"
        + (f"-{minute:02d}" if minute or second else "")
        + (f"-{second:02d}" if second else "")
        + ".fa"
    )


def _moment(
    start: str, end: float, begin: float = 0.0
) -> tuple[dict[str, list[np.ndarray]], tuple[int, int]]:
    """Returns articles of the date; date and time of `end` [s since the start] for the header."""
    if max(abs(t - round(t)) for t in (end, begin)) > 1e-3:
        raise InputError(f"FA counts whole seconds; a time of {end} s: {elsewhere()}")
    base, end, begin = datetime.datetime.fromisoformat(start), round(end), round(begin)
    day = datetime.timedelta(hours=base.hour, minutes=base.minute, seconds=base.second)
    valid = base + datetime.timedelta(seconds=end)
    articles = {
        "DATE-DES-DONNEES": [
            np.array(
                [
                    base.year,
                    base.month,
                    base.day,
                    base.hour,
                    base.minute,
                    1,
                    end // 3600,
                    0,
                    10,
                    begin // 3600,
                    0,
                ]
            )
        ],
        "DATX-DES-DONNEES": [np.array([1, 0, int(day.total_seconds()), end, begin, *[0] * 6])],
    }
    return articles, (int(f"{valid:%Y%m%d}"), int(f"{valid:%H%M%S}"))
