"""Every value of an experiment counts, or is an error: no value is replaced by the usual one
without a message, no text is misread, and the written text is the same experiment.
"""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import box
import fathom as fm
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.expression import Expression, constants_of
from fathom.run.experiment.toml import Document, dumps

files = sorted((Path(__file__).parents[2] / "experiments").glob("*.toml"))
experiments = [
    file
    for file in files
    if not re.search(
        r"fathom cycle|^\[programs\]|^\[calibration\]",
        file.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
]


def experiment(*settings, text=box.text):
    return Experiment(Document(text, "box.toml", settings))


@pytest.mark.parametrize("value", ['"none"', "false", "[]", '""', "{}", "3"])
@pytest.mark.parametrize(
    "key", ["vertical_mixing", "equation_of_state", "tracer_advection", "free_surface"]
)
def test_a_part_that_every_ocean_has_is_not_none(key, value):
    if value == "{}":
        assert experiment(f"model.{key}={value}").model  # an empty table: the defaults
        return
    with pytest.raises(ValueError, match=f"{key}|is no name of a class"):
        experiment(f"model.{key}={value}").model


def test_a_part_that_may_be_none():
    model = experiment("model.friction=none", "model.momentum_advection=none").model
    assert model.friction is None and model.momentum_advection is None
    assert experiment(
        "model.free_surface.preconditioner=none"
    ).model.free_surface.preconditioner == ("none")
    with pytest.raises(ValueError, match="no solver 'None'"):
        experiment("model.free_surface.solver=none").model


@pytest.mark.parametrize("value", ["false", "[]", "3", '"many"'])
def test_what_drives_a_model_is_a_surface(value):
    with pytest.raises(ValueError, match="surface|class"):
        experiment(f"simulation.surface={value}").simulation()


@pytest.mark.parametrize(
    "settings, said",
    [
        (["simulation.surface.air_pressure=-1e300"], "air_pressure .* must lie between"),
        (["simulation.surface.missing=1"], "missing = 1; allowed"),
        (["model.tidal_energy=1.0"], "no tidal_mixing that reads it"),
        (["model.chlorophyll=3"], "only shortwave_penetration = ChlorophyllWater reads it"),
        (["parallel.ranks=0"], "ranks = 0 must be a whole number from 1"),
        (["parallel.threads=1000000000000"], "threads = .* at most"),
        (["simulation.run=-1h"], "not a length of time"),
        (["simulation.beyond_stability=1"], "must be true or false"),
        (["grid.periodic=1"], "periodic = 1 must be true or false"),
        (['model.coriolis=[1e-4, "betta"]'], "coriolis"),
        (["model.overflows=[1]"], "must be a list of Overflow"),
        (["grid.levels=[]"], "levels"),
        (['output."surface.zarr".dtype=""'], "unknown dtype"),
    ],
)
def test_values_without_a_meaning(settings, said):
    with pytest.raises(ValueError, match=said):
        experiment(*settings).simulation().prepare()


@pytest.mark.parametrize(
    "name", ["../other/x.zarr", "/tmp/x.zarr", "s3://bucket/x.zarr", "a/../../x.nc"]
)
def test_output_stays_in_the_directory_of_its_run(name):
    with pytest.raises(ValueError, match="outside the directory of the run|not to an address"):
        experiment().simulation().output(name, ["temperature"])


def test_two_outputs_of_one_name():
    simulation = experiment().simulation()
    with pytest.raises(ValueError, match="another output of that name"):
        simulation.output("./surface.zarr", ["temperature"])


@pytest.mark.parametrize("text", ["sin(x, y)", "where(x)", "hypot(x, y, depth)", "exp(x, x)"])
def test_a_function_has_its_arguments_and_no_more(text):
    """NumPy's own take one more, into which the result is written."""
    with pytest.raises(ValueError, match="takes . arguments?, given"):
        Expression(text)
    x = np.full((2, 2), 0.5)
    Expression("sin(x) + hypot(x, y)")(x, x)
    assert (x == 0.5).all()


@pytest.mark.parametrize("table", [{"pi": 3.0}, {"x": 1.0}, {"sin": 1.0}, {"a": float("nan")}])
def test_constants_have_names_of_their_own(table):
    with pytest.raises(ValueError, match="constant"):
        constants_of(table)


def smaller(file):
    """Settings with which a model is made in no time: nothing here depends on its size."""
    text = file.read_text(encoding="utf-8")
    return [
        setting
        for word, setting in (
            ("LimitedAreaGrid", "grid.points=[40, 32]"),
            ("truncation", "grid.truncation=10"),
            ('resolution = "0.1deg"', "grid.resolution=3deg"),
            ('resolution = "1deg"', "grid.resolution=3deg"),
            ('\nouter = "aladin', 'model.outer="initial"'),
        )
        if word in text
    ]


# they take a second or more, and are like others that do not
alike = {
    *("europe-gridpoint", "ocean-x1", "ocean-1deg", "forecast-europe", "forecast-gridpoint"),
    *("aladin-europe-10km", "aladin-europe-outer", "aladin-europe", "observed-climate"),
    *("observed-forecast", "arome-austria", "arome-alps", "arome-large", "arome-europe"),
    *("ocean-3deg",),
}


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, id=file.stem, marks=pytest.mark.long if file.stem in alike else ())
        for file in experiments
    ],
)
def test_what_is_written_out_is_toml_and_the_same(file):
    try:
        text = Experiment.read(file, smaller(file)).resolved()
    except (FileNotFoundError, ImportError) as error:  # needs external data
        pytest.skip(str(error))
    except ValueError as error:
        if "are left on this machine" not in str(error):
            raise
        pytest.skip(str(error))
    assert tomllib.loads(text)["model"]
    assert Experiment(Document(text, "resolved.toml")).resolved() == text


