"""`fathom compare` of what two runs have written, and `fathom watch` of one."""

import json

import numpy as np
import pytest

import box
import fathom as fm
from fathom.run import live
from fathom.run.experiment.experiment import Experiment


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three runs: the second has twice the viscosity, the third another grid."""
    folder = tmp_path_factory.mktemp("answers")
    box.write(folder)
    for name, setting in (
        ("a", "model.friction.viscosity=1e4"),
        ("b", "model.friction.viscosity=2e4"),
        ("c", "grid.nx=20"),
    ):
        words = ("run", "box.toml", "--out", name, "--no-report", "--set", setting)
        assert box.fathom(*words, folder=folder)[0] == 0
    return folder


def test_how_far_two_runs_are_apart(folder):
    words = ("compare", "a", "b", "--answers", "--maps", "maps", "--json", "rows.json")
    status, out, err = box.fathom(*words, folder=folder)
    assert (status, err) == (0, "")
    assert "viscosity: 10000.0, then 20000.0" in out and "other bits at the end" in out
    rows = {
        row["name"]: row for row in json.loads((folder / "rows.json").read_text())["surface.zarr"]
    }
    a, b = (fm.open(folder / name / "surface.zarr").tos.values.astype(float) for name in "ab")
    apart = b[-1] - a[-1]
    assert rows["tos"]["rms"] == pytest.approx(np.sqrt(np.mean(apart**2)), rel=1e-6)
    assert rows["tos"]["correlation"] == pytest.approx(
        np.corrcoef(a[-1].ravel(), b[-1].ravel())[0, 1], rel=1e-6
    )
    assert rows["tos"]["since"].startswith("2000-01-02")
    assert (folder / "maps" / "surface-tos.png").stat().st_size > 10_000


def test_runs_and_their_time_together(folder):
    status, out, _ = box.fathom("compare", "a", "b", folder=folder)
    assert status == 0 and "LaplacianFriction" in out and "zos" in out
    status, out, _ = box.fathom("compare", "a/surface.zarr", "a/surface.zarr", folder=folder)
    assert status == 0 and out.count("never") == 2


@pytest.mark.parametrize(
    "a, b, told",
    [
        ("a/surface.zarr", "c/surface.zarr", "other grids, 20 × 24 and 20 × 20"),
        ("a", "c", "other grids"),
        ("a/surface.zarr", "no.zarr", "does not exist"),
    ],
)
def test_what_cannot_be_compared(folder, a, b, told):
    status, _, err = box.fathom("compare", a, b, "--answers", folder=folder)
    assert status in (1, 2) and told in err and err.count("\n") == 1


def test_a_difference_of_fields_is_drawn(folder, tmp_path):
    """Arithmetic of xarray keeps fields drawable."""
    a, b = (fm.open(folder / name / "surface.zarr") for name in "ab")
    figure = fm.plots.picture(np.abs(b.tos - a.tos).mean("time"), path=tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 10_000 and figure.axes[0].images


def test_a_run_is_watched(folder, tmp_path):
    status, out, err = box.fathom("watch", "a", folder=folder)
    assert (status, err) == (0, "") and "live.html" in out
    page = (folder / "a" / "live.html").read_text()
    assert page.count("<img") == 2 and "refresh" not in page
    for where, told in (("nix", "does not exist"), (".", "no directory of a run")):
        status, _, err = box.fathom("watch", where, folder=folder)
        assert status in (1, 2) and told in err and err.count("\n") == 1


def test_a_run_tells_those_who_watch_how_far_it_is(tmp_path):
    """While it runs there is its line; afterwards the files are gone."""
    file = str(box.write(tmp_path))
    sim = Experiment.read(file).simulation(tmp_path / "run")
    seen = []

    def look(simulation, fraction):
        live.ask(simulation.directory)
        seen.append(live.read(simulation.directory))

    sim.run("2d", progress=look, report=False)
    live.ask(sim.directory)
    live.tell(sim, 0.5)
    assert " 50%" in live.read(sim.directory)["line"] and live.read(sim.directory)["series"]
    live.forget(sim.directory)
    assert seen and not live.read(sim.directory)
