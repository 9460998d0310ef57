"""Fathom's files in xarray: `xarray.open_dataset("restart.fathom")`, and with
`engine="fathom"` any store of Fathom.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import xarray
from xarray.backends import BackendEntrypoint

from fathom import output
from fathom.output.formats import lfi, restart_dataset


class FathomBackend(BackendEntrypoint):
    """An engine of xarray, by the entry point "xarray.backends" of pyproject.toml."""

    description = "Restarts and output of Fathom"
    open_dataset_parameters = ("filename_or_obj", "drop_variables")

    def open_dataset(
        self, filename_or_obj: Any, *, drop_variables: str | Iterable[str] | None = None
    ) -> xarray.Dataset:
        """Opens a store like `fathom.open`."""
        found = output.open(Path(filename_or_obj))
        unwanted = [drop_variables] if isinstance(drop_variables, str) else drop_variables or ()
        result: xarray.Dataset = found.drop_vars(
            [name for name in unwanted if name in found.variables]
        )
        return result

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Returns whether it is a restart or FA, which no other engine reads."""
        if not isinstance(filename_or_obj, (str, os.PathLike)):
            return False
        path = Path(filename_or_obj)
        return path.is_file() and (restart_dataset.recognises(path) or lfi.begins(path))
