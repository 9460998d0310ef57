"""What Fathom finds on this machine: what `fathom doctor` prints. Each row is looked up or tried by
itself, so that one that fails costs only itself.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

from fathom.base import cache, machine, mpi, provenance
from fathom.base.failure import Error
from fathom.model import plugins
from fathom.run import launch
from fathom.run.tree import bytes_text

little = 1e9  # bytes of disk below which a run of a day may not have room


@dataclass(frozen=True)
class Row:
    """name: of what; text: what was found; wrong: what to do about it, "" where all is well;
    needed: no run without it.
    """

    name: str
    text: str
    wrong: str = ""
    needed: bool = False


def rows() -> Iterator[Row]:
    """Yields what there is, row by row: the last ones start processes."""
    for name, look in _looks.items():
        try:
            yield from look(name)
        except (Error, OSError, ImportError, RuntimeError, subprocess.SubprocessError) as error:
            yield Row(name, "not found", " ".join(str(error).split()), name in _needed)


def _fathom(name: str) -> Iterator[Row]:
    made = provenance.build()
    commit = f", commit {made['commit']}" if made.get("commit") else ""
    yield Row(name, f"{provenance.version()}{commit}, in {Path(__file__).parents[1]}")
    if made:
        yield Row("built by", f"{made['compiler']}  {made['flags']}")


def _python(name: str) -> Iterator[Row]:
    yield Row(name, f"{platform.python_version()}, {sys.executable}")


def _packages(name: str) -> Iterator[Row]:
    """What Fathom asks for, and which of it does not fit."""
    from packaging.requirements import Requirement  # start-up time

    found, wrong, optional = [], [], []
    for text in metadata.requires("fathom-models") or ():
        wanted = Requirement(text)
        extra = re.search(r'extra == ["\'](\w+)', str(wanted.marker or ""))
        try:
            version = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            version = ""
        if extra:
            optional += [f"{wanted.name} {version}"] if version else []
        elif not version or version not in wanted.specifier:
            wrong.append(f"{wanted} is needed, {version or 'none'} is there")
        else:
            found.append(f"{wanted.name} {version}")
    yield Row(name, ", ".join(found), "; ".join(wrong), needed=True)
    if optional:
        yield Row("and", ", ".join(sorted(set(optional))))


def _core(name: str) -> Iterator[Row]:
    mpi.check_processor()
    yield Row(name, f"{Path(mpi.core.__file__).name}, made for {mpi.core.mpi_of_build}")
    yield Row("MPI", provenance.library())


def _processor(name: str) -> Iterator[Row]:
    try:
        sets = import_module("fathom.built").instructions.split()
    except (ImportError, AttributeError):
        sets = []
    uses = f"; the core uses {', '.join(sets)}" if sets else ""
    yield Row(name, f"{machine.name()}, {platform.machine()}{uses}")


def _threads(name: str) -> Iterator[Row]:
    threads, cores = launch.threads_of_environment(), launch.cores()
    said = {n: os.environ[n] for n in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_PROC_BIND",
                                       "GOMP_SPINCOUNT") if os.environ.get(n)}  # fmt: skip
    words = ", ".join(f"{n}={value}" for n, value in said.items())
    crowded = f"{threads} threads on {cores} cores: set OMP_NUM_THREADS to {cores} or less"
    yield Row(name, f"{threads} a rank, {cores} cores{f' ({words})' * bool(words)}",
              crowded if threads > cores else "")  # fmt: skip


def _blas(name: str) -> Iterator[Row]:
    import numpy as np  # start-up time

    told = np.show_config(mode="dicts")
    blas = (told or {}).get("Build Dependencies", {}).get("blas", {})
    yield Row(name, f"{blas.get('name', 'unknown')} {blas.get('version', '')}, of NumPy".strip())


def _memory(name: str) -> Iterator[Row]:
    yield Row(name, f"{bytes_text(machine.free_memory())} free to this process")


def _disks(name: str) -> Iterator[Row]:
    places = {name: Path.cwd(), "temporary files": Path(os.environ.get("TMPDIR") or "/tmp")}
    if Path("/dev/shm").is_dir():
        places["shared memory"] = Path("/dev/shm")
    for what, place in places.items():
        free = shutil.disk_usage(place).free
        wrong = "" if os.access(place, os.W_OK) else "nothing can be written here"
        if what == name and free < little:
            wrong = "little room: runs write output, restarts and a report"
        yield Row(what, f"{bytes_text(free)} free in {place}", wrong)


def _caches(name: str) -> Iterator[Row]:
    home = cache.folder("schemes").parent
    files = [file for file in home.rglob("*") if file.is_file()] if home.is_dir() else []
    size = sum(file.stat().st_size for file in files)
    upper = next(place for place in (home, *home.parents) if place.exists())
    refused = "" if os.access(upper, os.W_OK) else "cannot be written; name another: FATHOM_CACHE"
    yield Row(name, f"{home}, {len(files)} files, {bytes_text(size)}", refused)


def _compiler(name: str) -> Iterator[Row]:
    """For schemes of one's own; runs need none."""
    cxx = plugins.compiler()
    said = subprocess.run([cxx, "--version"], capture_output=True, text=True, timeout=20)
    yield Row(name, f"{cxx}, {said.stdout.partition(chr(10))[0]}")


def _launcher(name: str) -> Iterator[Row]:
    """Starts two ranks, and sees that they are in one world."""
    command = [launch.mpiexec(), *launch.on_this_machine(), "-n", "2", sys.executable, "-P", "-c",
               "from mpi4py import MPI; print(MPI.COMM_WORLD.allreduce(1))"]  # fmt: skip
    clean = {n: v for n, v in os.environ.items() if not n.startswith(("PMI_", "PMIX_"))}
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=clean)
    seconds = time.monotonic() - began
    good = done.returncode == 0 and "".join(done.stdout.split()) == "22"  # ends of lines may swap
    said = " ".join((done.stderr or done.stdout).split())[:200]
    wrong = "" if good else f"two ranks do not meet ({said}): start them with the site's mpiexec"
    yield Row(name, f"{command[0]}; two ranks met after {seconds:.1f} s" if good else command[0],
              wrong)  # fmt: skip


def _slurm(name: str) -> Iterator[Row]:
    srun, job = shutil.which("srun"), os.environ.get("SLURM_JOB_ID")
    if srun or job:
        nodes = os.environ.get("SLURM_JOB_NUM_NODES", "?")
        inside = f"job {job} on {nodes} nodes" if job else "no job"
        yield Row(name, f"{srun or 'no srun here'}, {inside}")
    else:
        yield Row(name, "none here")


def _stores(name: str) -> Iterator[Row]:
    ways = {"s3fs": "s3://", "gcsfs": "gs://", "aiohttp": "https://"}
    there = [way for package, way in ways.items() if find_spec("fsspec") and find_spec(package)]
    how = "pip install fsspec with s3fs, gcsfs or aiohttp opens s3://, gs://, https://"
    yield Row(name, ", ".join(there) or f"none: {how}")


_looks: dict[str, Callable[[str], Iterator[Row]]] = {
    "Fathom": _fathom,
    "Python": _python,
    "packages": _packages,
    "processor": _processor,
    "threads": _threads,
    "core": _core,
    "BLAS": _blas,
    "memory": _memory,
    "disk": _disks,
    "cache": _caches,
    "remote stores": _stores,
    "compiler": _compiler,
    "launcher": _launcher,
    "Slurm": _slurm,
}
_needed = {"packages", "core"}
