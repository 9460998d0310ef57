"""What a user assigns, gives and sees: attributes that act or are refused, numbers and truths,
short tracebacks.
"""

import subprocess
import sys
import traceback

import numpy as np
import pytest

import fathom as fm
from fathom.base import kinds

grid = fm.CartesianGrid(nx=4, ny=3, extent=(1e6, 1e6), levels=fm.ZLevels(nz=2, depth=100))


def ocean(**more):
    return fm.Ocean(grid, **{"coriolis": (1e-4, 0.0)} | more)


@pytest.mark.parametrize(
    "name, said",
    [
        ("friction", r"Ocean.friction cannot be assigned: make another one, as in Ocean\(..., fri"),
        ("frictoin", "Ocean has no attribute 'frictoin' to assign; did you mean 'friction'"),
        ("components", "Ocean.components cannot be assigned: it follows"),
        ("set", "Ocean.set cannot be assigned"),
        ("place", "Ocean has no attribute 'place' to assign; it is 'insert' now"),
    ],
)
def test_attributes_of_a_model_do_not_act_and_say_so(name, said):
    model = ocean()
    with pytest.raises(fm.InputError, match=said):
        setattr(model, name, None)


def test_every_argument_of_every_public_object_is_guarded():
    things = [ocean(), grid, grid.levels, fm.KPP(), fm.SurfaceForcing(), fm.Records("a.nc")]
    for thing in things:
        for name in thing.arguments:
            with pytest.raises(fm.InputError, match=f"{name}.* assign"):
                setattr(thing, name, None)


def test_attributes_of_a_simulation(tmp_path):
    sim = fm.Simulation(ocean(), "1h", directory=tmp_path)
    for name in ("surface", "time_step", "model", "clock", "limits"):
        with pytest.raises(fm.InputError, match=f"{name} cannot be assigned: make another simul"):
            setattr(sim, name, None)
    with pytest.raises(fm.InputError, match="set its fields, as in simulation.state"):
        sim.state = None
    with pytest.raises(fm.InputError, match="'step' to assign; it is 'time_step' now"):
        sim.step = 3600
    sim.directory = str(tmp_path / "elsewhere")
    sim.run("1h", progress=False, report=False)
    assert (tmp_path / "elsewhere" / "summary.json").exists()
    assert sim.arguments["directory"] == tmp_path / "elsewhere"


def test_a_users_own_class_keeps_its_attributes():
    class Mine(fm.Ocean):
        def __init__(self):
            super().__init__(grid, coriolis=(1e-4, 0.0))
            self.mine = 3

    mine = Mine()
    mine.mine = 4
    with pytest.raises(fm.InputError, match="Mine.friction cannot be assigned"):
        mine.friction = None


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: ocean(bottom_drag=True), "bottom_drag = True must be a number"),
        (lambda: ocean(bottom_drag="much"), "bottom_drag = 'much' must be a number"),
        (lambda: ocean(bottom_drag=np.nan), "bottom_drag = nan must be a number"),
        (lambda: ocean(geothermal_heat=True), "geothermal_heat = True .* no number"),
        (lambda: ocean(coriolis=(True, 0.0)), "coriolis = .* no number"),
        (lambda: fm.LaplacianFriction(viscosity=True), "viscosity = True must be a number"),
        (lambda: fm.LaplacianFriction(viscosity="1e3"), "viscosity = '1e3' must be a number"),
        (lambda: ocean().set(temperature=True), "temperature = True is neither a number"),
        (lambda: ocean().set(salinity=np.ones((3, 4), bool)), "salinity = .* neither a number"),
        (lambda: fm.CartesianGrid(nx=3.5, ny=4), "nx = 3.5 must be a whole number"),
        (lambda: fm.Simulation(ocean(), "1h", overwrite="no"), "overwrite = 'no' must be true or"),
        (lambda: fm.Simulation(ocean(), "1h").run("1h", report=1), "report = 1 must be true or f"),
        (lambda: ocean(tracers=5), r"tracers = 5 must be PassiveTracer \| str"),
        (lambda: ocean(overflows=5), r"overflows = 5 must be Iterable\[Overflow\]"),
    ],
)
def test_true_is_no_number_and_a_text_is_no_truth(make, said):
    with pytest.raises(fm.InputError, match=said):
        make()


def test_annotations_are_read():
    assert kinds.members("float | list[int | str] | None") == {"float", "list[int | str]", "None"}
    assert kinds.rule("Any") is None and kinds.rule("bool | str") is None
    assert kinds.rule("int")(np.int64(3)) == "" and kinds.rule("float | None")(None) == ""
    assert kinds.rule("Sequence[float]")([1.0, [True]]) == "holds true or false, which is no number"


def test_a_traceback_has_the_users_lines_alone(monkeypatch):
    def lines():
        try:
            ocean().set(temperature=lambda x, y, z: 1 / 0)
            fm.Simulation(ocean().set(temperature=lambda x, y, z: 1 / 0), "1h").prepare()
        except fm.InputError as error:
            return "".join(traceback.format_exception(error)), str(error)

    monkeypatch.delenv("FATHOM_DEBUG", raising=False)
    short, text = lines()
    assert "\n" not in text and "<lambda> failed: ZeroDivisionError: division by zero" in text
    assert f"{__file__}, line" in text and "direct cause" not in short
    assert short.count("  File ") <= 3
    monkeypatch.setenv("FATHOM_DEBUG", "1")
    whole, _ = lines()
    assert "direct cause" in whole and "initial.py" in whole


def test_an_error_that_nobody_catches_is_short(monkeypatch):
    program = "import fathom as fm\nfm.schemes\nfm.open('no.nc')"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and len(done.stderr.splitlines()) <= 4
    assert "MissingFileError" in done.stderr
