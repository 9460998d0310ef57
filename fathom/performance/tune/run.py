"""`fathom tune`: finds the numbers of ranks and threads where they are not given; then tunes on
them.
"""

from __future__ import annotations

import errno
import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom.base import mpi
from fathom.base.failure import InputError, MissingFileError
from fathom.performance.tune import programs, serving, shapes, tuned, ways
from fathom.run import launch
from fathom.run.experiment.toml import Document
from fathom.run.progress import Line

# of [parallel]: no effect on steps without output
of_output = {"io_servers", "per_node", "io_sets", "io_slots"}


@dataclass(frozen=True)
class Request:
    """The request of the user. price, shapes: files by which the command and the processes
    that it starts communicate. several: makes programs of the document of a coupled system.
    """

    file: Path
    ranks: int | None
    threads: int | None
    settings: tuple[str, ...]
    seconds: float = 60.0
    proposals: bool = True
    out: Path = Path("tuned.toml")
    evidence: Path | None = None
    price: Path | None = None
    shapes: Path | None = None
    several: Callable[[Document], Any] | None = None

    def read(self, more: list[str]) -> Document:
        """Returns the document with further settings."""
        return Document.read(self.file, (*self.settings, *more))

    def arguments(self, ranks: int, threads: int, *more: Any) -> list[str]:
        """Returns arguments of the command that does it on so many ranks."""
        settings = [text for setting in self.settings for text in ("--set", setting)]
        return [
            "tune",
            str(self.file),
            "--ranks",
            str(ranks),
            "--threads",
            str(threads),
            *settings,
            *map(str, more),
        ]


def run(request: Request, distribute: Callable[..., int]) -> int:
    """Returns exit status."""
    document = request.read([])
    given = document.section("parallel")
    here = launch.launched()
    ranks, threads = _shape(request, document, here)
    if not request.out.parent.is_dir():
        raise MissingFileError(errno.ENOENT, os.strerror(errno.ENOENT), str(request.out))
    if "programs" in document.tables:
        _check_coupled(request, document)
        number = ranks or launch.cores()
        return distribute(number, threads or 1, None, lambda: programs.tune(request))
    asked = request.price or request.shapes
    free = bool(document.tables.get("output")) and not given.keys() & of_output
    servers = not asked and not here and free
    if ranks and threads and not servers:
        started = ranks + (given.get("io_servers", 0) if request.price else 0)
        return distribute(started, threads, None, lambda: _here(request, ranks, threads))
    return _Choice(request).run(ranks, threads, servers)


def _check_coupled(request: Request, document: Document) -> None:
    """Checks that the programs of a file are a coupled system. InputError: they are others."""
    missing = [name for name in programs.names if name not in document.tables["programs"]]
    if "coupled" not in document.tables or missing:
        raise InputError(
            f"{request.file} has several programs; `fathom tune` takes one of them, or a coupled"
            " system of atmosphere and ocean"
        )


def _shape(
    request: Request, document: Document, here: tuple[int, int] | None
) -> tuple[int | None, int | None]:
    """Returns (ranks, threads) as the user, the file or the launcher gives them; None where none
    does.
    """
    given = document.section("parallel")
    ranks = request.ranks or given.get("ranks") or (here and here[1])
    threads = request.threads or given.get("threads") or _threads_of(here)
    return _count(document, "ranks", ranks), _count(document, "threads", threads)


def _threads_of(here: tuple[int, int] | None) -> int | None:
    """Returns the threads of the ranks that a launcher started."""
    return launch.threads_of_environment() if here else None


def _count(document: Document, name: str, number: Any) -> int | None:
    if number is not None and (
        not isinstance(number, int) or isinstance(number, bool) or number < 1
    ):
        raise InputError(
            f"{document.place('parallel', name)}: {name} = {number!r} must be a whole number,"
            " at least 1"
        )
    return number


