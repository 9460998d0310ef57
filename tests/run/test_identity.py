"""A run knows its own restarts and stores: what is of another run is neither continued nor cut."""

import json
import os
import warnings

import numpy as np
import pytest
import xarray as xr

import cases
import fathom as fm
from fathom import output
from fathom.run import checkpoint, identity


@pytest.fixture(autouse=True)
def _each_run_has_its_own(monkeypatch):
    """Where it is set, runs of one experiment have one identity."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


def simulation(directory, warm=0.0, state=True, **keywords):
    """A small box with restarts every 3 h, and means of 4 h."""
    model = cases.stirred(cases.box())
    model = model.set(salinity=35.0 + warm) if state else model
    s = fm.Simulation(model, "1h", directory=directory, **keywords)
    s.output("mean.nc", ["temperature"], every="4h", statistic="mean")
    s.output("most.zarr", ["temperature"], every="4h", statistic="maximum")
    s.output("sea.zarr", ["temperature"], every="2h")
    return s.checkpoint("3h", path="restart-{date}.fathom")


def killed(s, period):
    """Runs as if it was killed at that time: the restart of its checkpoint is there alone."""
    s.run(period, report=False, progress=False)
    for name in ("restart.fathom", "summary.json"):
        (s.directory / name).unlink()


def continued(directory, **keywords):
    """Goes on as --continue does."""
    s = simulation(directory, **keywords)
    s.resume()
    latest = checkpoint.latest(s.directory)
    return s.restore(latest) if latest else s


def stores(directory):
    return {
        p.name: output.open(p).load() for p in directory.iterdir() if p.suffix in (".nc", ".zarr")
    }


def test_statistics_are_written_once(tmp_path):
    """The restart lies in the second half of the interval of a mean that was complete."""
    whole = simulation(tmp_path / "whole")
    whole.run("12h", report=False, progress=False)
    killed(simulation(tmp_path / "parts"), "5h")
    s = continued(tmp_path / "parts")
    s.run("12h", report=False, progress=False, from_start=True)
    assert s.checksum() == whole.checksum() and s.start_steps == 3
    one, other = stores(tmp_path / "whole"), stores(tmp_path / "parts")
    assert len(one) == 3
    for name, held in one.items():
        assert held.identical(other[name].assign_attrs(held.attrs)), name
    told = [json.loads((tmp_path / d / "summary.json").read_text()) for d in ("whole", "parts")]
    assert told[0]["run"]["id"] != told[1]["run"]["id"] == other["mean.nc"].attrs["run"]


def test_restarts_of_the_run_before_are_left_out(tmp_path):
    first = simulation(tmp_path)
    first.run("48h", report=False, progress=False)
    old = {p.name for p in tmp_path.glob("*.fathom")}
    s = simulation(tmp_path, warm=1.0, overwrite=True)
    s.checkpoints[0].path = "own-{date}.fathom"
    killed(s, "6h")
    with pytest.warns(UserWarning, match="are of another run than the run"):
        assert checkpoint.latest(tmp_path).name == "own-2000-01-01.fathom"
    assert old - {"restart.fathom"} <= {p.name for p in tmp_path.glob("*.fathom")}
    (tmp_path / "own-2000-01-01.fathom").unlink()  # killed before its first restart
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        s = continued(tmp_path, warm=1.0)
    assert s.restart_from is None
    s.run("6h", report=False, progress=False, from_start=True)
    assert output.open(tmp_path / "sea.zarr").time.size == 4


def test_another_start_does_not_continue(tmp_path):
    killed(simulation(tmp_path), "4h")
    for restart in (True, False):
        s = continued(tmp_path, warm=1.0)
        vars(s)["restart_from"] = s.restart_from if restart else None
        with pytest.raises(ValueError, match=r"has \[state\] salinity = 35.0; this .* has 36.0"):
            s.run("12h", from_start=True)
    restored = continued(tmp_path, state=False)  # says nothing of the start
    restored.run("6h", report=False, progress=False, from_start=True)


@pytest.mark.parametrize(
    "name, given, said",
    [
        ("mean.nc", {"statistic": "maximum"}, "statistic = maximum, in the file mean"),
        ("sea.zarr", {"levels": [100.0]}, "another coordinate depth"),
        ("sea.zarr", {"variables": ["salinity"]}, "variable thetao is only in the file"),
    ],
)
def test_a_store_keeps_its_contents(tmp_path, name, given, said):
    killed(simulation(tmp_path), "7h")
    s = continued(tmp_path)
    vars(s)["outputs"] = [store for store in s.outputs if str(store.path) != name]
    s.output(name, **{"variables": ["temperature"], "every": "2h"} | given)
    with pytest.raises(ValueError, match=said):
        s.run("12h", from_start=True)


def test_a_store_of_another_run_stays(tmp_path):
    killed(simulation(tmp_path / "one"), "7h")
    killed(simulation(tmp_path / "two"), "7h")
    os.replace(tmp_path / "two" / "mean.nc", tmp_path / "one" / "mean.nc")
    with pytest.raises(FileExistsError, match="mean.nc is of another run"):
        continued(tmp_path / "one").run("12h", from_start=True)


@pytest.mark.parametrize("kept", [True, False])
def test_a_store_that_had_just_begun(tmp_path, kept):
    """A run killed while it made its stores begins them again."""
    s = simulation(tmp_path)
    s.run("2h", report=False, progress=False)
    for name in ("restart.fathom", "summary.json"):
        (tmp_path / name).unlink()
    (tmp_path / "mean.nc").write_bytes(b"")
    for file in (tmp_path / "most.zarr").rglob("*"):  # as before the group's own is there
        if file.is_file() and (file.name != "zarr.json" or file.parent.name == "most.zarr"):
            file.unlink()
    if not kept:
        with pytest.raises(FileExistsError, match="exists; choose another name"):
            simulation(tmp_path).run("2h")
        return
    continued(tmp_path).run("4h", report=False, progress=False, from_start=True)
    assert output.open(tmp_path / "mean.nc").time.size == 1


def test_stores_of_one_name_in_two_folders(tmp_path):
    """Their running sums are two."""
    for folder in "ab":
        (tmp_path / folder).mkdir()
    s = fm.Simulation(cases.box(), "1h", directory=tmp_path)
    for name in ("a/m.nc", "b//m.nc", "./m.nc", "m.zarr/"):
        s.output(name, ["temperature"], every="2h", statistic="mean")
    s.run("2h", report=False, progress=False)
    means = [
        output.open(tmp_path / n).thetao.values for n in ("a/m.nc", "b/m.nc", "m.nc", "m.zarr")
    ]
    assert all(np.array_equal(means[0], one, True) for one in means)
    assert np.nanmax(means[0]) < 40


def test_a_directory_that_is_moved_away_ends_the_run(tmp_path):
    place, gone = tmp_path / "run", tmp_path / "gone"
    s = fm.Simulation(cases.box(), "1h", directory=place)
    s.call(lambda s: place.rename(gone) if place.exists() else None, "2h")
    with pytest.raises((RuntimeError, OSError), match="run, has been moved, deleted or replaced"):
        s.checkpoint("3h").run("9h", report=False, progress=False)
    assert not place.exists()


def test_another_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    s = fm.Simulation(cases.box(), "1h", directory="run")
    s.call(lambda _: os.chdir(tmp_path / "other"), "2h")
    s.run("3h", report=False, progress=False)
    assert (tmp_path / "run" / "restart.fathom").exists() and not any(
        (tmp_path / "other").iterdir()
    )


@pytest.mark.parametrize("format", ["NETCDF4", "NETCDF3_CLASSIC"])
def test_a_forcing_that_is_cut_off_ends_the_run(tmp_path, format):
    at = {
        "time": np.datetime64("2000-01-01") + np.arange(12) * np.timedelta64(1, "D"),
        "lat": ("lat", np.linspace(50.0, 88, 20), {"units": "degrees_north"}),
        "lon": ("lon", np.arange(0, 360, 4.0), {"units": "degrees_east"}),
    }
    flux = np.full((12, 20, 90), 100, "f4"), {"units": "W m-2"}
    file = tmp_path / "q.nc"
    xr.Dataset({"q": (("time", "lat", "lon"), *flux)}, at).to_netcdf(file, format=format)
    levels = fm.ZLevels(nz=2, depth=100)
    grid = fm.LatitudeLongitudeGrid(8, 8, longitude=(0, 40), latitude=(60, 80), levels=levels)
    s = fm.Simulation(
        fm.Ocean(grid, physics="simple").set(temperature=5.0, salinity=34.0),
        "3h",
        directory=tmp_path / "run",
        surface=fm.SurfaceForcing(heat_flux=fm.Records(file, "q")),
    )
    s.call(lambda s: os.truncate(file, 1000) if s.seconds == 3 * 86400 else None, "1d")
    with pytest.raises(RuntimeError, match=r"q.nc.* now 1000"):
        s.run("9d", report=False, progress=False)


def test_a_restored_run_with_sea_ice_is_the_same(tmp_path):
    """Before a step is made: also what steps make of the state."""

    def ice(name):
        levels = fm.ZLevels(nz=2, depth=100, surface=50)
        grid = fm.LatitudeLongitudeGrid(8, 8, longitude=(0, 40), latitude=(60, 80), levels=levels)
        model = fm.Ocean(grid, physics="simple", sea_ice=fm.SeaIce(area=0.5, thickness=1.0))
        model = model.set(temperature=1.0, salinity=34.0)
        return fm.Simulation(model, "1h", directory=tmp_path / name, surface="BulkForcing")

    one = ice("one")
    one.run("2h", report=False, progress=False)
    other = ice("other").restore(tmp_path / "one" / "restart.fathom").prepare()
    assert one.checksum() == other.checksum()
    assert abs(one.gather("sea_ice_heat")).max() > 0


def test_restarts_of_several_runs_and_nothing_that_says_which(tmp_path):
    for name in ("one", "two"):
        s = fm.Simulation(cases.box(), "1h", directory=tmp_path / name)
        s.run("1h", report=False, progress=False)
        os.link(tmp_path / name / "restart.fathom", tmp_path / f"{name}.fathom")
    with pytest.raises(ValueError, match=r"has restarts of 2 runs and no run.json"):
        checkpoint.latest(tmp_path)
    (tmp_path / "one.fathom").unlink()
    assert checkpoint.latest(tmp_path).name == "two.fathom"
    assert identity.of_restart(tmp_path / "two.fathom").start == "2000-01-01 00:00:00"
