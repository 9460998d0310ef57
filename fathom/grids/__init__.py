"""Grids: where the points are and how many levels each column has.

>>> import fathom as fm
>>> grid = fm.TripolarGrid(resolution="1deg", levels=fm.ZLevels(nz=40, depth=5500),
bathymetry="etopo5") >>> grid
TripolarGrid 360×300×40

What the rest of Fathom asks of a grid is in `Grid`. Lengths in m, angles in degrees where given by
the user. docs/grid.md has the equations.

A class is loaded when it is first asked for: `grids.regrid` and `grids.transform` need none.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fathom.base.renamed import hint

if TYPE_CHECKING:
    from fathom.grids.cartesian import CartesianGrid
    from fathom.grids.gaussian import GaussianGrid
    from fathom.grids.grid import Grid
    from fathom.grids.latitude_longitude import LatitudeLongitudeGrid
    from fathom.grids.levels import HeightLevels, HybridLevels, SigmaLevels, ZLevels
    from fathom.grids.limited_area import LimitedAreaGrid
    from fathom.grids.quadrilateral import CurvilinearGrid, DipoleGrid, TripolarGrid
    from fathom.grids.rotated import RotatedGrid

__all__ = [
    "CartesianGrid",
    "CurvilinearGrid",
    "DipoleGrid",
    "GaussianGrid",
    "Grid",
    "HeightLevels",
    "HybridLevels",
    "LatitudeLongitudeGrid",
    "LimitedAreaGrid",
    "RotatedGrid",
    "SigmaLevels",
    "TripolarGrid",
    "ZLevels",
]

_of_one_class = {
    "CartesianGrid": "cartesian",
    "GaussianGrid": "gaussian",
    "Grid": "grid",
    "LatitudeLongitudeGrid": "latitude_longitude",
    "LimitedAreaGrid": "limited_area",
    "RotatedGrid": "rotated",
}


def __getattr__(name: str) -> Any:
    """Returns a class of this package. AttributeError: it has none of that name."""
    if name not in __all__:
        raise AttributeError(f"fathom.grids has no {name!r}{hint(name, __all__)}")
    home = _of_one_class.get(name, "levels" if name.endswith("Levels") else "quadrilateral")
    return getattr(import_module(f"fathom.grids.{home}"), name)
