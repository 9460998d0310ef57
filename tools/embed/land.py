"""Properties of the land below the atmosphere: height, its variation within a cell, and the albedo
of ground without snow.
"""

from __future__ import annotations

import numpy as np

from fathom.grids.regrid.fill import harmonic

from .files import Variable, latitudes, longitudes, write
from .grib import fields
from .topography import rows_of_cells

POINTS = 30  # mask points a side of a cell: 1/4 degree
DARK = 0.08  # albedo of a cell that is nearly all water [1]


def build_land(files):
    """Mean height and its standard deviation on 1/4 degree cells (sea is 0 m high); albedo on 2.5
    degrees.
    """
    mean, deviation = np.zeros((720, 1440)), np.zeros((720, 1440))
    for j, ocean, height in rows_of_cells(files, POINTS):
        height = np.where(ocean, 0.0, np.maximum(height, 0.0))
        mean[j], deviation[j] = height.mean((0, 2)), height.std((0, 2))
    mean, deviation = (np.roll(f, 720, 1) for f in (mean, deviation))
    albedo = snow_free_albedo(files)
    write(
        "land",
        "Height of the land, 1/4 degree, and albedo of the ground, 2.5 degrees",
        ["etopo5", "globe", "gfs", "gfs_january"],
        files,
        {
            "latitude": latitudes(-90 + (np.arange(720) + 0.5) / 4),
            "longitude": longitudes((np.arange(1440) + 0.5) / 4),
            "albedo_latitude": latitudes(np.linspace(-90, 90, 73), "albedo_latitude"),
            "albedo_longitude": longitudes(np.arange(144) * 2.5, "albedo_longitude"),
        },
        {
            "surface_altitude": Variable(
                "latitude longitude",
                mean,
                "m",
                "mean height; sea is 0, land at least 0",
                "surface_altitude",
                1.0,
            ),
            "altitude_deviation": Variable(
                "latitude longitude",
                deviation,
                "m",
                "standard deviation of the height within the cell",
                "surface_altitude",
                2.0,
                "area: standard_deviation",
            ),
            "snow_free_albedo": Variable(
                "albedo_latitude albedo_longitude",
                albedo,
                "1",
                "albedo of land without snow, filled over sea and ice sheets",
                "surface_albedo",
                0.005,
            ),
        },
    )


def snow_free_albedo(files):
    """Time-mean albedo over six hours of two GFS forecasts, 18-24Z in October and 6-12Z in January:
    together they cover the whole earth by day.
    """
    names = {
        ("avg_al", "surface"): "albedo",
        ("lsm", "surface"): "land",
        ("sdwe", "surface"): "snow",
        ("sdswrf", "surface"): "sun",
    }
    best, brightest = np.full((73, 144), np.nan), np.zeros((73, 144))
    for name in ("gfs", "gfs_january"):
        data = {
            key: values[0]
            for key, values in fields(files[name], names).items()
            if not key.endswith("_level")
        }
        seen = (
            (data["land"] > 0.5)
            & (data["snow"] < 0.5)
            & (data["albedo"] > 100 * DARK)
            & (data["sun"] > brightest)
        )
        best = np.where(seen, data["albedo"] / 100, best)
        brightest = np.where(seen, data["sun"], brightest)
    return np.clip(harmonic(best, np.linspace(-90, 90, 73)), 0.1, 0.4)
