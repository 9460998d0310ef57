"""Contents of a store: variables, the time axis, and the chunks that the grid alone determines."""

from __future__ import annotations

import errno
import math
import shutil
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.failure import ExistingFileError, FileError, InputError, file_error
from fathom.base.near import near, unknown

Region = tuple[int, int, int, int]  # j0, j1, i0, i1: rows and points of the global grid, half open

apart = ("time", "member")  # dimensions of which each value has its own chunks
calendars = ("standard", "proleptic_gregorian", "noleap", "360_day")


@dataclass(frozen=True)
class VariableSpec:
    """One variable of a store. `dims` ends with two dimensions that may be cut into regions, rows
    and points; a first dimension "time" makes it vary in time, and "member" after it has a value
    of each member of an ensemble; at most one stands between. One with a single other dimension has
    one row."""

    name: str
    dims: tuple[str, ...]
    dtype: str = "float32"
    attributes: Mapping[str, Any] = field(default_factory=dict)
    fill: float = math.nan

    @property
    def varies(self) -> int:
        """Returns how many leading dimensions are times and members, 0 to 2; each has its own
        chunks.
        """
        return next((n for n, dim in enumerate(self.dims) if dim not in apart), len(self.dims))

    def plane(self, sizes: Mapping[str, int] | tuple[int, ...]) -> tuple[int, int]:
        """Returns the entries for rows and points of anything as long as `dims`, as the sizes of
        dimensions.
        """
        own = (
            [sizes[dim] for dim in self.dims[self.varies :]]
            if isinstance(sizes, Mapping)
            else sizes[self.varies :]
        )
        return (own[-2] if len(own) > 1 else 1), own[-1]

    @property
    def described(self) -> list[Any]:
        """Returns a variable in JSON: the arguments that make it again."""
        return [
            self.name,
            list(self.dims),
            self.dtype,
            {key: value for key, value in self.attributes.items() if key != "cell_measures"},
        ]


of_earth = ("standard", "gregorian", "proleptic_gregorian", "julian")  # calendars of real days


@dataclass(frozen=True)
class TimeAxis:
    """Time of a store: "seconds since `start`" in `calendar`; `bounds` for values of intervals."""

    start: str = "2000-01-01 00:00:00"
    calendar: str = "standard"
    bounds: bool = False

    def __post_init__(self) -> None:
        if self.calendar not in calendars:
            raise InputError(unknown("calendar", self.calendar, calendars))

    @property
    def attributes(self) -> dict[str, str]:
        """Returns the CF attributes of the coordinate, by name."""
        bounds = {"bounds": "time_bounds"} if self.bounds else {}
        return {
            "standard_name": "time",
            "long_name": "time",
            "axis": "T",
            "units": f"seconds since {self.start}",
            "calendar": self.calendar,
            **({"units_metadata": "leap_seconds: none"} if self.calendar in of_earth else {}),
            **bounds,
        }


def chunk_shape(
    ny: int, nx: int, nz: int = 1, *, points: int = 1 << 22
) -> tuple[int, int, int, int]:
    """Returns the shape of a chunk, (times, levels, rows, points), of a field of nz levels on an ny
    x nx grid.

    One time; all levels, or equal groups of at most 64; horizontal tiles as square as they can be
    that hold at most about `points` numbers (16 MB of float32). It depends on the grid alone, so
    the store has the same chunks however many ranks write it.
    """
    levels = math.ceil(nz / math.ceil(nz / 64))
    tiles = math.ceil(ny * nx * levels / points)
    rows, columns = tiling(ny, nx, tiles)
    return 1, levels, math.ceil(ny / rows), math.ceil(nx / columns)


def tiling(ny: int, nx: int, tiles: int) -> tuple[int, int]:
    """Returns rows x columns of tiles, at least `tiles` of them, into which a plane is cut: few,
    with short edges.
    """

    def cost(rows: int) -> float:
        columns = math.ceil(tiles / rows)
        return rows * columns / tiles + 0.5 * (ny / rows + nx / columns) / math.sqrt(
            ny * nx / tiles
        )

    rows = min(range(1, tiles + 1), key=cost)
    return rows, math.ceil(tiles / rows)


def chunk_of(
    dims: tuple[str, ...], sizes: Mapping[str, int], chunks: Mapping[str, int] | None = None
) -> tuple[int, ...]:
    """Returns chunk of a variable with these dims: `chunk_shape` of its sizes, with `chunks` {dim:
    size} over it.
    """
    plain = [dim for dim in dims if dim not in apart]
    nz = math.prod(sizes[dim] for dim in plain[:-2])
    automatic = chunk_shape(sizes[plain[-2]], sizes[plain[-1]], nz) if len(plain) >= 2 else None
    shape = {dim: sizes.get(dim, 1) for dim in dims}
    if automatic:
        shape.update(zip(plain[-2:], automatic[2:]))
        if len(plain) == 3:
            shape[plain[0]] = automatic[1]
    shape |= dict.fromkeys(apart, 1)
    shape.update(
        {
            dim: min(size, shape[dim] if dim in apart else sizes[dim])
            for dim, size in (chunks or {}).items()
            if dim in dims
        }
    )
    return tuple(max(1, shape[dim]) for dim in dims)


