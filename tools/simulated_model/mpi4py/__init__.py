"""The part of mpi4py that Fathom uses, on ranks that SimGrid simulates in one process: its own
messages (core/parallel) are simulated one by one; messages of Python, at the start of a run, go
through memory behind a barrier.
"""


class rc:
    initialize = finalize = False
