"""The cost of messages on these ranks: every exchange and every sum of the catalogues by size; the
gain by packing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

import fathom as fm
from fathom.base import machine, mpi
from fathom.output.gather import Gather
from fathom.performance import load
from fathom.run.tree import Entry, tree

sizes = (1, 16, 128, 1024, 8192, 65536)  # words of 64 bits of a side
sum_sizes = (1, 2, 3, 8, 64)  # numbers
puts = ("put-fence", "put-flags", "get-barrier")  # the one-sided of the ways to exchange
in_memory = ("shared", "mapped")  # neither: loads and stores within a node


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. repetitions: of the smallest message in each of five
    batches."""

    ranks: int = 2
    repetitions: int = 1000

    def times(self, words: int) -> int:
        """Returns how often a message of so many words is repeated."""
        return max(5, self.repetitions // (1 + words // 64))


def gathers(comm: Any, repetitions: int, levels: int = 38) -> dict[str, float]:
    """Returns seconds to gather a field of 96 x 72 columns on rank 0, and to scatter it: with all
    levels of a rank in one message, and level by level (UM20).
    """
    grid = fm.LatitudeLongitudeGrid(96, staggering="C")
    domain = fm.Simulation(fm.GridPointAtmosphere(grid), time_step=600).domain_of(grid, 2)
    _, rows, columns = grid.shape
    gather = Gather(comm, domain, [(0, rows, 0, columns)], [0])
    blocks = [np.zeros((levels, ny, nx), np.float32) for _, _, ny, nx in domain.blocks]

    whole = gather(blocks)

    def seconds(act: Callable[[], Any]) -> float:
        act()
        least = np.inf
        for _ in range(repetitions):
            comm.barrier()
            began = time.perf_counter()
            act()
            comm.barrier()
            least = min(least, time.perf_counter() - began)
        return float(least)

    return {
        "together": seconds(lambda: gather(blocks)),
        "by_level": seconds(
            lambda: [gather([b[k : k + 1] for b in blocks]) for k in range(levels)]
        ),
        "back_together": seconds(lambda: gather.back(whole, levels, np.float32)),
        "back_by_level": seconds(
            lambda: [
                gather.back({n: w[k : k + 1] for n, w in whole.items()}, 1, np.float32)
                for k in range(levels)
            ]
        ),
    }


# long: one measurement after the other
def measure(case: Case) -> dict[str, Any] | None:
    """Returns seconds of everything, on rank 0, None elsewhere.

    exchanges: of each transport, `row` (numbers side by side) and `column` (numbers that lie
    apart), seconds of each of `words`; latency [s] of one word, bandwidth [bytes/s, both directions
    counted] of the largest. sums: seconds of each of `numbers`. three: a sum of one number three
    times over one of three. pairs: 1000 words between pairs of ranks, where there are two, in one
    message and word by word. gather: of a field of 38 levels to rank 0. packing: datatypes over
    packed, of columns.
    """
    c = mpi.world.py2f()
    exchanges = []
    for name, text in mpi.core.transports():
        of = {
            side: [
                mpi.core.seconds_of_halo(c, name, words, strided, case.times(words))
                for words in sizes
            ]
            for side, strided in (("row", False), ("column", True))
        }
        exchanges.append(
            {
                "name": name,
                "what": text,
                **of,
                "latency": of["row"][0],
                "bandwidth": 2 * 8 * sizes[-1] / of["row"][-1],
            }
        )
    sums = []
    for name, text in mpi.core.global_sums():
        seconds = [
            mpi.core.seconds_of_sum(c, name, words, 1, case.repetitions) for words in sum_sizes
        ]
        thrice = mpi.core.seconds_of_sum(c, name, 1, 3, case.repetitions)
        sums.append(
            {
                "name": name,
                "what": text,
                "seconds": seconds,
                "one_three_times": thrice,
                "three": thrice / seconds[sum_sizes.index(3)],
            }
        )
    pairs = {
        name: {
            way: mpi.core.seconds_of_pairs(c, get, 1000, each, case.times(4096))
            for way, each in (("buffered", False), ("word_by_word", True))
        }
        for name, get in (("send", False), ("get", True))
        if mpi.world.size > 1
    }
    levels = gathers(mpi.world, case.times(1024))
    if mpi.world.rank != 0:
        return None
    column = {e["name"]: np.array(e["column"]) for e in exchanges}
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "words": sizes,
        "exchanges": exchanges,
        "numbers": sum_sizes,
        "sums": sums,
        "pairs": {
            name: {**times, "ratio": times["buffered"] / times["word_by_word"]}
            for name, times in pairs.items()
        },
        "gather": {
            **levels,
            "ratio": levels["by_level"] / levels["together"],
            "ratio_back": levels["back_by_level"] / levels["back_together"],
        },
        "packing": (column["datatypes"] / column["packed"]).tolist(),
    }


