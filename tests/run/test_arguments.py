"""Arguments of another kind than expected give one clear error, which says what is allowed."""

import numpy as np
import pytest

import fathom as fm

levels = fm.ZLevels(nz=4, depth=1000)


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


def test_functions_are_called_with_places():
    grid = fm.CartesianGrid(4, 4, levels=levels)
    water = lambda: fm.Ocean(grid, coriolis=(0, 0))
    simulation = fm.Simulation(water().set(temperature=lambda x, y: x), "10min")
    with pytest.raises(fm.InputError, match="temperature: <lambda> must be a function of x, y, de"):
        simulation.prepare()
    with pytest.raises(fm.InputError, match="call: 3 must be a function of the simulation"):
        simulation.call(3, every="1h")


def test_the_earth_is_no_plane():
    grid = fm.CartesianGrid(4, 4, levels=levels)
    water = fm.Ocean(grid, coriolis=(0, 0))
    for model, surface in (
        (water, fm.BulkForcing("coads")),
        (fm.Ocean(grid, coriolis=(0, 0)).set(temperature="levitus"), None),
    ):
        with pytest.raises(fm.InputError, match="is of the earth; the grid is a plane"):
            fm.Simulation(model, "10min", surface=surface).prepare()


def test_heights_are_no_depths():
    with pytest.raises(fm.InputError, match="from -3000 to -3000: depths of the sea are positive"):
        fm.CartesianGrid(4, 4, levels=levels, bathymetry=np.full((4, 4), -3000.0))


def test_a_class_is_no_model_and_a_number_no_blocks():
    with pytest.raises(fm.InputError, match="must be a model, as fm.Ocean"):
        fm.Simulation(fm.Ocean, "1h")
    with pytest.raises(fm.InputError, match="nz = 0 levels"):
        fm.HybridLevels(0)
    ocean = fm.Ocean(fm.CartesianGrid(4, 4, levels=levels), coriolis=(0, 0))
    with pytest.raises(fm.InputError, match="blocks = 3 must be two whole numbers"):
        fm.Simulation(ocean, "10min", parallel={"blocks": 3})


@pytest.mark.parametrize("steps", [10**20, -1, 1.5, True, "2"])
def test_steps_are_whole_numbers_that_can_be_counted(steps):
    grid = fm.CartesianGrid(4, 4, levels=levels)
    simulation = fm.Simulation(fm.Ocean(grid, coriolis=(1e-4, 0.0)), "10min")
    with pytest.raises(fm.InputError, match=r"steps = .* must be a whole number"):
        simulation.advance(steps)
