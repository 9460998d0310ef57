"""tools/check_text.py: what it finds in a file, and where it does not look."""

import subprocess
import sys
from pathlib import Path

import pytest

tool = Path(__file__).resolve().parents[2] / "tools" / "check_text.py"


def faults(folder, name, text):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    done = subprocess.run([sys.executable, tool, folder], capture_output=True, text=True)
    assert done.returncode == bool(done.stdout)
    return done.stdout


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("core/a.cpp", "    MPI_Barrier(comm);\n", "a barrier without a comment"),
        ("fathom/a.py", "    self.comm.barrier()\n", "a barrier without a comment"),
        ("core/a.cpp", "    MPI_Barrier(comm);  // all have packed\n", ""),
        ("fathom/performance/a.py", "    comm.barrier()\n", ""),
        ("tests/a.py", "    comm.barrier()\n", ""),
        ("docs/a.md", "one \n", "blanks at the end"),
        ("fathom/a.py", "raise ValueError('x')\n", "raise InputError"),
    ],
)
def test_faults(tmp_path, name, text, said):
    found = faults(tmp_path, name, text)
    assert said in found and bool(found) == bool(said)
