"""A sample of experiments/kills.py: a killed run continues to the bits of one left alone."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from fathom import output

source = Path(__file__).parents[2] / "experiments" / "kills.py"


def _kills():
    spec = importlib.util.spec_from_file_location("kills", source)
    sys.modules["kills"] = made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.long
def test_two_kills(tmp_path):
    kills = _kills()
    found = kills.of_kind("ocean", tmp_path / "ocean", 2, seed=1)
    assert found.kills.total() == 2 and not found.faults and not found.left


def test_what_differs_is_found(tmp_path):
    """Another number in one store is a fault."""
    kills = _kills()
    for name, last in (("one", 1.0), ("two", 2.0)):
        (tmp_path / name).mkdir()
        given = {"x": ("x", np.arange(3.0), {}), "y": ("y", np.arange(2.0), {})}
        spec = output.VariableSpec("a", ("time", "y", "x"))
        store = output.create(tmp_path / name / "a.nc", given, [spec], time=output.TimeAxis())
        for n, value in enumerate((0.0, last)):
            for region in store.regions("a"):
                store.write("a", n, region, np.full((2, 3), value, "f4"))
            store.extend(n, 3600.0 * n)
        store.close()
    assert kills.difference(tmp_path / "one", tmp_path / "one") == ""
    assert kills.difference(tmp_path / "one", tmp_path / "two") == "a.nc: other values of a"
