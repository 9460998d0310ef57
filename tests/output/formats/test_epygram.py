"""EPyGrAM reads what Fathom wrote, at the same places. It asks for older eccodes and netCDF4, so it
needs a separate environment: FATHOM_EPYGRAM=PYTHON of one with `pip install epygram`.
"""

import os
import subprocess

import numpy as np
import pytest

import fathom as fm
from fathom import output

python = os.environ.get("FATHOM_EPYGRAM")
pytestmark = pytest.mark.skipif(not python, reason="FATHOM_EPYGRAM names no Python with EPyGrAM")
script = """
import sys
import numpy as np, epygram
epygram.init_env()
file = epygram.formats.resource(sys.argv[1], "r", fmt="FA")
field = file.readfield("S002TEMPERATURE")
if field.spectral:
    field.sp2gp()
longitude, latitude = field.geometry.get_lonlat_grid()
values = field.getdata()
np.savez(sys.argv[2], longitude=longitude, latitude=latitude, values=values)
"""
grids = {
    "even": {},
    "stretched": {"stretching": 2.0},
    "rotated": {"pole": (2.6, 46.5)},
    "both": {"stretching": 2.4, "pole": (2.6, 46.5)},
}


@pytest.mark.parametrize("compression", ["none", "waves"])
@pytest.mark.parametrize("name", grids)
def test_the_same_places_and_values(tmp_path, name, compression):
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels(4), **grids[name])
    mapping = grid.mapping()
    variables = [output.variable("air_temperature", mapping, dtype="float64")]
    writer = output.create(
        tmp_path / "a.fa",
        output.coordinates(mapping, variables),
        variables,
        compression=compression,
    )
    along, across = grid.coordinates()
    smooth = np.sin(np.deg2rad(across)) + np.cos(np.deg2rad(across)) * np.cos(np.deg2rad(along))
    if "stretching" in grids[name] and compression == "waves":
        smooth = np.sin(np.deg2rad(grid.latitude))[:, None] + 0 * smooth  # within truncation
    given = 280 + np.arange(1.0, 5)[:, None, None] * smooth
    (region,) = writer.regions("ta")
    writer.write("ta", 0, region, given)
    writer.extend(0, 0.0)
    done = subprocess.run(
        [python, "-c", script, str(tmp_path / "a.fa" / "+0000.fa"), str(tmp_path / "seen.npz")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    seen = np.load(tmp_path / "seen.npz")
    from_north = slice(None, None, -1)
    assert np.abs(seen["latitude"] - across[from_north]).max() < 1e-9
    assert np.abs((seen["longitude"] - along[from_north] + 180) % 360 - 180).max() < 1e-9
    np.testing.assert_allclose(seen["values"], given[1, from_north], atol=1e-9)
