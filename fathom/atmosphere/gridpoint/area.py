"""A grid-point atmosphere over an area of the earth (fm.RotatedGrid): the coupling at its edges.

In the zone along the edges the air is relaxed to an outer model after each step, as that of
LimitedAreaAtmosphere (fathom/atmosphere/area/outer.py), with the same weights alpha:
    X <- (1 - alpha) X + alpha X_outer,     X = u, v, w, theta, rho, tracers
Where alpha is 1, in the rim, there are no equations: faces of the rim are closed for increments of
the wind, residuals are 0, and the state of the new time is there before the first iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.atmosphere.area import outer
from fathom.atmosphere.gridpoint import state as gridpoint_state
from fathom.atmosphere.gridpoint.dynamics import DENSITY, RISING, WARMTH, WIND_X, WIND_Y
from fathom.base import mpi
from fathom.model.component import Component
from fathom.model.order import Order
from fathom.model.schemes import bytes_of

if TYPE_CHECKING:
    from fathom.atmosphere.gridpoint.model import GridPointAtmosphere

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

    model : of the area.
    source : makes the source of the outer model's fields in time.
    """

    def __init__(self, model: GridPointAtmosphere, source: Callable[[], Any]) -> None:
        self.model, self.source = model, source

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase."""
        if phase == "winds":
            do(coupling(self.model, "CouplingFirst", False))
        elif phase == "residuals":
            do("GridPointRim")
        elif phase == "coupling":
            do(coupling(self.model, "Coupling", True))

    def records(self) -> Iterable[Any]:
        """Returns the outer model as a source of fields in time."""
        return [self.source()]


def geometry(model: Any, latitude: np.ndarray) -> dict[str, np.ndarray]:
    """Returns where the equations hold, and the rotation of the earth along both axes."""
    computed, turn = model.grid.computed, 2 * model.parameters["rotation"]
    level, angle = turn * np.cos(latitude), model.grid.angle
    north = computed & np.roll(computed, -1, 0)
    return {
        "computed_here": computed.astype(float),
        "open_east_face": (computed & np.roll(computed, -1, 1)).astype(float),
        "open_north_face": north.astype(float),
        "horizontal_coriolis": level * np.cos(angle),
        "horizontal_coriolis_along_x": level * np.sin(angle),
    }


def coupling(model: Any, label: str, tracers: bool) -> Any:
    """Returns the process that relaxes the state to the outer model; tracers: these too."""
    grid = model.grid
    computed = grid.computed
    share, of_tracers = (
        outer.weights(grid, p) for p in (outer.EXPONENT, outer.EXPONENT_OF_TRACERS)
    )
    of_faces = [
        np.where(computed & np.roll(computed, -1, axis), (share + np.roll(share, -1, axis)) / 2, 1)
        for axis in (1, 0)
    ]
    alpha = {"east_face": of_faces[0], "north_face": of_faces[1], "center": share}
    drawn = [
        (field.name, *place, field.units, alpha[place[0]].ravel().tolist())
        for field, place in places.items()
    ]
    if tracers:
        flat = of_tracers.ravel().tolist()
        drawn += [(name, "center", "layer", "any", flat) for name in model.tracers]
    return mpi.core.coupling(label, grid.points[0], drawn, bytes_of[model.precision])


def drawn(model: Any) -> Callable[..., Any]:
    """Returns a function that gives the fields of the model of a record, as `set` takes it."""

    def of(given: Mapping[str, Any]) -> dict[str, np.ndarray]:
        if "log_surface_pressure" in given and np.ndim(given["air_temperature"]) == 3:
            given = gridpoint_state.of_layers(model, dict(given))
        result: dict[str, np.ndarray] = gridpoint_state.state(model, given)
        return result

    return of
