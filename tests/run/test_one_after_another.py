"""A simulation can be run, looked at, and run on; a directory holds one run at a time; results of a
killed or damaged run are never overwritten, or mixed, without a message.
"""

import subprocess
import time

import numpy as np
import pytest

import box
import cases
import fathom as fm
from fathom import output
from fathom.run import checkpoint


def simulation(directory, **keywords):
    s = fm.Simulation(cases.stirred(cases.box()), "1h", directory=directory, **keywords)
    s.output("a.zarr", ["temperature"], every="6h")
    s.output("mean.nc", ["temperature"], every="8h", statistic="mean")
    s.output("height.nc", ["sea_surface_height"], every="3h")
    return s


def same(one, two):
    """Whether two stores hold the same times and bits, several of them."""
    assert one.time.size > 3 and set(one.variables) == set(two.variables)
    return all(np.array_equal(one[v].values, two[v].values, one[v].dtype.kind == "f") for v in one)


@pytest.mark.parametrize("overwrite", [False, True])
def test_two_runs_are_one(tmp_path, overwrite):
    """Means too, of which the first run ends in the middle."""
    whole = simulation(tmp_path / "one", overwrite=overwrite)
    whole.run("32h", report=False)
    parts = simulation(tmp_path / "two", overwrite=overwrite)
    parts.run("20h", report=False)
    assert float(parts.state["temperature"].mean()) > 0
    parts.run("12h", report=False)
    assert parts.checksum() == whole.checksum()
    for name in ("a.zarr", "mean.nc", "height.nc"):
        assert same(output.open(tmp_path / "one" / name), output.open(tmp_path / "two" / name))


@pytest.mark.parametrize("after", [pytest.param("0h", marks=pytest.mark.long), "13h"])
def test_output_that_comes_later(tmp_path, after):
    """Also of fields that were not kept before: the others continue with the same bits."""
    whole = simulation(tmp_path / "one")
    whole.run("32h", report=False)
    parts = simulation(tmp_path / "two")
    if after == "0h":
        assert float(parts.state["temperature"].mean()) > 0
    else:
        parts.run(after, report=False)
    parts.output("late.nc", ["vertical_diffusivity", "temperature"], every="2h")
    parts.output("mean_late.nc", ["salinity"], every="4h", statistic="mean")
    parts.run("32h" if after == "0h" else "19h", report=False)
    assert parts.checksum() == whole.checksum()
    assert not list((tmp_path / "two").glob("between*"))
    for name in ("a.zarr", "mean.nc", "height.nc"):
        assert same(output.open(tmp_path / "one" / name), output.open(tmp_path / "two" / name))
    late = output.open(tmp_path / "two" / "late.nc")
    assert late.time.size == {"0h": 17, "13h": 10}[after]
    there = output.open(tmp_path / "two" / "a.zarr").thetao.values[-1]
    assert np.array_equal(late.thetao.sel(time="2000-01-02T06:00").values, there, True)


def test_output_of_a_name_that_is_taken(tmp_path):
    s = simulation(tmp_path)
    s.run("3h", report=False)
    with pytest.raises(ValueError, match="there is another output of that name"):
        s.output("a.zarr", ["temperature"])
    with pytest.raises(ValueError, match="no output variable 'temprature'; did you mean"):
        s.output("b.zarr", ["temprature"])
    s.run("3h", report=False)


def test_one_run_at_a_time(tmp_path):
    """The second is told of the first; the lock of one that was killed is gone with it."""
    box.write(tmp_path)
    out = tmp_path / "run"
    first = subprocess.Popen(
        box.command("run", "box.toml", "--for", "200y", "--out", "run", "--no-report"),
        cwd=tmp_path,
        env=box.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 60
        while not (out / "surface.zarr" / "zarr.json").exists() and time.monotonic() < end:
            time.sleep(0.05)
        for how in ("--overwrite", "--continue"):
            status, _, said = box.fathom(
                "run",
                "box.toml",
                "--for",
                "1d",
                "--out",
                "run",
                how,
                "--no-report",
                folder=tmp_path,
            )
            assert status == 2 and f"another run is under way in {out.name}" in said
            assert f"(process {first.pid})" in said or "process" in said
    finally:
        first.kill()
        first.wait()
    status, _, said = box.fathom(
        *("run", "box.toml", "--for", "6h", "--out", "run", "--overwrite", "--no-report"),
        folder=tmp_path,
    )
    assert status == 0, said


def test_a_run_with_damaged_restarts_alone_does_not_begin_anew(tmp_path):
    s = simulation(tmp_path)
    s.run("3h", report=False)
    (path,) = tmp_path.glob("restart*.fathom")
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"x" + whole[101:])
    with pytest.raises(
        ValueError, match=r"no complete restart to continue from: .*--overwrite starts"
    ):
        checkpoint.latest(tmp_path)
    (tmp_path / "older.fathom").write_bytes(whole)
    with pytest.warns(UserWarning, match="not a whole restart"):
        assert checkpoint.latest(tmp_path).name == "older.fathom"


