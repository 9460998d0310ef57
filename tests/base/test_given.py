"""An unknown keyword of a public class or function is an error of Fathom that lists the known
ones."""

import inspect

import pytest

import fathom as fm
from fathom.base.given import explained

things = sorted(
    name for name in fm.public if not (name.endswith(("Error", "Failure")) or name == "Unstable")
)


@pytest.mark.parametrize("name", things)
def test_an_unknown_keyword_is_explained(name):
    with pytest.raises(fm.Error, match="no_such_keyword|missing a required"):
        getattr(fm, name)(no_such_keyword=1)


def test_what_is_near_is_said():
    with pytest.raises(fm.InputError, match="Ocean has no 'vertical_mixin'; did you mean 'vert"):
        fm.Ocean(None, vertical_mixin="KPP")
    with pytest.raises(fm.InputError, match="Simulation has no 'stp'; did you mean 'step'"):
        fm.Simulation(None, stp="1h")
    with pytest.raises(fm.InputError, match="Simulation.run has no 'repot'; did you mean 'report'"):
        object.__new__(fm.Simulation).run("1d", repot=False)
    with pytest.raises(fm.InputError, match="CFC11 has no 'wind'"):
        fm.CFC11(wind=1)


def test_other_errors_and_signatures_stay():
    def wrong(a):
        return a + "b"

    with pytest.raises(TypeError, match="unsupported operand"):
        explained(wrong)(1)
    assert next(iter(inspect.signature(fm.Ocean).parameters)) == "grid"
    assert fm.open is fm.open and fm.Ocean is fm.Ocean
