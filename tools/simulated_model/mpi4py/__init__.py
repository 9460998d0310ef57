"""What Fathom uses of mpi4py, on ranks that SimGrid simulates in one process: its own messages
(core/parallel) are simulated one by one; what Python tells other ranks, at the start of a run, is
handed over in memory behind a barrier.
"""


class rc:
    initialize = finalize = False
