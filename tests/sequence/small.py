"""Small sequences of catalogue processes on a folded, blocked domain with random water: what
tests/sequence shares.

`laplacian(a, b)` is b = L a (reads a at neighbours), `add(a, s)` is s += a (its own column only):
enough to build every pattern of dependence.
"""

import numpy as np

from fathom.base.mpi import core, world
from program import Program

nx, ny, nz = 24, 18, 4
rng = np.random.default_rng(17)
wet = rng.integers(0, nz + 1, (ny, nx)) * (rng.random((ny, nx)) > 0.2)
wet[-1, [0, nx // 2 - 1, nx // 2, nx - 1]] = 0  # the poles of the grid are land
start = rng.standard_normal((nz, ny, nx)) * (np.arange(nz)[:, None, None] < wet)


def laplacian(a, b):
    return core.process("TracerLaplacian").on({"tracer": a, "tracer_laplacian": b})


def add(a, s):
    return core.process("TimeSum").on({"value": a, "statistic": s})


def domain(blocks=(0, 0), halo=2, fold=True):
    return core.Domain(
        world.py2f(), nx, ny, True, fold, nz, wet.astype(np.int32).ravel().tolist(), halo, *blocks
    )


def sequence(processes, where=None, **options):
    """A sequence with even metrics; fields start at 0."""
    s = Program(where or domain(), processes, **options)
    for name, value in {
        "wet_levels": wet,
        "diffusivity_scale": 1.0,
        "length_north_face": 1.0,
        "dy_north_face": 1.0,
        "length_east_face": 1.0,
        "dx_east_face": 1.0,
        "area_center": 8.0,
    }.items():
        if s.has(name):
            s.set(
                name,
                np.broadcast_to(np.asarray(value, float), (ny, nx)).copy(),
                nearest_outside=name != "wet_levels",
            )
    return s


def gather(s, where, name):
    """A field of all blocks, (levels, ny, nx)."""
    windows = s.windows(name)
    whole = np.zeros((windows[0].shape[0], ny, nx))
    for (j0, i0, my, mx), w in zip(where.blocks, windows):
        whole[:, j0 : j0 + my, i0 : i0 + mx] = w
    return whole


def laplacian_of(a):
    """The same on the global array: neighbours across the seam by the rule T(i, ny) = T(nx-1-i,
    ny-1); nothing beyond the southern edge.
    """

    def around(f, outside):
        ext = np.concatenate([np.full_like(f[..., :1, :], outside), f, f[..., -1:, ::-1]], -2)
        return np.concatenate([ext[..., -1:], ext, ext[..., :1]], -1)

    A, level = around(a, 0.0), np.arange(nz)[:, None, None]
    W = level < around(wet, 0)
    flux = lambda sl: np.where(W[sl], A[sl] - a, 0.0)
    mid, low, high = slice(1, -1), slice(None, -2), slice(2, None)
    e, w, n, s = (
        flux((slice(None), *x)) for x in ((mid, high), (mid, low), (high, mid), (low, mid))
    )
    return ((e + w) + (n + s)) / 8.0
