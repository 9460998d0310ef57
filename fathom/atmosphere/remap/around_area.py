"""What an area takes of given states: on which grid, how they are made periodic (by splines or Boyd
windows), and which fields.

By splines: on C + I; the model makes E of them.

By windows (fathom/grids/transform/periodic.py, Boyd 2005): on C + I and as many points as E has
beyond each edge, of the same map. Two copies of a field, one period apart, are blended over E:
    u, v    along the axes of the map, which is periodic; then as on earth
    p_s     as ln p_s + phi_s / (R 280 K), at sea level, together with the ground
    others  as they are
Fields known only on C + I are made periodic by splines in this case, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from fathom.atmosphere.physics.fields import AirFields
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.data.input.values import on_columns, on_layers
from fathom.grids.levels import HybridLevels
from fathom.grids.limited_area import LimitedAreaGrid
from fathom.grids.periodic_plane import PeriodicPlane
from fathom.grids.whole_area import WholeArea
from fathom.model.component import Array, Given

kinds = ["splines", "windows"]
wind = ("eastward_wind", "northward_wind")
pressures = ("log_surface_pressure", "surface_air_pressure")
TEMPERATURE = 280.0  # of the air between ground and sea [K]


class GivenGround(NamedTuple):
    """The ground of an area as it was given.

    orography : surface geopotential [m2 s-2]: a number, an array or a function.
    of_earth : whether it is that of the earth.
    heights : a file of the heights of the earth; None: the embedded ones.
    """

    orography: Given
    of_earth: bool
    heights: str | None


def points_by(
    kind: str,
    grid: Any,
    ground: Callable[[], Array],
    given: Callable[[], GivenGround],
    gas_constant: float,
) -> OnArea | AroundArea:
    """Returns the points of given states, made periodic by "splines" or "windows". InputError:
    another kind, or windows on a plane; other arguments as those of AroundArea.
    """
    if kind not in kinds:
        raise InputError(unknown("periodic_by", str(kind), kinds))
    if kind == "splines":
        return OnArea(grid, ground)
    if isinstance(grid, PeriodicPlane):
        raise InputError("periodic_by = 'windows': a plane is periodic as it is")
    return AroundArea(grid, ground, given, gas_constant)


class OnArea:
    """States are given on the points of a grid.

    ground : returns the present surface geopotential of its columns, (rows, points) [m2 s-2].
    """

    windows = False

    def __init__(self, grid: Any, ground: Callable[[], Array]) -> None:
        self.grid, self._ground = grid, ground

    @property
    def start(self) -> Any:
        """Returns the grid on which the model takes states."""
        return self.grid

    @property
    def ground(self) -> Array:
        """Returns surface geopotential of the columns [m2 s-2], (rows, points) of the grid."""
        return self._ground()

    def whole(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a state there, as `set` takes it."""
        return dict(state)


