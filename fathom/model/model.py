"""Model: a list of components that a simulation can run (docs/models.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, Self

from fathom.base import shown
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.model.component import Array, Component, Criterion, Field, Series, Table, Wave
from fathom.model.lost import check_used
from fathom.model.order import Insertion, Order

__all__ = ["Component", "Criterion", "Field", "Model"]


class Model(Configurable):
    """What a simulation asks of a model: typed, with a default for all that a model need not have.

    A model is a list of `components`, and the order of their `phases` in a step. What follows from
    the components is gathered here; a model adds what only the whole knows.
    """

    grid: Any  # fathom.grids.grid.Grid
    precision: str  # "fp64" or "fp32"
    halo: int = 0  # width; 0 if no process reads neighbours
    groups: ClassVar[Mapping[str, str]] = {}  # of a phase in profiles, where it is not its name
    phases_of_start: ClassVar[Sequence[str]] = ()  # those that work with the state at the start
    extra_processes: list[Insertion]  # of the user, in the order of a step
    initial: dict[str, Any]  # what `set` was given of the state
    recorded = ("set",)
    experiments: ClassVar[Sequence[str]] = ()  # arguments that may name another experiment's file

    takes_other_steps: ClassVar[bool] = False  # a run may continue with a step of another length
    lies_below_air: ClassVar[bool] = (
        False  # it is a sea that fm.Coupled can put below an atmosphere
    )

    # ---- a step ----------------------------------------------------------------------------------

    @property
    def components(self) -> Sequence[Component]:
        """Returns its parts, in the order in which they add processes to a phase."""
        return ()

    @property
    def phases(self) -> Sequence[str]:
        """Returns the phases of a step, in order; one may come again."""
        return ()

    def order(self, time_step: float) -> Order:
        """Returns an empty order of processes for a step [s]."""
        raise NotImplementedError(f"{type(self).__name__}.order")

    def forcing(self, surface: Any) -> Component:
        """Returns the forcing at the surface as a component of this model; one that declares
        nothing where there is none.
        """
        return Component()

    def driven_by(self, surface: Any) -> Sequence[Component]:
        """Returns the components of a step: the forcing at the surface, then those of the model."""
        return [self.forcing(surface), *self.components]

    def processes(self, time_step: float, surface: Any = None) -> list[Any]:
        """Returns the processes of one step [s], in order, with those of the surface."""
        do, components = self.order(time_step), self.driven_by(surface)
        do.levels = self.grid.levels.nz
        renamings = [one for component in components for one in component.renamings()]
        for number, phase in enumerate(phases := self.phases):
            do.phase, do.repeat = self.groups.get(phase, phase), phases[:number].count(phase)
            do.renamings = [one for one in renamings if not one.phases or phase in one.phases]
            for component in components:
                component.processes(phase, do)
        do.place(self.extra_processes)
        for component in components:
            component.complete(do)
        check_used(do.processes, do.own, self.rotations)
        return do.processes

    @property
    def rotations(self) -> Sequence[Sequence[str]]:
        """Returns lists of fields; each gets the memory of the next one at the end of a step."""
        return [fields for component in self.components for fields in component.rotations()]

    def criteria(self, time_step: float) -> Sequence[Criterion]:
        """Returns the limits of the step [s]."""
        return [one for component in self.components for one in component.limits(time_step)]

    def without_fixers(self) -> Self:
        """Returns the model without the parts that have no tangent along a trajectory
        (fathom.assimilation.trajectory). InputError: it has no tangent.
        """
        if not self.has_tangent:
            raise InputError(
                f"{type(self).__name__} has no tangent; allowed are SpectralAtmosphere and"
                " ShallowWater with scheme = 'semi-lagrangian', and LimitedAreaAtmosphere"
            )
        return self

    def insert(self, process: Any, **where: Any) -> Model:
        """Inserts a process of the user's into the order of a step: before, after or instead_of
        another (fathom.model.order.Insertion). Returns the model.

        >>> ocean.insert("RayleighDrag", after="MomentumAdvection")
        """
        self.extra_processes.append(Insertion(process, **where))
        return self

    @property
    def changes(self) -> tuple[int, int]:
        """Returns how often it was set, and how many processes were inserted: what a simulation of
        it has not seen yet, if it was prepared before.
        """
        return len(self.calls_of("set")), len(self.extra_processes)

    # ---- fields ----------------------------------------------------------------------------------

    @property
    def prognostic(self) -> Sequence[str]:
        """Returns names of the fields of the state: for the checksum, the summary, and the place
        where a run became unstable.
        """
        return [field.name for part in self.components for field in part.state_fields()]

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Returns fields and series beyond which a run has become unstable: name -> (least,
        most)."""
        fields = [field for part in self.components for field in part.state_fields()]
        series = [part.limits_of_series() for part in self.components]
        found = {field.name: field.limits for field in fields if field.limits}
        return found | {name: limits for part in series for name, limits in part.items()}

    @property
    def diagnostics(self) -> Sequence[str]:
        """Returns names of fields outside the state that stay readable between steps."""
        return [name for component in self.components for name in component.diagnostics()]

    @property
    def restart_extras(self) -> Sequence[str]:
        """Returns names of fields that a restart holds besides the state."""
        return ()

    def geometry(self) -> Mapping[str, Any]:
        """Returns fields that never change: name -> array (ny, nx), or a function of the layer."""
        parts = [component.fixed_fields() for component in self.components]
        return {name: values for part in parts for name, values in part.items()}

    def may_begin(self) -> AbstractSet[str]:
        """Returns fields of the state that begin as in a new run where a restart lacks them."""
        return set()

    def begin(self, simulation: Any, names: AbstractSet[str]) -> None:
        """Puts the initial values of such fields into a simulation that continues."""

    zero_outside: Sequence[str] = ()  # fixed fields that are 0, not the nearest value, beyond edges

    def profiles(self) -> Mapping[str, Sequence[float]]:
        """Returns values by level that never change."""
        parts = [component.profiles() for component in self.components]
        return {name: values for part in parts for name, values in part.items()}

    def profiles_of_step(self, first: bool) -> Mapping[str, Sequence[float]]:
        """Returns values by level that differ in the first step of a run."""
        return {}

    def tables(self, clock: Any) -> Mapping[str, Table]:
        """Returns profiles that follow a table in time: name -> (times [s], rows, interpolated)."""
        parts = [component.tables(clock) for component in self.components]
        return {name: table for part in parts for name, table in part.items()}

    def waves_in_time(self, clock: Any) -> Mapping[str, Wave]:
        """Returns profiles that are waves in time."""
        parts = [component.waves_in_time(clock) for component in self.components]
        return {name: wave for part in parts for name, wave in part.items()}

    def records(self, model: Any) -> Sequence[Any]:
        """Returns the sources of fields in time (fathom/run/forcing.py)."""
        return [source for component in self.components for source in component.records()]

    physics: Sequence[Any] = ()  # schemes of columns of air
    truncation: Any = None  # of a model of waves whose grid does not tell it

    @property
    def without_tangent(self) -> Mapping[str, Any] | None:
        """Returns parts of an ocean that have no tangent, by their argument; None: it is no
        ocean.
        """
        return None

    def time_levels(self, name: str) -> Sequence[str]:
        """Returns names of the fields that hold a field of the state at the start."""
        return (name,)

    @property
    def has_tangent(self) -> bool:
        """Returns whether it has one along a trajectory (fathom.assimilation.trajectory)."""
        return False

    @property
    def fixed_season(self) -> bool:
        """Returns whether the season stays that of the start, if a process reads `sun`."""
        return False

    # ---- the start -------------------------------------------------------------------------------

    usual_surface: ClassVar[Any] = None  # class of the forcing where the user gives none
    surfaces: ClassVar[Sequence[type]] = ()  # classes of forcing that it can have

    def receive_state(self, simulation: Any) -> None:
        """Takes what it starts from out of another model, once blocks are known."""

    def take_member(self, member: int) -> None:
        """Lets random numbers be those of a member of an ensemble from now on."""

    def initialise(self, simulation: Any) -> bool | None:
        """Puts the initial state into the fields; not called after a restart. True: it is there as
        a step leaves it.
        """
        for component in self.components:
            component.start(simulation)
        return None

    def finish_initialisation(self, simulation: Any) -> None:
        """Works on the initial state once it is there, as a filter."""

    def choose_for(self, device: bool) -> None:
        """Chooses what suits a device, or the processor."""

    @property
    def choices_for_device(self) -> Sequence[str]:
        """Returns lines that tell what was chosen for a device."""
        return ()

    # ---- choices ---------------------------------------------------------------------------------

    @property
    def numerics(self) -> Mapping[str, Any]:
        """Returns settings that change bits but not the equations; a restart holds them."""
        return {}

    @property
    def alternatives(self) -> Mapping[str, Sequence[Any]]:
        """Returns settings that could be faster: key below [model] -> values, the present one
        first.
        """
        return {}

    @property
    def set_of_parts(self) -> str:
        """Returns the named set which has the parts that the user did not name; "": none has."""
        return ""

    @property
    def geometry_id(self) -> Mapping[str, Any] | None:
        """Returns the geometry that a restart describes; None: the grid tells all."""
        return None

    @property
    def received(self) -> Mapping[str, Any]:
        """Returns attributes that I/O servers must know of a received state: name -> value."""
        return {}

    @property
    def companions(self) -> Sequence[Any]:
        """Returns the states of outer models that run with this one (fathom/run/boundaries.py)."""
        return ()

    starts_from_outer: bool = False  # whether it starts from the state of one of them

    # ---- what a user sees ------------------------------------------------------------------------

    stores: ClassVar[Mapping[str, type]] = {}  # further kinds of output, by their keyword
    level_coordinates: Sequence[Any] = ()  # levels that output may use
    on_chosen_levels: Sequence[str] = ("layer",)  # places whose values go to those levels

    @property
    def derived(self) -> Mapping[str, Any]:
        """Returns output variables computed from fields: name -> Diagnostic."""
        return {}

    integrals: Mapping[str, Any] = {}  # numbers without a place: name -> Integral

    def integral_coordinates(self) -> Mapping[str, Any]:
        """Returns coordinates of the dimensions of integrals: name -> (dims, array, attributes)."""
        return {}

    def at_levels(self, name: str, diagnostic: Any, levels: Any, horizontal: str) -> Any:
        """Returns the Diagnostic of a variable of layers at chosen levels."""
        raise InputError(f"{type(self).__name__} has no output at chosen levels")

    @property
    def land_fraction(self) -> Array | None:
        """Returns the share of land as output has it, (ny, nx), for coasts; None: no coasts."""
        return None

    def watch(self, simulation: Any) -> tuple[Series, str]:
        """Returns present numbers for the time series, and the text for the line of progress."""
        return {}, ""

    def doubts(self, fields: Any) -> Iterable[str]:
        """Returns what is doubtful about the settings and the start, a text each, of which a run
        warns; all ranks call it.
        """
        return ()

    def condition(self, simulation: Any) -> str:
        """Returns a text about the state of a run that became unstable."""
        return ""

    def cause(self, simulation: Any) -> str:
        """Returns why a run became unstable and what helps, where the state tells it; else ""."""
        return ""

    def account(self, simulation: Any) -> dict[str, Any]:
        """Returns entries of a run's summary that only this model has; all ranks call it."""
        return {}

    @property
    def report_fields(self) -> Sequence[str]:
        """Returns names of fields of which the report has a map, besides the state."""
        return self.diagnostics

    def report(self, simulation: Any) -> Any:
        """Returns what the report draws, on rank 0; all ranks call it."""
        return None

    def pictures(self, state: Any) -> Mapping[str, Any]:
        """Returns sections of the report's page: title -> its pictures."""
        return {}

    def __repr__(self) -> str:
        said = ", ".join(
            value if name == "grid" else f"{name}={value}" for name, value in shown.parts(self)
        )
        return f"{type(self).__name__}({said})"

    def _repr_html_(self) -> str:
        return shown.table(type(self).__name__, shown.parts(self))
