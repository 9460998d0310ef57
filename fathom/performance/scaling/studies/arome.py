"""AROME and its files on the NEC SX-8R.

    SURFEX     a file of 320 MB: every task reads it, tasks of a node through one client,
        all through one server; or one task reads and hands it on
    RTTOV      coefficients as text, 60 MB, or binary, 30 MB
    forecast   64 tasks, a step: transposition, physics of its rows, halo of departure points,
        dynamics (with the coupling zone), transposition back, all in step
               at its end. Messages that come before their receive is posted are put aside and
               copied once more; a barrier before avoids that, and the profile is of a run with
               these barriers: 410 s of it are spent in them.

Of the forecast are fitted: scatter (standard deviation of a task's work in a step, against its
mean), coupling (work of a point of the zone, against another point), halo (bytes of a task's halo
over those of its transpositions), aside (rate at which messages put aside are copied [bytes/s];
first guess: the machine's own copies). The rest follows from the profile of processor time, the
sizes of the grid and the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from fathom.performance.bench.vector_length import VectorMachine
from fathom.performance.scaling.clocks import Clocks, Messages
from fathom.performance.scaling.fit import Fit, fit
from fathom.performance.scaling.machine import Machine, load
from fathom.performance.scaling.ranges import Range
from fathom.performance.scaling.reference import table


def profile(name: str, of: str = "cpu") -> dict[str, dict[str, str]]:
    """Returns what the study says of each routine of a profile: reference/profiles_sx8r.csv."""
    rows = table("profiles_sx8r.csv")
    return {row["routine"]: row for row in rows if (row["profile"], row["of"]) == (name, of)}


def in_messages(of_profile: Mapping[str, Mapping[str, str]]) -> float:
    """Returns the share of processor time in messages."""
    shares = [row["share"] for row in of_profile.values() if row["kind"] == "message"]
    return sum(map(float, shares)) / 100


surfex, distribution = 320e6, 40.0  # bytes; s to distribute fields, as measured
surfex_figures = {16: 480.0, 32: 600.0, 64: 800.0}  # s
rttov_text, rttov_binary = 60e6, 30e6

columns, rows, zone, extension = (
    512,
    600,
    8,
    36,
)  # points; width of the coupling zone; rows of the extension zone (estimate)
tasks, model_steps = 64, 1440
by_processor, by_elapsed = profile("AROME"), profile("AROME", "elapsed")
# s of a task, as profiled: processor time without that in messages
computing = float(by_processor["all"]["seconds"]) * (1 - in_messages(by_processor)) / tasks
physics = 0.9  # of the computing; the rest is done on the extension zone too (estimate)
volume = (
    25.4e6 * 399360 / tasks / model_steps
)  # bytes of a task in the transpositions of a step, as counted
different = 8  # steps, each with its own scatter
forecast_figures = {
    "elapsed": float(by_elapsed["all"]["seconds"]),
    "barriers": float(by_elapsed["mpl_barrier"]["seconds"]),
    "messages": sum(
        float(by_elapsed[f"mpl_{name}"]["seconds"]) for name in ("alltoallv", "recv", "send")
    ),
    "square": 0.93,
    "rows": 0.94,
    "synchronised": 0.90,
}


def vector_machine(machine: Machine) -> VectorMachine:
    """Returns its registers and banks, for lengths of blocks (NPROMA): each of the processors that
    read at once has its part of the banks.
    """
    return VectorMachine(
        register=int(machine["vector.register"]),
        start=float(machine["vector.start"]),
        banks=int(machine["vector.banks"] // machine.get("vector.sharing", 1)),
        busy=int(machine["vector.busy"]),
    )


def bank_cycles(length: int) -> Range:
    """Returns cycles of a word in blocks of this length. Nothing says how many processors read from
    the banks of a node at once, nor for how long a bank is busy: their ranges are in the file.
    """
    machine = load("nec-sx8r")
    return Range.spanned(
        [vector_machine(at).cycles(length) for at in (machine, machine.at(-1, 0), machine.at(1, 0))]
    )


def read_by_all(machine: Machine, readers: int) -> float:
    """Returns seconds until all have read it."""
    on_node = min(readers, int(machine["node.cores"]))
    result: float = (
        on_node * surfex / machine["files.client"] + readers * surfex / machine["files.server"]
    )
    return result


def read_once(machine: Machine) -> float:
    """Returns seconds to read SURFEX files by one rank, which then distributes."""
    result: float = surfex / machine["files.read"] + distribution
    return result


def surfex_fit() -> Fit:
    """Returns the fit of reading SURFEX files by all ranks."""
    machine = load("nec-sx8r")
    return fit(
        lambda v: (
            [
                read_by_all(
                    machine.but({"files.client": v["client"], "files.server": v["server"]}), n
                )
                for n in surfex_figures
            ]
            + [read_once(machine)]
        ),
        [*surfex_figures.values(), 60.0],
        {"client": 7e6, "server": 5e7},
    )


def coefficients(machine: Machine) -> tuple[float, float]:
    """Returns seconds as text and binary."""
    return rttov_text / machine["files.text"], rttov_binary / machine["files.read"]


def load_of(
    values: Mapping[str, float], layout: str = "square", rows_of_physics: bool = True
) -> np.ndarray:
    """Returns the work of each task over its mean share, without scatter. layout: square, or bands
    from north to south; rows_of_physics: rows are distributed without the extension zone, where
    there is no physics.
    """
    px, py = (8, 8) if layout == "square" else (1, tasks)
    inner = rows - extension
    edges = np.linspace(0, inner if rows_of_physics else rows, py + 1)
    if rows_of_physics:
        edges[-1] = rows
    i, j = np.linspace(0, columns, px + 1), edges

    def overlap(a: Any, b: Any, low: Any, high: Any) -> Any:
        return np.clip(np.minimum(b, high) - np.maximum(a, low), 0, None)

    all_rows, physics_rows = np.diff(j), overlap(j[:-1], j[1:], 0, inner)
    middle_rows, middle_columns = (
        overlap(j[:-1], j[1:], zone, inner - zone),
        overlap(i[:-1], i[1:], zone, columns - zone),
    )
    wide = np.diff(i)
    coupled = physics_rows[:, None] * wide - middle_rows[:, None] * middle_columns
    work = (
        physics * physics_rows[:, None] * wide
        + (1 - physics) * all_rows[:, None] * wide
        + values["coupling"] * coupled
    )
    result: np.ndarray = (work / (inner * columns / tasks)).ravel()
    return result


@lru_cache(maxsize=16)
def _messages(aside: float, halo: float) -> tuple[Machine, Messages, Messages]:
    """Returns the machine, and messages of a transposition and of the halo."""
    machine = load("nec-sx8r").but({"node.copy": aside})
    rank = np.arange(tasks)
    group = rank // 8 * 8
    source = np.concatenate(
        [(group + (rank + n) % 8) for n in range(1, 8)]
        + [(rank + 8 * n) % tasks for n in range(1, 8)]
    )
    near = np.concatenate([(rank + n) % tasks for n in (-8, -1, 1, 8)])
    return (
        machine,
        Messages(machine, tasks, source, np.tile(rank, 14), np.full(14 * tasks, 0.5 * volume / 14)),
        Messages(machine, tasks, near, np.tile(rank, 4), np.full(4 * tasks, halo * volume / 4)),
    )


def forecast(
    values: Mapping[str, float],
    layout: str = "square",
    rows_of_physics: bool = True,
    synchronised: bool = True,
) -> Clocks:
    """Returns the whole forecast."""
    from scipy.special import ndtri

    machine, transposition, halo = _messages(values["aside"], values["halo"])
    t = Clocks(machine, tasks)
    normal, disorder = (
        ndtri((np.arange(tasks) + 0.5) / tasks),
        np.random.default_rng(2),
    )  # the same scatter in every run
    work = computing / model_steps * load_of(values, layout, rows_of_physics)
    with t.repeated(model_steps / different):
        for _ in range(different):
            scattered = work * np.maximum(1 + values["scatter"] * disorder.permutation(normal), 0.1)
            for part, messages in (
                (0.0, transposition),
                (physics, halo),
                (1 - physics, transposition),
            ):
                t.compute(part * scattered, "computing")
                if synchronised:
                    t.sum(0, "barriers")
                t.exchange(messages, "messages", blocking=True)
            t.sum(0, "barriers")
    return t


# idle over elapsed seconds of the study's profile: barriers; alltoallv, receive, send
idle_figures = {
    "barriers": 41.3 / 410.0,
    "messages": (115.0 + 109.4 + 37.1) / (165.3 + 141.3 + 114.5),
}
fc6h = 356.6e6  # bytes of a task in a transposition of the 6-h forecast
fc6h_tasks = 4  # on one node: assumption, as the study's runs of this model


def idle(values: Mapping[str, float]) -> dict[str, Range]:
    """Returns the parts of barriers and of messages that the library counts as idle. Messages to
    other nodes are copied into a buffer of the library, and out of one: the study's sends are at
    work for two thirds of their time; at the least nothing is copied, since it does not say where
    the network reads. All of fc6h's messages are copies within a node.
    """
    t, machine = forecast(values), load("nec-sx8r")
    share, seconds = t.idle_share("messages"), t.mean("messages")
    away = model_steps * volume * (1 + values["halo"]) * 0.5  # bytes; half of the partners
    copying = machine.range("node.copy").inverse(2 * away / seconds)
    short = Clocks(machine, fc6h_tasks)
    rank = np.arange(fc6h_tasks)
    source = np.concatenate([(rank + n) % fc6h_tasks for n in range(1, fc6h_tasks)])
    size = np.full(len(source), fc6h / fc6h_tasks)
    short.exchange(short.messages(source, np.tile(rank, fc6h_tasks - 1), size), "messages")
    of_barriers = t.idle_share("barriers")
    of_fc6h = short.idle_share("messages")
    return {
        "barriers": Range(of_barriers, of_barriers, of_barriers),
        "messages": Range(share - copying.high, share - copying.best, share),
        "fc6h": Range(of_fc6h, of_fc6h, of_fc6h),
    }


def figures(values: Mapping[str, float]) -> list[float]:
    """Returns seconds: elapsed, in barriers, in messages; gains of square blocks, of rows of the
    physics, of synchronising.
    """
    base = forecast(values)
    return [
        base.elapsed,
        base.mean("barriers"),
        base.mean("messages"),
        base.elapsed / forecast(values, "bands").elapsed,
        base.elapsed / forecast(values, rows_of_physics=False).elapsed,
        base.elapsed / forecast(values, synchronised=False).elapsed,
    ]


def forecast_fit(hold_out: bool = True) -> Fit:
    """Returns the fit of AROME's forecast; hold_out: with half of the figures held out."""
    copies = load("nec-sx8r")["node.copy"]
    return fit(
        figures,
        list(forecast_figures.values()),
        {"scatter": 0.2, "coupling": 0.5, "halo": 1.0, "aside": copies},
        hold_out,
        of=len(surfex_figures) + 1 + 2 + len(forecast_figures),
    )
