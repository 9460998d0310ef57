"""The state of an atmosphere as the start of a grid-point one, on levels of height: of the globe,
or for an area of a larger one; on the same levels, hybrid ones, or others; in memory or out of a
restart, as fathom/atmosphere/remap/change_of_geometry.py says.

Columns go over the model's ground to its hybrid levels, on which it takes any analysis, and from
there to its heights, balanced in the vertical (fathom/atmosphere/gridpoint/of_pressure.py). The
same grid over the same ground keeps all bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.atmosphere.gridpoint import of_pressure
from fathom.atmosphere.remap.at_places import on_map
from fathom.atmosphere.remap.change_of_geometry import wind
from fathom.atmosphere.remap.change_to_area import ChangeToArea
from fathom.base.failure import InputError


class ChangeToHeights(ChangeToArea):
    """Brings another atmosphere to a GridPointAtmosphere on a sphere or on a part of it."""

    def _compare(self) -> None:
        a, b = self.given.grid, self.model.grid
        self.of_area = hasattr(a, "area")
        alike = type(a) is type(b) and a.identity.keys() == b.identity.keys()
        self.same_points = alike and all(
            np.array_equal(held, b.identity[name]) for name, held in a.identity.items()
        )
        self.same_waves = False
        if self.of_area and not self.model.area:
            raise InputError(
                "analysis = a limited area, which does not cover the globe of this model: allowed"
                " is a SpectralAtmosphere, or another GridPointAtmosphere on a"
                " LatitudeLongitudeGrid"
            )
        if self.of_area and not self.same_points:
            on_map(a.area, *(places.ravel() for places in b.coordinates()))  # or an error
        self._at_own: Any = None

    def _wind(self) -> Any:
        return self.at_own.wind()

    def functions(self, phi: Any) -> dict[str, Any]:
        """Returns the state as functions of pressure that `set` takes, on all ranks, over the
        surface geopotential phi (rows, points).
        """
        model = self.model
        return of_pressure.of_layers(self.state(phi), model.grid, model.hybrid_levels, model.air)

    def fill(self, phi: Any) -> bool:
        """Puts A's own fields in, bit for bit, where nothing is to be changed. Returns whether that
        was so.
        """
        fields, given = self.simulation.fields, self.given
        names = [*fields.state, *wind]
        alike = self.same_points and self.alike and all(map(given.has, names))
        if not alike or not self.same_ground(self.own.of(phi)):
            return False
        for name in names:
            blocks = self.collected(self.own.rectangles, name)
            for n, block in enumerate(blocks[k] for k in sorted(blocks)):
                fields.put(name, n, np.asarray(block, float))
        return True
