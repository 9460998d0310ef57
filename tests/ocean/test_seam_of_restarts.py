"""The row of corners that a tripolar grid joins to itself, in a run that was continued."""

import numpy as np

import fathom as fm


def test_corners_within_the_ground_are_those_of_a_run_that_nobody_interrupted(tmp_path):
    """Both halves of the row are one row of corners; what a step leaves below the bottom of one
    half is not in the other.
    """
    levels = fm.ZLevels(nz=6, depth=5500)
    grid = fm.TripolarGrid(nx=60, ny=60, bathymetry="etopo5", levels=levels)

    def new():
        ocean = fm.Ocean(grid).set(temperature="levitus", salinity="levitus")
        surface = fm.SurfaceForcing(heat_flux=0.0)
        return fm.Simulation(ocean, "3h", surface=surface, directory=tmp_path, overwrite=True)

    whole = new()
    whole.advance(2)
    whole.write_restart(tmp_path / "now.fathom")
    whole.advance(1)
    again = new().restore(tmp_path / "now.fathom")
    again.advance(1)
    for name in ("momentum_advection_x", "momentum_advection_y"):
        one, other = (s.gather(name)[:, -1] for s in (whole, again))
        assert np.abs(one).max() > 0 and np.array_equal(one, other)
