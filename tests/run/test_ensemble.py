"""An ensemble in one run: members share all but their state; each has the bits it has alone."""

import hashlib

import numpy as np
import pytest

import box
import fathom as fm
from fathom.base import machine
from fathom.base.failure import InputError, RoomError
from fathom.run.ensemble.perturbation import Perturbation

text = """\
[ensemble]
members = 3
control = true
perturbation = { temperature = "0.1 K", length = "200 km", seed = 3 }

[output."mean.zarr"]
variables = ["temperature", "sea_surface_height"]
every = "6h"
statistic = "mean"

[output."now.zarr"]
variables = ["temperature"]
every = "6h"
"""


def written(folder, **replaced):
    """The box as an ensemble, without its own output."""
    path = box.write(folder, **replaced)
    own = path.read_text().partition("[output")[0].replace('run = "2d"', 'run = "12h"')
    path.write_text(own + text)
    return path


def bits(folder, *names):
    """A hash of what stores hold."""
    found = hashlib.sha256()
    for name in names:
        store = fm.open(folder / name).load()
        for variable in sorted(store.data_vars):
            found.update(store[variable].values.tobytes())
    return found.hexdigest()


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Three members on one rank: the folder, the checksums."""
    folder = tmp_path_factory.mktemp("three")
    written(folder)
    out = box.done("run", "box.toml", "--no-report", folder=folder)
    assert "checksum" in out
    return folder, box.summary(folder / "runs/box")["members"]["checksums"]


def test_a_member_has_the_bits_of_a_run_by_itself(three, tmp_path):
    """The control is the run without an ensemble; member 2 that of a restart with its errors."""
    _, checksums = three
    path = written(tmp_path)
    path.write_text(path.read_text().replace(text.partition("[output")[0], ""))
    box.done("run", "box.toml", "--no-report", folder=tmp_path)
    assert box.summary(tmp_path / "runs/box")["checksum"] == checksums[0]
    assert len(set(checksums)) == 3


def test_members_depend_neither_on_ranks_nor_on_their_number(three, tmp_path):
    folder, checksums = three
    written(tmp_path)
    box.done("run", "box.toml", "--no-report", "--out", "two", folder=tmp_path, ranks=2)
    assert box.summary(tmp_path / "two")["members"]["checksums"] == checksums
    stores = "now.zarr", "mean.zarr"
    assert bits(tmp_path / "two", *stores) == bits(folder / "runs/box", *stores)
    box.done("run", "box.toml", "--no-report", "--out", "five", "--members", "5", folder=tmp_path)
    assert box.summary(tmp_path / "five")["members"]["checksums"][:3] == checksums


@pytest.mark.parametrize("ranks, how", [(2, "groups=2"), (3, "ranks=1"), (4, "groups=2")])
def test_members_on_groups_of_ranks_have_the_same_bits(three, tmp_path, ranks, how):
    """Three members in two groups, so that one has more; a group each; two groups of two ranks."""
    folder, _ = three
    written(tmp_path)
    words = "--no-report", "--set", f"ensemble.{how}"
    box.done("run", "box.toml", *words, folder=tmp_path, ranks=ranks)
    one, found = box.summary(folder / "runs/box"), box.summary(tmp_path / "runs/box")
    assert found["members"] == one["members"] and found["ranks"] == ranks
    assert found["state"] == one["state"] and found["series"] == one["series"]
    stores = "now.zarr", "mean.zarr"
    assert bits(tmp_path / "runs/box", *stores) == bits(folder / "runs/box", *stores)


def test_groups_of_ranks_continue_from_each_other(three, tmp_path):
    """Restarts of two groups, then of one, then of three, half way in intervals of the means."""
    folder, checksums = three
    written(tmp_path)
    words = "run", "box.toml", "--no-report", "--set", "simulation.checkpoint=4h", "--set"
    half = *words, "ensemble.groups=2", "--for", "5h"
    box.done(*half, folder=tmp_path, ranks=2)
    box.done(*words, "simulation.run=9h", "--continue", folder=tmp_path)
    box.done(*words, "ensemble.groups=3", "--continue", folder=tmp_path, ranks=3)
    assert box.summary(tmp_path / "runs/box")["members"]["checksums"] == checksums
    stores = "now.zarr", "mean.zarr"
    assert bits(tmp_path / "runs/box", *stores) == bits(folder / "runs/box", *stores)


def test_groups_that_do_not_divide_are_refused(tmp_path):
    written(tmp_path)
    for how, said in {
        "groups=2": "groups = 2: the 1 rank of this run do not divide so; allowed: 1",
        "ranks=3": "ranks = 3 of a group: the 1 rank of this run do not divide so",
        "groups=4": "groups = 4 are more than members = 3",
        "groups=0": "groups = 0 must be a whole number from 1 on",
    }.items():
        status, _, err = box.fathom("run", "box.toml", "--set", f"ensemble.{how}", folder=tmp_path)
        assert status == 2 and said in err, err
    many = fm.Ensemble(2, ranks=2)
    assert many.groups_of(4) == 2
    with pytest.raises(InputError, match="6 ranks are 3 groups, more than members = 2"):
        many.groups_of(6)
    with pytest.raises(InputError, match="one of them is given"):
        fm.Ensemble(2, groups=2, ranks=2)


def test_an_ensemble_continues_to_the_same_bits(three, tmp_path):
    """Half of it, then the rest on other ranks, half way in the interval of the means."""
    folder, checksums = three
    written(tmp_path)
    box.done("run", "box.toml", "--no-report", "--for", "9h", folder=tmp_path)
    box.done("run", "box.toml", "--no-report", "--continue", folder=tmp_path, ranks=2)
    assert box.summary(tmp_path / "runs/box")["members"]["checksums"] == checksums
    stores = "now.zarr", "mean.zarr"
    assert bits(tmp_path / "runs/box", *stores) == bits(folder / "runs/box", *stores)


def test_the_store_has_members_mean_and_spread(three):
    store = fm.open(three[0] / "runs/box/now.zarr").load()
    assert store.thetao.dims[:2] == ("time", "member") and store.sizes["member"] == 3
    of_each = store.thetao.values.astype(float)
    assert np.allclose(store.thetao_mean, of_each.mean(axis=1), atol=2e-6)
    spread = of_each.std(axis=1, ddof=1)
    assert np.allclose(store.thetao_spread, spread, atol=1e-7) and spread[0].max() > 0.05
    assert store.member.attrs["standard_name"] == "realization"


def test_the_record_of_an_ensemble_repeats_it(three):
    folder, checksums = three
    box.done("run", "runs/box/resolved.toml", "--no-report", "--out", "again", folder=folder)
    assert box.summary(folder / "again")["members"]["checksums"] == checksums


def test_errors_have_their_size_and_their_length():
    """Variance 1, and the correlation exp(-1/2) at the distance of the length."""
    levels = fm.ZLevels(nz=2, depth=100)
    grid = fm.CartesianGrid(nx=50, ny=50, extent=(5e6, 5e6), levels=levels)
    errors = Perturbation(temperature=0.5, length="300 km")
    random = np.random.Generator(np.random.Philox(key=5))
    found = np.stack([errors.values(grid, "center", 2, random) for _ in range(20)])
    assert abs(found.var() - 1) < 0.1
    beside = np.mean(found[..., 3:] * found[..., :-3]) / found.var()
    assert abs(beside - np.exp(-0.5)) < 0.05


def test_what_does_not_go_is_refused_in_one_line(tmp_path, monkeypatch):
    written(tmp_path)
    status, _, err = box.fathom(
        "run", "box.toml", "--set", "ensemble.perturbation.salt=1", folder=tmp_path
    )
    assert status == 2 and "perturbation: unknown field 'salt'" in err and "salinity" in err
    status, _, err = box.fathom("run", "box.toml", "--set", "ensemble.member=1", folder=tmp_path)
    assert status == 2 and "did you mean 'members'" in err
    with pytest.raises(InputError, match="starts has 1 file; members = 2 need one each"):
        fm.Ensemble(2, starts=["a.fathom"])
    grid = fm.CartesianGrid(nx=8, ny=8, extent=(4e5, 4e5), levels=fm.ZLevels(nz=2, depth=100))
    many = fm.Simulation(
        fm.Ocean(grid, coriolis=(1e-4, 0)).set(temperature=10.0, salinity=35.0),
        "1h",
        ensemble=fm.Ensemble(5000),
        directory=tmp_path,
    )
    with pytest.raises(InputError, match="an ensemble writes fields to .zarr"):
        many.output("a.nc", ["temperature"])
    monkeypatch.setattr(machine, "free_memory", lambda: 3_000_000)
    with pytest.raises(RoomError, match=r"members = 5000: .* has room for \d+ of them"):
        many.prepare()


def test_parameters_differ_between_members(tmp_path):
    """The control is the run of the file; a member that of a file with its parameter."""
    path = written(tmp_path)
    whole = path.read_text().replace(
        "control = true",
        'control = true\nparameters = { "model.friction.viscosity" = [5e3, 2e4] }',
    )
    path.write_text(
        whole.replace('perturbation = { temperature = "0.1 K", length = "200 km",', "#")
    )
    box.done("run", "box.toml", "--no-report", folder=tmp_path)
    members = box.summary(tmp_path / "runs/box")["members"]
    drawn = [one.get("model.friction.viscosity") for one in members["parameters"]]
    assert drawn[0] is None and all(5e3 < x < 2e4 for x in drawn[1:])
    box.write(tmp_path)
    alone = "simulation.run=12h", f"model.friction.viscosity={drawn[2]!r}"
    settings = [word for one in alone for word in ("--set", one)]
    box.done("run", "box.toml", "--no-report", "--out", "alone", *settings, folder=tmp_path)
    assert box.summary(tmp_path / "alone")["checksum"] == members["checksums"][2]
    path.write_text(
        whole.replace('perturbation = { temperature = "0.1 K", length = "200 km",', "#")
    )
    box.done("run", "box.toml", "--no-report", "--for", "6h", "--out", "half", folder=tmp_path)
    box.done(
        "run", "box.toml", "--no-report", "--continue", "--out", "half", folder=tmp_path, ranks=2
    )
    assert box.summary(tmp_path / "half")["members"]["checksums"] == members["checksums"]
