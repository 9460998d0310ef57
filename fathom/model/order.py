"""The order of one time step: processes, one after another, as a sequence of the core takes them.

A model describes its step with one of these (fathom/ocean/step.py,
fathom/atmosphere/spectral/step.py):

    do.phase = "baroclinic"
    do(ocean.equation_of_state)
    do("HydrostaticPressure")
    do("ImplicitMomentum", drag=1.2e-3)
    do(ocean.submesoscale)              # None: nothing is done

A user can place own processes before, after or instead of another: `Insertion`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fathom.base import mpi
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.model import schemes
from fathom.model.component import Field, Renaming


def all_placed(given: Any) -> list[Insertion]:
    """Returns the processes that a user places, as a list. ValueError: something else is in it."""
    found = list(given) if isinstance(given, (list, tuple)) else [given]
    if strange := [one for one in found if not isinstance(one, Insertion)]:
        raise InputError(
            f"extra_processes: {strange[0]!r} is no process with its place, as"
            " Insertion('RayleighDrag', after='MomentumAdvection')"
        )
    return found


class Insertion(Configurable):
    """A process of the user's in the order of a model.

    Parameters
    ----------
    process : a scheme, its class or name, a PythonScheme, or a global process of the core.
    before, after, instead_of : the neighbouring process of the model, by its name in `fathom show`;
        one of the three, or none where the scheme itself gives its place.
    on : other names for its fields, {declared: name}.
    phase : of the profile; None: that of its neighbour.
    term : of the budgets of the tracers that it changes; None: its name in small letters.
    """

    def __init__(
        self,
        process: Any,
        *,
        before: str | None = None,
        after: str | None = None,
        instead_of: str | None = None,
        on: Mapping[str, str] | None = None,
        phase: str | None = None,
        term: str | None = None,
    ) -> None:
        if isinstance(process, type) and issubclass(process, schemes.Scheme):
            process = process()
        self.process = schemes.scheme(process) if isinstance(process, str) else process
        given = {"before": before, "after": after, "instead_of": instead_of}
        said = [(where, name) for where, name in given.items() if name is not None]
        if not said and (own := getattr(self.process, "stands", None)):
            said = [own]
        if len(said) != 1:
            raise InputError(
                f"the place of {self.process!r} needs one of before, after, instead_of; given"
                f" {', '.join(where for where, _ in said) or 'none'}"
            )
        self.beside: tuple[str, str] = said[0]  # (where, the name of the other process)
        self.on, self.phase, self.term = dict(on or {}), phase, term

    def __repr__(self) -> str:
        where, name = self.beside
        return f"Insertion({self.process!r}, {where}={name!r})"


class Order:
    """The processes of one step, in the order in which they are added.

    Parameters
    ----------
    precision : bytes of a number.
    step : [s], for every scheme that has a parameter of that name.
    offered : further parameters for every scheme that has one of that name.
    own_cells : whether schemes run in cells of varying thickness.

    `shared` is what the components of a step share: processes of the core with common plans.
    `repeat` says how often the present phase came before in the step; `renamings` are other names
    of fields in it, for all schemes.
    """

    shared: Any = None
    repeat: int = 0
    levels: int | None = None  # layers of the model's columns, where it is known
    renamings: Sequence[Renaming] = ()

    def __init__(
        self,
        precision: int,
        step: float,
        *,
        offered: Mapping[str, float] | None = None,
        own_cells: bool = False,
        phase: str = "dynamics",
    ) -> None:
        self.precision, self.step, self.phase = precision, step, phase
        self.offered = dict(offered or {}) | {"step": step}
        self.own_cells = own_cells
        self.processes: list[Any] = []
        self.kinds: list[str] = []  # the kind of each process, independent of its label
        self.terms: list[str] = []  # what each of the user's adds to tendencies; "" of the model's

    def __call__(
        self,
        what: Any,
        *,
        on: Mapping[str, str] | None = None,
        at: Mapping[str, tuple[str, str]] | None = None,
        label: str | None = None,
        phase: str | None = None,
        when: Any = True,
        samples: Any = None,
        where: Mapping[str, str] | None = None,
        roles: Mapping[str, Field] | None = None,
        **parameters: float,
    ) -> None:
        """Adds a process: a scheme, its name, a global process of the core; None adds nothing.

        Parameters
        ----------
        on : other names of its fields.
        roles : fields that take a role in the scheme, with all their parts: {"tracer": dust} gives
            its "tracer_tendency" the name "dust_tendency".
        at : fields that are elsewhere, {name: (horizontal, vertical)}.
        label : what the process is called in tables, by default as the scheme.
        phase : of this process alone.
        when : if False, nothing is added.
        samples : columns in which it is computed, others are interpolated (mpi.core.Sampled).
        where : fields of columns {name: units}: rows in which all are 0 are passed over; nothing
            would change there.
        parameters : of the scheme; one that it does not have is an error.
        """
        if what is None or not when:
            return
        what, on = schemes.scheme(what) if isinstance(what, str) else what, on or {}
        if isinstance(what, schemes.Scheme):
            process = self._of_scheme(what, on, roles, parameters)
        else:
            process = schemes.as_process(
                what, precision=self.precision, step=self.step, levels=self.levels
            )
            process = _renamed(process, on)
        process = _elsewhere(process, at or {}).only_where(where or {})
        if samples is not None:
            process, every = mpi.core.Sampled(process, samples).process(), process.every
            process.every = every
        name = getattr(what, "name", "") if isinstance(what, schemes.Scheme) else ""
        self._add(process, label or name, name or type(what).__name__, phase)

    def _of_scheme(
        self,
        what: schemes.Scheme,
        on: Mapping[str, str],
        roles: Mapping[str, Field] | None,
        parameters: Mapping[str, Any],
    ) -> Any:
        """Returns the process of a scheme, in cells of varying thickness where the model has
        these."""
        form = what.in_cells if self.own_cells else what
        fields = set(form.field_names)
        given = self._other_names(form) | _in_roles(form, roles) | dict(on)
        return form.process(
            self.precision,
            on={old: new for old, new in given.items() if old in fields and old != new},
            offered=self.offered,
            **parameters,
        )

    def _other_names(self, form: schemes.Scheme) -> dict[str, str]:
        """Returns the names that the renamings of the phase give to the fields of a scheme."""
        if not self.renamings:
            return {}
        read = {f["name"] for f in form.entry["fields"] if f["access"] == "reads"}
        return {one.field: one.name for one in self.renamings if read.issuperset(one.reads)}

    def _add(self, process: Any, label: str, kind: str, phase: str | None) -> None:
        """Adds a process at the end, in a phase; None: the present one."""
        process.phase = phase or self.phase
        process.name = label or process.name
        self.processes.append(process)
        self.kinds.append(kind)
        self.terms.append("")

    @property
    def own(self) -> list[int]:
        """Returns the numbers of the processes that the user has placed."""
        return [n for n, term in enumerate(self.terms) if term]

    def place(self, placed: Sequence[Insertion]) -> list[Any]:
        """Puts the user's own processes where they belong. Returns the list of processes."""
        for one in placed:
            where, name = one.beside
            found = [
                n
                for n, (process, kind) in enumerate(zip(self.processes, self.kinds, strict=True))
                if name in (process.name, kind)
            ]
            if not found:
                known = [process.name for process in self.processes]
                raise InputError(unknown(f"process to stand {where}", name, known))
            if where == "instead_of" and len(found) > 1:
                raise InputError(
                    f"{len(found)} processes are a {name}:"
                    f" {', '.join(self.processes[n].name for n in found)}; say which by its name"
                )
            mine = Order(self.precision, self.step, offered=self.offered, own_cells=self.own_cells)
            mine.phase = one.phase or self.processes[found[0]].phase
            mine.levels = self.levels
            mine(one.process, on=one.on)
            first = found[-1] + 1 if where == "after" else found[0]
            last = first + (where == "instead_of")
            mine.terms = [one.term or in_small_letters(mine.processes[0].name)]
            self._replace(first, last, mine)
        return self.processes

    def insert(self, n: int, what: Any, **how: Any) -> None:
        """Adds a process before the n-th, in its phase; `how` as of a call."""
        mine = Order(self.precision, self.step, offered=self.offered, own_cells=self.own_cells)
        mine.phase = self.processes[n - 1].phase
        mine(what, **how)
        self._replace(n, n, mine)

    def _replace(self, first: int, last: int, mine: Order) -> None:
        """Puts the processes of another order in the place of some of this one."""
        self.processes[first:last] = mine.processes
        self.kinds[first:last], self.terms[first:last] = mine.kinds, mine.terms


def in_small_letters(name: str) -> str:
    """Returns "bottom_drag" of "BottomDrag" and of "bottom drag"."""
    words = "".join(f"_{c}" if c.isupper() else c for c in name).removeprefix("_")
    return words.replace(" ", "_").lower()


def _in_roles(what: schemes.Scheme, roles: Mapping[str, Field] | None) -> dict[str, str]:
    """Returns the names that a scheme's fields have where these fields take a role in it."""
    parts = [field.of(what.field_names, role) for role, field in (roles or {}).items()]
    return {declared: name for part in parts for declared, name in part.items()}


def _elsewhere(process: Any, at: Mapping[str, tuple[str, str]]) -> Any:
    """Returns the process with these fields elsewhere."""
    for field, place in at.items():
        process = process.at(field, *place)
    return process


def _renamed(process: Any, on: Mapping[str, str]) -> Any:
    """Returns the process with other names of its fields, {declared: name}."""
    changed = {old: new for old, new in on.items() if old != new}
    return process.on(changed) if changed else process
