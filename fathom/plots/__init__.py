"""Figures: one function for each kind, all without display, each returning a matplotlib figure.

plots.map(field, grid, name="temperature", path="surface.png")
plots.picture(output.open("surface.zarr"), "tos", time="last", path="tos.png")
"""

from fathom.plots.against import Panel, against
from fathom.plots.animation import animation
from fathom.plots.bars import bars
from fathom.plots.by_latitude import Profile, by_latitude
from fathom.plots.differences import difference_map, differences
from fathom.plots.ensembles import ensemble
from fathom.plots.gantt import gantt, side_by_side
from fathom.plots.lines import coast, contours, highs_and_lows, vectors
from fathom.plots.map import map
from fathom.plots.mesh import Around, EqualEarth, Hemisphere, Raster, mesh_of
from fathom.plots.picture import picture
from fathom.plots.section import section, zonal_mean
from fathom.plots.sounding import dew_point, sounding
from fathom.plots.steps import steps
from fathom.plots.stream_function import stream_function
from fathom.plots.style import encoded
from fathom.plots.time_series import curves_in_time, time_series
from fathom.plots.tracks import tracks

__all__ = [
    "Around",
    "EqualEarth",
    "Hemisphere",
    "Panel",
    "Profile",
    "Raster",
    "against",
    "animation",
    "bars",
    "by_latitude",
    "coast",
    "contours",
    "curves_in_time",
    "dew_point",
    "difference_map",
    "differences",
    "encoded",
    "ensemble",
    "gantt",
    "highs_and_lows",
    "map",
    "mesh_of",
    "picture",
    "section",
    "side_by_side",
    "sounding",
    "steps",
    "stream_function",
    "time_series",
    "tracks",
    "vectors",
    "zonal_mean",
]
