"""Schemes as Python classes, made from the core's own lists of parameters.

Each entry of the core's catalogue becomes a class of the same name: its parameters are keywords,
checked when the object is built.

>>> import fathom as fm
>>> fm.RichardsonMixing(maximum=1e-2)
RichardsonMixing(maximum=0.01)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from fathom.base import kinds, mpi
from fathom.base.border import failure
from fathom.base.clock import Period, seconds_of
from fathom.base.configurable import Configurable, explained
from fathom.base.failure import InputError, RunError
from fathom.base.near import unknown
from fathom.base.renamed import hint, no_such, tail

bytes_of = {"fp64": 8, "fp32": 4}  # of a number


class Scheme(Configurable):
    """A process with its parameters; one class for each entry of the catalogue."""

    entry: dict[str, Any] = {}
    _in_cells: ClassVar[type[Scheme] | None] = None  # of the same name, for cells that vary

    every: str | None = None  # a length of time, for one that does not run in every step
    spacing: int | None = None  # n: computed in one column of about n x n; None: in all

    def __init__(self, *, every: Any = None, **parameters: float) -> None:
        if every is not None:
            seconds_of(every, f"{self.name}: every")
            self.every = Period(every).text
        if old := [name for name in parameters if tail(self.name, name)]:
            raise InputError(no_such(self.name, old[0], ()))
        self.parameters = {name: number(name, value) for name, value in parameters.items()}
        mpi.core.process(
            self.entry["name"], self.parameters
        )  # names and bounds are checked by the core

    @property
    def name(self) -> str:
        """Returns its name in the catalogue."""
        return type(self).__name__

    @property
    def in_cells(self) -> Scheme:
        """Returns the scheme in cells of varying thickness; itself if both are the same."""
        return self._in_cells(every=self.every, **self.parameters) if self._in_cells else self

    @property
    def field_names(self) -> list[str]:
        """Returns the names of the fields that it declares."""
        return [f["name"] for f in self.entry["fields"]]

    @property
    def all_parameters(self) -> dict[str, float]:
        """Returns the given parameters, and the defaults of the others."""
        return {p["name"]: p["value"] for p in self.entry["parameters"]} | self.parameters

    @property
    def parameter_names(self) -> list[str]:
        """Returns the names of its parameters."""
        return [p["name"] for p in self.entry["parameters"]]

    @property
    def adds_tendencies(self) -> bool:
        """Returns whether it adds to tendencies."""
        return any(name.endswith("_tendency") for name in self.field_names)

    def companion(self, role: str) -> Scheme:
        """Returns the scheme of the catalogue for another part of the same: the expansion of an
        equation of state, the first sweep of an advection. It has the same values of common
        parameters. KeyError where there is none.
        """
        other = schemes()[self.entry["companions"][role]]
        shared = {k: v for k, v in self.parameters.items() if k in other().parameter_names}
        return other(**shared)

    @property
    def stands(self) -> tuple[str, str] | None:
        """Returns its default place in a step: ("before", "TracerUpdate"); None for schemes that
        models place themselves.
        """
        return self.entry.get("stands")

    @property
    def first_pass(self) -> Scheme | None:
        """Returns the scheme that goes before in operators that are applied twice; None of
        others."""
        roles = self.entry["companions"]
        return self.companion("first pass") if "first pass" in roles else None

    def process(
        self,
        precision: int = 8,
        *,
        phase: str = "baroclinic",
        on: Mapping[str, str] | None = None,
        label: str | None = None,
        offered: Mapping[str, float] | None = None,
        **parameters: float,
    ) -> Any:
        """Returns the core's process.

        Parameters
        ----------
        on : renames fields.
        offered : parameters that are used if the scheme has them and its user has not set them (the
            step).
        parameters : more of them; one that the scheme does not have is an error.
        """
        known = self.parameter_names
        if strange := [name for name in parameters if name not in known]:
            raise InputError(unknown(f"{self.name} parameter", strange[0], known))
        usual = {k: float(v) for k, v in (offered or {}).items() if k in known}
        values = usual | self.parameters | {k: float(v) for k, v in parameters.items()}
        process = mpi.core.process(self.entry["name"], values, precision).on(on or {})
        process.phase = phase
        if self.every:  # at least as often as requested
            step = (offered or parameters)["step"]
            process.every = max(1, int(Period(self.every).seconds / step + 1e-9))
        process.name = label or self.name
        return process

    def __repr__(self) -> str:
        every = [f"every={self.every!r}"] if self.every else []
        return (
            f"{self.name}({', '.join([f'{k}={v:g}' for k, v in self.parameters.items()] + every)})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and (self.parameters, self.every) == (
            other.parameters,
            other.every,
        )

    __hash__ = None  # type: ignore[assignment]  # lists are among its parameters


def number(name: str, value: Any) -> float:
    """Returns the value of a parameter. InputError: it is no number."""
    if problem := kinds.not_a_number(value):
        raise InputError(f"{name} = {kinds.shown(value)} {problem}")
    return float(value)


def _documentation(entry: dict[str, Any]) -> str:
    """Returns the docstring of the class of an entry of the catalogue."""
    lines = [entry["summary"][:1].upper() + entry["summary"][1:] + ".", ""]
    if entry["parameters"]:
        lines += ["Parameters", "----------"]
        for p in entry["parameters"]:
            lines += [
                f"{p['name']} : float [{p['units']}], default {p['value']:g}",
                f"    {p['meaning']}; in [{p['least']:g}, {p['most']:g}]",
            ]
        lines.append("")
    lines.append(
        "Fields: " + "; ".join(f"{f['access']} {f['name']} [{f['units']}]" for f in entry["fields"])
    )
    return "\n".join(lines)


def _signature(entry: dict[str, Any]) -> inspect.Signature:
    """Returns the signature for help and completion: all parameters of the catalogue with their
    defaults.
    """

    def keyword(name: str, usual: Any) -> inspect.Parameter:
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=usual)

    own = [keyword(p["name"], p["value"]) for p in entry["parameters"]]
    return inspect.Signature([*own, keyword("every", None)])


@cache
def schemes() -> dict[str, type[Scheme]]:
    """Returns all schemes of the core: name -> class."""

    def class_of(entry: dict[str, Any], name: str) -> type[Scheme]:
        return type(
            name,
            (Scheme,),
            {
                "entry": entry,
                "__doc__": _documentation(entry),
                "__module__": "fathom",
                "__signature__": _signature(entry),
            },
        )

    catalogue = mpi.core.catalogue()
    found = {e["name"]: class_of(e, e["name"]) for e in catalogue if not e["in_cells_of"]}
    for e in catalogue:
        if e["in_cells_of"]:
            found[e["in_cells_of"]]._in_cells = class_of(e, e["in_cells_of"])
    return found


def scheme(name: str, *, every: Any = None, **parameters: float) -> Scheme:
    """Returns the scheme of that name, with a clear error for a name that does not exist."""
    known = schemes()
    if name not in known:
        raise InputError(f"unknown scheme '{name}'{hint(name, list(known))}")
    return known[name](every=every, **parameters)


# ---- processes in Python -------------------------------------------------------------------------


class Use(NamedTuple):
    """The access of a process in Python to a field."""

    name: str
    place: str
    units: str
    access: str


@explained()
def reads(name: str, place: str, units: str) -> Use:
    """Returns a field that a PythonScheme reads; place: "center layer", "corner column", "interface
    profile".

    center, corner, east_face or north_face; column, layer or interface; with "vector" for a part of
    one. A profile has one value a level.
    """
    return Use(name, place, units, "reads")


@explained()
def writes(name: str, place: str, units: str) -> Use:
    """Returns a field that a PythonScheme writes, all of it, without reading it."""
    return Use(name, place, units, "writes")


@explained()
def updates(name: str, place: str, units: str) -> Use:
    """Returns a field that a PythonScheme changes."""
    return Use(name, place, units, "updates")


class PythonScheme(Configurable):
    """A process whose work is a Python function with NumPy, for first trials: it runs on all ranks,
    on their points, in the order of the step like any other.

    Parameters
    ----------
    function : called once a step and block with its fields by name, as arrays that share their
        memory: (levels, ny, nx), (ny, nx), and (levels,) for a "layer profile", (levels + 1,) for
        an "interface profile"; without halo. It changes fields that it writes or updates in
        place.
    fields : the fields that it uses: reads(name, place, units), writes(...), updates(...).
    every : a length of time, for a process that does not run in every step.

    Errors: ValueError for an unknown place, or if units or places differ from those of other
    processes; an exception of the function ends the run.

    >>> def relax(temperature, temperature_tendency): ...
    >>> fm.PythonScheme(relax, [fm.reads("temperature", "center layer", "degC"), ...])
    """

    def __init__(
        self,
        function: Callable[..., Any],
        fields: Iterable[Use],
        *,
        name: str | None = None,
        every: str | None = None,
    ) -> None:
        self.function, self.fields = function, list(fields)
        self.name = name or getattr(function, "__name__", type(function).__name__)
        self.every = None if every is None else Period(every, "every").text
        if strange := [use for use in self.fields if not isinstance(use, Use)]:
            raise InputError(
                f"{self.name}: {strange[0]!r} declares no field; use reads(name, place,"
                " units), writes(...) or updates(...)"
            )

    @property
    def field_names(self) -> list[str]:
        """Returns the names of the fields that it uses."""
        return [use.name for use in self.fields]

    def __repr__(self) -> str:
        return f"PythonScheme({self.name})"

    def process(self, precision: int = 8, *, step: float = 1.0) -> Any:
        """Returns the core's process; step [s]."""
        declared = []
        for name, place, units, access in self.fields:
            words = place.split() or [""]
            if words[-1] == "profile":
                at = ("profile", "profile", False)
            else:
                at = (words[0], words[-1], "vector" in words)
            declared.append((name, units, *at, access))
        process = mpi.core.PythonProcess(
            str(self.name), declared, on_all_ranks(str(self.name), self._work)
        ).process()
        if self.every:
            process.every = max(1, int(Period(self.every).seconds / step + 1e-9))
        return process

    def check(self, levels: int) -> None:
        """Raises InputError before the first step: it cannot work on columns of so many layers."""

    def _work(self, blocks: list[dict[str, Any]]) -> None:
        """Takes one step on the blocks of this rank."""
        layers = [use.name for use in self.fields if use.place == "layer profile"]
        for fields in blocks:
            self.function(**fields | {name: fields[name][:-1] for name in layers})


