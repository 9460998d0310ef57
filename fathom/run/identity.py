"""The identity of a run, by which its directory knows the restarts and stores that are its own.

    run.json    {"id": "9f3c5a…", "start": …, "command": "fathom run box.toml", "began": …, …}

It is made when a run begins anew, and goes along when the run continues: restarts, stores (their
attribute `run`) and summary.json have it. What has another one is not continued, cut or replaced;
with `overwrite` a new run begins, and what an earlier run has left is no part of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.base import provenance, writing
from fathom.base.failure import ExistingFileError, InputError
from fathom.output.formats import restart as restarts
from fathom.run.experiment.written import state_of

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation

name = "run.json"
no_part = ("last-state.fathom", "between.fathom")  # states that are no restarts of a run


@dataclass(frozen=True)
class Identity:
    """One run: its number, and what it began with. `state`: its start, as a file has it.
    `replaces`: it may replace what an earlier run has left in its directory. `stores`: those that
    it has begun there.
    """

    id: str
    start: str
    calendar: str
    model: str
    command: str = ""
    began: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)
    replaces: bool = False
    stores: tuple[str, ...] = ()

    def __str__(self) -> str:
        by = f" that `{self.command}` began" if self.command not in ("", "python") else ""
        return f"the run{by}" + (f" at {self.began}" if self.began else f" {self.id}")

    @property
    def told(self) -> dict[str, Any]:
        """Returns what restarts and the summary have of it."""
        return {k: v for k, v in asdict(self).items() if k not in ("replaces", "stores")}


def made(s: Simulation) -> Identity:
    """Returns a new identity. Where SOURCE_DATE_EPOCH is set, the same experiment has the same."""
    given: dict[str, Any] = {
        "start": str(s.clock.start),
        "calendar": s.clock.calendar,
        "model": type(s.model).__name__,
        "state": json.loads(json.dumps(state_of(s), default=str)),
    }
    own: tuple[Any, ...] = ()
    if "SOURCE_DATE_EPOCH" not in os.environ:
        given["command"] = provenance.command()
        given["began"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        own = platform.node(), os.getpid(), time.time_ns()
    text = json.dumps([given, own], sort_keys=True)
    return Identity(hashlib.sha256(text.encode()).hexdigest()[:16], **given)


def of_mapping(held: Any) -> Identity | None:
    """Returns the identity in what JSON holds; None: it holds none."""
    known = {one.name for one in fields(Identity)}
    try:
        given = {k: v for k, v in held.items() if k in known}
        return Identity(**given | {"stores": tuple(given.get("stores", ()))})
    except (AttributeError, TypeError):
        return None


def of_directory(directory: Path) -> Identity | None:
    """Returns the identity of the run in a directory; None: there is none."""
    try:
        return of_mapping(json.loads((directory / name).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None


def of_restart(path: Path) -> Identity | None:
    """Returns the identity of the run that has written a restart; None: it cannot be read."""
    try:
        with restarts.read(path) as file:
            return of_mapping(file.header.extra.get("run"))
    except (OSError, ValueError):
        return None


def keep(directory: Path, identity: Identity) -> None:
    """Writes the identity of the run in a directory."""
    writing.replace(directory / name, json.dumps(asdict(identity), indent=1) + "\n")


def claim(s: Simulation) -> None:
    """Makes the directory that of this run, whose stores come next."""
    assert s.identity is not None
    begun = dict.fromkeys([*s.identity.stores, *(str(store.path) for store in s.outputs)])
    s.identity = replace(s.identity, stores=tuple(begun))
    if not s.goes_on_here and s.count == s.first_count:
        for left in ("summary.json", "report.html"):  # of an earlier run
            (s.directory / left).unlink(missing_ok=True)
    keep(s.directory, s.identity)


def own_of(directory: Path, found: Iterable[tuple[float, Path, str]]) -> list[tuple[float, Path]]:
    """Returns the restarts of the run in a directory, of those (time [s], path, id of its run)
    found there; a warning names the others. InputError: they are of several runs, and the directory
    does not say which is its own.
    """
    found, there = list(found), of_directory(directory)
    ids = {number for _, _, number in found if number}
    if there is None and len(ids) > 1:
        raise InputError(
            f"{writing.shown(directory)} has restarts of {len(ids)} runs and no {name}, which says"
            " which is its own; --restart names one"
        )
    own = [one for one in found if there is None or one[2] in ("", there.id)]
    if others := [path.name for _, path, _ in found if path not in {path for _, path, _ in own}]:
        warnings.warn(
            f"{writing.shown(directory)}: {', '.join(sorted(others))} are of another run than"
            f" {there}, and are left out",
            stacklevel=2,
        )
    return [(seconds, path) for seconds, path, _ in own]


def settled(s: Simulation) -> tuple[Identity, bool]:
    """Returns the identity of a run that is about to begin, and whether it goes on with the run in
    its directory. InputError: it would go on with another start; ExistingFileError: there is a run,
    which may not be replaced.
    """
    there, new = of_directory(s.directory), s.begins_as
    if (found := _continued(s, there, new)) is not None:
        return found
    if not (s.overwrite or s.resumes) and _holds_a_run(s.directory, there):
        raise ExistingFileError(
            f"{writing.shown(s.directory)} contains a run; continue from its restart (--continue),"
            " choose another directory, or allow it to be replaced (overwrite=True, --overwrite)"
        )
    return replace(new, replaces=s.overwrite), False


def _continued(
    s: Simulation, there: Identity | None, new: Identity
) -> tuple[Identity, bool] | None:
    """Returns the identity of the run that goes on, and whether it does so from a restart; None:
    one begins anew.
    """
    if s.starts_here and s.restart_from is not None:
        of = of_restart(s.restart_from)
        if there is None or of is None or of.id == there.id:
            run = there or of or new
            check_same(run, new)
            return run, True
        if s.resumes:
            raise InputError(
                f"{writing.shown(s.restart_from)} is of {of}, and {writing.shown(s.directory)} has"
                f" {there}: --overwrite begins again"
            )
    elif s.resumes and s.restart_from is None and there is not None:
        check_same(there, new)
        return there, False
    return None


def _holds_a_run(directory: Path, there: Identity | None) -> bool:
    """Returns whether a directory has the summary of a run, or a restart of its own."""
    if (directory / "summary.json").exists():
        return True
    paths = [p for p in directory.glob("*.fathom") if p.name not in no_part] if there else []
    return any((of := of_restart(p)) is not None and there and of.id == there.id for p in paths)


def check_same(run: Identity, now: Identity) -> None:
    """Checks that a run goes on as it began. InputError, with both values: it has another start."""
    both = [
        ("calendar", run.calendar, now.calendar),
        ("start", run.start, now.start),
        ("model", run.model, now.model),
        *((f"[state] {k}", v, now.state[k]) for k, v in run.state.items() if k in now.state),
    ]
    for what, before, here in both:
        if not _alike(before, here):
            raise InputError(
                f"{run} has {what} = {before!r}; this experiment has {here!r}: it cannot continue"
                " that run. Another directory, or --overwrite, begins a new one"
            )


def _alike(one: Any, other: Any) -> bool:
    """Returns whether two values of a start are the same; a file may have been moved."""
    if isinstance(one, str) and isinstance(other, str) and (_is_path(one) or _is_path(other)):
        return Path(one).name == Path(other).name
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_alike(one[k], other[k]) for k in one)
    return bool(one == other)


def _is_path(text: str) -> bool:
    """Returns whether a text is the path of a file; else a slash divides."""
    path = Path(text)
    return "/" in text and (path.suffix[1:2].isalpha() or path.exists())
