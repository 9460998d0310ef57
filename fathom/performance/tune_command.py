"""The verb `fathom tune`: starts ranks and threads where they are not given, to find how many of each; then tunes on them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom import launch


@dataclass(frozen=True)
class Request:
    """What the user asked for. probe, shapes: files through which the command talks to itself."""

    file: Path
    ranks: int | None
    threads: int | None
    settings: tuple[str, ...]
    seconds: float = 60.0
    proposals: bool = True
    out: Path = Path("tuned.toml")
    evidence: Path | None = None
    probe: Path | None = None
    shapes: Path | None = None

    def read(self, more: list[str]) -> Any:
        """The document with further settings."""
        from fathom.toml import Document

        return Document.read(self.file, (*self.settings, *more))

    def arguments(self, ranks: int, threads: int, *more: Any) -> list[str]:
        """Of the command that does it on so many ranks."""
        settings = [text for setting in self.settings for text in ("--set", setting)]
        return ["tune", str(self.file), "--ranks", str(ranks), "--threads", str(threads), *settings, *map(str, more)]


def run(request: Request, distribute: Callable[..., int]) -> int:
    """Exit status."""
    document = request.read([])
    given = document.tables.get("parallel", {})
    here = launch.launched()
    ranks = request.ranks or given.get("ranks") or (here and here[1])
    threads = request.threads or given.get("threads") or (int(os.environ["OMP_NUM_THREADS"]) if here and "OMP_NUM_THREADS" in os.environ else 1 if here else None)
    for name, number in (("ranks", ranks), ("threads", threads)):
        if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
            raise ValueError(f"{document.place('parallel', name)}: {name} = {number!r} must be a whole number, at least 1")
    nowhere = Path(tempfile.gettempdir()) / "no-run-directory"  # Ctrl-C ends at once
    if ranks and threads:
        return distribute(ranks, threads, nowhere, lambda: _here(request, ranks, threads))
    return _choose_shape(request, ranks, threads, nowhere)


def _choose_shape(request: Request, ranks: int | None, threads: int | None, nowhere: Path) -> int:
    """How many ranks and threads, in commands of their own; then all the rest with these."""
    from fathom.performance.tune import pick, shapes
    from fathom.progress import Line

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    candidates, line = shapes(cores, ranks, threads), Line()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "samples.json"

        def probe(ranks: int, threads: int, seconds: float) -> list[float] | None:
            file.unlink(missing_ok=True)
            line.redraw(f"{ranks} ranks × {threads} threads")
            status = launch.start(ranks, threads, request.arguments(ranks, threads, "--seconds", seconds, "--probe", file), nowhere)
            if status == 2:
                raise SystemExit(2)  # it was said
            return json.loads(file.read_text()) if status == 0 and file.exists() else None

        budget = 0.4 * request.seconds
        (ranks, threads), samples = pick(candidates, probe, budget) if len(candidates) > 1 else (candidates[0], {})
        line.close()
        file.write_text(json.dumps(samples))
        more = ["--seconds", request.seconds - budget * bool(samples), "--out", request.out, "--shapes", file, "--proposals" if request.proposals else "--no-proposals"]
        return launch.start(ranks, threads, request.arguments(ranks, threads, *more, *(("--json", request.evidence) if request.evidence else ())), nowhere)


def _here(request: Request, ranks: int, threads: int) -> int:
    """On the ranks that are here."""
    from fathom import mpi
    from fathom.performance import tune, tuned
    from fathom.progress import Line

    def read(more: list[str]) -> Any:
        document = request.read(more)
        document.tables["parallel"] = document.tables.get("parallel", {}) | {"ranks": ranks, "threads": threads}
        return document

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
    shapes = json.loads(request.shapes.read_text()) if request.shapes else {}
    request.out.write_text(tuned.tuned_text(request.read([]), found, bool(request.settings)), encoding="utf-8")
    if request.evidence is not None:
        tune.write(found, request.evidence, shapes)
    tuned.present(found, request.out, shapes)
    return 0
