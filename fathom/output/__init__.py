"""Output: stores of fields in time, one module per format (fathom/output/formats) with the same
`create, write, extend, close`.

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

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fathom import names
from fathom.base.configurable import explained
from fathom.base.failure import MissingFileError
from fathom.base.home import at_home
from fathom.base.near import near
from fathom.base.reading import told
from fathom.output import formats
from fathom.output.coordinates import coordinates, variable
from fathom.output.remote import is_remote, open_remote
from fathom.output.specification import Region, TimeAxis, VariableSpec, chunk_shape, regions

__all__ = [
    "Region",
    "TimeAxis",
    "VariableSpec",
    "append",
    "chunk_shape",
    "coordinates",
    "create",
    "fields_in_time",
    "formats",
    "open",
    "regions",
    "variable",
    "writer",
]


def writer(path: str | Path) -> Any:
    """Returns the writer class for the ending of `path`; ValueError for an unknown ending."""
    return formats.of_ending(path).part("writer")


def create(
    path: str | Path,
    coordinates: Any,
    variables: list[VariableSpec],
    chunks: Mapping[str, int] | None = None,
    **options: Any,
) -> Any:
    """Creates a store on the root rank and return its writer; see `ZarrWriter.create` for the
    options.
    """
    return writer(path).create(path, coordinates, variables, chunks, **options)


def append(path: str | Path) -> Any:
    """Returns the writer of a store that exists: on the other ranks, or when a run is continued."""
    return writer(path)(path)


@explained()
def open(path: str | Path) -> Any:
    """Opens a store, as `_opened` says; a coordinate of numbers with names (CF: flag_meanings)
    holds the names.
    """
    with told(path):
        dataset = _opened(path)
        dataset.encoding["source"] = str(path)
        _without_fill_values(dataset)
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
    with_names.encoding["source"] = str(path)
    with_names.set_close(dataset.close)
    return with_names


def fields_in_time(store: Any) -> dict[str, str]:
    """Returns the full names of the fields in time of an opened store -> their variables in it."""
    by_alias = {entry.alias: name for name, entry in names.fields.items()}
    return {
        by_alias.get(alias, alias): alias
        for alias, held in store.data_vars.items()
        if held.dims[:1] == ("time",) and held.ndim > 2
    }


def check_there(path: Path) -> None:
    """Raises FileNotFoundError, with what is near: there is no such store or file."""
    if not path.exists():
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise MissingFileError(f"{path} does not exist{near(path.name, beside)}")


def _without_fill_values(dataset: Any) -> None:
    """Removes the fill values of coordinates and bounds, which xarray would write: CF 2.5.1,
    7.1.
    """
    bounds = [
        held.attrs.get("bounds") or held.encoding.get("bounds")
        for held in dataset.variables.values()
    ]
    for name, held in dataset.variables.items():
        if name in dataset.coords or name in bounds:
            held.encoding.setdefault("_FillValue", None)


def _opened(path: str | Path) -> Any:
    """Returns the store as a lazy xarray.Dataset with CF coordinates and its complete times only.

    It may also be any FA file, of any program and with any name, or an address of fsspec, as
    "s3://bucket/run.zarr". FileNotFoundError, ValueError (none of the formats, or a package is
    missing), OSError (a damaged file).
    """
    if is_remote(path):
        return open_remote(str(path), lambda file: formats.of_content(file).part("reader")(file))
    check_there(path := at_home(path))
    return formats.of_content(path).part("reader")(path)
