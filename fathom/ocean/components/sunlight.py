"""Sunlight in the water: the depths that it reaches, and the heat that it brings there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError
from fathom.data.input.records import Input, Records, given, sources
from fathom.data.input.values import on_columns
from fathom.grids.water import WaterGrid
from fathom.model.component import Field, Given
from fathom.model.order import Order
from fathom.model.schemes import Scheme
from fathom.ocean.components.component import OceanComponent, Tendency

names_of_chlorophyll = (
    "chlorophyll",
    "mass_concentration_of_chlorophyll_a_in_sea_water",
    "mass_concentration_of_chlorophyll_in_sea_water",
    "chl",
    "chlor_a",
)
usual_chlorophyll = 0.2  # [mg m-3]


class Sunlight(OceanComponent):
    """Sunlight that the water absorbs over its depth.

    Parameters
    ----------
    grid : of water.
    scheme : JerlovWater or ChlorophyllWater; None: all is absorbed in the top layer.
    chlorophyll : for ChlorophyllWater [mg m-3]: a number, an array (ny, nx), a function, or in
        time: a file, Records.
    """

    def __init__(
        self, grid: WaterGrid, scheme: Scheme | None, chlorophyll: Given | Path | Records
    ) -> None:
        self.grid, self.scheme, self.chlorophyll = grid, scheme, chlorophyll
        self.reads_chlorophyll = scheme is not None and "chlorophyll" in scheme.field_names
        found = given(chlorophyll) if self.reads_chlorophyll else None
        called = names_of_chlorophyll
        self.input = None if found is None else Input("chlorophyll", found, "mg m-3", called)

    def records(self) -> Iterable[Any]:
        """Returns the chlorophyll in time."""
        return [] if self.input is None else sources([self.input], self.grid)

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the chlorophyll that stays [mg m-3], (ny, nx)."""
        usual = isinstance(self.chlorophyll, float) and self.chlorophyll == usual_chlorophyll
        if not self.reads_chlorophyll and not usual:
            raise InputError(
                f"chlorophyll = {self.chlorophyll!r} is given, but only"
                " shortwave_penetration = ChlorophyllWater reads it"
            )
        if not self.reads_chlorophyll or self.input is not None:
            return {}
        return {"chlorophyll": on_columns(self.grid, self.chlorophyll, name="chlorophyll")}

    def processes(self, phase: str, do: Order) -> None:
        """Adds the flux that reaches each interface."""
        if phase == "sunlight" and self.scheme is not None:
            if self.input is not None:
                self.input.interpolate(do)
            do(self.scheme)

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds the heat that the water absorbs."""
        if tracer.name == "temperature" and self.scheme is not None:
            add("ShortwaveHeating", term="sunlight")
