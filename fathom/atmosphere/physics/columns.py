"""The physics of a model of air as a component: tendencies by schemes that act on columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fathom.atmosphere.physics import near_surface
from fathom.atmosphere.physics.fields import COLUMN, AirFields
from fathom.atmosphere.products.report import fluxes
from fathom.atmosphere.radiation import RRTMGP
from fathom.atmosphere.radiation.in_time import RadiationInTime
from fathom.model.component import Component
from fathom.model.order import Order
from fathom.model.schemes import Scheme

if TYPE_CHECKING:
    from fathom.atmosphere.products.budget import Budget


class ColumnPhysics(Component):
    """Schemes that add to the tendencies of wind, temperature and tracers, one after another.

    Parameters
    ----------
    schemes : in the order of a step.
    air : the fields that they change.
    grid : of the columns; a scheme may be computed in few of them. None: in each.
    names : of the fields of a column, where a scheme finds them: declared name -> name.
    budget : sums of the tendencies by scheme, or None.
    """

    steps = 1  # of the model, over which the tendencies act

    def __init__(
        self,
        schemes: Sequence[Scheme],
        air: AirFields,
        grid: Any = None,
        names: Mapping[str, str] | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.schemes, self.air, self.grid = schemes, air, grid
        self.names, self.budget = dict(names or {}), budget
        self.forcing = _forcing(schemes, grid)

    def uses(self, field: str) -> bool:
        """Returns whether a scheme reads or writes a field."""
        return any(field in scheme.field_names for scheme in self.schemes)

    def diagnostics(self) -> Iterable[str]:
        """Returns the names of fluxes and conductances at the ground that schemes write."""
        wanted = {*fluxes, *near_surface.exchange}
        uses = [use for scheme in self.schemes for use in scheme.entry["fields"]]
        return sorted({u["name"] for u in uses if u["name"] in wanted and u["access"] == "writes"})

    def records(self) -> Iterable[Any]:
        """Returns what radiation depends on, in time."""
        return [] if self.forcing is None else self.forcing.records()

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns what radiation depends on and stays."""
        return {} if self.forcing is None else self.forcing.fixed_fields()

    def start_tracers(self, do: Order) -> None:
        """Adds tendencies of 0 of the tracers."""
        for tracer in self.air.tracers:
            label = f"TracerTendencyStart of {tracer.name}"
            do("TracerTendencyStart", roles={"tracer": tracer}, label=label)

    def start_tendencies(self, do: Order) -> None:
        """Adds tendencies of 0."""
        do("TendencyStart")
        self.start_tracers(do)

    def add_schemes(self, do: Order) -> None:
        """Adds the schemes, one after another."""
        added = 0  # earlier schemes that add to tendencies
        if self.forcing is not None:
            self.forcing.present(do)
        for scheme in self.schemes:
            do(scheme, on=self.names, **self._over_steps(scheme, do), **self._sampled(scheme))
            if self.forcing is not None:
                self.forcing.after(scheme, do)
            if self.budget is not None and scheme.adds_tendencies:
                self.budget.after(do, added)
                added += 1

    def add_to_tracers(self, do: Order) -> None:
        """Adds what the tendencies of a step make of the tracers."""
        for tracer in self.air.tracers:
            do("TracerPhysics", roles={"tracer": tracer}, label=f"TracerPhysics of {tracer.name}")

    def close_budget(self, do: Order) -> None:
        """Adds the sums that follow the last scheme."""
        if self.budget is not None:
            self.budget.close(do)

    def _over_steps(self, scheme: Scheme, do: Order) -> dict[str, Any]:
        """Returns the length of time of a scheme whose tendencies act over several steps."""
        longer = self.steps > 1 and "step" in scheme.parameter_names and scheme.adds_tendencies
        return {"step": self.steps * do.step} if longer else {}

    def _sampled(self, scheme: Any) -> dict[str, Any]:
        """Returns the keywords that add a scheme which is computed in few of the columns."""
        if self.grid is None or (scheme.spacing or 1) == 1:
            return {}
        return {"samples": scheme.samples(self.grid), "twilight": scheme.twilight(self.grid)}


def _forcing(schemes: Sequence[Scheme], grid: Any) -> RadiationInTime | None:
    """Returns what RRTMGP takes from fields; None: nothing."""
    found = next((s for s in schemes if isinstance(s, RRTMGP)), None)
    if found is None or grid is None:
        return None
    solar = [s.all_parameters["solar_constant"] for s in schemes if s.name == "Sunlight"]
    return found.forcing(grid, solar[0] if solar else 1361.0)


class PhysicsOnPressure(ColumnPhysics):
    """The physics of air on hybrid levels, and the pressures that it needs."""

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase: "pressure", "tendencies" or "tracers"."""
        names, moist = self.names, self.air.moist
        if phase == "pressure":
            do("TemperatureOfMoistAir", on=names, when=moist)
            do("HybridPressure", on=names, when=bool(self.schemes) or self.steps == 1)
            lapse = {"virtual_temperature": self._temperature}
            do("HydrostaticGeopotential", on=names | lapse, when=self.uses("geopotential"))
        elif phase == "tendencies":
            self.start_tendencies(do)
            self.add_schemes(do)
            do("VirtualTemperatureTendency", on=names, when=moist)
            self.close_budget(do)
        elif phase == "tracers":
            self.add_to_tracers(do)

    @property
    def _temperature(self) -> str:
        return self.air.temperature.name


class PhysicsOfLeapfrog(PhysicsOnPressure):
    """The same from the time before, over two steps."""

    steps = 2

    def __init__(
        self, schemes: Sequence[Scheme], air: AirFields, grid: Any, budget: Budget | None = None
    ) -> None:
        past = {field.name: field.before for field in (*COLUMN, *air.tracers)}
        super().__init__(schemes, air, grid, past, budget)

    @property
    def _temperature(self) -> str:
        return self.air.temperature.before
