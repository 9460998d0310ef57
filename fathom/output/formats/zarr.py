"""Zarr v3: a folder in which every region of a time is a file (a shard of small chunks, or a
chunk), written by the one rank that owns it.

    create (root) -> write regions (any rank) -> extend the time axis (root, after everyone has
    written)

Metadata is a few JSON files that this module writes itself, so that no rank spends time importing a
library to read. The consolidated metadata in `zarr.json` at the root is replaced by rename, as the
last act of `extend`: a reader sees all of a time or nothing of it, whenever the run was killed. The
files of an array lie side by side (separator "."): folders for each time, level and row would be as
many inodes again, and take longer to make than a small file. A chunk without one valid number is
not stored; readers see fill values.
"""

from __future__ import annotations

import json
import math
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from fathom.base.failure import ExistingFileError, InputError, MissingFileError
from fathom.base.near import unknown
from fathom.output import files
from fathom.output.formats import is_zarr, roots_of_zarr, shards, zarr_layouts
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

compressions: dict[str, list[dict[str, Any]]] = {  # codecs after that of the bytes
    "lz4": [
        {
            "name": "blosc",
            "configuration": {
                "cname": "lz4",
                "clevel": 1,
                "shuffle": "shuffle",
                "typesize": 4,
                "blocksize": 0,
            },
        },
        {"name": "crc32c"},
    ],
    "zstd": [{"name": "zstd", "configuration": {"level": 1, "checksum": True}}],
    "none": [],
}

_times_per_chunk = 1024
_least = 1 << 16  # bytes of a write that is not a small one
# Seconds between two times at which arrays say how long they are in their metadata. The
# group says it of all of them at each time, which is what xarray and zarr read.
_own_metadata_every = 10.0


