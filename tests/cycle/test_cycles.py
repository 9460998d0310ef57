"""Cycles of a small twin experiment: files, restart, errors that are told."""

from pathlib import Path

import numpy as np
import pytest

import box
from fathom.assimilation import balance
from fathom.assimilation.balance import Errors
from fathom.assimilation.cycle import experiment, report
from fathom.assimilation.cycle.run import Cycles

source = Path(__file__).parents[2] / "experiments" / "osse.toml"
small = [
    "model.truncation=8",
    "nature.truncation=10",
    "model.levels=3",
    "nature.levels=3",
    'nature.step="1h"',
    'nature.spin_up="5d"',
    "background.samples=3",
    "departures.windows=6",
    "observations.places=15",
    "assimilation.iterations=5",
]


def read(windows):
    return experiment.read(source, [*small, f"cycle.windows={windows}"])


def test_background_errors_appear_when_they_are_whole(tmp_path, monkeypatch):
    """A write that ends half way leaves no file that would stop every continuation."""
    import xarray as xr

    def half(_, path):
        Path(path).write_bytes(b"half")
        raise OSError("no space left")

    shapes = {"balance": (4, 3), "mass": (2, 4, 4)}
    made = object.__new__(Errors)
    for name in Errors.__dataclass_fields__:
        value = (
            None
            if name not in ("balance", *balance.parts)
            else np.zeros(shapes.get(name, (2, 3, 3)))
        )
        object.__setattr__(made, name, value)
    monkeypatch.setattr(xr.Dataset, "to_netcdf", half)
    with pytest.raises(OSError, match="no space"):
        made.write(str(tmp_path / "background.nc"))
    assert not list(tmp_path.iterdir())


def test_local_filter(tmp_path):
    """Data bring the members' mean nearer to the truth; a run that goes on is the same; the report
    has a line of it, without J."""
    read = lambda windows: experiment.read(
        source, [*small, f"cycle.windows={windows}", "departures.use=false", "ensemble.members=6"]
    )
    whole = Cycles(read(3), tmp_path / "whole").run("letkf")
    Cycles(read(1), tmp_path / "parts").run("letkf")
    assert Cycles(read(3), tmp_path / "parts").run("letkf") == whole
    assert whole[0]["analysis"]["energy"] < whole[0]["background"]["energy"]
    assert whole[2]["background"]["energy"] < whole[0]["background"]["energy"]
    assert 0.02 < whole[2]["spread"]["wind"] / whole[2]["background"]["wind"] < 3
    lines = report.text({"letkf": whole})
    assert any(line.startswith("letkf") and line.endswith("–") for line in lines)


def test_stopped_and_gone_on_is_the_same(tmp_path):
    whole = Cycles(read(2), tmp_path / "whole").run("4d-var")
    Cycles(read(1), tmp_path / "parts").run("4d-var")
    parts = Cycles(read(2), tmp_path / "parts")
    assert parts.run("4d-var") == whole
    (line,) = report.times(parts.seconds, 3600.0)  # of both runs
    assert "minimisation" in line and "2 of 2 within the deadline of 3600 s" in line
    assert whole[1]["analysis"]["energy"] < whole[0]["background"]["energy"]
    assert all(r["residual"] < r["departure"] for r in whole)
    lines = report.text({"4d-var": whole})
    assert lines[0].startswith("twin") and lines[2].startswith("4d-var")
    with pytest.raises(ValueError, match="holds another experiment"):
        Cycles(experiment.read(source, [*small, "observations.places=16"]), tmp_path / "parts")


@pytest.mark.parametrize(
    "setting, message",
    [
        ("model.truncatoin=9", "no key 'truncatoin'; did you mean 'truncation'"),
        ("model.truncation=0", "truncation = 0 must be like 21"),
        ('assimilation.methods=["4dvar"]', "unknown method '4dvar'; did you mean '4d-var'"),
        ('assimilation.window="90min"', "5400 s is no multiple of observations.every"),
        ("nature.levels=7", "nature has 7 levels, the model 3"),
        ("departures.windows=3", "3 windows are too few to learn from"),
        ("inner.truncation=9", "T9 is finer than the model, T8"),
        ("modle.levels=7", r"no table \[modle\]; did you mean 'model'"),
    ],
)
def test_mistakes_have_their_place(setting, message):
    with pytest.raises(ValueError, match=message):
        experiment.read(source, [*small, setting])