def _by_level(figures: dict[str, float], name: str, way: str) -> Entry:
    one, many = (figures["_".join(filter(None, (way, n)))] for n in ("together", "by_level"))
    return name, (
        f"{1e6 * one:.0f} µs a field with its 38 levels together,"
        f" {1e6 * many:.0f} µs level by level: {many / one:.1f}"
    )


def one_sided_over_two_sided(figures: dict[str, Any]) -> list[float]:
    """Returns, of each of `words`, the seconds of the fastest one-sided way over those of the
    fastest that sends and receives, of numbers side by side.
    """
    ways = [e for e in figures["exchanges"] if e["name"] not in in_memory]

    def of(one_sided: Any) -> Any:
        return [e for e in ways if (e["name"] in puts) == one_sided]

    return [
        min(e["row"][n] for e in of(True)) / min(e["row"][n] for e in of(False))
        for n in range(len(figures["words"]))
    ]


def crossovers(words: Sequence[float], ratio: Sequence[float]) -> list[tuple[float, bool]]:
    """Returns (words, one-sided is ahead from there on) where the ratio passes 1, between two sizes
    along straight lines of logarithms.
    """
    x, y = np.log(words), np.log(ratio)
    after = np.flatnonzero((y[:-1] < 0) != (y[1:] < 0))
    at = [x[n] + y[n] / (y[n] - y[n + 1]) * (x[n + 1] - x[n]) for n in after]
    return [(float(np.exp(each)), bool(y[n + 1] < 0)) for n, each in zip(after, at)]


def _told(words: Sequence[float], ratio: Sequence[float]) -> str:
    """Returns the fastest way by size."""
    found = crossovers(words, ratio)
    if not found:
        ahead = "one-sided" if ratio[0] < 1 else "two-sided"
        return f"{ahead} ahead at all sizes"
    sides = {True: "one-sided", False: "two-sided"}
    return ", ".join(f"{sides[ahead]} ahead from {at:.2g} words on" for at, ahead in found)


# long: one line of the table after the other
def present(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures, and write them as JSON; only where they are. Returns the exit status 0."""
    if figures is None:
        return 0

    load.leave(figures, file)

    def micro(values: Any) -> Any:
        return "".join(f"{1e6 * v:10.2f}" for v in values)

    def least(entries: Any, key: Any) -> Any:
        return min(entries, key=key)["name"]

    words, numbers = figures["words"], figures["numbers"]
    rows = {
        side: [f"{e['name']:<20}{micro(e[side])}" for e in figures["exchanges"]]
        for side in ("row", "column")
    }
    crossing = one_sided_over_two_sided(figures)
    best = [least(figures["exchanges"], lambda e, n=n: e["row"][n]) for n in range(len(words))]
    entries: list[Entry] = [
        (
            "rows",
            [
                f"{'µs; words of a side':<20}" + "".join(f"{w:10d}" for w in words),
                *rows["row"],
                "fastest: " + ", ".join(f"{w}: {b}" for w, b in zip(words, best)),
                "best one-sided over best two-sided: "
                + ", ".join(f"{w}: {x:.2f}" for w, x in zip(words, crossing))
                + f"; {_told(words, crossing)}",
            ],
        ),
        ("columns", rows["column"]),
        (
            "bandwidth",
            [f"{e['name']:<20}{e['bandwidth'] / 1e9:10.2f} GB/s" for e in figures["exchanges"]],
        ),
        (
            "sums",
            [
                f"{'µs; numbers':<20}"
                + "".join(f"{n:10d}" for n in numbers)
                + "  one three times / three",
                *(
                    f"{s['name']:<20}{micro(s['seconds'])}{s['three']:10.2f}"
                    for s in figures["sums"]
                ),
            ],
        ),
        (
            "1000 words",
            (
                ["no second rank"]
                if not figures["pairs"]
                else [
                    f"{name:<6}{1e6 * p['buffered']:10.1f} µs in one,"
                    f" {1e6 * p['word_by_word']:10.1f} µs word by word: {p['ratio']:.3f}"
                    for name, p in figures["pairs"].items()
                ]
            ),
        ),
        *(_by_level(figures["gather"], *way) for way in (("gather", ""), ("scatter", "back"))),
        (
            "packing",
            "datatypes over packed, columns: "
            + ", ".join(f"{w}: {x:.2f}" for w, x in zip(words, figures["packing"])),
        ),
    ]
    click.echo(
        tree(f"messages between {figures['case']['ranks']} ranks, {figures['machine']}", entries)
    )
    return 0
