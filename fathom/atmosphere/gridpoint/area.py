"""A grid-point atmosphere over an area of the earth (fm.RotatedGrid): the coupling at its edges.

In the zone along the edges the air is relaxed to an outer model after each step, as that of
LimitedAreaAtmosphere (fathom/atmosphere/area/outer.py), with the same weights alpha:
    X <- (1 - alpha) X + alpha X_outer,     X = u, v, w, theta, rho, tracers
Where alpha is 1, in the rim, there are no equations: faces of the rim are closed for increments of
the wind, residuals are 0, and the state of the new time is there before the first iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fathom.atmosphere.area import outer
from fathom.atmosphere.gridpoint import of_pressure
from fathom.atmosphere.gridpoint import state as gridpoint_state
from fathom.atmosphere.gridpoint.dynamics import DENSITY, RISING, WARMTH, WIND_X, WIND_Y
from fathom.atmosphere.gridpoint.geometry import AirAtRest
from fathom.atmosphere.physics.fields import AirFields
from fathom.base import mpi
from fathom.grids.levels import HybridLevels
from fathom.grids.rotated import RotatedGrid
from fathom.model.component import Array, Component
from fathom.model.order import Order
from fathom.model.schemes import bytes_of

places = {
    WIND_X: ("east_face", "layer"),
    WIND_Y: ("north_face", "layer"),
    RISING: ("center", "interface"),
    WARMTH: ("center", "interface"),
    DENSITY: ("center", "layer"),
}


class AreaCoupling(Component):
    """Relaxation to the outer model: the rim before the first iteration, all of the zone after a
    step.

    Parameters
    ----------
    grid : of the area.
    tracers : names of those that are relaxed too, after a step.
    precision : "fp64" or "fp32".
    source : makes the source of the outer model's fields in time.
    """

    def __init__(
        self,
        grid: RotatedGrid,
        tracers: Sequence[str],
        precision: str,
        source: Callable[[], Any],
    ) -> None:
        self.grid, self.tracers, self.precision = grid, tracers, precision
        self.source = source

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase."""
        if phase == "winds":
            do(self._coupling("CouplingFirst"))
        elif phase == "residuals":
            do("GridPointRim")
        elif phase == "coupling":
            do(self._coupling("Coupling", self.tracers))

    def records(self) -> Iterable[Any]:
        """Returns the outer model as a source of fields in time."""
        return [self.source()]

    def _coupling(self, label: str, tracers: Sequence[str] = ()) -> Any:
        """Returns the process that relaxes the air, and these tracers, to the outer model."""
        grid, computed = self.grid, self.grid.computed
        share, of_tracers = (
            outer.weights(grid, p) for p in (outer.EXPONENT, outer.EXPONENT_OF_TRACERS)
        )
        of_faces = [
            np.where(
                computed & np.roll(computed, -1, axis), (share + np.roll(share, -1, axis)) / 2, 1
            )
            for axis in (1, 0)
        ]
        alpha = {"east_face": of_faces[0], "north_face": of_faces[1], "center": share}
        relaxed = [
            (field.name, *place, field.units, alpha[place[0]].ravel().tolist())
            for field, place in places.items()
        ]
        if tracers:
            flat = of_tracers.ravel().tolist()
            relaxed += [(name, "center", "layer", "any", flat) for name in tracers]
        return mpi.core.coupling(label, grid.points[0], relaxed, bytes_of[self.precision])


def state_of_record(
    record: Mapping[str, Any], rest: AirAtRest, levels: HybridLevels, air: AirFields
) -> dict[str, Array]:
    """Returns the fields of the state, (levels, ny, nx), of a record as `set` takes it.

    rest : the air at rest over the ground, with its heights.
    levels : of columns on levels of pressure.
    air : what the model carries.
    """
    if "log_surface_pressure" in record and np.ndim(record["air_temperature"]) == 3:
        record = of_pressure.of_layers(record, rest.grid, levels, air)
    return gridpoint_state.state(rest, air, record)
