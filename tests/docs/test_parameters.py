"""Every parameter of a model has a meaning in the docstring of its class: the page of parameters is
made of these (tools/pages/parameters.py).
"""

import inspect
import sys
from pathlib import Path

import pytest

import fathom as fm

sys.path.insert(0, str(Path(__file__).parents[2] / "tools" / "pages"))
from parameters import atmospheres, parameters_of_models

from fathom.run.experiment.schema import meanings


@pytest.mark.parametrize("name", [*atmospheres, "Ocean"])
def test_every_parameter_has_a_meaning(name):
    model = getattr(fm, name)
    known = {
        key
        for key, one in inspect.signature(model).parameters.items()
        if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    }
    assert known == known & set(meanings(model))


def test_the_page_has_one_row_for_each():
    (page,) = parameters_of_models().values()
    assert "| `diffusion_time` |" in page and "| `free_surface` |" in page
    assert page.count("| `off_centring` |") == 1
