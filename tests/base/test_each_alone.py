"""Each part of Fathom loads alone, whatever was asked for first."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "first",
    [
        "import fathom as fm; fm.Simulation",
        "import fathom as fm; fm.Records",
        "import fathom as fm; fm.BulkForcing",
        "import fathom.grids.regrid.rows",
        "import fathom.atmosphere.radiation",
        "from fathom.grids import CartesianGrid, ZLevels",
    ],
)
def test_it_loads_first(first):
    done = subprocess.run([sys.executable, "-P", "-c", first], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
