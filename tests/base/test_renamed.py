"""Every old name ends in an error that says the new one, wherever it is given."""

import pytest

import fathom as fm
from fathom.base import renamed
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document


@pytest.mark.parametrize("old", sorted(renamed.public))
def test_names_of_fathom(old):
    new = renamed.public[old]
    with pytest.raises(AttributeError, match=f"fathom has no '{old}'; it is '{new}' now"):
        getattr(fm, old)
    assert hasattr(fm, new) or hasattr(fm.schemes, new) or hasattr(fm.base.failure, new)


def called(owner):
    """A class, or a method of one without an object."""
    cls, _, method = owner.partition(".")
    made = getattr(fm, cls)
    return getattr(object.__new__(made), method) if method else made


in_python = sorted((owner, old) for owner, old in renamed.arguments if owner != "a table")


@pytest.mark.parametrize("owner, old", in_python)
def test_arguments(owner, old):
    new = renamed.arguments[owner, old]
    with pytest.raises(fm.InputError, match=f"{owner} has no '{old}'; it is '{new}' now"):
        called(owner)(**{old: 1})
    with pytest.raises(fm.Error) as error:  # the new one is known
        called(owner)(**{new: object()})
    assert f"no '{new}'" not in str(error.value)


@pytest.mark.parametrize("owner, old", sorted(renamed.attributes))
def test_attributes(owner, old):
    new = renamed.attributes[owner, old]
    with pytest.raises(AttributeError, match=f"'Ocean' object has no .*'{old}'; it is '{new}' now"):
        getattr(object.__new__(fm.Ocean), old)
    assert hasattr(fm.Ocean, new) or new in ocean_attributes()


def ocean_attributes():
    levels = fm.ZLevels(nz=2, depth=100)
    grid = fm.CartesianGrid(nx=8, ny=8, extent=(4e5, 4e5), levels=levels)
    ocean = fm.Ocean(grid)
    assert not hasattr(ocean, "placed")
    return dir(ocean)


def test_attributes_that_were_arguments():
    levels = fm.ZLevels(nz=2, depth=100)
    with pytest.raises(AttributeError, match="'ZLevels' object has no .*'number'; it is 'nz' now"):
        _ = levels.number


toml = """
[grid]
type = "CartesianGrid"
nx = 8
ny = 8
extent = [4e5, 4e5]
levels = { type = "ZLevels", nz = 2, depth = 100 }
[model]
type = "Ocean"
[simulation]
time_step = "1h"
[output."a.nc"]
variables = ["temperature"]
"""
air = """
[grid]
type = "GaussianGrid"
truncation = 5
levels = { type = "HybridLevels", nz = 4 }
[model]
type = "SpectralAtmosphere"
[simulation]
time_step = "1h"
"""


@pytest.mark.parametrize(
    "text, old, new, value",
    [
        (toml, "grid.is", "type", "CartesianGrid"),
        (toml, "grid.levels.is", "type", "ZLevels"),
        (toml, "grid.levels.number", "nz", "3"),
        (toml, "model.water", "shortwave_penetration", "none"),
        (toml, "simulation.step", "time_step", "1h"),
        (toml, "output.'a.nc'.regular", "latlon_resolution", "1"),
        (toml, "output.'a.nc'.fit", "spectral_truncation", "3"),
        (air, "model.filter", "robert_asselin", "0.05"),
        (air, "model.williams", "williams_factor", "0.5"),
        (air, "model.physics", "BasicPhysics", "FirstPhysics"),
        (air, "model.physics", "TKE", '{type = "BasicPhysics", mixing = "TurbulentEnergy"}'),
    ],
)
def test_keys_of_an_experiment(text, old, new, value, tmp_path):
    with pytest.raises(fm.InputError, match=f"--set {old}=.* it is '{new}' now"):
        Experiment(Document(text, "old.toml", [f"{old}={value}"])).simulation(tmp_path)


def test_schemes_that_lie_deeper_say_where():
    with pytest.raises(AttributeError, match="it is fathom.schemes.BulkSensitivity"):
        _ = fm.BulkSensitivity
    with pytest.raises(AttributeError, match="it is 'TKE' now"):
        _ = fm.schemes.TurbulentEnergy
    with pytest.raises(AttributeError, match="did you mean 'BulkSensitivity'"):
        _ = fm.schemes.BulkSensitivty
    assert fm.schemes.KPP is fm.KPP and {"KPP", "BulkSensitivity"} <= {*dir(fm.schemes)}


def test_a_class_of_the_user_with_an_old_attribute():
    with pytest.raises(fm.InputError, match=r"Watched\.kept: it is 'diagnostics' now"):
        type("Watched", (fm.Ocean,), {"kept": ()})
