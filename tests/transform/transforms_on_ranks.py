"""Run under mpiexec: transforms on several ranks, NORTH-SOUTH and SQUARE. Rank 0 prints, as JSON,
what must be the same on any of them.
"""

import hashlib
import json
import os

os.environ["OMP_WAIT_POLICY"] = "passive"  # there are more threads here than cores
import numpy as np

from fathom.base.mpi import MPI, core
from harmonics import Case

comm = MPI.COMM_WORLD


def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()[
        :16
    ]


def gathered(case, waves):
    """Coefficients of all ranks, in the order of (m, n)."""
    parts = comm.allgather((case.m, case.n, waves))
    m, n, values = (np.concatenate([p[q] for p in parts]) for q in range(3))
    return values[np.lexsort((n, m))]


def bits(precision, kind, blocks, **options):
    case, L = (
        Case(
            21,
            "cubic" if kind == "octahedral" else "quadratic",
            kind,
            precision,
            comm,
            blocks,
            **options,
        ),
        11,
    )
    f, vorticity, divergence, g = (case.waves(L, seed=s) for s in range(4))
    fields = [case.field(L) for _ in range(6)]

    def items(waves):
        list = case.items(case.transform)
        list.scalar(waves[0], fields[0])
        list.wind(waves[1], waves[2], fields[1], fields[2])
        return list

    first = items([f, vorticity, divergence])
    first.gradient(g, fields[3], fields[4], fields[5])
    case.transform.inverse(first)
    back = [case.waves(L) for _ in range(3)]
    case.transform.direct(items(back))
    assert max(
        np.abs(b - a)[case.n > 0].max(initial=0) for a, b in zip((f, vorticity, divergence), back)
    ) < (1e-11 if precision == 8 else 1e-3)
    adjoint = [case.waves(L) for _ in range(4)]
    last = items(adjoint)
    last.gradient(adjoint[3], fields[3], fields[4], fields[5])
    case.transform.inverse_adjoint(last)
    return (
        digest(*(case.whole(a) for a in fields)),
        digest(*(gathered(case, a) for a in back)),
        digest(*(gathered(case, a) for a in adjoint)),
    )


few = comm.size > 2  # ranks that share cores wait for each other
layouts = [(1, comm.size), (2, 3)] if few else [(1, comm.size), (1, 5), (3, 2), (comm.size, 1)]
same = {}
for precision, kind in ((8, "classical"), (8, "octahedral"), (4, "full"))[: 1 if few else 3]:
    found = set()
    for blocks in layouts:
        for options in ({}, {"fields": 24})[1 if few else 0 :]:
            # the second time, all ranks meet before and after each transposition
            core.synchronise(0, 2 * bool(options), 0)
            found.add(bits(precision, kind, blocks, **options))
    assert len(found) == 1, (precision, kind, found)
    same[f"{kind} {precision}"] = found.pop()
if comm.rank == 0:
    print(json.dumps(same))
