"""Any air over any ocean: a column, grid-point air, a limited area over a regional sea."""

import math

import numpy as np
import pytest

import fathom as fm
from fathom.grids.regrid.overlap import Overlap

tiles = fm.BasicPhysics(land="TiledLand", drag=None)


def plane_of_air():
    return fm.CartesianGrid(
        4, 4, extent=2e5, staggering="A", latitude=0.0, levels=fm.HybridLevels(5)
    )


def plane_of_water(nx=4, ny=4):
    levels = fm.ZLevels(nz=5, depth=50)
    return fm.CartesianGrid(nx, ny, extent=(2e5, 2e5), periodic=True, levels=levels)


def column():
    air = fm.LimitedAreaAtmosphere(plane_of_air(), physics=tiles, fix_energy=True)
    surface = fm.FreeSurface(freshwater="volume")
    sea = fm.Ocean(plane_of_water(), coriolis=(0, 0), free_surface=surface)
    sea.set(temperature=27.0, salinity=35.0)
    return air.set(air_temperature=290.0, specific_humidity=0.01, eastward_wind=4.0), sea, "10min"


def grid_points():
    levels = fm.HeightLevels(nz=5, top=20e3)
    grid = fm.LatitudeLongitudeGrid(16, levels=levels, staggering="C")
    below = fm.LatitudeLongitudeGrid(nx=24, ny=12, bathymetry="etopo5", levels=fm.ZLevels(nz=3))
    sea = fm.Ocean(below, sea_ice=fm.SeaIce(limits=[0.64])).set(temperature=25.0, salinity=35.0)
    return fm.GridPointAtmosphere(grid, physics=tiles).set(air_temperature=280.0), sea, "5min"


def area():
    grid = fm.LimitedAreaGrid(
        (8.0, 46.5), resolution=120e3, points=(30, 26), coupling=4, extension=6,
        levels=fm.SigmaLevels(5),
    )  # fmt: skip
    below = fm.LatitudeLongitudeGrid(
        nx=16, ny=9, longitude=(0, 16), latitude=(40, 49), bathymetry="etopo5",
        levels=fm.ZLevels(nz=3),
    )  # fmt: skip
    surface = fm.FreeSurface(freshwater="volume")
    sea = fm.Ocean(below, free_surface=surface).set(temperature=15.0, salinity=37.0)
    air = fm.LimitedAreaAtmosphere(grid, physics=tiles)
    return air.set(air_temperature=280.0, specific_humidity=0.002), sea, "10min"


@pytest.mark.parametrize("parts", [column, grid_points, area])
def test_the_sea_gets_what_the_air_loses(tmp_path, parts):
    air, sea, step = parts()
    both = fm.Coupled(
        air, sea, {"atmosphere": step, "ocean": "30min"}, rivers=False, directory=tmp_path
    )
    both.run("1h", progress=False, report=False)
    top, below = (both.members[n].program for n in ("atmosphere", "ocean"))
    lost = top.gather("open_water_sensible_heat_flux")[0]
    water = 1 - both.members["atmosphere"].program.model.initial["land_fraction"]
    assert abs(lost[water > 0.5]).max() > 1e-3  # [W m-2]; some of this air is very stable
    assert np.isfinite(below.gather("temperature")).all()
    if both.budget is not None:
        both.before_restart()
        for quantity in ("heat", "water"):
            assert abs(both.budget.closed[-1][quantity]["share"]) < 1e-10


def test_a_column_keeps_its_energy(tmp_path):
    """All points of the plane are alike, but for the walls of the sea; the dynamics make
    nothing.
    """
    air, sea, step = column()
    both = fm.Coupled(air, sea, step, rivers=False, budget="1h", directory=tmp_path)
    both.run("2h", progress=False, report=False)
    warmth = both.members["ocean"].program.gather("temperature")
    assert np.ptp(warmth, axis=(1, 2)).max() < 1e-6
    for found in both.budget.closed:
        made = found["heat"]["lines"]["dynamics of the air"]
        assert abs(made) / found["seconds"] / 4e10 < 1e-6  # [W m-2]
        assert abs(found["heat"]["share"]) < 1e-12


