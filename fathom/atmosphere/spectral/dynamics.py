"""The dynamics of a spectral atmosphere as components: which processes each scheme adds to a phase
of a step. `do.shared` has the processes of the core that need communication
(core/atmosphere/spectral/dynamics.hpp).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fathom.atmosphere.physics.fields import (
    LOG_PRESSURE,
    PRESSURE_DEPARTURE,
    VERTICAL_DIVERGENCE,
    WIND,
    AirFields,
)
from fathom.atmosphere.products.diagnostics import limit_of_splitting
from fathom.model.component import Component, Criterion, Field
from fathom.model.order import Order


class Dynamics(Component):
    """What the schemes have in common.

    Parameters
    ----------
    air : the fields that they carry.
    rotation : angular velocity [s-1].
    splitting : whether rotation is split off (core/atmosphere/hydrostatic/coriolis.hpp).
    divergence : the name of the divergence in the linear terms.
    """

    def __init__(
        self,
        air: AirFields,
        rotation: float,
        splitting: bool = False,
        divergence: str = "divergence",
    ) -> None:
        self.air, self.rotation, self.splitting = air, rotation, splitting
        self.linear = {"divergence": divergence}

    def state_fields(self) -> tuple[Field, ...]:
        """Returns wind, temperature, surface pressure and tracers."""
        return (*WIND, self.air.temperature, LOG_PRESSURE, *self.air.tracers)

    def limits(self, time_step: float) -> Iterable[Criterion]:
        """Returns that of split rotation alone; others cannot be known beforehand: trajectories
        must not cross, dt |grad V| < 1, about 1e-4 s-1 in a jet.
        """
        return [limit_of_splitting(self.rotation, time_step)] if self.splitting else []

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase."""
        if phase == "surface pressure":
            do("LogSurfacePressure")


class SemiLagrangian(Dynamics):
    """Two time levels, semi-implicit, trajectories extrapolated in time (SETTLS)."""

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase."""
        if phase == "equations":
            do("PrimitiveEquations", roles=self.air.warmth)
        elif phase == "linear terms":
            do("SemiImplicitTerms", on=self.linear, roles=self.air.heated)
        elif phase == "middle of the step":
            do("WindExtrapolation")
        elif phase == "transport":
            do(do.shared.transport)
            do(do.shared.tracer_transport)
        elif phase == "arrival":
            do("Arrival", roles=self.air.warmth)
            do("ImplicitCoriolis", when=self.splitting)
        elif phase == "solution":
            do(do.shared.step)
        super().processes(phase, do)


class Leapfrog(Dynamics):
    """Vorticity and divergence of three time levels, semi-implicit."""

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase."""
        if phase == "equations":
            do("HybridPressure")
            do("PrimitiveEquations", roles=self.air.warmth)
            do("EulerianTendencies", roles=self.air.warmth)
            for tracer in self.air.tracers:
                label = f"EulerianTracer of {tracer.name}"
                do("EulerianTracer", roles={"tracer": tracer}, label=label)
        elif phase == "solution":
            do(do.shared.tracer_leapfrog)
            do(do.shared.step)
        super().processes(phase, do)


class Compressible(Dynamics):
    """Compressible air: two time levels, semi-implicit, with a first guess of the new time and
    corrections of it (core/atmosphere/nonhydrostatic/equations.hpp).

    extrapolation : "nesc" or "settls", of the nonlinear terms where air departs.
    """

    def __init__(
        self, air: AirFields, rotation: float, divergence: str, extrapolation: str
    ) -> None:
        super().__init__(air, rotation, True, divergence)
        self.extrapolation = extrapolation

    def state_fields(self) -> tuple[Field, ...]:
        """Returns those of hydrostatic air, departure of pressure and vertical divergence."""
        return (*super().state_fields(), PRESSURE_DEPARTURE, VERTICAL_DIVERGENCE)

    def diagnostics(self) -> tuple[str, ...]:
        """Returns the vertical velocity."""
        return ("upward_air_velocity",)

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase; a correction is the second turn of its phases, or a later one."""
        warmth = self.air.warmth
        again = f" of correction {do.repeat}" if do.repeat else ""
        if phase == "equations":
            do("CompressibleEquations", roles=warmth)
            do("UpwardVelocity")
            do("CompressibleNonlinear", on=self.linear)
            do("CompressibleCarried", roles=self.air.heated)
            settls = self.extrapolation == "settls"
            do("CompressibleExtrapolation", roles=warmth, when=settls)
        elif phase == "middle of the step":
            do("WindExtrapolation")
            do("LevelPressureCarried")
        elif phase == "transport":
            do(do.shared.transport)
            do(do.shared.tracer_transport)
            do("ArrivalOnLevels")
        elif phase == "correction":
            self._correct(do)
        elif phase == "arrival":
            do("CompressibleArrival", roles=warmth, label=f"CompressibleArrival{again}")
            do("ImplicitCoriolis", label=f"ImplicitCoriolis{again}")
        elif phase == "solution":
            step = do.shared.correction if do.repeat else do.shared.step
            do(step, label=f"SpectralStep{again}")
        elif phase == "new velocity":
            do("UpwardVelocity", label="UpwardVelocity of the new time")
        super().processes(phase, do)

    def _correct(self, do: Order) -> None:
        """Adds the equations at the new time, as it is known so far."""
        again = f" of correction {do.repeat + 1}"
        do("HybridPressure", label=f"HybridPressure{again}")
        do("CompressibleEquations", roles=self.air.warmth, label=f"CompressibleEquations{again}")
        do("CompressibleNonlinear", on=self.linear, label=f"CompressibleNonlinear{again}")


class Fixers(Component):
    """What keeps mass and energy, each by one number a step for the whole globe or plane.

    Parameters
    ----------
    air : the fields that it corrects.
    mass, energy : whether they are kept.
    of_physics : whether the energy that a step must keep grows by what the physics adds to c_p T,
        so that its fluxes at both ends of a column are all; else by that of c_p T_v, in which the
        vapour of the physics counts too.
    """

    def __init__(self, air: AirFields, mass: bool, energy: bool, of_physics: bool = False) -> None:
        self.air, self.mass, self.energy, self.of_physics = air, mass, energy, of_physics

    def of_the_physics(self) -> Fixers:
        """Returns the same, for an energy that grows by what the physics adds to c_p T."""
        return Fixers(self.air, self.mass, self.energy, of_physics=True)

    @property
    def parameters(self) -> Mapping[str, float]:
        """Returns what the dynamics of the core must know of it."""
        return {"fix_mass": float(self.mass), "fix_energy": float(self.energy)}

    def processes(self, phase: str, do: Order) -> None:
        """Adds the energy of the columns before a step, and the corrections after it."""
        shared: Any = do.shared
        if phase == "equations":
            heated = self.air.warmth if self.of_physics else self.air.heated
            do("ColumnEnergy", roles=heated, when=shared.total_energy is not None)
        elif phase == "fixers":
            do(shared.total_energy)
            do(shared.tracer_mass)
