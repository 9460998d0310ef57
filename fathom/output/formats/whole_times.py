"""Common parts of formats of the atmosphere, GRIB2 and FA: one rank writes, a whole time at a
time, fields on rows of latitude and longitude.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.failure import InputError, MissingFileError
from fathom.base.near import unknown
from fathom.grids.regrid import projections
from fathom.grids.regrid.projections import Projection
from fathom.grids.regrid.schmidt import Schmidt
from fathom.output import files
from fathom.output.formats import of_every_grid
from fathom.output.specification import (
    Region,
    TimeAxis,
    VariableSpec,
    check_block,
    explain,
    no_overwrite,
    regions,
)


def elsewhere() -> str:
    """Returns a hint for messages: what to do instead."""
    return f"write {of_every_grid()}"


def dims_of(arrays: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the horizontal dimensions: rows and columns of the earth, of a map, or about another
    pole.
    """
    return ("y", "x") if "projection" in arrays or _rotated(arrays) else ("latitude", "longitude")


def is_zonal(axes: Mapping[str, Any]) -> bool:
    """Returns whether rows have one cell, of which values are means."""
    return "longitude_bounds" in axes and np.size(axes["longitude"][1]) == 1


def _rotated(axes: Mapping[str, Any]) -> bool:
    return "sphere" in axes and sphere_of(axes).rotated


def sphere_of(axes: Mapping[str, Any]) -> Schmidt:
    """Returns the sphere on which Gaussian rows are even."""
    if "sphere" not in axes:
        return Schmidt()
    given = axes["sphere"][2]
    pole = given["pole_longitude"], given["pole_latitude"]
    return Schmidt(given["stretching_factor"], pole, towards_pole=True)


# What a spectral model holds in waves, and what follows from that: smooth scalars.
smooth = (
    *("air_temperature", "virtual_temperature", "vorticity", "divergence"),
    *("geopotential", "geopotential_height", "surface_geopotential"),
)


def are_smooth(name: str, stretched: bool) -> bool:
    """Returns whether a field of that name is a sum of the waves of its grid; where rows are
    stretched, vorticity and divergence also have the waves of the squared map factor.
    """
    return name in smooth and not (stretched and name in ("vorticity", "divergence"))


def truncation_of(kind: str, arrays: Mapping[str, tuple[Any, ...]]) -> int:
    """Returns the truncation of the waves that Gaussian rows carry. ValueError: other rows."""
    given = arrays.get("sphere") or arrays.get("latitude")
    if given is None or "truncation" not in given[2] or is_zonal(arrays):
        raise InputError(f"{kind}: waves are those of a Gaussian grid; {elsewhere()}")
    return int(given[2]["truncation"])


@lru_cache(64)  # used by each message
def gaussian(rows: int) -> np.ndarray:
    """Returns latitudes of Gaussian rows from the south [degrees]."""
    found = np.rad2deg(np.arcsin(np.polynomial.legendre.leggauss(rows)[0]))
    found.flags.writeable = False
    return found


def map_of(axes: Mapping[str, Any]) -> tuple[Projection, np.ndarray, np.ndarray]:
    """Returns the map of the axes, with x and y [m] of its columns and rows."""
    projection = projections.of(axes["projection"][2])
    metres = 1.0 if projection.conformal else np.deg2rad(projection.radius)
    x, y = (metres * np.asarray(axes[name][1], float) for name in "xy")
    return projection, x, y


