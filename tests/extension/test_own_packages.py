"""Formats, data sets and diagnostics of other packages: entry points, found where Python finds any;
on ranks too.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

package = """
from pathlib import Path
import numpy as np
import xarray as xr
import fathom as fm
from fathom.data.sets import DataSet
from fathom.output.formats import Format
from fathom.output.formats.netcdf import NetcdfWriter, open_dataset

format = Format(".own", "NetCDF by another name", NetcdfWriter, open_dataset)
no_format = 3

def sea():
    latitude, longitude = np.arange(-80.0, 90, 20), np.arange(0.0, 360, 30)
    axes = {"depth": [0.0, 5000.0], "latitude": latitude, "longitude": longitude}
    values = np.full([len(axis) for axis in axes.values()], 7.5)
    return xr.Dataset({"thetao": (list(axes), values, {"units": "degC"})}, axes)

data_set = DataSet("own_sea", "a sea of one temperature", sea)

@fm.diagnostic("own_sum", ["temperature", "salinity"], units="1", long_name="of two things")
def own_sum(model, window, temperature, salinity):
    return temperature + salinity
"""
entry_points = """
[fathom.formats]
own = own_package:format
bad = own_package:no_format
[fathom.data]
own_sea = own_package:data_set
[fathom.diagnostics]
own_sum = own_package:own_sum
"""
toml = """
[grid]
type = "LatitudeLongitudeGrid"
nx = 24
ny = 16
[model]
type = "Ocean"
[state]
temperature = "own_sea"
salinity = 35
[simulation]
time_step = "2h"
run = "8h"
[output."all.own"]
variables = ["own_sum", "temperature"]
every = "4h"
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder as pip leaves one: the package, and its metadata."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "own_package.py").write_text(package)
    about = folder / "own_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)
    return folder


def fathom(installed, folder, *arguments):
    path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-P", "-m", "fathom", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=200,
    )


@pytest.mark.parametrize(
    "ranks, servers",
    [
        pytest.param(1, 0, marks=pytest.mark.long),
        pytest.param(2, 0, marks=pytest.mark.long),
        (1, 1),
    ],
)
def test_all_three_in_a_run(installed, tmp_path, ranks, servers):
    (tmp_path / "own.toml").write_text(toml)
    done = fathom(installed, tmp_path, "run", "own.toml", "--ranks", ranks, "--io-servers", servers,
                  "--out", "r", "--no-report")  # fmt: skip
    assert done.returncode == 0, done.stderr
    read = (
        "import fathom as fm, json; d = fm.open('r/all.own');"
        "print(json.dumps([d.sizes['time'], d.own_sum.attrs['long_name'],"
        " float(d.own_sum[0].max() - d.thetao[0].max()), float(d.thetao[0].max())]))"
    )
    path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
    said = subprocess.run(
        [sys.executable, "-c", read],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    times, long_name, salt, warmth = json.loads(said)
    assert (times, long_name) == (3, "of two things")
    assert salt == pytest.approx(35) and warmth == pytest.approx(7.5)


@pytest.mark.long
def test_what_is_no_format(installed, tmp_path):
    (tmp_path / "own.toml").write_text(toml.replace("all.own", "all.bad"))
    done = fathom(installed, tmp_path, "run", "own.toml")
    assert done.returncode and "is int, no Format" in done.stderr
    assert "Traceback" not in done.stderr


def test_they_are_known(installed, tmp_path):
    (tmp_path / "own.toml").write_text(toml.replace("all.own", "all.owm"))
    done = fathom(installed, tmp_path, "run", "own.toml")
    assert ".own (own_package" in done.stderr and "did you mean '.own'" in done.stderr
    assert "own_sea: a sea of one temperature" in fathom(installed, tmp_path, "data").stdout


def test_lessons_name_the_groups():
    """What the lessons say is what the package looks for."""
    from fathom.data import sets
    from fathom.output import diagnostics, formats

    examples = Path(__file__).parents[2] / "examples"
    for lesson, group in (("own_format", formats.group), ("own_data", sets.group)):
        assert f'"{group}"' in (examples / f"{lesson}.py").read_text()
    assert diagnostics.group == "fathom.diagnostics"
