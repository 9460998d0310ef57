"""`fathom convert restart`: the same grid gives the same fields, other levels and a finer region
those of the old ones between its points; the run goes on from there at its date.
"""

import numpy as np
import pytest

import box
import fathom as fm

experiment = """
[grid]
type = "LatitudeLongitudeGrid"
nx = {nx}
ny = {ny}
longitude = {longitude}
latitude = {latitude}
levels = {{ type = "ZLevels", nz = {nz}, depth = 1000, spacing = "uniform" }}
[model]
type = "Ocean"
tracers = [{tracers}]
[state]
temperature = "20 - depth / 100 - latitude / 10 + longitude / 30"
salinity = 35
[simulation]
time_step = "{step}"
run = "2h"
surface = {{ type = "SurfaceForcing", stress_x = 0.05 }}
"""
whole = {"nx": 12, "ny": 10, "longitude": [0, 12], "latitude": [30, 40], "nz": 4, "tracers": ""}
part = {"nx": 16, "ny": 12, "longitude": [3, 7], "latitude": [33, 36], "nz": 6, "tracers": '"dye"'}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("restarts")
    (folder / "whole.toml").write_text(experiment.format(step="30min", **whole))
    (folder / "same.toml").write_text(experiment.format(step="15min", **whole))
    (folder / "part.toml").write_text(experiment.format(step="10min", **part))
    far = part | {"longitude": [8, 14]}
    (folder / "far.toml").write_text(experiment.format(step="10min", **far))
    status, _, wrong = box.fathom("run", "whole.toml", "--out", "w", "--no-report", folder=folder)
    assert status == 0, wrong
    return folder


def convert(folder, file, *more):
    out = file.replace(".toml", ".fathom")
    return box.fathom("convert", "restart", "w/restart.fathom", file, out, *more, folder=folder)


def test_on_the_same_grid_it_is_the_same(folder):
    status, _, wrong = convert(folder, "same.toml")
    assert status == 0, wrong
    one, other = (fm.open(folder / name) for name in ("w/restart.fathom", "same.fathom"))
    for name in ("temperature", "salinity", "velocity_x", "velocity_y", "sea_surface_height"):
        assert np.array_equal(one[name].values, other[name].values), name
    assert one.time.values == other.time.values


def test_a_finer_region_with_other_levels_goes_on(folder):
    status, out, wrong = convert(folder, "part.toml")
    assert status == 0, wrong
    assert "dye begins at its initial value" in out
    with fm.open(folder / "part.fathom") as data:
        y, x = data["latitude"].values, data["longitude"].values
        z = 1000 * (np.arange(6) + 0.5) / 6
        linear = 20 - z[:, None, None] / 100 - y / 10 + x / 30
        inside = (z > 125) & (z < 875)  # between the middles of the old layers
        assert np.abs(data["temperature"].values - linear)[inside].max() < 0.02
    arguments = ["part.toml", "--restart", "part.fathom", "--out", "p", "--no-report"]
    status, out, wrong = box.fathom("run", *arguments, folder=folder)
    assert status == 0, wrong
    with fm.open(folder / "p" / "restart.fathom") as data:
        assert str(data.time.values)[:16] == "2000-01-01T04:00"


@pytest.mark.parametrize(
    "file, more, said",
    [
        ("far.toml", (), "the region leaves the sea around it, w/restart.fathom, on"),
        ("part.toml", ("--set", "simulation.start=2001-01-01"), "no whole number of steps"),
        ("part.toml", ("--set", "simulation.calendar=noleap"), "of the calendar 'standard'"),
        ("w/restart.fathom", (), "is not a text file"),
    ],
)
def test_what_does_not_fit_is_refused(folder, file, more, said):
    out = [] if file != "w/restart.fathom" else ["--overwrite"]
    status, _, wrong = convert(folder, file, "--overwrite", *more, *out)
    assert status in (1, 2) and said in wrong and len(wrong.splitlines()) == 1, wrong
