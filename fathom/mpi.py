"""MPI and the compiled core. They are loaded when they are first used, in the right order: the core
needs the MPI library that mpi4py has initialised. `from fathom import mpi` costs nothing.

    mpi.core, mpi.MPI, mpi.world, mpi.is_root
"""

from __future__ import annotations

import os
from typing import Any

__all__ = ["MPI", "core", "is_root", "world"]  # noqa: F822  made when first used


def _load() -> dict[str, Any]:
    import mpi4py

    if "OMP_NUM_THREADS" not in os.environ:
        os.environ["OMP_NUM_THREADS"] = "1"  # a rank has the threads that it is told to have
    # threads that wait leave their core to others
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    mpi4py.rc.thread_level = "funneled"
    from mpi4py import MPI

    try:
        from fathom import _core as core  # after MPI has been initialised
    except ImportError as error:
        raise ImportError(
            f"{error}: Fathom's core is not built beside {__file__}. In the source tree run"
            " `make run` or `pip install .`, and start Python elsewhere or with -P"
        ) from None
    world = MPI.COMM_WORLD
    return {"MPI": MPI, "core": core, "world": world, "is_root": world.rank == 0}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(_load())
    return globals()[name]
