"""What a user gives for the physics of an atmosphere: an object, a class, a name, or none."""

import inspect

import pytest

import fathom as fm
from fathom.atmosphere.physics import packages as physics


@pytest.fixture(scope="module")
def grids():
    layers = fm.HybridLevels(8)
    return {
        fm.SpectralAtmosphere: fm.GaussianGrid(10, levels=layers),
        fm.LimitedAreaAtmosphere: fm.LimitedAreaGrid(
            (10, 50), resolution=20e3, points=(32, 32), levels=layers
        ),
        fm.GridPointAtmosphere: fm.CartesianGrid(
            8, 8, extent=(1e5, 1e5), levels=fm.HeightLevels(8, top=1e4)
        ),
    }


models = (fm.SpectralAtmosphere, fm.LimitedAreaAtmosphere, fm.GridPointAtmosphere)


@pytest.mark.parametrize("model", models)
def test_every_way_to_say_it(model, grids):
    names = lambda given: [scheme.name for scheme in model(grids[model], physics=given).physics]
    suite = names(fm.BasicPhysics())
    for given in ("BasicPhysics", fm.BasicPhysics, ["BasicPhysics"], [fm.BasicPhysics()]):
        assert names(given) == suite
    for given in ("HeldSuarez", fm.HeldSuarez, fm.HeldSuarez(), [fm.HeldSuarez]):
        assert names(given) == ["HeldSuarez"]
    assert names(None) == names("none") == names([]) == []


@pytest.mark.parametrize("name", ["BasicPhysics", "ForecastPhysics", "AromePhysics"])
def test_suites_by_name(name):
    found = physics.listed(name)
    assert [s.name for s in found] == [s.name for s in physics.listed(getattr(fm, name)())]
    with pytest.raises(fm.Error, match=f"did you mean '{name}'"):
        physics.listed(name[:-1])


@pytest.mark.parametrize("model", models)
@pytest.mark.parametrize(
    "given, said",
    [
        ("HeldSuares", "did you mean 'HeldSuarez'"),
        (3, "3 is no scheme; give a scheme, BasicPhysics"),
        (fm.Ocean, "Ocean is no scheme"),
        (fm.PythonScheme(lambda: None, []), "extra_processes="),
    ],
)
def test_what_is_none_is_explained(model, given, said, grids):
    with pytest.raises(fm.Error, match=said):
        model(grids[model], physics=given)


@pytest.mark.parametrize("part", physics.makes)
def test_parts_of_the_suite(part):
    known = physics.allowed(part)
    usual = inspect.signature(fm.BasicPhysics).parameters[part].default
    assert usual is None or usual in known
    for given in ("Nothing", 3, fm.KPP, fm.KPP()):
        with pytest.raises(fm.Error, match=f"{part} = .* must be "):
            fm.BasicPhysics(**{part: given})
    assert getattr(fm.BasicPhysics(**{part: "none"}), part) is None


def test_columns():
    assert [p.name for p in fm.SingleColumn(fm.HybridLevels(8), fm.HeldSuarez).physics] == [
        "HeldSuarez"
    ]
    for levels in (20, "HybridLevels", fm.HybridLevels):
        with pytest.raises(fm.Error, match="must be HybridLevels"):
            fm.SingleColumn(levels)


def test_open_signatures_have_the_parameters():
    keywords = inspect.signature(fm.RRTMGP).parameters
    assert keywords["carbon_dioxide"].default == 400
    assert inspect.signature(fm.BulkForcing).parameters["albedo"].default > 0
    for cls in (fm.RRTMGP, fm.BulkForcing):
        assert all(p.kind is not p.VAR_KEYWORD for p in inspect.signature(cls).parameters.values())
