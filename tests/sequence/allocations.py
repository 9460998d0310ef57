"""Prints the calls of malloc in 1 and in 21 warm steps of a small ocean; run by
test_ocean_schedule.py with allocations.c preloaded.
"""

import ctypes

from cases import box, simulate, stirred, wind

library = ctypes.CDLL(None)
library.allocations.restype = library.allocations_of_openmp.restype = ctypes.c_long
sim = simulate(stirred(box()), surface=wind(), blocks=(13, 9))
sim.advance(5)
sequence, fields = sim.sequence, sim.fields


def counted(steps):
    before = library.allocations()
    library.count_allocations(1)
    sequence.advance(fields, steps)
    library.count_allocations(0)
    return library.allocations() - before


counted(1)
print(counted(1), counted(21), library.allocations_of_openmp())
