"""Run under mpiexec: bi-Fourier transforms on several ranks, NORTH-SOUTH and SQUARE. Rank 0 prints,
as JSON, what must be the same on any of them.
"""

import hashlib
import json
import os

os.environ["OMP_WAIT_POLICY"] = "passive"  # there are more threads here than cores
import numpy as np

from fathom.base.mpi import MPI, core

comm = MPI.COMM_WORLD
POINTS, WAVES, LEVELS = (45, 40), (22, 13), 11
EVERY = 2 * (WAVES[1] + 1)  # more than n of any m


def decomposition(columns, rows):
    nx, ny = POINTS
    cuts = lambda n, parts: [n * q // parts for q in range(parts + 1)]
    owners = [n % comm.size for n in range(columns * rows)]
    points = np.ones(nx * ny, np.int32)
    return core.arrange(
        core.Topology(nx, ny, True), points, comm.size, cuts(nx, columns), cuts(ny, rows), owners, 0
    )


def drawn(own, real, seed):
    """Random coefficients that belong to (m, n), with any owner."""
    every = np.random.default_rng(seed).normal(size=(WAVES[0] + 1, EVERY, 2, LEVELS))
    m, n = own.T
    values = every[m, n % EVERY].astype(real)
    values[(m == 0) & (n == 0), 1] = 0
    return values


def gathered(own, values):
    """Coefficients of all ranks, in the order of (m, n)."""
    m, n, all_values = (
        np.concatenate(part) for part in zip(*comm.allgather((*own.T, values)), strict=True)
    )
    return all_values[np.lexsort((n, m))]


def whole(split, blocks):
    """The field on all ranks."""
    mine = np.zeros((POINTS[1], LEVELS, POINTS[0]))
    own = [b for b in split.blocks if b[5] == comm.rank]
    for values, (_, i0, j0, bx, by, _) in zip(blocks, own, strict=True):
        mine[j0 : j0 + by, :, i0 : i0 + bx] = values
    return sum(comm.allgather(mine))


def bits(real, layout, **options):
    split = decomposition(*layout)
    kind, list_ = (
        (core.BiFourier64, core.TransformItems64)
        if real is np.float64
        else (core.BiFourier32, core.TransformItems32)
    )
    transform = kind(comm.py2f(), POINTS, WAVES, (9e5, 6e5), split, **options)
    own = transform.own
    fields = [
        [np.zeros((b[4], LEVELS, b[3]), real) for b in split.blocks if b[5] == comm.rank]
        for _ in range(6)
    ]

    def run(way, waves):
        items = list_(transform)
        items.scalar(waves[0], fields[0])
        items.wind(waves[1], waves[2], fields[1], fields[2])
        if len(waves) > 3:
            items.gradient(waves[3], *fields[3:])
        getattr(transform, way)(items)
        return waves

    def empty(number):
        return [np.zeros((len(own), 2, LEVELS), real) for _ in range(number)]

    given = run("inverse", [drawn(own, real, seed) for seed in range(4)])
    points = [whole(split, blocks) for blocks in fields]
    back = run("direct", empty(3))
    error = max(np.abs(b - a).max(initial=0) for a, b in zip(given, back))
    assert error < (1e-8 if real is np.float64 else 1), error
    adjoint = run("inverse_adjoint", empty(4))
    run("direct_adjoint", back)
    last = [whole(split, blocks) for blocks in fields[:3]]
    waves = [gathered(own, values) for values in (*back, *adjoint)]
    return hashlib.sha256(b"".join(a.tobytes() for a in (*points, *waves, *last))).hexdigest()


few = comm.size > 2  # ranks that share cores wait for each other
layouts = [(1, comm.size), (2, 3)] if few else [(1, comm.size), (1, 5), (3, 2), (comm.size, 1)]
same = {}
for real in (np.float64, np.float32):
    found = {bits(real, layout, fields=n) for layout in layouts for n in ([24] if few else [0, 24])}
    assert len(found) == 1, (real, found)
    same[real.__name__] = found.pop()
if comm.rank == 0:
    print(json.dumps(same))
