"""Forcing in time: records at the middles of months, interpolated between them; the next is read while the model runs on."""

import numpy as np

from fathom import reading
from fathom.failure import RunFailure


class Forcing:
    """What `surface.records(model, month)` gives, for the fields NAME_previous and NAME_next of a sequence."""

    def __init__(self, surface, model, readers):
        self.months = None
        self.records = reading.Ahead(readers, lambda month: surface.records(model, month))

    def load(self, simulation):
        """The records around now into the fields; how many steps they are good for. All ranks call it, all get the same RunFailure where one cannot be read."""
        s = simulation
        before, after, t0, t1 = s.clock.month_bracket(s.seconds)
        if (before, after) != self.months:
            coming = [s.clock.month_bracket(t1 + s.step)[1]] if t1 < s.end else []
            for suffix, month, ahead in (("_previous", before, [after]), ("_next", after, [after, *coming])):
                for name, values in self._fields(month, ahead):
                    s.sequence.set(name + suffix, np.ascontiguousarray(values, float), nearest_outside=True)
            s.sequence.ramp("forcing_weight", s.step, t0, t1 - t0)
            self.months = (before, after)
            s.tidy()
        return max(1, int(np.ceil((t1 - s.seconds) / s.step - 1e-9)))

    def _fields(self, month, ahead):
        try:
            yield from self.records.items(month, ahead)
        except (OSError, ValueError, KeyError) as error:
            raise RunFailure(f"the forcing of month {month + 1} cannot be read: {error}") from error