def regions(ny: int, nx: int, rows: int, points: int) -> Iterator[Region]:
    """Yields the horizontal tiles of an ny x nx grid, row by row; each is to be written by one
    rank.
    """
    for j in range(0, ny, rows):
        for i in range(0, nx, points):
            yield j, min(j + rows, ny), i, min(i + points, nx)


def check_block(
    variable: VariableSpec,
    region: Region,
    array: np.ndarray,
    sizes: Mapping[str, int],
    chunk: tuple[int, ...],
) -> np.ndarray:
    """Returns `array` as an array; checks its type, its shape and the edges of `region`."""
    j0, j1, i0, i1 = region
    ny, nx = variable.plane(sizes)
    rows, points = chunk[-2:] if len(chunk) > 1 else (1, *chunk)
    whole = (
        j0 % rows == 0
        and i0 % points == 0
        and (j1 % rows == 0 or j1 == ny)
        and (i1 % points == 0 or i1 == nx)
        and 0 <= j0 < j1 <= ny
        and 0 <= i0 < i1 <= nx
    )
    if not whole:
        raise InputError(
            f"region rows {j0}:{j1}, points {i0}:{i1} of {variable.name!r} is not made of whole"
            f" chunks: edges must be multiples of {rows} rows and {points} points within {ny} x"
            f" {nx}"
        )
    own = variable.dims[variable.varies :]
    expected = (*(sizes[dim] for dim in own[:-2]), *(j1 - j0, i1 - i0)[-len(own) :])
    if np.shape(array) != expected:
        raise InputError(
            f"array of {variable.name!r} has shape {np.shape(array)}; "
            f"region {region} needs {expected}"
        )
    array = np.asarray(array)
    if not np.can_cast(array.dtype, variable.dtype, "same_kind"):
        raise InputError(
            f"array of {variable.name!r} has type {array.dtype}, which does not fit into"
            f" {variable.dtype}"
        )
    return array


def coordinate_arrays(
    coordinates: Any,
) -> dict[str, tuple[tuple[str, ...], np.ndarray, dict[str, Any]]]:
    """Returns name -> (dims, array, attributes) from an xarray.Dataset or such a mapping."""
    source = getattr(coordinates, "variables", coordinates)
    result = {}
    for name, value in source.items():
        dims, array, *attributes = (
            value if isinstance(value, tuple) else (value.dims, value.values, value.attrs)
        )
        dims = (dims,) if isinstance(dims, str) else tuple(dims)
        result[str(name)] = (dims, np.asarray(array), dict(attributes[0]) if attributes else {})
    return result


def sizes_of(
    coordinates: Mapping[str, tuple[Any, ...]], variables: list[VariableSpec]
) -> dict[str, int]:
    """Returns size of each dimension, from the coordinates; ValueError where one is missing or two
    disagree.
    """
    sizes: dict[str, int] = {}
    for name, (dims, array, _) in coordinates.items():
        if len(dims) != array.ndim:
            raise InputError(f"coordinate {name!r} has shape {array.shape} but dimensions {dims}")
        for dim, size in zip(dims, array.shape):
            if sizes.setdefault(dim, size) != size:
                raise InputError(
                    f"coordinate {name!r}: dimension {dim!r} has {size} points, elsewhere"
                    f" {sizes[dim]}"
                )
    for variable in variables:
        for dim in variable.dims:
            if dim != "time" and dim not in sizes:
                raise InputError(
                    f"variable {variable.name!r}: no coordinate has dimension"
                    f" {dim!r}{near(dim, sizes)}"
                )
    return sizes


def no_overwrite(path: Path) -> ExistingFileError:
    """Returns the error of a file that exists and may not be replaced."""
    return ExistingFileError(
        f"{path} exists; choose another name, or allow it to be replaced (overwrite=True,"
        " --overwrite)"
    )


def explain(error: OSError, path: Path, doing: str) -> FileError:
    """Returns the error with a text about what was being done, where, and what may help."""
    parent = next((p for p in (path, *path.parents) if p.exists()), Path("/"))
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        free = shutil.disk_usage(parent).free / 1e6
        text = (
            f"disk full while {doing} ({free:.0f} MB free under {parent}); complete times before"
            " this one are kept"
        )
    elif error.errno == errno.EFBIG:
        text = f"file size limit reached while {doing}; complete times before this one are kept"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        text = (
            f"cannot write {path}: {error.strerror} while {doing} (nearest existing folder"
            f" {parent})"
        )
    else:
        text = f"{error.strerror or error} while {doing}"
    return file_error(error, text)


def with_dates(dataset: Any) -> Any:
    """Returns an xarray.Dataset with dates for seconds. One that has no time yet stays as it is,
    since no calendar but the standard one makes dates of nothing; so do times without dates, as the
    months of WOA.
    """
    import xarray

    if not dataset.sizes.get("time", 1):
        return dataset
    try:
        with warnings.catch_warnings():  # years that NumPy has no dates for are dates of cftime
            warnings.simplefilter("ignore", xarray.SerializationWarning)
            return xarray.decode_cf(dataset)
    except ValueError:
        return xarray.decode_cf(dataset, decode_times=False)
