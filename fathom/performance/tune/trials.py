"""Simulations of one case in many configurations, at the same time on the same ranks: the time of a
step of each, and whether their bits are the same.

A configuration: settings of [parallel] by name, those that are one decision
(fathom.run.parallel.decisions) as a tuple by its name, and keys of the file with a dot
("model.free_surface.solver").
"""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fathom.base import machine
from fathom.performance.tune.search import RejectedError
from fathom.run import choices, parallel
from fathom.run.experiment.experiment import Experiment
from fathom.run.parallel import decisions

warm = 2  # steps before those that count; the bits of a state are those after them
hopeless = 3.0  # times slower than the first: not worth a pair


class Trials:
    """measure(configuration) -> seconds of a step, the same on all ranks; RejectedError where it
    cannot be. read(settings) -> Document of the case.
    """

    def __init__(self, read: Callable[[list[str]], Any], comm: Any, sample: float = 0.05) -> None:
        self.read, self.comm, self.sample = read, comm, sample
        self.folder = tempfile.TemporaryDirectory()  # the last state of one that blows up
        self.live: dict[str, Any] = {}  # by configuration, the one that was used last at the end
        self.rejected: dict[str, str] = {}
        self.grid = self.bits = None  # of the first
        self.step_seconds = 0.0  # of the first
        self.keep: list[Mapping[str, Any]] = []  # settings that are decided
        self.steps = self.prepared = 0
        self.most_live = 2

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *_: Any) -> None:
        self.keep = []
        self.settled([])
        self.folder.cleanup()

    def measure(self, configuration: Mapping[str, Any]) -> float:
        """Returns seconds a step of a configuration."""
        simulation = self.simulation(configuration)

        parallel.message_habits(simulation.parallel, self.comm)
        return self.timed(simulation, self.steps)

    def simulation(self, configuration: Mapping[str, Any]) -> Any:
        """Returns the live one of a configuration; made where there is none."""
        key = _key(configuration)
        if key in self.rejected:
            raise RejectedError(self.rejected[key])
        if key not in self.live:
            while len(self.live) >= self.most_live:
                self.drop(next(iter(self.live)))
            try:
                self.prepare(key, configuration)
            except RejectedError as why:
                self.rejected[key] = str(why)
                self.drop(key)
                raise
        self.live[key] = self.live.pop(key)
        return self.live[key]

    def settled(self, configurations: Iterable[Mapping[str, Any]]) -> None:
        """Ends all but these, which are needed on, and those to keep."""
        wanted = {_key(c) for c in [*configurations, *self.keep]}
        for key in [key for key in self.live if key not in wanted]:
            self.drop(key)

    def drop(self, key: str) -> None:
        """Gives its parts back in one order on all ranks, as windows of memory need it."""
        simulation = self.live.pop(key, None)
        if simulation is not None:
            simulation.balanced = {}
            simulation.sequence = simulation.fields = simulation.domain = None

    # ---- making one ------------------------------------------------------------------------------

    def prepare(self, key: str, configuration: Mapping[str, Any]) -> None:
        """Makes the simulation of a configuration, and compares its bits with the first."""
        first = self.bits is None
        try:
            self.live[key] = simulation = self.build(configuration).prepare()
            simulation.advance(1)
            seconds, bits = self.timed(simulation, warm - 1), simulation.checksum()
            for _ in range(3):  # a disturbance passes
                if (
                    not first
                    and configuration not in self.keep
                    and seconds > hopeless * self.step_seconds
                ):
                    seconds = min(seconds, self.timed(simulation, 1))
        except (ValueError, RuntimeError) as error:
            if first:
                raise
            raise RejectedError(" ".join(str(error).split())) from None
        self.prepared += 1
        if first:
            self.bits, self.step_seconds = bits, seconds
            self.size_up(simulation)
        elif bits != self.bits and not any("." in name for name in configuration):
            raise RejectedError("OTHER BITS: this is a fault of Fathom, please report it")
        elif (
            seconds > max(hopeless * self.step_seconds, self.sample / 4)
            and configuration not in self.keep
        ):
            raise RejectedError(
                f"{seconds / self.step_seconds:.1f} times slower at the first sight"
            )

    def build(self, configuration: Mapping[str, Any]) -> Any:
        """Returns the simulation of a configuration."""

        settings = [
            f"{name}={json.dumps(value)}" for name, value in configuration.items() if "." in name
        ]
        document = self.read(settings)
        parallel = document.tables.setdefault("parallel", {})
        parallel |= {
            name: value
            for name, value in configuration.items()
            if "." not in name and name not in decisions
        } | {"automatic": False}
        for decision, names in decisions.items():
            values = zip(names, configuration.get(decision, ()))
            parallel |= {name: value for name, value in values if value is not None}
        experiment = Experiment(document)
        if self.grid is None:
            with experiment.readers():
                self.grid = experiment.grid
        experiment.grid = self.grid
        return experiment.simulation(directory=self.folder.name)

    def size_up(self, simulation: Any) -> None:
        """Decides how many steps a sample has, whole cycles of seldom processes, and how many
        simulations fit into memory.
        """
        cycle = math.lcm(
            *(p.every for p in simulation.model.processes(simulation.time_step, simulation.surface))
        )
        steps = max(2, math.ceil(self.sample / self.step_seconds))
        self.steps = (
            math.ceil(steps / cycle) * cycle
            if cycle * self.step_seconds < 10 * self.sample
            else steps
        )
        room = (
            0.5
            * machine.free_memory()
            / (2 * simulation.sequence.bytes_allocated * self.comm.size + 1)
        )
        self.most_live = max(2, min(self.comm.allgather(int(min(room, 1000.0)))))

    def timed(self, simulation: Any, steps: int) -> float:
        """Returns seconds of a step, from when all ranks begin until all have ended."""
        self.comm.barrier()
        began = time.perf_counter()
        simulation.advance(steps)
        self.comm.barrier()
        result: float = self.comm.bcast(time.perf_counter() - began) / steps
        return result

    def tiles(self, configuration: Mapping[str, Any], most: float) -> dict[str, int]:
        """Returns the tiles that a simulation has measured in its first steps, by group; {} where
        that would take more than so many seconds.
        """
        simulation = self.simulation(configuration)
        end = self.clock() + most
        while (
            not (found := choices.tiles(simulation))
            and self.clock() < end
            and simulation.count < 200
        ):
            simulation.advance(4)
        return found

    def clock(self) -> float:
        """Returns seconds, the same on all ranks."""
        result: float = self.comm.bcast(time.perf_counter())
        return result


def _key(configuration: Mapping[str, Any]) -> str:
    return json.dumps(configuration, sort_keys=True)
