"""Rates of the writers: fields of a store written again in each format, compared with what limits
them: the codec alone, a plain sequential write.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output
from fathom.output import files
from fathom.output.formats import of_ending, shards, zarr

formats = {
    "zarr, lz4": (".zarr", "lz4"),
    "zarr, zstd": (".zarr", "zstd"),
    "zarr, raw": (".zarr", "none"),
    "netcdf, zlib": (".nc", "zlib"),
    "netcdf, raw": (".nc", "none"),
    "grib2, ccsds": (".grib2", "ccsds"),
    "fa, raw": (".fa", "none"),
}
_times, _piece = 5, 1 << 24


@dataclass(frozen=True)
class LastTime:
    """The last time of a store: its fields with time, its constant fields, their declarations."""

    fields: dict[str, np.ndarray]
    coordinates: dict[str, tuple[Any, np.ndarray]]
    specs: list[output.VariableSpec]

    @property
    def bytes(self) -> int:
        """Returns the size of its fields."""
        return sum(field.nbytes for field in self.fields.values())

    @property
    def rows(self) -> bool:
        """Returns whether its points lie in rows of one latitude."""
        return "latitude" in self.coordinates and self.coordinates["latitude"][0] == ("latitude",)


def _last_time(store: Path) -> LastTime:
    with output.open(store) as dataset:
        names = [name for name, held in dataset.data_vars.items() if _is_written(name, held)]
        fields = {name: np.ascontiguousarray(dataset[name].isel(time=-1).values) for name in names}
        coordinates = {
            name: (held.dims, held.values.astype(held.dtype.newbyteorder("=")))
            for name, held in dataset.variables.items()
            if "time" not in held.dims
        }
        specs = [
            output.VariableSpec(name, dataset[name].dims, dataset[name].dtype.name)
            for name in names
        ]
    return LastTime(fields, coordinates, specs)


def _is_written(name: str, held: Any) -> bool:
    """Returns whether a variable of a store has numbers for each time."""
    return "time" in held.dims and held.dtype.kind == "f" and name != "time_bounds"


def measure(
    store: Path, folder: Path, memory: Path = Path("/dev/shm")
) -> dict[str, dict[str, float]]:
    """Returns format -> megabytes of numbers a second on one core, into `folder` and into memory:
    `writer`; `codec` (the same data, only compressed), `plain` (the same numbers in one file, in
    pieces of 16 MB, in turn with the writer) and `plain_memory`; `smaller`: numbers over stored
    bytes. The last time of `store`.
    """
    last = _last_time(store)
    chosen = {
        name: how
        for name, how in formats.items()
        if last.rows or of_ending(f"any{how[0]}").every_grid
    }
    result: dict[str, dict[str, float]] = {name: {} for name in chosen}
    for where, suffix in ((folder, ""), (memory, "_memory")):
        with tempfile.TemporaryDirectory(prefix="fathom-writers-", dir=where) as held:
            for name, (ending, compression) in chosen.items():
                writer = output.create(
                    Path(held) / f"{compression}{ending}",
                    last.coordinates,
                    last.specs,
                    compression=compression,
                )
                result[name] |= _rates(writer, last, Path(held), suffix)
                if ending == ".zarr" and not suffix:
                    result[name]["codec"] = _rate_of_codec(writer, last)
                writer.close()
    return result


def _rates(writer: Any, last: LastTime, folder: Path, suffix: str) -> dict[str, float]:
    """Returns rates of the writer and of plain files, in turn; and how much smaller it stores the
    numbers.
    """
    before = _stored(writer.path)
    _used_pages(folder / "pages", last.fields)
    ours, plain = [], []
    for n in range(_times):
        ours.append(_write(writer, last.fields, n))
        plain.append(_plain(folder / "plain", last.fields))
    return {
        f"writer{suffix}": last.bytes / 1e6 / min(ours),
        f"plain{suffix}": last.bytes / 1e6 / min(plain),
        "smaller": _times * last.bytes / max(_stored(writer.path) - before, 1),
    }


def _rate_of_codec(writer: Any, last: LastTime) -> float:
    return last.bytes / 1e6 / min(_encode(writer, last.fields) for _ in range(_times))


def _write(writer: Any, fields: dict[str, np.ndarray], time: int) -> float:
    cut = [
        (
            name,
            region,
            np.ascontiguousarray(field[..., region[0] : region[1], region[2] : region[3]]),
        )
        for name, field in fields.items()
        for region in writer.regions(name)
    ]
    began = _now()
    for name, region, block in cut:
        writer.write(name, time, region, block)
    writer.extend(time, 3600.0 * time)
    return _now() - began


def _encode(writer: Any, fields: dict[str, np.ndarray]) -> float:
    """Returns the codec alone, on the chunks that the writer makes."""
    seconds = 0.0
    for name, field in fields.items():
        chunk, codecs = shards.inner_of(writer.metadata(name)["codecs"])
        encode = zarr.encoder(codecs[1:]) if len(codecs) > 1 else bytes
        field = field.reshape(-1, *field.shape[-2:])
        rows, points = (chunk or field.shape)[-2:]
        for j in range(0, field.shape[1], rows):
            for i in range(0, field.shape[2], points):
                for level in field[:, j : j + rows, i : i + points]:
                    piece = np.ascontiguousarray(level)
                    began = _now()
                    if not np.isnan(piece).all():
                        encode(piece)
                    seconds += _now() - began
    return seconds


def _used_pages(file: Path, fields: dict[str, np.ndarray]) -> None:
    """Frees pages for the measurement that were in use before: on a virtual machine the first use
    of a page takes ten times as long.
    """
    for n in range(_times):
        _plain(file.with_name(f"{file.name}{n}"), fields)
    for n in range(_times):
        file.with_name(f"{file.name}{n}").unlink()


def _plain(file: Path, fields: dict[str, np.ndarray]) -> float:
    """Writes the numbers one after another into one plain file."""
    writes = files.Writes()
    began = _now()
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for field in fields.values():
        flat = field.reshape(-1).view(np.uint8)
        for start in range(0, flat.size, _piece):
            files.put(descriptor, [flat[start : start + _piece]], writes)
    os.close(descriptor)
    return _now() - began


def _now() -> float:
    return time.thread_time()


def _stored(path: Path) -> int:
    return (
        sum(p.stat().st_size for p in path.rglob("*") if p.is_file())
        if path.is_dir()
        else path.stat().st_size
    )


def table(figures: dict[str, dict[str, float]]) -> str:
    """Returns the table that `fathom bench output` prints."""
    columns = ("writer", "codec", "plain", "writer_memory", "plain_memory", "smaller")
    lines = [
        "MB/s of numbers a core" + "".join(f"{name.replace('_', ', '):>16}" for name in columns)
    ]
    for name, held in figures.items():
        lines.append(
            f"{name:<22}"
            + "".join(
                f"{held[c]:>16.{1 if c == 'smaller' else 0}f}" if c in held else " " * 16
                for c in columns
            )
        )
    return "\n".join(lines)
