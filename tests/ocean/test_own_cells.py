"""What operators keep where each cell has its own thickness: kinetic energy, the exchange of energy
with pressure, contents, symmetry.
"""

import numpy as np
import pytest

from closed_basin import closed_basin, divergence, nx, ny, nz, rng, small, thickness
from operators import run


@pytest.fixture(scope="module")
def basin():
    return closed_basin()


@pytest.fixture(scope="module")
def cells(basin):
    """The closed basin, bottom cells cut at random; a corner has the least of its four cells."""
    g, u, v, corner, center = basin
    levels, wet = np.arange(nz)[:, None, None], g["wet_levels"]
    layer = thickness[:, None, None] * np.ones((nz, ny, nx))
    cut = np.where(levels == wet - 1, layer * (0.2 + 0.8 * rng.random((ny, nx))), layer)
    at_corner = layer.copy()
    at_corner[:, :-1, :-1] = np.minimum(
        np.minimum(cut[:, :-1, :-1], cut[:, :-1, 1:]), np.minimum(cut[:, 1:, :-1], cut[:, 1:, 1:])
    )
    g = {k: x for k, x in g.items() if k != "thickness"} | {
        "cell_thickness": cut,
        "corner_thickness": at_corner,
        "depth_corner": (at_corner * corner).sum(0),
        "depth_corner_now": (at_corner * corner).sum(0),
    }
    return g, u, v, corner, center, g["dx_corner"] * g["dy_corner"] * at_corner


def transports(g, u, v, **more):
    return run(
        "VolumeTransportInCells",
        g | {"velocity_x_after": u, "velocity_y_after": v} | more,
        nz,
        compactness=0.3,
        sea_surface_height_increment=rng.standard_normal((ny, nx)),
        alternating_flow=rng.standard_normal((ny, nx)),
        step=3600,
    )


def test_kinetic_energy(cells):
    """What the flow leaves through the bottom of a column, w_b u_b / 2 dz, is its only source: none
    where transports have no depth mean divergence.
    """
    g, u, v, corner, _, volume = cells
    out = run("MomentumAdvectionInCells", g | {"velocity_x": u, "velocity_y": v}, nz)
    assert small(
        ((u * out["momentum_advection_x"] + v * out["momentum_advection_y"]) * volume)[corner]
    )


def test_pressure_does_the_work_that_volume_releases(cells):
    g, u, v, corner, center, volume = cells
    p = rng.standard_normal((nz, ny, nx)) * center
    out = run("PressureGradient", g | {"pressure": p}, nz)
    work = ((u * out["velocity_tendency_x"] + v * out["velocity_tendency_y"]) * volume)[corner]
    f = transports(g, u, v)
    assert small([work.sum(), -(p * divergence(f))[center].sum()], work)
    e, w, n, s = (f[f"transport_{d}"] for d in ("east", "west", "north", "south"))
    assert np.array_equal(e[:, 1:-1, 1:-2], w[:, 1:-1, 2:-1]) and np.array_equal(
        n[:, 1:-2, 1:-1], s[:, 2:-1, 1:-1]
    )


def test_diffusion(cells):
    g, _, _, _, center, _ = cells
    L = lambda T: (
        np.nan_to_num(run("LaplacianDiffusionInCells", g | {"tracer": T}, nz)["tracer_tendency"])
        * center
    )
    a, b = (rng.standard_normal((nz, ny, nx)) * center for _ in "ab")
    assert small(L(a)) and (a * L(a)).sum() < 0
    assert np.all(L(np.ones_like(a)) == 0)
    assert abs((a * L(b)).sum() - (b * L(a)).sum()) < 1e-13 * np.abs(a * L(b)).sum()


@pytest.mark.parametrize(
    "scheme",
    [
        "VolumeTransport",
        "MomentumAdvection",
        "ImplicitMomentum",
        "VerticalFactors",
        "LaplacianDiffusion",
        "TracerUpdate",
    ],
)
def test_whole_cells_are_the_layers(scheme):
    """The same answer, to rounding, where every cell is as thick as its layer."""
    from operators import catalogue

    random = np.random.default_rng(9)
    shapes = {"layer": (nz, 7, 9), "interface": (nz + 1, 7, 9), "column": (7, 9)}
    given = {
        f["name"]: 0.5 + random.random(shapes[f["vertical"]])
        for f in catalogue[scheme]["fields"]
        if f["horizontal"] != "profile"
    } | {"wet_levels": float(nz)}
    own = [f["name"] for f in catalogue[f"{scheme}InCells"]["fields"] if "_thickness" in f["name"]]
    layers = {"thickness": thickness, "time_weights": np.array([1.6, -0.6])}
    whole = run(scheme, given | layers, nz)
    cells_ = run(
        f"{scheme}InCells",
        given | layers | {name: thickness[:, None, None] * np.ones((nz, 7, 9)) for name in own},
        nz,
    )
    for name, values in whole.items():
        np.testing.assert_allclose(
            cells_[name], values, rtol=0, atol=1e-12 * np.nanmax(np.abs(values)), err_msg=name
        )


def test_pressure_along_layers_that_slope():
    """Water that is heavier by the same everywhere: -g (1 + rho' / rho0) grad eta at all depths,
    however layers are stretched.
    """
    random = np.random.default_rng(3)
    eta, depth, anomaly = (
        3 * random.standard_normal((7, 9)),
        200 + 2000 * random.random((7, 9)),
        5.0,
    )
    middles = np.cumsum(thickness) - thickness / 2
    p = (9.80616 / 1026 * anomaly * middles)[:, None, None] * np.ones((nz, 7, 9))
    given = {
        "sea_surface_height": eta,
        "depth_center": depth,
        "thickness": thickness,
        "dx_corner": 1e4,
        "dy_corner": 2e4,
        "pressure": p,
        "density_anomaly": np.full((nz, 7, 9), anomaly),
    }
    out = run("StretchedPressureGradient", given, nz)
    flat = run(
        "PressureGradient",
        {k: given[k] for k in ("sea_surface_height", "dx_corner", "dy_corner")}
        | {"pressure": np.zeros((nz, 7, 9))},
        nz,
    )
    for c in "xy":
        got, expected = (o[f"velocity_tendency_{c}"][:, 1:-1, 1:-1] for o in (out, flat))
        np.testing.assert_allclose(
            got, (1 + anomaly / 1026) * expected, rtol=1e-12, atol=1e-14 * np.abs(expected).max()
        )
