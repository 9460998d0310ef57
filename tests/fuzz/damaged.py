"""Stores and restarts of which a bit is flipped, an end is cut off, or a piece is zero. Each is an
error that names the file, or the values that were written: never other values, never a traceback
of ours.
"""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import cases
import fathom as fm
from fathom import output
from fathom.output.formats import restart

patience = 20.0  # seconds that a reader may take
stores = ("field.zarr", "field.nc", "mean.nc", "restart.fathom")


class Damage(NamedTuple):
    """What is done to one file of a store."""

    store: str
    file: str  # in the run directory
    kind: str  # flip, cut or zero
    place: int  # byte
    size: int  # bytes; for a flip: the number of the bit

    def __str__(self) -> str:
        return f"{self.kind} of {self.file} at byte {self.place}, {self.size}"

    def do(self, directory: Path) -> None:
        path = directory / self.file
        content = bytearray(path.read_bytes())
        if self.kind == "flip":
            content[self.place] ^= 1 << self.size
        elif self.kind == "zero":
            content[self.place : self.place + self.size] = bytes(
                len(content[self.place : self.place + self.size])
            )
        else:
            del content[self.place :]
        path.write_bytes(content)


def run(directory: Path) -> None:
    """A run that leaves one of each."""
    s = fm.Simulation(cases.stirred(cases.box()), "1h", directory=directory)
    for name in ("field.zarr", "field.nc"):
        s.output(name, ["temperature", "sea_surface_height"], every="3h")
    s.output("mean.nc", ["sea_surface_height"], every="3h", statistic="mean")
    s.run("9h", report=False)


def values(path: Path) -> dict[str, np.ndarray]:
    """All that a store or restart holds."""
    if path.suffix == ".fathom":
        with restart.read(path) as file:
            head = np.array([repr(file.header)])
            return {"header": head} | {name: np.array(file[name]) for name in file.names}
    with output.open(path) as dataset, output.told(path):
        return {str(name): held.values for name, held in dataset.variables.items()}


def made(number: int, directory: Path, seed: int) -> Iterator[Damage]:
    """So many damages of what a run left there."""
    chance = random.Random(seed)
    for _ in range(number):
        store = chance.choice(stores)
        path = directory / store
        files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
        file = chance.choice(sorted(files))
        length = file.stat().st_size
        kind = chance.choice(("flip", "flip", "cut", "zero"))
        # half of them near the start, in the header of a file
        place = chance.randrange(min(length, 2000) if chance.random() < 0.5 else length)
        size = chance.randrange(8) if kind == "flip" else chance.choice((1, 16, 512, length))
        yield Damage(store, str(file.relative_to(directory)), kind, place, size)


def tried(number: int, seed: int) -> list[dict[str, str]]:
    """What became of so many: {"case", "what", "said"}; what: error, same, library (HDF5 does not
    return, or ends the process), silent or traceback.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        whole, broken = Path(folder) / "whole", Path(folder) / "broken"
        run(whole)
        written = {store: values(whole / store) for store in stores}
        for damage in made(number, whole, seed):
            shutil.copytree(whole, broken)
            damage.do(broken)
            path = broken / damage.store
            what, said = apart(lambda: _read(path, written[damage.store]))
            found.append({"case": str(damage), "what": what, "said": said})
            shutil.rmtree(broken)
    return found


def _read(path: Path, written: dict[str, np.ndarray]) -> str:
    """What a reader of a damaged file finds."""
    try:
        there = values(path)
    except (OSError, ValueError) as error:
        named = path.name in str(error)
        return f"{'error' if named else 'silent'} {error}"
    except Exception as error:  # the command line would show it with its traceback
        return f"traceback {type(error).__name__}: {error}"
    for name, array in written.items():
        if name not in there:
            return f"silent {name} is gone"
        if not np.array_equal(array, there[name], equal_nan=array.dtype.kind == "f"):
            return f"silent {name} has other values"
    return "same"


def apart(act: Callable[[], str]) -> tuple[str, str]:
    """(what, said) of act() in a separate process, which may die or hang in a library."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            os.write(there, act().encode(errors="replace")[:4000])
        except BaseException as error:
            os.write(there, f"traceback {error!r}".encode())
        finally:
            os._exit(0)
    os.close(there)
    ready, _, _ = select.select([here], [], [], patience)
    said = os.read(here, 4000).decode(errors="replace") if ready else ""
    os.close(here)
    if not said:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    what, _, rest = said.partition(" ")
    return (what, rest) if said else ("library", "it did not come back")
