"""Halos in memory of a device hold the bits that they hold in that of the processor, whatever
travels and however; in each process of an MPI run.
"""

import itertools
import json
import sys

import numpy as np
from mpi4py import MPI

from computers import computer
from fathom.base.mpi import core
from halos import PLACES, TOPOLOGIES, depths, topology

comm = MPI.COMM_WORLD
HALO = 2
device = core.load_device(sys.argv[1]) if len(sys.argv) > 1 else computer()
some = [
    (place, vector, width, levels)
    for place in PLACES
    for vector, width, levels in ((False, 2, 3), (True, 1, 1), (True, 2, 2))
]
many = [("center", n % 2 == 1, 1 + n % 2, 1 + n % 3) for n in range(40)]  # more than one launch
packing = [n for n, _ in core.transports() if n != "datatypes"]


def start_values(items, blocks, dtype, seed):
    """Numbers of both signs and zeros, halos too."""
    rng = np.random.default_rng([seed, comm.rank])
    list_of = lambda levels: [
        rng.normal(size=(b[4] + 2 * HALO, levels, (b[3] + 2 * HALO + 7) // 8 * 8)).astype(dtype)
        * (rng.random((b[4] + 2 * HALO, levels, 1)) < 0.8)
        for b in blocks
    ]
    return [list_of(levels) for *_, levels in items]


def bits(fields):
    return b"".join(a.tobytes() for f in fields for a in f)


moved = 0
for (kind, (shape, block)), precision in itertools.product(
    itertools.product(TOPOLOGIES, [((22, 10), (5, 4)), ((24, 13), (0, 0))]), (4, 8)
):
    dtype = {4: np.float32, 8: np.float64}[precision]
    d = core.decompose(
        topology(kind, *shape), depths(*shape, seed=3, land=0.5).ravel(), comm.size, *block
    )
    blocks = [b for b in d.blocks if b[5] == comm.rank]
    for items, transport in [(many, "packed"), *((some, t) for t in packing)]:
        make = lambda: core.Exchange(comm.py2f(), d, HALO, precision, items, transport=transport)
        there, here = make(), make()
        there.on_device(device)
        for turn in range(2):
            given = start_values(items, blocks, dtype, turn)
            sides = []
            for exchange in (there, here):
                fields = [[a.copy() for a in f] for f in given]
                exchange.start(fields)
                exchange.finish(fields)
                sides.append(bits(fields))
            assert sides[0] == sides[1], (kind, shape, block, precision, transport)
            moved += sides[0] != bits(given)

# A plan that gathers copies from some fields to others.
d = core.decompose(topology("tripolar", 22, 9), depths(22, 9, seed=5).ravel(), comm.size, 4, 3)
plan = core.gather_plan(
    d, "center", HALO, [(0, 0, 10, 4, 0), (10, 0, 12, 9, comm.size - 1)], comm.rank
)
blocks = [b for b in d.blocks if b[5] == comm.rank]
source = start_values([("center", False, 0, 2)], blocks, np.float64, 9)
shapes = [s for s, rank in (((4, 2, 10), 0), ((9, 2, 12), comm.size - 1)) if rank == comm.rank]
targets = []
for on_device in (True, False):
    exchange = core.Exchange.of_plans(comm.py2f(), [plan], 8, [("center", False, 0, 2)])
    if on_device:
        exchange.on_device(device)
    targets.append([[np.full(shape, -1.0) for shape in shapes]])
    exchange.start(source)
    exchange.finish(targets[-1])
assert bits(targets[0]) == bits(targets[1])

try:
    exchange = core.Exchange(comm.py2f(), d, HALO, 8, some, transport="datatypes")
    exchange.on_device(device)
    exchange.start(start_values(some, blocks, np.float64, 0))
    said = ""
except ValueError as error:
    said = str(error)
try:
    core.Exchange.of_plans(
        comm.py2f(), [plan.adjoint()], 8, [("center", False, 0, 2)], add=True
    ).on_device(device)
except ValueError as error:
    said += str(error)
if comm.rank == 0:
    print(json.dumps({"moved": moved, "said": said}))