def on_all_ranks(
    name: str, work: Callable[[list[dict[str, Any]]], None]
) -> Callable[[int, list[dict[str, Any]]], None]:
    """Returns the function of a PythonProcess that does the work on the blocks of each rank;
    RunError on all ranks where it fails on any.
    """

    def of_ranks(ranks: int, blocks: list[dict[str, Any]]) -> None:
        said = ""
        try:
            work(blocks)
        except Exception as error:
            said = failure(name, error)
        comm = mpi.MPI.Comm.f2py(ranks)
        failed = np.array([bool(said)], np.int32)
        comm.Allreduce(mpi.MPI.IN_PLACE, failed, mpi.MPI.MAX)
        if failed[0]:
            raise RunError(next(filter(None, comm.allgather(said))))

    return of_ranks


def as_process(what: Any, *, precision: int, step: float, levels: int | None = None) -> Any:
    """Returns the core's process of an element of an order: a scheme in Python, a global process of
    the core, or a process of the core itself. levels: of the model's columns, where they are known.
    """
    if isinstance(what, PythonScheme):
        if levels is not None:
            what.check(levels)
        return what.process(precision, step=step)
    if isinstance(what, mpi.core.GlobalProcess):
        return what.process()
    if isinstance(what, mpi.core.Process):
        return what
    raise InputError(
        f"{what!r} is no process; allowed: a scheme or its name, a PythonScheme, a global process"
    )
