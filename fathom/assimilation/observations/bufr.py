"""BUFR messages into rows of data. The tables are those of the installed eccodes; the decoder is
core/observation/bufr.hpp.

    rows, problems = read(data, roles, messages, threads=2)

The WMO extends its tables and does not change them. A version that is not installed is read with
the next newer one, or with the newest. An element that is in no table is damaged.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import mpi, writing
from fathom.base.cache import folder
from fathom.base.failure import FileError

newest, oldest = 60, 13  # versions of the WMO's tables that are looked for


def read(
    data: bytes, roles: Any, messages: Sequence[Any], threads: int = 1
) -> tuple[dict[str, Any], list[str]]:
    """Returns rows of the messages (`mpi.core.bufr_index(data)`), and what is wrong with each, or
    "".
    """
    known = {key: _tables(*key) for key in {_key(m) for m in messages}}
    result: tuple[dict[str, Any], list[str]] = mpi.core.bufr_read(
        data, list(messages), [known[_key(m)] for m in messages], roles, threads
    )
    return result


def _key(message: Any) -> tuple[int, int, int, int]:
    local = bool(message.local) and message.local != 255
    return (
        message.version,
        message.centre * local,
        message.subcentre * local,
        message.local * local,
    )


@cache
def _tables(version: int, centre: int, subcentre: int, local: int) -> Any:
    """Returns tables of the WMO, with those of a centre over them."""
    places = [_master(version)]
    if local:
        places.append(f"bufr/tables/0/local/{local}/{centre}/{subcentre}")
    elements: dict[int, tuple[int, ...]] = {}
    sequences: dict[int, list[int]] = {}
    for place in places:
        elements |= _elements(_definition(f"{place}/element.table"))
        sequences |= _sequences(_definition(f"{place}/sequence.def"))
    return mpi.core.BufrTables(np.array(list(elements.values()), np.int64), sequences)


@cache
def _master(version: int) -> str:
    upwards = [*range(max(version, oldest), newest), *range(newest, oldest - 1, -1)]
    for number in upwards:
        if _definition(f"bufr/tables/0/wmo/{number}/element.table"):
            return f"bufr/tables/0/wmo/{number}"
    raise FileError("the installed eccodes has no BUFR tables; install eccodes again")


def _elements(text: str) -> dict[int, tuple[int, ...]]:
    """Returns descriptor -> descriptor, scale, reference, width, is text, is a code."""
    found: dict[int, tuple[int, ...]] = {}
    for line in text.splitlines():
        part = line.split("|")
        if part[0].isdigit() and len(part) > 7:
            code, scale, reference, width = (int(part[n]) for n in (0, 5, 6, 7))
            kind = part[2]
            found[code] = (
                code, scale, reference, width, kind == "string", kind in ("table", "flag"),
            )  # fmt: skip
    return found


def _sequences(text: str) -> dict[int, list[int]]:
    found = re.findall(r'"(\d{6})"\s*=\s*\[([^\]]*)\]', text)
    return {int(name): [int(d) for d in re.findall(r"\d{6}", body)] for name, body in found}


@cache
def _definition(name: str) -> str:
    """Returns a file of eccodes' definitions, "" where it has none of that name. Where they are
    compiled into its library, eccodes' own tool takes them out, once: the cache keeps them.
    """
    import eccodes

    path = eccodes.codes_definition_path()
    if "MEMFS" not in path:
        for place in path.split(":"):
            if (file := Path(place) / name).is_file():
                return file.read_text(encoding="utf-8")
        return ""
    kept = folder(f"bufr-tables-{eccodes.codes_get_api_version()}") / name.replace("/", "-")
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        writing.replace(kept, _exported(name, kept.parent), private=True)
    return kept.read_text(encoding="utf-8")


def _exported(name: str, work: Path) -> bytes:
    import eccodeslib

    tool = Path(eccodeslib.__file__).parent / "bin" / "codes_export_resource"
    with tempfile.TemporaryDirectory(dir=work) as place:
        target = Path(place) / "table"
        subprocess.run([tool, "-d", name, target], capture_output=True, check=False)
        return target.read_bytes() if target.exists() else b""
