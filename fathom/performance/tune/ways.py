"""`fathom tune`: the fastest way to run a case on the present ranks and threads, from short runs of
this case.

First settings that leave every bit unchanged: tiles, decomposition, exchange, sum, synchronisation
(each unless the user named it). The result is written to tuned.toml and kept for later runs. Then
settings that change bits but not equations (the model's `alternatives`): proposed, never chosen.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fathom.base import machine, mpi, places
from fathom.performance.tune.search import Axis, Finding, Result, Search
from fathom.performance.tune.trials import Trials
from fathom.run import choices, parallel

for_bits = 0.65  # of the time: what leaves bits unchanged, where there is more to try
slow_message = 3.0  # times the usual in the bench of messages: not tried in the model
words = (64, 4096)  # of 64 bits: a halo of the solver, one of the fields
Document = Any


@dataclass
class Tuned:
    """The result, plain data."""

    machine: str
    ranks: int
    threads: int
    seconds: float
    named: list[str]  # settings of the user
    result: Result
    proposals: Result | None = None
    tiles_tried: list[dict[str, Any]] = field(default_factory=list)
    simulations: int = 0
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)  # as they are kept
    serving: dict[str, Any] = field(
        default_factory=dict
    )  # I/O servers, where they were to be found (serving.py): how many, why, what was measured
    kept: str = ""
    date: str = ""


def tune(
    read: Callable[[list[str]], Document], seconds: float, propose: bool = True, line: Any = None
) -> Tuned:
    """Returns all ranks call it, all get the same. read(settings) -> Document of the case with
    further settings; line: of progress (fathom.run.progress.Line), on rank 0.
    """
    with Trials(read, mpi.world, sample=min(0.05, seconds / 1000)) as trials:
        began = trials.clock()
        named = set(read([]).tables.get("parallel", {})) - {"ranks", "threads"}
        say = _voice(line, lambda: trials.clock() - began, seconds)
        say("", "the usual", "", None)
        decided = named | of_device(named, mpi.world.size)
        measured = {} if "tile" in decided else {"tile": "measured"}
        first = trials.simulation(measured)
        tiles = trials.tiles(measured, 0.25 * seconds) if measured else {}
        tried, of = _tiles_tried(first), choices.identity(first)
        alternatives = first.model.alternatives if propose else {}
        axes = _axes(first, tiles, decided)
        skipped = [finding for axis in axes for finding in _screen(axis, mpi.world)]
        until = began + seconds * (for_bits if alternatives else 1.0)
        start = {"tile": "cache"} if measured and not tiles else {}
        result = _search(trials, axes, start, until, say)
        result.findings = skipped + result.findings
        tuned = Tuned(
            machine.name(),
            mpi.world.size,
            of["threads"],
            seconds,
            sorted(named),
            result,
            tiles_tried=tried,
            date=datetime.date.today().isoformat(),
        )
        tuned.settings = settings_of(result, tuned.date)
        if alternatives:
            more = _axes_of_model(alternatives)
            tuned.proposals = _search(trials, more, result.best, began + seconds, say, 2)
        tuned.simulations = trials.prepared
        if mpi.is_root and tuned.settings:
            tuned.kept = _keep(of, tuned.settings)
        found: Tuned = mpi.world.bcast(tuned)
        return found


def _keep(of: Mapping[str, Any], settings: dict[str, dict[str, Any]]) -> str:
    """Keeps the settings for later runs, and returns the name of the file; "" where it cannot be
    written.
    """
    kept = choices.Choices(of)
    return str(kept.path) if kept.keep(settings) else ""


def _search(
    trials: Trials,
    axes: Sequence[Axis],
    given: Mapping[str, Any],
    until: float,
    say: Callable[..., None],
    most_rounds: int = 3,
) -> Result:
    """Searches from what is given and the first value of each axis."""
    start = {**given, **{axis.name: axis.values[0] for axis in axes}}
    trials.keep = [start]
    trials.settled([])
    search = Search(trials.measure, trials.clock, until, seen=say, settled=trials.settled)
    return search.run(axes, start, most_rounds)


def _tiles_tried(simulation: Any) -> list[dict[str, Any]]:
    """Returns the tiles of each group of processes that were measured."""
    return [
        {"group": group["processes"], "seconds": group["tiles_tried"]}
        for group in simulation.sequence.groups
        if group["tiles_tried"]
    ]


# ---- what there is to choose ---------------------------------------------------------------------


def of_device(named: set[str], ranks: int) -> set[str]:
    """Returns settings that a device decides, where the user names one: a launch has all
    columns."""
    if "device" not in named:
        return set()
    return {"tile", "blocks"} if ranks == 1 else {"tile"}


def _axes(simulation: Any, tiles: Mapping[str, int], named: set[str]) -> list[Axis]:
    """Returns all settings that leave bits unchanged and are not decided, with their allowed
    values.
    """
    model, ranks = simulation.model, simulation.comm.size
    axes = [
        Axis("tile", [dict(tiles), "cache"] if tiles else ["measured"]),
        Axis("decomposition", decompositions(model.grid, ranks, model.halo)),
    ]
    if ranks > 1:

        def first(usual: Any, ways: Any) -> Any:
            return [usual, *(way for way in ways if way != usual)]

        axes.append(Axis("exchange", first("packed", parallel.ways("exchange"))))
        if model.numerics.get("reproducible"):
            axes.append(Axis("sum", first("allreduce", parallel.ways("sum"))))
            axes.append(Axis("sum_words", list(parallel.words_tried)))
        kinds = ("transpositions", "on_demand") if model.grid.truncation is not None else ()
        axes.append(Axis("synchronise", [False, True, 2, *({kind: 1} for kind in kinds)]))
        axes.append(Axis("in_flight", [0, 1 << 16, 1 << 20]))
        if places.by_node(places.of_ranks(simulation.comm)):
            axes.append(Axis("mapping", list(parallel.mappings)))
        axes.append(Axis("columns", _columns(simulation)))
    return [axis for axis in axes if not _decided(axis, named)]


def _columns(simulation: Any) -> list[tuple[list[str] | None, str, float]]:
    """Returns (balance, carrier, balance_threshold); the first is the usual."""
    names = parallel.decisions["columns"]
    found: list[Any] = [tuple(parallel.usual[name] for name in names)]
    processes = simulation.model.processes(simulation.time_step, simulation.surface)
    if uneven := parallel.may_be_balanced(processes):
        _, _, threshold = found[0]
        found += [(uneven, way, threshold) for way, _ in mpi.core.carriers()]
        found.append((uneven, "messages", 4 * threshold))
    return found


def _axes_of_model(alternatives: Mapping[str, Sequence[Any]]) -> list[Axis]:
    """Returns all settings that change bits."""
    return [
        Axis(f"model.{name}", values) for name, values in alternatives.items() if len(values) > 1
    ]


def decompositions(grid: Any, ranks: int, halo: int) -> list[tuple[str, list[int] | None]]:
    """Returns (distribution, blocks) that may be worth a try; the first is the usual. Pieces of
    blocks lie at multiples of 16 columns.
    """
    usual_, (_, ny, nx) = grid.distribution(ranks), grid.shape
    if usual_ != "auto":
        return (
            [
                ("auto", None),
                *((name, None) for name in _of_rows(grid, ranks) if name != usual_),
            ]
            if ranks > 1
            else [("auto", None)]
        )
    found: list[tuple[str, list[int] | None]] = [("auto", None)]
    shapes_of_pieces = ("cartesian", "space-filling", "rake", "equal-area")
    found += [(name, None) for name in shapes_of_pieces] if ranks > 1 else []

    def across(n: Any) -> Any:
        return min(nx, 16 * max(1, round(nx / n / 16)))

    for n, m in ((1, 4), (2, 2), (4, 4)):
        blocks = [across(n), math.ceil(ny / (m * max(1, ranks // 2)))]
        if (
            blocks[0] > 2 * halo
            and blocks[1] > 2 * halo
            and ("space-filling", blocks) not in found
            and blocks != [nx, ny]
        ):
            found.append(("space-filling", blocks))
    return found


def _of_rows(grid: Any, ranks: int) -> tuple[str, ...]:
    """Returns distributions of models that transform along rows; on a sphere also regions of equal
    area, in an area many blocks, where each of them has columns.
    """
    if grid.sphere is not None:
        return parallel.of_one_block
    many = grid.waiting(ranks, "space-filling") < 1
    return ("north-south", "square", *(("space-filling",) if many else ()))


def _decided(axis: Axis, named: set[str]) -> bool:
    return len(axis.values) < 2 or bool(
        named & set(parallel.decisions.get(axis.name, (axis.name,)))
    )


def _screen(axis: Axis, comm: Any) -> list[Finding]:
    """Drops ways to exchange or to sum that take several times the usual in the bench of messages,
    short and long; returns which.
    """
    benches: dict[str, Callable[..., list[float]]] = {
        "exchange": _seconds_of_halos,
        "sum": _seconds_of_sums,
        "sum_words": _seconds_of_words,
    }
    if axis.name not in benches:
        return []
    bench = benches[axis.name]
    seconds = {way: bench(comm, way) for way in axis.values}
    base = seconds[axis.values[0]]
    ratio = {way: min(t / b for t, b in zip(times, base)) for way, times in seconds.items()}
    slow = [way for way in axis.values if ratio[way] > slow_message]
    axis.values = [way for way in axis.values if way not in slow]
    return [
        Finding(axis.name, way, f"messages take {ratio[way]:.0f} times as long") for way in slow
    ]


def _seconds_of_halos(comm: Any, way: str) -> list[float]:
    """Returns a short and a long one."""
    return [mpi.core.seconds_of_halo(comm.py2f(), way, n, n > 1000, 20) for n in words]


def _seconds_of_sums(comm: Any, way: str) -> list[float]:
    """Returns seconds of sums of few numbers, and of more."""
    return [mpi.core.seconds_of_sum(comm.py2f(), way, n, 1, 50) for n in (3, 12)]


def _seconds_of_words(comm: Any, words: int) -> list[float]:
    """Returns the seconds of the three numbers of an iteration, by the library."""
    return [parallel.seconds_of_words("allreduce", words, comm)]


# ---- what was found ------------------------------------------------------------------------------


def settings_of(result: Result, date: str) -> dict[str, dict[str, Any]]:
    """Returns the settings to keep: those of all axes whose values were seen."""
    kept = {}
    for name in result.examined:
        won = result.finding(name)
        evidence = {"how": "tuned", "date": date} | (
            {"gain": won.gain, "noise": won.error} if won else {}
        )
        if name in parallel.decisions:
            found = zip(parallel.decisions[name], result.best[name], result.start[name])
            for setting, value, before in found:
                kept[setting] = {"value": value, "default": before} | evidence
                evidence = {k: v for k, v in evidence.items() if k in ("how", "date")}
        else:
            kept[name] = {"value": result.best[name], "default": parallel.usual[name]} | evidence
    return kept


def shapes(cores: int, ranks: int | None, threads: int | None) -> list[tuple[int, int]]:
    """Returns (ranks, threads) that fill the cores, or half of them: memory may limit before the
    cores do. Given numbers stay.
    """
    if ranks and threads:
        return [(ranks, threads)]
    found = list(dict.fromkeys(_filling(cores) + _filling(max(1, cores // 2))))
    if ranks:
        more = sorted({t for _, t in found} | {1})
        return [(ranks, t) for t in more if ranks * t <= max(cores, ranks)]
    if threads:
        more = sorted({r for r, _ in found} | {1})
        return [(r, threads) for r in more if r * threads <= max(cores, threads)]
    return found


def _filling(cores: int) -> list[tuple[int, int]]:
    """Returns (ranks, threads) with just one thread on each core, at most 16 of a rank."""
    whole = [(ranks, cores // ranks) for ranks in range(1, cores + 1) if cores % ranks == 0]
    return [(ranks, threads) for ranks, threads in whole if threads <= 16]


def _voice(line: Any, elapsed: Callable[[], float], seconds: float) -> Callable[..., None]:
    """Shows each sample of the search as a line of progress."""

    def say(best: Any, axis: str, value: Any, estimate: float | None) -> None:
        now = elapsed()
        if line is not None:
            what = (
                f"{axis.removeprefix('model.')} = {value_text(axis, value)}"
                if axis
                else value or "the fastest against the usual"
            )
            seen = "" if estimate is None else f": {100 * math.expm1(estimate):+.1f} %"
            line.redraw(f"{now:4.0f} of {seconds:.0f} s  {what}{seen}")

    return say


def value_text(axis: str, value: Any) -> str:
    """Returns a value of an axis in words."""
    if axis == "decomposition":
        result: str = value[0] + (f", blocks of {parallel.text(value[1])}" if value[1] else "")
        return result
    if axis == "columns":
        return f"{', '.join(value[0])} by {value[1]}" if value[0] else "computed where they are"
    if axis == "tile" and isinstance(value, Mapping):
        return "measured"
    return parallel.text(value)


def as_data(tuned: Tuned, chosen_shapes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Returns the result as data for JSON."""
    return asdict(tuned) | {"ranks_times_threads": chosen_shapes or {}}


def write(tuned: Tuned, file: Path, chosen_shapes: Mapping[str, Any] | None = None) -> None:
    """Writes what was tuned as JSON."""
    file.write_text(
        json.dumps(as_data(tuned, chosen_shapes), indent=1, default=str, allow_nan=True) + "\n",
        encoding="utf-8",
    )
