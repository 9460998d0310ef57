"""From grids to places: smooth fields to second order, exact along lines of the grid, land left
out; stores on latitudes and longitudes and along sections.
"""

import numpy as np
import pytest

import fathom as fm
from fathom import output
from fathom.base import earth
from fathom.grids.regrid import places as interpolation
from fathom.grids.regrid import targets


def smooth(longitude, latitude):
    x, y = np.radians(longitude), np.radians(latitude)
    return np.sin(2 * x) * np.cos(y) ** 2 + np.sin(y)


def error(grid, where="center"):
    target = targets.regular(5.0)
    longitude, latitude = target.places()
    found = grid.interpolation(longitude, latitude, where)
    values = smooth(*grid.coordinates(where))[None]
    j0, j1 = found.rows(slice(None))
    got = found(values[:, j0:j1], j0, slice(None)).reshape(longitude.shape)
    lowest = grid.coordinates(where)[1].min()
    return np.abs(got - smooth(longitude, latitude))[
        (latitude > lowest) & (latitude < 65)
    ].max()  # the displaced pole is a hole in the grid


@pytest.mark.parametrize("where", ["center", "corner"])
def test_second_order_on_curvilinear_grids(where):
    coarse, fine = (
        error(
            fm.DipoleGrid(nx=n, ny=n, levels=fm.ZLevels(nz=3, depth=3000), bathymetry="flat"),
            where,
        )
        for n in (48, 96)
    )
    assert coarse < 0.05 and np.log2(coarse / fine) > 1.7


@pytest.mark.parametrize(
    "options", [{}, {"reduced": "classical"}, {"stretching": 2.0, "pole": (10.0, 46.0)}]
)
def test_second_order_on_rows(options):
    coarse, fine = (
        error(fm.GaussianGrid(truncation, levels=fm.HybridLevels("L8"), **options))
        for truncation in (21, 42)
    )
    assert coarse < 0.2 and np.log2(coarse / fine) > 1.5


def test_what_is_not_there_is_left_out():
    longitude, latitude = np.meshgrid(np.arange(0.0, 360, 10), np.arange(-85.0, 90, 10))
    found = interpolation.from_quads(
        longitude, latitude, [3.0, 7.0, 355.0], [5.0, 5.0, 0.0], periodic=True
    )
    assert found.weight.sum(1) == pytest.approx(1)
    values = (longitude + 0 * latitude)[None]
    values[:, :, 1:] = np.nan  # water at longitude 0 only
    got = found(values, 0, slice(None))[0]
    assert got[0] == 0 and np.isnan(got[1]) and got[2] == 0
    region = interpolation.from_quads(
        longitude[:, :9], latitude[:, :9], [84.0, 120.0], [5.0, 5.0], periodic=False
    )
    near, far = region(np.ones((1, 18, 9)), 0, slice(None))[0]
    assert near == 1 and np.isnan(far)


def test_section_follows_the_great_circle():
    target = targets.section([[0, 0], [90, 0], [90, 60]], step=1.0)
    distance = target.mapping["distance"][0]
    assert (
        target.shape == (1, 151)
        and distance[-1] == pytest.approx(earth.RADIUS * np.radians(150))
        and np.ptp(np.diff(distance)) < 1
    )
    assert target.longitude[0, 45] == pytest.approx(45) and target.latitude[
        0, 120
    ] == pytest.approx(30)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: targets.regular(0.7), "does not divide a meridian"),
        (lambda: targets.regular(0), "does not divide a meridian"),
        (lambda: targets.section([[0, 0]]), "two or more"),
        (lambda: targets.section([[0, 0], [180, 0]]), "opposite each other"),
        (lambda: targets.section([[0, "x"], [180, 0]]), "two or more"),
        (
            lambda: fm.CartesianGrid(
                nx=8, ny=8, extent=(1e6, 1e6), levels=fm.ZLevels(nz=3, depth=100)
            ).interpolation(0, 0),
            "is a plane",
        ),
    ],
)
def test_mistakes(call, message):
    with pytest.raises(ValueError, match=message):
        call()


SCRIPT = """
import json, sys
import numpy as np
import fathom as fm

folder, servers = sys.argv[1], int(sys.argv[2])
grid = fm.DipoleGrid(nx=48, ny=40, levels=fm.ZLevels(nz=5, depth=4000))
ocean = fm.Ocean(grid, physics="simple", equation_of_state=fm.LinearEquationOfState())
ocean.set(
    temperature=lambda longitude, latitude, depth: (
        10 + 5 * np.cos(np.deg2rad(2 * longitude)) * np.cos(np.deg2rad(latitude)) - depth / 500
    )
)
parallel = {"blocks": (12, 12), "io_servers": servers}
sim = fm.Simulation(ocean, time_step="1h", directory=folder, overwrite=True, parallel=parallel)
surface = ["temperature", "eastward_velocity", "sea_surface_height"]
sim.output("regular.zarr", surface, every="2h", latlon_resolution=10.0)
line = [[-30, -60], [-30, 50]]
sim.output("section.nc", ["temperature", "sea_surface_height"], every="2h", section=line)
sim.output("deep.zarr", ["temperature"], every="4h", statistic="mean", levels=[10, 1000.0, 4500])
sim.output("own.zarr", ["temperature"], every="4h", statistic="mean")
sim.run("4h", report=False)
if sim.is_root:
    print(json.dumps(0))
"""


def test_stores_elsewhere_are_the_same_whoever_writes(on_ranks, tmp_path):
    (tmp_path / "run.py").write_text(SCRIPT)
    for ranks, servers in ((1, 0), (3, 1)):
        on_ranks(ranks, tmp_path / "run.py", str(tmp_path / f"{ranks}-{servers}"), str(servers))
    one = tmp_path / "1-0"
    other = tmp_path / "3-1"
    for store in ("regular.zarr", "deep.zarr"):
        files = sorted(p.relative_to(one) for p in (one / store).rglob("*") if p.is_file())
        assert files and all((one / f).read_bytes() == (other / f).read_bytes() for f in files)
    with output.open(one / "section.nc") as a, output.open(other / "section.nc") as b:
        assert a.identical(b)
    regular, deep, own, section = (
        output.open(one / name) for name in ("regular.zarr", "deep.zarr", "own.zarr", "section.nc")
    )
    assert (
        regular.thetao.dims == ("time", "depth", "latitude", "longitude")
        and regular.sizes["latitude"] == 18
        and regular.sizes["time"] == 3
    )
    assert (
        0.5 < regular.thetao[-1, 0].notnull().mean() < 0.9 and np.nanmax(np.abs(regular.uo[-1])) > 0
    )
    assert (
        section.thetao.dims == ("time", "depth", "section", "point")
        and section.distance.max() > 1e7
        and section.thetao[0, 0].notnull().mean() > 0.5
    )
    middles, above = own.depth.values, own.thetao.values[0]
    for n, depth in enumerate((10.0, 1000.0)):
        k = np.searchsorted(middles, depth)
        share = (depth - middles[k - 1]) / (middles[k] - middles[k - 1])
        water = np.isfinite(above[k])
        assert water.any()
        np.testing.assert_allclose(
            deep.thetao.values[0, n][water],
            ((1 - share) * above[k - 1] + share * above[k])[water],
            rtol=1e-5,
            atol=1e-5,
        )
    assert np.isnan(deep.thetao.values[0, 2]).all()
    for data in (regular, deep, own, section):
        data.close()
