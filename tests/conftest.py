"""Running a part of a test on several ranks: `on_ranks(n, script, *arguments)` returns the JSON
that rank 0 prints last.

Helpers that tests of several rooms need are in tests/shared; they are imported by name, here and in
the scripts that tests start.
"""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fathom.run.launch import sleeping_ranks

shared = str(Path(__file__).with_name("shared"))
sys.path.insert(0, shared)
os.environ["PYTHONPATH"] = os.pathsep.join([shared, *filter(None, [os.environ.get("PYTHONPATH")])])

os.environ.pop("COLUMNS", None)  # lines end at the same place in every terminal and process
os.environ["SOURCE_DATE_EPOCH"] = "0"  # files with the same numbers have the same bytes

os.environ |= sleeping_ranks(crowded=True)  # tests beside each other have more ranks than cores

# The cache of measurements by these runs is separate from the user's, and ends with them, unless
# FATHOM_TESTS_CACHE names one that stays: a library for a device takes minutes to compile.
if kept := os.environ.get("FATHOM_TESTS_CACHE"):
    os.environ["FATHOM_CACHE"] = kept
else:
    os.environ["FATHOM_CACHE"] = tempfile.mkdtemp(prefix="fathom-tests-")
    atexit.register(shutil.rmtree, os.environ["FATHOM_CACHE"], ignore_errors=True)


def launch(ranks, script, *arguments, threads=1, timeout=240):
    """Run a script or an imported module on `ranks` processes; its last line of output, parsed."""
    if ranks > 1 and os.environ.get("FATHOM_SANITIZED") == "thread":
        pytest.skip("the thread sanitizer watches the threads of one process")
    mpiexec = Path(sys.prefix) / "bin" / "mpiexec"
    script = getattr(script, "__file__", script)
    command = [sys.executable, str(script), *map(str, arguments)]
    if ranks > 1:
        command = [str(mpiexec), "-n", str(ranks), *command]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, "OMP_NUM_THREADS": str(threads)},
    )
    assert done.returncode == 0, (
        f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    )
    return json.loads(done.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="session")
def on_ranks():
    return launch
