"""The messages and meetings of the profile are those that MPI is asked for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fathom.run.launch import mpiexec

here = Path(__file__).parent


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    file = tmp_path_factory.mktemp("counted") / "counted.so"
    include, lib = (Path(sys.prefix) / name for name in ("include", "lib"))
    if not (include / "mpi.h").is_file() or not (lib / "libmpi.so").exists():
        pytest.skip("needs the MPI library next to this Python")
    command = ["cc", "-O1", "-shared", "-fPIC", f"-I{include}", here / "counted_messages.c"]
    command += [f"-L{lib}", f"-Wl,-rpath,{lib}", "-lmpi", "-o", file]
    subprocess.run(list(map(str, command)), check=True)
    return file


@pytest.mark.parametrize("exchange, level", [("packed", 1), ("buffered", 2)])
def test_counts_are_those_of_the_library(library, exchange, level):
    done = subprocess.run(
        [
            mpiexec(),
            "-n",
            "2",
            sys.executable,
            str(here / "counted_messages.py"),
            exchange,
            str(level),
        ],
        env={
            **os.environ,
            "LD_PRELOAD": str(library),
            "PYTHONPATH": os.pathsep.join([str(here.parent / "shared"), *sys.path]),
            "OMP_NUM_THREADS": "1",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for counted, (messages, size, meetings) in json.loads(done.stdout.strip().splitlines()[-1]):
        assert counted[0] == messages > 0 and counted[1] == size > 0
        assert counted[3] == meetings > 0
