"""Tables of text and what is kept of them: the same bits, made anew where text or cache are others
than they were, faults with their line.
"""

import os

import numpy as np
import pytest

from fathom.base import cache
from fathom.data.input import table as module
from fathom.data.input.table import table


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A table of 160 kB and what is in it; texts that are read again."""
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    values = np.random.default_rng(1).normal(size=(2000, 5))
    file = tmp_path / "table.txt"
    np.savetxt(file, values, fmt="%15.8E", header="numbers")
    os.utime(file, (1e9, 1e9))
    read, parse = [], module.parsed
    monkeypatch.setattr(module, "parsed", lambda text, name: read.append(name) or parse(text, name))
    return file, np.loadtxt(file), read


def kept():
    return list(cache.folder("tables").iterdir())


def test_read_once(written):
    file, values, read = written
    for _ in range(3):
        assert np.array_equal(table(file).view(np.int64), values.view(np.int64))
    assert (
        len(read) == 1 and len(kept()) == 1 and kept()[0].stat().st_size < 0.5 * file.stat().st_size
    )


def test_another_time_of_the_same_text(written):
    file, values, read = written
    table(file)
    os.utime(file)
    assert np.array_equal(table(file), values) and len(read) == 1


@pytest.mark.parametrize("when", [1e9, None])
def test_another_text_of_the_same_size(written, when):
    file, values, read = written
    os.utime(file)
    table(file)
    text = file.read_bytes()
    file.write_bytes(text.replace(b"E+00", b"E+01"))
    os.utime(file, when and (when, when))
    assert (
        np.array_equal(table(file), np.loadtxt(file))
        and not np.array_equal(table(file), values)
        and len(read) == 2
    )


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-100],
        lambda content: content[:200],
        lambda content: b"",
        lambda content: content.replace(b"2000", b"1000"),
        lambda content: content[:5000] + bytes([content[5000] ^ 1]) + content[5001:],
    ],
)
def test_a_damaged_cache_is_made_anew(written, damage):
    file, values, read = written
    table(file)
    place = kept()[0]
    place.write_bytes(damage(place.read_bytes()))
    for _ in range(2):
        assert np.array_equal(table(file), values)
    assert len(read) == 2 and kept() == [place]


def test_without_a_cache(written, monkeypatch, tmp_path):
    file, values, read = written
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "file"))
    assert (
        np.array_equal(table(file), values)
        and np.array_equal(table(file), values)
        and len(read) == 2
    )


def test_what_a_table_may_hold(tmp_path):
    file = tmp_path / "small.txt"
    file.write_text("! depth, m\n1, 2.5d1  -3e2 # and so on\n\n 4 5 6")
    assert table(file).tolist() == [[1, 25, -300], [4, 5, 6]]


@pytest.mark.parametrize(
    "text, message",
    [
        ("1 2\n\n3 four 5\n", "small.txt, line 3: 'four' is not a number"),
        ("# a\n1 2\n3\n", "small.txt, line 3: 1 numbers, the lines before have 2"),
        ("", "small.txt has no numbers"),
        ("# nothing\n", "small.txt has no numbers"),
        ("1 \0\n", "line 1"),
    ],
)
def test_faults(tmp_path, text, message):
    file = tmp_path / "small.txt"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        table(file)


def test_no_file(tmp_path):
    (tmp_path / "depth.txt").write_text("1")
    with pytest.raises(FileNotFoundError, match=r"there is no table .*; did you mean 'depth.txt'"):
        table(tmp_path / "dept.txt")


def test_tables_of_a_grid(tmp_path):
    from fathom.grids import CartesianGrid, ZLevels

    depth = np.full((4, 6), 400.0)
    depth[0] = 0
    np.savetxt(tmp_path / "depth.txt", depth)
    (tmp_path / "levels.txt").write_text("100\n100\n200\n")
    grid = CartesianGrid(
        nx=6,
        ny=4,
        extent=[6e5, 4e5],
        levels=ZLevels(thickness=str(tmp_path / "levels.txt")),
        bathymetry=str(tmp_path / "depth.txt"),
    )
    assert (
        grid.levels.weights.tolist() == [100, 100, 200]
        and (grid.wet_levels[1:] == 3).all()
        and not grid.wet_levels[0].any()
    )
    with pytest.raises(ValueError, match=r"bathymetry has shape \(4, 6\)"):
        CartesianGrid(nx=5, ny=4, extent=[6e5, 4e5], bathymetry=str(tmp_path / "depth.txt"))
