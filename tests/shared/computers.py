"""Where the tests of devices compute: on a GPU where there is one, else on the processor in the
part of a device.
"""

from fathom import device

name = "processor" if device.missing() else "cuda"


def computer():
    """The core's device."""
    return device.open(name)
