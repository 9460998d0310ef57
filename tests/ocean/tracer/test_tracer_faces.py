"""Values at faces: third order and exact for quadratics on uneven cells; extrapolation in time;
land.
"""

import numpy as np
import pytest

from operators import order, run

rng = np.random.default_rng(5)
now_only = {"time_weights": [1.0, 0.0]}


def cell_averages(polynomial, edges):
    P = np.polyint(polynomial)
    return np.diff(np.polyval(P, edges)) / np.diff(edges)


def transports(levels, ny, nx, **given):
    zero = np.zeros((levels, ny, nx))
    faces = {f"transport_{d}": zero + given.get(d, 0.0) for d in ("east", "west", "north", "south")}
    return faces | {"transport_up": np.zeros((levels + 1, ny, nx)) + given.get("up", 0.0)}


@pytest.mark.parametrize("direction", ["x", "y"])
@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_upwind_is_exact_for_quadratics_on_uneven_cells(direction, speed):
    """Cells of width 1 to 2: tendency = difference of the exact face values, to rounding of numbers
    of size 100.
    """
    n = 12
    edges = np.r_[0, np.cumsum(1 + rng.random(n))]
    quadratic = [0.7, -1.3, 2.0]
    T = cell_averages(quadratic, edges)
    exact = -speed * np.diff(np.polyval(quadratic, edges))
    along_x = lambda a: np.broadcast_to(a if direction == "x" else a[:, None], (n, n))
    faces = {"x": {"east": speed, "west": speed}, "y": {"north": speed, "south": speed}}[direction]
    width = {
        f"d{direction}_center": along_x(np.diff(edges)),
        f"d{'y' if direction == 'x' else 'x'}_center": 1.0,
    }
    out = run(
        "UpwindAdvection",
        transports(1, n, n, **faces)
        | width
        | now_only
        | {
            "tracer": along_x(T),
            "tracer_before": along_x(T),
            "wet_levels": 1.0,
            "thickness": 1.0,
        },
    )
    inside = (0, slice(2, -2), slice(2, -2))
    assert np.abs(out["tracer_tendency"][inside] - along_x(exact)[2:-2, 2:-2]).max() < 1e-12


@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_upwind_is_exact_for_quadratics_in_the_vertical(speed):
    """On layers of 10 to 30 m; at the interface next to the surface or bottom that the flow leaves,
    for what has no gradient there.
    """
    nz = 9
    thickness = 10 + 20 * rng.random(nz)
    edges = np.r_[0, np.cumsum(thickness)]
    for z in (0.0, edges[-1], 77.0):  # of no gradient
        quadratic = [2e-4, -4e-4 * z, 2.0]
        T = cell_averages(quadratic, edges)
        up = np.full((nz + 1, 5, 5), speed)
        up[0] = up[-1] = 0
        column = np.broadcast_to(T[:, None, None], (nz, 5, 5))
        out = run(
            "UpwindAdvection",
            transports(nz, 5, 5)
            | now_only
            | {
                "transport_up": up,
                "tracer": column,
                "tracer_before": column,
                "wet_levels": float(nz),
                "dx_center": 1.0,
                "dy_center": 1.0,
                "thickness": thickness,
            },
            nz,
        )["tracer_tendency"][:, 2, 2]
        face = np.polyval(quadratic, edges)
        face[0] = face[-1] = 0
        exact = speed * np.diff(face)
        left = 0.0 if speed < 0 else edges[-1]  # upstream edge
        cells = slice(None) if z == left else slice(2, None) if speed < 0 else slice(None, -2)
        assert np.abs(out - exact)[cells].max() < 1e-12


def test_upwind_is_third_order_and_centred_second():
    """Uniform flow over cell averages of a wave: the difference of exact face values is known."""

    def error(scheme, n):
        k = 2 * np.pi / n
        edges = np.arange(n + 1)
        T = -np.diff(np.cos(k * edges)) / k  # averages of sin
        row = np.broadcast_to(T, (5, n))
        out = run(
            scheme,
            transports(1, 5, n, east=1.0, west=1.0)
            | now_only
            | {
                "tracer": row,
                "tracer_before": row,
                "wet_levels": 1.0,
                "dx_center": 1.0,
                "dy_center": 1.0,
                "thickness": 1.0,
            },
        )
        return (
            np.abs(out["tracer_tendency"][0, 2, 2:-2] + np.diff(np.sin(k * edges))[2:-2]).max() / k
        )

    assert order([error("UpwindAdvection", n) for n in (32, 64)]) > 2.95
    assert 1.95 < order([error("CentredAdvection", n) for n in (32, 64)]) < 2.05


def test_face_values_are_extrapolated_in_time():
    """Linear in time: T* = 1.6 T - 0.6 T_before is the value 0.6 of a step ahead; the dissipative
    part of upwind is that of now.
    """
    n = 9
    x = np.arange(n, dtype=float)
    now, before = (np.broadcast_to(x**2 + t, (n, n)) for t in (1.0, 0.0))
    given = transports(1, n, n, east=1.0, west=0.0) | {
        "tracer": now,
        "tracer_before": before,
        "time_weights": [1.6, -0.6],
        "wet_levels": 1.0,
        "dx_center": 1.0,
        "dy_center": 1.0,
        "thickness": 1.0,
    }
    centred = run("CentredAdvection", given)["tracer_tendency"][0, 4, 2:-2]
    upwind = run("UpwindAdvection", given)["tracer_tendency"][0, 4, 2:-2]
    mean = (x**2 + 0.5 + x)[2:-2]  # of x^2 and (x + 1)^2
    assert np.abs(centred + mean + 1.6).max() < 1e-13
    assert np.abs(upwind + mean + 1.6 - 2 / 6).max() < 1e-13  # a sixth of the upstream curvature


def test_land_upstream_has_the_value_of_the_donor():
    """No gradient through a wall: what land holds does not matter, and the face takes a third of
    the way from the donor.
    """
    n = 9
    wet = np.ones((n, n))
    wet[:, :3] = 0  # land west of i = 3: the face 3|4 has no second cell upstream
    T = rng.standard_normal((n, n))
    given = (
        transports(1, n, n, east=1.0)
        | now_only
        | {
            "wet_levels": wet,
            "dx_center": 1.0,
            "dy_center": 1.0,
            "thickness": 1.0,
        }
    )
    a, b = (
        run("UpwindAdvection", given | {"tracer": t, "tracer_before": t})["tracer_tendency"][0, 4]
        for t in (T, np.where(wet > 0, T, 1e9))
    )
    assert np.array_equal(a[3:-2], b[3:-2])
    assert a[3] == pytest.approx(-(2 * T[4, 3] + T[4, 4]) / 3, rel=1e-14)
