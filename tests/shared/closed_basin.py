"""A closed basin without symmetry, for what discrete operators keep: random land, levels and
metrics, and a random flow.
"""

import numpy as np

from operators import run

nz, ny, nx = 5, 14, 19
thickness = np.array([7.0, 11.0, 20.0, 45.0, 60.0])
rng = np.random.default_rng(3)


def closed_basin():
    """A closed basin: land, uneven bottom, uneven metrics; velocity is zero at dry corners. Two
    columns of land round it, since a scheme run on plain arrays leaves out the rim."""
    wet = np.zeros((ny, nx))
    wet[3:-3, 3:-3] = rng.integers(0, nz + 1, (ny - 6, nx - 6)) * (
        rng.random((ny - 6, nx - 6)) > 0.15
    )
    wet[5:9, 5:12] = nz
    corner = np.zeros_like(wet)
    corner[:-1, :-1] = np.minimum(
        np.minimum(wet[:-1, :-1], wet[:-1, 1:]), np.minimum(wet[1:, :-1], wet[1:, 1:])
    )
    metrics = {
        n: 1e5 * (0.5 + rng.random((ny, nx)))
        for n in (
            "dx_corner",
            "dy_corner",
            "dx_center",
            "dy_center",
            "length_north_face",
            "length_east_face",
            "dx_east_face",
            "dy_north_face",
        )
    }
    levels = np.arange(nz)[:, None, None]
    g = metrics | {
        "area_center": 1e10 * (0.5 + rng.random((ny, nx))),
        "thickness": thickness,
        "wet_levels": wet,
        "depth_corner": np.r_[0, np.cumsum(thickness)][corner.astype(int)],
        "depth_corner_now": np.r_[0, np.cumsum(thickness)][corner.astype(int)],
        "curvature_x": 1e-6 * rng.standard_normal((ny, nx)),
        "curvature_y": 1e-6 * rng.standard_normal((ny, nx)),
        "diffusivity_scale": 0.5 + rng.random((ny, nx)),
    }
    is_corner, is_center = levels < corner, levels < wet
    u, v = (rng.standard_normal((nz, ny, nx)) * is_corner for _ in "uv")
    assert is_corner.sum() > 50 and (is_corner[0] & ~is_corner[-1]).any()
    return g, u, v, is_corner, is_center


def volume(g):
    return g["dx_corner"] * g["dy_corner"] * thickness[:, None, None]


def small(terms, magnitudes=None):
    return abs(np.sum(terms)) <= 1e-13 * np.sum(np.abs(terms if magnitudes is None else magnitudes))


def transports(g, u, v, **more):
    return run(
        "VolumeTransport",
        g | {"velocity_x_after": u, "velocity_y_after": v} | more,
        nz,
        **({"step": 3600, "compactness": 0} | more),
    )


def divergence(f):
    return (f["transport_east"] - f["transport_west"]) + (
        f["transport_north"] - f["transport_south"]
    )
