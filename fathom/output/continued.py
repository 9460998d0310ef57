"""Stores that a run continues: whose they are, what they hold, how many of their times stay.

A store knows the run that has made it (its attribute `run`), and what is in it (`contents`: the
statistic, variables and coordinates). A restart knows how many times each store had, so that a run
which continues keeps those, and the times after them are written once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom import output
from fathom.base.failure import ExistingFileError, InputError
from fathom.output.specification import VariableSpec, coordinate_arrays

if TYPE_CHECKING:
    from fathom.output.stores import Store

meaning = ("units", "cell_methods", "standard_name", "positive")  # of a variable


def contents(store: Store, coordinates: Any, specs: Iterable[VariableSpec]) -> dict[str, str]:
    """Returns what a store holds, in few words by name: what its numbers are, and where."""
    fit, start = store.fit, store.simulation.clock.start
    found = {
        "statistic": store.statistic or "none",
        "spectral_truncation": "none" if fit is None else str(fit.truncation),
        "time": f"{start} {store.simulation.clock.calendar}",
    }
    for name, (dims, array, _) in coordinate_arrays(coordinates).items():
        values = array.ravel() if array.ndim < 2 else np.asarray(array.shape)
        text = " ".join(f"{v:.6g}" if values.dtype.kind in "fiu" else str(v) for v in values)
        found[f"coordinate {name}"] = _short([dims, text])
    for one in specs:
        told = {key: str(one.attributes[key]) for key in meaning if key in one.attributes}
        found[f"variable {one.name}"] = _short([one.dims, one.dtype, sorted(told.items())])
    return found


def _short(thing: Any) -> str:
    return hashlib.sha256(json.dumps(thing).encode()).hexdigest()[:12]


def is_own(store: Store) -> bool:
    """Returns whether a store that is there was begun by this run; on root."""
    s, path = store.simulation, store.whole_path
    kind = output.writer(path)
    try:
        file = getattr(kind, "encoder", kind)(path)  # an encoder leaves the file as it is
    except (OSError, ValueError, KeyError, RuntimeError):  # it was being made
        return str(store.path) in s.identity.stores
    try:
        known = getattr(file, "attributes", None)
        return str(store.path) in s.identity.stores if known is None else _is_of(known, store)
    finally:
        file.close()


def _is_of(attributes: Mapping[str, Any], store: Store) -> bool:
    """Returns whether a store with these attributes is of the run."""
    return bool(attributes.get("run", "") == store.simulation.identity.id)


def may_replace(store: Store) -> bool:
    """Returns whether a new store may take the place of what is there; on root."""
    s = store.simulation
    goes_on = (s.resumes or s.goes_on_here) and store.whole_path.exists()
    return s.overwrite or s.identity.replaces or (goes_on and is_own(store))


def check(store: Store, now: Mapping[str, str]) -> None:
    """Checks that an open store goes on. ExistingFileError: it is of another run; InputError: it
    holds something else than is asked for now, or lacks times.
    """
    file, path = store.file, store.path
    known = getattr(file, "attributes", None)  # a format of somebody's own may have none
    if known is not None and not _is_of(known, store):
        raise ExistingFileError(
            f"output {path} is of another run, and is not continued; choose another name for it, or"
            " move the file away"
        )
    before = dict(now) if known is None else json.loads(known.get("contents", "{}"))
    if other := [name for name in {**before, **now} if before.get(name) != now.get(name)]:
        raise InputError(
            f"output {path} cannot continue with other contents: {_difference(other, before, now)};"
            " choose another name for it, or begin a new run"
        )
    if len(file.times) < store.kept_times:
        raise InputError(
            f"output {path} has {len(file.times)} times; the restart was written after"
            f" {store.kept_times}: continue from an earlier one, or move the file away"
        )


def _difference(names: list[str], before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Returns what differs, in words; both values where they are words."""
    told = []
    for name in names:
        if name not in before or name not in now:
            told.append(f"{name} is only in the {'file' if name in before else 'request'}")
        elif " " in name:
            told.append(f"another {name}")
        else:
            told.append(f"{name} = {now[name]}, in the file {before[name]}")
    return ", ".join(told)
