"""A user's test of the adjoint of a scheme."""

from pathlib import Path

import pytest

import fathom as fm
from fathom.base.mpi import core

header = Path(__file__).parents[2] / "examples" / "own_scheme.hpp"


@pytest.mark.parametrize("name", ["CentredAdvection", "LaplacianFriction", "TracerUpdate", "MWJF"])
def test_adjoints_are_right(name):
    assert fm.adjoint_error(getattr(fm.schemes, name)()) < 1e-14


def test_an_own_scheme_has_one_by_a_word():
    own = fm.load_scheme(header)
    assert fm.adjoint_error(own()) < 1e-14


def test_a_wrong_adjoint_is_seen(monkeypatch):
    """With the tangent in place of the adjoint."""
    right = core.run_linear

    class Wrong:
        run_linear = staticmethod(lambda *given: right(*given[:4], False, *given[5:]))

        def __getattr__(self, name):
            return getattr(core, name)

    monkeypatch.setattr("fathom.assimilation.adjoint_of_scheme.mpi.core", Wrong())
    assert fm.adjoint_error(fm.schemes.CentredAdvection()) > 1e-3


def test_mistakes():
    with pytest.raises(ValueError, match=r"KPP has no adjoint; .*linear_entry<KPP>"):
        fm.adjoint_error(fm.KPP())
    with pytest.raises(ValueError, match="did you mean 'tracer'"):
        fm.adjoint_error(fm.CentredAdvection(), {"tracr": (0, 1)})
