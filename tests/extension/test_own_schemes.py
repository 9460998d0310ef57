"""Schemes of a user's own: in Python, in a C++ header, before, after or in place of another; from a
script, from a TOML file, from the command line.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from fathom.base.failure import RunError
from fathom.base.mpi import core
from fathom.model import plugins
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document

header = Path(__file__).parents[2] / "examples" / "own_scheme.hpp"
update = "TracerUpdate of temperature"


def tank(**more):
    grid = fm.CartesianGrid(nx=12, ny=10, extent=(1.2e6, 1e6), levels=fm.ZLevels(nz=3, depth=300))
    return fm.Ocean(grid, coriolis=(1e-4, 0), **more).set(temperature=4.0, salinity=35.0)


def relaxed(temperature, area_center, thickness, temperature_tendency):
    volume = area_center * thickness[:, None, None]
    temperature_tendency += volume * ((10.0 - temperature) * (1 / 86400.0))


fields = [
    fm.reads("temperature", "center layer", "degC"),
    fm.reads("area_center", "center column", "m2"),
    fm.reads("thickness", "layer profile", "m"),
    fm.updates("temperature_tendency", "center layer", "degC m3 s-1"),
]


def after_a_day(ocean, steps=24):
    sim = fm.Simulation(ocean, time_step="1h").prepare()
    sim.advance(steps)
    return sim


def names_of(ocean):
    return [p.name for p in ocean.processes(3600.0, fm.SurfaceForcing())]


# ---- in C++ --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def relaxation():
    return fm.load_scheme(header)


def test_a_scheme_of_a_header_is_a_scheme(relaxation):
    assert issubclass(relaxation, fm.model.schemes.Scheme) and fm.Relaxation is relaxation
    assert fm.load_scheme(str(header)) is relaxation  # compiled and loaded once
    assert "time of relaxation; in [1, 1e+12]" in relaxation.__doc__
    assert relaxation(time=3600.0).all_parameters == {"time": 3600.0, "value": 10.0}
    with pytest.raises(ValueError, match="must lie in"):
        relaxation(value=100)
    with pytest.raises(ValueError, match="did you mean 'value'"):
        relaxation(valeu=3)


def test_both_languages_give_the_same(relaxation):
    temperature = [
        after_a_day(tank().insert(scheme, before=update)).gather("temperature")
        for scheme in (fm.PythonScheme(relaxed, fields), relaxation())
    ]
    np.testing.assert_allclose(*temperature, rtol=1e-14)
    inside = temperature[0][:, 3:-3, 3:-3]
    assert inside.mean() == pytest.approx(10 - 6 * np.exp(-1), rel=0.02)


both_names = """
#include "field/linear_entry.hpp"
struct NAME {
    double time = 86400;
    static constexpr std::string_view summary = "functions by both names";
    static constexpr std::tuple parameters{
        fathom::Parameter{"time", &NAME::time, "s", 1, 1e12, "time"}};
    template <class Real>
    constexpr void operator()(
        fathom::Reads<Real, "temperature", fathom::place::center_layer, "degC"> temperature,
        fathom::Reads<Real, "area_center", fathom::place::center_column, "m2"> area,
        fathom::Updates<Real, "temperature_tendency", fathom::place::center_layer, "any m3 s-1">
            tendency) const {
        for (int k = 0; k < tendency.levels(); ++k) {
            const Real t = temperature[k] * 0.01;
            const Real f = STD exp(t) + STD log(t + 2.0) + STD sqrt(t + 1.0) + STD abs(t)
                + STD sin(t) + STD cos(t) + STD atan(t) + POW;
            tendency[k] += area[0] * f * (1e-3 / time);
        }
    }
};
inline fathom::Entries schemes() {
    return {fathom::entry<NAME>("NAME").before("TracerUpdate of temperature")};
}
"""


def test_functions_have_both_names(tmp_path):
    """std::exp is exp, of packs of numbers; std::max and larger, too."""
    made = {}
    for name, std, power in (
        ("PlainNames", "", "larger(pow(t + 1.0, Real(1.5)), Real(0.5))"),
        ("StandardNames", "std::", "std::max(std::pow(t + 1.0, 1.5), 0.5)"),
    ):
        text = both_names.replace("NAME", name).replace("STD ", std).replace("POW", power)
        (tmp_path / f"{name}.hpp").write_text(text)
        scheme = fm.load_scheme(tmp_path / f"{name}.hpp")
        ocean = tank()
        ocean.insert(scheme())
        made[name] = after_a_day(ocean, 3).checksum()
    assert made["PlainNames"] == made["StandardNames"] != after_a_day(tank(), 3).checksum()


def test_it_says_its_place(relaxation):
    order = names_of(tank().insert(relaxation()))
    assert order.index("Relaxation") == order.index(update) - 1


def test_one_word_gives_it_an_adjoint(relaxation):
    """T' += -(area thickness / time) of the adjoint of the tendency, which stays as it is."""
    process = relaxation(time=1e5).process(8)
    assert core.has_adjoint(process)
    random, shape = np.random.default_rng(1), (5, 2, 11)
    area, thickness = 1 + random.random(shape[1:]), 10 + random.random(shape[0] + 1)
    given = {
        "temperature": random.random(shape),
        "area_center": area,
        "thickness": thickness,
        "temperature_tendency": random.random(shape),
    }
    y = {
        "temperature": random.random(shape),
        "area_center": random.random(shape[1:]),
        "temperature_tendency": random.random(shape),
    }
    found = core.run_linear(process, given, y, shape[0], adjoint=True, by_hand=False)
    volume = area * thickness[:-1, None, None]
    expected = y["temperature"] - volume / 1e5 * y["temperature_tendency"]
    np.testing.assert_allclose(found["temperature"], expected, rtol=1e-13)
    np.testing.assert_array_equal(found["temperature_tendency"], y["temperature_tendency"])


