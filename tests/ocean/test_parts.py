"""Parts of an ocean by object, class or name; and how objects show themselves."""

import inspect

import numpy as np
import pytest

import fathom as fm
from fathom.model.schemes import schemes
from fathom.ocean import parts


def ocean(**given):
    grid = fm.CartesianGrid(nx=6, ny=6, levels=fm.ZLevels(nz=2, depth=100))
    return fm.Ocean(grid, coriolis=(1e-4, 0), **given)


# edges have no usual sides
@pytest.mark.parametrize("part", [*parts.makes, *sorted({*parts.several} - {"open_edges"})])
def test_object_class_and_name_are_the_same(part):
    name, cls = next(iter(parts.allowed(part).items()))
    by_name, by_class, by_object = (parts.one_or_none(part, given) for given in (name, cls, cls()))
    assert type(by_name) is type(by_class) is type(by_object) is cls
    assert parts.one_or_none(part, "none") is parts.one_or_none(part, None) is None


def test_an_ocean_takes_names_and_classes():
    built = ocean(vertical_mixing="KPP", eddies=fm.GentMcWilliams, friction="SmagorinskyFriction")
    assert built.vertical_mixing == fm.KPP()
    assert isinstance(built.eddies, fm.GentMcWilliams)
    assert isinstance(built.friction, fm.SmagorinskyFriction)


@pytest.mark.parametrize(
    "given, said",
    [
        (
            {"vertical_mixing": "KPPP"},
            "ConstantMixing or KPP; did you mean 'KPP'",
        ),
        ({"friction": fm.UpwindAdvection()}, "friction = .* must be LaplacianFriction, "),
        ({"tracer_advection": fm.KPP}, "must be CentredAdvection, "),
        ({"eddies": 3}, "eddies = 3 must be GentMcWilliams"),
        ({"vertical_mixing": None}, "every ocean has one"),
    ],
)
def test_what_is_none_is_explained(given, said):
    with pytest.raises(fm.Error, match=said):
        ocean(**given)


def test_signatures_have_the_parameters():
    for scheme in schemes().values():
        assert list(inspect.signature(scheme).parameters) == [*scheme().parameter_names, "every"]
    for name in fm.public:
        cls = getattr(fm, name, None) or getattr(fm.schemes, name)
        if inspect.isclass(cls) and not issubclass(cls, Exception):
            assert "unknown" not in inspect.signature(cls).parameters, name
    assert {"KPP", "Ocean", "output", "__version__"} <= set(dir(fm))


def test_notebooks_show_tables():
    built = ocean(vertical_mixing="KPP")
    simulation = fm.Simulation(built, time_step="1h")
    for thing, said in ((built.grid, "levels"), (built, "KPP()"), (simulation, "6×6×2")):
        shown = thing._repr_html_()
        assert said in shown and shown.count("<tr>") > 2 and shown.endswith("</table></div>")
    assert repr(built).startswith("Ocean(CartesianGrid 6×6×2, physics='simple', equation_of_state=")
    assert repr(simulation) == "Simulation of Ocean at 2000-01-01"


def test_what_drives_it_by_name_class_and_object():
    for given in ("BulkForcing", fm.BulkForcing, fm.BulkForcing()):
        assert type(fm.Simulation(ocean(), "1h", surface=given).surface) is fm.BulkForcing
    for wrong in ("coads", fm.KPP, 3, {"data": "coads"}):
        with pytest.raises(fm.InputError, match="surface = .* must be .*BulkForcing"):
            fm.Simulation(ocean(), "1h", surface=wrong)


def test_what_does_not_fit_is_refused_when_it_is_set():
    for shape in ((3, 4), (6,), (2, 6, 7), (1, 2, 6, 6)):
        with pytest.raises(fm.InputError, match=r"the grid takes \(2, 6, 6\), \(6, 6\)"):
            ocean().set(temperature=np.zeros(shape))
    with pytest.raises(fm.InputError, match="did you mean 'levitus'"):
        ocean().set(temperature="levituss")
    air = fm.SpectralAtmosphere(fm.GaussianGrid(5, levels=fm.SigmaLevels(4)))
    with pytest.raises(fm.InputError, match=r"air_temperature has shape \(3, 4\)"):
        air.set(air_temperature=np.zeros((3, 4)))
