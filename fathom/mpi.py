"""MPI and the compiled core, loaded in this order: the core needs the MPI library that mpi4py has
initialised.
"""

import os

import mpi4py

if "OMP_NUM_THREADS" not in os.environ:
    os.environ["OMP_NUM_THREADS"] = "1"  # a rank has the threads that it is told to have
os.environ.setdefault("GOMP_SPINCOUNT", "1000")  # threads that wait leave their core to others
mpi4py.rc.thread_level = "funneled"
from mpi4py import MPI  # noqa: E402

try:
    from fathom import _core as core  # noqa: E402
except ImportError as error:
    raise ImportError(
        f"{error}: Fathom's core is not built beside {__file__}. In the source tree run `make run`"
        " or `pip install .`, and start Python elsewhere or with -P"
    ) from None

world = MPI.COMM_WORLD
is_root = world.rank == 0

__all__ = ["MPI", "core", "is_root", "world"]
