"""How a simulation is spread over a machine: the settings of `Simulation(parallel=...)` and
[parallel]. They never change a bit of the answer, except `device` where the ocean names no solver
of its free surface (docs/device.md).

Settings of the user stay. Others are `chosen`: those measured before on this machine for this case
(fathom/run/choices.py), else the `usual` ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.base.reading import every_rank
from fathom.grids.arguments import integer
from fathom.model import device
from fathom.run import room

usual = {
    "device": None,
    "threads": 1,
    "blocks": None,
    "distribution": "auto",
    "tile": "measured",
    "exchange": "packed",
    "sum": "allreduce",
    "synchronise": False,
    "in_flight": 0,
    "sum_words": 0,
    "mapping": "nodes",
    "balance": None,
    "carrier": "messages",
    "balance_threshold": 0.05,
    "automatic": True,
    "radiation_ranks": 0,
    "io_servers": 0,
    "per_node": 0,
    "io_sets": 0,
    "io_slots": 0,
    "on_busy": "synchronous",
    "io_silence": 30.0,
    "readers": 0,
    "writers": "all",
    "staging": None,
}
decisions = {  # of several settings: who names one of them decides
    "decomposition": ("distribution", "blocks"),
    "columns": ("balance", "carrier", "balance_threshold"),
}
chosen = (*decisions["decomposition"], "tile", "exchange", "sum", "synchronise")
chosen += ("in_flight", "sum_words", "mapping")
chosen += decisions["columns"]
between_ranks = {
    "exchange",
    "sum",
    "synchronise",
    "in_flight",
    "sum_words",
    "mapping",
    *decisions["columns"],
}  # nothing to one rank
kinds_of_exchange = ("halos", "transpositions", "on_demand")
of_one_block = ("north-south", "square", "equal-area")  # whose size they choose
distributions = ("auto", "cartesian", "space-filling", "rake", *of_one_block)
mappings = ("nodes", "ranks")  # pieces of a grid go to ranks node by node, or as ranks are numbered
probed = "probed"  # sum_words: measured when a run starts
tiles = {"measured": -1, "cache": 0}  # as the core takes them


def checked(given: dict[str, Any]) -> dict[str, Any]:
    """Returns all of `usual`, with the given settings; ValueErrors for impossible ones."""
    if not hasattr(given, "keys"):
        raise InputError(f"parallel = {given!r} must be keys with values, as {{'threads': 2}}")
    for name in given:
        if name not in usual:
            raise InputError(
                f"unknown key '{name}' of parallel{near(name, usual) or ';'} allowed:"
                f" {', '.join(usual)}"
            )
    how = usual | given
    if integer("threads", how["threads"]) < 1:
        raise InputError(f"threads = {how['threads']!r} must be at least 1")
    room.for_threads(how["threads"])
    if not isinstance(how["automatic"], bool):
        raise InputError(f"automatic = {how['automatic']!r} must be true or false")
    _check_habits(how)
    for name in ("exchange", "sum", "device"):
        if how[name] != usual[name]:
            _one_of(how[name], ways(name), f"no {name} {how[name]!r}")
    columns(how["tile"])
    balanced(how["balance"])
    known = [name for name, _ in mpi.core.carriers()]
    _one_of(how["carrier"], known, f"no carrier {how['carrier']!r}")
    threshold = how["balance_threshold"]
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not threshold >= 0:
        raise InputError(f"balance_threshold = {threshold!r} must be a number of at least 0")
    _check_servers(how)
    return how


def _check_habits(how: dict[str, Any]) -> None:
    """Checks how messages and sums, and of which rank gets which piece of a grid."""
    if (blocks := how["blocks"]) is not None and np.shape(blocks) != (2,):
        raise InputError(f"blocks = {blocks!r} must be two whole numbers, points along x and y")
    meetings(how["synchronise"])
    if integer("in_flight", how["in_flight"]) < 0:
        raise InputError(f"in_flight = {how['in_flight']!r} must be bytes, at least 0")
    if how["sum_words"] != probed and integer("sum_words", how["sum_words"]) < 0:
        raise InputError(f"sum_words = {how['sum_words']!r} must be at least 0, or '{probed}'")
    _one_of(how["mapping"], mappings, f"no mapping {how['mapping']!r}")


def message_habits(how: dict[str, Any], comm: mpi.MPI.Comm) -> None:
    """Sets the habits of all exchanges and sums of this process, as [parallel] says; all ranks call
    it.
    """
    mpi.core.synchronise(*meetings(how["synchronise"]))
    mpi.core.in_flight(how["in_flight"])
    words = how["sum_words"]
    mpi.core.sum_words(fastest_words(how["sum"], comm) if words == probed else words)


exact = 4  # words of an exact sum of one number
words_tried = (0, exact, 1)  # together; number by number; word by word


def fastest_words(way: str, comm: mpi.MPI.Comm, numbers: int = 3) -> int:
    """Returns, of `words_tried`, the fastest way to sum so many numbers on these ranks; the first
    unless another is faster by a tenth.
    """
    seconds = [seconds_of_words(way, words, comm, numbers) for words in words_tried]
    best = min(range(len(seconds)), key=seconds.__getitem__)
    return words_tried[best if seconds[best] < 0.9 * seconds[0] else 0]


def seconds_of_words(way: str, words: int, comm: mpi.MPI.Comm, numbers: int = 3) -> float:
    """Returns [s] of an exact sum of so many numbers, at most so many words at once."""
    mpi.core.sum_words(words)
    try:
        return float(mpi.core.seconds_of_sum(comm.py2f(), way, exact * numbers, 1, 50))
    finally:
        mpi.core.sum_words(0)


def meetings(given: Any) -> list[int]:
    """Returns levels of `synchronise` by kinds_of_exchange: 0; 1: all ranks meet before messages
    go; 2: also once they have come. given: true or false, a level, or a table of kinds and levels.
    """
    known = isinstance(given, dict) and set(given) <= set(kinds_of_exchange)
    table = dict(given) if known else dict.fromkeys(kinds_of_exchange, given)
    if any(level not in (0, 1, 2) for level in table.values() if not isinstance(level, dict)) or (
        isinstance(given, dict) and not known
    ):
        raise InputError(
            f"synchronise = {given!r} must be true or false, 1 (before messages), 2 (also after"
            f" them), or a table of such for {', '.join(kinds_of_exchange)}"
        )
    return [int(table.get(kind, 0)) for kind in kinds_of_exchange]


def _one_of(value: object, allowed: Sequence[str], what: str) -> None:
    if value not in allowed:
        hint = near(str(value), allowed) or ";"
        raise InputError(f"{what}{hint} allowed: {', '.join(allowed)}")


def _check_servers(how: dict[str, Any]) -> None:
    """Checks the ranks that read or serve output, and what they do."""
    counts = ["radiation_ranks", "io_servers", "per_node", "io_sets", "io_slots"]
    counts += [name for name in ("readers", "writers") if how[name] != every_rank]
    for name in counts:
        if integer(name, how[name]) < 0:
            raise InputError(f"{name} = {how[name]!r} must be at least 0")
    if how["io_servers"] and how["per_node"]:
        raise InputError(
            f"io_servers = {how['io_servers']} and per_node = {how['per_node']}: give one of them"
        )
    busy = ("synchronous", "wait")
    _one_of(how["on_busy"], busy, f"on_busy = {how['on_busy']!r}")
    silence = how["io_silence"]
    if isinstance(silence, bool) or not isinstance(silence, int | float) or not silence > 0:
        raise InputError(f"io_silence = {silence!r} must be a number of seconds above 0")
    staging = how["staging"]
    if staging is not None and not (isinstance(staging, str | Path) and Path(staging).is_dir()):
        raise InputError(f"staging = {staging!r} must be a folder of this node")


def ways(name: str) -> list[str]:
    """Returns the catalogue of ways to exchange or to sum, or of devices."""
    if name == "device":
        return list(device.names)
    return [
        way for way, _ in (mpi.core.transports() if name == "exchange" else mpi.core.global_sums())
    ]


def columns(tile: Any) -> tuple[int, dict[str, int]]:
    """Returns a tile as the core takes it: columns, more than a row of them are joined rows, -n
    exactly n of joined rows, 0 by the cache, -1 measured; and columns that are known, of a group of
    processes by its first one.
    """
    if isinstance(tile, str) and tile in tiles:
        return tiles[tile], {}
    if isinstance(tile, dict) and all(
        isinstance(group, str) and _count(number) for group, number in tile.items()
    ):
        return tiles["measured"], tile
    literal = isinstance(tile, int) and tile < -1
    if (not _count(tile) and tile != 0 and not literal) or isinstance(tile, bool):
        raise InputError(
            f"parallel tile = {tile!r} must be a number of columns (-2 and below: so many of joined"
            f" rows), {' or '.join(map(repr, tiles))}, or a table of groups' first processes"
            " and their columns"
        )
    return tile, {}


# The field of columns that says where a process has work; others learn column by column.
activity = {"Radiation": "cosine_zenith_ahead", "RRTMGP": "cosine_zenith_ahead"}
uneven = (*activity, "BettsMiller", "MassFluxConvection", "ShallowMassFlux", "GraupelMicrophysics")


def balanced(given: Any) -> dict[str, str]:
    """Returns process -> field of its activity, or "": whose columns are shared among ranks."""
    if given is None:
        return {}
    if isinstance(given, dict) and all(isinstance(field, str) for field in given.values()):
        return dict(given)
    if isinstance(given, list | tuple) and all(isinstance(name, str) for name in given):
        return {name: activity.get(name, "") for name in given}
    raise InputError(
        f"parallel balance = {given!r} must be a list of processes, as ['Radiation'], or a table of"
        " processes and the field that is above 0 where they have work"
    )


def may_be_balanced(processes: Iterable[Any]) -> list[str]:
    """Returns names of processes whose columns have different costs and can be computed
    anywhere."""
    return [p.name for p in processes if p.name in uneven and not p.is_global]


def _shared(process: Any, active: str, threshold: float, way: str) -> tuple[Any, Any]:
    """Returns core.Balanced of all columns, or of those in which it is computed, and the
    process."""
    samples = mpi.core.balance_samples(process, active, threshold, way)
    if samples is not None:
        return samples, process
    balanced = mpi.core.Balanced(process, active, threshold, way=way)
    whole = balanced.process()
    whole.every, whole.phase = process.every, process.phase
    return balanced, whole


def share(processes: Sequence[Any], how: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Returns (processes with those of how["balance"] balanced, name -> core.Balanced). ValueError:
    no such process, or none of columns.
    """
    wanted, found = balanced(how["balance"]), {}
    known = [p.name for p in processes]
    for name in wanted:
        if name not in known:
            raise InputError(
                f"parallel balance: the model has no process '{name}'{near(name, known)}; it has"
                f" {', '.join(known)}"
            )
    result = []
    for p in processes:
        if p.name in wanted:
            found[p.name], p = _shared(p, wanted[p.name], how["balance_threshold"], how["carrier"])
        result.append(p)
    return result, found


