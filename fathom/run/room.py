"""Checks that a run fits into the memory of this machine, before the memory is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.base import machine, mpi
from fathom.base.failure import InputError, RoomError
from fathom.run.tree import bytes_text

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation

rank_bytes = 64 << 20  # that each process needs before it has a field

most_threads = 1024  # of a rank


def of_fields(simulation: Simulation) -> str:
    """Returns the memory of the fields of a sequence, in words; all ranks call it."""
    each = simulation.everyone.allgather(simulation.sequence.bytes_allocated)
    ranks, threads = len(each), simulation.parallel["threads"]
    return (
        f"{bytes_text(sum(each))} of fields on {ranks} rank{'s' * (ranks > 1)} × {threads}"
        f" thread{'s' * (threads > 1)}, at most {bytes_text(max(each))} on one"
    )


def for_fields(simulation: Simulation) -> None:
    """Raises RoomError, on all ranks: the fields of a sequence need more memory than a node
    has."""
    # a member's own program is made by its group alone
    comm = simulation.everyone if simulation.fields is None else simulation.comm
    here = float(simulation.sequence.bytes_allocated)
    node = comm.Split_type(mpi.MPI.COMM_TYPE_SHARED)
    free = node.bcast(machine.free_memory())
    needed = node.allreduce(here)
    ranks = node.size
    node.Free()
    _, needed, free, ranks = comm.allreduce((needed / free, needed, free, ranks), mpi.MPI.MAX)
    if needed > free:
        grid = simulation.model.grid
        raise RoomError(
            f"{type(simulation.model).__name__} on {grid!r} needs {bytes_text(needed)} for the"
            f" fields of the {ranks} rank{'s' * (ranks > 1)} on one machine, which has"
            f" {bytes_text(free)} left; take a smaller grid, precision='fp32', or more machines"
        )


def for_threads(threads: int) -> None:
    """Raises ValueError: more than one process can start."""
    if threads > most_threads:
        raise InputError(f"threads = {threads} of a rank; allowed: at most {most_threads}")


def for_ranks(ranks: int, cores: int) -> None:
    """Raises ValueError: more processes than this machine has memory for."""
    most = max(cores, int(machine.free_memory() / rank_bytes))
    if ranks > most:
        raise InputError(
            f"{ranks} ranks (I/O servers included) are asked for; this machine, with {cores}"
            f" core{'s' * (cores > 1)} and {bytes_text(machine.free_memory())} left, has room for"
            f" {most}. On several machines a launcher starts them: mpiexec -n {ranks} fathom run"
            " ..."
        )
