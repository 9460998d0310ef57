"""Machines as files: the speed of a rank, the cost of the network and its sums, the noise of the
operating system, the rates of file input.

    [network]
    latency = [1.3e-6, "Alverson et al. 2010, the Gemini interconnect"]

Each quantity is [value, where it is from]; a number that is not known is a range,
[[low, best, high], where it is from]. A source that begins with "fitted:" names the measurements of
programs from which the value was fitted; "estimate:" is a value expected for such a machine, within
a factor of two if no range is given; "unconfirmed:" a published number that was not found again,
within a quarter. A file may leave out quantities; an error for a missing quantity names the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError, MissingFileError
from fathom.base.near import near
from fathom.performance.scaling.ranges import Range
from fathom.run.experiment.toml import inline

folder = Path(__file__).with_name("machines")
topologies = ("crossbar", "torus", "fat-tree", "dragonfly")
origins = ("looked up", "unconfirmed", "estimate", "fitted", "not known", "said")
sums = ("recursive-doubling", "tree", "master", "hardware")
of_processors = tuple(f"node.{name}" for name in ("multiply_add", "triad", "cache", "efficiency"))
of_processors += ("device.", "threads.", "vector.")
# factor within which a number lies whose source begins so
unsure = {"estimate": 2.0, "assumption": 2.0, "unconfirmed": 1.25}


@dataclass(frozen=True)
class Quantity:
    """The meaning of a key: text, unit, and the range that a value must lie in (numbers), or what
    it may be (words, truth). slower: 1 where more of it takes longer, -1 where less does, 0 where
    it counts things.
    """

    text: str
    units: str = ""
    least: float = 0.0
    most: float = 1e18
    words: tuple[str, ...] = ()
    kind: type = float
    slower: int | None = None

    @property
    def direction(self) -> int:
        """Returns `slower`, or what follows from the unit: seconds cost, rates gain."""
        if self.slower is not None:
            return self.slower
        return {"s": 1, "bytes/s": -1}.get(self.units, 0)


def _list(text: str) -> Quantity:
    return Quantity(text, least=1, kind=list)


quantities: dict[str, dict[str, Quantity]] = {
    "node": {
        "cores": Quantity("that compute, each a rank", "1", 1, 1e6),
        "nodes": Quantity("of the machine", "1", 1, 1e7),
        "multiply_add": Quantity("operations of a core at most", "1/s", 1e6, slower=-1),
        "triad": Quantity("memory bandwidth of a node, all cores at work", "bytes/s", 1e6),
        "triad_of_core": Quantity("memory bandwidth of a core alone", "bytes/s", 1e6),
        "memory": Quantity("of a node", "bytes", 1e6),
        "cache": Quantity("last, the share of a core", "bytes", slower=-1),
        "efficiency": Quantity("part of the multiply-adds that models reach", "1", 0, 1, slower=-1),
        "copy": Quantity("rate at which a core copies a message", "bytes/s", 1e3),
        "slice": Quantity(
            "after which a rank that waits gets back the core that it shares", "s", 0, 10
        ),
        "latency": Quantity("of a message within a node", "s", 0, 1),
        "bandwidth": Quantity("of messages of a core within a node", "bytes/s", 1e3),
    },
    "device": {  # each core of a node is one
        "columns": Quantity("that it computes at once: fewer take as long", "1", 1, 1e12, slower=1),
        "launch": Quantity("until the threads of a launch compute", "s", 0, 1),
    },
    "threads": {
        "number": Quantity("of a rank, with which speed-ups were measured", "1", 2, 1e4),
        "columns": Quantity("speed-up of processes of columns", "1", 1e-3, slower=-1),
        "solver": Quantity("speed-up of the sweeps of a solver", "1", 1e-3, slower=-1),
        "transform": Quantity("speed-up of Fourier and Legendre transforms", "1", 1e-3, slower=-1),
        "messages": Quantity("speed-up of filling and emptying messages", "1", 1e-3, slower=-1),
    },
    "network": {
        "topology": Quantity("how nodes are joined", words=topologies, kind=str),
        "shape": _list(
            "nodes of a torus in each direction; of a fat tree [nodes of a switch]; of a dragonfly"
            " [nodes of a router, routers of a group]"
        ),
        "dimensions": Quantity("of the torus that a job sees", "1", 1, 6),
        "latency": Quantity("of the wires and the adapters, nearest nodes", "s", 0, 1),
        "overhead": Quantity("of a core for sending or receiving a message", "s", 0, 1),
        "gap": Quantity("for which a message keeps the adapter of its node busy", "s", 0, 1),
        "hop": Quantity("for each further switch", "s", 0, 1),
        "bandwidth": Quantity("of a node into the network", "bytes/s", 1e3),
        "link": Quantity("bandwidth of a link, one direction", "bytes/s", 1e3),
        "put_overhead": Quantity("of a core for a one-sided put", "s", 0, 1),
        "put_latency": Quantity("until a put and its flag are seen", "s", 0, 1),
        "put_notice": Quantity("the network tells who is put to: no flag is sent", kind=bool),
    },
    "sum": {
        "algorithm": Quantity("of the library", words=sums, kind=str),
        "hardware": Quantity("a sum that the network makes", "s", 0, 1),
        "stage": Quantity("of the processor in each stage of a sum by messages", "s", 0, 1),
        "elements": Quantity("numbers that the network sums at once", "1", 1, 1e6),
    },
    "noise": {
        "frequency": Quantity("interruptions of a core", "1/s", 0, 1e7, slower=1),
        "duration": Quantity("of an interruption", "s", 0, 100),
        "synchronised": Quantity("all cores at once", kind=bool),
    },
    "vector": {
        "register": Quantity("words", "1", 1, 1e6),
        "start": Quantity("cycles before the first word", "1", slower=1),
        "banks": Quantity("of the memory", "1", 1, 1e9),
        "sharing": Quantity("processors that read from these banks at once", "1", 1, 1e6, slower=1),
        "busy": Quantity("cycles of a bank that has been read", "1", 0, 1e6, slower=1),
    },
    "files": {
        "read": Quantity("one task, from the shared file system", "bytes/s", 1),
        "write": Quantity("large packets", "bytes/s", 1),
        "write_small": Quantity("packets that take the slow route", "bytes/s", 1),
        "server": Quantity("all tasks together, reading at once", "bytes/s", 1),
        "client": Quantity("tasks of a node together, reading the same at once", "bytes/s", 1),
        "text": Quantity("reading numbers as text", "bytes/s", 1),
        "open": Quantity("opening and closing", "s", 0, 1e4),
    },
}


@dataclass(frozen=True)
class Machine:
    """machine["network.latency"]; machine.get("node.cache", 0); machine.but({"sum.hardware": 5e-6})
    for a what-if or a fit. given: ranges of the file; `range` has those of estimates, too.
    """

    name: str
    values: Mapping[str, Any]
    sources: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Range] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        if key not in self.values:
            raise InputError(
                f"the machine '{self.name}' does not say {key} ({_quantity(key).text})"
            )
        return self.values[key]

    def get(self, key: str, usual: Any) -> Any:
        """Returns a value by its key, or the usual one."""
        return self.values.get(key, usual)

    def but(self, values: Mapping[str, Any], source: str = "what if") -> Machine:
        """Returns it with other values, exact or a Range."""
        where = f"machine '{self.name}'"
        checked = {key: _checked(where, key, best_of(value)) for key, value in values.items()}
        kept = {key: found for key, found in self.given.items() if key not in values}
        return replace(
            self,
            values={**self.values, **checked},
            sources={**self.sources, **dict.fromkeys(values, source)},
            given=kept | {key: v for key, v in values.items() if isinstance(v, Range)},
        )

    def range(self, key: str) -> Range:
        """Returns between which numbers a quantity lies: as the file says, or as follows from its
        source.
        """
        if key in self.given:
            return self.given[key]
        origin, best = self.sources.get(key, "").partition(":")[0], float(self[key])
        return Range.about(best, unsure.get(origin, 1.0))

    @property
    def unsure(self) -> dict[str, Range]:
        """Returns ranges of the numbers on which the time of a step depends."""
        moving = [key for key in self.values if _quantity(key).direction]
        return {key: found for key in moving if not (found := self.range(key)).exact}

    def at(self, computing: int, moving: int) -> Machine:
        """Returns the machine with the numbers of its processors, and all others, at their quick
        end (-1), as they are (0), or at their slow end (1).
        """
        moved = {}
        for key, found in self.unsure.items():
            quantity, slow = _quantity(key), computing if key.startswith(of_processors) else moving
            if not slow:
                continue
            end = found.high if quantity.direction == slow else found.low
            moved[key] = min(max(end, quantity.least), quantity.most)
        return replace(self, values={**self.values, **moved}, given={}, sources={})

    @property
    def of_devices(self) -> bool:
        """Returns whether each core of a node is a device."""
        return any(key.startswith("device.") for key in self.values)

    @property
    def fitted(self) -> list[str]:
        """Returns the keys of values that were fitted."""
        return [key for key, source in self.sources.items() if source.startswith("fitted:")]

    @property
    def unconfirmed(self) -> list[str]:
        """Returns the keys of values that nobody has confirmed."""
        return [key for key, source in self.sources.items() if source.startswith("unconfirmed:")]

    @property
    def origins(self) -> dict[str, int]:
        """Returns its quantities counted by where they are from: found again, unconfirmed,
        estimated, fitted, not known (a value that means none), or said without a paper.
        """
        found = [_origin(source) for source in self.sources.values()]
        return {kind: found.count(kind) for kind in origins}

    def nodes(self, ranks: int) -> int:
        """Returns how many nodes the ranks fill."""
        return -(-ranks // int(self["node.cores"]))


def _origin(source: str) -> str:
    for kind in origins[1:-1]:
        if source.startswith(kind) or (kind == "estimate" and source.startswith("assumption")):
            return kind
    return "looked up" if "looked up" in source else "said"


def names() -> list[str]:
    """Returns the names of the machines that are shipped."""
    return sorted(file.stem for file in folder.glob("*.toml"))


@cache
def _catalogued(name: str) -> Machine:
    path = folder / f"{name}.toml"
    return read(path.read_text(encoding="utf-8"), str(path))


def load(name: str | Path) -> Machine:
    """Returns a machine of the catalogue by name, or of a file. ValueError, OSError: what is wrong,
    and where.
    """
    path = Path(name)
    if path.suffix != ".toml":
        if str(name) not in names():
            raise InputError(
                f"no machine '{name}'{near(str(name), names()) or ';'} known: {', '.join(names())};"
                " or a file .toml, as `fathom machine --write` makes one"
            )
        return _catalogued(str(name))
    if not path.is_file():
        there = [p.name for p in path.parent.glob("*.toml")] if path.parent.is_dir() else []
        raise MissingFileError(f"there is no file {path}{near(path.name, there)}")
    return read(path.read_text(encoding="utf-8"), str(path))


def read(text: str, where: str) -> Machine:
    """Returns the machine of a TOML text; where: for errors. InputError: it is not valid."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{where} is not valid TOML: {error}") from None
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    ranges: dict[str, Range] = {}
    name = tables.pop("name", None)
    if not isinstance(name, str):
        raise InputError(f'{where}: a machine has a name, as in name = "Cray X1"')
    for section, table in tables.items():
        if section not in quantities or not isinstance(table, dict):
            raise InputError(
                f"{where}: unknown section [{section}]{near(section, quantities) or ';'} allowed:"
                f" {', '.join(quantities)}"
            )
        for key, given in table.items():
            if not (
                isinstance(given, list)
                and len(given) == 2
                and isinstance(given[1], str)
                and given[1]
            ):
                raise InputError(
                    f'{where} [{section}]: {key} = {given!r} must be [value, "where it is from"]'
                )
            name_of = f"{section}.{key}"
            number = _range_in(f"{where} [{section}]: {key}", name_of, given[0])
            values[name_of] = _checked(f"{where} [{section}]", name_of, best_of(number))
            sources[name_of] = given[1]
            if isinstance(number, Range):
                ranges[name_of] = number
    return Machine(name, values, sources, ranges)