class _Choice:
    """Numbers of ranks, threads and, where wanted, I/O servers, by separate commands; then all
    other settings with these.
    """

    def __init__(self, request: Request) -> None:
        self.request, self.line, self.began = request, Line(), time.monotonic()
        self.budget = 0.4 * request.seconds

    def run(self, ranks: int | None, threads: int | None, servers: bool) -> int:
        """Returns exit status."""
        cores = launch.cores()
        candidates = ways.shapes(cores, ranks, threads)
        with tempfile.TemporaryDirectory() as folder:
            self.file = Path(folder) / "samples.json"
            shape = candidates[0]
            samples: dict[str, Any] = {}
            if len(candidates) > 1:
                shape, samples = shapes.pick(
                    self.request.file, self.request.settings, candidates, self.budget, self.line
                )
            spent, chosen = self.budget * bool(samples), (shape[0], 0)
            serves: dict[str, Any] = {}
            if servers:
                chosen, serves = self._serving(shape, ranks is not None)
                spent = max(spent, min(time.monotonic() - self.began, 0.6 * self.request.seconds))
            self.line.close()
            self.file.write_text(json.dumps({"shapes": samples, "serving": serves}))
            return self._tune(chosen[0], shape[1], max(1.0, self.request.seconds - spent))

    def _serving(
        self, shape: tuple[int, int], given: bool
    ) -> tuple[tuple[int, int], dict[str, Any]]:
        """Returns (ranks, I/O servers), and what was found of them."""
        until = time.monotonic() + 0.2 * self.request.seconds

        def price(tried: tuple[int, int]) -> Any:
            setting = f"parallel.io_servers={tried[1]}"
            return self._ask(tried[0], tried[1], shape[1], "--set", setting, "--price")

        chosen, found = serving.choose(
            serving.candidates(shape[0], given), price, lambda: time.monotonic() < until
        )
        if not found:
            return chosen, {}
        spread = self._by_node(chosen, shape[1], found, until)
        return chosen, spread | {
            "io_servers": chosen[1],
            "told": serving.told(chosen, found),
            "priced": {f"{r}+{s}": several for (r, s), several in found.items()},
        }

    def _by_node(
        self, chosen: tuple[int, int], threads: int, found: dict[Any, Any], until: float
    ) -> dict[str, Any]:
        """Returns readers and writers other than the usual, and why."""

        def price(name: str, value: Any) -> Any:
            setting = f"parallel.{name}={json.dumps(value)}"
            return self._ask(chosen[0], chosen[1], threads, "--set", setting, "--price")

        usual = min(found[chosen], key=serving.total)

        def in_time() -> Any:
            return time.monotonic() < until

        better = serving.by_node(usual, chosen[1] > 0, price, in_time)
        return {
            "spread": {name: value for name, (value, _) in better.items()},
            "why": {name: why for name, (_, why) in better.items()},
        }

    def _tune(self, ranks: int, threads: int, seconds: float) -> int:
        """Continues with the chosen shape; returns the exit status."""
        request = self.request
        more = [
            *("--seconds", seconds),
            *("--out", request.out),
            *("--shapes", self.file),
            "--proposals" if request.proposals else "--no-proposals",
            *(("--json", request.evidence) if request.evidence else ()),
        ]
        return launch.start(ranks, threads, request.arguments(ranks, threads, *more), None)

    def _ask(self, ranks: int, servers: int, threads: int, *what: Any) -> Any:
        """Returns the output of this command on so many ranks and servers; None where it fails."""
        self.file.unlink(missing_ok=True)
        beside = f", {servers} I/O server{'s' * (servers > 1)}" * bool(servers)
        self.line.redraw(f"{ranks} ranks × {threads} threads{beside}")
        arguments = self.request.arguments(ranks, threads, *what, self.file)
        status = launch.start(ranks + servers, threads, arguments, None)
        if status == 2:
            raise SystemExit(2)  # the error has been printed
        return json.loads(self.file.read_text()) if status == 0 and self.file.exists() else None


def _here(request: Request, ranks: int, threads: int) -> int:
    """Tunes on the ranks that are here."""

    def read(more: list[str]) -> Document:
        document = request.read(more)
        kept = {
            k: v
            for k, v in document.section("parallel").items()
            if k not in of_output or request.price
        }
        document.tables["parallel"] = kept | {"ranks": ranks, "threads": threads}
        return document

    if request.price is not None:
        if (priced := serving.price(read([]))) is not None:
            request.price.write_text(json.dumps(priced))
        return 0
    line = Line() if mpi.is_root else None
    found = ways.tune(read, request.seconds, request.proposals, line)
    if line is not None:
        line.clear()
        _leave(request, found)
    return 0


def _leave(request: Request, found: ways.Tuned) -> None:
    """Writes the tuned file, what was measured, the table."""
    before: dict[str, Any] = {"shapes": {}, "serving": {}}
    if request.shapes:
        before = json.loads(request.shapes.read_text())
    shapes, found.serving = before["shapes"], before["serving"]
    document = request.read([])
    found.named = sorted({*found.named, *document.section("parallel").keys() & of_output})
    text = tuned.tuned_text(document, found, bool(request.settings))
    request.out.write_text(text, encoding="utf-8")
    if request.evidence is not None:
        ways.write(found, request.evidence, shapes)
    tuned.present(found, request.out, shapes)