class ZarrWriter:
    """A Zarr store open for writing. `collective`: every rank writes the chunks it owns."""

    collective = True
    compressions = tuple(compressions)

    def __init__(self, path: str | Path, writes: files.Writes | None = None) -> None:
        """Opens a store that root has created, on any rank; FileNotFoundError, ValueError if it is
        none.
        """
        self.path = Path(path)
        self._root = _read_json(self.path / "zarr.json")
        self._arrays = self._root["consolidated_metadata"]["metadata"]
        self._own = threading.local()  # of each thread that writes: its encoders and scratch memory
        self._each: Callable[..., Any] = map  # how the chunks of a shard are encoded
        self.writes, self.stage = writes or files.Writes(), None  # a Stage: chunks go through it
        self._told, self._behind = monotonic(), False  # when arrays said their length; it has grown
        self._blocks: dict[tuple[str, int], np.ndarray] = {}  # times of the chunk that grows
        self.variables = {name: _specification(name, array) for name, array in self._arrays.items()}
        self.sizes = {
            dim: size
            for array in self._arrays.values()
            for dim, size in zip(array["dimension_names"], array["shape"])
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
        compression: str = "lz4",
        overwrite: bool = False,
    ) -> ZarrWriter:
        """Creates the store with its coordinates and no times, on the root rank only.

        coordinates: xarray.Dataset, or {name: (dims, array, attributes)}, with cell bounds. chunks:
        {dimension: size} instead of `chunk_shape`. FileExistsError, PermissionError, OSError (disk
        full).
        """
        path = Path(path)
        if compression not in compressions:
            raise InputError(unknown("compression", compression, compressions))
        arrays = coordinate_arrays(coordinates)
        sizes = sizes_of(arrays, variables)
        _make_room(path, overwrite)
        writes = files.Writes()
        as_variables = {
            held.dims[held.varies :]: chunk_of(held.dims, sizes, chunks)[held.varies :]
            for held in variables
            if len(held.dims) > 1
        }
        metadata = {
            name: _array_metadata(
                array.shape,
                as_variables.get(dims, array.shape),
                array.dtype,
                dims,
                given,
                compression,
            )
            for name, (dims, array, given) in arrays.items()
        } | {held.name: _of_variable(held, sizes, chunks, compression) for held in variables}
        metadata |= _time_metadata(time or TimeAxis())
        try:
            _write_metadata(path, metadata, attributes or {}, writes)
        except OSError as error:
            raise explain(error, path, f"creating {path}") from None
        writer = cls(path, writes)
        for name, (dims, array, _) in arrays.items():
            writer._write_coordinate(name, array, dims in as_variables and array.ndim > 1)
        return writer

    def _write_coordinate(self, name: str, array: np.ndarray, in_regions: bool) -> None:
        if not in_regions:
            self._put(name, (0,) * array.ndim, array)
            return
        for region in self.regions(name):
            south, north, west, east = region
            self.write(name, None, region, array[..., south:north, west:east])

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Returns the attributes of the whole store."""
        found: Mapping[str, Any] = self._root.get("attributes", {})
        return found

    @property
    def times(self) -> np.ndarray:
        """Returns seconds since the start of the times that are complete."""
        count = self._arrays["time"]["shape"][0]
        blocks = [self._times("time", n)[:, 0] for n in range(math.ceil(count / _times_per_chunk))]
        return np.concatenate([*blocks, np.empty(0)])[:count]

    def metadata(self, variable: str) -> dict[str, Any]:
        """Returns the array's entry in `zarr.json`."""
        result: dict[str, Any] = self._arrays[self._known(variable)]
        return result

    def regions(self, variable: str) -> Iterator[Region]:
        """Returns horizontal tiles (j0, j1, i0, i1) of a variable, in a fixed order; each needs one
        owner.
        """
        name = self._known(variable)
        shape, chunk = self._arrays[name]["shape"], _chunk(self._arrays[name])
        return regions(*self.variables[name].plane(shape), *self.variables[name].plane(chunk))

    def write(
        self,
        variable: str,
        time_index: int | tuple[int, ...] | None,
        region: Region,
        array: np.ndarray,
    ) -> None:
        """Writes array ([levels,] rows, points) over `region`, which must be whole chunks.

        time_index is (time, member) where there are members, None for a variable without time.
        ValueError (name, shape, region), OSError (disk).
        """
        name = self._known(variable)
        specification, chunk = self.variables[name], _chunk(self._arrays[name])
        array = check_block(specification, region, array, self.sizes, specification.plane(chunk))
        time = _numbers_of(time_index) if specification.varies else ()
        steps = chunk[len(time) :]
        for index, place in _chunks(array.shape, steps, region):
            block = array[place]
            self._put(name, (*time, *index), block.reshape((1,) * len(time) + block.shape))

    def read(
        self, variable: str, time_index: int | tuple[int, ...] | None, region: Region
    ) -> np.ndarray:
        """Returns what `write` has written there, also of a time that is not visible yet."""
        name = self._known(variable)
        specification, chunk = self.variables[name], _chunk(self._arrays[name])
        j0, j1, i0, i1 = region
        time = _numbers_of(time_index)
        own = specification.dims[len(time) :]
        shape = (*(self.sizes[dim] for dim in own[:-2]), *(j1 - j0, i1 - i0)[-len(own) :])
        found = np.empty(shape, specification.dtype)
        for index, place in _chunks(found.shape, chunk[len(time) :], region):
            block = self._chunk_there(name, (*time, *index))
            held = found[place]
            held[...] = block[(0,) * len(time) + tuple(map(slice, held.shape))]
        return found

    def _chunk_there(self, name: str, index: tuple[int, ...]) -> np.ndarray:
        """Returns a file of an array, of the full shape of its chunks; one that is not there has no
        valid number.
        """
        entry, specification = self._arrays[name], self.variables[name]
        full, (inner, codecs) = _chunk(entry), shards.inner_of(entry["codecs"])
        found = np.full(full, specification.fill, specification.dtype)
        file = self._file(name, index)
        if not file.exists():
            return found
        data, dtype = file.read_bytes(), _stored_type(specification)
        for place, part in shards.parts_of(data, full, inner) if inner else [(..., data)]:
            held = found[place]
            held[...] = np.frombuffer(decoded(codecs[1:], part), dtype).reshape(held.shape)
        return found

    def extend(
        self, time_index: int, seconds: float, bounds: tuple[float, float] | None = None
    ) -> None:
        """Makes time `time_index` visible: root, once all ranks have written it. seconds: since the
        start.
        """
        count = self._arrays["time"]["shape"][0]
        if time_index != count:
            raise InputError(
                f"time index {time_index} of {self.path} cannot follow {count} complete times; it"
                f" must be {count}"
            )
        if ("time_bounds" in self._arrays) != (bounds is not None):
            raise InputError(
                f"{self.path} {'needs' if bounds is None else 'has no'} time bounds"
                " (TimeAxis.bounds)"
            )
        for name, value in (("time", seconds), ("time_bounds", bounds)):
            if value is not None:
                chunk, place = divmod(time_index, _times_per_chunk)
                if (name, chunk) not in self._blocks:
                    self._blocks = {key: b for key, b in self._blocks.items() if key[1] == chunk}
                    self._blocks[name, chunk] = self._times(name, chunk)
                block = self._blocks[name, chunk]
                block[place] = value
                self._put_time(name, chunk, block, place)
        self._set_times(time_index + 1)

    def truncate(self, count: int) -> None:
        """Keeps the first `count` times (root, before a run is continued from an earlier
        restart).
        """
        if count < self._arrays["time"]["shape"][0]:
            self._told = -math.inf
            self._set_times(count)

    def encode_with(self, threads: int) -> None:
        """Lets so many threads encode the chunks of a shard from now on."""
        self.close()
        if threads > 1:
            self._pool = ThreadPoolExecutor(threads)
            self._each = self._pool.map

    def close(self) -> None:
        """Closes nothing: all metadata is written, no file is held open between writes."""
        if self._behind:
            self._told = -math.inf
            self._set_times(self.sizes["time"])
        if self._each is not map:
            self._pool.shutdown()
            self._each = map

    def _known(self, variable: str) -> str:
        if variable not in self.variables:
            raise InputError(unknown(f"variable of {self.path.name}:", variable, self.variables))
        return variable

    def _put(self, name: str, index: tuple[int, ...], block: np.ndarray) -> None:
        """Encodes and writes a file, padded to its full shape, without empty chunks."""
        entry = self._arrays[name]
        file = self._file(name, index)
        full, (inner, codecs) = _chunk(entry), shards.inner_of(entry["codecs"])
        encode = partial(self._encode, name, inner or full, codecs)
        if (
            inner
            and len(codecs) == 1
            and block.dtype == _stored_type(self.variables[name])
            and shards.lie_as_stored(block, full, inner)
        ):
            parts = shards.as_stored(
                block, inner, self._empty(name, block.reshape(-1, *inner[-2:]))
            )
        elif inner:
            parts = shards.assemble(block, full, inner, encode, self._each)
        else:
            parts = [part for part in (encode(block),) if part is not None]
        if not parts:
            file.unlink(missing_ok=True)
            return
        if name in (
            "time",
            "time_bounds",
        ):  # their chunks hold earlier times, which must not be lost
            self._deliver(files.replace, name, file, parts)
        elif self.stage is None:
            self._deliver(files.write, name, file, parts)
        else:
            self.stage.put(parts, lambda data: self._deliver(files.replace, name, file, [data]))

    def _put_time(self, name: str, chunk: int, block: np.ndarray, place: int) -> None:
        """Writes one row of a block of times, where it belongs: those before it are not touched. A
        file that is not there, or not whole, is made with all of them.
        """
        index = (chunk, 0)[: len(_chunk(self._arrays[name]))]
        file = self._file(name, index)
        if place == 0 or not file.exists() or file.stat().st_size != block.nbytes:
            self._put(name, index, block if len(index) == 2 else block[:, 0])
            return
        row = np.ascontiguousarray(block[place], "<f8")
        try:
            files.put_in(file, row, place * row.nbytes, files.OfMetadata(self.writes))
        except OSError as error:
            raise explain(error, self.path, f"writing {name!r} to {self.path}") from None

    def _file(self, name: str, index: tuple[int, ...]) -> Path:
        separator = self._arrays[name]["chunk_key_encoding"]["configuration"]["separator"]
        result: Path = self.path / name / separator.join(["c", *map(str, index)])
        return result

    def _deliver(self, put: Callable[..., Any], name: str, file: Path, parts: list[Any]) -> None:
        try:
            varies = name not in ("time", "time_bounds") and self.variables[name].varies
            writes = self.writes if varies else files.OfMetadata(self.writes)
            try:
                put(file, parts, writes)
            except FileNotFoundError:
                file.parent.mkdir(parents=True, exist_ok=True)
                put(file, parts, writes)
        except OSError as error:
            raise explain(error, self.path, f"writing {name!r} to {self.path}") from None

    def _encode(
        self, name: str, full: tuple[int, ...], codecs: list[dict[str, Any]], block: np.ndarray
    ) -> Any:
        """Returns the bytes of a chunk of shape `full`, at whose front the block lies; None where
        there is no valid number.
        """
        specification = self.variables[name]
        if self._empty(name, block[None]).any():
            return None
        dtype, plain = _stored_type(specification), len(codecs) == 1
        if block.shape != full or block.dtype != dtype or not block.flags.c_contiguous:
            block = self._padded(full, dtype, specification.fill, block, keep=plain)
        if plain:
            return block.reshape(-1).view(np.uint8)
        encoders = self._own.__dict__.setdefault("encoders", {})
        if name not in encoders:
            encoders[name] = encoder(codecs[1:])
        return encoders[name](block)

    def _empty(self, name: str, blocks: np.ndarray) -> np.ndarray:
        """Returns which blocks have no valid number: most show one among a few that lie far
        apart."""
        if blocks.dtype.kind != "f" or not math.isnan(self.variables[name].fill) or not blocks.size:
            return np.zeros(len(blocks), bool)
        some = (slice(None), *(slice(size // 8, None, size // 4 + 1) for size in blocks.shape[1:]))
        empty: np.ndarray = np.isnan(blocks[some]).all(axis=tuple(range(1, blocks.ndim)))
        for n in np.flatnonzero(empty):
            empty[n] = np.isnan(blocks[n]).all()
        return empty

    def _padded(
        self, full: tuple[int, ...], dtype: np.dtype, fill: float, block: np.ndarray, keep: bool
    ) -> np.ndarray:
        """Returns the block in the type and full shape of the chunk, in memory that is used again
        and again, or to keep.
        """
        kept = self._own.__dict__.setdefault("scratch", {})
        scratch = np.empty(full, dtype) if keep else kept.get((full, dtype))
        if scratch is None:
            scratch = kept[full, dtype] = np.empty(full, dtype)
        if block.shape != full:
            scratch[...] = 0 if dtype.kind != "f" and math.isnan(fill) else fill
        np.copyto(scratch[tuple(map(slice, block.shape))], block, casting="same_kind")
        return scratch

    def _times(self, name: str, chunk: int) -> np.ndarray:
        """Returns the stored times of one chunk, (times, columns), NaN where none were written."""
        full = _chunk(self._arrays[name])
        values = np.full((full[0], full[1] if len(full) > 1 else 1), np.nan)
        file = self._file(name, (chunk, 0)[: len(full)])
        if file.exists():
            values.flat[:] = np.frombuffer(file.read_bytes(), "<f8")
        return values

    def _set_times(self, count: int) -> None:
        """Updates the metadata of the group at once, those of arrays only sometimes and at the
        end.
        """
        grows = [name for name, a in self._arrays.items() if "time" in a["dimension_names"]]
        for name in grows:
            entry = self._arrays[name]
            entry["shape"][entry["dimension_names"].index("time")] = count
        self._behind = monotonic() - self._told < _own_metadata_every
        try:
            if not self._behind:
                for name in grows:
                    _write_json(self.path / name / "zarr.json", self._arrays[name], self.writes)
                self._told = monotonic()
            _write_json(self.path / "zarr.json", self._root, self.writes)
        except OSError as error:
            raise explain(error, self.path, f"extending the time of {self.path}") from None
        self.sizes["time"] = count


def open_dataset(path: Path) -> Any:
    """Returns the store as a lazy xarray.Dataset of its complete times. ValueError: another
    folder."""
    import xarray

    if not is_zarr(path):
        if not path.is_dir():
            raise InputError(f"{path} is not a Zarr store: it has no {' or '.join(roots_of_zarr)}")
        held = sorted({p.parent.name for root in roots_of_zarr for p in path.glob(f"*/{root}")})
        rest = f"; there are stores in it: {', '.join(held)}" if held else ""
        raise InputError(
            f"{path} is a folder but not a Zarr store: it has no {' or '.join(roots_of_zarr)}{rest}"
        )
    at_once = _has_all_metadata(path)
    zarr_layouts.check(path)
    return with_dates(xarray.open_zarr(path, chunks=None, consolidated=at_once, decode_times=False))


def _has_all_metadata(path: Path) -> bool:
    """Returns whether one file describes all arrays of a store."""
    root = path / "zarr.json"
    if root.is_file():
        return bool(json.loads(root.read_text()).get("consolidated_metadata"))
    return (path / ".zmetadata").is_file()


def _make_room(path: Path, overwrite: bool) -> None:
    """Removes an earlier store where that is allowed; never a folder that is not one."""
    if path.is_dir() and not any(path.iterdir()):
        return
    if path.exists():
        if not overwrite:
            raise no_overwrite(path)
        if not (path / "zarr.json").is_file() and not _is_unfinished(path):
            raise ExistingFileError(f"{path} exists and is not a Zarr store; it is not replaced")
        try:
            shutil.rmtree(path)
        except OSError as error:
            raise explain(error, path, f"replacing {path}") from None


def _is_unfinished(path: Path) -> bool:
    """Returns whether it is an unfinished store of a killed run: folders of arrays with their
    metadata, but no metadata of the group.
    """
    inside = [] if not path.is_dir() else list(path.iterdir())
    return bool(inside) and all(
        entry.is_dir()
        and all(
            file.name.endswith("zarr.json") or file.name.startswith(".zarr.json")
            for file in entry.iterdir()
        )
        for entry in inside
    )


def _write_metadata(
    path: Path, metadata: dict[str, Any], attributes: Mapping[str, Any], writes: files.Writes
) -> None:
    """Writes the metadata of each array, and of the group with all of them."""
    for name, entry in metadata.items():
        (path / name).mkdir(parents=True, exist_ok=True)
        _write_json(path / name / "zarr.json", entry, writes)
    root = {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": {"Conventions": "CF-1.11", **attributes},
        "consolidated_metadata": {
            "kind": "inline",
            "must_understand": False,
            "metadata": metadata,
        },
    }
    _write_json(path / "zarr.json", root, writes)


def _array_metadata(
    shape: Sequence[int],
    chunk: Sequence[int],
    dtype: Any,
    dims: Sequence[str],
    attributes: Mapping[str, Any],
    compression: str,
    fill: float = math.nan,
    sharded: bool = False,
) -> dict[str, Any]:
    """Returns the metadata of an array whose files hold `chunk` each, cut into smaller chunks where
    they are large.
    """
    dtype = np.dtype(dtype)
    is_float = dtype.kind == "f"
    codecs: list[dict[str, Any]] = [{"name": "bytes", "configuration": {"endian": "little"}}]
    for codec in compressions[compression]:
        if codec["name"] == "blosc":
            sized = {**codec["configuration"], "typesize": dtype.itemsize}
            codec = {**codec, "configuration": sized}
        codecs.append(codec)
    chunk = tuple(max(1, n) for n in chunk)
    if sharded:
        full, inner = shards.cut(chunk)
        if full != inner:
            chunk, codecs = full, [shards.metadata(inner, codecs)]
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": dtype.name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunk)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "fill_value": (
            "NaN"
            if is_float and math.isnan(fill)
            else float(fill)
            if is_float
            else 0
            if math.isnan(fill)
            else int(fill)
        ),
        "codecs": codecs,
        "attributes": {key: _plain(value) for key, value in attributes.items()},
        "dimension_names": list(dims),
        "storage_transformers": [],
    }


def _of_variable(
    variable: VariableSpec,
    sizes: Mapping[str, int],
    chunks: Mapping[str, int] | None,
    compression: str,
) -> dict[str, Any]:
    """Returns the metadata of a variable while there is no time."""
    chunk = chunk_of(variable.dims, sizes, chunks)
    return _array_metadata(
        tuple(0 if dim == "time" else sizes[dim] for dim in variable.dims),
        chunk,
        np.dtype(variable.dtype),
        variable.dims,
        variable.attributes,
        "none" if _is_small(variable, chunk) else compression,
        variable.fill,
        sharded=len(variable.dims) > 1,
    )


def _is_small(variable: VariableSpec, chunk: tuple[int, ...]) -> bool:
    """Returns whether the file of a time has 64 KiB or more without compression, but less with it:
    file systems write large pieces faster than small ones.
    """
    size = math.prod(chunk) * np.dtype(variable.dtype).itemsize
    return bool(variable.varies) and _least <= size < 4 * _least


def _time_metadata(time: TimeAxis) -> dict[str, Any]:
    """Returns metadata of time and its bounds: uncompressed, so that a chunk is its numbers."""
    result = {
        "time": _array_metadata(
            (0,), (_times_per_chunk,), "float64", ("time",), time.attributes, "none"
        )
    }
    if time.bounds:
        result["time_bounds"] = _array_metadata(
            (0, 2), (_times_per_chunk, 2), "float64", ("time", "bounds"), {}, "none"
        )
    return result


def _specification(name: str, entry: dict[str, Any]) -> VariableSpec:
    fill = math.nan if entry["fill_value"] == "NaN" else entry["fill_value"]
    return VariableSpec(
        name, tuple(entry["dimension_names"]), entry["data_type"], entry["attributes"], fill
    )


def _stored_type(specification: VariableSpec) -> np.dtype:
    return np.dtype(specification.dtype).newbyteorder("<")


def _chunk(entry: dict[str, Any]) -> tuple[int, ...]:
    return tuple(entry["chunk_grid"]["configuration"]["chunk_shape"])


def encoder(codecs: list[dict[str, Any]]) -> Callable[[Any], Any]:
    """Returns the encoder of the bytes of a chunk, from the codecs after the codec of bytes; one
    thread, so that equal input gives equal bytes.
    """
    configuration = codecs[0]["configuration"]
    encode: Callable[[Any], Any]
    if codecs[0]["name"] == "zstd":
        from numcodecs.zstd import Zstd

        encode = Zstd(configuration["level"], configuration["checksum"]).encode
        return encode
    import google_crc32c
    from numcodecs import blosc

    blosc.use_threads = False
    encode = blosc.Blosc(configuration["cname"], configuration["clevel"], blosc.SHUFFLE).encode
    if len(codecs) == 1:  # of a store of before
        return encode

    def with_sum(block: Any) -> bytes:
        found: bytes = encode(block)
        check: bytes = google_crc32c.value(found).to_bytes(4, "little")
        return found + check

    return with_sum


def decoded(codecs: list[dict[str, Any]], data: bytes) -> Any:
    """Returns the bytes of a chunk that `encoder` has made of them."""
    if not codecs:
        return data
    if codecs[0]["name"] == "zstd":
        from numcodecs.zstd import Zstd

        return Zstd().decode(data)
    from numcodecs import blosc

    return blosc.Blosc().decode(data[:-4] if len(codecs) > 1 else data)


def _numbers_of(time_index: int | tuple[int, ...] | None) -> tuple[int, ...]:
    """Returns the numbers of time, and of a member."""
    if time_index is None:
        return ()
    return time_index if isinstance(time_index, tuple) else (time_index,)


def _chunks(
    shape: tuple[int, ...], steps: tuple[int, ...], region: Region
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Yields the number of each chunk of a region, and where it lies in an array of that shape."""
    offset = ((0,) * (len(shape) - 2) + (region[0], region[2]))[-len(shape) :]
    for start in np.ndindex(*(math.ceil(n / step) for n, step in zip(shape, steps))):
        index = tuple(o // step + s for o, step, s in zip(offset, steps, start))
        yield index, tuple(slice(s * step, (s + 1) * step) for s, step in zip(start, steps))


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _write_json(file: Path, content: dict[str, Any], writes: files.Writes) -> None:
    files.replace(file, [json.dumps(content).encode()], files.OfMetadata(writes))


def _read_json(file: Path) -> dict[str, Any]:
    if not file.is_file():
        raise MissingFileError(f"{file.parent} is not a Zarr v3 store: it has no {file.name}")
    content: dict[str, Any] = json.loads(file.read_text())
    if content.get("zarr_format") != 3 or "consolidated_metadata" not in content:
        raise InputError(f"{file.parent} is not a Zarr v3 store with consolidated metadata")
    return content
