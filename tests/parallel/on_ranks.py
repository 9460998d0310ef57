"""Run under mpiexec: exchanges against what the halo must hold, their adjoints, sums and the
solver. Rank 0 prints, as JSON, what must be the same on any number of ranks."""

import hashlib
import json
import os
import sys

import numpy as np
from mpi4py import MPI

os.environ["OMP_WAIT_POLICY"] = "passive"  # there are more threads here than cores
from elliptic_cases import Case
from fathom import _core
from halos import PLACES, TOPOLOGIES, depths, expected, owner_of, topology

comm = MPI.COMM_WORLD
HALO = 2


def exchanges(kind, shape, block, precision):
    """All places at once, scalars and vectors, levels and widths of all sorts: one message to each
    neighbour.
    """
    nx, ny = shape
    t, kinds = topology(kind, nx, ny), TOPOLOGIES[kind]
    d = _core.decompose(t, depths(nx, ny, seed=3, land=0.5).ravel(), comm.size, *block, halo=HALO)
    own = owner_of(d)
    blocks = [b for b in d.blocks if b[5] == comm.rank]
    items = [
        (place, vector, width, levels)
        for place in PLACES
        for vector, width, levels in ((False, 2, 3), (True, 1, 1), (True, 2, 2))
    ]
    exchange = _core.Exchange(comm.py2f(), d, HALO, precision, items)
    value = lambda n, k: lambda i, j: 1 + i + 64 * j + 4096 * k + 65536 * n
    fields = []
    for n, (place, _, _, levels) in enumerate(items):
        fields.append([])
        for _, i0, j0, bx, by, _ in blocks:
            a = np.zeros(
                (by + 2 * HALO, levels, (bx + 2 * HALO + 7) // 8 * 8 + 8),
                np.float32 if precision == 4 else np.float64,
            )
            for j in range(by):
                for i in range(bx):
                    if t.source(place, i0 + i, j0 + j)[:2] == (i0 + i, j0 + j):
                        a[j + HALO, :, i + HALO] = [
                            value(n, k)(i0 + i, j0 + j) for k in range(levels)
                        ]
            fields[-1].append(a)
    for _ in range(2):  # a second time changes nothing
        exchange.start(fields)
        exchange.finish(fields)
    for n, (place, vector, width, levels) in enumerate(items):
        for a, b in zip(fields[n], blocks):
            for k in range(levels):
                want = expected(place, b, HALO, width, shape, *kinds, own, vector, value(n, k))
                assert np.array_equal(a[:, k, : b[3] + 2 * HALO], want), (
                    kind,
                    place,
                    vector,
                    width,
                    b,
                )
    neighbours = {
        m[1]
        for place in PLACES
        for m in _core.halo_plan(d, place, HALO, 2, comm.rank).messages
        if m[0] == comm.rank != m[1]
    }
    assert exchange.messages == len(neighbours)
    assert (exchange.bytes > 0) == (exchange.messages > 0)


def adjoint(kind, shape, block):
    """<P x, y> = <x, P* y> with the same engine run backwards; exact in integers."""
    d = _core.decompose(
        topology(kind, *shape),
        depths(*shape, seed=3, land=0.5).ravel(),
        comm.size,
        *block,
        halo=HALO,
    )
    blocks = [b for b in d.blocks if b[5] == comm.rank]
    rng = np.random.default_rng(comm.rank)
    some = lambda: [
        rng.integers(-9, 9, (b[4] + 2 * HALO, 2, b[3] + 2 * HALO)).astype(float) for b in blocks
    ]
    none = lambda: [np.zeros((b[4] + 2 * HALO, 2, b[3] + 2 * HALO)) for b in blocks]
    dot = lambda x, y: comm.allreduce(sum((a * b).sum() for a, b in zip(x, y)))
    items = [("corner", True, 2, 2)]
    plan = _core.halo_plan(d, "corner", HALO, 2, comm.rank)
    forward, backward = (
        _core.Exchange.of_plans(comm.py2f(), [p], 8, items, add)
        for p, add in ((plan, False), (plan.adjoint(), True))
    )
    x, y, Px, back = some(), some(), none(), none()
    forward.start([x])
    forward.finish([Px])
    backward.start([y])
    backward.finish([back])
    assert dot(Px, y) == dot(x, back) != 0


def gathers():
    """Chunks of output, collected by ranks 0 and last."""
    nx, ny = 22, 9
    d = _core.decompose(
        topology("tripolar", nx, ny), depths(nx, ny, seed=5).ravel(), comm.size, 4, 3, halo=HALO
    )
    own, blocks = owner_of(d), [b for b in d.blocks if b[5] == comm.rank]
    chunks = [
        (i, j, min(10, nx - i), min(4, ny - j), (comm.size - 1) * (i > 0))
        for j in range(0, ny, 4)
        for i in range(0, nx, 10)
    ]
    exchange = _core.Exchange.of_plans(
        comm.py2f(),
        [_core.gather_plan(d, "center", HALO, chunks, comm.rank)],
        8,
        [("center", False, 0, 1)],
    )
    source = [
        np.pad(
            1.0 + np.arange(b[1], b[1] + b[3]) + 100 * np.arange(b[2], b[2] + b[4])[:, None], HALO
        )
        for b in blocks
    ]
    mine = [c for c in chunks if c[4] == comm.rank]
    target = [np.full((c[3], c[2]), -1.0) for c in mine]
    exchange.start([source])
    exchange.finish([target])
    for (i0, j0, cx, cy, _), a in zip(mine, target):
        want = [
            [1.0 + i + 100 * j if own(i, j) >= 0 else -1.0 for i in range(i0, i0 + cx)]
            for j in range(j0, j0 + cy)
        ]
        assert np.array_equal(a, want)


def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()[
        :16
    ]


def sums():
    rng = np.random.default_rng(8)
    x = rng.normal(size=20_000) * 10.0 ** rng.integers(-8, 9, 20_000)
    bad = np.ones(3)
    if comm.rank == comm.size - 1:
        bad[1] = np.nan
    assert np.isnan(_core.exact_sum(comm.py2f(), bad))  # everywhere
    return _core.exact_sum(
        comm.py2f(), np.ascontiguousarray(rng.permutation(x)[comm.rank :: comm.size])
    ).hex()


def solve(kind, block, preconditioner):
    case = Case(42, 21, *TOPOLOGIES[kind], seed=1)
    solver = case.distribute(comm, block, tolerance=1e-13, preconditioner=preconditioner)
    rng = np.random.default_rng(7)
    b, x = rng.normal(size=(2, *case.wet.shape))
    blocks = case.scatter(x)
    solver.solve(case.scatter(b), blocks)
    try:
        case.distribute(
            comm,
            block,
            maximum_iterations=5 if preconditioner == "diagonal" else 1,
            preconditioner=preconditioner,
        ).solve(case.scatter(b), case.scatter(x))
    except ValueError as error:
        message = str(error)
    return [
        solver.iterations,
        solver.last_residual.hex(),
        digest(case.gather(comm, blocks)),
        message,
    ]


if comm.size > 1 or "--all" in sys.argv:
    for kind in TOPOLOGIES:
        for precision in (4, 8):
            exchanges(kind, (22, 10), (5, 4), precision)
        exchanges(kind, (22, 10), (3, 3), 8)
        exchanges(kind, (24, 13), (0, 0), 8)
        adjoint(kind, (22, 10), (5, 4))
    gathers()
blocks = [(0, 0), (5, 6)] if comm.size > 1 else [(0, 0), (5, 6), (42, 1), (3, 3), (13, 21)]
same = {
    "sum": sums(),
    **{
        f"{kind} {p}": [solve(kind, b, p) for b in blocks]
        for kind in TOPOLOGIES
        for p in ("diagonal", "factorisation")
    },
}
for kind in same.keys() - {"sum"}:  # any blocks: the same bits
    assert all(s == same[kind][0] for s in same[kind]), same[kind]
    same[kind] = same[kind][0]
if comm.rank == 0:
    print(json.dumps(same))
