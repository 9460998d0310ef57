"""Columns of air without dynamics: the physics alone, over pressures that do not change."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from fathom.atmosphere.physics.columns import ColumnPhysics
from fathom.atmosphere.physics.fields import AIR_TEMPERATURE, AirFields
from fathom.atmosphere.physics.packages import (
    BasicPhysics,
    Physics,
    carried,
    listed,
    surface_defaults,
)
from fathom.base import earth, mpi
from fathom.base.clock import Clock, seconds_of
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.model.component import Array, Field
from fathom.model.order import Order
from fathom.model.schemes import Scheme

Places = float | Sequence[float] | Array  # [degrees], of one column or of several


class PhysicsOfColumn(ColumnPhysics):
    """The physics of columns without dynamics, over a step; each kind of water that it changes has
    its own tendency.
    """

    phases = ("pressure", "tendencies", "step")

    def __init__(self, schemes: Sequence[Scheme]) -> None:
        water = [Field(kind) for kind in carried(schemes)]
        super().__init__(schemes, AirFields(AIR_TEMPERATURE, water, water))

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase."""
        if phase == "pressure":
            do("ColumnHydrostatics")
        elif phase == "tendencies":
            self.start_tracers(do)
            self.add_schemes(do)
        elif phase == "step":
            do("ColumnStep")
            self.add_to_tracers(do)


class SingleColumn(Configurable):
    """One column, or several independent columns.

    >>> import fathom as fm
    >>> column = fm.SingleColumn(fm.HybridLevels(20), latitude=20.0, start="2000-03-20")
    >>> column.set(air_temperature=280.0, sea_surface_temperature=300.0).advance("1d")
    >>> column["air_temperature"].shape
    (20,)

    Parameters
    ----------
    levels : HybridLevels or SigmaLevels, under `surface_pressure` [Pa].
    physics : list of schemes in order; BasicPhysics without drag by default.
    latitude, longitude : [degrees], numbers or arrays of the same length: a column each.
    time_step, start : "20min" or seconds, and start date (for the sun).
    keep : names of fields to keep that otherwise exist only within a step.
    """

    in_turn = True

    def __init__(
        self,
        levels: Any,
        physics: Physics = None,
        *,
        latitude: Places = 0.0,
        longitude: Places = 0.0,
        surface_pressure: float = 1e5,
        time_step: float | str = "20min",
        start: str = "2000-01-01",
        keep: Sequence[str] = (),
        precision: str = "fp64",
    ) -> None:
        missing = [name for name in ("nz", "a", "b") if not hasattr(levels, name)]
        if missing or isinstance(levels, type):
            raise InputError(f"levels = {levels!r} must be HybridLevels(...) or SigmaLevels(...)")
        self.physics = listed(BasicPhysics(drag=None) if physics is None else physics)
        self.alone = np.ndim(latitude) == np.ndim(longitude) == 0
        latitude, longitude = np.broadcast_arrays(
            np.atleast_1d(np.deg2rad(latitude)), np.atleast_1d(np.deg2rad(longitude))
        )
        self.columns, self.levels, self.time_step = (
            latitude.size,
            levels.nz,
            seconds_of(time_step, "time_step"),
        )
        self.clock, self.count = Clock(start), 0
        bytes_ = {"fp64": 8, "fp32": 4}[precision]
        processes = self._processes(bytes_)
        domain = mpi.core.Domain(
            mpi.MPI.COMM_SELF.py2f(),
            self.columns,
            1,
            True,
            False,
            self.levels,
            [self.levels] * self.columns,
            0,
        )
        self.sequence = mpi.core.StepProgram(domain, processes, bytes_, keep=list(keep))
        self.fields = mpi.core.FieldSet(self.sequence)
        if self.fields.has("sun"):
            fixed = any(p.parameters.get("fixed_season", 0) > 0.5 for p in self.physics)
            self.sequence.follow_sun(
                self.time_step,
                self.clock.days_since_2000,
                self.time_step * max(p.every for p in processes),
                fixed,
            )
        interface = np.asarray(levels.a) + np.asarray(levels.b) * surface_pressure
        interface[0] = max(interface[0], 1.0)  # heights of interfaces need p > 0
        self.pressure = (interface[1:] + interface[:-1]) / 2
        self.mass = np.diff(interface) / earth.GRAVITY
        known = surface_defaults | {
            "pressure_interface": interface,
            "air_pressure": self.pressure,
            "latitude": latitude,
            "longitude": longitude,
        }
        for name, value in known.items():
            if self.fields.has(name) and (name in self.fields.state or not self._written(name)):
                self.set(**{name: value})

    def _processes(self, bytes_: int) -> list[Any]:
        """Returns the processes of a step, in order."""
        do, physics = Order(bytes_, self.time_step), PhysicsOfColumn(self.physics)
        for phase in PhysicsOfColumn.phases:
            physics.processes(phase, do)
        return do.processes

    def _written(self, name: str) -> bool:
        return any(
            f["name"] == name and f["access"] == "writes"
            for p in self.physics
            for f in p.entry["fields"]
        )

    def set(self, **values: Any) -> Self:
        """Returns fields by name: a number, a profile (levels), one value a column, or (levels,
        columns).
        """
        for name, value in values.items():
            if not self.fields.has(name):
                raise InputError(
                    f"no process of this column has a field '{name}'{near(name, self.fields.state)}"
                )
            shape = (*np.shape(self.fields.windows(name)[0])[:1], self.columns)
            value = np.asarray(value, float)
            value = (
                value[:, None]
                if value.ndim == 1 and value.size == shape[0] and shape[0] > 1
                else value
            )
            self.fields.set(name, np.ascontiguousarray(np.broadcast_to(value, shape)[:, None, :]))
        return self

    def __getitem__(self, name: str) -> Any:
        """Returns the field: (levels, columns) or (columns), without the columns where there is
        one.
        """
        value = self.fields.windows(name)[0][:, 0, :]
        value = value[:, 0] if self.alone else value
        return value[0] if len(value) == 1 else value

    def advance(self, period: Any) -> Self:
        """Runs that long, "1d", or that many steps."""
        steps = period if isinstance(period, int) else round(seconds_of(period) / self.time_step)
        self.sequence.advance(self.fields, steps)
        self.count += steps
        return self
