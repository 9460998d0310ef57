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


def counted(library, ranks, script, *arguments):
    """What it prints, of each rank."""
    command = [mpiexec(), "-n", ranks, sys.executable, here / script, *arguments]
    done = subprocess.run(
        list(map(str, command)),
        env={
            **os.environ,
            "LD_PRELOAD": str(library),
            "OMP_NUM_THREADS": "1",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


@pytest.mark.parametrize("exchange, level", [("packed", 1), ("buffered", 2)])
def test_counts_are_those_of_the_library(library, exchange, level):
    found = counted(library, 2, "counted_messages.py", exchange, level)
    for of_mpi, (messages, size, meetings) in found:
        assert of_mpi[0] == messages > 0 and of_mpi[1] == size > 0
        assert of_mpi[3] == meetings > 0


@pytest.mark.parametrize(
    "model, ranks",
    [
        ("ocean", 2),
        pytest.param("spectral", 2, marks=pytest.mark.long),
        pytest.param("grid-point", 3, marks=pytest.mark.long),
    ],
)
def test_no_barrier_in_a_step_and_one_message_a_pair_in_a_gather(library, model, ranks):
    """All levels of a field travel together to the rank that has the whole one, and back."""
    for rank, found in enumerate(counted(library, ranks, "counted_steps.py", model)):
        messages, _, _, barriers = found["step"]
        assert messages > 0 and barriers == 0
        assert found["gather"][0] == (rank > 0) and found["gather"][3] == 0
        assert found["scatter"][0] == (ranks - 1 if rank == 0 else 0) and found["same"]
