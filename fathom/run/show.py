"""A simulation as a short tree: for `fathom show`, and at the start of a run.

Ocean at 2000-01-01
├── grid      TripolarGrid 360×300×40, halo 2, 0.6 GB on 2 ranks
├── sequence  41 processes, 5 exchanges
...
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.base.shown import number
from fathom.base.writing import shown
from fathom.model import device
from fathom.output.servers import slots
from fathom.plots.report import estimate
from fathom.plots.style import unit_of
from fathom.run import room
from fathom.run.parallel import text
from fathom.run.progress import duration
from fathom.run.tree import Entry, bytes_text

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation


def describe(simulation: Simulation) -> tuple[str, list[Entry]]:
    """Returns (title, [(label, text or lines)]) of a simulation that is prepared; all ranks call
    it, all get the same.
    """
    entries = [
        ("grid", _grid(simulation)),
        ("memory", room.of_fields(simulation)),
        ("members", simulation.members.describe()),
        ("blocks", simulation.domain.describe()),
        ("choices", _choices(simulation)),
        ("device", _device(simulation)),
        ("step", _step(simulation)),
        ("physics", simulation.model.set_of_parts),
        ("programs", simulation.together.describe() if simulation.together else []),
        ("surface", repr(simulation.surface) if simulation.surface else ""),
        ("forcing", _forcing(simulation)),
        ("sequence", _sequence(simulation)),
        ("state", _state(simulation)),
        ("events", _events(simulation)),
        ("input", _input(simulation)),
        ("servers", _servers(simulation)),
    ]
    return date_text(simulation), [(label, content) for label, content in entries if content]


def date_text(simulation: Simulation) -> str:
    """Returns "Ocean at 2000-01-01"."""
    return f"{type(simulation.model).__name__} at {_date(simulation)}"


def overview(simulation: Simulation) -> list[Entry]:
    """Returns facts about a simulation that need no preparation: for notebooks."""
    outputs = [f"{store.path}" for store in simulation.outputs]
    entries: list[Entry] = [
        ("model", type(simulation.model).__name__),
        ("grid", repr(simulation.model.grid)),
        ("step", duration(simulation.time_step)),
        ("surface", repr(simulation.surface) if simulation.surface else ""),
        ("steps done", str(simulation.count) if simulation.count else ""),
        ("output", outputs),
        ("directory", str(simulation.directory)),
    ]
    return [(label, content) for label, content in entries if content]


class Summary(dict[str, Any]):
    """The summary of a run, by name; shown in a few words, with the names that it holds."""

    def __init__(self, held: dict[str, Any], words: str) -> None:
        super().__init__(held)
        self.words = words

    def __repr__(self) -> str:
        names = textwrap.fill(", ".join(self), 100, initial_indent="  ", subsequent_indent="  ")
        return f"{self.words}\nsummary, by name:\n{names}"


def headline(simulation: Any, summary: dict[str, Any]) -> str:
    """Returns the result of a run in a few words, and where to look."""
    steps, seconds, directory = summary["steps"], summary["wall_seconds"], simulation.directory
    report: Path = directory / "report.html"
    stopped = (
        f"stopped at {_date(simulation)}; the same command with --continue resumes the run\n"
        if simulation.stopped
        else ""
    )
    years, days = (summary[f"simulated_{unit}_per_day"] for unit in ("years", "days"))
    rate = f"{number(years, 4)} years/day" if years >= 1 else f"{number(days, 4)} days/day"
    shorter = steps * simulation.time_step < 86400
    a_day = f", {estimate.text(summary)}" if shorter else ""
    return (
        f"{stopped}{steps} step{'s' * (steps != 1)} in {duration(seconds)}:"
        f" {summary['seconds_per_step']:.3g} s a step, {rate}{a_day}, checksum"
        f" {summary['checksum']}\n{shown(report if report.exists() else directory)}"
    )


def _date(simulation: Simulation) -> str:
    date = simulation.date
    at_midnight = (date.hour, date.minute) == (0, 0)
    return str(date.strftime("%Y-%m-%d" if at_midnight else "%Y-%m-%d %H:%M"))


def _grid(simulation: Simulation) -> list[str]:
    grid = simulation.model.grid
    return [f"{grid!r}, halo {simulation.model.halo}", *grid.describe().values()]


def _device(simulation: Simulation) -> list[str]:
    """Returns the device, and the work that it leaves to the processor."""
    if (name := simulation.parallel["device"]) is None:
        return []
    there = device.open(name)
    left = simulation.sequence.left_by(there)
    return [
        there.name,
        *([f"on the processor, with fields that travel: {', '.join(left)}"] * bool(left)),
        *simulation.model.choices_for_device,
    ]


def _choices(simulation: Simulation) -> list[str]:
    """Returns the distribution of the run and the communication of ranks: value and reason of
    each."""
    shown = {
        name: (
            "by group, below"
            if isinstance(simulation.parallel[name], dict)
            else text(simulation.parallel[name])
        )
        for name in simulation.why
    }
    return [f"{name} = {value}: {simulation.why[name]}" for name, value in shown.items()]


def _step(simulation: Simulation) -> list[str]:
    limits = [
        f"{name}: {value:.2g} of {limit:g}, at {place}"
        for name, value, limit, place, _ in simulation.model.criteria(simulation.time_step)
    ]
    return [f"{simulation.time_step:g} s", *limits]


def _sequence(simulation: Simulation) -> list[str]:
    """Returns a line for each group of processes that run together, and for each exchange between
    them.
    """
    groups = simulation.sequence.groups
    exchanges = [g for g in groups if g["exchange"]]
    lines = [
        f"{sum(len(g['processes']) for g in groups)} processes in {len(groups)} groups,"
        f" {len(exchanges)} exchanges"
    ]
    for group in groups:
        if group["exchange"]:
            meanwhile = (
                f"   [{100 * group['overlapped']:.0f} % of what follows meanwhile]"
                if group["overlapped"]
                else ""
            )
            lines.append(f"⇄ {', '.join(group['exchange'])}{meanwhile}")
        tile = (
            f"   [{group['tile']} columns at once: {group['tile_reason']}]" if group["tile"] else ""
        )
        lines.append(" → ".join(group["processes"]) + tile)
    return lines


def _state(simulation: Simulation) -> str:

    parts = []
    for name in simulation.model.prognostic:
        e = simulation.fields.extremes(name)
        units = unit_of(name)
        parts.append(f"{name} [{e['minimum']:.3g}, {e['maximum']:.3g}] {units}".strip())
    return ", ".join(parts)


def _forcing(simulation: Simulation) -> list[str]:
    """Returns each field that is read in time: its variable, files and times."""
    sources = simulation.forcing.sources if simulation.forcing else []
    return [line for source in sources for line in source.describe()]


def _input(simulation: Simulation) -> str:
    """Returns the readers."""
    readers = simulation.readers
    if simulation.comm.size == 1:
        return ""
    return (
        "each rank reads for itself"
        if readers.alone
        else (
            f"read by rank{'s' * (len(readers.ranks) > 1)} {', '.join(map(str, readers.ranks))}"
            " for all"
        )
    )


def _servers(simulation: Simulation) -> str:
    """Returns the output servers, and their memory."""
    if simulation.roles is None:
        return ""

    roles, number = simulation.roles, slots(simulation)
    each = max(
        simulation.comm.allgather(
            max((stream.bytes_here() for stream in simulation.streams), default=0)
        )
    )
    who = ", ".join(map(str, simulation.helpers["io_servers"]))
    return (
        f"{len(roles.servers)} for output (rank{'s' * (len(roles.servers) > 1)} {who}) in"
        f" {roles.sets} set{'s' * (roles.sets > 1)}; {number} slots of at most {bytes_text(each)}"
        " on each rank that computes; all in use:"
        f" {'wait' if simulation.parallel['on_busy'] == 'wait' else 'the computing ranks write'}"
    )


def _events(simulation: Simulation) -> list[str]:
    outputs = [
        f"{o.path} every {o.every}:"
        f" {', '.join(o.requested)}{f' ({o.statistic})' if o.statistic else ''}"
        for o in simulation.outputs
    ]
    others = (
        [
            f"{getattr(e, 'label', 'callback')} every {e.every}"
            for e in simulation.events[len(outputs) :]
        ]
        if len(simulation.events) > len(outputs)
        else []
    )
    return outputs + others
