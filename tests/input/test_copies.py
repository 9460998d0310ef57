"""Copies of input on the disks of nodes: whole or not there, made once, made again where they are
damaged; failures are one error on all ranks.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

script = Path(__file__).parent / "copies_on_ranks.py"
size = 500_001


@pytest.fixture
def disks(tmp_path):
    for rank in range(3):
        (tmp_path / f"node{rank}").mkdir()
    (tmp_path / "input.nc").write_bytes(np.random.default_rng(0).bytes(size))
    return tmp_path


def contents(disks):
    return [sorted(file.name for file in (disks / f"node{rank}").iterdir()) for rank in range(3)]


def test_killed_midway_and_tried_again(disks, on_ranks):
    mpiexec = Path(sys.prefix) / "bin" / "mpiexec"
    killed = subprocess.run(
        [mpiexec, "-n", "3", sys.executable, script, disks / "input.nc", disks, "kill"],
        capture_output=True,
        timeout=60,
    )
    assert killed.returncode != 0
    left = contents(disks)
    assert (
        all(".partial-" in name for names in left for name in names) and left[1]
    )  # no file that would be used as a copy
    told = on_ranks(3, script, disks / "input.nc", disks, "copy")
    assert [row[0][:2] for row in told] == [[f"node{rank}", True] for rank in range(3)]
    assert all(len(names) == 1 and ".partial" not in names[0] for names in contents(disks))
    again = on_ranks(3, script, disks / "input.nc", disks, "copy")
    assert [row[0] for row in again] == [row[0] for row in told] and all(
        size <= row[1] < size + 500 for row in again
    )  # checked, not copied again
    damaged = next((disks / "node2").iterdir())
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    mended_once = on_ranks(3, script, disks / "input.nc", disks, "once")
    assert [row[0][1] for row in mended_once] == [True] * 3
    assert contents(disks) == [[], [], []]


def test_what_cannot_be_copied(disks, on_ranks):
    for what, kind, message in (
        ("full", "FileError", "file size limit reached while copying"),
        ("cut", "FileError", "was cut to 100000 bytes while it was copied"),
    ):
        told = on_ranks(3, script, disks / "input.nc", disks, what)
        assert (
            len({tuple(row[0]) for row in told}) == 1
            and told[0][0][0] == kind
            and message in told[0][0][1]
        )
        assert not any(".partial" in name for names in contents(disks) for name in names)
    told = on_ranks(3, script, disks / "output.nc", disks, "copy")
    assert (
        len({tuple(row[0]) for row in told}) == 1
        and told[0][0][0] == "MissingFileError"
        and "output.nc cannot be read" in told[0][0][1]
    )
