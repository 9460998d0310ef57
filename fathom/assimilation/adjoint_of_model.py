"""A model run backwards: how a number of the sea or the air depends on all that was before.

    J(x_N),  x_(n+1) = M_n(x_n, f_n):     dJ/dx_n = M_n'^T dJ/dx_(n+1),   dJ/df_n alike

    found = fm.adjoint(simulation, Average("temperature", depth=(0, 300)), "30d")
    found.dataset.temperature           # dJ / d(temperature at the start), of each cell

All dynamics of the sea, and of spectral air with trajectories, have adjoints. Processes that have
none, or that the user names, are frozen: they follow the state of the run, and their results do not
change with a perturbation. What they write, and forcing that does not change in time, are the
controls: sensitivities to them are summed over the steps. Steps are reversed with few stored states
(checkpoints.py); a step that is taken anew has the same bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from fathom.assimilation import costs_of_state
from fathom.assimilation.checkpoints import Checkpoints, reversal
from fathom.assimilation.number_of_state import NumberOfState
from fathom.base import machine, mpi
from fathom.base.clock import Period
from fathom.base.configurable import explained
from fathom.base.failure import InputError
from fathom.base.near import near_or_all
from fathom.model.schemes import PythonScheme


@dataclass(frozen=True)
class Gradient:
    """What `adjoint` returns.

    value : J [units].
    dataset : dJ / d(a field of the start), or d(a flux in all steps) of each cell, (level, y, x)
        or (y, x), with the attribute `units`: of J over those of the field.
    frozen : names of processes without derivative.
    forward_steps : taken in all, by steps of the run.
    parameters : dJ / d(a number of the model), by its name.
    """

    value: float
    units: str
    dataset: xr.Dataset
    frozen: list[str]
    forward_steps: float
    parameters: dict[str, float] = field(default_factory=dict)


@explained()
def adjoint(
    simulation: Any,
    cost: Any,
    run: str | float = "30d",
    mean: str | float | None = None,
    stored: int | None = None,
    directory: str | Path | None = None,
    freeze: Sequence[str] = (),
    parameters: Mapping[str, tuple[Any, Any, float]] | None = None,
) -> Gradient:
    """Returns the gradient of a number of the sea or the air at the end of a run.

    Parameters
    ----------
    simulation : of an Ocean, or of a SpectralAtmosphere, ShallowWater or LimitedAreaAtmosphere with
        scheme = "semi-lagrangian"; the run begins with its present fields. Afterwards the
        simulation is as it was.
    cost : Average, Transport, the name of one (fathom.assimilation.costs_of_state); an
        xarray.DataArray of weights with the name of its field, or a function of the state (a
        Dataset) that returns one; or an object with `units` and `weights(grid)`, field -> (levels,
        ny, nx).
    run : its length.
    mean : the last part of the run, over which the number is a mean; None: its last step.
    stored : states that are stored; None: as many as half of the memory holds.
    directory : where those are stored that the memory does not hold; None: nowhere.
    freeze : more processes that are frozen.
    parameters : name of a number -> the model with more of it, with less, and how far both lie
        apart. Its derivative is the sum over steps n of <dJ/dx_(n+1), difference of one step of
        both>, so nothing is frozen in it.
    """
    cost = costs_of_state.cost_of(cost, lambda: simulation.state)
    backward = ModelAdjoint(simulation, freeze)
    try:
        step = simulation.time_step
        steps, last = whole_steps(run, "run", step), 1
        if mean is not None:
            last = whole_steps(mean, "mean", step)
        if last > steps:
            raise InputError(f"mean = {mean!r} is longer than run = {run!r}")
        return backward.gradient(cost, steps, last, stored, directory, parameters)
    finally:
        backward.leave()


def whole_steps(length: str | float, what: str, step: float) -> int:
    """Returns steps [s] of a length of time. InputError: it holds no whole number of them."""
    count = float(Period(length, what).seconds / step)
    if count < 1 or abs(count - round(count)) > 1e-9:
        raise InputError(f"{what} = {length!r} is no whole number of steps of {step:g} s")
    return round(count)


class ModelAdjoint:
    """The steps of a model, forward and reversed.

    Parameters
    ----------
    simulation : of an Ocean or spectral air; until `leave` it has the program and the fields of
        these steps.
    freeze : names of processes without derivative, besides those that have none.
    keep : the values that are kept of a step, "all" as they are, "fp32" rounded.
    """

    def __init__(self, simulation: Any, freeze: Iterable[str] = (), keep: str = "all") -> None:
        model = simulation.model
        if model.without_tangent is None and not model.has_tangent:
            raise InputError(
                f"{type(model).__name__} has no adjoint; allowed are an Ocean, and with scheme ="
                " 'semi-lagrangian' a SpectralAtmosphere, ShallowWater or LimitedAreaAtmosphere"
            )
        _check_python(model, freeze := list(freeze))
        if model.has_tangent:
            model = model.without_fixers()
        self.simulation, self.model = simulation.prepare(), model
        processes = model.processes(simulation.time_step, simulation.surface)
        self.frozen = _frozen(processes, freeze)
        self.controls = _written(p for p in processes if p.name in self.frozen)
        names = sorted({f["name"] for p in processes for f in p.fields})
        fixed = model.forcing(simulation.surface).fixed_fields()
        self.given = [name for name in fixed if name in names]
        _, self.sequence, fields = simulation.other(model, simulation.time_step, processes, names)
        self.own = simulation.sequence, simulation.fields, simulation.count
        self._exchange(self.sequence, fields, simulation.count)
        self.linear = mpi.core.LinearStepProgram(self.sequence, keep, frozen=self.frozen)

    def leave(self) -> None:
        """Gives the simulation back, as it was."""
        self._exchange(*self.own)

    def _exchange(self, sequence: Any, fields: Any, count: int) -> None:
        """Gives the simulation other fields, in which no records of forcing are yet."""
        s = self.simulation
        s.sequence, s.fields, s.count = sequence, fields, count
        if s.forcing is not None:
            s.forcing.forget()

    # ---- states ------------------------------------------------------------------------------

    def take(self) -> bytes:
        """Returns the present state."""
        fields = self.simulation.fields
        stored: bytes = fields.stored(fields.state)
        return stored

    def give(self, stored: bytes) -> None:
        """Makes a state the present one, with its halos."""
        fields = self.simulation.fields
        fields.recall(fields.state, stored)

    def go_to(self, step: int) -> None:
        """Says which step the present state is before."""
        self.simulation.count = self.simulation.fields.count = step

    def room(self) -> int:
        """Returns how many states half of the memory holds. InputError: not one."""
        size = len(self.take())
        if (room := machine.free_memory() // 2 // size) < 1:
            raise InputError(f"a state has {size / 1e6:.0f} MB: half of the memory holds none")
        return int(room)

    def random(self, seed: int, inverse: bool = False) -> Any:
        """Returns a random change of the state, of its size in each field, or of the inverse: 0 on
        the seam of a folded grid, where one corner has two pairs of indices.
        """
        numbers, made = np.random.default_rng(seed), mpi.core.FieldSet(self.sequence)
        grid = self.model.grid
        for f in made.fields:
            if f["name"] not in made.state:
                continue
            corner = f["horizontal"] == "corner"
            levels = np.array(grid.corner_levels if corner else grid.wet_levels)
            if corner and grid.horizontal.fold:
                levels[-1] = 0
            extremes = self.simulation.fields.extremes(f["name"])
            size = max(abs(extremes["minimum"]), abs(extremes["maximum"])) or 1.0
            there = (np.arange(f["levels"])[:, None, None] < levels) & (levels > 0)
            values = numbers.uniform(-1, 1, there.shape) * (1 / size if inverse else size)
            made.set(f["name"], np.where(there, values, 0.0))
        return made

    # ---- the gradient ------------------------------------------------------------------------

    def gradient(
        self,
        cost: Any,
        steps: int,
        last: int = 1,
        stored: int | None = None,
        directory: str | Path | None = None,
        parameters: Mapping[str, tuple[Any, Any, float]] | None = None,
    ) -> Gradient:
        """Returns that of a cost, a mean of the last steps, after so many steps."""
        numbers = {n: _Number(self, *given) for n, given in (parameters or {}).items()}
        s, first = self.simulation, self.simulation.count
        number = NumberOfState(cost, self.sequence, self.model.grid)
        change, ended = (mpi.core.FieldSet(self.sequence) for _ in range(2))
        room = self.room()
        stored = min(steps, room if stored is None else stored)
        disk = None if directory is None else Path(directory)
        kept = Checkpoints(self.take, self.give, room, disk, s.comm.rank)
        value, forward = 0.0, 0
        for what, step in reversal(steps, stored):
            if what == "store":
                kept.store(step)
            elif what == "drop":
                kept.drop(step)
            elif what == "restore":
                kept.restore(step)
                self.go_to(first + step)
            elif what == "advance":
                s.advance(1)
                forward += 1
            else:
                counts = step + 1 > steps - last
                value += self._reverse(change, ended, number if counts else None, last, numbers)
                forward += 1
        self.linear.start_adjoint(change)
        return Gradient(
            value,
            cost.units,
            self._dataset(cost, change, ended),
            self.frozen,
            forward / steps,
            {name: number.derivative for name, number in numbers.items()},
        )

    def _reverse(
        self, change: Any, ended: Any, number: NumberOfState | None, last: int, parameters: Any
    ) -> float:
        """Takes a step and its adjoint; returns the share of the number after it, which is a mean
        of so many last steps; None: the step is none of them.
        """
        value = 0.0
        for one in parameters.values():
            one.step()
        self.follow(1)
        if number is not None:
            value = number.value(self.simulation.fields) / last
            number.add(1 / last, self.simulation.fields, change)
        for one in parameters.values():
            one.add(change)
        self.linear.adjoint(change, 0, 1, ended)
        return value

    def follow(self, steps: int) -> None:
        """Takes steps whose values are kept for their adjoints, those alone."""
        self.linear.forget()
        self.keep(steps)

    def keep(self, steps: int) -> None:
        """Takes steps whose values are kept, after those that are kept already."""
        s = self.simulation
        for _ in range(steps):
            if s.forcing is not None:
                s.forcing.load(s)
            if s.changed:
                self.sequence.changed(s.fields)
                s.changed = False
            for name, values in self.model.profiles_of_step(s.count == 0).items():
                if s.fields.has(name):
                    s.fields.set_profile(name, values)
            self.linear.follow(s.fields, 1)
            s.count += 1

    def _dataset(self, cost: Any, change: Any, ended: Any) -> xr.Dataset:
        """Returns gradients as fields with the grid's places; all ranks get it."""
        h = self.model.grid.horizontal
        units = {f["name"]: f["units"] for f in change.fields}
        vertical = {f["name"]: f["vertical"] for f in change.fields}
        variables: dict[str, Any] = {}
        for name in self.model.prognostic:
            levels = filter(change.has, self.model.time_levels(name))
            found = np.sum([self._whole(change, one) for one in levels], 0)
            variables[name] = self._labelled(
                found, vertical[name], cost, units[name], "at the start"
            )
        fluxes = [(change, name) for name in self.given] + [(ended, n) for n in self.controls]
        for fields, name in fluxes:
            found = self._whole(fields, name)
            if np.nan_to_num(found).any():
                variables[name] = self._labelled(
                    found, vertical[name], cost, units[name], "in all steps"
                )
        places = {
            "longitude": (("y", "x"), np.asarray(h.center_longitude)),
            "latitude": (("y", "x"), np.asarray(h.center_latitude)),
            "cell_area": (("y", "x"), np.asarray(h.area_center), {"units": "m2"}),
        }
        return xr.Dataset(variables, coords=places, attrs={"cost": str(cost), "units": cost.units})

    def _whole(self, fields: Any, name: str) -> np.ndarray:
        """Returns a field of all ranks, (levels, ny, nx); NaN in the ground."""
        s = self.simulation
        whole = s.comm.bcast(s.assemble(fields.windows(name)))
        levels = np.asarray(self.model.grid.wet_levels)
        there = (np.arange(len(whole))[:, None, None] < levels) & (levels > 0)
        result: np.ndarray = np.where(there, whole, np.nan)
        return result

    @staticmethod
    def _labelled(
        values: np.ndarray, vertical: str, cost: Any, units: str, when: str
    ) -> xr.DataArray:
        """Returns a gradient with its unit."""
        per = f"({units})" if " " in units else units
        attrs = {"units": f"{cost.units} / {per}", "when": when}
        if len(values) == 1:
            return xr.DataArray(values[0], dims=("y", "x"), attrs=attrs)
        return xr.DataArray(values, dims=(vertical, "y", "x"), attrs=attrs)


