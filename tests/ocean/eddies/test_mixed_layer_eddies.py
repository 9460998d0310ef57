"""Restratification of the mixed layer: its stream function compared with the paper's, budgets, and
which way it turns.
"""

import numpy as np

from operators import run

nz, ny, nx = 12, 9, 11
thickness = np.full(nz, 10.0)
rng = np.random.default_rng(4)


def overturned(g, **parameters):
    still = {
        f"transport_{d}": np.zeros((nz, ny, nx)) for d in ("east", "west", "north", "south")
    } | {"transport_up": np.zeros((nz + 1, ny, nx))}
    return {
        name: np.nan_to_num(f)
        for name, f in run("MixedLayerEddies", g | still, nz, **parameters).items()
    }


def test_depth_and_buoyancy_of_the_mixed_layer():
    """Density grows by 1e-3 kg m-3 a metre below 40 m: 0.03 above the top layer's is reached 30 m
    below the middle of the last even layer.
    """
    g, rho0 = 9.80616, 1026.0
    rho = np.maximum(0, np.arange(nz) - 3) * 0.01 + 2
    N2 = np.r_[0, np.diff(rho), 0] / 10 * g / rho0
    column = lambda a: np.broadcast_to(a[:, None, None], (len(a), 3, 3))
    depth = run(
        "MixedLayerDepth",
        {"stratification": column(N2), "wet_levels": float(nz), "thickness": thickness},
        nz,
    )["mixed_layer_depth"]
    np.testing.assert_allclose(depth, 35 + 30, rtol=1e-9)
    flat = run(
        "MixedLayerDepth",
        {"stratification": column(0 * N2), "wet_levels": 7.0, "thickness": thickness},
        nz,
    )["mixed_layer_depth"]
    np.testing.assert_allclose(flat, 70.0)
    b = run(
        "MixedLayerBuoyancy",
        {"density_anomaly": column(rho), "mixed_layer_depth": 65.0, "thickness": thickness},
        nz,
    )["mixed_layer_buoyancy"]
    np.testing.assert_allclose(
        b, -g / rho0 * (40 * 2 + 10 * 2.01 + 10 * 2.02 + 5 * 2.03) / 65, rtol=1e-12
    )


def test_stream_function_of_an_even_front():
    """Psi = C_e ds / L_f H^2 grad b / sqrt(f^2 + tau^-2) mu: the sum of the transports above each
    interface; light water flows to the dense side at the surface.
    """
    dx, H, gradient, f = 2e4, 100.0, 3e-8, 1e-4
    b = np.broadcast_to(-gradient * dx * np.arange(nx), (ny, nx))  # denser to the east
    g = {
        n: dx for n in ("length_north_face", "length_east_face", "dx_east_face", "dy_north_face")
    } | {
        "mixed_layer_buoyancy": b,
        "mixed_layer_depth": H,
        "wet_levels": float(nz),
        "coriolis": f,
        "thickness": thickness,
    }
    flow = overturned(g, efficiency=0.06, front_width=4e3)
    got = np.cumsum(flow["transport_east"][:, 4, 5]) / dx
    x = 1 - 2 * np.cumsum(thickness) / H
    mu = np.where(np.cumsum(thickness) < H, (1 - x**2) * (1 + 5 / 21 * x**2), 0)
    np.testing.assert_allclose(
        got, 0.06 * dx / 4e3 * H**2 * gradient / np.hypot(f, 1 / 86400) * mu, rtol=1e-12, atol=1e-14
    )
    assert flow["transport_east"][0, 4, 5] > 0 and np.abs(flow["transport_north"]).max() == 0


def test_flow_has_a_bound_where_the_sea_convects_to_the_ground():
    """A front whose flow at the surface, 104/21 Psi / H, would be 62 m/s has `largest_speed`;
    whichever way it turns; below the bound nothing changes.
    """
    dx, f = 2e4, 1e-4
    layers = np.full(nz, 400.0)
    for gradient, bounded in ((1e-6, True), (-1e-6, True), (5e-9, False)):
        g = {
            n: dx
            for n in ("length_north_face", "length_east_face", "dx_east_face", "dy_north_face")
        } | {
            "mixed_layer_buoyancy": np.broadcast_to(-gradient * dx * np.arange(nx), (ny, nx)),
            "mixed_layer_depth": 4500.0,
            "wet_levels": float(nz),
            "coriolis": f,
            "thickness": layers,
        }
        free, flow = (
            np.cumsum(overturned(g, largest_speed=limit)["transport_east"][:, 4, 5]) / dx
            for limit in (100, 0.5)
        )
        x = 1 - 2 * np.cumsum(layers) / 4500
        mu = np.where(np.cumsum(layers) < 4500, (1 - x**2) * (1 + 5 / 21 * x**2), 0)
        most = 0.5 * 4500 * 21 / 104
        wanted = np.sign(gradient) * most * mu if bounded else free
        np.testing.assert_allclose(flow, wanted, rtol=1e-12, atol=1e-12)
        assert (np.abs(free).max() > 2 * most) == bounded and np.abs(flow).max() <= most


def test_overturning_closes_and_ends_at_land():
    """On random columns and land: nothing in the sum of a column, one value on each face bit for
    bit, continuity, none through land or the bottom.
    """
    wet = np.zeros((ny, nx))
    wet[2:-2, 2:-2] = rng.integers(0, nz + 1, (ny - 4, nx - 4))
    g = {
        n: 1e4 * (1 + rng.random((ny, nx)))
        for n in ("length_north_face", "length_east_face", "dx_east_face", "dy_north_face")
    }
    g |= {
        "mixed_layer_buoyancy": 1e-3 * rng.standard_normal((ny, nx)),
        "mixed_layer_depth": wet * 10 * rng.random((ny, nx)),
        "wet_levels": wet,
        "coriolis": 1e-4 * rng.random((ny, nx)),
        "thickness": thickness,
    }
    flow = overturned(g)
    e, w, n, s, up = (flow[f"transport_{d}"] for d in ("east", "west", "north", "south", "up"))
    assert np.abs(e).max() > 100
    assert np.array_equal(e[:, 1:-1, 1:-2], w[:, 1:-1, 2:-1]) and np.array_equal(
        n[:, 1:-2, 1:-1], s[:, 2:-1, 1:-1]
    )
    assert np.abs(e.sum(axis=0)).max() < 1e-12 * np.abs(e).max()
    face = np.minimum(wet[:, :-1], wet[:, 1:])
    assert np.all(e[:, 1:-1, 1:-1][np.arange(nz)[:, None, None] >= face[1:-1, 1:]] == 0)
    residual = (e - w) + (n - s) + up[:-1] - up[1:]
    assert (
        np.abs(residual[:, 1:-1, 1:-1]).max() < 1e-12 * np.abs(e).max()
        and np.abs(up[-1]).max() < 1e-9
    )
