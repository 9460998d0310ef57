"""Integrals of the ocean: what flows across latitudes and through passages is what the faces of
cells carry, on any ranks, with any writer.
"""

import json

import numpy as np
import pytest

import cases
import fathom as fm
from fathom import output, plots
from fathom.ocean.products import circulation
from fathom.ocean.products.diagnostics import potential_density
from fathom.ocean.products.sections import corners, faces, passages

SCRIPT = """
import json, sys
import numpy as np
import cases
import fathom as fm

folder, servers, half = sys.argv[1], int(sys.argv[2]), len(sys.argv) > 3
grid = fm.LatitudeLongitudeGrid(
    nx=36,
    ny=30,
    latitude=(-60, 60),
    levels=fm.ZLevels(nz=5, depth=4000),
    bathymetry=lambda x, y: np.where((np.abs(x - 180) < 12) & (np.abs(y) < 50), 0.0, 4000.0),
)
ocean = fm.Ocean(grid, physics="simple")
ocean.set(
    temperature=lambda x, y, z: (
        20 * np.cos(np.deg2rad(y)) * np.exp(-z / 1000) + np.cos(np.deg2rad(3 * x))
    ),
    salinity=lambda x, y, z: 35 + 0.5 * np.sin(np.deg2rad(2 * y)),
)
names = [name for name in ocean.integrals if name != "eddy_overturning"]

def simulation():
    sim = fm.Simulation(
        ocean,
        time_step="1h",
        directory=folder,
        overwrite=True,
        parallel={"blocks": (9, 10), "io_servers": servers},
        surface=fm.SurfaceForcing(stress_x=lambda x, y: 0.1 * np.cos(np.deg2rad(y))),
    )
    sim.output("means.zarr", names, every="6h", statistic="mean")
    sim.output("now.nc", names, every="6h")
    flow = ["transport_east", "transport_north", "temperature"]
    sim.output("flow.zarr", flow, every="6h", dtype="float64")
    sim.output("mean-flow.zarr", ["transport_north"], every="6h", statistic="mean", dtype="float64")
    return sim

if half:
    sim = simulation()
    sim.run("9h", report=False)
    sim = simulation().restore(folder + "/restart.fathom")
    sim.run("3h", report=False)
else:
    sim = simulation()
    sim.run("12h", report=False)
if sim.is_root:
    print(json.dumps(0))
"""


@pytest.fixture(scope="module")
def runs(on_ranks, tmp_path_factory):
    folder = tmp_path_factory.mktemp("circulation")
    (folder / "run.py").write_text(SCRIPT)
    for ranks, servers, *half in ((1, 0), (3, 1), (1, 0, "half")):
        on_ranks(
            ranks,
            folder / "run.py",
            str(folder / f"{ranks}-{servers}{''.join(half)}"),
            str(servers),
            *half,
        )
    return folder


def test_the_same_bytes_whoever_computes(runs):
    one = runs / "1-0"
    for other in ("3-1", "1-0half"):
        with output.open(one / "now.nc") as a, output.open(runs / other / "now.nc") as b:
            assert a.identical(b)
        files = sorted(p.relative_to(one) for p in (one / "means.zarr").rglob("*") if p.is_file())
        assert len(files) > 20 and all(
            (one / f).read_bytes() == (runs / other / f).read_bytes() for f in files
        )
    its_own = json.loads((one / "means.zarr" / "time" / "zarr.json").read_text())
    assert its_own["shape"] == [2]


