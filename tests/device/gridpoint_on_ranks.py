"""Grid-point atmospheres on a device, in each process of an MPI run: rank 0 prints what carried.py
says of them. Argument: a list of [name, precision, steps, blocks], as JSON.
"""

import json
import sys

import carried
import computers
from fathom.base import mpi

found = [
    carried.carried(name, precision, steps, device=computers.name, blocks=blocks)
    for name, precision, steps, blocks in json.loads(sys.argv[1])
]
if mpi.is_root:
    print(json.dumps(found))
