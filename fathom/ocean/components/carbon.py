"""Carbon, alkalinity and oxygen of the sea [mmol m-3], with exchange with the air
(core/physics/sea_surface/carbon.hpp). An ecosystem changes them by the reactions RedfieldCarbon and
RedfieldOxygen (core/ocean/ecosystem/redfield.hpp).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fathom.base import constants
from fathom.base.clock import Clock
from fathom.base.failure import InputError
from fathom.grids.arguments import number_of
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Table
from fathom.ocean.components.gases import ExchangedGas, history_of, tables_in_air
from fathom.ocean.components.passive import PassiveTracer

UNITS = "mmol m-3"


class Carbon(ExchangedGas):
    """Dissolved inorganic carbon, `dissolved_inorganic_carbon` [mmol m-3]. Its flux through the
    surface needs the tracer Alkalinity and the wind.

    Parameters
    ----------
    carbon_dioxide : mole fraction of dry air [1e-6].
    history : path of a table of year, north, south [1e-6] instead.
    coefficient, wind_variance : as of CFC11.
    """

    exchange = "CarbonExchange"

    def __init__(
        self,
        *,
        carbon_dioxide: float = constants.usual["carbon_dioxide"],
        history: str | Path | None = None,
        coefficient: float = constants.usual["gas_transfer"],
        wind_variance: float | None = None,
    ) -> None:
        super().__init__("dissolved_inorganic_carbon", UNITS, coefficient, wind_variance)
        self.carbon_dioxide = number_of("Carbon carbon_dioxide", carbon_dioxide, "1e-6")
        if not 0 < self.carbon_dioxide < 1e5:
            raise InputError(
                f"Carbon carbon_dioxide = {carbon_dioxide!r} must lie between 0 and 1e5 [1e-6]"
            )
        self.history = history

    def tables(self, grid: WaterGrid, clock: Clock) -> Mapping[str, Table]:
        """Returns the mole fractions in both hemispheres [1e-6]."""
        always = np.array([[2000.0], [self.carbon_dioxide], [self.carbon_dioxide]])
        numbers = always if self.history is None else history_of(self.name, self.history, "1e-6")
        return {self.field.part("in_air"): tables_in_air(numbers, clock)}


class Alkalinity(PassiveTracer):
    """Total alkalinity, `alkalinity` [mmol m-3]."""

    def __init__(self) -> None:
        super().__init__("alkalinity", UNITS)


class Oxygen(ExchangedGas):
    """Dissolved oxygen, `oxygen` [mmol m-3], which the surface draws to its saturation.

    Parameters
    ----------
    coefficient, wind_variance : as of CFC11.
    """

    exchange = "OxygenExchange"

    def __init__(
        self,
        *,
        coefficient: float = constants.usual["gas_transfer"],
        wind_variance: float | None = None,
    ) -> None:
        super().__init__("oxygen", UNITS, coefficient, wind_variance)

    def fields(self, grid: WaterGrid) -> Mapping[str, Array]:
        """Returns nothing: oxygen of the air is the same everywhere."""
        return {}


def check_carbon(tracers: Sequence[PassiveTracer]) -> None:
    """Raises InputError: carbon without alkalinity."""
    names = [tracer.name for tracer in tracers]
    if "dissolved_inorganic_carbon" in names and "alkalinity" not in names:
        raise InputError(
            "tracers: Carbon needs the alkalinity of the sea for its flux through the surface; add"
            " Alkalinity()"
        )
