"""Restarts: bit for bit, and a file that is not whole or not of this grid says so."""

from __future__ import annotations

import errno
import json
import os
import zlib

import numpy as np
import pytest

from fathom.output import files
from fathom.output.formats import restart

random = np.random.default_rng(0)
depth, wet = np.linspace(5, 5000, 6), random.integers(0, 6, (20, 30))
grid = restart.fingerprint(depth=depth, wet_levels=wet)


def fields(dtype="float64"):
    return {
        "temperature": random.standard_normal((6, 20, 30)).astype(dtype),
        "sea_surface_height": random.standard_normal((1, 20, 30)).astype(dtype),
    }


def header(precision="float64"):
    return restart.Header(
        7200.0, "2000-01-01 00:00:00", "noleap", 2, precision, grid, {"mean": {"weight": 3}}
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_written_is_what_is_read(tmp_path, dtype, monkeypatch):
    monkeypatch.setattr(restart, "_band", 3 * 6 * 30 * 8)  # several bands, the last one smaller
    path, written = tmp_path / "state.fathom", fields(dtype)
    written["temperature"][0, 0, 0] = np.nan
    restart.write(path, written, header(dtype))
    with restart.read(path, grid=grid, fields=["temperature"]) as read:
        assert read.header == header(dtype) and read.names == tuple(written)
        for name, array in written.items():
            assert (
                read[name].dtype == array.dtype
                and np.ascontiguousarray(read[name]).tobytes() == array.tobytes()
                and read[name].shape == array.shape
            )
        text = path.read_bytes()
        entry = json.loads(text[33 : 33 + int(text[17:32])])["fields"]["temperature"]
        first = -(-(33 + int(text[17:32]) + 4) // 65536) * 65536 + entry["place"]
    bands = [
        np.memmap(path, dtype, "r", first + n * entry["stride"], (min(rows, 20 - row), 6, 30))
        for rows in [entry["rows"]]
        for n, row in enumerate(range(0, 20, rows))
    ]
    assert len(bands) > 1
    np.testing.assert_array_equal(np.concatenate(bands).swapaxes(0, 1), written["temperature"])
    assert [p.name for p in tmp_path.iterdir()] == ["state.fathom"]


def test_bands_come_in_any_order_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.setattr(restart, "_band", 4 * 6 * 30 * 8)
    state = {"temperature": fields()["temperature"]}
    restart.write(tmp_path / "a.fathom", state, header())
    begun = restart.create(tmp_path / "b.fathom", header(), {"temperature": (6, 20, 30)})
    here, there, writes = begun, restart.Begun(tmp_path / "b.fathom"), files.Writes()
    for row in (16, 0, 8, 12, 4):
        here, there = there, here
        here.write_band("temperature", row, state["temperature"][:, row : row + 4], writes)
    assert sum(calls for calls, _ in writes.counts.values()) == 5
    with pytest.raises(ValueError, match="no band of 4 rows"):
        begun.write_band("temperature", 2, state["temperature"][:, 2:6], writes)
    assert not (tmp_path / "b.fathom").exists()
    restart.finish(tmp_path / "b.fathom")
    assert (tmp_path / "a.fathom").read_bytes() == (tmp_path / "b.fathom").read_bytes()


def test_the_same_state_gives_the_same_bytes(tmp_path):
    state = fields()
    restart.write(tmp_path / "a.fathom", state, header())
    restart.write(
        tmp_path / "b.fathom",
        {name: np.array(array, order="F") for name, array in state.items()},
        header(),
    )
    assert (tmp_path / "a.fathom").read_bytes() == (tmp_path / "b.fathom").read_bytes()


@pytest.mark.parametrize("keep", [0, 100, 0.5, 0.99])
def test_a_truncated_file_is_refused(tmp_path, keep):
    path = tmp_path / "restart.fathom"
    restart.write(path, fields(), header())
    whole = path.read_bytes()
    path.write_bytes(whole[: int(keep if keep >= 1 else keep * len(whole))])
    with pytest.raises(
        ValueError, match="not a whole restart: (its header is damaged or )?truncated"
    ):
        restart.read(path)


@pytest.mark.parametrize(
    "place, message",
    [
        (65536 + 6 * 20 * 30 * 4, "field 'temperature' is damaged .rows 0 to 19"),
        (65536 + 6 * 20 * 30 * 8 + 1000, "field 'temperature' is damaged"),  # what fills its block
        (65000, "header is damaged"),  # what fills the header's
    ],
)
def test_a_flipped_bit_is_noticed(place, message, tmp_path):
    path = tmp_path / "restart.fathom"
    restart.write(path, fields(), header())
    whole = bytearray(path.read_bytes())
    whole[place] ^= 1
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=message):
        restart.read(path)["temperature"]


def test_another_grid_is_named_part_by_part(tmp_path):
    path = tmp_path / "restart.fathom"
    restart.write(path, fields(), header())
    other = wet.copy()
    other[3, 3] += 1
    with pytest.raises(
        ValueError, match="another grid: wet_levels has the same shape 20 x 30 but other values$"
    ):
        restart.read(path, grid=restart.fingerprint(depth=depth, wet_levels=other))
    with pytest.raises(ValueError, match="depth has shape 6 in the restart, 4 here"):
        restart.read(path, grid=restart.fingerprint(depth=depth[:4], wet_levels=wet))
    with pytest.raises(ValueError, match="longitude is only in this grid"):
        restart.read(path, grid=restart.fingerprint(depth=depth, wet_levels=wet, longitude=depth))


def test_missing_file_field_version_and_header(tmp_path):
    path = tmp_path / "restart.fathom"
    with pytest.raises(FileNotFoundError, match="does not exist"):
        restart.read(path)
    restart.write(path, fields(), header())
    with pytest.raises(
        ValueError, match="lacks 'salinity', which this model needs; it holds temperature"
    ):
        restart.read(path, fields=["temperature", "salinity"])
    with pytest.raises(ValueError, match="unknown field 'temprature'; did you mean 'temperature'"):
        restart.read(path)["temprature"]
    other = path.with_name("other.fathom")
    other.write_bytes(path.read_bytes().replace(b"Fathom restart 5", b"Fathom restart 9", 1))
    with pytest.raises(ValueError, match="version 9; this Fathom reads versions 3, 4 and 5"):
        restart.read(other)
    np.savez(path.with_suffix(".npz"), a=depth)
    with pytest.raises(ValueError, match="another kind of file"):
        restart.read(path.with_suffix(".npz"))


def test_a_failed_write_keeps_the_earlier_restart(tmp_path, monkeypatch):
    path = tmp_path / "restart.fathom"
    restart.write(path, fields(), header())
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwritev", full)
    with pytest.raises(OSError, match="disk full while writing restart"):
        restart.write(path, fields(), header())
    assert path.read_bytes() == before
    monkeypatch.undo()
    with pytest.raises(OSError, match="writing restart"):
        restart.write(tmp_path / "nowhere" / "restart.fathom", fields(), header())


def test_every_bit_of_the_header_counts(tmp_path):
    """One bit turned over, anywhere before the fields: an error, or the same (a blank before the
    length may become a 0); never another start, calendar or number of steps.
    """
    path, damaged = tmp_path / "restart.fathom", tmp_path / "damaged.fathom"
    restart.write(path, fields(), header())
    whole = path.read_bytes()
    end = 33 + int(whole[17:32]) + 4
    for bit in range(0, 8 * end, 7):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        damaged.write_bytes(flipped)
        try:
            with restart.read(damaged) as found:
                assert found.header == header() and bit < 8 * 33
        except ValueError as error:
            assert "restart" in str(error)  # noqa: PT017  one of two outcomes


def test_a_restart_is_opened_once(tmp_path, monkeypatch):
    opened, of_system = [], os.open
    monkeypatch.setattr(
        os, "open", lambda path, *how: (opened.append(str(path)), of_system(path, *how))[1]
    )
    restart.write(tmp_path / "a.fathom", fields(), header())
    assert len([path for path in opened if path.endswith(".partial")]) == 1 and len(opened) == 2


def test_no_write_is_small(tmp_path, monkeypatch):
    """Whole blocks of 64 KiB: header, and bands with their sums, the last band of a field too."""
    monkeypatch.setattr(restart, "_band", 3 * 6 * 30 * 8)
    sizes, of_system = [], os.pwritev

    def counted(file, views, place):
        sizes.append(of_system(file, views, place))
        assert place % 65536 == 0
        return sizes[-1]

    def none(*_):
        raise AssertionError("another call")

    monkeypatch.setattr(os, "pwritev", counted)
    for name in ("pwrite", "write", "writev"):
        monkeypatch.setattr(os, name, none)
    restart.write(tmp_path / "a.fathom", fields(), header())
    assert len(sizes) == 1 + 7 + 2 and all(size % 65536 == 0 for size in sizes)
    assert sum(sizes) == (tmp_path / "a.fathom").stat().st_size


def test_version_4_is_read(tmp_path):
    """Sums behind the header, fields without gaps, each from a whole page on."""
    state = fields()
    values = {name: array.swapaxes(0, 1).tobytes() for name, array in state.items()}
    table, sums, place = {}, b"", 0
    for name, array in state.items():
        levels, rows, points = array.shape
        table[name] = {"shape": [levels, rows, points], "dtype": "<f8", "rows": 8}
        table[name] |= {"sums": len(sums) // 4, "place": place}
        row = 8 * levels * points
        for first in range(0, rows, 8):
            band = values[name][first * row : (first + 8) * row]
            sums += zlib.crc32(band).to_bytes(4, "little")
        place = -(-(place + rows * row) // 4096) * 4096
    known = vars(header()) | {"bytes": place, "bands": len(sums) // 4, "fields": table}
    text = json.dumps(known).encode()
    start = b"Fathom restart 4\n" + f"{len(text):15d}\n".encode() + text
    start += zlib.crc32(text).to_bytes(4, "little") + sums
    content = start.ljust(-(-len(start) // 4096) * 4096, b"\0")
    for name in table:
        content += values[name].ljust(-(-len(values[name]) // 4096) * 4096, b"\0")
    (tmp_path / "old.fathom").write_bytes(content)
    with restart.read(tmp_path / "old.fathom", grid=grid) as read:
        assert read.header == header()
        for name, array in state.items():
            assert np.array_equal(read[name], array)
