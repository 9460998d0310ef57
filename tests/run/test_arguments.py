"""Arguments of another kind than expected give one clear error, which says what is allowed."""

import pytest

import fathom as fm

levels = fm.ZLevels(number=4, depth=1000)


def test_ocean_needs_a_grid_of_water():
    air = fm.GaussianGrid(21, levels=fm.HybridLevels(10))
    for grid in ("1deg", None, air):
        with pytest.raises(fm.InputError, match=r"Ocean needs a TripolarGrid, .* given"):
            fm.Ocean(grid)


def test_simulation_needs_a_model_and_keys_of_parallel():
    with pytest.raises(fm.InputError, match=r"model = 'ocean' must be a model"):
        fm.Simulation("ocean", "1h")
    ocean = fm.Ocean(fm.TripolarGrid(resolution="3deg", levels=levels))
    with pytest.raises(fm.InputError, match=r"parallel = 4 must be keys with values"):
        fm.Simulation(ocean, "1h", parallel=4)
