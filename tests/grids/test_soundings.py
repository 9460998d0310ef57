"""A sea floor from single points."""

import numpy as np
import pytest

import fathom as fm

levels = fm.ZLevels(4, depth=4000)
area = {"nx": 8, "ny": 6, "longitude": (0, 40), "latitude": (-15, 15), "levels": levels}


def cells(**how):
    return np.asarray(fm.LatitudeLongitudeGrid(**area, minimum_levels=1, **how).wet_levels)


def test_points_are_means_of_cells(tmp_path):
    lon, lat = np.meshgrid(np.arange(0.5, 40), np.arange(-14.5, 15))
    height = np.where(lon < 10, 200.0, -1000.0 - 60 * lon)
    points = np.stack([lon.ravel(), lat.ravel(), height.ravel()], -1)
    points = np.random.default_rng(0).permutation(points)
    np.savetxt(tmp_path / "soundings.txt", points)
    center = 2.5 + 5 * np.arange(8)
    exact = np.where(center < 10, 0.0, 1000 + 60 * center)
    same = cells(bathymetry=np.broadcast_to(exact, (6, 8)))
    assert (cells(bathymetry=points) == same).all()
    assert (cells(bathymetry=str(tmp_path / "soundings.txt")) == same).all()
    few = points[::4]  # cells without a point have their neighbours'
    assert (np.abs(cells(bathymetry=few) - same) <= 1).all()


def test_points_elsewhere():
    with pytest.raises(ValueError, match="none of the 2 points lies in the grid"):
        cells(bathymetry=np.array([[100.0, 0, 5], [120.0, 0, 5]]))
