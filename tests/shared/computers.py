"""Where the tests of devices compute: on a GPU where there is one, else on the processor in the
part of a device.
"""

import fathom as fm
from fathom import output
from fathom.model import device

name = "processor" if device.missing() else "cuda"


def surface(**given):
    """A free surface that does not depend on where it is computed."""
    return fm.FreeSurface(preconditioner="factorisation", **given)


def computer():
    """The core's device."""
    return device.open(name)


def there_and_back(folder, make, variables, half):
    """Half of a run on a device and half without, in either order: the state at the end, and what
    is written. make(directory, parallel): its simulation; half: minutes.
    """
    found = []
    for n, devices in enumerate([(None, None), (name, None), (None, name)]):
        for part, on in enumerate(devices):
            s = make(folder / str(n), {"device": on} if on else {})
            s.output("mean.nc", variables, every=f"{half // 2}min", statistic="mean")
            s.checkpoint(every=f"{half}min", path=f"{part}.fathom")
            if part:
                s.restore(folder / str(n) / "0.fathom")
            s.run(f"{half}min", report=False)
        found.append((s.checksum(), output.open(folder / str(n) / "mean.nc").load()))
    for sum_, means in found[1:]:
        assert sum_ == found[0][0]
        assert means.time.size == 4 and means.equals(found[0][1])
