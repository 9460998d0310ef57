"""Shards: many small chunks in one file, read bit for bit by others; what is empty is left out;
calls that write are large and counted.
"""

import json
import os

import numpy as np
import pytest

from fathom import output
from fathom.output import files
from fathom.output.formats import shards

nz, ny, nx = 5, 90, 130


def store(path, monkeypatch, compression="zstd", threads=1, points=1 << 11, **options):
    """One float and one integer field, two times; the south-west is land, and all of the lowest
    level.
    """
    monkeypatch.setattr(shards, "points", points)
    grid = {
        "level": (("level",), np.arange(nz) * 1.0),
        "y": (("y",), np.arange(ny) * 1.0),
        "x": (("x",), np.arange(nx) * 1.0),
    }
    specs = [
        output.VariableSpec("t", ("time", "level", "y", "x")),
        output.VariableSpec("n", ("time", "y", "x"), "int32"),
    ]
    writer = output.create(
        path, grid, specs, time=output.TimeAxis(), compression=compression, **options
    )
    writer.encode_with(threads)
    fields = []
    for time in range(2):
        values = np.random.default_rng(time).standard_normal((nz, ny, nx))
        values[-1] = values[:, :50, :70] = np.nan
        fields.append(
            {
                "t": values.astype("float32"),
                "n": np.arange(ny * nx, dtype="int32").reshape(ny, nx) + time,
            }
        )
        for name, field in fields[-1].items():
            for j0, j1, i0, i1 in writer.regions(name):
                writer.write(name, time, (j0, j1, i0, i1), field[..., j0:j1, i0:i1])
        writer.extend(time, 3600.0 * time)
    writer.close()
    return writer, fields


def content(path):
    return {
        str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()
    }


@pytest.mark.parametrize("compression", ["zstd", "lz4", "none"])
@pytest.mark.parametrize("chunks", [None, {"y": 40, "x": 60, "level": 2}])
def test_others_read_the_same_bits(tmp_path, monkeypatch, compression, chunks):
    import zarr

    _, fields = store(tmp_path / "a.zarr", monkeypatch, compression, chunks=chunks)
    opened = zarr.open_group(tmp_path / "a.zarr")
    for name in ("t", "n"):
        assert opened[name].shards is not None and opened[name].chunks != opened[name].shards
        for time, field in enumerate(fields):
            np.testing.assert_array_equal(opened[name][time], field[name])
            try:
                import tensorstore
            except ImportError:
                continue
            if compression != "lz4":
                array = tensorstore.open(
                    {
                        "driver": "zarr3",
                        "kvstore": {"driver": "file", "path": str(tmp_path / "a.zarr" / name)},
                    }
                ).result()
                np.testing.assert_array_equal(array[time].read().result(), field[name])
    with output.open(tmp_path / "a.zarr") as dataset:
        np.testing.assert_array_equal(dataset.t.isel(time=1, level=2).values, fields[1]["t"][2])


def test_bytes_do_not_depend_on_threads(tmp_path, monkeypatch):
    for threads in (1, 3):
        store(tmp_path / f"{threads}.zarr", monkeypatch, threads=threads)
    assert content(tmp_path / "1.zarr") == content(tmp_path / "3.zarr")


def test_what_is_empty_is_left_out(tmp_path, monkeypatch):
    store(tmp_path / "a.zarr", monkeypatch, "none", chunks={"y": 45, "x": 65})
    assert not (tmp_path / "a.zarr/t/c.0.0.0.0").exists()  # land
    entry = json.loads((tmp_path / "a.zarr/t/zarr.json").read_text())
    full, inner = (
        entry["chunk_grid"]["configuration"]["chunk_shape"],
        entry["codecs"][0]["configuration"]["chunk_shape"],
    )
    number = np.prod(full) // np.prod(inner)
    file = (tmp_path / "a.zarr/t/c.0.0.0.1").read_bytes()
    index = np.frombuffer(file[-16 * number - 4 : -4], "<u8").reshape(-1, 2)
    there = index[:, 0] != np.iinfo(np.uint64).max
    levels = there.reshape(nz, -1)
    assert levels[:-1].all() and not levels[-1].any()
    assert (
        index[there, 1].sum() + 16 * number + 4 == len(file)
        and (np.diff(index[there, 0]) == index[there, 1][:-1]).all()
    )


@pytest.mark.parametrize(
    "shape", [(1, 40, 150, 360), (1, 62, 300, 226), (1, 1440, 3600), (1, 7, 3, 5), (1, 3, 5)]
)
def test_chunks_divide_the_shard(shape):
    full, inner = shards.cut(shape)
    assert (
        all(a % b == 0 and a >= n for a, b, n in zip(full, inner, shape))
        and np.prod(inner) <= 1.05 * shards.points
    )
    assert np.prod(full) <= 1.05 * np.prod(shape) or np.prod(shape) < 1000


def test_calls_are_counted_and_large(tmp_path, monkeypatch):
    writer, _ = store(tmp_path / "a.zarr", monkeypatch, "none", points=1 << 17)
    counts = writer.writes.counts
    stored = sum(file.stat().st_size for file in (tmp_path / "a.zarr").rglob("*") if file.is_file())
    assert sum(n for _, n in counts.values()) >= stored  # metadata are written again and again
    large = {n: c for n, c in counts.items() if n >= 17}
    assert sum(calls for calls, _ in large.values()) == 2  # the shards of t, each in one call
    assert files.merged([counts, counts])[max(counts)] == [2 * n for n in counts[max(counts)]]
    assert 0.7 < files.share_of_large(counts) < 1


def test_a_call_that_takes_a_part_is_continued(tmp_path, monkeypatch):
    buffers = [np.arange(n, dtype=np.uint8) for n in (5, 100, 0, 77)]
    whole = os.writev
    monkeypatch.setattr(
        os, "writev", lambda descriptor, views: whole(descriptor, [b"".join(views)[:31]])
    )
    writes = files.Writes()
    files.write(tmp_path / "a", buffers, writes)
    assert (tmp_path / "a").read_bytes() == b"".join(b.tobytes() for b in buffers)
    assert (
        sum(size for _, size in writes.counts.values()) == 182
        and sum(calls for calls, _ in writes.counts.values()) == 6
    )
