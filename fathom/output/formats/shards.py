"""Shards of Zarr v3: many small chunks in one file (codec sharding_indexed).

    chunk ... chunk, then for each chunk of the shard, in the order of C, its offset and size (both
    uint64, all bits set: not stored), then the crc32c of these numbers

One level of the tile, cut in equal parts of at most 2^17 numbers, is a chunk: a map of one level
reads only these. Empty ones are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fathom.output.specification import tiling

points = (
    1 << 17
)  # numbers of a chunk, at most: 512 KB of float32 stay in the cache while they are compressed
_absent = np.iinfo(np.uint64).max


def cut(shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the shape of a shard that holds about `shape`, and that of its chunks, which divides
    it.
    """
    rows, columns = 1, 1
    if len(shape) > 1:
        ny, nx = shape[-2:]
        rows, columns = tiling(ny, nx, math.ceil(ny * nx / points))
    inner = (*(1 for _ in shape[:-2]), math.ceil(shape[-2] / rows), math.ceil(shape[-1] / columns))
    return (*shape[:-2], inner[-2] * rows, inner[-1] * columns), inner


def metadata(inner: Sequence[int], codecs: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the entry under `codecs` of an array whose files are shards."""
    index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
    return {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": list(inner),
            "codecs": codecs,
            "index_codecs": index,
            "index_location": "end",
        },
    }


def inner_of(codecs: list[dict[str, Any]]) -> tuple[tuple[int, ...] | None, list[dict[str, Any]]]:
    """Returns shape (None: the files are no shards) and codecs of the chunks."""
    if codecs[0]["name"] != "sharding_indexed":
        return None, codecs
    configuration = codecs[0]["configuration"]
    return tuple(configuration["chunk_shape"]), configuration["codecs"]


def assemble(
    block: np.ndarray,
    full: Sequence[int],
    inner: Sequence[int],
    encode: Callable[[np.ndarray], Any],
    each: Callable[..., Any] = map,
) -> list[Any]:
    """Returns the parts of the file for `block`, which fills the front of a shard of shape `full`;
    none where it is empty. encode(part of a block): the bytes of a chunk, None where there is
    nothing; each: `map`, or that of several threads.
    """
    places = _chunks_within(block.shape, full, inner)
    encoded = iter(each(encode, [block[place] for place in places if place is not None]))
    chunks = [None if place is None else next(encoded) for place in places]
    return _with_index(
        [chunk for chunk in chunks if chunk is not None],
        [0 if chunk is None else memoryview(chunk).nbytes for chunk in chunks],
    )


def _chunks_within(
    shape: Sequence[int], full: Sequence[int], inner: Sequence[int]
) -> list[tuple[slice, ...] | None]:
    """Returns where each chunk of a shard lies in a block of this shape; None: beyond it."""
    counts = [a // b for a, b in zip(full, inner)]
    firsts = [[n * step for n, step in zip(index, inner)] for index in np.ndindex(*counts)]
    return [
        tuple(slice(first, first + step) for first, step in zip(corner, inner))
        if all(first < size for first, size in zip(corner, shape))
        else None
        for corner in firsts
    ]


def parts_of(
    data: bytes, full: Sequence[int], inner: Sequence[int]
) -> list[tuple[tuple[slice, ...], bytes]]:
    """Returns where each chunk of the file of a shard lies in it, and its bytes."""
    places = _chunks_within(full, full, inner)
    index = np.frombuffer(data[-16 * len(places) - 4 : -4], "<u8").reshape(-1, 2)
    return [
        (place, data[int(begin) : int(begin + size)])
        for place, (begin, size) in zip(places, index)
        if place is not None and begin != _absent
    ]


def lie_as_stored(block: np.ndarray, full: Sequence[int], inner: Sequence[int]) -> bool:
    """Returns whether the chunks of a shard lie in memory one after another, as they do in the
    file.
    """
    return block.shape == tuple(full) and full[-1] == inner[-1] and block.flags.c_contiguous


def as_stored(block: np.ndarray, inner: Sequence[int], empty: np.ndarray) -> list[Any]:
    """Returns `assemble` for numbers that are stored as they are and lie so: chunks side by side
    are one part. empty: which of them are left out.
    """
    chunks = block.reshape(len(empty), -1).view(np.uint8)
    edges = np.flatnonzero(np.diff(~empty, prepend=False, append=False))
    return _with_index(
        [chunks[first:last] for first, last in edges.reshape(-1, 2)],
        np.where(empty, 0, chunks.shape[1]),
    )


def _with_index(parts: list[Any], sizes: Any) -> list[Any]:
    """Returns parts of a file, and where the chunks in them lie, of so many bytes each; 0: left
    out.
    """
    sizes = np.array(sizes, np.uint64)
    if not parts:
        return []
    index = np.stack([np.cumsum(sizes, dtype=np.uint64) - sizes, sizes], axis=1)
    index[sizes == 0] = _absent
    import google_crc32c

    numbers = index.astype("<u8").tobytes()
    return [*parts, numbers + google_crc32c.value(numbers).to_bytes(4, "little")]
