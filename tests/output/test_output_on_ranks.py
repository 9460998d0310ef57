"""The protocol of output servers without a model (tools/simulated_output): everything arrives once,
on ranks of a real MPI and on hundreds that are simulated.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / "tools" / "simulated_output" / "run.py"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("output-on-ranks")

    def run(*arguments):
        done = subprocess.run(
            [
                sys.executable,
                str(RUN),
                "--build",
                str(folder),
                "--limit",
                "150",
                *map(str, arguments),
            ],
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    return run


@pytest.mark.long
@pytest.mark.parametrize(
    "how",
    [
        ("--sets", 1, "--wait"),
        ("--sets", 2, "--slots", 1, "--writing", 3000),
        ("--sets", 1, "--per-set", 2),
    ],
)
def test_on_a_real_mpi(run, how):
    told = run("--real", "--ranks", 4, *how)
    assert (
        told["right"]
        and told["posted"] + told["fallback"] == told["events"] == told["visible"]
        and told["numbers"] > 10_000
    )
    assert "--wait" not in how or told["fallback"] == 0


@pytest.mark.long
@pytest.mark.skipif(
    shutil.which("smpirun") is None, reason="needs SimGrid (Debian: libsimgrid-dev)"
)
def test_on_simulated_ranks(run):
    few, many = (
        run("--ranks", 32, "--sets", 1, "--wait"),
        run("--ranks", 256, "--sets", 4, "--per-set", 2),
    )
    for told in few, many:
        assert (
            told["right"] and told["posted"] + told["fallback"] == told["events"] == told["visible"]
        )
    assert (
        few["fallback"] == 0
        and many["fallback"] > 0
        and many["plan_bytes"] < 1.5 * few["plan_bytes"]
    )