def test_a_store_that_was_being_made_is_replaced(tmp_path):
    simulation(tmp_path).run("3h", report=False)
    store = tmp_path / "a.zarr"
    for file in store.rglob("*"):  # as it is before what says of the group is there
        if file.is_file() and (file.name != "zarr.json" or file.parent == store):
            file.unlink()
    for folder in sorted(store.rglob("c"), reverse=True):
        subprocess.run(["rm", "-r", folder], check=True)
    simulation(tmp_path, overwrite=True).run("6h", report=False)
    assert output.open(store).time.size == 2


@pytest.mark.parametrize(
    "other, said",
    [
        ({"start": "2003-01-01"}, "is of a run from 2000-01-01 .* set start = '2000-01-01"),
        ({"calendar": "noleap"}, "in the calendar 'standard'; this one .* 'noleap'"),
    ],
)
def test_a_restart_has_its_start_and_calendar(tmp_path, other, said):
    simulation(tmp_path / "one").run("3h", report=False)
    s = simulation(tmp_path / "two", **other).restore(tmp_path / "one" / "restart.fathom")
    with pytest.raises(ValueError, match=said):
        s.run("3h", report=False)


def test_rolling_restarts(tmp_path):
    """keep: the latest so many stay; files that are not of this run's restarts are left alone."""
    s = simulation(tmp_path).checkpoint("1d", keep=2)
    (tmp_path / "restart-2000-01-01.fathom").write_text("somebody's own")
    s.run("4d", report=False)
    names = sorted(path.name for path in tmp_path.glob("*.fathom"))
    kept = ["restart-2000-01-04.fathom", "restart-2000-01-05.fathom"]
    assert names == ["restart-2000-01-01.fathom", *kept, "restart.fathom"]


def test_rolling_restarts_of_a_file(tmp_path):
    box.write(tmp_path)
    common = ("box.toml", "--for", "3d", "--out", "run", "--no-report")
    setting = 'simulation.checkpoint={every="1d", keep=1}'
    box.done("run", *common, "--set", setting, folder=tmp_path, ranks=2)
    names = sorted(path.name for path in (tmp_path / "run").glob("*.fathom"))
    assert names == ["restart-2000-01-04.fathom", "restart.fathom"]
    resolved = (tmp_path / "run" / "resolved.toml").read_text()
    assert "keep = 1" in resolved
    for wrong, message in (
        ("{every='1d', kept=1}", "unknown checkpoint key 'kept'; did you mean 'keep'?"),
        ("{every='1d', keep=0}", "keep = 0 must be a whole number from 1 on"),
        ("{every='1d', keep=true}", "keep = True must be a whole number"),
        ("{every='1d', path='a.fathom', keep=2}", "all restarts have the name a.fathom"),
    ):
        setting = f"simulation.checkpoint={wrong}"
        status, _, said = box.fathom("run", *common, "--set", setting, folder=tmp_path)
        assert status == 2 and message in said, said


def test_restart_from_elsewhere_never_mixes_stores(tmp_path):
    """A directory that holds another run is not touched; with overwrite its stores are new."""
    first, second = tmp_path / "first", tmp_path / "second"
    simulation(first).run("12h", report=False)
    simulation(second).run("24h", report=False)
    told = written(second)
    again = simulation(second).restore(first / "restart.fathom")
    with pytest.raises(FileExistsError, match="contains a run; continue .*--continue"):
        again.run("6h", report=False)
    assert told == written(second)
    (second / "summary.json").unlink()  # as a run that was killed
    again = simulation(second).restore(first / "restart.fathom")
    with pytest.raises(FileExistsError, match="contains a run; continue .*--continue"):
        again.run("6h", report=False)
    (second / "restart.fathom").unlink()
    again = simulation(second).restore(first / "restart.fathom")
    with pytest.raises(FileExistsError, match="a.zarr"):
        again.run("6h", report=False)
    again = simulation(second, overwrite=True).restore(first / "restart.fathom")
    again.run("6h", report=False)
    hours = output.open(second / "height.nc").time.dt.hour.values
    assert hours.tolist() == [15, 18]
    onward = simulation(second, overwrite=True).restore(second / "restart.fathom")
    onward.run("6h", report=False)
    assert output.open(second / "height.nc").time.dt.hour.values.tolist() == [15, 18, 21, 0]


def written(directory):
    """When each file of a run was written."""
    return {path: path.stat().st_mtime_ns for path in directory.rglob("*") if path.suffix}


def waters(directory):
    """Shallow water on the sphere, of which FA can hold fields."""
    model = fm.ShallowWater(fm.GaussianGrid(21))
    s = fm.Simulation(model, "30min", directory=directory, overwrite=True)
    return s.output("surface.fa", ["fluid_geopotential"], every="3h")


@pytest.mark.parametrize("left", [[], ["frame.fa.partial"]])
def test_fa_store_that_was_being_made(tmp_path, left):
    """What a killed run left of it is replaced; a folder of somebody's own is not."""
    store = tmp_path / "surface.fa"
    store.mkdir()
    for name in left:
        (store / name).write_text("half")
    waters(tmp_path).run("6h", report=False)
    assert output.open(store).time.size > 1


def test_fa_store_in_place_of_a_folder(tmp_path):
    (tmp_path / "surface.fa").mkdir()
    (tmp_path / "surface.fa" / "letter.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="surface.fa"):
        waters(tmp_path).run("6h", report=False)
    assert (tmp_path / "surface.fa" / "letter.txt").read_text() == "mine"
