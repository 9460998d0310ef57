"""Fields of hybrid levels on levels of pressure, and pressure at mean sea level.

Inside the model's column, in x = ln p:
    geopotential
        the cubic with the values phi_k of the layers and the hydrostatic slopes -R T_v;
        phi_s and R T_* at the ground
    temperature, wind, humidity
        Lagrange's cubic or straight lines; constant above the middle of the highest layer

Below the ground and at the sea: core/post/air.hpp, where the equations are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.failure import InputError
from fathom.base.moist_air import potential_temperature, relative_humidity
from fathom.grids.hybrid import interfaces_of
from fathom.grids.regrid import column
from fathom.grids.regrid.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fathom.grids.regrid.chosen import ChosenLevels

BLOCK = 2048  # columns at a time: their data stay in cache
SURFACE = ("log_surface_pressure", "surface_geopotential")


class Column:
    """A state on hybrid levels, ready to be asked for values at any pressure.

    fields  air_temperature [K], or virtual_temperature, log_surface_pressure, surface_geopotential
        [m2 s-2], and specific_humidity if there is any: (layers, *points), (*points)
    levels  anything with `a` [Pa] and `b`, or the pair, of interfaces from the top down
    grid    rows of the model, if the fields are (..., rows, longest row): places beyond the end of
        a row are NaN in every result
    """

    def __init__(self, fields: Mapping[str, np.ndarray], levels: Any, grid: Any = None) -> None:
        a, b = interfaces_of(levels)
        self.rows = None if grid is None else Rows.of(grid)
        either = ("air_temperature", "virtual_temperature")
        known = next((name for name in either if name in fields), "air_temperature")
        for name in (known, *SURFACE):
            if name not in fields:
                raise InputError(
                    f"{name} is needed to find pressure and height; there are"
                    f" {', '.join(sorted(fields))}"
                )
        self.shape = np.shape(fields["surface_geopotential"])
        if len(fields[known]) != a.size - 1:
            raise InputError(f"{known} has {len(fields[known])} layers, the levels {a.size - 1}")
        used = [known, *SURFACE, *(["specific_humidity"] if "specific_humidity" in fields else [])]
        given: list[Any] = [self._flat(fields[name], name not in SURFACE) for name in used]
        if len({field.dtype for field in given}) > 1:
            given = [column.numbers(field, float) for field in given]
        columns: Any = mpi.core.AirColumns  # of one of two types of numbers
        self.air = columns(list(a), list(b), *given, is_virtual=known == "virtual_temperature")
        self.surface_pressure = np.exp(np.asarray(given[1], float))  # (points), packed
        self.surface_geopotential = given[2]
        self._at = np.zeros(0)

    @classmethod
    def of_layers(cls, layers: Sequence[np.ndarray], ground: Sequence[np.ndarray]) -> Column:
        """Makes a column of layers whose pressures and heights are known, hybrid or not.

        layers : ln p, T [K], T_v [K] and geopotential [m2 s-2], each (layers, points)
        ground : ln p and geopotential of the ground (points)
        """
        self = cls.__new__(cls)
        self.rows, self.shape, self._at = None, np.shape(ground[0]), np.zeros(0)
        self.air = mpi.core.AirColumns(
            *(column.numbers(np.asarray(field, float)) for field in (*layers, *ground))
        )
        self.surface_pressure, self.surface_geopotential = np.exp(ground[0]), ground[1]
        return self

    def _flat(self, field: ArrayLike, layers: bool) -> np.ndarray:
        field = np.asarray(field)
        if self.rows is not None:
            return column.numbers(self.rows.pack(field))
        return column.numbers(field.reshape((*field.shape[: int(layers)], -1)))

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        if self.rows is not None:
            return self.rows.unpack(values, np.nan)
        return values.reshape(values.shape[:-1] + self.shape)

    def _to(self, pressures: ArrayLike) -> Any:
        """Sets pressures [Pa] as targets: (levels), or of each point (levels,
        points), as `pressure_of` gives them.
        """
        wanted = np.atleast_1d(np.asarray(pressures, float))
        if not (wanted > 0).all():
            raise InputError(f"pressures are positive numbers [Pa], not {wanted.tolist()}")
        if not np.array_equal(self._at, wanted):
            logarithm = np.log(wanted)
            self.air.to(logarithm[:, None] if wanted.ndim == 1 else logarithm)
            self._at = wanted
        return self.air

    def pressure_of(self, levels: ChosenLevels) -> np.ndarray:
        """Returns pressure [Pa] of chosen levels (fathom/grids/regrid/chosen.py), (levels) or
        (levels, points); NaN where a column has none. Altitudes and heights continue below the
        ground.
        """
        values = np.array(levels.values)
        if levels.name == "pressure":
            return values
        if levels.name == "potential_temperature":
            theta = potential_temperature(self.air.temperature, np.exp(self.air.logarithm))
            return self.pressure_where(theta, values)
        if levels.name == "hybrid":
            a, b = map(np.asarray, levels.interfaces)
            return column.layer_pressure(column.interface_pressure(a, b, self.surface_pressure))
        ground = self.surface_geopotential if levels.name == "height" else 0.0
        wanted = np.asarray(ground + STANDARD_GRAVITY * values[:, None], float)
        result: np.ndarray = np.exp(self.air.at_geopotential(np.ascontiguousarray(wanted)))
        return result

    def pressure_where(self, field: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Returns pressure [Pa] (values, points) where a field of layers, which falls on the way
        down from the top, first has each value; NaN where it has not.
        """
        result: np.ndarray = np.exp(
            np.array([self.air.where(field, value, False)[0] for value in values])
        )
        return result

    def at(self, field: np.ndarray, pressures: ArrayLike, *, order: int = 3) -> np.ndarray:
        """Returns a field of layers (layers, *points) at pressures [Pa] (levels, *points); `order`
        3 or 1. Below the lowest layer its value there.
        """
        if order not in (1, 3):
            raise InputError(f"order = {order}: allowed are 1 (linear) and 3 (cubic)")
        return self._shaped(self._to(pressures).at(self._flat(field, True), order))

    def air_temperature(self, pressures: ArrayLike, *, order: int = 3) -> np.ndarray:
        """Returns T [K] at pressures [Pa], below the ground too."""
        return self._shaped(self._to(pressures).temperature_at(order))

    def geopotential_height(self, pressures: ArrayLike) -> np.ndarray:
        """Returns phi / g [m] at pressures [Pa], below the ground too."""
        return self._shaped(self._to(pressures).geopotential_at() / STANDARD_GRAVITY)

    def relative_humidity(self, specific_humidity: np.ndarray) -> np.ndarray:
        """Returns relative humidity of layers (layers, *points)."""
        return self._shaped(self.air.relative_humidity(self._flat(specific_humidity, True)))

    def mean_sea_level_pressure(self) -> np.ndarray:
        """Returns p_sea [Pa]."""
        return self._shaped(self.air.mean_sea_level_pressure()[0])


