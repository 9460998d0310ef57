"""The surface in files whose levels have no depth: first in an ocean, last in an atmosphere."""

import numpy as np
import pytest
import xarray as xr

from fathom.plots.chosen import at_level


@pytest.mark.parametrize(
    "model, value, text", [("Ocean", 0, "level 1 of 3"), ("Atmosphere", 2, "level 3 of 3")]
)
def test_surface(model, value, text):
    data = xr.DataArray(np.arange(3.0)[:, None, None], dims=("level", "y", "x"), name="temperature")
    given = data.to_dataset().assign_attrs(source=f"Fathom 0.1.0, {model}, fp64")
    found, where = at_level(given, given["temperature"], "surface")
    assert found.item() == value
    assert where == text