globe = """
[grid]
type = "GaussianGrid"
truncation = 10
levels = { type = "SigmaLevels", nz = 4 }
[model]
type = "SpectralAtmosphere"
[simulation]
time_step = "30min"
"""
area = """
[grid]
type = "LimitedAreaGrid"
centre = [8.0, 47.0]
resolution = 50e3
points = [30, 24]
levels = { type = "SigmaLevels", nz = 4 }
[model]
type = "LimitedAreaAtmosphere"
outer = "globe.toml"
[simulation]
time_step = "10min"
"""


def test_an_outer_experiment_is_found_from_anywhere(tmp_path, monkeypatch):
    (tmp_path / "globe.toml").write_text(globe)
    (tmp_path / "area.toml").write_text(area)
    text = Experiment.read(tmp_path / "area.toml").resolved()
    monkeypatch.chdir("/")
    assert tomllib.loads(text)["model"]["outer"] == str(tmp_path / "globe.toml")
    assert Experiment(Document(text, "resolved.toml")).model.outer.simulation.time_step == 1800


def test_numbers_of_numpy_are_numbers():
    text = dumps({"a": {"x": np.float64(0.1), "n": np.int64(3), "is": np.True_, "l": np.ones(2)}})
    assert tomllib.loads(text) == {"a": {"x": 0.1, "n": 3, "is": True, "l": [1.0, 1.0]}}


def test_a_run_from_what_was_written_out_has_the_same_bits(tmp_path):
    first = experiment("simulation.run=3h").simulation(tmp_path / "a")
    first.run("3h", report=False)
    written = Experiment.read(tmp_path / "a" / "resolved.toml")
    again = written.simulation(tmp_path / "b")
    again.run(written.period, report=False)
    assert again.checksum() == first.checksum()


def test_a_case_does_not_replace_what_is_given():
    grid = fm.GaussianGrid(10)
    given = fm.ShallowWater(grid, mean_geopotential=9e4).set(case="williamson-2")
    assert given.parameters["mean_geopotential"] == 9e4
    of_case = fm.ShallowWater(grid).set(case="williamson-2")
    assert of_case.parameters["mean_geopotential"] not in (5e4, 9e4)
