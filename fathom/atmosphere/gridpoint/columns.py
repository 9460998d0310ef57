"""The physics of the grid-point atmosphere as a component of its step."""

from collections.abc import Sequence
from typing import Any

from fathom.atmosphere.physics.columns import ColumnPhysics
from fathom.atmosphere.physics.fields import WIND, AirFields
from fathom.atmosphere.products.budget import Budget
from fathom.model.order import Order
from fathom.model.schemes import Scheme


class PhysicsOnHeights(ColumnPhysics):
    """The physics at the start of a step, in columns between the faces of the wind."""

    def __init__(
        self, schemes: Sequence[Scheme], air: AirFields, grid: Any, budget: Budget | None = None
    ) -> None:
        of_columns = {field.name: field.part("of_columns") for field in WIND}
        super().__init__(schemes, air, grid, of_columns, budget)

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase; none where there is no scheme."""
        if not self.schemes:
            return
        if phase == "columns":
            do("GridPointColumns", roles=self.air.warmth)
            do("FactorOfMoistAir", when=self.air.moist)
            self._of_water("WeightOfWater", do)
            do("TemperatureByFactor", when=self.air.moist)
        elif phase == "tendencies":
            self.start_tendencies(do)
            self.add_schemes(do)
            do("VirtualTendencyOfMoistAir", when=self.air.moist)
            self._of_water("VirtualTendencyOfWater", do)
            self.close_budget(do)
            self.add_to_tracers(do)
        elif phase == "heating":
            do("GridPointPhysics", roles=self.air.warmth)

    def _of_water(self, process: str, do: Order) -> None:
        """Adds a process for each kind of water other than vapour."""
        for kind in self.air.water:
            do(process, roles={"tracer": kind}, label=f"{process} of {kind.name}")
