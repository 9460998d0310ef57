"""What the tests of plans and exchanges share: masks, and what a halo must hold, written down
independently of the core as text books on tripolar grids have it, one-based."""

import itertools

import numpy as np

from fathom import _core

PLACES = ["center", "corner", "east_face", "north_face"]
TOPOLOGIES = {"closed": (False, False), "periodic": (True, False), "tripolar": (True, True)}


def topology(kind, nx, ny):
    periodic, fold = TOPOLOGIES[kind]
    return _core.Topology(nx, ny, periodic, fold)


def depths(nx, ny, seed, land=0.4, levels=20):
    """Random islands of several sizes; wet levels, some blocks entirely dry."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:ny, :nx]
    field = sum(
        rng.normal()
        * np.cos(2 * np.pi * (p * x / nx + rng.random()))
        * np.cos(np.pi * q * y / ny + rng.random())
        / (p + q)
        for p, q in itertools.product(range(1, 5), range(1, 5))
    )
    wet = field > np.quantile(field, land)
    return np.where(
        wet, np.clip((levels * (0.3 + rng.random((ny, nx)))).astype(np.int32), 1, levels), 0
    ).astype(np.int32)


def named(place, i, j, nx, ny, periodic, fold):
    """The owned point (one-based), whether it exists, and the sign of a vector there."""
    if j < 1 or (not periodic and not 1 <= i <= nx):
        return None
    i = (i - 1) % nx + 1
    if not fold:
        return None if j > ny else (i, j, 1)
    wrap = lambda i: (i - 1) % nx + 1
    if place == "center" and j > ny:
        return nx + 1 - i, 2 * ny + 1 - j, -1
    if place == "east_face" and j > ny:
        return wrap(nx - i), 2 * ny + 1 - j, -1
    if place == "corner" and (j > ny or (j == ny and nx / 2 < i < nx)):
        return wrap(nx - i), 2 * ny - j, -1
    if place == "north_face" and (j > ny or (j == ny and i > nx / 2)):
        return nx + 1 - i, 2 * ny - j, -1
    return i, j, 1


def expected(place, block, halo, width, shape, periodic, fold, owner, vector, value):
    """(rows, columns) of a block after the exchange: value(i, j) of zero-based owned points; 0
    where nothing arrives.
    """
    _, i0, j0, nx, ny, _ = block
    out = np.zeros((ny + 2 * halo, nx + 2 * halo))
    for j in range(-width, ny + width):
        for i in range(-width, nx + width):
            s = named(place, i0 + i + 1, j0 + j + 1, *shape, periodic, fold)
            if s and s[1] >= 1 and owner(s[0] - 1, s[1] - 1) >= 0:
                out[j + halo, i + halo] = value(s[0] - 1, s[1] - 1) * (s[2] if vector else 1)
    return out


def owner_of(decomposition):
    blocks = decomposition.blocks
    table = np.full((decomposition.topology.ny, decomposition.topology.nx), -1)
    for _, i0, j0, nx, ny, owner in blocks:
        table[j0 : j0 + ny, i0 : i0 + nx] = owner
    return lambda i, j: table[j, i]


def run_plan(plan, source, target, vector=False, add=False):
    """A plan for all ranks at once: source[rank][block][row, column]."""
    for a, b, fb, tb, fr, fc, tr, tc, count, step, flipped in plan.runs:
        n = np.arange(count)
        values = source[a][fb][fr, fc + step * n] * (-1 if vector and flipped else 1)
        if add:
            target[b][tb][tr, tc + n] += values
        else:
            target[b][tb][tr, tc + n] = values
