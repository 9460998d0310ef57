"""Ranks that exchange and sum in mapped memory until one of them is killed. Each prints its process
and its mapped memory with the name of Fathom, then continues without end.
"""

import os
from pathlib import Path

import numpy as np
from mpi4py import MPI

from fathom.base.mpi import core

comm = MPI.COMM_WORLD
d = core.decompose(core.Topology(8, 8), [1] * 64, comm.size, 8, 4, halo=1)
exchange = core.Exchange(comm.py2f(), d, 1, 8, [("center", False, 1, 2)], transport="mapped")
total = core.global_sum(comm.py2f(), "node-mapped")
shapes = [(b[4] + 2, 2, b[3] + 2) for b in d.blocks if b[5] == comm.rank]
fields, number = [[np.zeros(shape) for shape in shapes]], np.ones(3)
times = 0
while True:
    exchange.start(fields)
    exchange.finish(fields)
    total.sum(number)
    number[:] = 1
    times += 1
    if times == 100:
        maps = Path("/proc/self/maps").read_text().splitlines()
        own = {line.split(maxsplit=5)[5] for line in maps if "fathom " in line + " "}
        # one write: lines of two ranks do not mix
        os.write(1, f"{os.getpid()} {comm.rank} {sorted(own)}\n".encode())
