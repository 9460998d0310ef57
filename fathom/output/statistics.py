"""Running statistics of a store: the processes in the sequence that make them, and the interval
over which they run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.base.clock import Duration
from fathom.base.failure import InputError
from fathom.model.schemes import scheme
from fathom.output import diagnostics
from fathom.output.diagnostics import Diagnostic
from fathom.output.each_step import EachStep

if TYPE_CHECKING:
    from fathom.grids.regrid.chosen import ChosenLevels
    from fathom.output.fit import Fit
    from fathom.output.host import Host

statistics = {
    "mean": ("TimeSum", 0.0),
    "minimum": ("TimeMinimum", np.inf),
    "maximum": ("TimeMaximum", -np.inf),
    "accumulation": ("TimeSum", 0.0),
}  # process, and its initial value
summed = ("mean", "accumulation")


def other_component(name: str) -> str:
    """Returns the northward name of an eastward one, and the reverse; "" without direction."""
    for one, other in (("eastward", "northward"), ("northward", "eastward")):
        if one in name:
            return name.replace(one, other)
    return ""


def running(
    kind: str, field: str, place: Mapping[str, Any], into: str, surface: bool, precision: int
) -> Any:
    """Returns the process that adds a field at that place, or its top layer, to a running statistic
    of that kind, in the field `into`. precision: bytes of a number.
    """
    flat = surface or place["vertical"] == "column"
    process = scheme(f"Surface{kind}" if flat else kind).process(
        precision,
        phase="output",
        on={"value": field, "statistic": into},
        label=f"{kind} of {field.removesuffix('_after')}",
    )
    process = process.at(field, place["horizontal"], place["vertical"], place["vector"])
    vertical = "column" if flat else place["vertical"]
    return process.at(into, place["horizontal"], vertical, place["vector"])


class Statistics:
    """The part of a Store that knows its statistic."""

    simulation: Host
    path: Path
    every: Duration
    statistic: str | None
    requested: list[str]
    levels: ChosenLevels | None
    fit: Fit | None
    zonal: bool
    conserves: bool
    target: Any
    variables: dict[str, Any]
    beside: dict[str, tuple[str, Any]]  # of winds between points: the other component
    keep: list[str]
    sums: list[str]
    stepped: dict[str, int]  # fields with statistics of what each step makes, their levels
    made: dict[str, diagnostics.Together]  # by the fields made along the earth
    _room: Any
    _said: Any

    def processes(self, known: dict[str, Any], precision: int) -> list[Any]:
        """Returns the processes of the sequence for this store: running statistics; and room for
        what is made along the earth before an event.
        """
        model = self.simulation.model
        self.keep = []
        self.variables = {
            name: self._where_asked(name, d, known)
            for name, d in (diagnostics.find(name, model, known) for name in self.requested)
        }
        self.beside = {}
        between = self.target is not None and self.target.between
        if between and self.statistic not in ("minimum", "maximum"):
            self.beside = dict(self._other_components(known))
        self._check_cells(known)
        added = self._in_each_step(known)
        self.made = {
            field: step for d in self.everything for step in d.before for field in step.fields
        }
        return [*self._kept(known, precision), *self._room(), *added]

    @property
    def everything(self) -> list[Diagnostic]:
        """Returns diagnostics of the variables, and of those needed for interpolation."""
        return [*self.variables.values(), *(d for _, d in self.beside.values())]

    def _other_components(
        self, known: Mapping[str, Any]
    ) -> Iterator[tuple[str, tuple[str, Diagnostic]]]:
        """Yields (variable, (name, Diagnostic)) of the other component of a wind: a change of
        direction mixes both.
        """
        for name in self.variables:
            other = other_component(name)
            try:
                found, d = diagnostics.find(other, self.simulation.model, known)
            except ValueError:  # no wind, or one that has no other
                continue
            yield name, (found, self.variables.get(found) or self._where_asked(found, d, known))

    def _where_asked(self, name: str, d: Diagnostic, known: Mapping[str, Any]) -> Diagnostic:
        """Returns a variable of the model's on the chosen levels, and fitted."""
        model, first = self.simulation.model, known[d.own_needs[0]]
        vertical = "column" if d.surface else d.vertical or first["vertical"]
        here = self.levels is not None and vertical in model.on_chosen_levels
        if self.fit is None:
            return self._at_levels(name, d, known) if here else d
        height = model.grid.levels.nz
        levels = {"column": 1, "layer": height}.get(vertical, height + 1)
        levels = len(self.levels) if self.levels is not None and here else levels
        parts = dict(sorted({name: d, **self._wind(name, known)}.items()))
        if here:
            parts = {part: self._at_levels(part, d, known) for part, d in parts.items()}
        result: Diagnostic = self._said(self.fit.of, name, parts, levels, vertical, first["units"])
        return result

    def _at_levels(self, name: str, d: Diagnostic, known: Mapping[str, Any]) -> Diagnostic:
        place = known[d.own_needs[0]]["horizontal"]
        result: Diagnostic = self.simulation.model.at_levels(name, d, self.levels, place)
        return result

    def _wind(self, name: str, known: Mapping[str, Any]) -> dict[str, Diagnostic]:
        """Returns the other component of a wind, {name: Diagnostic}."""
        if not ("wind" in name and other_component(name)):
            return {}
        return dict([diagnostics.find(other_component(name), self.simulation.model, known)])

    def _in_each_step(self, known: Mapping[str, Any]) -> list[Any]:
        """Puts in place of variables whose statistic does not follow from that of what they are
        made of those that are added up in each step; returns the process that does.
        """
        self.stepped = {}
        if self.statistic is None:
            return []
        label, count = self.path.as_posix(), None if self.levels is None else len(self.levels)
        steps = EachStep(self.simulation, self.statistic, label, known, count)
        for name, d in self.variables.items():
            self.variables[name] = d if self._follows(d) else steps.add(name, d)
        for name, (other, d) in self.beside.items():
            d = self.variables.get(other) or (d if self._follows(d) else steps.add(other, d))
            self.beside[name] = other, d
        self.stepped = steps.levels
        return steps.processes()

    def _follows(self, d: Diagnostic) -> bool:
        """Returns whether the statistic of a variable follows from that of what it is made of."""
        return d.linear if self.statistic in summed else d.of is diagnostics.same

    def _check_cells(self, known: Mapping[str, Any]) -> None:
        """Raises InputError: means over cells, or along rows, of what lies at their corners."""
        along_rows = self.zonal and not self.target.between
        what = "regrid = 'conservative'" if self.conserves else "zonal = true along the grid's rows"
        other = ", or give latlon_resolution" if along_rows else ""
        for name, d in self.variables.items() if self.conserves or along_rows else ():
            place = known[d.own_needs[0]]["horizontal"]
            if place not in ("center", *(["east_face"] if along_rows else [])):
                raise InputError(
                    f"output {self.path}: '{name}' lies on the {place.replace('_', ' ')}s of cells;"
                    f" {what} is for values of cells: write it to another output{other}"
                )

    def _kept(self, known: Mapping[str, Any], precision: int) -> list[Any]:
        """Returns fields that variables need stay readable; instead of them, the processes of their
        running statistics.
        """
        needs = self._needs()
        if not self.statistic:
            self.keep = [field for field, _ in needs if f"{field}_after" not in known]
            return []

        places = {f["name"]: f for e in mpi.core.catalogue() for f in e["fields"]}
        self.sums = [self._running_name(*need) for need in needs] + list(self.stepped)
        return [self._running(field, surface, known, places, precision) for field, surface in needs]

    def _needs(self) -> list[tuple[str, bool]]:
        """Returns (field of the sequence, whether only its top layer) of all that variables follow
        from.
        """
        found = {(need, d.surface) for d in self.everything for need in d.needs}
        found |= {(need, step.surface) for step in self.made.values() for need in step.needs}
        own = {*self.made, *self.stepped}
        return sorted((need, surface) for need, surface in found if need not in own)

    def _running(
        self,
        field: str,
        surface: bool,
        known: Mapping[str, Any],
        places: Mapping[str, Any],
        precision: int,
    ) -> Any:
        assert self.statistic is not None
        now = f"{field}_after" if f"{field}_after" in known else field
        place = places.get(field) or known.get(now) or places["tracer"]
        into = self._running_name(field, surface)
        return running(statistics[self.statistic][0], now, place, into, surface, precision)

    def _running_name(self, field: str, surface: bool) -> str:
        return (
            f"{'sum' if self.statistic in summed else self.statistic} of"
            f" {'surface ' if surface else ''}{field} for {self.path.as_posix()}"
        )

    def _begin_interval(self) -> None:
        if self.statistic is None:
            return
        for name in self.sums:
            self.simulation.fields.fill(name, statistics[self.statistic][1])

    def divisor(self, steps: int) -> float:
        """Returns the divisor of a sum over steps: for a mean, or for the sum times the step."""
        return 1 / self.simulation.time_step if self.statistic == "accumulation" else steps
