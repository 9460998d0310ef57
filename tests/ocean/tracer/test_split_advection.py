"""Advection without new extremes: bounds, content and constants for any flow that leaves water in
its cells, and the order of both schemes.
"""

import numpy as np
import pytest

from closed_basin import transports
from operators import order, run

schemes = ["LaxWendroff", "Quickest"]
nz, ny, nx = 5, 16, 21
thickness = np.array([7.0, 11.0, 20.0, 45.0, 60.0])


def basin(seed):
    """A closed basin with land and steps, a moving surface, and a random flow: the largest share of
    a cell that leaves in one direction is 0.4.
    """
    rng = np.random.default_rng(seed)
    wet = np.zeros((ny, nx))
    wet[3:-3, 3:-3] = rng.integers(0, nz + 1, (ny - 6, nx - 6)) * (
        rng.random((ny - 6, nx - 6)) > 0.15
    )
    wet[5:10, 5:13] = nz
    corner = np.zeros_like(wet)
    corner[:-1, :-1] = np.minimum(
        np.minimum(wet[:-1, :-1], wet[:-1, 1:]), np.minimum(wet[1:, :-1], wet[1:, 1:])
    )
    metrics = {
        n: 1e5 * (0.5 + rng.random((ny, nx)))
        for n in ("dx_corner", "dy_corner", "dx_center", "dy_center")
    }
    levels = np.arange(nz)[:, None, None]
    g = metrics | {
        "area_center": 1e10 * (0.5 + rng.random((ny, nx))),
        "thickness": thickness,
        "wet_levels": wet,
        "depth_corner": np.r_[0, np.cumsum(thickness)][corner.astype(int)],
    }
    center = levels < wet
    u, v = (rng.standard_normal((nz, ny, nx)) * (levels < corner) for _ in "uv")
    eta = rng.standard_normal((ny, nx)) * center[0]
    f = {name: np.nan_to_num(x) for name, x in transports(g, u, v).items()}
    out = lambda to, back: np.maximum(to, 0) + np.maximum(-back, 0)
    up = f["transport_up"].copy()
    up[0] = 0
    volume = g["area_center"] * thickness[:, None, None] * np.ones_like(u)
    volume[0] += g["area_center"] * eta
    shares = [
        out(f["transport_east"], f["transport_west"]) / volume,
        out(f["transport_north"], f["transport_south"]) / volume,
        out(up[:-1], up[1:]) / volume,
    ]
    step = 0.4 / max(
        s[center].max() for s in shares
    )  # a cell that two sweeps have emptied has half of its water or more
    after = volume - step * (
        f["transport_east"]
        - f["transport_west"]
        + f["transport_north"]
        - f["transport_south"]
        + up[:-1]
        - up[1:]
    )
    return g | f | {"sea_surface_height": eta}, center, step, volume, after, rng


def advected(scheme, g, T, step):
    g = g | {
        name: np.nan_to_num(x, nan=1.0)
        for name, x in run("SweepVolumes", g, len(T), step=step).items()
    }
    swept = run(f"{scheme}Sweep", g | {"tracer": T}, len(T), step=step)["tracer_swept"]
    return np.nan_to_num(
        run(
            f"{scheme}Advection",
            g | {"tracer": T, "tracer_swept": np.nan_to_num(swept)},
            len(T),
            step=step,
        )["tracer_tendency"]
    )


