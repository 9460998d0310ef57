"""Stores that lie elsewhere: "s3://bucket/run.zarr", "https://host/run.nc", by fsspec. A store of
Zarr is read piece by piece where it lies; a file is copied into a temporary folder first.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fathom.base.failure import FileError, InputError, MissingFileError
from fathom.output.specification import with_dates

_packages = {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "http": "aiohttp", "https": "aiohttp"}


def is_remote(path: object) -> bool:
    """Returns whether a path is an address, as s3://bucket/run.zarr."""
    return isinstance(path, str) and re.match(r"[a-z][a-z0-9+.-]+://", path) is not None


def open_remote(address: str, open_file: Callable[[Path], Any]) -> Any:
    """Returns the store at an address as a lazy xarray.Dataset. open_file: opens a copied file.

    InputError: a package is missing; MissingFileError; FileError: it cannot be read.
    """
    way, _, rest = address.partition("://")
    package = _packages.get(way)
    install = f"pip install {' '.join(filter(None, ('fsspec', package)))}"
    try:
        import fsspec  # optional

        place, within = fsspec.core.url_to_fs(address)
    except ImportError as error:
        why = " ".join(str(error).split())
        raise InputError(f"{address}: {way}:// is read by fsspec ({why}): {install}") from None
    except ValueError as error:
        raise InputError(f"{address}: {' '.join(str(error).split())}") from None
    try:
        return _store(address) if rest.endswith(".zarr") else _copied(place, within, open_file)
    except FileNotFoundError:
        raise MissingFileError(f"{address} does not exist") from None
    except (InputError, FileError):
        raise
    except Exception as error:  # libraries of networks have errors of their own
        why = " ".join(str(error).split()) or type(error).__name__
        raise FileError(f"{address} cannot be read: {why[:200]}") from None


def _store(address: str) -> Any:
    import xarray

    return with_dates(xarray.open_zarr(address, chunks=None, decode_times=False))


def _copied(place: Any, within: str, open_file: Callable[[Path], Any]) -> Any:
    """Returns a file as it is opened here; its copy goes with the data."""
    with tempfile.TemporaryDirectory(prefix="fathom-") as folder:
        copy = Path(folder) / Path(within).name
        place.get(within, str(copy))
        return open_file(copy).load()  # the folder goes
