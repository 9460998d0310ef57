"""The two descriptions of each array of a Zarr store, in its own zarr.json and in that of the
store: where one of them is damaged, chunks would be missing values in silence.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError

# what tells where the numbers lie, and what they are; sizes and names may have changed since
layout = ("data_type", "chunk_grid", "chunk_key_encoding", "codecs", "fill_value")
decoding = ("units", "calendar", "scale_factor", "add_offset", "_FillValue", "missing_value")


def check(path: Path) -> None:
    """Raises InputError: an array whose two descriptions differ."""
    root = path / "zarr.json"
    if not root.is_file():
        return
    known = (_of(root).get("consolidated_metadata") or {}).get("metadata") or {}
    for name, held in known.items():
        if held.get("node_type") != "array":
            continue
        own = path / name / "zarr.json"
        if not own.is_file():
            raise InputError(f"{path} is damaged: it describes {name!r}, of which it has no folder")
        if differing := _differing(held, _of(own)):
            raise InputError(
                f"{path}: {name} is damaged: its zarr.json and that of the store have another"
                f" {differing[0]}"
            )


def _differing(held: dict[str, Any], own: dict[str, Any]) -> list[str]:
    """Returns the words in which two descriptions of an array differ."""
    said, own_said = held.get("attributes") or {}, own.get("attributes") or {}
    of_layout = [key for key in layout if held.get(key) != own.get(key)]
    return of_layout + [key for key in decoding if said.get(key) != own_said.get(key)]


def _of(file: Path) -> dict[str, Any]:
    """Returns a description. InputError: it is none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{file} is damaged: {error}") from None
    if not isinstance(found, dict):
        raise InputError(f"{file} is damaged: it describes nothing")
    return found
