"""Steps on simulated ranks: measurements on this machine, priced on another."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from fathom.base.clock import Period
from fathom.base.failure import InputError
from fathom.performance.scaling import grid_points, inner_loop, probes, spectral, starting, virtual
from fathom.performance.scaling.clocks import Clocks
from fathom.performance.scaling.conditions import Conditions, bound, slower
from fathom.performance.scaling.helpers import waits
from fathom.performance.scaling.machine import Machine
from fathom.performance.scaling.ranges import Range
from fathom.performance.scaling.recorded import Recorded
from fathom.performance.scaling.request import Request, of_run, supposed
from fathom.performance.scaling.threads import for_ranks_of, with_threads, with_work
from fathom.performance.scaling.writing import priced
from fathom.run import launch
from fathom.run.experiment import larger
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document
from fathom.run.progress import Line

# of processors and of everything else: as they are first, then both ends of both
corners = ((0, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
models = {model.Cost.kind: model for model in (virtual, spectral, inner_loop, grid_points)}


def predict(request: Request, machine: Machine | None) -> dict[str, Any]:
    """Returns all figures, as plain data. machine: None: the one that is here."""
    line, document = Line(), Document.read(request.file, request.settled)
    if request.servers is not None and not document.tables.get("output"):
        raise InputError(
            f"--what-if io_servers={request.servers}: {request.file} has no [output] that servers"
            " could write"
        )
    found = probes.measure(request, machine, line)
    experiment = Experiment(document)
    line.redraw("building the grid")
    began = time.perf_counter()
    prices = Prices.of(request, machine, found, experiment)
    there = request.measure or request.file
    own = None if there != request.file else larger.smaller(document)
    small = there != request.file or own is not None
    checked = [] if small else prices.checked(line)
    simulated, refused = prices.simulated(line)
    chart = prices.chart(simulated[-1]["ranks"]) if request.gantt else None
    line.clear()
    return {
        "chart": chart,
        "case": str(request.file),
        "measured_on": str(there) if own is None else f"{there}, {own.tables['grid']['points']}",
        "grid": repr(prices.grid),
        "machine": prices.there.name,
        "here": prices.here.name,
        "fitted": prices.there.fitted,
        "ranges": prices.there.unsure | {"part bound by memory": bound},
        "what_if": request.what_if,
        "step": prices.step,
        "priced": prices.base.kind,
        "communication": prices.base.text(),
        "cost": asdict(prices.base),
        "checked": checked,
        "simulated": simulated,
        "refused": refused,
        "alone": prices.alone,
        "seconds": time.perf_counter() - began,
    }


class Step(NamedTuple):
    """Clocks of all ranks after a step, its seconds, and those of each phase."""

    clocks: Clocks
    seconds: float
    phases: dict[str, float]


@dataclass
class Prices:
    """The cost of a step of `step` seconds on `grid`. base: as it was measured on the fewest ranks;
    cost: with the supposed threads; here, there: the measured machine, and the one to predict;
    model: the module that prices this kind of cost.
    """

    request: Request
    found: probes.Found
    grid: Any
    step: float
    model: Any
    base: Any
    cost: Any
    here: Machine
    there: Machine

    @classmethod
    def of(
        cls, request: Request, machine: Machine | None, found: probes.Found, experiment: Experiment
    ) -> Prices:
        """Returns prices of a request, from what was found here."""
        grid = experiment.grid
        of_waves = found.costs[min(found.costs)].kind in ("spectral", "inner loop")
        if of_waves and grid.truncation is None:
            grid = spectral.rows_of(experiment.without_state())
        costs, threads = found.costs, request.supposed_threads
        base = costs[min(costs)].with_messages_of(costs[max(costs)])
        step = Period(experiment.document.tables["simulation"]["time_step"], "step").seconds
        here = _least_crowded(request, found)
        there = supposed((machine or here).but(found.faster, "measured here"), request.what_if)
        if request.helpers and not getattr(base, "radiation", 0.0):
            raise InputError(
                f"--what-if radiation_ranks={request.helpers}: {request.file} computes no radiation"
                " that separate ranks could compute"
            )
        cost = base
        if threads != request.threads:
            cost = with_threads(base, there, threads)
            there = for_ranks_of(there, threads)
        if request.work != 1:
            cost = with_work(cost, request.work)
        model = models[base.kind]
        return cls(request, found, grid, step, model, base, cost, here, there)

    @cached_property
    def alone(self) -> float:
        """Returns seconds of a step on one rank."""
        place = self.model.layout(self.grid, 1, self.base.reach)
        result: float = self.model.step(self.cost, place, Conditions(self.there, self.here)).elapsed
        return result

    def checked(self, line: Line) -> list[dict[str, Any]]:
        """Returns the prediction of what was measured, as it was: with nothing supposed but what
        changed the measured run, too."""
        ran = {key: value for key, value in self.request.what_if.items() if key in of_run}
        usual = replace(self, request=replace(self.request, what_if=ran))
        cores, entries = launch.cores(), []
        for ranks, measured in self.found.costs.items():
            line.redraw(f"{ranks} ranks, predicted")
            turns, own = max(1.0, ranks / cores), self.here
            if turns > 1:
                shared = self.found.machines[ranks]["node.slice"]
                own = own.but({"node.slice": shared}, "measured")
            if ranks == measured.threads == 1:  # in processor time, which has no interruptions
                own = own.but({"noise.frequency": 0.0}, "measured")
            entry = usual.on(self.base, ranks, own, turns=turns)
            entries.append(entry | {"measured": measured.seconds, "mean": measured.mean})
        return entries

    def simulated(self, line: Line) -> tuple[list[dict[str, Any]], list[str]]:
        """Returns the requested cases; and why some of them, after the first, cannot be
        simulated."""
        entries: list[dict[str, Any]] = []
        refused: list[str] = []
        for ranks in self.request.simulate:
            line.redraw(f"{ranks} ranks, simulated")
            try:
                entry = self.on(
                    self.cost, ranks, self.there, self.request.block, helpers=self.request.helpers
                )
            except ValueError as error:
                if not entries:
                    raise
                refused.append(f"{ranks} ranks: {error}")
                continue
            entries.append(entry | {"efficiency": self.alone / entry["seconds"] / ranks})
        return entries, refused

    def on(
        self,
        cost: Any,
        ranks: int,
        machine: Machine,
        block: tuple[int, int] | None = None,
        turns: float = 1.0,
        helpers: int = 0,
    ) -> dict[str, Any]:
        """Returns a step on so many ranks of a machine. turns: ranks that share a core; helpers: of
        them, that compute radiation alone.
        """
        if helpers >= ranks:
            raise InputError(f"radiation_ranks={helpers} of {ranks} ranks leave none to step")
        place = self._placed(ranks - helpers, block)
        found = {}
        for computing, moving in corners:
            at = machine.at(computing, moving)
            under = Conditions(at, self.here, turns=turns, end=computing)
            found[computing, moving] = self._step(cost, place, under, helpers)
        best = found[0, 0]
        seconds = best.seconds
        band = Range.spanned([s.seconds for s in found.values()])
        total = self.request.what_if.get("sum", "allreduce")
        return {
            "ranks": ranks,
            "used": place.used,
            "seconds": seconds,
            "years_a_day": self.step / seconds / 365.2425,
            "phases": best.phases,
            "band": {
                "seconds": band,
                "years_a_day": band.inverse(self.step / 365.2425),
                "phases": {
                    name: Range.spanned([s.phases[name] for s in found.values()])
                    for name in best.phases
                },
            },
            "corners": [
                {"computing": c, "moving": m, "seconds": s.seconds, "phases": s.phases}
                for (c, m), s in found.items()
            ],
            "regions": best.clocks.regions(),
            "efficiencies": best.clocks.efficiency(),
            "output": self._output(place, seconds, machine, total),
            "input": self._input(ranks, machine),
            "messages": len(place.messages),
            "imbalance": float(place.work.max() / place.work.mean()),
            "blocks": place.text,
        }

    def chart(self, ranks: int) -> dict[str, Any]:
        """Returns what each of so many ranks does in a step, for a chart."""
        place = self._placed(ranks - self.request.helpers, self.request.block)
        under = Conditions(self.there, self.here, recorded=True)
        clocks = self._step(self.cost, place, under, self.request.helpers).clocks
        assert isinstance(clocks, Recorded)  # as the conditions ask
        return clocks.kept()

    def _placed(self, ranks: int, block: tuple[int, int] | None) -> Any:
        distribution = self.request.what_if.get("distribution", "auto")
        return self.model.layout(self.grid, ranks, self.base.reach, block, distribution)

    def _step(self, cost: Any, place: Any, under: Conditions, helpers: int) -> Step:
        """Returns a step of all ranks, and the wait for those of radiation."""
        given = self.request.what_if
        under = replace(
            under,
            exchange=given.get("exchange", "packed"),
            total=given.get("sum", "allreduce"),
            how=self.request.how,
        )
        t = self.model.step(cost.stepping() if helpers else cost, place, under)
        regions = t.regions()
        phases = {
            phase: sum(sum(regions.get(r, {}).values()) for r in parts)
            for phase, parts in self.model.phases.items()
        }
        if not helpers:
            return Step(t, t.elapsed, phases)
        wait = waits(cost, self.grid, helpers, under.machine, self.here, t.elapsed)
        return Step(t, t.elapsed + wait, phases | {"radiation": wait})

    def _output(self, place: Any, seconds: float, machine: Machine, total: str) -> dict[str, Any]:
        """Returns the step with its output, where servers are supposed."""
        if self.found.writes is None:
            return {}
        return priced(
            self.found.writes,
            place.work,
            self.step,
            seconds,
            self.request.servers or 0,
            machine,
            self._slower(machine),
            total,
            self.request.sets,
            self.request.writers(place.ranks, machine),
        )

    def _input(self, ranks: int, machine: Machine) -> dict[str, float]:
        """Returns seconds of reading before the first step, by readers, where readers are
        supposed."""
        readers = self.request.what_if.get("readers")
        if readers is None or self.found.reads is None:
            return {}
        return starting.priced(self.found.reads, readers, ranks, machine, self._slower(machine))

    def _slower(self, machine: Machine) -> float:
        """Returns the factor by which a core of the machine is slower than one here."""
        return slower(machine, self.here, 1) / slower(self.here, self.here, 1)


def _least_crowded(request: Request, found: probes.Found) -> Machine:
    """Returns this machine as measured by the most ranks with a core for each thread."""
    cores, machines = launch.cores(), found.machines
    alone = (ranks for ranks in machines if ranks * request.threads <= cores)
    return machines[max(alone, default=min(machines))]
