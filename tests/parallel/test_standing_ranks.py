"""Ranks of tests stand ready: scripts that follow one another do not see each other, and an error
of one rank is told.
"""

import pytest

script = """
import json, os, sys
from fathom.base.mpi import world
if sys.argv[1] == "fails" and world.rank == 1:
    raise ValueError("this rank has failed")
world.Barrier()
before = os.environ.get("LEFT_BEHIND")
os.environ["LEFT_BEHIND"] = "yes"
os.chdir("/")
if world.rank == 0:
    print(json.dumps([sys.argv[1:], before, os.environ["OMP_NUM_THREADS"]]))
"""


def test_one_script_after_another(on_ranks, tmp_path):
    file = tmp_path / "script.py"
    file.write_text(script)
    assert on_ranks(2, file, "one", threads=2) == [["one"], None, "2"]
    with pytest.raises(AssertionError, match="ValueError: this rank has failed"):
        on_ranks(2, file, "fails")
    assert on_ranks(2, file, "two", 3) == [["two", "3"], None, "1"]
