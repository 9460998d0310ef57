"""Fields of a GRIB file on the rows of latitude and longitude that all of them are brought to.

Full rows, where some are there, are those of the file, and all must have the same. Else Gaussian
rows: as long as the longest of a reduced grid, which take the cubic of the four points around along
the row, within their range; or those that the spherical harmonics need. Rows about their own pole,
stretched ones too, are brought to as many of the earth once all is read. Points of a map of a part
of the earth stay where they are (fathom/data/area_state.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.failure import InputError
from fathom.data import area_state, rows_of_store
from fathom.data.near_area import around_area, around_on_map, evenly
from fathom.grids.regrid.schmidt import Schmidt
from fathom.grids.regrid.twelve_points import lagrange
from fathom.output.formats import grib_messages, grib_waves
from fathom.output.formats.whole_times import gaussian

if TYPE_CHECKING:
    import xarray as xr

allowed = ("regular_ll", "regular_gg", "reduced_gg", "sh")
own = ("rotated", "stretched", "stretched_rotated")  # spheres of Gaussian rows and of waves
kinds = {kind: kind for kind in allowed}  # kind of grid -> its kind on its sphere
for sphere in own:
    kinds |= {f"{sphere}_gg": "regular_gg", f"reduced_{sphere}_gg": "reduced_gg"}
    kinds[f"{sphere}_sh"] = "sh"
maps = ("lambert", "polar_stereographic", "mercator", "rotated_ll")
kinds |= dict.fromkeys(maps, "map")


@dataclass
class Given:
    """Numbers of a message: of full rows, of rows with so many `points`, or of waves up to a
    `truncation`.
    """

    values: np.ndarray
    points: np.ndarray | None = None
    truncation: int | None = None


class RowsOf:
    """The rows of a file, known once all of its messages were taken.

    around : longitudes and latitudes [degrees] of an area, of which more than the points around is
        left out of each field; None: all is kept.
    """

    def __init__(self, file: str | Path, around: tuple[Any, Any] | None = None) -> None:
        self.file, self.around = file, around
        self.cut: Any = None  # rows and columns that are kept; None: all
        self._axes_of: dict[str, Any] = {}  # of a grid, by its section of a message
        self.full: Any = None  # latitudes and longitudes, in the order of values
        self.points: Any = None  # of the rows of a reduced grid, from the north
        self.truncation = 0  # the largest
        self.sphere: Any = None  # the axis on which rows are even
        self.along_rows = False  # whether winds are along the rows, not as on earth
        self.map: Any = None  # of an area: the grid mapping, longitude and latitude of its points

    def take(self, eccodes: Any, message: Any, values: np.ndarray) -> Given:
        """Takes the fields of a message."""
        said = eccodes.codes_get(message, "gridType")
        if said not in kinds:
            raise InputError(
                f"{self.file}: a grid of type {said}; allowed are {', '.join(kinds)}: rows of"
                " latitude and longitude, spherical harmonics, or maps of an area"
            )
        if said in maps:
            return self._on_map(eccodes, message, values)
        kind, sphere = kinds[said], self._sphere(eccodes, message, said)
        if self.sphere is not None and vars(self.sphere) != vars(sphere):
            raise self._several()
        self.sphere = sphere
        if kind == "sh":
            truncation = eccodes.codes_get(message, "J")
            self.truncation = max(self.truncation, truncation)
            return Given(values, truncation=truncation)
        self.along_rows |= bool(eccodes.codes_get(message, "uvRelativeToGrid"))
        if kind == "reduced_gg":
            grib_messages.check_eastward(eccodes, message)
            return self._reduced(eccodes.codes_get_array(message, "pl"), values)
        section = str(eccodes.codes_get(message, "md5GridSection"))
        if section not in self._axes_of:
            of = grib_messages.axes if sphere.plain else _own_axes
            self._axes_of[section] = of(eccodes, message)
        axes = self._axes_of[section]
        if self.full is not None and not all(map(np.array_equal, self.full, axes)):
            raise self._several()
        if self.full is None and sphere.plain:
            self.cut = self._near(*axes)
        self.full = axes
        return Given(self._kept(grib_messages.in_rows(eccodes, message, values)))

    def _near(self, latitude: Any, longitude: Any) -> Any:
        """Returns the rows and columns near the area; None: all are needed, or there is no area."""
        return None if self.around is None else around_area(self.around, latitude, longitude)

    def _kept(self, values: np.ndarray) -> np.ndarray:
        """Returns the part of (rows, columns) that is kept."""
        return values if self.cut is None else values[np.ix_(*self.cut)]

    def _on_map(self, eccodes: Any, message: Any, values: np.ndarray) -> Given:
        """Returns the points of an area, as eccodes gives them."""
        mapping = _mapping(eccodes, message)
        grib_messages.check_one_way(eccodes, message)
        values = grib_messages.in_rows(eccodes, message, values)
        ends = [
            eccodes.codes_get(message, f"{name}OfFirstGridPointInDegrees")
            for name in ("longitude", "latitude")
        ]
        if self.map is None:
            places = [
                grib_messages.places(eccodes, message, name) for name in ("longitudes", "latitudes")
            ]
            self.shape, self.first = values.shape, ends
            self.cut = None if self.around is None else around_on_map(self.around, *places)
            self.map = (mapping, *map(self._kept, places))
        if mapping != self.map[0] or values.shape != self.shape or ends != self.first:
            raise self._several()
        values = self._kept(values)
        self.along_rows |= bool(eccodes.codes_get(message, "resolutionAndComponentFlags") & 8)
        return Given(values)

    @property
    def dimensions(self) -> tuple[str, str]:
        """Returns the names of both dimensions."""
        return ("latitude", "longitude") if self.map is None else ("y", "x")

    def _reduced(self, points: np.ndarray, values: np.ndarray) -> Given:
        if self.points is not None and not np.array_equal(points, self.points):
            raise self._several()
        if self.points is None and self.sphere.plain:
            count = int(points.max())
            columns = 360.0 * np.arange(count) / count
            self.cut = self._near(gaussian(points.size)[::-1], columns)
        self.points = points
        if points.sum() != values.size:
            raise InputError(f"{self.file}: a part of a reduced grid; the globe is wanted")
        return Given(values, points=points)

    def _sphere(self, eccodes: Any, message: Any, kind: str) -> Schmidt:
        """Returns the sphere of a message. ValueError: its pole of stretching is not that of its
        rows.
        """

        def get(key: Any) -> float:
            return float(eccodes.codes_get(message, key))

        pole, stretching = (0.0, 90.0), 1.0
        if "rotated" in kind:
            south = get("longitudeOfSouthernPoleInDegrees"), get("latitudeOfSouthernPoleInDegrees")
            pole = (south[0] + 180) % 360, -south[1]
            if get("angleOfRotationInDegrees"):
                raise InputError(f"{self.file}: rotated rows with an additional angle")
        if "stretched" in kind:
            stretching = get("stretchingFactor")
            there = (
                get("longitudeOfStretchingPoleInDegrees"),
                get("latitudeOfStretchingPoleInDegrees"),
            )
            apart = [(there[0] - pole[0] + 180) % 360 - 180 if pole[1] < 90 else 0.0]
            apart.append(there[1] - pole[1])
            if np.abs(apart).max() > 1e-4:
                raise InputError(
                    f"{self.file}: rows about the pole {pole} that are stretched about {there};"
                    " both must be one place"
                )
        return Schmidt(stretching, pole, towards_pole=True)

    def on_earth(self, data: xr.Dataset) -> xr.Dataset:
        """Returns fields on the rows of the axes, on rows of latitude and longitude, or those of an
        area; winds as on earth.
        """
        if self.map is not None:
            mapping, longitude, latitude = self.map
            return area_state.on_map(data, mapping, longitude, latitude, self.along_rows)
        if self.dimensions[1] in data and not area_state.around(data.longitude.values):
            return area_state.box(evenly(data))
        if self.sphere is None or self.sphere.plain:
            return data
        return rows_of_store.on_earth(data, self.sphere, self.along_rows)

    def _several(self) -> InputError:
        return InputError(f"{self.file} holds fields of several grids; give one of them")

    @cached_property
    def axes(self) -> Any:
        """Returns latitudes and longitudes [degrees] that are kept; None: nothing was taken, or
        they are no axes.
        """
        if self.whole_axes is None or self.cut is None:
            return self.whole_axes
        return tuple(axis[kept] for axis, kept in zip(self.whole_axes, self.cut))

    @cached_property
    def whole_axes(self) -> Any:
        """Returns the axes of the whole grid."""
        if self.full is not None:
            return self.full
        if self.points is not None:
            rows, points = self.points.size, int(self.points.max())
        elif self.truncation:
            rows = self.truncation + 1 + (self.truncation + 1) % 2
            points = 2 * rows
        else:
            return None
        return gaussian(rows)[::-1], 360.0 * np.arange(points) / points

    def on(self, given: Given) -> np.ndarray:
        """Returns the fields on the rows of the axes."""
        if given.truncation is not None:
            return self._of_waves(
                given.truncation,
                lambda transform, order: transform.inverse(order(given.values)),
            )
        if given.points is not None:
            if self.full is not None:
                raise self._several()
            return _full_rows(given.values, given.points, self.cut)
        return given.values

    def wind(self, vorticity: Given, divergence: Given) -> list[np.ndarray]:
        """Returns eastward and northward, of spherical harmonics. ValueError: of other fields."""
        if vorticity.truncation is None or divergence.truncation != vorticity.truncation:
            raise InputError(
                f"{self.file}: wind follows from vorticity and divergence where both are spherical"
                " harmonics of one truncation"
            )
        if self.sphere.stretching > 1:
            raise InputError(
                f"{self.file}: wind as vorticity and divergence in waves of a stretched sphere;"
                " give wind itself"
            )
        self.along_rows = True
        pair = vorticity.values, divergence.values
        return [
            self._of_waves(
                vorticity.truncation,
                lambda transform, order, n=n: transform.wind(*map(order, pair))[n],
            )
            for n in (0, 1)
        ]

    def _of_waves(self, truncation: int, made: Any) -> np.ndarray:
        """Returns what `made(transform, function of the numbers of a message)` gives on Gaussian
        rows, brought to those of the axes.
        """
        latitude, longitude = self.whole_axes
        rows, points = latitude.size, longitude.size
        even = rows % 2 == 0 and np.abs(np.sort(latitude) - gaussian(rows)).max() < 1e-2
        if not even or longitude[0] or np.ptp(longitude) + 360 / points < 359.9:
            raise InputError(
                f"{self.file} has spherical harmonics and also fields on rows that are not Gaussian"
                " around the globe from longitude 0; give one of them"
            )
        fold = -(-(2 * truncation + 2) // points)  # enough for all waves
        transform, _ = grib_waves.of_rows(truncation, rows, fold * points)

        def order(numbers: Any) -> Any:
            return grib_waves.coefficients_of(numbers, truncation, rows, fold * points)

        field = made(transform, order)[..., ::fold]
        if self.cut is None and self.full is None and self.points is None:
            self.cut = self._near(latitude, longitude)
        return self._kept(field if latitude[0] < 0 else field[::-1])


def _mapping(eccodes: Any, message: Any) -> dict[str, Any]:
    """Returns the CF grid mapping of a message on a map."""

    def get(key: Any) -> float:
        return float(eccodes.codes_get(message, f"{key}InDegrees"))

    kind = eccodes.codes_get(message, "gridType")
    if kind == "lambert":
        both = get("Latin1"), get("Latin2")
        return {
            "grid_mapping_name": "lambert_conformal_conic",
            "standard_parallel": both[: 1 + (both[0] != both[1])],
            "longitude_of_central_meridian": get("LoV"),
        }
    if kind == "polar_stereographic":
        south = eccodes.codes_get(message, "projectionCentreFlag") & 128
        return {
            "grid_mapping_name": "polar_stereographic",
            "straight_vertical_longitude_from_pole": get("orientationOfTheGrid"),
            "standard_parallel": abs(get("LaD")) * (-1 if south else 1),
        }
    if kind == "mercator":
        return {
            "grid_mapping_name": "mercator",
            "longitude_of_projection_origin": get("longitudeOfFirstGridPoint"),
            "standard_parallel": get("LaD"),
        }
    if get("angleOfRotation"):
        raise InputError("GRIB: rotated rows with an additional angle are not read")
    return {
        "grid_mapping_name": "rotated_latitude_longitude",
        "grid_north_pole_longitude": (get("longitudeOfSouthernPole") + 180) % 360,
        "grid_north_pole_latitude": -get("latitudeOfSouthernPole"),
        "north_pole_grid_longitude": 0.0,
    }


def _own_axes(eccodes: Any, message: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns the axes of full Gaussian rows about another pole, before they are stretched."""
    ny, nx = (eccodes.codes_get(message, key) for key in ("Nj", "Ni"))
    northward, westward = (
        eccodes.codes_get(message, key, int) for key in ("jScansPositively", "iScansNegatively")
    )
    longitude = 360.0 * np.arange(nx) / nx
    return gaussian(ny)[:: 1 if northward else -1], longitude[:: -1 if westward else 1]


def _full_rows(values: np.ndarray, points: np.ndarray, cut: Any = None) -> np.ndarray:
    """Returns (rows, longest row) of rows one after another; cut: the rows and columns of these
    that are wanted.
    """
    longest = int(points.max())
    rows, columns = (np.arange(points.size), np.arange(longest)) if cut is None else cut
    found = np.empty((len(rows), len(columns)))
    start = np.concatenate([[0], np.cumsum(points)])
    for line, j in zip(found, rows):
        row = values[start[j] : start[j + 1]]
        place = columns * row.size
        west, t = place // longest, place % longest / longest
        around = np.stack([row[(west + n) % row.size] for n in (-1, 0, 1, 2)])
        smooth = sum(w * v for w, v in zip(lagrange([-1.0, 0.0, 1.0, 2.0], t), around))
        line[:] = np.clip(smooth, around.min(0), around.max(0))
    return found
