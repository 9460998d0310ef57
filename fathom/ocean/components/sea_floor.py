"""Heat from the sea floor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.data.input.values import on_columns
from fathom.grids.water import WaterGrid
from fathom.model.component import Field, Given
from fathom.ocean.components.component import OceanComponent, Tendency


class SeaFloor(OceanComponent):
    """Geothermal heat.

    Parameters
    ----------
    grid : of water.
    heat : [W m-2], a number, an array (ny, nx) or a function; 0: none.
    """

    def __init__(self, grid: WaterGrid, heat: Given) -> None:
        self.grid, self.heat = grid, heat

    @property
    def is_warm(self) -> bool:
        """Returns whether heat comes from below."""
        return not (np.isscalar(self.heat) and self.heat == 0)

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the heat flux [W m-2], (ny, nx)."""
        if not self.is_warm:
            return {}
        return {"geothermal_heat_flux": on_columns(self.grid, self.heat, name="geothermal_heat")}

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds the heat to the temperature of the lowest cell."""
        if tracer.name == "temperature" and self.is_warm:
            add("GeothermalHeat", term="sea_floor")
