"""TOML <-> objects: round trip, settings, and errors that say where, what is allowed and what is
near.
"""

import numpy as np
import pytest

import box
import fathom as fm
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document, dumps


def experiment(*settings, text=box.text):
    return Experiment(Document(text, "box.toml", settings))


def test_objects():
    e = experiment()
    assert repr(e.grid) == "CartesianGrid 24×20×4"
    assert e.model.friction == fm.LaplacianFriction(viscosity=1e4)
    assert e.model.coriolis == [1e-4, 2e-11]
    assert float(e.surface.stress_x(0.0, 0.5e6)) == pytest.approx(0.1)
    simulation = e.simulation()
    assert simulation.time_step == 3600 and simulation.outputs[0].requested == [
        "sea_surface_temperature",
        "sea_surface_height",
    ]


def test_resolved_text_is_the_same_experiment(tmp_path):
    e = experiment(
        "model.momentum_advection=none",
        "parallel.threads=2",
        'output."surface.zarr".statistic="mean"',
    )
    text = e.resolved()
    again = Experiment(Document(text, "resolved.toml"))
    assert again.resolved() == text
    assert (
        "thermal_expansion" in text and "calendar" in text and 'statistic = "mean"' in text
    )  # defaults are in it, too
    assert again.model.momentum_advection is None
    assert again.model.initial == e.model.initial and repr(again.model.free_surface) == repr(
        e.model.free_surface
    )
    np.testing.assert_array_equal(again.grid.wet_levels, e.grid.wet_levels)


def test_settings():
    e = experiment(
        "model.friction.viscosity=800",
        "model.vertical_mixing.maximum=1e-2",
        "simulation.run=6h",
        "model.equation_of_state=MWJF",
        "grid.nx=8",
        "output.surface.zarr.every=2d",
    )
    assert e.simulation().outputs[0].every == "2d"
    assert e.model.friction.parameters == {"viscosity": 800.0}
    assert e.model.vertical_mixing == fm.RichardsonMixing(maximum=1e-2)  # the class of the default
    assert e.model.equation_of_state == fm.MWJF()
    assert str(e.period) == "6h" and e.grid.shape[2] == 8
    with pytest.raises(ValueError, match="expected a.b.c=value"):
        experiment("model.friction")


@pytest.mark.parametrize(
    "old, new, message",
    [
        (
            "viscosity = 1e4",
            "viscosty = 1e4",
            (
                r"box.toml:16 \[model.friction\]: unknown LaplacianFriction parameter 'viscosty';"
                r" did you mean 'viscosity'\?"
            ),
        ),
        (
            "viscosity = 1e4",
            "viscosity = -1",
            r"box.toml:16 .*viscosity = -1 m2 s-1 .* must lie in \[0, ",
        ),
        (
            "CartesianGrid",
            "CartesanGrid",
            r"box.toml:6 \[grid\]: unknown class 'CartesanGrid'; did you mean 'CartesianGrid'",
        ),
        ("viscosity = 1e4", 'viscosity = "much"', "viscosity = 'much' must be a number"),
        ('"1h"', '"1h"\nstart = "2000-13-01"', "the calendar standard has no such date"),
        ("salinity = 35", 'salinity = "none.nc"', r"box.toml:20 \[state\]: none.nc does not exist"),
        ('"Ocean"', '"CartesianGrid"', r"\[model\]: unknown class 'CartesianGrid'"),
        (
            '{ type = "LinearEquationOfState" }',
            '"MWJFF"',
            (
                r"box.toml:15 \[model\]: equation_of_state = 'MWJFF' must be .*, MWJF, .*; did you"
                r" mean 'MWJF'"
            ),
        ),
        (
            "[state]",
            "[parallel]\nblocks = 5\n[state]",
            r"box.toml:19 \[parallel\]: blocks = 5 must be two whole numbers",
        ),
        ("friction =", "frction =", r"unknown Ocean parameter 'frction'; did you mean 'friction'"),
        ("nx = 24", 'nx = "many"', r"box.toml:7 \[grid\]: nx = 'many' must be a whole number"),
        (
            "salinity = 35",
            "salinty = 35",
            (
                r"box.toml:20 \[state\]: the ocean has no field 'salinty' to set; did you mean"
                r" 'salinity'"
            ),
        ),
        ("exp(depth", "exp(dept", r"^box.toml:19 \[state\]: unknown name 'dept'"),
        (
            "[state]",
            "[stat]",
            r"box.toml:18 \[stat\]: unknown section 'stat'; did you mean 'state'",
        ),
        (
            "time_step =",
            "time_stp =",
            r"unknown \[simulation\] key 'time_stp'; did you mean 'time_step'",
        ),
        ('"1h"', '"1x"', r"\[simulation\]: time_step = '1x' is not a length of time"),
        (
            'run = "2d"',
            'run = "2dd"',
            r"box.toml:24 \[simulation\]: run = '2dd' is not a length of time",
        ),
        ("every =", "evry =", r"unknown key of output 'surface.zarr' 'evry'; did you mean 'every'"),
        ("surface.zarr", "surface.grib", r"an output file ends in"),
        ("[constants]", "parallel = 2\n[constants]", r"box.toml:1 .*'parallel' is a section"),
        ("[model]", "[model", r"box.toml is not valid TOML: .*line 12"),
    ],
)
def test_errors(old, new, message):
    def read():
        e = experiment(text=box.text.replace(old, new, 1))
        assert e.period and e.simulation()

    with pytest.raises(fm.Error, match=message):
        read()


def test_a_setting_is_named_in_its_error():
    with pytest.raises(
        ValueError, match=r"--set model.frction.viscosity=1: unknown Ocean parameter 'frction'"
    ):
        assert experiment("model.frction.viscosity=1").model
    with pytest.raises(ValueError, match=r"--set model.vertical_mixing.maximum=7: .*maximum = 7 "):
        assert experiment("model.vertical_mixing.maximum=7").model


def test_missing_file_has_near_names(tmp_path):
    box.write(tmp_path)
    with pytest.raises(FileNotFoundError, match="did you mean 'box.toml'"):
        Experiment.read(tmp_path / "bx.toml")


def test_written_text_reads_the_same():
    tables = {
        "a": {
            "x": 1,
            "y": 1.5e-11,
            "t": True,
            "s": 'quote " and \\ and ü\n',
            "l": [1, [2.0, "b"]],
            "i": {"type": "K", "a b": 1},
        },
        "output": {"f.zarr": {"every": "1d"}},
    }
    assert Document(dumps(tables)).tables == tables
