"""Calibration: a twin's parameters lie within their posterior, a linear inversion is the exact one,
what the data do not tell is said, mistakes are told before the first run.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import box
import fathom as fm
from fathom.assimilation.calibration import inversion, settings
from fathom.assimilation.calibration.priors import prior_of
from fathom.assimilation.observations import base
from fathom.assimilation.observations.base import Observations

truth = {"constants.tau": 0.13, "model.friction.viscosity": 2e4}
table = """
[calibration]
members = 5
seed = 2

[calibration.parameters]
"constants.tau" = { range = [0.05, 0.3] }
"model.friction.viscosity" = { prior = "loguniform", range = [2e3, 1e5] }

[calibration.costs.surface]
kind = "twin"
output = "surface.zarr"
file = "truth/surface.zarr"
variables = ["sea_surface_height", "sea_surface_temperature"]
boxes = 4
error = 0.002
"""


@pytest.fixture
def file(tmp_path):
    path = box.write(tmp_path)
    text = path.read_text().replace('run = "2d"', 'run = "12h"').replace('"1d"', '"12h"')
    path.write_text(text.replace("nx = 24", "nx = 12").replace("ny = 20", "ny = 10") + table)
    return path


# ---- the inversion -------------------------------------------------------------------------------


def test_a_linear_inversion_is_exact():
    """Mean and covariance of the members are those of Bayes, whatever the parts are."""
    random = np.random.default_rng(5)
    A, data, errors = random.normal(size=(7, 3)), random.normal(size=7), 0.5 + random.random(7)
    z, left, parts = inversion.first_members(3, 12, 1), 1.0, []
    np.testing.assert_allclose(np.cov(z.T), np.eye(3), atol=1e-12)
    while left > 0:
        G = z @ A.T
        share = inversion.part(inversion.misfits(G, data, errors), 7, left)
        z, left = inversion.step(z, G, data, errors, share), left - share
        parts.append(share)
    assert len(parts) > 2 and sum(parts) == pytest.approx(1)
    covariance = np.linalg.inv(np.eye(3) + A.T @ (A / errors[:, None] ** 2))
    np.testing.assert_allclose(np.cov(z.T), covariance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(z.mean(0), covariance @ A.T @ (data / errors**2), rtol=1e-8)
    np.testing.assert_allclose(inversion.slopes(z, z @ A.T), A, rtol=1e-8)


def test_what_is_not_identifiable():
    """Data of the sum of two numbers leave their difference as it was."""
    z = inversion.first_members(2, 8, 1)
    z = inversion.step(z, z.sum(1, keepdims=True), np.zeros(1), np.full(1, 0.01), 1.0)
    left, vectors = inversion.directions(z)
    assert left[0] == pytest.approx(1) and left[1] < 1e-3
    assert abs(vectors[:, 0] @ [1, -1]) == pytest.approx(np.sqrt(2), rel=1e-3)


@pytest.mark.parametrize(
    "table",
    [
        {"range": [2, 5]},
        {"prior": "loguniform", "range": [1e-6, 1e-3]},
        {"prior": "normal", "range": [-1, 4], "mean": 1, "sigma": 2},
        {"prior": "lognormal", "range": [1e-6, 1e-3], "mean": 1e-5, "sigma": 1},
    ],
)
def test_priors_stay_in_their_range(table):
    """And have their moments: a uniform one is uniform."""
    prior = prior_of("a.b", table)
    z = np.linspace(-9, 9, 37)
    values = prior.value(z)
    least, most = table["range"]
    assert (np.diff(values) >= 0).all() and values.min() >= least and values.max() <= most
    np.testing.assert_allclose([prior.number(prior.value(x)) for x in (-1, 0.5)], (-1, 0.5))
    if "prior" not in table:
        random = prior.value(np.random.default_rng(1).normal(size=20000))
        assert random.mean() == pytest.approx(3.5, abs=0.02)
        assert random.std() == pytest.approx(3 / np.sqrt(12), rel=0.02)


# ---- a twin --------------------------------------------------------------------------------------


def test_a_twin_is_found_and_a_stop_changes_nothing(file, tmp_path):
    given = [f"{key}={value}" for key, value in truth.items()]
    sets = [word for one in given for word in ("--set", one)]
    box.fathom("run", file, "--out", tmp_path / "truth", "--no-report", *sets, folder=tmp_path)
    box.fathom("calibrate", file, "--out", tmp_path / "found", folder=tmp_path)
    found = json.loads((tmp_path / "found/report.json").read_text())
    for key, value in truth.items():
        posterior = found["parameters"][key]
        assert posterior["low"] < value < posterior["high"], key
    assert found["parameters"]["constants.tau"]["variance_left"] < 0.05
    assert found["used"] == pytest.approx(1)
    assert found["costs"]["surface"]["after"] < 1 < found["costs"]["surface"]["before"]
    assert (tmp_path / "found/report.png").stat().st_size > 5000
    kept = sorted((tmp_path / "found").glob("iteration-*/*.json"))
    for path in kept[len(kept) // 2 :]:  # as if it had been stopped there
        path.unlink()
    box.fathom("calibrate", file, "--out", tmp_path / "found", folder=tmp_path)
    assert json.loads((tmp_path / "found/report.json").read_text()) == found


def test_a_gradient_finds_it_too(file, tmp_path):
    """The viscosity, from the flow at the end of a run, in few runs."""
    head = file.read_text().split("[calibration]")[0]
    flow = 'variables = ["velocity_x"]\ndtype = "float64"'
    head = head.replace('variables = ["sea_surface_temperature", "sea_surface_height"]', flow)
    head = head.replace('run = "12h"', 'run = "6h"').replace('every = "12h"', 'every = "6h"')
    head = head.replace("friction =", 'vertical_mixing = "ConstantMixing"\nfriction =')
    cost = table.split("[calibration.costs")[1].replace('"sea_surface_height", ', "")
    cost = cost.replace("sea_surface_temperature", "velocity_x").replace("0.002", "1e-4")
    prior = '"model.friction.viscosity" = { prior = "loguniform", range = [2e3, 1e5] }\n'
    more = f'[calibration]\nmethod = "gradient"\n[calibration.parameters]\n{prior}'
    file.write_text(f"{head}{more}[calibration.costs{cost}")
    given = ("--set", "model.friction.viscosity=3e4")
    box.fathom("run", file, "--out", tmp_path / "truth", "--no-report", *given, folder=tmp_path)
    status, out, err = box.fathom("calibrate", file, "--out", tmp_path / "found", folder=tmp_path)
    assert status == 0, err
    found = json.loads((tmp_path / "found/report.json").read_text())
    assert found["parameters"]["model.friction.viscosity"] == pytest.approx(3e4, rel=0.01), out


def test_costs_of_means_and_functions(file, tmp_path):
    (tmp_path / "own.py").write_text(
        "import fathom as fm\n"
        "def warmth(run):\n"
        "    with fm.open(run / 'surface.zarr') as store:\n"
        "        return store['tos'][-1].mean().item()\n"
    )
    head = file.read_text().split("[calibration.costs")[0]
    own = '[calibration.costs.own]\nkind = "function"\npython = "own.py"\nfunction = "warmth"\n'
    mean = '[calibration.costs.mean]\nkind = "mean"\noutput = "surface.zarr"\n'
    more = 'last = 1\nvalue = 17\nerror = 0.1\nvariables = ["sea_surface_temperature"]\n'
    file.write_text(head + own + "value = 17\nerror = 0.1\n" + mean + more)
    read = settings.read(file)
    run = tmp_path / "run"
    read.experiment(read.middle()).simulation(run, overwrite=True).run("12h", report=False)
    a, b = (cost.of_run(run) for cost in read.costs)
    assert a.shape == b.shape == (1,) and a == pytest.approx(b, rel=1e-6)


sea = """
[constants]
heat = 100
[grid]
type = "LatitudeLongitudeGrid"
nx = 10
ny = 8
longitude = [-40, -20]
latitude = [-10, 10]
levels = { type = "ZLevels", nz = 6, depth = 600, surface = 20 }
[model]
type = "Ocean"
physics = "simple"
vertical_mixing = { type = "ConstantMixing", viscosity = 1e-2, diffusivity = 1e-4 }
friction = { type = "LaplacianFriction", viscosity = 1e5 }
[state]
temperature = "5 + 20 * exp(-depth / 150)"
salinity = 35
[simulation]
start = "2018-11-20"
time_step = "1h"
run = "2d"
surface = { type = "SurfaceForcing", heat_flux = "heat" }
[observations]
base = "BASE"
every = "1h"
[calibration]
members = 5
[calibration.parameters]
"constants.heat" = { range = [0, 300] }
"model.vertical_mixing.diffusivity" = { prior = "loguniform", range = [1e-5, 1e-2] }
[calibration.costs.surface]
kind = "observed"
variables = "sea_water_temperature"
reports = "ship"
bands = 2
error = 0.005
[calibration.costs.below]
kind = "observed"
variables = ["sea_water_temperature"]
reports = ["argo"]
depth = [30, 120]
error = 0.01
"""


def observed(n=240):
    """Temperatures of the surface and at 20 to 200 m in the second day."""
    which, random = np.arange(n) % 2, np.random.default_rng(4)
    return Observations(
        report=np.arange(n), kind=np.where(which, "argo", "ship"), value=np.full(n, 15.0),
        time=1542672000 + 86400 + random.integers(0, 80000, n),
        variable=np.full(n, "sea_water_temperature"),
        longitude=random.uniform(-38, -22, n), latitude=random.uniform(-8, 8, n),
        depth=np.where(which, random.uniform(20, 200, n), 1.0),
    )  # fmt: skip


def test_observed_sets_find_what_made_them(tmp_path):
    """The base has what a run with other numbers sees, and errors; both lie in the posterior. The
    numbers of a cost are the means of departures, band by band.
    """
    path, truth = tmp_path / "sea.toml", tmp_path / "sea.parquet"
    path.write_text(sea.replace("BASE", str(truth)))
    data = observed()
    base.write(data, truth)
    values = {"constants.heat": 180.0, "model.vertical_mixing.diffusivity": 8e-4}
    sets = [word for key, x in values.items() for word in ("--set", f"{key}={x!r}")]
    box.fathom("run", path, "--out", tmp_path / "truth", "--no-report", *sets, folder=tmp_path)
    made = base.read(tmp_path / "truth/departures.parquet")
    assert made.used.all()
    away = made["background_departure"].copy()
    north = made.kind_is("ship") & (made["latitude"] >= 0)
    costs = settings.read(path).costs
    assert costs[0].of_run(tmp_path / "truth")[1] == pytest.approx(-away[north].mean())
    deep = (made["depth"] >= 30) & (made["depth"] <= 120)
    assert costs[1].of_run(tmp_path / "truth") == pytest.approx([-away[deep].mean()])
    error = 0.02 * np.random.default_rng(8).standard_normal(len(away))
    made["value"] = made["value"] - away + error
    made["background_departure"], made["slot"] = np.nan, -1
    base.write(made, truth)
    status, _, err = box.fathom("calibrate", path, "--out", tmp_path / "found", folder=tmp_path)
    assert status == 0, err
    found = json.loads((tmp_path / "found/report.json").read_text())["parameters"]
    for key, value in values.items():
        assert found[key]["low"] < value < found[key]["high"], found
        assert found[key]["variance_left"] < 0.4


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('variables = "sea_water_temperature"', 'variables = "sea_temperature"', "variable"),
        ('["argo"]', '["argos"]', "did you mean 'argo'"),
        ("bands = 2", "bands = 0", "bands = 0 must be a whole number from 1 on"),
        ("bands = 2", 'departures = "d.parquet"', r"reads d.parquet, which no \[observations\]"),
    ],
)
def test_mistakes_of_observed_costs(tmp_path, old, new, said):
    path = tmp_path / "sea.toml"
    path.write_text(sea.replace(old, new))
    with pytest.raises(fm.InputError, match=said):
        settings.read(path)


# ---- refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("range = [0.05, 0.3]", 'prior = "uniform"', "constants.tau has no range"),
        ("range = [0.05, 0.3]", "range = [1, 1]", r"range \[1, 1\]"),
        ("loguniform", "loguniforn", "did you mean 'loguniform'"),
        ("range = [2e3, 1e5]", "range = [-1, 1e5]", "must be above 0"),
        ("viscosity", "viscosty", "did you mean 'viscosity'"),
        ("members = 5", "member = 5", "did you mean 'members'"),
        ('kind = "twin"', 'kind = "twins"', "did you mean 'twin'"),
        ('file = "truth/surface.zarr"', "", "needs file"),
        ("truth/surface", "no/surface", "no such file"),
        ('output = "surface.zarr"', 'output = "surfaces.zarr"', "did you mean 'surface.zarr'"),
        ("error = 0.002", "error = 0", "must be above 0"),
    ],
)
def test_mistakes(file, tmp_path, old, new, said):
    (tmp_path / "truth/surface.zarr").mkdir(parents=True)
    head, calibration = file.read_text().split("[calibration]")
    assert old in calibration
    file.write_text(f"{head}[calibration]{calibration.replace(old, new)}")
    with pytest.raises(fm.InputError, match=said):
        settings.read(file)


def test_the_files_of_the_project(tmp_path):
    """They are read, with each end of each range; that of the climate is of another file."""
    folder = Path(__file__).parents[2] / "experiments"
    climate = settings.read(folder / "calibrate-climate.toml")
    (cloud,) = (s for s in climate.experiment([1e-4, 0.7, 0.8]).model.physics if "Cloud" in s.name)
    assert cloud.parameters["low_critical_humidity"] == 0.8
    (tmp_path / "sea.zarr").mkdir()
    there = [f'calibration.costs.{n}.file="{tmp_path}/sea.zarr"' for n in ("height", "temperature")]
    basin = settings.read(folder / "calibrate-basin.toml", there)
    assert basin.experiment(basin.middle()).constants["wind"] == pytest.approx(0.16)


def test_a_file_without_calibration(tmp_path):
    with pytest.raises(fm.InputError, match=r"has no \[calibration\]"):
        settings.read(box.write(tmp_path))