class _Number:
    """The derivative by a number of the model, from one step of two models that differ in it."""

    def __init__(self, sea: ModelAdjoint, more: Any, less: Any, apart: float) -> None:
        s = sea.simulation
        self.sea, self.apart, self.derivative = sea, apart, 0.0
        names = s.fields.state
        self.both = [
            s.other(m, s.time_step, m.processes(s.time_step, s.surface), names)
            for m in (more, less)
        ]
        self.difference = mpi.core.FieldSet(sea.sequence)

    def step(self) -> None:
        """Takes the step of both from the present state."""
        s = self.sea.simulation
        if s.forcing is not None:
            s.forcing.load(s)
        found = []
        for one in self.both:
            one.fields.copy(s.fields)
            one.sequence.changed(one.fields)
            one.advance(1)
            found.append(mpi.core.FieldSet(self.sea.sequence))
            found[-1].copy(one.fields)
        self.difference = found[0]
        self.difference.axpy(-1.0, found[1], s.fields.state)

    def add(self, gradient: Any) -> None:
        """Adds what the step contributes, by the adjoint after it."""
        names = self.sea.simulation.fields.state
        self.derivative += gradient.dot(self.difference, names) / self.apart


def _check_python(model: Any, freeze: Iterable[str]) -> None:
    """Raises InputError: a process computes in Python, a net or a function, and nobody has said
    that its part of the derivative may be missing.
    """
    for one in model.extra_processes:
        name = str(getattr(one.process, "name", ""))
        if isinstance(one.process, PythonScheme) and name not in freeze:
            raise InputError(
                f"{name} computes in Python: no derivative of it is known, and its part would be"
                f" missing in the gradient; freeze = ['{name}'] takes what it gives as fixed"
            )


def _frozen(processes: Iterable[Any], freeze: Iterable[str]) -> list[str]:
    """Returns names of processes without adjoint, and of those given. InputError: one is not."""
    known = {p.name: mpi.core.has_adjoint(p) for p in processes}
    for name in freeze:
        if name not in known:
            raise InputError(f"freeze: no process '{name}'{near_or_all(name, known)}")
    return sorted({name for name, has in known.items() if not has} | set(freeze))


def _written(processes: Iterable[Any]) -> list[str]:
    """Returns the fields that processes write, not those that they add to."""
    found = (f["name"] for p in processes for f in p.fields if f["access"] == "writes")
    return list(dict.fromkeys(found))