@pytest.mark.parametrize("scheme", schemes)
@pytest.mark.parametrize("seed", range(4))
def test_no_new_extremes_in_three_dimensions(scheme, seed):
    """Each value lies between the least and the largest of the 27 cells around it, for blocks,
    noise and steps alike.
    """
    g, center, step, volume, after, rng = basin(seed)
    T = [
        rng.random((nz, ny, nx)),
        1.0 * (rng.random((nz, ny, nx)) > 0.5),
        np.where(np.arange(nx) < nx // 2, 0.0, 1.0) * np.ones((nz, ny, nx)),
    ][seed % 3]
    new = (volume * T + step * advected(scheme, g, T, step)) / after
    shifted = [
        np.roll(np.where(center, T, np.nan), (k, j, i), (0, 1, 2))
        for k in (-1, 0, 1)
        for j in (-1, 0, 1)
        for i in (-1, 0, 1)
    ]
    for shifted_k, k in zip(shifted, np.repeat([-1, 0, 1], 9)):
        if k:
            shifted_k[0 if k > 0 else -1] = np.nan  # no level beyond surface and bottom
    least, most = np.fmin.reduce(shifted), np.fmax.reduce(shifted)
    assert np.all(new[center] >= least[center] - 1e-13) and np.all(
        new[center] <= most[center] + 1e-13
    )
    assert np.abs(new - T)[center].max() > 0.01


@pytest.mark.parametrize("scheme", schemes)
def test_content_and_constants_are_kept(scheme):
    """Fluxes have one value a face; a constant's tendency is that of volume."""
    g, center, step, volume, after, rng = basin(7)
    tendency = advected(scheme, g, rng.standard_normal((nz, ny, nx)) * center, step)
    assert abs(tendency[center].sum()) < 1e-13 * np.abs(tendency[center]).sum()
    one = volume + step * advected(scheme, g, np.ones((nz, ny, nx)), step)
    assert np.abs(one / after - 1)[center].max() < 1e-14


@pytest.mark.parametrize("scheme, least, most", [("LaxWendroff", 1.9, 2.1), ("Quickest", 2.9, 3.1)])
@pytest.mark.parametrize("direction", ["x", "y", "z"])
@pytest.mark.parametrize("speed", [0.4, -0.4])
def test_order_where_the_tracer_is_smooth(scheme, least, most, direction, speed):
    """A wave moves by 0.4 of an even cell: the error of the tendency away from its crests."""

    def error(n):
        k = 2 * np.pi / n
        edges = np.arange(n + 1)
        averages = lambda shift: -np.diff(np.cos(k * (edges - shift))) / k
        axis = {"x": 2, "y": 1, "z": 0}[direction]
        shape = [5, 5, 5]
        shape[axis] = n
        along = lambda a: np.broadcast_to(
            a.reshape([-1 if d == axis else 1 for d in range(3)]), shape
        ).copy()
        flow = {
            name: np.zeros(shape)
            for name in ("transport_east", "transport_west", "transport_north", "transport_south")
        } | {"transport_up": np.zeros((shape[0] + 1, *shape[1:]))}
        for name in {
            "x": ["transport_east", "transport_west"],
            "y": ["transport_north", "transport_south"],
            "z": ["transport_up"],
        }[direction]:
            flow[name] += speed if direction != "z" else -speed  # k grows downward
        g = flow | {
            "area_center": 1.0,
            "dx_center": 1.0,
            "dy_center": 1.0,
            "wet_levels": float(shape[0]),
            "thickness": np.ones(shape[0]),
            "sea_surface_height": 0.0,
        }
        steep = np.abs(np.cos(k * (edges[:-1] + 0.5))) > 0.5
        steep[:4] = steep[-4:] = False
        line = tuple(steep if d == axis else 2 for d in range(3))
        T = averages(0)
        return (
            np.abs(advected(scheme, g, along(T), 1.0)[line] - (averages(speed) - T)[steep]).max()
            * n
        )

    assert least < order([error(n) for n in (32, 64)]) < most


def test_land_behind_a_donor_leaves_the_donor():
    """What a land cell holds does not matter."""
    n = 9
    wet = np.ones((n, n))
    wet[:, :3] = 0
    T = np.random.default_rng(1).standard_normal((1, n, n))
    g = {
        "transport_east": 0.3 * np.roll(wet, 0)[None],
        "transport_west": 0.3 * np.roll(wet, 1, 1)[None] * wet,
        "area_center": 1.0,
        "dx_center": 1.0,
        "wet_levels": wet,
        "thickness": np.ones(1),
        "sea_surface_height": 0.0,
    }
    g |= run("SweepVolumes", g, step=1.0)
    a, b = (
        run("QuickestSweep", g | {"tracer": t}, step=1.0)["tracer_swept"][0, 4]
        for t in (T, np.where(wet > 0, T, 1e9))
    )
    np.testing.assert_array_equal(a[3:-2], b[3:-2])
    assert a[3] == pytest.approx((T[0, 4, 3] - 0.3 * T[0, 4, 3]) / 0.7, rel=1e-15)
