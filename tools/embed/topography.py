"""Ocean fraction and depth: ETOPO5 under the GLOBE land mask."""

from __future__ import annotations

import numpy as np

from fathom.grids.regrid import points as regrid

from .files import Variable, latitudes, longitudes, write
from .sources import read
from .sphere import cell_area


def build_topography(files):
    """Ocean fraction and mean depth of the ocean part on 1/6 degree cells: ETOPO5 at the points of
    the GLOBE mask.
    """
    fraction, depth = np.zeros((1080, 2160)), np.zeros((1080, 2160))
    for j, ocean, height in rows_of_cells(files, 20):
        cells = ocean.sum((0, 2))
        fraction[j] = cells / ocean.shape[0] ** 2
        depth[j] = np.where(ocean, np.maximum(-height, 1.0), 0.0).sum((0, 2)) / np.maximum(
            cells, 1
        )  # water is at least 1 m deep
    ny, nx = depth.shape
    fraction, depth = (
        np.roll(fraction, nx // 2, 1),
        np.roll(depth, nx // 2, 1),
    )  # start at Greenwich
    latitude, longitude = -90 + (np.arange(ny) + 0.5) / 6, (np.arange(nx) + 0.5) / 6
    area = cell_area(latitude, nx)
    write(
        "topography",
        "Ocean fraction and depth, 1/6 degree",
        ["etopo5", "globe"],
        files,
        {"latitude": latitudes(latitude), "longitude": longitudes(longitude)},
        {
            "ocean_fraction": Variable(
                "latitude longitude",
                fraction,
                "1",
                "part of the cell that is ocean; lakes and the Caspian Sea are land",
                "sea_area_fraction",
                1 / 200,
            ),
            "ocean_depth": Variable(
                "latitude longitude",
                depth,
                "m",
                "mean depth of the ocean part of the cell",
                "sea_floor_depth_below_geoid",
                1.0,
                "area: mean where sea",
            ),
        },
        ocean_volume_km3=float((fraction * depth * area).sum() / 1e9),
        ocean_area_km2=float((fraction * area).sum() / 1e6),
    )


def rows_of_cells(files, points):
    """Row by row from south to north, cells of `points` x `points` mask points from 180 W on: (j,
    ocean, height of ETOPO5 [m]).

    Both are (points, cells, points); the height is bilinear between the nodes.
    """
    mask = np.load(files["globe"])["mask"]  # (21600, 43200), row 0 at the north pole
    (relief,) = read(files["etopo5"], "ROSE")
    node_latitude, node_longitude = np.linspace(-90, 90, 2161), np.arange(4320) / 12
    longitude = -180 + (np.arange(mask.shape[1]) + 0.5) / 120
    for j in range(mask.shape[0] // points):
        latitude = -90 + (np.arange(j * points, (j + 1) * points) + 0.5) / 120
        height = regrid.bilinear(
            relief, node_latitude, node_longitude, *np.meshgrid(latitude, longitude, indexing="ij")
        )
        shape = points, mask.shape[1] // points, points
        yield j, mask[::-1][j * points : (j + 1) * points].reshape(shape), height.reshape(shape)
