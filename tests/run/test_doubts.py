"""What is allowed and hardly meant gets one warning; what breaks a run has a name."""

import warnings

import pytest

import box
import fathom as fm
from fathom.run.experiment.experiment import Experiment


def said(tmp_path, *settings):
    """The warnings of a run of an hour."""
    file = box.write(tmp_path)
    sim = Experiment.read(file, settings).simulation(tmp_path / "run", overwrite=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.run("1h", report=False, progress=False)
        sim.run("1h", report=False, progress=False)
    return [str(one.message) for one in caught if "nothing will be written" not in str(one.message)]


@pytest.mark.parametrize(
    "setting, word",
    [
        ("model.friction.viscosity=1e4", None),
        ("state.salinity=-1", "below 0"),
        ('model.friction="none"', "noise of the grid"),
        ("model.friction.viscosity=1", "western boundary layer"),
        ('model.vertical_mixing={type="ConstantMixing",diffusivity=1.0}', "100 m in"),
    ],
)
def test_one_warning(setting, word, tmp_path):
    found = said(tmp_path, setting)
    assert len(found) == (word is not None) and all(word in text for text in found), found


def test_lateral_diffusion_bounds_the_step(tmp_path):
    file = box.write(tmp_path)
    setting = 'model.diffusion={type="LaplacianDiffusion",diffusivity=5e5}'
    sim = Experiment.read(file, [setting]).simulation(tmp_path / "run")
    with pytest.raises(fm.InputError, match="lateral diffusion, K step") as refused:
        sim.run("1h", report=False, progress=False)
    assert "try" in str(refused.value)


def test_what_broke_a_run_has_a_name(tmp_path):
    file = box.write(tmp_path)
    settings = ["model.friction.viscosity=6e5", "simulation.beyond_stability=true"]
    sim = Experiment.read(file, settings).simulation(tmp_path / "run")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(fm.UnstableError, match="What breaks it is friction") as broken:
            sim.run("20d", report=False, progress=False)
    assert "cells a step" in str(broken.value) or "not a number" in str(broken.value)