def test_what_crosses_a_latitude(runs):
    flow, now, means = (
        output.open(runs / "1-0" / name) for name in ("flow.zarr", "now.nc", "means.zarr")
    )
    edges = flow.latitude.values[:, 0] + 2.0  # northern edges of the rows
    north = np.nan_to_num(flow.transport_north.values[-1])
    across = now.meridional_overturning.sel(basin="global")[-1]
    expected = np.concatenate([np.zeros((1, len(edges))), np.cumsum(north.sum(axis=2), axis=0)])
    for edge, column in zip(edges[:-1], expected.T):
        np.testing.assert_allclose(
            across.sel(latitude=edge).values, column, atol=1.0
        )  # of some 1e7 m3 s-1
    parts = (
        now.meridional_overturning[-1]
        .sel(basin=["atlantic", "indo_pacific"])
        .sum("basin")
        .sel(latitude=slice(-30, 60))
    )
    assert (
        abs(parts - across.sel(latitude=slice(-30, 60))).max() < 0.3 * abs(across).max()
    )  # except faces between the two
    mean = np.nan_to_num(
        output.open(runs / "1-0" / "mean-flow.zarr").transport_north.values[-1]
    ).sum(axis=(0, 2))
    np.testing.assert_allclose(
        means.meridional_overturning.sel(basin="global")[-1, -1].sel(latitude=edges[5]).values,
        mean[5],
        atol=1.0,
    )
    T = np.nan_to_num(flow.thetao.values[-1])
    heat = circulation.heat_capacity * (north[:, :-1] * (T[:, :-1] + T[:, 1:]) / 2).sum(axis=(0, 2))
    np.testing.assert_allclose(
        now.northward_heat_transport.sel(basin="global")[-1].sel(latitude=edges[:-1]).values,
        heat,
        rtol=2e-3,
        atol=5e13,
    )  # of the temperature at the start of the last step
    assert np.isnan(
        now.meridional_overturning.values[0]
    ).all()  # before the first step there is no flow
    lightest_down = now.overturning_in_density[-1].isel(density=-1).values
    np.testing.assert_allclose(
        lightest_down, now.meridional_overturning[-1].isel(depth_interface=-1).values, atol=10.0
    )


def test_stream_function(runs):
    flow, now = (output.open(runs / "1-0" / name) for name in ("flow.zarr", "now.nc"))
    plots.picture(
        now, "barotropic_stream_function", path=runs / "psi.png"
    )  # the file has the coordinates of corners
    assert {"longitude_corner", "latitude_corner"} <= set(
        now.barotropic_stream_function.coords
    ) and (runs / "psi.png").stat().st_size > 10000
    psi = now.barotropic_stream_function.values[-1]
    east = np.nan_to_num(flow.transport_east.values[-1]).sum(axis=0)
    both = np.isfinite(psi[1:]) & np.isfinite(psi[:-1])
    np.testing.assert_allclose((psi[1:] - psi[:-1])[both], -east[1:][both], atol=1.0)


def test_sections_go_from_coast_to_coast():
    grid = fm.LatitudeLongitudeGrid(nx=36, ny=30, latitude=(-60, 60), bathymetry="flat")
    east, north = faces(grid, ((20.0, 50.0), (20.0, -50.0)))  # southward: to the left is east
    column = np.argwhere(east)
    assert (
        (east[east != 0] == 1).all()
        and not north.any()
        and len(set(column[:, 1])) == 1
        and len(column) == 24
    )
    east, north = faces(
        grid, ((40.0, 10.0), (80.0, 30.0))
    )  # eastward and up: north, and west, are to the left
    assert (
        (north[north != 0] == 1).all()
        and (east[east != 0] == -1).all()
        and north.any()
        and east.any()
    )
    rows = np.flatnonzero(north.any(axis=0))
    assert (np.diff(rows) == 1).all() and len(rows) == north.astype(
        bool
    ).sum()  # a staircase: one step for each column


def test_corners_of_a_section_carry_what_its_faces_do():
    grid = fm.LatitudeLongitudeGrid(
        nx=36, ny=30, latitude=(-80, 60), levels=fm.ZLevels(nz=3, depth=4000), bathymetry="flat"
    )
    u, v = np.random.default_rng(1).standard_normal((2, 3, 30, 36)) * (
        np.arange(3)[:, None, None] < np.asarray(grid.corner_levels)
    )
    flow = circulation.transports(fm.Ocean(grid, physics="simple"), u, v)
    for line in (
        passages["drake_passage"],
        passages["mozambique_channel"],
        ((340.0, 20.0), (20.0, 40.0)),
    ):
        through = sum((face * to).sum() for face, to in zip(faces(grid, line), flow))
        by_corners = sum(
            float(np.dot(a * u[:, j, i] + b * v[:, j, i], grid.column(j, i, "corner")))
            for j, i, a, b in zip(*corners(grid, line))
        )
        assert by_corners == pytest.approx(through, rel=1e-12) and abs(through) > 1e6


