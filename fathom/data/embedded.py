"""The embedded NetCDF files: where they are, read as numpy arrays (fast) or as an xarray.Dataset.

Each file is opened and read once by a process, however often variables are asked for. Reading
through netCDF4 alone keeps xarray (0.5 s to import) out of the start of a model run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.base.failure import FileError, InputError, MissingFileError
from fathom.base.near import near, unknown
from fathom.base.reading import library, once

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr

FOLDER = Path(__file__).parent


def path(name: str) -> Path:
    """Returns path of the embedded file `name` (without `.nc`).

    Raises MissingFileError, naming the files that exist, if there is none.
    """
    file = FOLDER / f"{name}.nc"
    if not file.is_file():
        there = sorted(f.stem for f in FOLDER.glob("*.nc"))
        raise MissingFileError(
            f"no embedded data set {name!r}; there are: {', '.join(there) or 'none'}"
            + near(name, there)
        )
    return file


@once
def read(name: str, *variables: str, month: int | None = None) -> dict[str, np.ndarray]:
    """Returns variables of the embedded file `name`, unpacked, as plain arrays (float32 where the
    file is packed); month: of those that have months this one.

    Raises MissingFileError, InputError for an unknown variable, FileError for a damaged file.
    """
    import numpy as np  # `import fathom.data` stays cheap

    with opened(path(name)) as file:
        for variable in variables:
            if variable not in file.variables:
                raise InputError(unknown(f"variable of {name}.nc", variable, file.variables))
        return {variable: _unpacked(file[variable], month, np) for variable in variables}


@once
def dataset(name: str, variables: str | list[str] | None = None) -> xr.Dataset:
    """Returns the embedded file `name` as an xarray.Dataset, whole or only the `variables` asked
    for (lazy).

    Raises MissingFileError, InputError for an unknown variable, FileError for a damaged file.
    """
    data = opened_lazily(path(name))
    if variables is None:
        return data
    chosen = [variables] if isinstance(variables, str) else list(variables)
    for variable in chosen:
        if variable not in data.data_vars:
            raise InputError(unknown(f"variable of {name}.nc", variable, map(str, data)))
    return data[chosen]


@once
def on_points(
    name: str, latitude: Any, longitude: Any, *variables: str, month: int | None = None
) -> dict[str, np.ndarray]:
    """Returns variables of the embedded file `name` at the points of a model grid, bilinearly, each
    from its own latitudes and longitudes.

    latitude, longitude  any one shape, degrees
    month                of those that have months this one (0 for January); None: all twelve

    Returns arrays (12, *shape of latitude), or of the shape of latitude where there is one month or
    none. Raises as `read` does.
    """
    from fathom.grids.regrid import points as regrid  # `import fathom.data` stays cheap

    with opened(path(name)) as file:
        axes = {v: file[v].dimensions[-2:] for v in variables if v in file.variables}
    data = read(name, *variables, *{axis for pair in axes.values() for axis in pair}, month=month)
    found = {}
    for v in variables:
        y, x = (data[axis] for axis in axes[v])
        found[v] = regrid.bilinear(data[v], y, x, latitude, longitude)
    return found


@contextmanager
def opened(file: Path) -> Iterator[Any]:
    """Opens a NetCDF file that is there, read by one thread at a time; OSError where it, or what is
    read from it, is damaged.
    """
    with library:
        try:
            with _dataset(file, _content_of(file)) as data:
                yield data
        except (OSError, RuntimeError) as error:
            raise _unreadable(file, error) from error


def opened_lazily(file: Path) -> xr.Dataset:
    """Returns the file as an xarray.Dataset that reads when asked for."""
    import xarray

    content = _content_of(file)
    try:
        if content is None:
            return xarray.open_dataset(file)
        store: Any = xarray.backends.NetCDF4DataStore
        with library:
            held = store(_dataset(file, content))
        data = xarray.open_dataset(held)
    except (OSError, ValueError) as error:
        raise _unreadable(file, error) from error
    data.encoding["source"] = str(file)
    return data


def _dataset(file: Path, content: bytes | None) -> Any:
    """Returns a netCDF4.Dataset of a file, or of its bytes, whose name the library must not find on
    the disk: it would open that too.
    """
    import netCDF4

    if content is None:
        return netCDF4.Dataset(file)
    return netCDF4.Dataset(f"{file.stem} in memory", memory=content)


def _content_of(file: Path) -> bytes | None:
    """Returns the bytes of an embedded file, which is read from the disk once; None: of another
    one, which may be large.
    """
    if file.parent != FOLDER:
        return None
    told = file.stat()
    return _content(file, told.st_mtime_ns, told.st_size)


@cache
def _content(file: Path, changed: int, size: int) -> bytes:
    return file.read_bytes()


def _unreadable(file: Path, error: Exception) -> FileError:
    return FileError(
        f"{file.name} ({file.stat().st_size} bytes) is not a readable NetCDF-4 file: truncated, or"
        f" fetched without its content? ({error})"
    )


def _unpacked(variable: Any, month: int | None, np: Any) -> Any:
    """Returns values of a netCDF4 variable; packed integers become float32. No embedded variable
    has missing values.
    """
    variable.set_auto_maskandscale(False)
    values = variable[month if month is not None and variable.dimensions[0] == "month" else ...]
    if "scale_factor" not in variable.ncattrs():
        return values
    scale, offset = (
        np.float32(variable.scale_factor),
        np.float32(getattr(variable, "add_offset", 0)),
    )
    return values * scale + offset