def places(axes: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Returns longitude and latitude of the points of a map, or of rows about their own pole:
    (dims, values, attributes); else nothing.
    """
    if dims_of(axes) == ("latitude", "longitude"):
        return {}
    units = {"longitude": "degrees_east", "latitude": "degrees_north"}
    if "projection" in axes:
        projection, x, y = map_of(axes)
        found = projection.to_earth(*np.meshgrid(x, y))
    else:
        ny, nx = (len(axes[name][1]) for name in "yx")
        found = sphere_of(axes).to_earth(360.0 * np.arange(nx) / nx, gaussian(ny)[:, None])
    return {
        name: (("y", "x"), values, {"standard_name": name, "units": unit})
        for (name, unit), values in zip(units.items(), found)
    }


def axes_of(arrays: Mapping[str, tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Returns coordinates that a head names: [dims, values, attributes]; those of each point
    apart."""
    return {
        name: [dims, array.tolist(), given]
        for name, (dims, array, given) in arrays.items()
        if not set(dims_of(arrays)) <= set(dims)
    }


def check_rows(
    kind: str,
    arrays: Mapping[str, tuple[Any, ...]],
    variables: list[VariableSpec],
    time: TimeAxis,
    levels: Iterable[str] = ("pressure",),
) -> None:
    """Raises ValueError for what such a format cannot hold, or what is not implemented here.
    levels: the coordinates of chosen levels that it knows.
    """
    horizontal = dims_of(arrays)
    if any(name not in arrays or arrays[name][1].ndim != 1 for name in horizontal):
        raise InputError(
            f"{kind} holds fields on rows of latitude and longitude, or on a map; this grid has"
            f" coordinates of each point, or a plane: {elsewhere()}"
        )
    if time.calendar not in ("standard", "proleptic_gregorian"):
        raise InputError(f"{kind} has no calendar '{time.calendar}': {elsewhere()}")
    for variable in variables:
        if (
            not variable.varies
            or variable.dims[-2:] != horizontal
            or not set(variable.dims[1:-2]) <= {"level", *levels}
        ):
            raise InputError(
                f"{kind}: '{variable.name}' lies on ({', '.join(variable.dims)}); it must lie on"
                f" time, level, {' or '.join(levels)}, {' and '.join(horizontal)}: {elsewhere()}"
            )


def rows_of_whole(latitude: np.ndarray) -> int | None:
    """Returns the number of rows of the whole Gaussian grid to which these rows, from south to
    north, belong; None where they are not Gaussian.
    """
    if len(latitude) < 2:
        return None
    about = round(90.0 / np.diff(latitude).mean())  # to a pole: rows are 180 / (n + 1/2) apart
    for half in range(max(1, about - 2), about + 3):
        whole = gaussian(2 * half)
        first = int(np.abs(whole - latitude[0]).argmin())
        part = whole[first : first + len(latitude)]
        if len(part) == len(latitude) and np.abs(part - latitude).max() < 1e-6:
            return 2 * half
    return None


def check_equidistant(kind: str, latitude: np.ndarray, longitude: np.ndarray) -> None:
    """Raises ValueError for rows that are neither Gaussian nor equidistant."""
    steps = np.diff(latitude), np.diff(longitude)
    if any(np.ptp(step) > 1e-6 for step in steps if step.size):
        raise InputError(
            f"{kind} holds Gaussian rows or equidistant ones; the latitudes of this grid are"
            f" neither: {elsewhere()}"
        )


def are_gaussian(kind: str, latitude: np.ndarray, longitude: np.ndarray) -> bool:
    """Returns whether rows from south to north are all Gaussian ones, or else equidistant;
    ValueError if neither.
    """
    if rows_of_whole(latitude) == len(latitude):
        return True
    check_equidistant(kind, latitude, longitude)
    return False


def check_compression(given: str, allowed: Iterable[str]) -> None:
    """Checks the name of a compression. InputError: it is none of the allowed."""
    if given not in allowed:
        raise InputError(unknown("compression", given, allowed))


def check_place(path: Path, may_replace: bool) -> None:
    """Raises OSError where a file must not be replaced, or there is no folder."""
    if path.exists() and not may_replace:
        raise no_overwrite(path)
    if not path.parent.is_dir():
        raise MissingFileError(f"cannot create {path}: folder {path.parent} does not exist")


class Finished(list[Any]):
    """The written levels of a variable, one by one, each with its time."""


class WholeTimes(ABC):
    """Not `collective`: the caller gathers on one rank, which alone opens the file. A format says
    with `_encode` what is kept of a variable until `extend`, with `_put` how a time is written,
    with `_cut` how times are dropped.

    One that `encodes` may have its levels encoded on other ranks: there `encoder` opens the store,
    `encoded` makes what the rank that writes is to `accept`. `_encode` then gives a list, of some
    levels from the `first` on, and `_finish` puts the time into it."""

    collective = False
    encodes = False
    path: Path
    variables: dict[str, VariableSpec]
    sizes: dict[str, int]
    _held: Any  # what is in the file; `times` among it
    _encoded: dict[str, Any]  # variables of the time that is being written
    _bounds: bool  # whether times are intervals

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Returns the attributes of the whole store."""
        found: Mapping[str, Any] = self._held.head["attributes"]
        return found

    @property
    def times(self) -> np.ndarray:
        """Returns seconds since the start of the times that are complete."""
        return np.array(self._held.times)

    def regions(self, variable: str) -> Iterator[Region]:
        """Returns one region, the whole grid."""
        ny, nx = (self.sizes[dim] for dim in self._known(variable).dims[-2:])
        return regions(ny, nx, ny, nx)

    def write(
        self, variable: str, time_index: int | None, region: Region, array: np.ndarray
    ) -> None:
        """Encodes array ([levels,] rows, points) of the whole grid; `extend` writes it."""
        specification = self._known(variable)
        ny, nx = (self.sizes[dim] for dim in specification.dims[-2:])
        array = check_block(specification, region, array, self.sizes, (ny, nx))
        self._expect(time_index)
        self._encoded[variable] = self._encode(specification, array)

    def extend(
        self, time_index: int, seconds: float, bounds: tuple[float, float] | None = None
    ) -> None:
        """Writes time `time_index`, its instant or the middle of its interval in seconds since the
        start: all of it, or nothing.
        """
        self._expect(time_index)
        if self._bounds != (bounds is not None):
            raise InputError(
                f"{self.path} {'needs' if bounds is None else 'has no'} time bounds"
                " (TimeAxis.bounds)"
            )
        missing = [name for name in self.variables if name not in self._encoded]
        if missing:
            raise InputError(
                f"time {time_index} of {self.path} is not whole: {', '.join(missing)} missing"
            )
        try:
            self._put(seconds, bounds)
        except OSError as error:
            self._cut(time_index)
            raise explain(error, self.path, f"writing time {time_index} to {self.path}") from None
        self._encoded = {}

    def truncate(self, count: int) -> None:
        """Keeps the first `count` times."""
        if count < len(self.times):
            self._cut(count)

    def _expect(self, time_index: int | None) -> None:
        count = len(self.times)
        if time_index != count:
            raise InputError(
                f"time index {time_index} of {self.path} cannot follow {count} complete times; it"
                f" must be {count}"
            )

    def _known(self, variable: str) -> VariableSpec:
        if variable not in self.variables:
            raise InputError(unknown(f"variable of {self.path.name}:", variable, self.variables))
        return self.variables[variable]

    @classmethod
    def encoder(cls, path: str | Path) -> WholeTimes:
        """Returns a store that is there, on a rank that encodes for the one that writes."""
        made = cls.__new__(cls)
        made._hold(Path(path), files.Writes())
        return made

    def encoded(
        self,
        variable: str,
        first: int,
        array: np.ndarray,
        seconds: float,
        bounds: tuple[float, float] | None = None,
    ) -> Finished:
        """Returns the bytes of the levels `first` ... of a variable, array ([levels,] rows, points)
        of the whole grid, at that time.
        """
        return self._finish(self._encode(self._known(variable), array, first), seconds, bounds)

    def accept(self, variable: str, parts: Iterable[tuple[int, Finished]]) -> None:
        """Takes a variable of the next time, encoded in parts: (first level, part)."""
        in_order = sorted(parts, key=lambda part: part[0])
        self._encoded[variable] = Finished(one for _, part in in_order for one in part)

    def _finished(
        self, variable: str, seconds: float, bounds: tuple[float, float] | None
    ) -> Finished:
        held = self._encoded[variable]
        return held if isinstance(held, Finished) else self._finish(held, seconds, bounds)

    def _hold(self, path: Path, writes: files.Writes) -> None:
        """Holds the metadata of an existing store; its file stays closed."""
        raise NotImplementedError

    def _finish(
        self, held: list[Any], seconds: float, bounds: tuple[float, float] | None
    ) -> Finished:
        raise NotImplementedError

    @abstractmethod
    def _encode(self, variable: VariableSpec, array: np.ndarray, first: int = 0) -> Any: ...

    @abstractmethod
    def _put(self, seconds: float, bounds: tuple[float, float] | None) -> None: ...

    @abstractmethod
    def _cut(self, count: int) -> None: ...