class AroundArea:
    """States are given on the points of an area and those around it.

    inside : grid of the model, E too.
    ground : returns the present surface geopotential of the model, (rows, points) [m2 s-2].
    given : returns the ground as it was given.
    gas_constant : of dry air [J kg-1 K-1].
    """

    windows = True

    def __init__(
        self,
        inside: WholeArea,
        ground: Callable[[], Array],
        given: Callable[[], GivenGround],
        gas_constant: float,
    ) -> None:
        self.inside, self.area = inside, inside.area
        self._ground, self._given, self.gas_constant = ground, given, gas_constant
        self.area.around()  # raises an error if the map ends before

    @cached_property
    def grid(self) -> WholeArea:
        """Returns the grid of all those points: they are C + I of it."""
        area = self.area
        return WholeArea(
            LimitedAreaGrid(
                area.centre,
                resolution=area.spacing,
                points=[n + 2 * more for n, more in zip(area.points, area.extension)],
                projection=area.projection,
                coupling=0,
                extension=1,
                levels=area.levels,
                radius=area.radius,
            )
        )

    @cached_property
    def start(self) -> Any:
        """Returns the grid on which the model takes states: as its own, with columns in E."""
        grid = self.inside
        levels = np.full(grid.size[::-1], grid.levels.nz, np.int32)
        return SimpleNamespace(
            levels=grid.levels,
            wet_levels=levels,
            levels_at=lambda where: levels,
            coordinates=grid.coordinates,
            place=grid.place,
        )

    @property
    def inner(self) -> Any:
        """Returns C + I among them."""
        (nx, ny), (ex, ey) = self.area.points, self.area.extension
        return np.s_[..., ey : ey + ny, ex : ex + nx]

    @property
    def ground(self) -> Array:
        """Returns surface geopotential [m2 s-2], (rows, points): that of the model, around it as it
        is.
        """
        ground = np.array(self.outside, float)
        ground[self.inner] = self.area.inside(self._ground())
        result: Array = self.grid.continued(ground)
        return result

    @property
    def outside(self) -> Array:
        """Returns surface geopotential of all these points, C + I alone, without the model's
        waves, (rows, points) [m2 s-2].
        """
        ground, shape = self._given(), self.grid.points[::-1]
        given: Any = ground.orography
        if ground.of_earth:
            from fathom.atmosphere.ground import orography_of_area  # start-up time: loads data

            found = orography_of_area.means(self.grid.area, ground.heights)["surface_altitude"]
            return STANDARD_GRAVITY * found
        if callable(given) or not np.ndim(given):
            inside: Array = self.grid.area.inside(on_columns(self.grid, given, name="orography"))
            return inside
        (ex, ey), values = self.area.extension, self.area.inside(np.asarray(given, float))
        return np.pad(values, [(ey, ey), (ex, ex)], mode="edge").reshape(shape)

    def periodic_ground(self) -> np.ndarray:
        """Returns the surface geopotential at all points of the area, E too."""
        given: Any = self._given().orography
        if np.ndim(given) and not callable(given):  # made so, or of C + I alone
            whole = np.asarray(given, float)
            (nx, ny), size = self.inside.points, self.inside.size
            of_area = whole.shape[-2:] == (ny, nx) and size != (nx, ny)
            return np.asarray(self.inside.spread(whole), float) if of_area else whole
        return self._periodic(self.outside)

    def _periodic(self, values: Any) -> np.ndarray:
        result: np.ndarray = self.area.windowed(self.grid.area.inside(np.asarray(values, float)))
        return result

    def whole(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a state there, as `set` takes it at all points of the area, E too."""
        projection, gas = self.area.projection, self.gas_constant * TEMPERATURE
        found = {name: np.asarray(v, float) for name, v in state.items()}
        found.pop("surface_geopotential", None)
        if "surface_air_pressure" in found:
            found["log_surface_pressure"] = np.log(found.pop("surface_air_pressure"))
        if "log_surface_pressure" in found:
            at_sea = self.grid.area.inside(found.pop("log_surface_pressure"))
            at_sea = at_sea + self.grid.area.inside(self.ground) / gas
            ground = self._ground() / gas
            found["log_surface_pressure"] = self._periodic(at_sea) - ground
        if any(name in found for name in wind):
            like = next(found[name] for name in wind if name in found)
            pair = [self.grid.area.inside(found.pop(n, np.zeros_like(like))) for n in wind]
            along = projection.along_axes(*pair, *self.grid.area.coordinates())
            u, v = map(self._periodic, along)
            found |= zip(wind, projection.on_earth(u, v, *self.inside.coordinates()))
        done = {*wind, "log_surface_pressure"}
        return {n: v if n in done else self._periodic(v) for n, v in found.items()}

    def of_functions(self, values: Mapping[str, Any], air: set[str]) -> dict[str, Any]:
        """Returns `values` of which those of the `air` that are functions or numbers are arrays at
        all points of the area.
        """
        there = {n: v for n, v in values.items() if n in air and (callable(v) or not np.ndim(v))}
        if any(name in values and name not in there for name in wind):  # both, or none
            there = {name: v for name, v in there.items() if name not in wind}
        kept = {name: v for name, v in values.items() if name not in there}
        return kept | self.whole({name: self._evaluated(name, v) for name, v in there.items()})

    def _evaluated(self, name: str, value: Any) -> np.ndarray:
        """Returns a function or a number, at these points."""
        if name in pressures:
            result: np.ndarray = on_columns(self.grid, value, name=name)
            return result
        return np.stack([values for _, values in on_layers(self.grid, value, name)])


@dataclass(frozen=True)
class Receiver:
    """The columns of an area, and the fields that it takes on them.

    where : its columns, with their ground.
    levels : on which they are given.
    air : what the area carries.
    names : of what its `set` takes.
    compressible : whether it has the fields of compressible air.
    orography : returns its ground as it was given.
    lie_on : sets it.
    """

    where: OnArea | AroundArea
    levels: HybridLevels
    air: AirFields
    names: Sequence[str]
    compressible: bool
    orography: Callable[[], Given]
    lie_on: Callable[[Array], None]
