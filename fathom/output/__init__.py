"""Output: stores of fields in time, one module per format with the same `create, write, extend,
close`.

variables = [output.variable("sea_surface_temperature")]
writer = output.create("surface.zarr", output.coordinates(grid, variables), variables,
    time=TimeAxis("2000-01-01"))   # root
writer = output.append("surface.zarr")
    # other ranks
for region in writer.regions("tos"):                       # each region has one owner
    writer.write("tos", 0, region, array)
writer.extend(0, seconds=432000.0)                         # root, when all have written
output.open("surface.zarr").tos[0].plot(x="longitude", y="latitude")
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fathom.names import near
from fathom.output.coordinates import coordinates, variable
from fathom.output.specification import Region, TimeAxis, VariableSpec, chunk_shape, regions

__all__ = [
    "Region",
    "TimeAxis",
    "VariableSpec",
    "append",
    "chunk_shape",
    "coordinates",
    "create",
    "endings",
    "open",
    "regions",
    "variable",
    "writer",
]

endings = {".zarr": "Zarr v3", ".nc": "NetCDF-4", ".grib2": "GRIB2", ".fa": "FA"}


def writer(path: str | Path) -> type:
    """The writer class for the ending of `path`; ValueError for an unknown ending."""
    suffix = Path(path).suffix
    if suffix == ".zarr":
        from fathom.output.formats.zarr import ZarrWriter

        return ZarrWriter
    if suffix == ".nc":
        from fathom.output.formats.netcdf import NetcdfWriter

        return NetcdfWriter
    if suffix == ".grib2":
        from fathom.output.formats.grib import GribWriter

        return GribWriter
    if suffix == ".fa":
        from fathom.output.formats.fa import FaWriter

        return FaWriter
    allowed = ", ".join(f"{ending} ({name})" for ending, name in endings.items())
    raise ValueError(f"{path}: an output file ends in {allowed}, not in {suffix or 'nothing'!r}")


def create(
    path: str | Path, coordinates: Any, variables: list[VariableSpec], chunks=None, **options
) -> Any:
    """Create a store on the root rank and return its writer; see `ZarrWriter.create` for the
    options.
    """
    return writer(path).create(path, coordinates, variables, chunks, **options)


def append(path: str | Path) -> Any:
    """The writer of a store that exists: on the other ranks, or when a run is continued."""
    return writer(path)(path)


def open(path: str | Path) -> Any:
    """As `_opened`; a coordinate that counts names (CF: flag_meanings) holds these."""
    dataset = _opened(path)
    named = {
        name: held.attrs["flag_meanings"].split()
        for name, held in dataset.coords.items()
        if held.dims == (name,) and "flag_meanings" in held.attrs
    }
    if not named:
        return dataset
    with_names = dataset.assign_coords(
        {
            name: (name, words, {"long_name": dataset[name].attrs.get("long_name", name)})
            for name, words in named.items()
        }
    )
    with_names.set_close(dataset.close)
    return with_names


def _opened(path: str | Path) -> Any:
    """The store as a lazy xarray.Dataset with CF coordinates and its complete times only.

    It may also be any file of FA, whoever made it and whatever it is called.
    FileNotFoundError, ValueError (neither Zarr v3 nor NetCDF nor FA nor GRIB2 of Fathom), OSError
    (a damaged file).
    """
    path = Path(path)
    if not path.exists():
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise FileNotFoundError(f"{path} does not exist{near(path.name, beside)}")
    from fathom.output.formats import lfi

    if path.suffix == ".fa" or (path.is_file() and lfi.begins(path)):
        from fathom.output.formats.fa_dataset import open_dataset

        return open_dataset(path)
    import xarray

    if path.is_dir():
        if not (path / "zarr.json").is_file():
            raise ValueError(f"{path} is a folder but not a Zarr v3 store: it has no zarr.json")
        return _with_times(
            xarray.open_zarr(path, chunks=None, consolidated=True, decode_times=False)
        )
    if path.suffix == ".grib2":
        from fathom.output.formats.grib_dataset import open_dataset

        return open_dataset(path)
    try:
        dataset = _with_times(xarray.open_dataset(path, engine="netcdf4", decode_times=False))
    except OSError as error:
        raise OSError(
            error.errno,
            f"{path} cannot be opened as NetCDF: damaged, truncated, or another format ({error})",
        ) from None
    if "time" in dataset.dims and "time" in dataset.coords:
        complete = dataset.time.notnull().values
        dataset = dataset if complete.all() else dataset.isel(time=complete.nonzero()[0])
    return dataset


def _with_times(dataset: Any) -> Any:
    """With dates for seconds; a store that has no time yet stays as it is, since no calendar but
    the standard one makes dates of nothing.
    """
    import xarray

    return xarray.decode_cf(dataset) if dataset.sizes.get("time", 1) else dataset