@pytest.mark.parametrize("precision", [4, 8])
@pytest.mark.parametrize("adjoint", [False, True])
def test_tangent_and_adjoint_by_hand_are_found(precision, adjoint):
    """Of dT/dt = -V T^2 / time, against the derivative in NumPy and against the tape."""
    process = fm.load_scheme(Path(__file__).with_name("by_hand.hpp"))(time=1e5).process(precision)
    assert core.has_linear(process)
    kind = np.float32 if precision == 4 else np.float64
    random, shape = np.random.default_rng(1), (5, 2, 11)
    of = lambda *size: (1 + random.random(size)).astype(kind)
    given = {
        "temperature": of(*shape),
        "area_center": of(*shape[1:]),
        "thickness": of(shape[0] + 1),
        "temperature_tendency": of(*shape),
    }
    changes = {name: of(*shape) for name in ("temperature", "temperature_tendency")}
    by_hand, by_tape = (
        core.run_linear(process, given, changes, shape[0], adjoint=adjoint, by_hand=hand)
        for hand in (True, False)
    )
    slope = -2 * given["area_center"] * given["thickness"][:-1, None, None] / 1e5
    slope = slope * given["temperature"]
    changed, by = ("temperature", "temperature_tendency")[:: 1 if adjoint else -1]
    expected = {by: changes[by], changed: changes[changed] + slope * changes[by]}
    for name in changes:
        np.testing.assert_allclose(by_hand[name], expected[name], rtol=20 * np.finfo(kind).eps)
        np.testing.assert_allclose(by_tape[name], by_hand[name], rtol=20 * np.finfo(kind).eps)


def test_it_is_timed_and_shown(relaxation):
    sim = after_a_day(tank().insert(relaxation()), 2)
    assert any("Relaxation" in str(line) for _, line in sim.describe()[1])


def test_compiled_once_for_all(relaxation, tmp_path, monkeypatch):
    first = plugins.library(header)
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ValueError, match="no C\\+\\+ compiler 'no-such-compiler'"):
        plugins.library(header)
    monkeypatch.delenv("CXX")
    made = first.stat().st_mtime_ns
    assert plugins.library(header) == first and first.stat().st_mtime_ns == made


@pytest.mark.parametrize(
    "text, said",
    [
        ("struct Broken {", "does not compile"),
        pytest.param(
            '#include "field/entry.hpp"\nstruct Own { static constexpr std::string_view summary ='
            ' "own"; template <class Real> constexpr void operator()(fathom::Updates<Real,'
            ' "temperature", fathom::place::center_layer, "degC"> t) const { t[0] += 1; } };\n'
            'inline fathom::Entries schemes() { return {fathom::entry<Own>("KPP")}; }',
            "called 'KPP' already",
            marks=pytest.mark.long,
        ),
    ],
)
def test_headers_that_are_refused(tmp_path, text, said):
    file = tmp_path / "own.hpp"
    file.write_text(text)
    with pytest.raises(ValueError, match=said):
        fm.load_scheme(file)


