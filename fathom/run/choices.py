"""Settings measured on this machine for a case, kept from run to run: one small file for
each in the user's cache.

    choices/3f0c5a….json (fathom/base/cache.py):
    {"of": {"processor": ..., "mpi": ..., "case": ..., "ranks": 2, "threads": 1, ...},
     "settings": {"exchange": {"value": "shared", "default": "packed", "how": "tuned", "date":
     "2031-05-01", "gain": 0.021, "noise": 0.004}, ...}}

No answer depends on it, so a file that cannot be read or written costs one line of warning, never a
run. Files are replaced whole.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.base import cache, machine, mpi, provenance, writing
from fathom.base.failure import InputError
from fathom.run import parallel

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation

hows = ("tuned", "measured")  # by `fathom tune`; in the first steps of a run


def identity(simulation: Simulation) -> dict[str, Any]:
    """Returns everything that a choice depends on: processor, library, version, ranks and how they
    lie on nodes, grid and processes. All ranks call it.
    """
    comm, model = simulation.comm, simulation.model
    node = comm.Split_type(mpi.MPI.COMM_TYPE_SHARED)
    of_a_node = comm.allreduce(node.size, mpi.MPI.MAX)
    node.Free()
    processes = [
        (p.name, p.every) for p in model.processes(simulation.time_step, simulation.surface)
    ]
    case = json.dumps(
        [
            type(model).__name__,
            model.precision,
            model.numerics,
            model.grid.fingerprint,
            processes,
        ],
        default=str,
    )
    return {
        "processor": machine.name(),
        "mpi": provenance.library(),
        "fathom": f"{provenance.version()}, core of {Path(mpi.core.__file__).stat().st_size} bytes",
        "ranks": comm.size,
        "ranks_of_a_node": of_a_node,
        "threads": int(simulation.parallel["threads"]),
        "model": type(model).__name__,
        "grid": repr(model.grid),
        "case": hashlib.sha256(case.encode()).hexdigest()[:16],
    }


def settle(simulation: Simulation) -> None:
    """Chooses settings that the user of a simulation did not give: `parallel` and `why` of a
    simulation that is being prepared. All ranks call it.
    """
    how, named = (
        simulation.parallel,
        simulation.named
        | {name for name, value in simulation.parallel.items() if value != parallel.usual[name]},
    )
    kept = {}
    if how["automatic"] and set(parallel.chosen) - named:
        simulation.choices = Choices(identity(simulation))
        kept = simulation.everyone.bcast(simulation.choices.read() if simulation.is_root else None)
    same = simulation.model.numerics.get("reproducible", True)
    simulation.parallel, simulation.why = parallel.settle(
        how, named, kept, ranks=simulation.comm.size, same_bits=same
    )


def learn(simulation: Simulation) -> None:
    """Keeps the tiles that a run has measured in its first steps. All ranks call it."""
    if (
        simulation.choices is None
        or simulation.parallel["tile"] != "measured"
        or "tile" in simulation.named
    ):
        return
    found = tiles(simulation)
    if found and simulation.is_root:
        date = datetime.date.today().isoformat()
        simulation.choices.keep(
            {"tile": {"value": found, "default": "cache", "how": "measured", "date": date}}
        )


def tiles(simulation: Simulation) -> dict[str, int]:
    """Returns columns of each group by its first process, on all ranks the same (the lower median):
    {} while they are still being measured.
    """
    mine = {g["processes"][0]: g["tile"] for g in simulation.sequence.groups if g["tile"]}
    still = any(
        "to be measured" in g["tile_reason"] for g in simulation.sequence.groups if g["tile"]
    )
    everyone = simulation.comm.allgather((mine, still))
    if any(still for _, still in everyone):
        return {}
    return {
        group: sorted(found[group] for found, _ in everyone)[(len(everyone) - 1) // 2]
        for group in mine
    }


class Choices:
    """The settings kept for an identity: name -> {value, default, how, date, gain, noise}."""

    def __init__(self, of: Mapping[str, Any], place: Path | None = None) -> None:
        self.of, self.place = of, place

    @property
    def path(self) -> Path:
        """Returns the file in which they are kept."""
        name = hashlib.sha256(json.dumps(self.of, sort_keys=True).encode()).hexdigest()[:24]
        return (self.place or cache.folder("choices")) / f"{name}.json"

    def read(self) -> dict[str, dict[str, Any]]:
        """Returns the kept choices; none where there is no file, or no valid one."""
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            if content["of"] != self.of:
                return {}
            return {name: _checked(name, setting) for name, setting in content["settings"].items()}
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (
            OSError,
            RuntimeError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
        ) as error:
            self._warn(f"cannot be read ({_brief(error)}): the default settings are used")
            return {}

    def keep(self, settings: Mapping[str, dict[str, Any]]) -> bool:
        """Adds these to the kept settings; only `fathom tune` replaces results of `fathom tune`.
        Returns whether they are kept now.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _alone(self.path.with_suffix(".lock")):
                held = self.read() if self.path.exists() else {}
                held |= {
                    name: s
                    for name, s in settings.items()
                    if s["how"] == "tuned" or held.get(name, s)["how"] != "tuned"
                }
                text = json.dumps({"of": self.of, "settings": held}, indent=1) + "\n"
                writing.replace(self.path, text, private=True)
        except (OSError, RuntimeError) as error:
            self._warn(f"cannot be written ({_brief(error)}): the measurements are not stored")
            return False
        return True

    def forget(self) -> None:
        """Deletes the settings of this identity: they are the usual ones again."""
        with contextlib.suppress(OSError, RuntimeError):
            self.path.unlink()

    def _warn(self, what: str) -> None:
        try:
            where: object = self.path
        except RuntimeError:  # no home
            where = "the user's cache"
        print(f"fathom: {where} {what}", file=sys.stderr, flush=True)


def _checked(name: str, setting: dict[str, Any]) -> dict[str, Any]:
    """Returns a setting of a file, if it is one."""
    if (
        name not in parallel.chosen
        or setting["how"] not in hows
        or not isinstance(setting["date"], str)
    ):
        raise InputError(f"'{name}' is not a setting")
    value = setting["value"]
    if name == "blocks" and not (value is None or _are_blocks(value)):
        raise InputError(f"blocks = {value!r}")
    if name == "distribution" and value not in parallel.distributions:
        raise InputError(f"distribution = {value!r}")
    parallel.checked({name: value})
    if setting.get("gain"):
        float(setting["gain"]), float(setting["noise"]), setting["default"]
    return setting


def _are_blocks(value: object) -> bool:
    if not (isinstance(value, list) and len(value) == 2):
        return False
    return all(type(n) is int and n >= 0 for n in value)


def _brief(error: Exception) -> str:
    return (
        error.strerror
        if isinstance(error, OSError) and error.strerror
        else " ".join(f"{type(error).__name__}: {error}".split())[:120]
    )


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Lets one process in at a time, where the file system can tell."""
    with open(path, "w") as file:
        with contextlib.suppress(ImportError, OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
