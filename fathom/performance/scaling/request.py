"""The request to `fathom scale`: ranks, a machine, and suppositions about it and the run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.base.reading import every_rank
from fathom.performance.scaling.clocks import How, exchanges, mappings
from fathom.performance.scaling.machine import Machine, load, names
from fathom.performance.scaling.ranges import Range
from fathom.performance.scaling.sums import ways
from fathom.run import launch
from fathom.run.experiment.toml import Document
from fathom.run.parallel import distributions, kinds_of_exchange

of_run = {
    "solver": "model.free_surface.solver",
    "preconditioner": "model.free_surface.preconditioner",
}  # measured, not priced
of_devices = {"solver": "pcsi", "preconditioner": "diagonal"}  # of an ocean on one
what_ifs = (*of_run, "exchange", "sum", "block", "noise", "threads")
what_ifs += ("radiation_ranks", "io_servers", "io_sets")
what_ifs += ("synchronise", "in_flight", "sum_words", "mapping", "distribution")
what_ifs += ("writers", "readers", "work")
noises: dict[str, dict[str, Any]] = {
    "none": {"noise.frequency": 0.0, "noise.duration": 0.0},
    "synchronised": {"noise.synchronised": True},
    "loose": {"noise.synchronised": False},
}


@dataclass(frozen=True)
class Request:
    """The request of the user. measure: a smaller case of the same processes, run instead of
    `file`; probe: the file for a measured cost; inner_loop: a step of the tangent and the adjoint
    is priced, not one of the model.
    """

    file: Path
    ranks: tuple[int, ...] = (1, 2)
    simulate: tuple[int, ...] = (256, 1024, 4096)
    machine: str = "here"
    what_if: dict[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    measure: Path | None = None
    threads: int = 1
    json: Path | None = None
    picture: Path | None = None
    gantt: Path | None = None
    probe: Path | None = None
    inner_loop: bool = False

    @property
    def settled(self) -> tuple[str, ...]:
        """Returns settings of the runs."""
        supposed = (
            f"{of_run[key]}={value}" for key, value in self.what_if.items() if key in of_run
        )
        return (*self.settings, *supposed)

    def on_device(self) -> Request:
        """Returns the request with the solver that an ocean has on a device, where none is named
        (docs/device.md).
        """
        if self.inner_loop:
            raise InputError(
                f"--inner-loop: {self.machine} has devices, which compute no tangents and adjoints"
            )
        model = Document.read(self.file, self.settings).tables["model"]
        if model["type"] != "Ocean":
            return self
        surface = model.get("free_surface")
        given = (surface if isinstance(surface, dict) else {}) | self.what_if
        solver = {key: given.get(key, usual) for key, usual in of_devices.items()}
        if solver["preconditioner"] != "diagonal" or solver["solver"] not in ("pcsi", "chrongear"):
            raise InputError(
                f"{self.machine} has devices, and {solver['solver']} with"
                f" {solver['preconditioner']} would stay on their processors, which is not priced;"
                " allowed: pcsi or chrongear with diagonal"
            )
        return replace(self, what_if=self.what_if | solver)

    @property
    def servers(self) -> int | None:
        """Returns the number of supposed servers, or in a probe of those started next to the ranks;
        None: without output.
        """
        return int(self.what_if["io_servers"]) if "io_servers" in self.what_if else None

    @property
    def sets(self) -> int:
        """Returns the sets of servers; each server by default."""
        return int(self.what_if.get("io_sets", self.servers or 0))

    def writers(self, ranks: int, machine: Machine) -> int:
        """Returns, of so many ranks, how many are those that write where no server does."""
        given = self.what_if.get("writers", every_rank)
        return ranks if given == every_rank else min(ranks, int(given) or machine.nodes(ranks))

    @property
    def helpers(self) -> int:
        """Returns ranks of radiation."""
        return int(self.what_if.get("radiation_ranks", 0))

    @property
    def work(self) -> float:
        """Returns how many times as long as here the processes of columns take, as another
        program's.
        """
        return float(self.what_if.get("work", 1.0))

    @property
    def supposed_threads(self) -> int:
        """Returns threads of a rank that is simulated."""
        return int(self.what_if.get("threads", self.threads))

    @property
    def how(self) -> How:
        """Returns settings of messages: synchronise=1, or halos:1+transpositions:2; in_flight,
        mapping.
        """
        text = self.what_if.get("synchronise", "0")
        told = dict(
            part.partition(":")[::2] if ":" in part else ("", part) for part in text.split("+")
        )
        everywhere = int(told.get("", 0))
        levels = {kind: int(told.get(kind, everywhere)) for kind in kinds_of_exchange}
        return How(
            {kind: level for kind, level in levels.items() if level},
            float(self.what_if.get("in_flight", 0)),
            self.what_if.get("mapping", "block"),
            int(self.what_if.get("sum_words", 0)),
        )

    @property
    def block(self) -> tuple[int, int] | None:
        """Returns (width, height) of blocks that are supposed."""
        if "block" not in self.what_if:
            return None
        width, height = self.what_if["block"].split("x")
        return int(width), int(height)

    def arguments(
        self, ranks: int, probe: Path, servers: int | None = None, threads: int | None = None
    ) -> list[str]:
        """Returns arguments of the command that measures on so many ranks: a step, or, with so many
        servers, output.
        """
        settings = [text for setting in self.settled for text in ("--set", setting)]
        output = [] if servers is None else ["--what-if", f"io_servers={servers}"]
        return [
            "scale",
            str(self.measure or self.file),
            "--ranks",
            str(ranks),
            "--threads",
            str(threads or self.threads),
            "--probe",
            str(probe),
            *output,
            *(["--inner-loop"] if self.inner_loop else []),
            *settings,
        ]


def counts(text: str, option: str) -> tuple[int, ...]:
    """Returns (1, 2, 4) of "1,2,4"."""
    numbers = text.split(",")
    if not all(n.strip().isdigit() and int(n) for n in numbers):
        raise InputError(f"{option} {text}: must be numbers of ranks, as in {option} 1,2,4")
    return tuple(sorted({int(n) for n in numbers}))


def suppositions(texts: tuple[str, ...]) -> dict[str, str]:
    """Returns {"solver": "pcsi", "network.latency": "1e-6"} of "solver=pcsi,network.latency=1e-6";
    quantities of the machine have a dot.
    """
    found = {}
    for part in (p for text in texts for p in text.split(",")):
        name, equals, value = part.partition("=")
        if not equals or not value:
            raise InputError(
                f"--what-if {part}: expected name=value, as in solver=pcsi,sum=hardware or"
                " network.latency=1e-6"
            )
        if "." not in name and name not in what_ifs:
            raise InputError(
                f"--what-if {part}: unknown '{name}'{near(name, what_ifs) or ';'} allowed:"
                f" {', '.join(what_ifs)}, or a quantity of the machine as network.latency"
            )
        found[name] = value
    return found


def supposed(machine: Machine, given: dict[str, str]) -> Machine:
    """Returns the machine with what is supposed of it."""
    values = {name: _value(text) for name, text in given.items() if "." in name}
    if noise := given.get("noise"):
        if noise not in noises:
            raise InputError(f"--what-if noise={noise}: allowed: {', '.join(noises)}")
        values |= noises[noise]
    return machine.but(values)


def _value(text: str) -> Any:
    """Returns a truth, a range, a number, or a word."""
    if ":" in text:
        return Range.read(text)
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


def check(request: Request, machine: Machine | None) -> None:
    """Finds mistakes in the suppositions before anything runs. machine: None: this one."""
    given = request.what_if
    _check_ranks(request.ranks)
    _check_ways(given)
    if "block" in given and not re.fullmatch(r"[1-9]\d*x[1-9]\d*", given["block"]):
        raise InputError(f"--what-if block={given['block']}: is not WIDTHxHEIGHT, as in 36x24")
    _check_numbers(given)
    _check_work(given.get("work", "1"))
    _check_meetings(given.get("synchronise", "0"))
    _check_files(request, given)
    if machine is not None:
        supposed(machine, given)
    _check_hardware(given, machine)


def _check_hardware(given: dict[str, str], machine: Machine | None) -> None:
    """Checks that a machine that is to sum in its network says how long that takes."""
    if given.get("sum") != "hardware" or "sum.hardware" in given:
        return
    if machine is None or "sum.hardware" not in machine.values:
        able = [name for name in names() if "sum.hardware" in load(name).values]
        raise InputError(
            f"--what-if sum=hardware: {machine.name if machine else 'this machine'} has no"
            f" sum.hardware; allowed: --machine {' or '.join(able)}, or one more"
            " --what-if sum.hardware=5e-6"
        )


def _check_files(request: Request, given: dict[str, str]) -> None:
    """Checks who reads and writes."""
    for key in ("writers", "readers"):
        if (number := given.get(key, every_rank)) != every_rank and not number.isdigit():
            raise InputError(f"--what-if {key}={number}: allowed: all, a number, or 0: one a node")
    writers = given.get("writers", every_rank)
    if writers != every_rank and request.servers is None:
        raise InputError(
            f"--what-if writers={writers}: no output is priced; io_servers=0 prices that of the"
            " ranks"
        )
    if "io_sets" in given and (not request.servers or request.servers % request.sets):
        raise InputError(
            f"--what-if io_sets={request.sets}: {request.servers or 'no'} servers cannot be dealt"
            f" out evenly to {request.sets} sets; io_servers={2 * request.sets} could"
        )


def _check_ranks(ranks: tuple[int, ...]) -> None:
    if max(ranks) < 2:
        raise InputError(
            f"scale --ranks {','.join(map(str, ranks))}: the messages of a step are counted and"
            " measured on two ranks or more, also for another machine; give --ranks 1,2"
        )
    if not any(1 < number <= launch.cores() for number in ranks):
        raise InputError(
            f"scale --ranks {','.join(map(str, ranks))}: messages are measured on two ranks or more"
            f" with a core each, and this machine has {launch.cores()}; give --ranks 1,2"
        )


def _check_ways(given: dict[str, str]) -> None:
    for key, known in (
        ("exchange", tuple(exchanges)),
        ("sum", tuple(ways)),
        ("mapping", mappings),
        ("distribution", distributions),
    ):
        if key in given and given[key] not in known:
            raise InputError(
                f"--what-if {key}={given[key]}{near(given[key], known) or ';'}"
                f" allowed: {', '.join(known)}"
            )


def _check_work(text: str) -> None:
    try:
        fits = 0 < float(text) < float("inf")
    except ValueError:
        fits = False
    if not fits:
        raise InputError(f"--what-if work={text}: is not a number above 0, as in work=4.2")


def _check_meetings(text: str) -> None:
    kind = "|".join(kinds_of_exchange)
    if not re.fullmatch(rf"[0-2]|({kind}):[0-2](\+({kind}):[0-2])*", text):
        raise InputError(
            f"--what-if synchronise={text}: allowed: 0, 1, 2, or levels of"
            f" {', '.join(kinds_of_exchange)} as in transpositions:1+halos:2"
        )


def _check_numbers(given: dict[str, str]) -> None:
    for key, what, least in (
        ("io_servers", "servers", 0),
        ("io_sets", "sets of servers", 1),
        ("threads", "threads", 1),
        ("in_flight", "bytes", 0),
        ("sum_words", "words", 0),
        ("radiation_ranks", "ranks of radiation", 1),
    ):
        text = given.get(key, "1")
        if not text.isdigit() or int(text) < least:
            raise InputError(f"--what-if {key}={text}: is not a number of {what}")