def test_no_such_header():
    with pytest.raises(FileNotFoundError, match=r"no_such\.hpp: no such file"):
        fm.load_scheme("no_such.hpp")


# ---- in Python -----------------------------------------------------------------------------------


def test_units_must_agree():
    wrong = [*fields[:-1], fm.updates("temperature_tendency", "center layer", "degC s-1")]
    ocean = tank().insert(fm.PythonScheme(relaxed, wrong), before=update)
    with pytest.raises(ValueError, match="in degC m3 s-1; others have it in degC s-1"):
        fm.Simulation(ocean, time_step="1h").prepare()


def test_places_must_be_places():
    ocean = tank().insert(
        fm.PythonScheme(relaxed, [fm.reads("a", "middle layer", "1")]), after="MWJF"
    )
    with pytest.raises(ValueError, match="no place middle layer"):
        fm.Simulation(ocean, time_step="1h").prepare()


def test_what_is_only_read_cannot_be_written():
    def careless(temperature):
        temperature += 1

    ocean = tank().insert(fm.PythonScheme(careless, fields[:1]), after="MWJF")
    with pytest.raises(RunError, match="careless failed: ValueError: .*read-only"):
        after_a_day(ocean, 1)


def test_a_new_field():
    """A process may write a field that no model has; another may read it, and output show it."""

    def heat(temperature, heat_of_layer):
        heat_of_layer[:] = 4e6 * temperature

    scheme = fm.PythonScheme(heat, [fields[0], fm.writes("heat_of_layer", "center layer", "J m-3")])
    sim = fm.Simulation(tank().insert(scheme, before="MWJF"), time_step="1h")
    sim.output("heat.nc", variables=["heat_of_layer"], every="1h")
    sim.prepare()
    sim.advance(1)
    assert sim.gather("heat_of_layer")[0, 5, 5] == 1.6e7


@pytest.mark.parametrize("python", [False, True])
def test_a_term_of_its_own_in_budgets(relaxation, python, tmp_path):
    """The sum of all terms is the gain of the cells, and its own term is its tendency."""
    ocean = tank(budgets=["temperature", "salinity"], vertical_mixing=fm.ConstantMixing())
    own = fm.PythonScheme(relaxed, fields) if python else relaxation()
    ocean.insert(own, before=update)
    label = "budget of temperature: "
    terms = [n.removeprefix(label) for n in names_of(ocean) if n.startswith(label)]
    assert ("relaxed" if python else "relaxation") in terms
    terms += ["storage", "mixing", "surface"]
    sim = fm.Simulation(ocean, time_step="1h", directory=tmp_path)
    names = [f"temperature_budget_{term}" for term in terms]
    sim.output("budget.nc", names, every="3h", dtype="float64")
    sim.run("3h", report=False)
    with fm.open(tmp_path / "budget.nc") as data:
        of = {term: data[name][-1].values for term, name in zip(terms, names, strict=True)}
    storage, added = of.pop("storage"), of["relaxed" if python else "relaxation"]
    np.testing.assert_allclose(sum(of.values()), storage, atol=1e-15 * 300 / 36)
    layer = sim.model.grid.levels.weights[0]
    assert added[0, 5, 5] == pytest.approx(layer * 6 / 86400, rel=0.2)
    assert added[0, 5, 5] == pytest.approx(storage[0, 5, 5], rel=1e-2)


def test_a_term_that_cannot_be_told(relaxation):
    ocean = tank(budgets=["temperature"]).insert(relaxation(), after="HydrostaticPressure")
    with pytest.raises(ValueError, match="put it before 'TracerUpdate of temperature'"):
        names_of(ocean)


# ---- their place in a step -----------------------------------------------------------------------


