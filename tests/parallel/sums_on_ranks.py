"""Every global sum of the catalogue, in each process of an MPI run; rank 0 prints a digest of the
results.
"""

import hashlib
import json

import numpy as np
from mpi4py import MPI

from fathom.base.mpi import core

comm = MPI.COMM_WORLD
SENTINEL = np.array([0x7FF4DEADBEEFF00D], np.uint64)
result = {}
for name, _ in core.global_sums():
    total = core.global_sum(comm.py2f(), name)
    digest = hashlib.sha256()
    rng = np.random.default_rng(7)
    for size in [1, 2, 10, 96, 3, 3, 3, 1]:
        whole = rng.integers(-(2**40), 2**40, (64, size))
        integers = whole[comm.rank :: comm.size].sum(0)  # the same sum on any ranks
        total.sum(integers)
        assert np.array_equal(integers, whole.sum(0)), (name, size)
        digest.update(integers.tobytes())
        terms = np.random.default_rng(size).normal(size=(comm.size, size))
        mine = terms[comm.rank].copy()
        total.sum(mine)
        assert np.abs(mine - terms.sum(0)).max() <= 1e-14 * comm.size, (name, size)
        everywhere = comm.allgather(mine.tobytes())
        assert len(set(everywhere)) == 1, name  # all ranks hold the same bits
    for n in range(
        60 if comm.size < 4 else 5
    ):  # long sums in a row, with new numbers each time: none may keep values of the last
        whole = np.random.default_rng(n).integers(
            -(2**40), 2**40, (comm.size, (138, 192, 7)[n % 3])
        )
        mine = whole[comm.rank].copy()
        total.sum(mine)
        assert np.array_equal(mine, whole.sum(0)), (name, n)
    # not a number, infinities, the bits of the sentinel as a number and as integers, and values
    # that could be damaged when a word is halved
    nasty = np.array([np.nan, np.inf, -np.inf, SENTINEL.view(float)[0], -0.0, 5e-324])
    got = nasty.copy() if comm.rank == comm.size - 1 else np.zeros(6)
    total.sum(got)
    assert (
        np.isnan(got[[0, 3]]).all()
        and got[1] == np.inf
        and got[2] == -np.inf
        and got[4] == 0
        and got[5] == 5e-324
    ), (name, got)
    nasty = np.array([SENTINEL.view(np.int64)[0], -1, 2**63 - 1, -(2**63), 0xFFFFFFFF, 1 << 32])
    got = nasty.copy() if comm.rank == comm.size - 1 else np.zeros(6, np.int64)
    total.sum(got)
    assert np.array_equal(got, nasty), (name, got)
    result[name] = digest.hexdigest()[:16]
if comm.rank == 0:
    print(json.dumps(result))
