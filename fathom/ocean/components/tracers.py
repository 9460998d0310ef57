"""Tracers of the ocean: those allowed besides temperature and salinity, the processes of one step
of each, and their budgets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fathom import names
from fathom.base.failure import InputError
from fathom.model.component import Field
from fathom.model.order import Order, in_small_letters
from fathom.model.schemes import Scheme
from fathom.ocean.components.carbon import Alkalinity, Carbon, Oxygen, check_carbon
from fathom.ocean.components.cells import Cells
from fathom.ocean.components.component import (
    ADVECTION,
    OceanComponent,
    Tendency,
    add_share,
    share_of,
)
from fathom.ocean.components.gases import CFC11, CFC12, SF6
from fathom.ocean.components.mixing import VerticalMixing
from fathom.ocean.components.passive import IdealAge, PassiveTracer, PassiveTracers

TEMPERATURE = Field("temperature", "degC", (-20, 80))
SALINITY = Field("salinity", "1e-3", (-10, 100))

coordinates = ("time", "depth", "depth_interface", "longitude", "latitude", "x", "y")
fields_of_tracer = (
    "_before",
    "_after",
    "_tendency",
    "_swept",
    "_laplacian",
    "_surface_flux",
    "_region",
    "_layers",
    "_in_air",
    "_at_open_edge",
)


def declared(tracers: Any) -> list[PassiveTracer]:
    """Returns the passive tracers of the user's list. InputError: one is no tracer, or has the name
    of another field, or of a field of another tracer.
    """
    by_name: dict[str, type[PassiveTracer]] = {
        what().name: what for what in (IdealAge, CFC11, CFC12, SF6, Carbon, Alkalinity, Oxygen)
    }
    found: list[PassiveTracer] = [
        _named(t, by_name) if isinstance(t, str) else t
        for t in ([tracers] if isinstance(tracers, (str, PassiveTracer)) else tracers)
    ]
    called = ["temperature", "salinity"]
    for tracer in found:
        if not isinstance(tracer, PassiveTracer):
            raise InputError(
                f"tracers: {tracer!r} is no tracer; allowed: a name, PassiveTracer(name),"
                " IdealAge(), Dye(name, region), CFC11(), CFC12(), SF6(), Carbon(), Alkalinity(),"
                " Oxygen()"
            )
        if tracer.name in called:
            raise InputError(
                f"two tracers are called '{tracer.name}'; give one of them another name"
            )
        called.append(tracer.name)
    for tracer in found:
        _check_name(tracer, called)
    check_carbon(found)
    return found


def _named(name: str, by_name: Mapping[str, type[PassiveTracer]]) -> PassiveTracer:
    """Returns the tracer of a word."""
    return by_name[name]() if name in by_name else PassiveTracer(name)


def _check_name(tracer: PassiveTracer, called: Iterable[str]) -> None:
    """Raises InputError: a tracer has the name of another field, or of one of a tracer in
    `called`."""
    other = names.describe(tracer.name)
    if (
        tracer.name in coordinates
        or (other.horizontal, other.vertical) != ("center", "layer")
        or (names.known(tracer.name) and other.units != tracer.units)
    ):
        raise InputError(
            f"a tracer cannot be called '{tracer.name}', as {other.long_name} is; give it"
            " another name"
        )
    if owner := next(
        (name for name in called if tracer.name.removeprefix(name) in fields_of_tracer), None
    ):
        raise InputError(
            f"a tracer cannot be called '{tracer.name}', as a field of '{owner}' is; give one"
            " of them another name"
        )


class Tracers(OceanComponent):
    """Temperature, salinity and the passive tracers: a step of each is the sum of what components
    add to its tendency, vertical diffusion, and the new value.

    Parameters
    ----------
    fields : temperature, salinity and others.
    advection : CentredAdvection and others.
    sources : components that add to tendencies, in this order.
    mixing : its factors diffuse them.
    passive : holds some at given values.
    budgets : names of tracers of which every term is computed.
    reactions : schemes that add to the tendencies of several tracers at once.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        advection: Scheme,
        sources: Sequence[OceanComponent],
        mixing: VerticalMixing,
        passive: PassiveTracers,
        budgets: Sequence[str],
        reactions: Sequence[Any] = (),
    ) -> None:
        self.fields, self.advection, self.sources = fields, advection, sources
        self.mixing, self.passive, self.budgets = mixing, passive, budgets
        self.reactions = reactions
        names = {field.tendency for field in fields}
        for one in reactions:
            _check_reaction(one, names)
        changed = {name for one in reactions for name in one.field_names}
        self.reacting = [field.tendency in changed for field in fields]

    @property
    def swept(self) -> bool:
        """Returns whether tracers are advected forward in time, direction by direction: from the
        present values alone.
        """
        return "tracer_swept" in self.advection.field_names

    def state_fields(self) -> tuple[Field, ...]:
        """Returns all tracers."""
        return tuple(self.fields)

    def rotations(self) -> Iterable[Sequence[str]]:
        """Returns the values before, now and after."""
        for tracer in self.fields:
            before = [] if self.swept else [tracer.before]
            yield [*before, tracer.name, tracer.after]

    def processes(self, phase: str, do: Order) -> None:
        """Adds the step of each tracer, after transports and the factors of vertical diffusion."""
        if phase != "tracers":
            return
        tendencies = [Tendency(one, do, one.name in self.budgets) for one in self.fields]
        if self.swept:  # all first sweeps before all others: one exchange for all tracers
            do("SweepVolumes")
            for add in tendencies:
                add(self.advection.companion("sweep"), term=ADVECTION)
        apart = [add for add, reacts in zip(tendencies, self.reacting) if not reacts]
        together = [add for add in tendencies if add not in apart]
        for add in apart:
            self._step([add], (), do)
        self._step(together, self.reactions, do)

    def _step(self, group: Sequence[Tendency], reactions: Sequence[Any], do: Order) -> None:
        """Adds the step of tracers: all that changes them one by one, then what changes them
        together, then their new values.
        """
        for add in group:
            add(self.advection, term=ADVECTION)
            for component in self.sources:
                component.add_to(add.tracer, add)
            add.finish()
        for reaction in reactions:
            self._react(reaction, group, do)
        for add in group:
            self._update(add.tracer, do)
            self._hold(add.tracer, do)

    def _react(self, reaction: Any, group: Sequence[Tendency], do: Order) -> None:
        """Adds a scheme that changes several tracers, and its share of their budgets."""
        do(reaction)
        for add in group:
            if add.has_budget and add.tracer.tendency in reaction.field_names:
                add_share("BudgetShare", add.tracer, in_small_letters(reaction.name), do)

    def _update(self, tracer: Field, do: Order) -> None:
        """Adds vertical diffusion and the new value, and what closes the budget."""
        factors, roles = self.mixing.factors_of(tracer), {"tracer": tracer}
        do("TracerUpdate", roles=roles, on=factors, label=f"TracerUpdate of {tracer.name}")
        if tracer.name in self.budgets:
            do("TracerBudget", roles=roles, on=factors, label=f"budget of {tracer.name}")

    def _hold(self, tracer: Field, do: Order) -> None:
        """Adds the process that keeps a passive tracer at given values, after all others."""
        keep = self.passive.holding(tracer)
        if keep is not None:
            do(keep, roles={"tracer": tracer}, label=f"Keep of {tracer.name}")
            if tracer.name in self.budgets:
                add_share("LateBudgetShare", tracer, "kept", do)

    def complete(self, do: Order) -> None:
        """Adds a term to the budget of a tracer for each process of the user's that adds to its
        tendency. InputError: it is among the processes of another term.
        """
        for tracer in self.fields:
            if tracer.name in self.budgets:
                _add_terms_of_user(tracer, do)


