"""What cycles keep: arrays in files of their directory."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import mpi, writing
from fathom.base.failure import InputError


def write(path: Path, **arrays: Any) -> None:
    """Writes them by the first rank, whole or not at all."""
    if mpi.is_root:
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing.whole(path) as part:
            np.savez(part, **arrays)
    mpi.world.barrier()  # the file is there for all


def read(path: Path) -> dict[str, np.ndarray]:
    """Returns the arrays of a file by name."""
    with np.load(path) as data:
        return dict(data)


def claim_text(path: Path, experiment: dict[str, Any]) -> None:
    """Marks a directory as that of a chain. InputError: it is another one."""
    there = json.loads(path.read_text()) if path.exists() else experiment
    if there != experiment:
        tables = [n for n in experiment if there.get(n) != experiment[n]]
        raise InputError(
            f"{path.parent} holds another chain, with another [{tables[0] if tables else 'table'}];"
            " take another --out"
        )
    mpi.world.barrier()  # all have read what was there
    if mpi.is_root and not path.exists():
        writing.replace(path, json.dumps(experiment))


def claim(path: Path, experiment: dict[str, Any]) -> None:
    """Marks a directory as that of an experiment, which may get more windows or other methods;
    InputError: it is another one.
    """
    there = json.loads(path.read_text()) if path.exists() else experiment
    of = [copy.deepcopy(e) for e in (there, experiment)]
    for one in of:
        one.pop("cycle"), one["assimilation"].pop("methods")
    if of[0] != of[1]:
        raise InputError(f"{path.parent} holds another experiment; take another --out")
    mpi.world.barrier()  # all have read what was there
    if mpi.is_root and not (path.exists() and there == experiment):
        writing.replace(path, json.dumps(experiment))
