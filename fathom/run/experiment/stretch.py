"""What the record of a run says of time: from where it starts, and how long it runs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fathom.base.clock import Period
from fathom.output.formats import restart as restarts

replaced = ("restart.fathom", "restart-now.fathom")  # names that a run gives to its own restarts


@dataclass
class Stretch:
    """The length of a run and the restart that it begins from, as a file has them. `lost`: what a
    file cannot have of it. `earlier`: the record of the run that it continues in its directory.
    """

    run: str | None = None
    restart: str | None = None
    lost: str = ""
    earlier: Mapping[str, Any] = field(default_factory=dict)


def earlier(directory: Path) -> dict[str, Any]:
    """Returns the record of the run in a directory; {}: there is none."""
    try:
        return tomllib.loads((directory / "resolved.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def stretch_of(s: Any, period: Any, now: Mapping[str, Any]) -> Stretch:
    """Returns the stretch of a simulation that is about to run to `s.end`; now: its tables.

    A run that continues another in its directory, with the same model, has the start of that run,
    so that its record is that of both.
    """
    before, begin = s.stretch.earlier, s.first_count * s.time_step
    if s.restart_from is None:
        return Stretch(_length(s, period, begin), earlier=before)
    own, lost = s.restart_from.resolve(), ""
    if s.goes_on_here:
        first = before.get("simulation", {}).get("restart")
        if _same(before, now) and (started := _seconds_in(first)) is not None:
            return Stretch(_length(s, None, started), first, earlier=before)
        if own.name in replaced:
            lost = f"{own} of {s.clock.date(begin)}, which the run has replaced"
    run = _length(s, period, begin)
    return Stretch(run, None if lost else str(own), lost, earlier=before)


def _length(s: Any, period: Any, begin: float) -> str:
    """Returns the length from `begin` [s] to the end: the given one, if it is the whole."""
    if period is not None and s.clock.after(begin, Period(period)) == s.end:
        return str(Period(period))
    seconds = s.end - begin
    return f"{int(seconds)}s" if seconds == int(seconds) else f"{seconds!r}s"


def _seconds_in(path: str | None) -> float | None:
    """Returns the time of a restart [s], 0 without one; None: it cannot be read any more."""
    if path is None:
        return 0.0
    try:
        with restarts.read(path) as file:
            return float(file.header.seconds)
    except (OSError, ValueError):
        return None


def _same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Returns whether two records are of one model with one start, whatever the length and the
    output.
    """
    return _told(before) == _told(now)


def _told(record: Mapping[str, Any]) -> dict[str, Any]:
    free = ("run", "restart", "checkpoint", "python")
    simulation = {k: v for k, v in record.get("simulation", {}).items() if k not in free}
    names = ("constants", "grid", "model", "state", "not_written")
    return {"simulation": simulation, **{name: record.get(name) or {} for name in names}}
