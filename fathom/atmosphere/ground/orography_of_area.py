"""The ground of a limited area: means over its cells, made periodic, truncated as the model
truncates.

    cell mean   of h, straight lines between the embedded 1/4 degree, at samples no further apart
                than half of that; or between the points of a file of the user's own, of which what
                lies below the sea counts as far as it is land
    waves       times exp(-2 (K^2 / K_max^2)^2), which halves the ripples of mountains over the sea
    deviation   sigma^2 = <h^2 + sigma_h^2> - <h>^2, of all that is smaller than a cell

As fathom.atmosphere.ground.orography has it on the globe.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom import output
from fathom.base import units
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.failure import InputError
from fathom.base.reading import once
from fathom.data import embedded
from fathom.data.input import variables
from fathom.grids.whole_area import WholeArea
from fathom.model.component import Array

APART = 12.5e3  # [m] between samples
DEGREE = 111.2e3  # [m]
altitudes = ("surface_altitude", "height_above_mean_sea_level", "height_above_reference_ellipsoid")


@once
def means(grid: Any, file: str | None = None) -> dict[str, np.ndarray]:
    """Returns means over the cells of an area: surface_altitude, orography_deviation [m],
    land_fraction [1].

    file : of heights, instead of the embedded ones (`Heights`).
    """
    ocean = embedded.read("topography", "ocean_fraction")["ocean_fraction"].astype(float)

    def land_at(*place: Any) -> Any:
        return 1 - _at(ocean, *place)

    height_at, deviation_at, apart = _embedded_heights()
    if file is not None:
        heights = Heights.of(file)
        height_at, deviation_at, apart = heights.over(land_at), lambda *place: 0.0, heights.apart
    sums, samples = np.zeros((3, *grid.points[::-1])), 0
    for place in _samples(grid, apart):
        h = height_at(*place)
        sums += [h, h**2 + deviation_at(*place) ** 2, land_at(*place)]
        samples += 1
    mean, square, land = sums / samples
    return {
        "surface_altitude": mean,
        "orography_deviation": np.sqrt(np.maximum(square - mean**2, 0)),
        "land_fraction": np.round(np.clip(land, 0, 1), 6),
    }


@once
def orography(
    grid: WholeArea, waves: tuple[int, int], file: str | None = None, around: Any = None
) -> dict[str, np.ndarray]:
    """Returns surface_geopotential [m2 s-2], of so many waves along x and y; orography_deviation
    [m] and land_fraction [1]; at all points (rows, columns).

    around : LimitedAreaGrid of the points around the area too, for E by windows; None: by splines.
    """
    found = means(grid.area, file)
    height = found.pop("surface_altitude")
    if around is None:
        whole = grid.spread(height)
    else:
        whole = grid.area.windowed(means(around, file)["surface_altitude"])
    return {
        "surface_geopotential": STANDARD_GRAVITY * _smooth(grid, waves, whole),
        **{name: grid.continued(values) for name, values in found.items()},
    }


def smoothed(grid: Any) -> dict[str, np.ndarray]:
    """Returns the ground of a RotatedGrid, without waves of two columns and with half of those of
    four, along both axes.
    """
    found = means(grid)
    h = np.pad(found.pop("surface_altitude"), 1, mode="edge")
    h = (h[:-2] + 2 * h[1:-1] + h[2:]) / 4
    h = (h[:, :-2] + 2 * h[:, 1:-1] + h[:, 2:]) / 4
    return found | {"surface_geopotential": STANDARD_GRAVITY * h}


def _embedded_heights() -> tuple[Any, ...]:
    """Returns functions of (longitude, latitude): height, its deviation; and the distance of
    samples.
    """
    data = embedded.read("land", "surface_altitude", "altitude_deviation")
    height, deviation = (data[n].astype(float) for n in ("surface_altitude", "altitude_deviation"))
    return (
        lambda *place: _at(height, *place),
        lambda *place: _at(deviation, *place),
        APART,
    )


@dataclass
class Heights:
    """Heights above the sea in a file, on latitudes and longitudes (from south and west)."""

    file: str
    longitude: np.ndarray
    latitude: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, file: str) -> Heights:
        """Returns the heights of a file: of its variable with CF's name, or of its only one in
        metres. ValueError: it has none, or several.
        """
        known = variables.contents(variables.files(file))
        found = [v for v in known.values() if v.standard_name in altitudes] or [
            v for v in known.values() if v.latitude is not None and _in_metres(v.units)
        ]
        if len(found) != 1 or found[0].latitude is None or np.ndim(found[0].latitude) != 1:
            raise InputError(
                f"orography = {file!r} has {', '.join(known) or 'no variable'}: wanted is one of"
                f" heights in metres on latitudes and longitudes, best with the standard name"
                f" {altitudes[0]}"
            )
        (one,) = found
        with output.open(file) as data:
            array = data[one.name].squeeze(drop=True).transpose(..., *data[one.name].dims[-2:])
            values = np.asarray(array.values, float) * units.conversion(one.units, "m")[0]
        x, y = np.asarray(one.longitude, float), np.asarray(one.latitude, float)
        if y[0] > y[-1]:
            y, values = y[::-1], values[::-1]
        if x[-1] + 1.5 * (x[-1] - x[-2]) > x[0] + 360:  # around the globe
            x, values = np.append(x, x[0] + 360), np.column_stack([values, values[:, 0]])
        return cls(str(file), x, y, values)

    @property
    def apart(self) -> float:
        """Returns the distance between samples: half of the spacing [m]."""
        return 0.5 * DEGREE * float(np.diff(self.latitude).max())

    def over(self, land_at: Any) -> Any:
        """Returns a function of (longitude, latitude): h, negative only on land."""
        from scipy.ndimage import map_coordinates

        def height(longitude: Any, latitude: Any) -> Array:
            x = self.longitude[0] + (longitude - self.longitude[0]) % 360
            for name, at, axis in (
                ("longitude", x, self.longitude),
                ("latitude", latitude, self.latitude),
            ):
                if at.min() < axis[0] or at.max() > axis[-1]:
                    raise InputError(
                        f"orography = {self.file!r} ends within the area: it has {name} from"
                        f" {axis[0]:g} to {axis[-1]:g}, the area from {at.min():g} to {at.max():g}"
                    )
            place = [
                np.interp(at, axis, np.arange(axis.size))
                for at, axis in ((latitude, self.latitude), (x, self.longitude))
            ]
            h = map_coordinates(self.values, place, order=1, mode="nearest")
            result: Array = np.where(h < 0, h * land_at(longitude, latitude), h)
            return result

        return height


def _in_metres(unit: Any) -> bool:
    try:
        units.conversion(unit, "m")
    except ValueError:
        return False
    return True


def _samples(grid: Any, apart: Any) -> Iterator[Any]:
    """Returns longitude and latitude of one sample of each cell of C + I after the other."""
    x, y = np.meshgrid(*grid._axes())
    number = max(1, int(np.ceil(grid.spacing / apart)))
    steps = grid.spacing * ((np.arange(number) + 0.5) / number - 0.5)
    for dy in steps:
        for dx in steps:
            yield grid.projection.to_earth(x + dx, y + dy)


def _at(field: Any, longitude: Any, latitude: Any) -> Any:
    """Returns straight lines between cells of equal angles from the south pole and Greenwich on."""
    from scipy.ndimage import map_coordinates

    rows, columns = field.shape
    place = (latitude + 90) * rows / 180 - 0.5, longitude % 360 * columns / 360 - 0.5
    return map_coordinates(field, place, order=1, mode="grid-wrap")


def _smooth(grid: Any, waves: Any, field: Any) -> Any:
    """Returns the field with its shortest waves damped."""
    from fathom.grids.transform import BiFourier  # loads the core

    transform = BiFourier(grid.size, grid.spacing, truncation=waves)
    square = transform.k**2 + transform.l**2
    return transform.inverse(transform.direct(field) * np.exp(-2.0 * (square / square.max()) ** 2))