@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.long)])
def test_ranks_and_threads_change_no_bit(tmp_path, threads):
    """What was learned, and the analysis of 4D-Var with errors correlated in a column, on
    one rank, and on two ranks."""
    settings = [x for setting in [*small, "cycle.windows=1"] for x in ("--set", setting)]
    ends = []
    for name, *parallel in (("1",), ("2", "--ranks", 2, "--threads", threads)):
        status, _, errors = box.fathom(
            *("cycle", source, "--method", "4d-var", "--out", name, *parallel, *settings),
            folder=tmp_path,
        )
        assert status == 0, errors
        with (
            np.load(tmp_path / name / "learning/window-0005.npz") as learned,
            np.load(tmp_path / name / "4d-var/window-0000.npz") as analysed,
        ):
            ends.append([*(learned[key] for key in sorted(learned)), analysed["end"]])
    for other in ends[1:]:
        for a, b in zip(ends[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_inner_loops_of_a_coarser_model(tmp_path):
    """T6 with a step of 2 h in T8 with one of 1 h: departures are those of T8, the analysis is
    better than the background; with a weak digital filter of the increment.
    """
    inner = ["inner.truncation=6", 'inner.step="2h"', 'observations.every="2h"']
    inner += ["filter.weight=10.0", 'filter.longest="8h"']
    cycles = Cycles(experiment.read(source, [*small, *inner, "cycle.windows=1"]), tmp_path)
    assert cycles.twin.inner.ratio == 2 and cycles.twin.inner.trajectory.model.grid.truncation == 6
    (found,) = cycles.run("4d-var")
    assert found["residual"] < found["departure"] and found["J_filter"] > 0
    assert found["analysis"]["energy"] < found["background"]["energy"]
    with pytest.raises(ValueError, match="3 steps of the model are no whole number of inner"):
        cycles.twin.inner.steps(3)


def test_inner_loops_in_fp32(tmp_path):
    """The same truncation in fp32: the analysis of fp64, to 1e-4 of its errors."""
    found = []
    for more in ([], ["inner.truncation=8", 'inner.precision="fp32"']):
        text = [*small, *more, "departures.use=false", "cycle.windows=1"]
        cycles = Cycles(experiment.read(source, text), tmp_path / str(len(more)))
        found += cycles.run("4d-var")
    assert cycles.twin.coarse.trajectory.simulation.bytes_of_number == 4
    assert found[0]["analysis"]["energy"] < found[0]["background"]["energy"]
    for name in ("energy", "wind", "temperature", "pressure"):
        exact, single = (f["analysis"][name] for f in found)
        assert 0 < abs(single / exact - 1) < 1e-4


def test_members_and_what_they_tell(tmp_path):
    """An ensemble of data assimilations, and analyses with its covariances: stopped and continued
    is the same; the spread is inflated by its factor.
    """
    text = ["ensemble.members=3", "ensemble.inflation=1.5", "ensemble.length=5000.0"]
    made = lambda windows, name: Cycles(
        experiment.read(source, [*small, *text, f"cycle.windows={windows}"]), tmp_path / name
    )
    whole = made(2, "whole")
    results = {method: whole.run(method) for method in ("eda", "envar")}
    results["hybrid"] = made(1, "parts").run("hybrid")
    assert made(2, "parts").run("envar") == results["envar"]
    for method, all_ in results.items():
        assert all_[0]["analysis"]["energy"] < all_[0]["background"]["energy"], method
        assert all(r["residual"] < r["departure"] for r in all_)
    with np.load(tmp_path / "whole/eda/window-0000.npz") as one:
        members, next_ = one["end"], np.load(tmp_path / "whole/eda/window-0001.npz")["starts"]
    np.testing.assert_array_equal(members, next_)
    energy = lambda part: sum(r[part]["energy"] for r in results["eda"])
    assert energy("analysis spread") < energy("spread")
    of_members = Errors.read(str(whole.of_members()))
    assert of_members.stream_function.shape == (9, 3, 3)
    assert np.trace(of_members.mass.sum(axis=0)) > 0
    spread, error = (results["eda"][0][part]["wind"] for part in ("spread", "background"))
    assert 0 < spread < error and "spread over the error" in report.text(results)[-1]
