"""Every way of exchanging brings the same halos each time, with any rank late; in each process of
an MPI run.
"""

import json
import time

import numpy as np
from mpi4py import MPI

from fathom.base.mpi import core
from halos import depths, topology

comm = MPI.COMM_WORLD
HALO = 2
SENTINEL = np.array(0x7FF4_DEAD_BEEF_F00D, np.uint64)  # of put-sentinel
late = np.random.default_rng(comm.rank)
exchanged = 0
for kind, shape, block, precision in [
    ("tripolar", (42, 21), (7, 5), 8),
    ("tripolar", (42, 21), (0, 0), 4),
    ("closed", (19, 13), (4, 3), 4),
]:
    d = core.decompose(
        topology(kind, *shape),
        depths(*shape, seed=3, land=0.5).ravel(),
        comm.size,
        *block,
        halo=HALO,
    )
    items = [("center", False, 2, 3), ("corner", True, 2, 1), ("center", False, 1, 1)]
    exchanges = {
        name: core.Exchange(comm.py2f(), d, HALO, precision, items, transport=name)
        for name, _ in core.transports()
    }
    blocks = [b for b in d.blocks if b[5] == comm.rank]
    dtype = {4: np.float32, 8: np.float64}[precision]
    for turn in range(6):
        rng = np.random.default_rng([turn, comm.rank])
        start = [
            [
                rng.normal(size=(b[4] + 2 * HALO, levels, b[3] + 2 * HALO)).astype(dtype)
                for b in blocks
            ]
            for *_, levels in items
        ]
        for array in start[0] + start[2] if turn % 2 else []:  # bits that stand for "not here yet"
            words = array.reshape(-1)[: array.size // 2 * 2].view(np.uint64)
            words[:: turn + 1] = SENTINEL ^ np.arange(len(words[:: turn + 1]), dtype=np.uint64)
        results = {}
        for name, exchange in exchanges.items():
            fields = [[a.copy() for a in f] for f in start]
            if late.random() < 0.3:
                time.sleep(0.002)
            exchange.start(fields)
            exchange.finish(fields)
            results[name] = b"".join(a.tobytes() for f in fields for a in f)
        assert all(r == results["packed"] for r in results.values()), (
            kind,
            turn,
            [n for n, r in results.items() if r != results["packed"]],
        )
    exchanged += exchanges["packed"].bytes
if comm.rank == 0:
    print(json.dumps(exchanged))
