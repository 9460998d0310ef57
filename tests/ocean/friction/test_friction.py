"""Friction from strain in the ocean: a western boundary layer, its viscosity by place. (Bits on any
ranks: test_eddies.py.)
"""

import numpy as np
import pytest

from cases import box, simulate, stirred, wind


def test_boundary_layer_of_munk():
    """A linear gyre between no-slip walls: northward flow is v_i [1 - e cos p] + V e sin p, e =
    exp(-x / 2d), p = sqrt(3) x / 2d, d = (A / beta)^(1/3).
    """
    import fathom as fm

    A, beta, size, n = 4000.0, 2e-11, 1200e3, 80
    grid = fm.CartesianGrid(
        nx=n, ny=24, extent=(size, size), levels=fm.ZLevels(nz=2, depth=1000, surface=500)
    )
    friction = fm.AnisotropicFriction(along=A, across=A, speed=0, poleward=0, boundary=0)
    model = fm.Ocean(
        grid,
        coriolis=(1e-4, beta),
        friction=friction,
        momentum_advection=None,
        equation_of_state=fm.LinearEquationOfState(),
        vertical_mixing=fm.ConstantMixing(),
        bottom_drag=0.0,
    )
    sim = simulate(
        model,
        step="4h",
        surface=fm.SurfaceForcing(stress_x=lambda x, y: -0.1 * np.cos(np.pi * y / size)),
    )
    sim.advance(6 * 120)
    v = sim.gather("velocity_y").mean(axis=0)[11]
    x, d = (np.arange(n) + 1) * size / n, (A / beta) ** (1 / 3)
    near = x < 4 * d
    interior = np.median(v[n // 2 : -n // 4])
    decay, phase = np.exp(-x / (2 * d)), np.sqrt(3) * x / (2 * d)
    rest = v - interior * (1 - decay * np.cos(phase))  # 0 at the wall
    shape = decay * np.sin(phase)
    jet = (rest * shape)[near].sum() / (shape**2)[near].sum()
    assert jet > 20 * abs(interior)
    assert np.abs(rest - jet * shape)[near].max() < 0.04 * v.max()
    assert abs(x[v.argmax()] - 2 * np.pi / (3 * np.sqrt(3)) * d) < size / n


def test_viscosities_by_place():
    """Across: the background, or beta dx^3 a few cells off the western coast, less beyond; along:
    never less; both bounded for small cells.
    """
    import fathom as fm

    grid = fm.LatitudeLongitudeGrid(
        nx=60, ny=40, longitude=(0, 60), latitude=(0, 60), levels=fm.ZLevels(nz=2, depth=1000)
    )
    ocean = fm.Ocean(
        grid,
        friction=fm.AnisotropicFriction(
            along=1000, across=1000, speed=0.1, poleward=0, boundary=0.2, decay=1e6, points=3
        ),
    )
    g, h = ocean.geometry(), grid.horizontal
    along, across = g["viscosity_along"], g["viscosity_across"]
    beta = 2 * 7.292123516990375e-5 * np.cos(np.deg2rad(np.asarray(h.center_latitude))) / h.radius
    munk = 0.2 * beta * np.asarray(h.dx_center) ** 3
    row, first = 10, int(np.flatnonzero(grid.wet_levels[10])[0])
    np.testing.assert_allclose(
        across[row, first : first + 3], munk[row, first : first + 3], rtol=1e-12
    )
    assert np.all(np.diff(across[row, first + 2 :]) <= 0) and across[row, -2] == pytest.approx(1000)
    assert np.all(along >= across) and across[row, first] > 4000
    assert along[row, -2] == pytest.approx(
        0.05 * max(np.asarray(h.dx_center)[row, -2], np.asarray(h.dy_center)[row, -2])
    )
    at_pole = fm.Ocean(
        grid, friction=fm.AnisotropicFriction(boundary=0, least_time=1e6)
    ).geometry()["viscosity_across"]
    assert np.all(
        at_pole
        <= 1 / (1e6 * (1 / np.asarray(h.dx_center) ** 2 + 1 / np.asarray(h.dy_center) ** 2)) + 1e-9
    )
    assert "friction" in " ".join(name for name, *_ in ocean.criteria(3600.0))


@pytest.mark.parametrize(
    "make",
    [
        lambda fm: fm.SmagorinskyFriction(),
        lambda fm: fm.SmagorinskyFriction(3, biharmonic=True),
        lambda fm: fm.AnisotropicFriction(5000, 1000, direction="grid", poleward=0),
    ],
)
def test_a_stirred_box_stays_calm(make):
    import fathom as fm

    sim = simulate(stirred(box(friction=make(fm))), surface=wind())
    sim.advance(150)
    speed = sim.fields.motion(sim.time_step)["speed"]
    assert 0.01 < speed < 2


def test_friction_says_what_is_wrong():
    import fathom as fm

    with pytest.raises(ValueError, match="direction = 'flo'; did you mean 'flow'"):
        fm.AnisotropicFriction(direction="flo")
    with pytest.raises(ValueError, match="along = -1"):
        fm.AnisotropicFriction(along=-1)
    with pytest.raises(ValueError, match="coefficient = 50"):
        fm.SmagorinskyFriction(50)
