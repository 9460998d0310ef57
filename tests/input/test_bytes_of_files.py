"""Bytes read of each file, where the reader of one opens another."""

from pathlib import Path

import pytest

from fathom.base import mpi, reading, system_calls
from fathom.base.reading import Readers, once


@once
def inner(path: Path) -> bytes:
    return path.read_bytes()


@once
def outer(path: Path) -> bytes:
    return path.read_bytes() + inner(path.with_suffix(".inner"))


@pytest.mark.skipif(system_calls.moved().read == 0, reason="the system does not count")
def test_each_file_has_its_own_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.outer"
    path.write_bytes(bytes(30_000))
    path.with_suffix(".inner").write_bytes(bytes(70_000))
    with Readers(mpi.world):
        assert len(outer(path)) == 100_000
    found = {name.split()[0]: held for name, held in reading.files.items() if name.strip()}
    for name, size in ((path, 30_000), (path.with_suffix(".inner"), 70_000)):
        assert found[str(name)]["reads"] == 1 and found[str(name)]["bytes"] == size
