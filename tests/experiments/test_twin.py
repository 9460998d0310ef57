"""The twin of MITgcm's 4 degree case: it starts as MITgcm does, its figures are counted as they
are defined, and it continues from a restart as if it had not stopped.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import pytest

root = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def twin():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(root / "docs" / "results"))
        import twin_4deg

        yield twin_4deg


@pytest.fixture(scope="module")
def grid(twin):
    return twin.Experiment.read(root / "experiments" / "twin-4deg.toml").grid


def test_flows_across_lines(twin, grid):
    """Unlike flows in cells tell which of them are counted: rows by latitude, columns in the
    Atlantic, layers from the surface down to where the sum is greatest.
    """
    nz, ny, nx = grid.shape
    latitude = np.broadcast_to(np.arange(-76.0, 81, 4)[:, None], (ny, nx))  # of northern edges
    longitude = np.broadcast_to(np.arange(2.0, 360, 4), (ny, nx))
    down = np.zeros(nz)
    down[:3] = 2.0, 1.0, -4.0
    inside = (latitude == 28) & (longitude >= 278) & (longitude < 355)  # 82 W to 6 W
    flow = down[:, None, None] * inside
    assert twin.northward(grid, flow, 28) == 3.0 * np.count_nonzero(inside)
    assert twin.northward(grid, flow, 48) == 0
    assert twin.northward(grid, down[:, None, None] * ~inside, 28) == 0

    to_east = np.zeros((nz, ny, nx))
    to_east[:, :, 72] = 1.0  # the eastern edge of the cells between 288 and 292 E
    assert twin.eastward(grid, to_east, -68, -54) == nz * 6
    assert twin.eastward(grid, to_east, -68, -50) == nz * 7


def test_starts_as_mitgcm(twin, tmp_path, monkeypatch, capsys):
    """Means of layers at the start are those of MITgcm, whose cells and numbers they are: to the
    steps in which the file is packed, and what bottom cells differ by.
    """
    found = tmp_path / "twin.json"
    words = ["twin_4deg", "--years", "0", "--json", str(found), "--out", str(tmp_path / "run")]
    monkeypatch.setattr(sys, "argv", words)
    twin.main()
    capsys.readouterr()
    found, theirs = json.loads(found.read_text()), twin.table("twin_4deg_profiles")
    assert found["drake_passage"] == []  # there is no figure of year 0
    np.testing.assert_allclose(
        found["temperature_start"], theirs["temperature_year_0"], rtol=0, atol=5e-3
    )
    np.testing.assert_allclose(
        found["salinity_start"], theirs["salinity_year_0"], rtol=0, atol=2e-3
    )


def test_goes_on_from_a_restart(twin, tmp_path, monkeypatch, capsys):
    """A "year" of two steps: three of them at once are two and, from the restart, one more."""
    monkeypatch.setattr(twin, "YEAR", 2 * 10800.0)
    monkeypatch.setattr(twin, "EVERY", 2)

    def years(n, out):
        (tmp_path / out).mkdir(exist_ok=True)
        return twin.run(argparse.Namespace(years=n, out=tmp_path / out, set=[]))

    whole, _ = years(3, "whole"), years(2, "parts")
    parts = years(3, "parts")
    assert [one["year"] for one in parts] == [0, 1, 2, 3]
    assert parts == whole
    assert whole[-1]["drake_whole"] != whole[-2]["drake_whole"]
    capsys.readouterr()
