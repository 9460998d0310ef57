"""Drifters: order of convergence, coasts, the fold, the same bits on any ranks and from a restart,
the file.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import computers
import fathom as fm
from fathom import output
from fathom.base import earth


def drifting(
    u,
    v,
    step,
    rows,
    steps,
    nx=40,
    ny=40,
    dx=1.0,
    wet=None,
    fold=False,
    blocks=(0, 0),
    up=None,
    flat=False,
):
    """Rows of drifters after so many steps in a steady flow at corners (levels, ny, nx)."""
    from fathom.base.mpi import core, world
    from program import Program

    levels = len(u)
    wet = np.full((ny, nx), levels, np.int32) if wet is None else wet.astype(np.int32)
    domain = core.Domain(world.py2f(), nx, ny, fold, fold, levels, wet.ravel().tolist(), 2, *blocks)
    drifters = core.Drifters(step, flat)
    s = Program(domain, [drifters.process()])
    ones = np.ones((ny, nx))
    fields = {
        "velocity_x": u,
        "velocity_y": v,
        "velocity_x_after": u,
        "velocity_y_after": v,
        "transport_up": np.zeros((levels + 1, ny, nx)) if up is None else up,
    }
    for name, values in (
        fields
        | {
            "dx_corner": dx * ones,
            "dy_corner": dx * ones,
            "area_center": dx**2 * ones,
            "sea_surface_height": 0 * ones,
        }
    ).items():
        s.set(name, np.ascontiguousarray(values, float), nearest_outside=True)
    s.set_profile("thickness", [10.0] * levels)
    s.prepare()
    drifters.put(np.array(rows, float))
    s.advance(steps)
    return drifters.own


def test_solid_body_rotation_is_of_fourth_order():
    j, i = np.mgrid[0:40, 0:40] + 1.0  # corners [cells]
    omega = 2 * np.pi
    u, v = -omega * (j - 20)[None], omega * (i - 20)[None]
    start = [[0, 27, 20, 0.25, 0.5, 0.5]]
    errors = []
    for steps in (80, 160, 320):
        _, x, y, a, b, level = drifting(u, v, 1 / steps, start, steps)[0]
        errors.append(np.hypot(x + a - 27.25, y + b - 20.5))
        assert level == 0.5
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 3.9).all() and errors[-1] < 1e-5, (errors, orders)


def test_a_drifter_rises_and_sinks_with_the_volume():
    """dl/dt = -W / (A h): between interfaces where W is linear, exponentials; to fourth order."""
    up = np.zeros((3, 8, 8))
    up[
        1
    ] = (
        -3.0
    )  # sinks through the middle interface: over 10 m, from 0 at the surface to 0 at the floor
    nothing = np.zeros((2, 8, 8))
    for steps, tolerance in ((20, 1e-5), (40, 1e-6)):
        rows = drifting(
            nothing,
            nothing,
            4.0 / steps,
            [[0, 3, 3, 0.5, 0.5, 0.2], [1, 4, 4, 0.5, 0.5, 1.3]],
            steps,
            nx=8,
            ny=8,
            up=up,
        )
        upper, lower = rows[:, 5]
        assert upper == pytest.approx(0.2 * np.exp(0.3 * 4), rel=tolerance)  # dl/dt = 0.3 l
        assert 2 - lower == pytest.approx(0.7 * np.exp(-0.3 * 4), rel=tolerance)
    assert (
        drifting(
            nothing, nothing, 1.0, [[0, 3, 3, 0.5, 0.5, 0.2]], 3, nx=8, ny=8, up=up, flat=True
        )[0, 5]
        == 0.2
    )


def test_coasts_hold_and_blocks_do_not_matter():
    """Noise of a Courant number of 0.9 between steps of the sea floor: after 300 steps all are in
    water, whatever the blocks.
    """
    r = np.random.default_rng(1)
    wet = r.integers(0, 4, (30, 40)) * (r.random((30, 40)) < 0.8)
    wet[10:20, 10:30] = 3
    u, v = r.uniform(-0.9, 0.9, (2, 3, 30, 40))
    up = r.uniform(-3, 3, (4, 30, 40))
    j, i = np.nonzero(wet)
    level = r.uniform(0, 1, len(j)) * wet[j, i]
    rows = np.stack(
        [np.arange(len(j)), i, j, r.uniform(0, 1, len(j)), r.uniform(0, 1, len(j)), level], 1
    )
    whole = drifting(u, v, 1.0, rows, 300, nx=40, ny=30, wet=wet, up=up)
    assert (
        (whole[:, 5] < wet[whole[:, 2].astype(int), whole[:, 1].astype(int)]).all()
        and (whole[:, 5] >= 0).all()
        and (whole[:, 3:5] >= 0).all()
        and (whole[:, 3:5] <= 1).all()
    )
    assert (np.abs(whole[:, 1:3] - rows[:, 1:3]).max(0) > 5).all()
    for blocks in ((11, 7), (40, 3)):
        np.testing.assert_array_equal(
            drifting(u, v, 1.0, rows, 300, nx=40, ny=30, wet=wet, up=up, blocks=blocks), whole
        )


def test_over_the_fold():
    """Northwards on one side of the seam, southwards on the other: the way is as long as time, and
    the same in blocks.
    """
    nx, ny = 16, 10
    i = np.broadcast_to(np.arange(nx), (1, ny, nx))
    v = np.where(i < nx // 2 - 1, 0.37, np.where((i >= nx // 2) & (i < nx - 1), -0.37, 0.0))
    rows = [[0, 3, 7, 0.5, 0.25, 0.0]]
    for steps in (3, 8, 20):
        number, x, y, a, b, _ = drifting(0 * v, v, 1.0, rows, steps, nx=nx, ny=ny, fold=True)[0]
        gone = 0.37 * steps
        if 7.25 + gone < ny:
            assert (x + a, y + b) == pytest.approx((3.5, 7.25 + gone))
        else:
            assert (x + a, y + b) == pytest.approx((nx - 3.5, 2 * ny - 7.25 - gone), abs=1e-12)
        np.testing.assert_array_equal(
            drifting(0 * v, v, 1.0, rows, steps, nx=nx, ny=ny, fold=True, blocks=(5, 4))[0],
            [number, x, y, a, b, 0],
        )


def sea(directory, **parallel):
    grid = fm.LatitudeLongitudeGrid(
        nx=24,
        ny=16,
        latitude=(-40, 40),
        levels=fm.ZLevels(nz=8, depth=2000, partial_cells=True),
        bathymetry=lambda x, y: np.where(
            (np.abs(x - 90) < 15) & (np.abs(y) < 30), 0.0, 1400 + 500 * np.cos(np.deg2rad(4 * x))
        ),
    )
    ocean = fm.Ocean(grid, physics="simple", free_surface=computers.surface()).set(
        temperature=lambda x, y, z: (
            25 * np.exp(-z / 600) + 2 * np.sin(np.deg2rad(3 * x)) * np.exp(-z / 300)
        ),
        salinity=35.0,
        velocity_x=0.5,
        velocity_y=lambda x, y, z: 0.3 * np.sin(np.deg2rad(5 * x)),
    )
    return fm.Simulation(
        ocean,
        "2h",
        surface=fm.SurfaceForcing(stress_x=lambda x, y: 0.1 * np.cos(np.deg2rad(3 * y))),
        directory=directory,
        overwrite=True,
        parallel=parallel,
    )


released = {
    "region": ((140, 300), (-30, 30)),
    "number": 40,
    "depth": 150.0,
    "repeat": "1d",
    "times": 3,
}


def run(directory, period, restart=None, **parallel):
    sim = sea(directory, **parallel)
    if restart:
        sim.restore(restart)
    sim.output("drifters.zarr", ["temperature"], every="6h", dtype="float64", drifters=released)
    sim.output("surface.nc", every="1d", drifters=[[10.0, 12.3], [-5.0, -7.2, 100.0]])
    sim.run(period, report=False)
    return sim


def test_tracks_are_the_same_on_ranks_from_a_restart_and_on_a_device(on_ranks, tmp_path):
    sim = run(tmp_path / "one", "3d")
    on_ranks(3, __file__, tmp_path / "three")
    run(tmp_path / "half", "1d")  # ends at the time of a release and of an output
    run(tmp_path / "half", "2d", restart=tmp_path / "half" / "restart.fathom", blocks=(7, 6))
    on_device = run(tmp_path / "device", "3d", device=computers.name, blocks=(7, 6))
    left = dict(on_device.describe()[1]).get("device", [])[1:]
    assert left and not any("Drift" in line for line in left)
    one = output.open(tmp_path / "one" / "drifters.zarr").load()
    assert (
        one.attrs["featureType"] == "trajectory"
        and one.thetao.dims == ("time", "trajectory")
        and {"longitude", "latitude", "depth"} <= set(one.variables)
    )
    count = int(one.sizes["trajectory"])
    assert (
        count == 120
        and one.longitude.isel(time=0).notnull().sum() == 40
        and one.longitude.isel(time=4).notnull().sum() == 80
        and one.longitude.isel(time=-1).notnull().all()
    )
    np.testing.assert_array_equal(one.longitude[0, :40], one.longitude[4, 40:80])
    np.testing.assert_allclose(one.depth[0, :40], 150.0, atol=1e-9)
    moved = np.abs((one.longitude[-1, :40] - one.longitude[0, :40] + 180) % 360 - 180)
    assert (
        0.1 < float(moved.max()) < 30
        and float(np.abs(one.depth[-1, :40] - 150).max()) > 0.01
        and (one.depth.values[-1] > 0).all()
    )
    for other in ("three", "half", "device"):
        there = output.open(tmp_path / other / "drifters.zarr").load()
        for name in ("longitude", "latitude", "depth", "thetao", "time"):
            np.testing.assert_array_equal(
                one[name].values, there[name].values, err_msg=f"{other} {name}"
            )
        np.testing.assert_array_equal(
            output.open(tmp_path / other / "surface.nc").longitude.values,
            output.open(tmp_path / "one" / "surface.nc").longitude.values,
        )
    other = (
        sea(tmp_path / "half")
        .restore(tmp_path / "half" / "restart.fathom")
        .output("surface.nc", every="1d", drifters=[[10.0, 12.3]])
    )
    with pytest.raises(ValueError, match="the restart has 1 releases of 2 drifters, not 1 of 1"):
        other.run("2h", report=False)
    first = output.open(tmp_path / "one" / "surface.nc").isel(time=0)
    np.testing.assert_allclose(
        [first.longitude, first.latitude, first.depth],
        [[10, -5], [12.3, -7.2], [0, 100]],
        atol=2e-5,
    )
    x, _y, days = sim.outputs[0].tracks()
    assert x.shape == (13, 120) and days[-1] == 3


def test_a_place_is_found_in_its_cell():
    """Anywhere on a tripolar grid, on its seams too."""
    from fathom.ocean.components.drifters import _in_cells

    grid, r = (
        fm.TripolarGrid(nx=36, ny=30, levels=fm.ZLevels(thickness=[100]), bathymetry="flat"),
        np.random.default_rng(3),
    )
    h = grid.horizontal
    j, i = np.nonzero(np.asarray(grid.wet_levels) > 0)
    assert {0, h.nx - 1} <= set(i) and h.ny - 1 in j
    a, b = r.uniform(0.02, 0.98, (2, len(j)))
    corners = earth.unit_vectors(np.asarray(h.corner_longitude), np.asarray(h.corner_latitude))
    weights = [(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b]
    x, y = earth.places(
        sum(w[:, None] * corners[j + n // 2, i + n % 2] for n, w in enumerate(weights))
    )
    found = _in_cells(grid, x, y, "here")
    np.testing.assert_array_equal(found[:2], (i, j))
    np.testing.assert_allclose(found[2:], (a, b), atol=2e-6)


def test_errors_of_drifters(tmp_path):
    for given, words in (
        ({"place": [[0, 0]]}, "unknown key of drifters 'place'; did you mean 'places'"),
        ({}, "either places"),
        ({"places": [[0, 0]], "times": 2}, "need a rhythm"),
        ({"places": [[90, 0]]}, "drifter 1 at 97.5 E|drifter 1 at .* is on land"),
        ({"places": [[10, 0, 5000]]}, "lies at 5000 m, where the sea has"),
        ({"places": [[10, 70]]}, "outside of the grid"),
        ({"places": [["a", 0]]}, "must be a list of"),
        ({"places": [[10, 0, float("nan")]]}, "lies at nan m"),
        ({"places": [[10, 0]], "number": 3}, "how many drifters a region has"),
        ({"region": ((10, 30), (0, 20)), "number": 0}, "1 or more"),
        ({"places": [[10, 0]], "constant_depth": "no"}, "must be true or false"),
        ({"region": ((10, 30), (0, 20)), "depth": 3000}, "no column of the region is deeper"),
    ):
        with pytest.raises(ValueError, match=words):
            sea(tmp_path).output("a.zarr", [], drifters=given).run("2h", report=False)
    with pytest.raises(
        ValueError, match="centres of cells, as temperature, not of 'eastward_velocity'"
    ):
        sea(tmp_path).output("a.zarr", "eastward_velocity", drifters=[[10, 0]]).prepare()


if __name__ == "__main__":
    run(Path(sys.argv[1]), "3d")
    from fathom.base import mpi

    if mpi.is_root:
        print("{}")


def test_an_atmosphere_has_no_drifters():
    air = fm.SpectralAtmosphere(fm.GaussianGrid(10, levels=fm.SigmaLevels(4)))
    sim = fm.Simulation(air, time_step="20min")
    with pytest.raises(ValueError, match="drifters go with the flow of an Ocean; this is Spectral"):
        sim.output("tracks.nc", ["air_temperature"], every="1h", drifters=[[0, 0, 0]])
