"""Where the tests of devices compute: on a GPU where there is one, else on the processor in the
part of a device.
"""

import fathom as fm
from fathom import device

name = "processor" if device.missing() else "cuda"


def surface(**given):
    """A free surface that does not depend on where it is computed."""
    return fm.FreeSurface(preconditioner="factorisation", **given)


def computer():
    """The core's device."""
    return device.open(name)
