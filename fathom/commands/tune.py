"""The verb `fathom tune`: starts ranks and threads where they are not given, to find how many of
each; then tunes on them.
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

from fathom.run import launch


@dataclass(frozen=True)
class Request:
    """What the user asked for. probe, price, shapes: files through which the command talks to
    itself.
    """

    file: Path
    ranks: int | None
    threads: int | None
    settings: tuple[str, ...]
    seconds: float = 60.0
    proposals: bool = True
    out: Path = Path("tuned.toml")
    evidence: Path | None = None
    probe: Path | None = None
    price: Path | None = None
    shapes: Path | None = None

    def read(self, more: list[str]) -> Any:
        """The document with further settings."""
        from fathom.describe.toml import Document

        return Document.read(self.file, (*self.settings, *more))

    def arguments(self, ranks: int, threads: int, *more: Any) -> list[str]:
        """Of the command that does it on so many ranks."""
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
    """Exit status."""
    document = request.read([])
    given = document.tables.get("parallel", {})
    here = launch.launched()
    ranks = request.ranks or given.get("ranks") or (here and here[1])
    threads = (
        request.threads
        or given.get("threads")
        or (
            int(os.environ["OMP_NUM_THREADS"])
            if here and "OMP_NUM_THREADS" in os.environ
            else 1
            if here
            else None
        )
    )
    for name, number in (("ranks", ranks), ("threads", threads)):
        if number is not None and (
            not isinstance(number, int) or isinstance(number, bool) or number < 1
        ):
            raise ValueError(
                f"{document.place('parallel', name)}: {name} = {number!r} must be a whole number,"
                " at least 1"
            )
    if not request.out.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(request.out))
    nowhere = Path(tempfile.gettempdir()) / "no-run-directory"  # Ctrl-C ends at once
    asked = request.probe or request.price or request.shapes
    servers = (
        not asked
        and not here
        and bool(document.tables.get("output"))
        and not given.keys() & _serving
    )
    if ranks and threads and not servers:
        started = ranks + (given.get("io_servers", 0) if request.price else 0)
        return distribute(started, threads, nowhere, lambda: _here(request, ranks, threads))
    return _choose(request, ranks, threads, servers, nowhere)


def _choose(
    request: Request, ranks: int | None, threads: int | None, servers: bool, nowhere: Path
) -> int:
    """How many ranks, threads and, where they are to be found, I/O servers, in commands of their
    own; then all the rest with these.
    """
    from fathom.performance.tune import serving
    from fathom.performance.tune.ways import pick, shapes
    from fathom.run.progress import Line

    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    candidates, given, line, began = (
        shapes(cores, ranks, threads),
        ranks is not None,
        Line(),
        time.monotonic(),
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "samples.json"

        def ask(ranks: int, servers: int, threads: int, *what: Any) -> Any:
            file.unlink(missing_ok=True)
            line.redraw(
                f"{ranks} ranks × {threads} threads"
                + f", {servers} I/O server{'s' * (servers > 1)}" * bool(servers)
            )
            status = launch.start(
                ranks + servers, threads, request.arguments(ranks, threads, *what, file), nowhere
            )
            if status == 2:
                raise SystemExit(2)  # it was said
            return json.loads(file.read_text()) if status == 0 and file.exists() else None

        budget = 0.4 * request.seconds
        probe = lambda ranks, threads, seconds: ask(
            ranks, 0, threads, "--seconds", seconds, "--probe"
        )  # noqa: E731
        (ranks, threads), samples = (
            pick(candidates, probe, budget) if len(candidates) > 1 else (candidates[0], {})
        )
        spent, found, chosen = budget * bool(samples), {}, (ranks, 0)
        if servers:
            until = time.monotonic() + 0.2 * request.seconds
            price = lambda shape: ask(
                shape[0], shape[1], threads, "--set", f"parallel.io_servers={shape[1]}", "--price"
            )  # noqa: E731
            chosen, found = serving.choose(
                serving.candidates(ranks, given), price, lambda: time.monotonic() < until
            )
            spent = max(spent, min(time.monotonic() - began, 0.6 * request.seconds))
        line.close()
        serves = (
            {
                "io_servers": chosen[1],
                "told": serving.told(chosen, found),
                "priced": {f"{r}+{s}": several for (r, s), several in found.items()},
            }
            if found
            else {}
        )
        file.write_text(json.dumps({"shapes": samples, "serving": serves}))
        more = [
            "--seconds",
            max(1.0, request.seconds - spent),
            "--out",
            request.out,
            "--shapes",
            file,
            "--proposals" if request.proposals else "--no-proposals",
        ]
        return launch.start(
            chosen[0],
            threads,
            request.arguments(
                chosen[0],
                threads,
                *more,
                *(("--json", request.evidence) if request.evidence else ()),
            ),
            nowhere,
        )


_serving = {
    "io_servers",
    "per_node",
    "io_sets",
    "io_slots",
}  # of [parallel]: nothing to steps without output


def _here(request: Request, ranks: int, threads: int) -> int:
    """On the ranks that are here."""
    from fathom import mpi
    from fathom.performance.tune import serving, tuned
    from fathom.performance.tune import ways as tune
    from fathom.run.progress import Line

    def read(more: list[str]) -> Any:
        document = request.read(more)
        document.tables["parallel"] = {
            k: v
            for k, v in document.tables.get("parallel", {}).items()
            if k not in _serving or request.price
        } | {"ranks": ranks, "threads": threads}
        return document

    if request.price is not None:
        if (priced := serving.price(read([]))) is not None:
            request.price.write_text(json.dumps(priced))
        return 0
    if request.probe is not None:
        samples = tune.usual(read, request.seconds)
        if mpi.is_root:
            request.probe.write_text(json.dumps(samples))
        return 0
    line = Line() if mpi.is_root else None
    found = tune.tune(read, request.seconds, request.proposals, line)
    if not mpi.is_root:
        return 0
    line.redraw("")
    line.redraw("\r")
    before = (
        json.loads(request.shapes.read_text()) if request.shapes else {"shapes": {}, "serving": {}}
    )
    shapes, found.serving = before["shapes"], before["serving"]
    found.named = sorted(
        {*found.named, *request.read([]).tables.get("parallel", {}).keys() & _serving}
    )
    request.out.write_text(
        tuned.tuned_text(request.read([]), found, bool(request.settings)), encoding="utf-8"
    )
    if request.evidence is not None:
        tune.write(found, request.evidence, shapes)
    tuned.present(found, request.out, shapes)
    return 0
