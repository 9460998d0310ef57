"""Gases that the sea takes up from the air, without sources or sinks in the sea: CFC-11, CFC-12,
SF6 (core/physics/sea_surface/gas_exchange.hpp).

Their history in the air is that of fathom/data/gases-in-air.txt, or the user's: lines of year,
north, south, mole fractions in 1e-12 at times in years (1990.5 the middle of 1990), interpolated
between them, constant before the first and after the last. Between 10 S and 10 N both hemispheres
are blended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fathom.base import constants
from fathom.base.clock import Clock
from fathom.base.failure import InputError
from fathom.data.embedded import FOLDER
from fathom.data.input import table
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Table
from fathom.model.schemes import Scheme, scheme
from fathom.ocean.components.passive import PassiveTracer

if TYPE_CHECKING:
    from fathom.ocean.surface.forcing import Surface

edge = 10.0  # degrees of latitude from which on the air is that of a hemisphere
embedded = FOLDER / "gases-in-air.txt"


class ExchangedGas(PassiveTracer):
    """A tracer that the sea exchanges with the air, by the scheme `exchange`."""

    exchange: ClassVar[str] = ""

    def __init__(
        self, name: str, units: str, coefficient: float, wind_variance: float | None
    ) -> None:
        super().__init__(name, units)
        self.coefficient, self.wind_variance = coefficient, wind_variance
        # names and bounds are checked here
        self._exchange(1.0 if wind_variance is None else wind_variance)

    def _exchange(self, wind_variance: float) -> Scheme:
        """Returns the scheme of gas exchange."""
        found: Scheme = scheme(
            self.exchange, coefficient=self.coefficient, wind_variance=wind_variance
        )
        return found

    def fluxes(self, surface: Surface) -> Sequence[Scheme]:
        """Returns gas exchange. InputError: the surface has no wind."""
        there = surface.wind_variance
        if there is None:
            raise InputError(
                f"{type(self).__name__} needs the wind above the sea:"
                f" {type(surface).__name__}(wind_speed=...) [m s-1], or BulkForcing"
            )
        return [self._exchange(there if self.wind_variance is None else self.wind_variance)]

    def fields(self, grid: WaterGrid) -> Mapping[str, Array]:
        """Returns the share of the air of the north, (ny, nx). A plane lies in the north."""
        h = grid.horizontal
        latitude = (
            np.asarray(h.center_latitude, float)
            if h.spherical
            else np.full(np.shape(grid.wet_levels), edge)
        )
        return {"northern_share": np.clip((latitude + edge) / (2 * edge), 0, 1)}


def history_of(name: str, history: str | Path, unit: str) -> Array:
    """Returns years, mole fraction in the north and in the south, (3, years), of a table.
    InputError: it has other columns, or its years do not ascend.
    """
    numbers = np.asarray(table.table(history)).T
    if len(numbers) != 3:
        raise InputError(
            f"{name}: {history} has {len(numbers)} columns; three are needed: year, north, south"
            f" [{unit}]"
        )
    if not (np.diff(numbers[0]) > 0).all():
        raise InputError(f"{name}: the years of {history} do not ascend")
    return numbers


def tables_in_air(numbers: Array, clock: Clock) -> Table:
    """Returns years, north and south as a table of a profile."""
    years, north, south = numbers
    times = [clock.seconds_of_year(year) for year in years]
    return times, np.stack([north, south], 1).tolist(), True


class _Gas(ExchangedGas):
    columns: ClassVar[tuple[int, ...]] = ()  # of the embedded table: north, south

    def __init__(
        self,
        name: str | None = None,
        *,
        history: str | Path | None = None,
        coefficient: float = constants.usual["gas_transfer"],
        wind_variance: float | None = None,
    ) -> None:
        self.history = history
        super().__init__(name or type(self).__name__.lower(), "mol m-3", coefficient, wind_variance)

    def tables(self, grid: WaterGrid, clock: Clock) -> Mapping[str, Table]:
        """Returns the mole fractions in both hemispheres [1e-12]."""
        return {self.field.part("in_air"): tables_in_air(self.in_air(), clock)}

    def in_air(self) -> Array:
        """Returns years, mole fraction in the north and in the south [1e-12], (3, years)."""
        if self.history is None:
            return np.asarray(table.table(embedded).T[[0, *self.columns]])
        return history_of(self.name, self.history, "1e-12")


_about = """{gas} [mol m-3]: taken up from the air by gas exchange (Wanninkhof 2014), with its
history in the air of both hemispheres since 1930.

Parameters
----------
name : as of a PassiveTracer.
history : path of a table of year, north, south [1e-12]; None: the embedded one, to 2014,
    constant afterwards.
coefficient : of the transfer velocity [cm h-1 (m s-1)-2].
wind_variance : mean square of the wind over the square of the wind speed that the surface
    gives; None: 4 / pi for the monthly means of the climatology, else 1.
"""


class CFC11(_Gas):
    __doc__ = _about.format(gas="CFC-11")
    columns, exchange = (1, 2), "CFC11Exchange"


class CFC12(_Gas):
    __doc__ = _about.format(gas="CFC-12")
    columns, exchange = (3, 4), "CFC12Exchange"


class SF6(_Gas):
    __doc__ = _about.format(gas="Sulfur hexafluoride")
    columns, exchange = (5, 6), "SF6Exchange"