def _count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number > 0


def _that_matter(how: Mapping[str, Any], kept: Mapping[str, Any], ranks: int) -> list[str]:
    """Returns the settings in `chosen` that have an effect."""
    idle = between_ranks if ranks == 1 else set()
    if how["balance"] is None and "balance" not in kept:
        idle = idle.union(decisions["columns"])
    return [name for name in chosen if name not in idle]


def settle(
    how: Mapping[str, Any],
    named: set[str],
    kept: Mapping[str, Any],
    *,
    ranks: int,
    same_bits: bool = True,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns what to do and why: (values, name -> reason). named: what the user gave; kept:
    settings of fathom.run.choices; same_bits: whether any way to sum gives the same.
    """
    decided = (set(settings) for settings in decisions.values() if named & set(settings))
    named = named.union(*decided)
    how, why = dict(how), {}
    for name in _that_matter(how, kept, ranks):
        why[name] = "given" if name in named else "default"
        if name == "sum" and not same_bits and name not in named:
            why[name] = "default; not chosen, because sums of plain numbers have other bits"
        elif name in kept and name not in named:
            how[name], why[name] = kept[name]["value"], reason(kept[name])
        elif name == "tile" and how[name] == "measured":
            why[name] += ": in the first steps of a run"
    return how, why


def reason(setting: Mapping[str, Any]) -> str:
    """Returns the text about a setting that was kept: how, when, and what it gains."""
    when = f"{setting['how']} on this machine on {setting['date']}"
    if not setting.get("gain"):
        return when
    return (
        f"{when}: {100 * setting['gain']:.1f} % faster (± {100 * setting['noise']:.1f}) than"
        f" {text(setting['default'])}"
    )


def text(value: Any) -> str:
    """Returns a value in a line."""
    if isinstance(value, dict):
        return ", ".join(f"{k} {text(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return "×".join(map(str, value))
    return (
        {True: "true", False: "false", None: "chosen by work"}.get(value, str(value))
        if isinstance(value, (bool, type(None)))
        else str(value)
    )
