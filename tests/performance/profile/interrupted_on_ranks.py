"""Two ranks, interrupted 200 times a second for 0.5 ms: at once, or each by itself; whether that is
found. The argument says which.
"""

import json
import sys

from fathom.base import mpi
from fathom.performance.scaling.here import at_once, interruptions

source = mpi.core.Interruptions(200.0, 5e-4, sys.argv[1] == "together")
mpi.world.barrier()
pieces = [interruptions(0.1) for _ in range(6)]
found = at_once(mpi.world, pieces)
if mpi.world.rank == 0:
    print(json.dumps(found))
