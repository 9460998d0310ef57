"""Component: a part of a model; Model: a list of components that a simulation can run.

A component declares what it adds: fields, processes by phase, a start, diagnostics, limits of the
step, records in time. A model is a component that holds others: what it declares is what they
declare together, in their order. So a model is read in one file: the list of its components, and
the order of the phases of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from fathom.base.configurable import Configurable

if TYPE_CHECKING:
    from fathom.model.order import Order

Array = NDArray[Any]
Given = float | str | Array | Callable[..., Any]  # a field as a user gives it, or its file
Table = tuple[Sequence[float], Sequence[Sequence[float]], bool]  # times [s], rows, interpolated
Series = dict[str, tuple[float, str]]  # name -> (value, units)


class Wave(NamedTuple):
    """A profile that is a wave in time: f cos(frequency t + phase + u), t [s] since the start of
    the run, at the end of a step.

    frequency : [s-1].  phase : [radians].
    cosines, sines : f = c0 + c1 cos N + c2 cos 2N + ..., u = s1 sin N + ... [radians],
    angle, rate : N = angle + rate t [radians].
    """

    frequency: float
    phase: float
    cosines: Sequence[float] = (1.0,)
    sines: Sequence[float] = ()
    angle: float = 0.0
    rate: float = 0.0


class Criterion(NamedTuple):
    """A limit of the time step, and how near to it a step is, at the place where it is nearest.

    unstable: whether a run blows up beyond it; else it is only less exact.
    """

    name: str
    value: float
    limit: float
    place: str
    unstable: bool = True


class Field(NamedTuple):
    """A prognostic field of a component, and the names of its parts in a step.

    limits : (least, most); a run beyond them has become unstable.
    """

    name: str
    units: str = "1"
    limits: tuple[float, float] | None = None

    @property
    def before(self) -> str:
        """Returns the name of its values one step earlier."""
        return f"{self.name}_before"

    @property
    def after(self) -> str:
        """Returns the name of its values at the end of the step."""
        return f"{self.name}_after"

    @property
    def tendency(self) -> str:
        """Returns the name of its rate of change [units s-1]."""
        return f"{self.name}_tendency"

    @property
    def surface_flux(self) -> str:
        """Returns the name of its flux through the surface [units m s-1]."""
        return f"{self.name}_surface_flux"

    def part(self, name: str) -> str:
        """Returns the name of another part of it, as "gradient_east"."""
        return f"{self.name}_{name}"

    def of(self, declared: Iterable[str], role: str) -> dict[str, str]:
        """Returns the names for this field of what a scheme declares for any field of that role:
        role "tracer", declared "tracer_tendency" -> "salinity_tendency".
        """
        return {
            name: self.name + name.removeprefix(role)
            for name in declared
            if name == role or name.startswith(f"{role}_")
        }


class Renaming(NamedTuple):
    """Another name of a field, for all processes of some phases of a step.

    reads : only for the processes that read all of these fields; empty: for all.
    phases : those in which it holds; empty: all.
    """

    field: str
    name: str
    reads: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()


class Component(Configurable):
    """A part of a model. Each method declares nothing where a component has nothing to add."""

    def state_fields(self) -> tuple[Field, ...]:
        """Returns its prognostic fields."""
        return ()

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns fields that never change, name -> array (ny, nx), or a function of the layer
        that gives one.
        """
        return {}

    def profiles(self) -> Mapping[str, Sequence[float]]:
        """Returns values by level that never change, name -> values."""
        return {}

    def tables(self, clock: Any) -> Mapping[str, Table]:
        """Returns profiles that follow a table in time."""
        return {}

    def waves_in_time(self, clock: Any) -> Mapping[str, Wave]:
        """Returns profiles that are waves in time."""
        return {}

    def processes(self, phase: str, do: Order) -> None:
        """Adds its processes of that phase of a step to the order, one after another."""

    def complete(self, do: Order) -> None:
        """Adds what depends on the whole order, once the user's processes are in it."""

    def renamings(self) -> Iterable[Renaming]:
        """Returns other names of fields for the processes of all components."""
        return ()

    def rotations(self) -> Iterable[Sequence[str]]:
        """Returns lists of fields; each gets the memory of the next one at the end of a step."""
        return ()

    def start(self, simulation: Any) -> None:
        """Puts its initial state into the fields of a simulation."""

    def diagnostics(self) -> Iterable[str]:
        """Returns names of fields outside the state that stay readable between steps."""
        return ()

    def limits(self, time_step: float) -> Iterable[Criterion]:
        """Returns its limits of the time step [s]."""
        return ()

    def limits_of_series(self) -> Mapping[str, tuple[float, float]]:
        """Returns limits of its numbers in the time series of a run: name -> (least, most)."""
        return {}

    def records(self) -> Iterable[Any]:
        """Returns its sources of fields in time (fathom/run/forcing.py)."""
        return ()


class AtSurface(Component):
    """What lies at the surface of a model, known when a simulation is made: `surface` of it."""
