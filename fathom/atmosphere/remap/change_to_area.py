"""The state of an atmosphere as the start of a limited area: of the globe, of a larger area, or of
the same area with other levels, ground or waves; in memory, out of a restart, or out of a file of
an area, as fathom/atmosphere/remap/change_of_geometry.py says.

Places take the points around them (fathom/atmosphere/remap/at_places.py); columns go over the
area's ground to its levels; E is made periodic by the area's splines, and the model truncates. An
area on the same points, levels and ground keeps all bits. Compressible air is taken as hydrostatic
elsewhere.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fathom.atmosphere.remap.at_places import AtPlaces, OnMap, on_map
from fathom.atmosphere.remap.change_of_geometry import Change, wind
from fathom.base.moist_air import virtual_temperature
from fathom.grids.hybrid import REFERENCE


class ChangeToArea(Change):
    """Brings another atmosphere to a LimitedAreaAtmosphere on a LimitedAreaGrid."""

    def _compare(self) -> None:
        a, b = self.given.grid, self.model.grid
        self.of_area = hasattr(a, "area")
        self.same_points = self.of_area and not self.given.on_heights
        self.same_points = self.same_points and (
            (a.size, a.points, a.spacing, a.area.centre, repr(a.area.projection))
            == (b.size, b.points, b.spacing, b.area.centre, repr(b.area.projection))
        )
        self.same_waves = self.same_points
        if self.of_area and not self.same_points:
            there = np.asarray(b.wet_levels) > 0
            on_map(a.area, *(places[there] for places in b.coordinates()))  # or an error
        self._at_own: Any = None

    def along(self, name: str) -> Any:
        """Returns a field of A at own points, wind as on earth."""
        if name not in self._taken:
            if name in wind:
                self._taken.update(zip(wind, self._wind()))
            else:
                self._taken[name] = self.as_it_is(name) if self.same_points else self.at_own(name)
        return self._taken[name]

    def _wind(self) -> Any:
        if not self.same_points:
            return self.at_own.wind()
        own, projection = self.own, self.model.grid.area.projection
        return projection.on_earth(*map(self.as_it_is, wind), own.longitude, own.latitude)

    @property
    def at_own(self) -> Any:
        """Returns A's fields at own points."""
        if self._at_own is None:
            kind = OnMap if self.of_area else AtPlaces
            own = self.own
            self._at_own = kind(self.given, self.collected, own.longitude, own.latitude)
        return self._at_own

    def state(self, phi: Any) -> dict[str, np.ndarray]:
        """Returns the state as `set` takes it, on all ranks, over the surface geopotential phi
        (rows, points).
        """
        here = self.own.of(phi)
        same = self.same_levels and self.same_ground(here)
        found = {name: self.whole(v) for name, v in self.columns(here, same).items()}
        if not self.model.moist and "specific_humidity" in found:  # the density of moist air
            warm = virtual_temperature(found["air_temperature"], found.pop("specific_humidity"))
            found["air_temperature"] = warm
        ratio = found.pop("log_pressure_ratio")[0]
        return found | {"log_surface_pressure": ratio + math.log(REFERENCE)}

    def whole(self, values: Any) -> np.ndarray:
        """Returns (levels, rows, points) on all ranks, of values at own points; 0 in E."""
        simulation = self.simulation
        result: np.ndarray = simulation.comm.bcast(simulation.assemble(self.own.blocks(values)))
        return result

    def whole_of(self, name: str) -> np.ndarray:
        """Returns a field of an area on the same points, E too, (levels, rows, points) on all
        ranks.
        """
        blocks = self.collected(self.own.rectangles, name)
        simulation = self.simulation
        held = simulation.assemble([np.asarray(blocks[n], float) for n in sorted(blocks)])
        result: np.ndarray = simulation.comm.bcast(held)
        return result

    def fill(self, phi: Any) -> bool:
        """Puts A's own fields in, bit for bit, where nothing is to be changed. Returns whether that
        was so.
        """
        fields, given = self.simulation.fields, self.given
        if not (self.same_points and self.alike and self.same_levels):
            return False
        if not self.same_ground(self.own.of(phi)) or not all(map(given.has, fields.state)):
            return False
        for name in fields.state:
            blocks = self.collected(self.own.rectangles, name)
            for n, block in enumerate(blocks[k] for k in sorted(blocks)):
                fields.put(name, n, np.asarray(block, float))
        return True
