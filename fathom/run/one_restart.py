"""Restarts of several programs: one folder, one date.

    runs/both/restart-2000-01-11T000000/air.fathom, sea.fathom, programs.json

Each program writes its own restart, with the sums of the means that it gives and the fields that it
has taken; one whose start has not come has none. `programs.json` says what belongs together, and of
which run it is (fathom/run/identity.py); it is written last, in one move: a folder that has it is
complete, whenever a run was killed.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from fathom.base import writing
from fathom.base.failure import InputError
from fathom.base.home import at_home
from fathom.run.identity import Identity, of_mapping, own_of

index = "programs.json"


class Restarts:
    """Those of a run of several programs."""

    def __init__(self, programs: Any) -> None:
        self.programs = programs
        self.folder: Path | None = None  # from which they start
        self.seconds = 0.0  # its time

    def _said(self) -> dict[str, Any]:
        """Returns what a restart must have in common with the programs that continue from it."""
        p = self.programs
        clock = p.clock
        return {
            "programs": sorted(p.members),
            "steps": {name: m.program.time_step for name, m in sorted(p.members.items())},
            "exchanges": sorted(map(str, p.exchanges)),
            "start": str(clock.start),
            "calendar": clock.calendar,
        }

    def write(self, keep: int | None, path: str | Path | None = None) -> Path:
        """Writes one of the present time into a folder, by default with the date in its name; keep:
        how many of those stay, the latest. Returns the folder. All ranks of the programs call it.
        """
        p = self.programs
        p.before_restart()
        name = "restart-" + p.date.strftime("%Y-%m-%dT%H%M%S")
        folder = Path(p.directory, path or name).resolve()
        now = p.seconds
        here = [member for member in p.here if member.late <= now + 1e-6]
        if p.comm.rank == 0:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / index).unlink(missing_ok=True)
        p.comm.barrier()  # the folder is there, without its index
        for member in here:
            member.program.write_state(folder / f"{member.name}.fathom")
        for link in p.boundaries:
            if link.ends[1] in here:
                link.write(folder)
        run = self.run()
        if p.comm.rank == 0:
            p.write_own(folder)
            self._finish(folder, now, keep, run)
        p.comm.barrier()  # the restart is whole for all
        return folder

    def _finish(self, folder: Path, now: float, keep: int | None, run: Identity | None) -> None:
        """Says what a folder of that time [s] has, which is complete then; the oldest of the run
        are deleted where there are more than `keep`.
        """
        p = self.programs
        own = {} if run is None else {"run": run.told}
        said = self._said() | own | {"seconds": now, "date": str(p.date)}
        writing.replace(folder / index, json.dumps(said, indent=1))
        number = "" if run is None else run.id
        earlier = [one for _, one, its in complete(p.directory) if its == number]
        for old in earlier[: -keep if keep else 0]:
            (old / index).unlink()  # first: what is left is no restart
            shutil.rmtree(old)

    def run(self) -> Identity | None:
        """Returns the identity of the run, that of the first program which has one; None: none has.
        All ranks of the programs call it.
        """
        p = self.programs
        here = {m.name: m.program.identity for m in p.here if m.program.identity is not None}
        known = {name: one for part in p.comm.allgather(here) for name, one in part.items()}
        return next((known[name] for name in p.members if name in known), None)

    def _check(self, folder: Path, written: dict[str, Any]) -> None:
        """Checks what a restart must have in common with the programs. InputError: both values."""
        own = self._said()
        for name, member in self.programs.members.items():
            if name in written["steps"] and member.program.takes_other_steps:
                written["steps"][name] = own["steps"][name]  # it says so itself
        for what, value in own.items():
            if written[what] != value:
                raise InputError(
                    f"{folder} was written with {what} = {written[what]!r}; these programs have"
                    f" {value!r}"
                )

    def restore(self, path: str | Path | None) -> float:
        """Lets all programs start from a folder, or from a file in it; None: from the latest.
        Returns the time of the restart [s]. InputError: there is none; another set of programs,
        with both values.
        """
        p = self.programs
        if path is None:
            found = own_of(p.directory, complete(p.directory))
            if not found:
                raise InputError(f"{p.directory} has no complete restart to continue from")
            path = max(found)[1]
        folder = at_home(path)
        folder = folder if folder.is_dir() else folder.parent
        if not (folder / index).is_file():
            raise InputError(f"{path} is no complete restart of several programs: no {index}")
        written = json.loads((folder / index).read_text())
        self._check(folder, written)
        self.seconds, self.folder = float(written["seconds"]), folder.resolve()
        for name, member in p.members.items():
            if member.late <= self.seconds + 1e-6:
                member.program.start_from(folder / f"{name}.fathom")
            elif folder.resolve().parent == p.directory.resolve():
                member.program.resumes = True  # it may have begun there before
            if folder.resolve().parent == p.directory.resolve():
                member.program.handed.restarts = folder.resolve()
        for link in p.boundaries:
            link.restore(folder)
        p.read_own(folder)
        return self.seconds


def complete(directory: Path) -> list[tuple[float, Path, str]]:
    """Returns the complete restarts of a directory, (time [s], folder, id of the run), the latest
    last.
    """
    found = []
    for file in directory.glob(f"restart-*/{index}"):
        try:
            said = json.loads(file.read_text())
            of = of_mapping(said.get("run"))
            found.append((float(said["seconds"]), file.parent, "" if of is None else of.id))
        except (OSError, ValueError, KeyError):  # not a file of this kind
            continue
    return sorted(found)