def _check_reaction(reaction: Any, tendencies: Iterable[str]) -> None:
    """Raises InputError: a scheme changes no tracer, or the tendency of one that is not there."""
    known = list(tendencies)
    changed = [name for name in reaction.field_names if name.endswith("_tendency")]
    if not changed:
        raise InputError(
            f"reactions: {reaction!r} changes no tracer: it must update a NAME_tendency"
        )
    if missing := [name.removesuffix("_tendency") for name in changed if name not in known]:
        raise InputError(
            f"reactions: {reaction!r} changes {', '.join(missing)}, and the ocean has no such"
            f" tracer; give tracers = [{', '.join(map(repr, missing))}]"
        )


def _add_terms_of_user(tracer: Field, do: Order) -> None:
    n = 0
    while n < len(do.processes):
        process, term = do.processes[n], do.terms[n]
        n += 1
        if not (term and _changes(process, tracer.tendency)):
            continue
        if do.kinds[n - 2] not in ("FirstBudgetShare", "BudgetShare"):
            raise InputError(
                f"{process.name} is among the processes of another term of the budget of"
                f" {tracer.name}; put it before 'TracerUpdate of {tracer.name}'"
            )
        on = share_of(tracer, term)
        label = f"budget of {tracer.name}: {term}"
        do.insert(n, "BudgetShare", roles={"tracer": tracer}, on=on, label=label)
        n += 1


def _changes(process: Any, field: str) -> bool:
    """Returns whether a process of the core writes or updates a field."""
    return any(f["name"] == field and f["access"] != "reads" for f in process.fields)


class FreezingLimit(OceanComponent):
    """The sea stays at or above freezing, where no model of sea ice takes its heat.

    Parameters
    ----------
    cells : of the ocean, at the end of a step.
    budgets : names of tracers of which every term is computed.
    """

    def __init__(self, cells: Cells, budgets: Sequence[str]) -> None:
        self.cells, self.budgets = cells, budgets

    def processes(self, phase: str, do: Order) -> None:
        """Adds the limit at the end of a step, and its share of budgets."""
        if phase == "freezing":
            on = {
                "temperature": TEMPERATURE.after,
                "salinity": SALINITY.after,
                "surface_height": self.cells.height_after,
                "cell_thickness": self.cells.thickness_after,
            }
            do("FrazilExport")
            do("FreezingLimit", on=on)
        if phase == "budgets":
            for tracer in (TEMPERATURE, SALINITY):
                if tracer.name in self.budgets:
                    add_share("LateBudgetShare", tracer, "freezing", do)
