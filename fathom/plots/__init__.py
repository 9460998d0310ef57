"""Pictures: one function for each, all without display, each returning a matplotlib figure.

    plots.map(field, grid, name="temperature", path="surface.png")
    plots.picture(output.open("surface.zarr"), "tos", time="last", path="tos.png")
"""

from .against import Panel, against
from .bars import bars
from .gantt import gantt
from .map import map
from .lines import coast, contours, highs_and_lows, vectors
from .mesh import Around, EqualEarth, Hemisphere, Raster, mesh_of
from .picture import picture
from .section import section, zonal_mean
from .steps import steps
from .stream_function import stream_function
from .style import encoded
from .time_series import time_series
from .tracks import tracks

__all__ = ["Around", "EqualEarth", "Hemisphere", "Panel", "Raster", "against", "bars", "coast", "contours", "encoded", "gantt", "highs_and_lows", "map", "mesh_of", "picture", "section",
           "steps", "stream_function", "time_series", "tracks", "vectors", "zonal_mean"]