def best_of(value: Any) -> Any:
    """Returns the best of a range; anything else as it is."""
    return value.best if isinstance(value, Range) else value


def _range_in(where: str, key: str, value: Any) -> Any:
    """Returns three numbers of a file as a range where its quantity is a number."""
    three = isinstance(value, list) and len(value) == 3 and all(map(_is_number, value))
    if not three or _quantity(key).kind is not float:
        return value
    for end in value:
        _checked(where.rpartition(":")[0], key, end)
    return Range(*map(float, value)).checked(where)


def write(machine: Machine, path: Path, note: str = "") -> None:
    """Writes a file that `load` reads."""
    lines = [*(f"# {line}" for line in note.splitlines()), f"name = {inline(machine.name)}"]
    for section in quantities:
        own = [key for key in machine.values if key.startswith(section + ".")]
        lines += (
            [
                "",
                f"[{section}]",
                *(
                    f"{key.partition('.')[2]} ="
                    f" {inline([_shown(machine, key), machine.sources.get(key, 'given')])}"
                    for key in own
                ),
            ]
            if own
            else []
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _shown(machine: Machine, key: str) -> Any:
    """Returns a value as a file has it."""
    return list(machine.given[key]) if key in machine.given else machine.values[key]


def _quantity(key: str) -> Quantity:
    section, _, name = key.partition(".")
    if name not in quantities.get(section, {}):
        known = quantities.get(
            section, {name: 0 for names in quantities.values() for name in names}
        )
        raise InputError(
            f"unknown quantity '{name}' of [{section}]{near(name, known) or ';'} allowed:"
            f" {', '.join(known)}"
        )
    return quantities[section][name]


def _checked(where: str, key: str, value: Any) -> Any:
    """Returns the value, if it may be one of that quantity. ValueError says what it must be."""
    try:
        q = _quantity(key)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    if q.kind is bool or q.kind is str:
        fits = isinstance(value, q.kind) and (not q.words or value in q.words)
        what, unit = "one of " + ", ".join(q.words) if q.words else "true or false", ""
    elif q.kind is list:
        fits = _whole_numbers(value)
        what, unit = "a list of whole numbers, at least 1", ""
    else:
        fits = _is_number(value) and q.least <= value <= q.most
        what, unit = f"a number in [{q.least:g}, {q.most:g}]", f" {q.units}"
    if not fits:
        name = key.partition(".")[2]
        raise InputError(f"{where}: {name} = {value!r}{unit} ({q.text}) must be {what}")
    return value


def _whole_numbers(value: Any) -> bool:
    """Returns whether it is a list of at least one, none below 1."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(n, int) and n >= 1 for n in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
