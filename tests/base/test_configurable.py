"""A public class keeps its arguments, whatever the import path; an unknown or an old keyword of a
class or function is an error of Fathom that has the near, or the new one.
"""

import copy
import inspect
import pickle
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest

import fathom as fm
from fathom.base.configurable import Configurable, explained

things = sorted(name for name in fm.public if not name.endswith("Error") and name != "schemes")


@pytest.mark.parametrize("name", things)
def test_an_unknown_keyword_is_explained(name):
    with pytest.raises(fm.Error, match="no_such_keyword|missing a required"):
        getattr(fm, name)(no_such_keyword=1)


def test_what_is_near_is_said():
    with pytest.raises(fm.InputError, match="Ocean has no 'vertical_mixin'; did you mean 'vert"):
        fm.Ocean(None, vertical_mixin="KPP")
    with pytest.raises(fm.InputError, match="has no 'time_stp'; did you mean 'time_step'"):
        fm.Simulation(None, time_stp="1h")
    with pytest.raises(fm.InputError, match="Simulation.run has no 'repot'; did you mean 'report'"):
        object.__new__(fm.Simulation).run("1d", repot=False)
    with pytest.raises(fm.InputError, match="CFC11 has no 'wind'"):
        fm.CFC11(wind=1)


def test_other_errors_and_signatures_stay():
    def wrong(a):
        return a + "b"

    with pytest.raises(TypeError, match="unsupported operand"):
        explained()(wrong)(1)
    assert next(iter(inspect.signature(fm.Ocean).parameters)) == "grid"
    assert fm.open is fm.open and fm.Ocean is fm.Ocean


classes = [name for name in things if inspect.isclass(getattr(fm, name))]


@pytest.mark.parametrize("name", classes)
def test_a_class_is_the_same_by_every_import_path(name):
    """And explains itself without fm: its class is imported from where it is defined."""
    cls = getattr(fm, name)
    own = getattr(import_module(cls.__module__), name)
    room = getattr(import_module(f"fathom.{fm.public[name]}"), name)
    assert own is cls and room is cls and issubclass(cls, Configurable)
    with pytest.raises(fm.InputError, match="no_such_keyword"):
        own(no_such_keyword=1)


class Plane(Configurable):
    renamed = {"number": "nz"}
    recorded = ("set",)

    def __init__(self, nx, *, nz=1, levels=None, **more):
        self.nx = nx

    def set(self, **values):
        return self

    def place(self, process):
        return process + 1  # a TypeError of its own for a text


class Sphere(Plane):
    renamed = {"halo": "margin"}

    def set(self, **values):
        return super().set(**{name: -value for name, value in values.items()})


@dataclass(frozen=True)
class Snow(Configurable):
    depth: float
    density: float = 300.0


def test_arguments_are_kept_by_name():
    large = np.zeros((3, 500))
    plane = Plane(4, nz=2, levels=large, roughness=0.1)
    kept = dict(plane.arguments)
    was = kept.pop("levels")
    assert kept == {"nx": 4, "nz": 2, "roughness": 0.1}
    assert (was.__name__, was.shape) == ("ndarray", (3, 500))
    with pytest.raises(TypeError):
        plane.arguments["nx"] = 5
    assert dict(Snow(0.1).arguments) == {"depth": 0.1}
    assert vars(plane) == {"nx": 4}


def test_calls_are_kept_once():
    """As the user made them: not those of the method of a base class."""
    sphere = Sphere(3).set(heat=1.0).set(salt=2.0)
    assert sphere.calls_of("set") == [{"heat": 1.0}, {"salt": 2.0}]
    assert Sphere(3).calls_of("set") == []


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_has_the_same_arguments(again):
    sphere = again(Sphere(3, nz=4).set(heat=1.0))
    assert dict(sphere.arguments) == {"nx": 3, "nz": 4}
    assert sphere.calls_of("set") == [{"heat": 1.0}] and sphere.nx == 3
    assert again(Snow(0.1)) == Snow(0.1) and dict(again(Snow(0.1)).arguments) == {"depth": 0.1}


def test_old_names_end_in_the_new_one():
    @explained(chunks="chunk_shape")
    def create(path, chunk_shape=1):
        return path, chunk_shape

    with pytest.raises(fm.InputError, match="Sphere has no 'number'; it is 'nz' now"):
        Sphere(3, number=4)
    with pytest.raises(fm.InputError, match="Sphere has no 'halo'; it is 'margin' now"):
        Sphere(3, halo=4)
    with pytest.raises(fm.InputError, match="create has no 'chunks'; it is 'chunk_shape' now"):
        create("a", chunks=2)
    assert create("a", chunk_shape=2) == ("a", 2) and dict(Plane(1, halo=2).arguments)["halo"] == 2


def test_what_does_not_fit_is_an_error_of_fathom():
    with pytest.raises(fm.InputError, match="Snow has no 'depht'; did you mean 'depth'"):
        Snow(depht=1)
    with pytest.raises(fm.InputError, match="Snow: missing a required argument: 'depth'"):
        Snow()
    with pytest.raises(fm.InputError, match="Sphere.place has no 'proces'; did you mean 'process'"):
        Sphere(1).place(proces=1)
    with pytest.raises(TypeError, match="can only concatenate|unsupported operand"):
        Sphere(1).place("drag")