def test_before_after_instead_of():
    ocean = tank()
    usual = names_of(ocean)
    next_to = "LaplacianDiffusion of temperature"
    n = usual.index(next_to)
    own = lambda name: fm.PythonScheme(relaxed, fields, name=name)
    ocean.insert(own("first"), before=next_to)
    ocean.insert(own("second"), after=next_to)
    assert names_of(ocean) == [*usual[:n], "first", usual[n], "second", *usual[n + 1 :]]
    ocean.insert("LinearMomentum", instead_of="MomentumAdvection")
    assert names_of(ocean)[usual.index("MomentumAdvection")] == "LinearMomentum"


@pytest.mark.parametrize(
    "where, said",
    [
        ({"before": "MomentumAdvektion"}, "did you mean 'MomentumAdvection'"),
        ({"before": "MWJF", "after": "MWJF"}, "needs one of before, after, instead_of"),
        ({}, "needs one of before, after, instead_of"),
        ({"instead_of": "TracerUpdate"}, "2 processes are a TracerUpdate"),
    ],
)
def test_places_that_are_none(where, said):
    with pytest.raises(ValueError, match=said):
        names_of(tank().insert(fm.PythonScheme(relaxed, fields), **where))


# ---- TOML and command line -----------------------------------------------------------------------

toml = f"""
[extensions]
schemes = ["{header}"]
[grid]
type = "CartesianGrid"
nx = 12
ny = 10
extent = [1.2e6, 1e6]
levels = {{ type = "ZLevels", nz = 3, depth = 300 }}
[model]
type = "Ocean"
coriolis = [1e-4, 0]
[state]
temperature = 4
salinity = 35
[simulation]
time_step = "1h"
run = "2h"
"""


def experiment(*settings):
    return Experiment(Document(toml, "own.toml", settings))


def test_toml():
    placed = f'model.extra_processes=[{{type="Relaxation", time=3600, before="{update}"}}]'
    found = experiment(placed)
    (own,) = found.model.extra_processes
    assert own.process.parameters == {"time": 3600.0} and own.beside == ("before", update)
    again = Experiment(Document(found.resolved()))
    (same,) = again.model.extra_processes
    assert same.process.all_parameters == own.process.all_parameters and same.beside == own.beside


def test_toml_alone():
    """A header whose scheme says its place needs no more than its name."""
    (own,) = experiment().model.extra_processes
    assert own.beside == ("before", update)


@pytest.mark.parametrize(
    "setting, said",
    [
        ('extensions.schemes=["none.hpp"]', "none.hpp: no such file"),
        ('extensions.schemes="none.hpp"', "a list of files"),
        ('extensions.scheme=["none.hpp"]', "did you mean 'schemes'"),
        ('model.extra_processes=[{type="Relaxation", before="MWJG"}]', "did you mean 'MWJF'"),
        (
            'model.extra_processes=[{type="Relaxation", tim=3, before="MWJF"}]',
            "did you mean 'time'",
        ),
    ],
)
def test_mistakes_in_toml(setting, said):
    with pytest.raises((ValueError, OSError), match=said):
        names_of(experiment(setting).model)


def test_command_line(tmp_path, capfd):
    from fathom.commands.main import main

    file = tmp_path / "tank.toml"
    file.write_text(toml.replace(f'schemes = ["{header}"]', ""))
    with pytest.raises(SystemExit) as end:
        main(["show", str(file), "--scheme", str(header)])
    assert end.value.code == 0
    assert "Relaxation → TracerUpdate of temperature" in " ".join(capfd.readouterr().out.split())


# ---- ranks ---------------------------------------------------------------------------------------


def main(what):
    if what == "fails":

        def relaxed(temperature):  # on the last rank only
            if fm.base.mpi.world.rank == fm.base.mpi.world.size - 1:
                raise KeyError("no such gas")

        ocean, said = tank().insert(fm.PythonScheme(relaxed, fields[:1]), after="MWJF"), ""
        try:
            after_a_day(ocean, 1)
        except RunError as failure:
            said = str(failure)
        said = fm.base.mpi.world.gather(said)
    else:
        Relaxation = fm.load_scheme(header)
        oceans = (
            tank().insert(fm.PythonScheme(globals()["relaxed"], fields), before=update),
            tank().insert(Relaxation()),
        )
        said = [after_a_day(ocean, 5).checksum() for ocean in oceans]
    if fm.base.mpi.is_root:
        print(json.dumps(said))


def test_any_ranks(on_ranks):
    alone = on_ranks(1, __file__, "runs")
    assert on_ranks(3, __file__, "runs") == alone


