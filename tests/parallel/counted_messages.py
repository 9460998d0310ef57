"""Prints what a small ocean's profile says of its messages, sums and meetings, and what was counted
between it and the library; run by test_counted_messages.py with counted_messages.c preloaded:
python counted_messages.py EXCHANGE LEVEL.
"""

import ctypes
import json
import sys

from cases import box, simulate, stirred, wind
from fathom.base import mpi, regions

library = ctypes.CDLL(None)
exchange, level = sys.argv[1], int(sys.argv[2])
sim = simulate(stirred(box()), surface=wind(), blocks=(13, 9))
sim.parallel.update({"exchange": exchange, "synchronise": level})
sim.advance(2)


def counted():
    numbers = (ctypes.c_long * 4)()
    library.counts_of_mpi(numbers)
    return list(numbers)


regions.begin(sim.comm)
before = counted()
sim.sequence.advance(sim.fields, 5)
after = counted()
mine = regions.mine()
exchanges = [  # those of the factorised preconditioner are collectives
    r for r in mine if r["kind"] == "exchange" and "preconditioner" not in r["path"]
]
meetings = [r for r in mine if r["region"] == "synchronising"]  # within exchanges
told = [sum(r[what] for r in exchanges) for what in ("messages", "bytes")]
told[0] -= sum(r["messages"] for r in meetings)
told.append(sum(r["calls"] for r in meetings))
everyone = sim.comm.gather(([b - a for a, b in zip(before, after)], told))
if mpi.is_root:
    print(json.dumps(everyone))
