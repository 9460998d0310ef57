"""Several ways to run a case, each in processes of its own that stand ready and take their samples
in turn, so that a drift of the machine meets all alike.

    in each turn all ways take one sample, forwards and backwards in turn
    ratio of a way = median over turns of  its seconds / those of the best in the same turn
    error = 1.25 sigma / sqrt(n) (1 + 3 / n),  sigma = 1.4826 median |x - median| of the logarithms,
        at least that of all ways together; n: turns, of which few tell too little of sigma

Processes that wait for their turn sleep at a socket. Where memory does not hold all of them, those
that were started last end after their sample and are started again for the next.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fathom.base import machine
from fathom.run.launch import mpiexec, ranks_environment

share = 0.3  # of the free memory that all ways together may take from each other


class NotPossibleError(Exception):
    """A way that cannot run; the text says why."""


class Way:
    """The processes of one way. module: of Python, that `serve`s; what: given to it, with the path
    of the socket; ranks: that take samples; others: that only help.
    """

    def __init__(
        self, module: str, what: dict[str, Any], ranks: int, threads: int, others: int = 0
    ) -> None:
        self.module, self.what = module, what
        self.ranks, self.threads, self.others = ranks, threads, others
        self.samples: list[float | None] = []  # by turn; None: it had none
        self.refused, self.stays = "", True
        self.process: subprocess.Popen[Any] | None = None
        self.links: list[Any] = []
        self.folder: tempfile.TemporaryDirectory[str] | None = None

    def start(self) -> None:
        """Starts the processes, and waits until they are ready."""
        if self.process is not None:
            return
        self.folder = tempfile.TemporaryDirectory(prefix="fathom-turn-")
        place = Path(self.folder.name)
        many = self.ranks + self.others
        what = json.dumps(self.what | {"socket": str(place / "s"), "folder": str(place)})
        command = [sys.executable, "-P", "-m", self.module, what]
        with socket.socket(socket.AF_UNIX) as door, open(place / "said", "w") as said:
            door.bind(str(place / "s"))
            door.listen(self.ranks)
            door.settimeout(0.2)
            self.process = subprocess.Popen(
                [mpiexec(), "-n", str(many), *command] if many > 1 else command,
                env=os.environ
                | ranks_environment(many, self.threads)
                | {"OMP_NUM_THREADS": str(self.threads)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
            )
            while len(self.links) < self.ranks:
                with contextlib.suppress(TimeoutError):
                    link, _ = door.accept()
                    link.settimeout(None)
                    self.links.append(link.makefile("rw"))
                if self.process.poll() is not None:
                    raise NotPossibleError(self._said())
        for link in self.links:
            self._answer(link)
        self.ask()  # the first has what is made once

    def ask(self) -> float:
        """Returns seconds of one sample, of the slowest rank."""
        for link in self.links:
            link.write("go\n")
            link.flush()
        return max(self._answer(link) for link in self.links)

    def _answer(self, link: Any) -> float:
        line = link.readline()
        if not line:
            raise NotPossibleError(self._said())
        return float(line)

    def _said(self) -> str:
        if self.process is not None:
            self.process.wait()
        assert self.folder is not None
        text = (Path(self.folder.name) / "said").read_text(errors="replace")
        said = [line for line in text.splitlines() if line.startswith("fathom: ")]
        return (said or [text.strip()[-300:]])[0].removeprefix("fathom: ")

    def end(self) -> None:
        """Ends the processes."""
        for link in self.links:
            with contextlib.suppress(OSError):
                link.close()
        self.links = []
        if self.process is not None:
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.terminate()
                self.process.wait()
        self.process = None
        if self.folder is not None:
            self.folder.cleanup()
            self.folder = None


def serve(path: str, sample: Callable[[], float]) -> None:
    """Runs on a rank: takes a sample whenever it is asked to, and answers with its seconds."""
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(path)
        with link.makefile("rw") as lines:
            print(0.0, file=lines, flush=True)
            while lines.readline():
                print(sample(), file=lines, flush=True)


def measure(
    ways: Sequence[Way],
    turns: int,
    seen: Callable[[int, Way], None],
    enough: Callable[[int], bool] = lambda _: False,
) -> None:
    """Takes so many turns of samples; seen(samples so far, way) after each; fewer where so many are
    `enough`.
    """
    done = 0
    try:
        for turn in range(turns):
            if enough(turn):
                break
            for way in ways if turn % 2 == 0 else reversed(ways):
                way.samples.append(_one(way, first=turn == 0))
                done += 1
                seen(done, way)
    finally:
        for way in ways:
            way.end()


def _one(way: Way, first: bool) -> float | None:
    """Returns one sample; None where the way cannot run, which it says in `refused`."""
    if way.refused:
        return None
    try:
        free = machine.free_memory()
        way.start()
        if first:  # as much again, and what samples need, must be left
            way.stays = free - machine.free_memory() < share * machine.free_memory()
        seconds = way.ask()
    except NotPossibleError as why:
        way.refused = str(why)
        way.end()
        return None
    if not way.stays:
        way.end()
    return seconds


def compared(samples: Sequence[Sequence[float | None]]) -> list[dict[str, float]]:
    """Returns of each way its median `seconds`, the `spread` of its middle half, and `ratio` and
    `error` to the best; {} of one without samples.
    """
    middles = [statistics.median(s) if (s := _taken(of)) else math.inf for of in samples]
    if not samples or min(middles) == math.inf:
        return [{} for _ in samples]
    best = samples[middles.index(min(middles))]
    logs = [_ratios(of, best) for of in samples]
    off = [abs(x - statistics.median(of)) for of in logs if any(of) for x in of]
    common = 1.4826 * statistics.median(off) if off else 0.0
    return [
        _figures(_taken(of), x, common) if middle < math.inf else {}
        for of, x, middle in zip(samples, logs, middles)
    ]


def _ratios(of: Sequence[float | None], best: Sequence[float | None]) -> list[float]:
    """Returns logarithms of the ratios of samples that both have."""
    return [math.log(x / b) for x, b in zip(of, best) if x is not None and b is not None]


def _taken(samples: Sequence[float | None]) -> list[float]:
    return [x for x in samples if x is not None]


def _figures(samples: list[float], logs: list[float], common: float) -> dict[str, float]:
    quarters = statistics.quantiles(samples, n=4) if len(samples) > 1 else [samples[0]] * 3
    middle = statistics.median(logs)
    own = 1.4826 * statistics.median(abs(x - middle) for x in logs)
    sigma = max(own, common) if any(logs) else 0.0  # the best itself has none
    return {
        "seconds": statistics.median(samples),
        "spread": quarters[2] - quarters[0],
        "ratio": math.exp(middle),
        "error": 1.25 * sigma / math.sqrt(len(logs)) * (1 + 3 / len(logs)),
    }


def choice(
    found: Sequence[dict[str, float]], cost: Sequence[Any], least: float = 0.03
) -> int | None:
    """Returns the number of the way to take: of those that are not surely slower than the best by
    more than `least`, that of the least cost; so that repeats choose the same. None: there is none.
    """
    near = [n for n, f in enumerate(found) if f and f["ratio"] - 2 * f["error"] <= 1 + least]
    return min(near, key=lambda n: cost[n], default=None)


def time_left(began: float, done: int, all_: int) -> str:
    """Returns "3 of 12 samples, 40 s left"."""
    left = (time.monotonic() - began) / max(done, 1) * (all_ - done)
    return f"{done} of {all_} samples, {left:.0f} s left"


def each(**axes: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yields each combination of the values of some axes."""
    names = list(axes)
    if not names:
        yield {}
        return
    for value in axes[names[0]]:
        for rest in each(**{name: axes[name] for name in names[1:]}):
            yield {names[0]: value} | rest