def test_mixed_layer_depth_and_density():
    grid = fm.LatitudeLongitudeGrid(
        nx=8, ny=6, latitude=(0, 30), levels=fm.ZLevels(nz=20, depth=400), bathymetry="flat"
    )
    ocean = fm.Ocean(grid, physics="simple")
    middles = np.asarray(grid.levels.middles)
    base = np.array([40.0, 90.0, 1e9])[np.arange(8) % 3]
    T = np.broadcast_to(
        np.where(middles[:, None] < base, 18.0, 18.0 - 0.1 * (middles[:, None] - base))[:, None],
        (20, 6, 8),
    )
    S = np.full(T.shape, 35.0)
    rho = potential_density(ocean, T, S)
    np.testing.assert_allclose(rho[0], 1025.2, atol=0.2)
    assert potential_density(ocean, T, S, 2000.0)[0, 0, 0] == pytest.approx(1033.8, abs=0.3)
    depth = ocean.derived["mixed_layer_depth"].of(ocean, (0, 0, 6, 8), T, S)[0, 0]
    first = [next(z for z in middles if z >= b) for b in base[:2]]
    assert all(
        b - np.diff(middles).max() < d < z + np.diff(middles).max()
        for d, b, z in zip(depth, base, first)
    ) and depth[2] == pytest.approx(400)


@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"variables": ["section_transport", "temperature"]}, "'temperature' is a field"),
        ({"statistic": "maximum"}, "request the mean"),
        ({"latlon_resolution": 1.0}, "lie on no grid"),
        ({"variables": ["eddy_overturning"]}, "does not compute bolus_transport_east"),
    ],
)
def test_errors_say_what_is_allowed(tmp_path, wrong, words):
    grid = fm.LatitudeLongitudeGrid(
        nx=12, ny=10, latitude=(-40, 40), levels=fm.ZLevels(nz=3, depth=1000), bathymetry="flat"
    )
    sim = fm.Simulation(fm.Ocean(grid), time_step="1h", directory=tmp_path)

    def prepared():
        sim.output("a.zarr", **{"variables": ["section_transport"], "every": "1h"} | wrong)
        sim.prepare()

    with pytest.raises(ValueError, match=words):
        prepared()


def test_the_upward_velocity_closes_the_volume_of_columns(tmp_path):
    """wo times area at an interface is what flows into the layers below it."""
    model = cases.box(nx=12, ny=10, nz=5)
    sim = fm.Simulation(model, "1h", surface=fm.SurfaceForcing(stress_x=0.1), directory=tmp_path)
    faces = ["transport_east", "transport_north"]
    sim.output("w.nc", ["vertical_velocity", *faces], every="1h", dtype="float64")
    sim.run("3h", progress=False, report=False)
    east, north = (sim.gather(name) for name in faces)
    into = -np.diff(east, axis=2, prepend=0) - np.diff(north, axis=1, prepend=0)
    below = np.cumsum(into[::-1], axis=0)[::-1]
    with fm.open(tmp_path / "w.nc") as data:
        found = data["wo"].isel(time=-1).values[:-1] * np.asarray(model.grid.areas[0])
        assert data["wo"].attrs["standard_name"] == "upward_sea_water_velocity"
    wet = np.arange(5)[:, None, None] < np.asarray(model.grid.wet_levels)
    assert np.abs(below[wet]).max() > 1e3
    np.testing.assert_allclose(found[wet], below[wet], atol=1e-6 * np.abs(below).max())