def test_a_failure_on_one_rank_is_one_of_all(on_ranks):
    said = on_ranks(2, __file__, "fails")
    assert len(set(said)) == 1 and "relaxed failed: KeyError: 'no such gas'" in said[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))


def nothing(**fields):
    """Changes nothing."""


def changes(*names, place="center layer", units="degC m3 s-1"):
    uses = [fm.updates(name, place, units) for name in names]
    return fm.PythonScheme(nothing, uses, name="mine")


@pytest.mark.parametrize(
    "where, said",
    [
        ({"after": update}, "CentredAdvection of temperature' writes it anew"),
        ({"before": "CentredAdvection of temperature"}, "it must stand after 'CentredAdv"),
        ({"before": "MWJF"}, "lost: no process reads it afterwards"),
        ({"before": "TracerUpdate of salinity"}, "before 'TracerUpdate of temperature'"),
    ],
)
def test_a_change_that_nothing_reads_is_refused(where, said):
    model = tank().insert(changes("temperature_tendency"), **where)
    with pytest.raises(fm.InputError, match=f"mine: its change of temperature_tendency.*{said}"):
        fm.Simulation(model, "1h")


def test_a_change_that_is_read_later_is_taken():
    """In this step, or in the next, when the field has another name."""
    fm.Simulation(tank().insert(changes("temperature_tendency"), before=update), "1h")
    after = changes("temperature_after", units="degC")
    fm.Simulation(tank().insert(after, after=update), "1h")
    own = changes("days_of_frost", units="d")  # of its own
    fm.Simulation(tank().insert(own, after=update), "1h")
    wrong = changes("velocity_x_tendency", place="corner layer", units="m s-2")
    model = tank().insert(wrong, before="ImplicitMomentum")
    with pytest.raises(fm.InputError, match="did you mean .*'velocity_tendency_x'"):
        fm.Simulation(model, "1h")


def test_an_own_diagnostic_that_fails_says_so_in_one_line(tmp_path):
    @fm.diagnostic("own_ratio", ["temperature"], units="1")
    def ratio(model, window, temperature):
        raise KeyError("salt")

    @fm.diagnostic("own_flat", ["temperature"], units="1")
    def flat(model, window, temperature):
        return temperature[0]

    for name, said in (
        ("own_ratio", r"diagnostic own_ratio: ratio failed: KeyError: 'salt' \(.*, line \d+\)"),
        ("own_flat", "diagnostic own_flat: flat returned float64 .*wanted are numbers"),
    ):
        sim = fm.Simulation(tank(), "1h", directory=tmp_path / name)
        sim.output("a.nc", [name], every="1h")
        with pytest.raises(fm.RunError, match=said) as error:
            sim.run("1h", progress=False, report=False)
        assert "\n" not in str(error.value)


def test_arrays_that_a_scheme_keeps_outlive_their_simulation(tmp_path):
    kept = []

    def keep(temperature):
        kept.append(temperature)

    scheme = fm.PythonScheme(keep, [fm.reads("temperature", "center layer", "degC")])
    sim = fm.Simulation(tank().insert(scheme, before=update), "1h", directory=tmp_path)
    sim.advance(2)
    before = [array.copy() for array in kept]
    del sim
    others = [np.full(n, np.nan) for n in (360, 1000, 5000, 20000) for _ in range(50)]
    for array, values in zip(kept, before, strict=True):
        np.testing.assert_array_equal(array, values)
    assert len(others) == 200


def test_fields_of_another_grid_and_levels_below_the_first_are_refused():
    sim, other = (
        fm.Simulation(tank(), "1h").prepare(),
        fm.CartesianGrid(nx=10, ny=12, extent=(1.2e6, 1e6), levels=fm.ZLevels(nz=3, depth=300)),
    )
    turned = fm.Simulation(fm.Ocean(other, coriolis=(1e-4, 0)), "1h").prepare()
    with pytest.raises(fm.InputError, match="takes an array .* from level -1"):
        sim.fields.set("temperature", np.zeros((10, 12)), -1)
    for action in (sim.fields.dot, sim.fields.copy, lambda x: sim.fields.axpy(1.0, x)):
        with pytest.raises(fm.InputError, match="fields of another grid: 10 x 12 x 3 points"):
            action(turned.fields)
