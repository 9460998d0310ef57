"""The ground of a limited area: means over its cells, made periodic, truncated as the model
truncates.

    cell mean   of h, straight lines between the embedded 1/4 degree, at samples no further apart
                than half of that
    waves       times exp(-2 (K^2 / K_max^2)^2), which halves the ripples of mountains over the sea
    deviation   sigma^2 = <h^2 + sigma_h^2> - <h>^2, of all that is smaller than a cell

As fathom.atmosphere.orography has it on the globe.
"""

from __future__ import annotations

import numpy as np

from fathom.data import embedded
from fathom.grids.whole_area import WholeArea
from fathom.moist_air import GRAVITY
from fathom.reading import once

APART = 12.5e3  # [m] between samples


@once
def means(grid) -> dict[str, np.ndarray]:
    """Of the cells of an area: surface_altitude, orography_deviation [m], land_fraction [1]."""
    data = embedded.read("land", "surface_altitude", "altitude_deviation")
    height, deviation = (data[n].astype(float) for n in ("surface_altitude", "altitude_deviation"))
    ocean = embedded.read("topography", "ocean_fraction")["ocean_fraction"].astype(float)
    sums, samples = np.zeros((3, *grid.points[::-1])), 0
    for place in _samples(grid):
        h = _at(height, *place)
        sums += [h, h**2 + _at(deviation, *place) ** 2, 1 - _at(ocean, *place)]
        samples += 1
    mean, square, land = sums / samples
    return {
        "surface_altitude": mean,
        "orography_deviation": np.sqrt(np.maximum(square - mean**2, 0)),
        "land_fraction": np.round(np.clip(land, 0, 1), 6),
    }


@once
def orography(grid: WholeArea, waves: tuple[int, int]) -> dict[str, np.ndarray]:
    """surface_geopotential [m2 s-2], of so many waves along x and y; orography_deviation [m] and
    land_fraction [1]; at all points (rows, columns).
    """
    found = means(grid.area)
    height = found.pop("surface_altitude")
    return {
        "surface_geopotential": GRAVITY * _smooth(grid, waves, grid.spread(height)),
        **{name: grid.continued(values) for name, values in found.items()},
    }


def smoothed(grid) -> dict[str, np.ndarray]:
    """The same of a RotatedGrid: waves of two columns are taken away, those of four halved, along
    both axes.
    """
    found = means(grid)
    h = np.pad(found.pop("surface_altitude"), 1, mode="edge")
    h = (h[:-2] + 2 * h[1:-1] + h[2:]) / 4
    h = (h[:, :-2] + 2 * h[:, 1:-1] + h[:, 2:]) / 4
    return found | {"surface_geopotential": GRAVITY * h}


def _samples(grid):
    """Longitude and latitude of one sample of each cell of C + I after the other."""
    x, y = np.meshgrid(*grid._axes())
    number = max(1, int(np.ceil(grid.spacing / APART)))
    steps = grid.spacing * ((np.arange(number) + 0.5) / number - 0.5)
    for dy in steps:
        for dx in steps:
            yield grid.projection.to_earth(x + dx, y + dy)


def _at(field, longitude, latitude):
    """Straight lines between cells of equal angles from the south pole and Greenwich on."""
    from scipy.ndimage import map_coordinates

    rows, columns = field.shape
    place = (latitude + 90) * rows / 180 - 0.5, longitude % 360 * columns / 360 - 0.5
    return map_coordinates(field, place, order=1, mode="grid-wrap")


def _smooth(grid, waves, field):
    """Its waves, the shortest damped."""
    from fathom.transform import BiFourier  # loads the core

    transform = BiFourier(grid.size, grid.spacing, truncation=waves)
    square = transform.k**2 + transform.l**2
    return transform.inverse(transform.direct(field) * np.exp(-2.0 * (square / square.max()) ** 2))