def to_pressure_levels(
    fields: Mapping[str, np.ndarray],
    levels: Any,
    pressures: ArrayLike,
    grid: Any = None,
    *,
    order: int = 3,
) -> dict[str, np.ndarray]:
    """Returns every field of layers at pressures [Pa], with geopotential_height [m] and, of the
    ground, surface_air_pressure and air_pressure_at_mean_sea_level.

    relative_humidity [1] is added where there is specific humidity, which is interpolated on
    straight lines: it stays positive. See `Column`.
    """
    rows = None if grid is None else Rows.of(grid)
    layers, shape = (
        interfaces_of(levels)[0].size - 1,
        np.shape(fields["surface_geopotential"]) if "surface_geopotential" in fields else (),
    )
    flat = _flat(fields, rows, layers, shape)
    points = next(iter(flat.values())).shape[-1] if flat else 1
    parts = [
        _at_pressures(
            {name: field[..., first : first + BLOCK] for name, field in flat.items()},
            levels,
            pressures,
            order,
        )
        for first in range(0, points, BLOCK)
    ]
    whole = {name: np.concatenate([part[name] for part in parts], -1) for name in parts[0]}
    return {
        name: rows.unpack(values, np.nan) if rows else values.reshape(values.shape[:-1] + shape)
        for name, values in whole.items()
    }


def _flat(
    fields: Mapping[str, np.ndarray], rows: Rows | None, layers: int, shape: tuple[int, ...]
) -> dict[str, np.ndarray]:
    """Returns fields of layers as (layers, points), those of the ground as (points); others are
    left out.
    """
    chosen = {
        name: field
        for name, field in fields.items()
        if name in SURFACE or (np.ndim(field) == len(shape) + 1 and len(field) == layers)
    }
    if rows:
        return {name: rows.pack(field) for name, field in chosen.items()}
    return {
        name: np.reshape(field, (-1,) if name in SURFACE else (layers, -1))
        for name, field in chosen.items()
    }


def _at_pressures(
    fields: Mapping[str, np.ndarray], levels: Any, pressures: ArrayLike, order: int
) -> dict[str, np.ndarray]:
    """Returns what `to_pressure_levels` does, for fields of (layers, points) and (points)."""
    state = Column(fields, levels)
    found = {
        "geopotential_height": state.geopotential_height(pressures),
        "air_temperature": state.air_temperature(pressures, order=order),
    }
    for name in (name for name in fields if name not in (*SURFACE, "air_temperature")):
        straight = "humidity" in name or "cloud" in name
        found[name] = state.at(fields[name], pressures, order=1 if straight else order)
    if "specific_humidity" in found:
        found["relative_humidity"] = relative_humidity(
            found["specific_humidity"],
            found["air_temperature"],
            np.atleast_1d(pressures)[:, None],
        )
    return found | {
        "surface_air_pressure": np.exp(np.asarray(fields["log_surface_pressure"], float)),
        "air_pressure_at_mean_sea_level": state.mean_sea_level_pressure(),
    }