def test_planes_share_the_areas_of_their_rectangles():
    old, new = plane_of_water(3, 4), plane_of_air()
    area = Overlap.of(old, new.mapping()).area.toarray().reshape(4, 4, 4, 3)
    sides = [200e3 / 3, 50e3]
    for i in range(4):
        for n in range(3):
            right = min((i + 1) * sides[1], (n + 1) * sides[0])
            common = max(right - max(i * sides[1], n * sides[0]), 0.0)
            assert math.isclose(area[2, i, 2, n], common * 50e3, abs_tol=1e-3)
    assert np.allclose(area.sum((2, 3)), 2.5e9) and np.allclose(area.sum((0, 1)), 2e5 / 3 * 5e4)


def test_over_a_slab_heat_is_closed(tmp_path):
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(5))
    air = fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics(land="TiledLand")).set(
        air_temperature=lambda lon, lat, p: 285 - 40 * np.sin(np.deg2rad(lat)) ** 2,
        specific_humidity=0.002,
        land_fraction=0.3,
        sea_surface_temperature=lambda lon, lat: 272 + 20 * np.cos(np.deg2rad(lat)) ** 2,
        sea_ice_fraction=lambda lon, lat: np.clip((abs(lat) - 60) / 20, 0, 1),
    )
    slab = fm.SlabOcean(20.0, q_flux=lambda lon, lat: 10 * np.sin(np.deg2rad(lon)))
    both = fm.Coupled(air, slab, "30min", budget="3h", directory=tmp_path)
    both.run("6h", progress=False, report=False)
    found = both.budget.closed
    assert len(found) == 2
    for one in found:
        assert abs(one["heat"]["share"]) < 1e-12 and one["heat"]["stores"]["slab"] != 0
        assert abs(one["heat"]["lines"]["dynamics of the air"]) / one["seconds"] / 5.1e14 < 1e-6
        assert abs(one["water"]["share"]) < 1e-12


def test_a_repeated_interval_sees_the_sea_that_it_makes(tmp_path):
    """Over a thin sea in turn the air knows the temperature of an interval before; repeated it
    knows that of its own, and all is closed.
    """
    found = {}
    for order in ("in turn", "repeated"):
        air, sea, step = column()
        both = fm.Coupled(
            air, sea, step, every="1h", order=order, rivers=False, budget="1h",
            directory=tmp_path / order.replace(" ", "-"),
        )  # fmt: skip
        seen = []

        def see(simulation, both=both, seen=seen):
            pair = both.members["atmosphere"].program, both.members["ocean"].program
            now = pair[0].gather("sea_surface_temperature")[0, 1, 1] - 273.15
            seen.append(now - pair[1].gather("temperature")[0, 1, 1])

        both.members["ocean"].program.call(see, "1h")
        both.run("3h", progress=False, report=False)
        found[order] = abs(np.array(seen)).max()
        for one in both.budget.closed:
            assert abs(one["heat"]["share"]) < 1e-12
    assert 0 < found["repeated"] < 0.1 * found["in turn"]


def test_a_file_without_an_ocean_lies_over_the_slab_of_its_air(tmp_path):
    (tmp_path / "air.toml").write_text(
        "[grid]\ntype = 'GaussianGrid'\ntruncation = 10\n"
        "levels = { type = 'SigmaLevels', nz = 5 }\n"
        "[model]\ntype = 'SpectralAtmosphere'\n"
        "physics = { type = 'BasicPhysics', land = 'TiledLand' }\n"
        "[state]\nair_temperature = 280.0\nland_fraction = 0.3\n"
        "[simulation]\ntime_step = '30min'\nsurface = { type = 'SlabOcean', depth = 20.0 }\n"
    )
    (tmp_path / "both.toml").write_text(
        "[programs]\natmosphere = 'air.toml'\n[coupled]\nbudget = '1d'\n[simulation]\nrun = '1d'\n"
    )
    both = fm.ProgramsFile.read(tmp_path / "both.toml").programs(tmp_path / "run")
    assert isinstance(both, fm.Coupled) and [*both.members] == ["atmosphere"]
    assert isinstance(both.members["atmosphere"].program.surface, fm.SlabOcean)
    assert both.budget is not None
