"""What an experiment, a directory, or a cache from somebody else cannot do (docs/strangers.md)."""

import os

import pytest

import box
import fathom as fm
from fathom.base import cache, writing
from fathom.base.failure import InputError


def settings(path):
    return ("--set", f'simulation.checkpoint={{every="6h", path="{path}"}}')


@pytest.mark.parametrize("path", ["../../own.txt", "{folder}/own.fathom", "summary.json"])
def test_restarts_stay_in_the_directory(tmp_path, path):
    box.write(tmp_path)
    (tmp_path / "own.txt").write_text("mine")
    how = settings(path.replace("{folder}", str(tmp_path)))
    status, _, said = box.fathom("run", "box.toml", "--out", "a", *how, folder=tmp_path)
    assert status == 2 and "checkpoint path" in said and "allowed" in said
    assert (tmp_path / "own.txt").read_text() == "mine"


@pytest.mark.parametrize("path", ["r-{0}.fathom", "r-{time}.fathom", "r-{.fathom"])
def test_names_of_restarts_have_a_date_or_none(path):
    with pytest.raises(InputError, match="with {date} or without"):
        box_of_water().checkpoint("1d", path=path)


def box_of_water(**more):
    levels = fm.ZLevels(nz=3, depth=300)
    grid = fm.CartesianGrid(nx=8, ny=8, extent=(1e5, 1e5), levels=levels)
    return fm.Simulation(
        fm.Ocean(grid, coriolis=(1e-4, 0.0)).set(temperature=10.0, salinity=35.0), "1h", **more
    )


names = (".restart.fathom.partial", "resolved.toml", "summary.json", "report.html", "sst.nc")


def test_links_in_a_directory_lead_nowhere(tmp_path):
    there = tmp_path / "r"
    there.mkdir()
    for name in names:
        (tmp_path / f"own{name}").write_text("mine")
        (there / name).symlink_to(f"../own{name}")
    refused = box_of_water(directory=there, overwrite=True).output("sst.nc", ["temperature"], "1h")
    with pytest.raises(InputError, match=r"sst.nc is a link to \.\./ownsst.nc"):
        refused.run("1h")
    box_of_water(directory=there, overwrite=True).run("1h", report=False)
    assert all((tmp_path / f"own{name}").read_text() == "mine" for name in names)
    assert not (there / "summary.json").is_symlink()


def test_a_new_content_is_whole(tmp_path):
    path = tmp_path / "a"
    writing.replace(path, "one")
    writing.replace(path, b"tw", "o")
    assert path.read_text() == "two" and os.listdir(tmp_path) == ["a"]
    writing.replace(path, memoryview(b"three"), private=True)
    assert path.read_text() == "three" and path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(TypeError):
        writing.replace(path, "four", 5)
    assert path.read_text() == "three" and os.listdir(tmp_path) == ["a"]


def test_code_of_a_file_runs_where_it_is_trusted(tmp_path):
    box.write(tmp_path)
    (tmp_path / "own.py").write_text(f"open('{tmp_path}/ran', 'w')")
    code = (tmp_path / "box.toml").read_text()
    (tmp_path / "box.toml").write_text('[extensions]\npython = ["own.py"]\n' + code)
    ran = tmp_path / "ran"
    for verb in ("show", "variables"):
        status, _, said = box.fathom(verb, "box.toml", folder=tmp_path)
        assert status == 2 and "own.py" in said and "--trust" in said and not ran.exists()
    assert box.fathom("show", "box.toml", "--trust", folder=tmp_path)[0] == 0
    ran.unlink()  # it ran
    run = ("run", "box.toml", "--out", "r", "--for", "1h", "--no-report")
    if os.geteuid() == 0:  # a file of another user
        os.chown(tmp_path / "own.py", 65534, 65534)
        status, _, said = box.fathom(*run, folder=tmp_path)
        assert status == 2 and "belongs to another user" in said and not ran.exists()
        os.chown(tmp_path / "own.py", 0, 0)
    assert box.fathom(*run, folder=tmp_path)[0] == 0 and ran.exists()


def test_code_in_a_folder_that_all_can_write_is_refused(tmp_path):
    made = lambda path: path.write_text("code")
    assert cache.once(tmp_path / "mine" / "a.so", made).read_text() == "code"
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o700
    (tmp_path / "mine").chmod(0o777)
    with pytest.raises(InputError, match="others can write here"):
        cache.once(tmp_path / "mine" / "a.so", made)
