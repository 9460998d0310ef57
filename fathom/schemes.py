"""Schemes as Python classes, made from the core's own lists of parameters.

Each entry of the core's catalogue becomes a class of the same name: its parameters are keywords,
checked when the object is built.

>>> import fathom as fm
>>> fm.RichardsonMixing(maximum=1e-2)
RichardsonMixing(maximum=0.01)
"""

from functools import cache

from fathom.time.clock import Period


class Scheme:
    """A process with its parameters; a class of its own for each entry of the catalogue."""

    entry: dict = {}
    _in_cells = None  # the class of the same name for cells of their own thickness

    every = None  # a length of time, for a process that does not run in every step

    def __init__(self, *, every=None, **parameters):
        from fathom import mpi  # loads the MPI library that the core needs

        if every is not None:
            period = Period(every, "every")
            if period.months:
                raise ValueError(f"{self.name} every = {every!r}: seconds, minutes, hours or days")
            self.every = period.text
        self.parameters = {name: float(value) for name, value in parameters.items()}
        mpi.core.process(
            self.entry["name"], self.parameters
        )  # names and bounds are checked by the core

    @property
    def name(self):
        return type(self).__name__

    @property
    def in_cells(self):
        """The same in cells of their own thickness; itself where that is nothing to it."""
        return self._in_cells(every=self.every, **self.parameters) if self._in_cells else self

    @property
    def field_names(self):
        return [f["name"] for f in self.entry["fields"]]

    @property
    def all_parameters(self):
        """Those given, and the others as they are by default."""
        return {p["name"]: p["value"] for p in self.entry["parameters"]} | self.parameters

    def process(self, precision=8, *, phase="baroclinic", on=None, label=None, **runtime):
        """The core's process; `runtime` are parameters that the simulation knows (the step), `on`
        renames fields.
        """
        from fathom import mpi

        known = {p["name"] for p in self.entry["parameters"]}
        values = {**self.parameters, **{k: float(v) for k, v in runtime.items() if k in known}}
        process = mpi.core.process(self.entry["name"], values, precision).on(on or {})
        process.phase = phase
        if self.every:
            process.every = max(
                1, int(Period(self.every).seconds / runtime["step"] + 1e-9)
            )  # at least as often as said
        process.name = label or self.name
        return process

    def __repr__(self):
        every = [f"every={self.every!r}"] if self.every else []
        return (
            f"{self.name}({', '.join([f'{k}={v:g}' for k, v in self.parameters.items()] + every)})"
        )

    def __eq__(self, other):
        return type(self) is type(other) and (self.parameters, self.every) == (
            other.parameters,
            other.every,
        )

    __hash__ = None


def _documentation(entry):
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


@cache
def schemes():
    """All schemes of the core: name -> class."""
    from fathom import mpi

    def class_of(entry, name):
        return type(
            name,
            (Scheme,),
            {"entry": entry, "__doc__": _documentation(entry), "__module__": "fathom"},
        )

    catalogue = mpi.core.catalogue()
    found = {e["name"]: class_of(e, e["name"]) for e in catalogue if not e["in_cells_of"]}
    for e in catalogue:
        if e["in_cells_of"]:
            found[e["in_cells_of"]]._in_cells = class_of(e, e["in_cells_of"])
    return found


def scheme(name, *, every=None, **parameters):
    """The scheme of that name, with a clear error for a name that does not exist."""
    known = schemes()
    if name not in known:
        from fathom.names import near

        raise ValueError(f"unknown scheme '{name}'{near(name, list(known))}")
    return known[name](every=every, **parameters)
