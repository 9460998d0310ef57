"""NetCDF-4: one file, written by the root rank from slices gathered there.

Data of a time go to the file first, its time value last; `fathom.output.open` shows only times that
have a value. The file is synchronised after each time, so that a run killed between two outputs
leaves a file that opens; for a store that survives a kill at any moment use Zarr. Every variable
has a checksum (fletcher32 of HDF5): reading damaged data is an error.
"""

from __future__ import annotations

import errno
import math
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fathom.base.failure import FileError, InputError, MissingFileError
from fathom.base.near import unknown
from fathom.base.reading import library
from fathom.output import files
from fathom.output.specification import (
    Region,
    TimeAxis,
    VariableSpec,
    check_block,
    chunk_of,
    coordinate_arrays,
    explain,
    no_overwrite,
    regions,
    sizes_of,
    with_dates,
)

if TYPE_CHECKING:
    from types import TracebackType

compressions: dict[str, dict[str, Any]] = {
    "zlib": {"compression": "zlib", "complevel": 1, "shuffle": True},
    "none": {},
}
default_fill = 9.969209968386869e36  # of NetCDF (NC_FILL_FLOAT), where a number is missing


class NetcdfWriter:
    """A NetCDF-4 file open for writing. Not `collective`: the caller gathers on root, which alone
    opens it.
    """

    collective = False
    compressions = tuple(compressions)

    def __init__(self, path: str | Path, writes: files.Writes | None = None) -> None:
        """Opens a file made by `create`, to append; FileNotFoundError, OSError if it is no NetCDF
        file.
        """
        import netCDF4

        self.path, self.writes = Path(path), writes or files.Writes()
        if not self.path.is_file():
            raise MissingFileError(f"{path} does not exist")
        with library:
            self._file = netCDF4.Dataset(self.path, "a")
            self._file.set_auto_maskandscale(False)
            self.sizes = {name: len(dimension) for name, dimension in self._file.dimensions.items()}
            self.variables = {
                name: VariableSpec(
                    name,
                    held.dimensions,
                    held.dtype.name,
                    {key: held.getncattr(key) for key in held.ncattrs()},
                    getattr(held, "_FillValue", math.nan),
                )
                for name, held in self._file.variables.items()
            }

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
        compression: str = "zlib",
        overwrite: bool = False,
    ) -> NetcdfWriter:
        """Creates the file with its coordinates and no times. Arguments and errors as
        `ZarrWriter.create`.
        """
        import netCDF4

        path = Path(path)
        if compression not in compressions:
            raise InputError(unknown("compression", compression, compressions))
        arrays = coordinate_arrays(coordinates)
        sizes = sizes_of(arrays, variables)
        if path.is_dir() or (path.exists() and not overwrite):
            raise no_overwrite(path)
        if not path.parent.is_dir():
            raise MissingFileError(f"cannot create {path}: folder {path.parent} does not exist")
        try:
            path.unlink(missing_ok=True)  # readers of the old file keep it
            writes = files.Writes()
            with (
                library,
                files.of_library(writes),
                # headers become a file in memory first, which leaves in few large writes
                netCDF4.Dataset(path, "w", format="NETCDF4", diskless=True, persist=True) as file,
            ):
                file.setncatts({"Conventions": "CF-1.11", **(attributes or {})})
                file.createDimension("time", None)
                for dim, size in sizes.items():
                    file.createDimension(dim, size)
                _create_times(file, time or TimeAxis())
                _create_coordinates(file, arrays)
                for spec in variables:
                    chunk = chunk_of(spec.dims, sizes, chunks)
                    _create_variable(file, spec, chunk, compressions[compression])
        except OSError as error:
            raise explain(error, path, f"creating {path}") from None
        return cls(path, writes)

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Returns the attributes of the whole file."""
        with library:
            return {name: self._file.getncattr(name) for name in self._file.ncattrs()}

    @property
    def times(self) -> np.ndarray:
        """Returns seconds since the start of the times that are complete."""
        with library:
            values = np.asarray(self._file["time"][:], float)
        result: np.ndarray = values[~np.isnan(values)]
        return result

    def regions(self, variable: str) -> Iterator[Region]:
        """Returns one region, the whole grid: everything is gathered on root."""
        ny, nx = self._known(variable).plane(self.sizes)
        return regions(ny, nx, ny, nx)

    def write(
        self, variable: str, time_index: int | None, region: Region, array: np.ndarray
    ) -> None:
        """Writes array ([levels,] rows, points) over `region`; None as time_index for a variable
        without time.
        """
        specification = self._known(variable)
        j0, j1, i0, i1 = region
        array = check_block(specification, region, array, self.sizes, (1, 1))
        array = _with_fill(array, specification.fill)
        where = (..., slice(j0, j1), slice(i0, i1)) if array.ndim > 1 else (slice(i0, i1),)
        with (
            _explained(self.path, f"writing {variable!r} to {self.path}"),
            files.of_library(self.writes),
        ):
            self._file[variable][(time_index, *where) if specification.varies else where] = array

    def extend(
        self, time_index: int, seconds: float, bounds: tuple[float, float] | None = None
    ) -> None:
        """Gives time `time_index` its value (seconds since the start), which makes it complete."""
        count = len(self.times)
        if time_index != count:
            raise InputError(
                f"time index {time_index} of {self.path} cannot follow {count} complete times; it"
                f" must be {count}"
            )
        if ("time_bounds" in self.variables) != (bounds is not None):
            raise InputError(
                f"{self.path} {'needs' if bounds is None else 'has no'} time bounds"
                " (TimeAxis.bounds)"
            )
        with (
            _explained(self.path, f"extending the time of {self.path}"),
            files.of_library(self.writes),
        ):
            if bounds is not None:
                self._file["time_bounds"][time_index] = bounds
            self._file.sync()
            self._file["time"][time_index] = seconds
            self._file.sync()

    def truncate(self, count: int) -> None:
        """Keeps the first `count` times: later ones lose their value until they are written
        again.
        """
        with library:
            if count < len(self._file["time"]):
                self._file["time"][count:] = np.nan
                self._file.sync()

    def close(self) -> None:
        """Closes the file."""
        with library, files.of_library(self.writes):
            if self._file.isopen():
                self._file.close()

    def _known(self, variable: str) -> VariableSpec:
        if variable not in self.variables:
            raise InputError(unknown(f"variable of {self.path.name}:", variable, self.variables))
        return self.variables[variable]


def open_dataset(path: Path) -> Any:
    """Returns the file as a lazy xarray.Dataset of its complete times. OSError: no NetCDF, or
    damaged.
    """
    import xarray

    try:
        dataset = with_dates(xarray.open_dataset(path, engine="netcdf4", decode_times=False))
    except OSError as error:
        raise FileError(
            error.errno,
            f"{path} cannot be opened as NetCDF: damaged, truncated, or another format ({error})",
        ) from None
    if "time" in dataset.dims and "time" in dataset.coords:
        complete = dataset.time.notnull().values
        dataset = dataset if complete.all() else dataset.isel(time=complete.nonzero()[0])
    return dataset


def _create_coordinates(file: Any, arrays: Mapping[str, tuple[Any, ...]]) -> None:
    for name, (dims, array, given) in arrays.items():
        variable = file.createVariable(name, array.dtype, dims, fletcher32=bool(dims))
        variable.setncatts(of_type(given, array.dtype))
        variable[...] = array


def _create_variable(
    file: Any, spec: VariableSpec, chunk: tuple[int, ...], compression: Mapping[str, Any]
) -> None:
    """Creates a variable without numbers; integers have a fill value only where it is one. What is
    missing is a number in the file: NCO compares it, and nothing equals NaN.
    """
    missing = math.isnan(spec.fill)
    has_fill = np.dtype(spec.dtype).kind == "f" or not missing
    file.createVariable(
        spec.name,
        spec.dtype,
        spec.dims,
        fill_value=(default_fill if missing else spec.fill) if has_fill else None,
        chunksizes=chunk,
        fletcher32=bool(spec.dims),
        **compression,
    ).setncatts(dict(spec.attributes))


def _with_fill(array: np.ndarray, fill: float) -> np.ndarray:
    """Returns numbers with the fill value of their variable where they are NaN."""
    if array.dtype.kind != "f" or math.isnan(fill) or not np.isnan(np.sum(array)):
        return array
    return np.where(np.isnan(array), array.dtype.type(fill), array)


def of_type(attributes: Mapping[str, Any], dtype: Any) -> dict[str, Any]:
    """Returns attributes as CF wants them: values of flags have the type of their variable."""
    return {
        name: np.asarray(value, dtype) if name == "flag_values" else value
        for name, value in attributes.items()
    }


def _create_times(file: Any, time: TimeAxis) -> None:
    _axis(file, "time", ("time",), (512,)).setncatts(time.attributes)
    if time.bounds:
        if "bounds" not in file.dimensions:
            file.createDimension("bounds", 2)
        _axis(file, "time_bounds", ("time", "bounds"), (512, 2))


def _axis(file: Any, name: str, dims: tuple[str, ...], chunk: tuple[int, ...]) -> Any:
    """Returns a coordinate that is NaN until it is written. CF has no attribute _FillValue there:
    the library fills without it, too.
    """
    made = file.createVariable(
        name, "f8", dims, chunksizes=chunk, fill_value=math.nan, fletcher32=True
    )
    made.delncattr("_FillValue")
    return made


class _explained:
    """Turns the errors of the library into an OSError that says where and what."""

    def __init__(self, path: Path, doing: str) -> None:
        self.path, self.doing = path, doing

    def __enter__(self) -> Self:
        library.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        library.release()
        if isinstance(error, OSError):
            raise explain(error, self.path, self.doing) from None
        if isinstance(error, RuntimeError):  # the library says "NetCDF: HDF error" for any cause
            full = shutil.disk_usage(self.path.parent).free < 1 << 20
            raise explain(
                OSError(errno.ENOSPC if full else errno.EIO, str(error)), self.path, self.doing
            ) from None
