"""Running a part of a test on several ranks: `on_ranks(n, script, *arguments)` returns the JSON
that rank 0 prints last.

Helpers that tests of several rooms need are in tests/shared; they are imported by name, here and in
the scripts that tests start.
"""

import atexit
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from fathom.run.launch import sleeping_ranks

shared = str(Path(__file__).with_name("shared"))
sys.path.insert(0, shared)
sys.path.append(str(Path(__file__).parents[1] / "docs" / "results"))  # scripts that tests call
os.environ["PYTHONPATH"] = os.pathsep.join([shared, *filter(None, [os.environ.get("PYTHONPATH")])])

os.environ.pop("COLUMNS", None)  # lines end at the same place in every terminal and process
os.environ["SOURCE_DATE_EPOCH"] = "0"  # files with the same numbers have the same bytes

os.environ |= sleeping_ranks(crowded=True)  # tests beside each other have more ranks than cores

# The cache of measurements and compiled schemes by these runs is separate from the user's, one for
# all workers, and ends with them, unless FATHOM_TESTS_CACHE names one that stays: a library for a
# device takes minutes to compile.
if kept := os.environ.get("FATHOM_TESTS_CACHE"):
    os.environ["FATHOM_CACHE"] = kept
elif "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["FATHOM_CACHE"] = tempfile.mkdtemp(prefix="fathom-tests-")
    atexit.register(shutil.rmtree, os.environ["FATHOM_CACHE"], ignore_errors=True)


def launch(ranks, script, *arguments, threads=1, timeout=240):
    """Run a script or an imported module on `ranks` processes; its last line of output, parsed."""
    if ranks > 1 and os.environ.get("FATHOM_SANITIZED") == "thread":
        pytest.skip("the thread sanitizer watches the threads of one process")
    from standing_ranks import standing  # found once tests/shared is on the path

    script = getattr(script, "__file__", script)
    words = [str(word) for word in arguments]
    good, out, errors = standing.run(ranks, script, words, threads, timeout)
    assert good, f"{ranks} ranks: {script} {' '.join(words)}\n{out[-2000:]}\n{errors[-4000:]}"
    return json.loads(out.strip().splitlines()[-1])


@pytest.fixture(scope="session")
def on_ranks():
    return launch
