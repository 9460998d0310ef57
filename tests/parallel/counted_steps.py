"""Prints what each rank asks of MPI in three steps of a small model, and when a field of many
levels is gathered and given back; run by test_counted_messages.py with counted_messages.c
preloaded: python counted_steps.py MODEL.
"""

import ctypes
import json
import sys

import small_atmospheres
import small_spheres
from cases import box, simulate, stirred, wind
from fathom.base import mpi

library = ctypes.CDLL(None)
make = {
    "ocean": lambda: simulate(stirred(box()), surface=wind(), blocks=(13, 9)),
    "spectral": lambda: small_atmospheres.held_suarez(15, 8),
    "grid-point": lambda: small_spheres.aquaplanet(),
}
levels_of = {"ocean": "temperature", "spectral": "eastward_wind", "grid-point": "x_wind"}


def counted(work):
    """Messages, bytes, sums and barriers of this rank in it."""
    ends = []
    for act in (lambda: None, work):
        act()
        numbers = (ctypes.c_long * 4)()
        library.counts_of_mpi(numbers)
        ends.append(list(numbers))
    return [after - before for before, after in zip(*ends)]


sim = make[sys.argv[1]]().prepare()
sim.advance(2)
field = levels_of[sys.argv[1]]
whole = sim.gather(field)  # makes the plan
sim.scatter(field, whole)
found = {"step": counted(lambda: sim.advance(3)), "gather": counted(lambda: sim.gather(field))}
before, whole = sim.fields.checksum([field]), sim.gather(field)
sim.fields.fill(field, 0.0)
found["scatter"] = counted(lambda: sim.scatter(field, whole))
found["same"] = sim.fields.checksum([field]) == before
everyone = sim.comm.gather(found)
if mpi.is_root:
    print(json.dumps(everyone))
