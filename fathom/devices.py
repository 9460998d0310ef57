"""Devices on which models run."""

from fathom import mpi


def open(name):
    """The device of that name, of `fathom.run.parallel.devices`."""
    if name == "processor":
        return mpi.core.processor_device()
    raise ValueError("no device yet")
