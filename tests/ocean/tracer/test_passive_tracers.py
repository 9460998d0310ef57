"""Passive tracers: dyes of regions, gases from the air, age; their conservation, equilibrium and
history.
"""

import numpy as np
import pytest

import fathom as fm
from fathom.ocean.region import share_of_columns, share_of_layers


def basin(tracers, start="2000-01-01", step="1h", surface=None, schemes=None, **options):
    grid = fm.LatitudeLongitudeGrid(
        nx=24,
        ny=16,
        latitude=(-40, 40),
        levels=fm.ZLevels(nz=8, depth=2000),
        bathymetry=lambda x, y: np.where(
            (np.abs(x - 90) < 15) & (np.abs(y) < 30), 0.0, 1400 + 500 * np.cos(np.deg2rad(4 * x))
        ),
    )
    ocean = fm.Ocean(grid, physics="simple", tracers=tracers, **(schemes or {}))
    ocean.set(
        temperature=lambda x, y, z: (
            5
            + 20 * np.cos(np.deg2rad(y)) ** 2 * np.exp(-z / 500)
            + np.sin(np.deg2rad(3 * x)) * np.exp(-z / 300)
        ),
        salinity=35.0,
    )
    surface = surface or fm.SurfaceForcing(
        stress_x=lambda x, y: 0.1 * np.cos(np.deg2rad(3 * y)),
        wind_speed=8.0,
        sea_ice_fraction=lambda x, y: 0.5 * (x < 60),
    )
    return fm.Simulation(ocean, time_step=step, surface=surface, start=start, **options).prepare()


def content(sim, name):
    """Of the whole sea, its top layer with its height."""
    levels, grid = sim.model.grid.levels, sim.model.grid
    thickness = np.array(levels.weights)[:, None, None] * (
        np.arange(levels.nz)[:, None, None] < grid.wet_levels
    )
    thickness[0] += np.where(grid.wet_levels > 0, sim.gather("sea_surface_height")[0], 0)
    return float(
        (sim.gather(name) * thickness * np.asarray(grid.horizontal.area_center)).sum()
    ), float((thickness * np.asarray(grid.horizontal.area_center)).sum())


def test_regions():
    grid = fm.LatitudeLongitudeGrid(
        nx=36,
        ny=18,
        latitude=(-90, 90),
        levels=fm.ZLevels(thickness=[10, 20, 70]),
        bathymetry="flat",
    )
    x, y = grid.coordinates()
    across = share_of_columns(grid, ((350, 30), (-20, 20)))  # over the meridian of Greenwich
    np.testing.assert_array_equal(
        across,
        (np.minimum(x % 360, 360 - x % 360) < 30)
        & ((x % 360 < 30) | (x % 360 > 350))
        & (np.abs(y) < 20),
    )
    np.testing.assert_array_equal(
        share_of_columns(grid, [(350, -20), (390, -20), (390, 20), (350, 20)]), across
    )
    triangle = share_of_columns(grid, [(-40, -40), (40, -40), (0, 60)])
    assert (
        triangle.sum()
        == ((np.abs((x + 180) % 360 - 180) < 40 * (60 - y) / 100) & (y > -40)).sum()
        > 0
    )
    np.testing.assert_array_equal(share_of_columns(grid, lambda x, y: y > 0), y > 0)
    np.testing.assert_allclose(share_of_layers(grid, (5, 60)), [0.5, 1, 3 / 7])
    np.testing.assert_array_equal(share_of_layers(grid, None), [1, 0, 0])
    for region, depth, words in (
        (((0, 1), (95, 99)), None, "no wet column"),
        (None, (200, 300), "ends at 100 m"),
        (None, (30, 10), "0 <= top < bottom"),
    ):
        with pytest.raises(ValueError, match=words):
            share_of_columns(grid, region), share_of_layers(grid, depth)


def test_a_dye_that_is_kept_fills_the_sea_and_ends_with_its_date():
    gulf = {"region": ((150, 230), (-20, 20)), "depth": (0, 600)}
    sim = basin(
        [
            fm.Dye("here", **gulf),
            fm.Dye("later", kept=2.0, start="2000-01-01 05:00", end="2000-01-01 09:00", **gulf),
            fm.Dye("everywhere", depth=(0, 3000), kept=0.5),
        ]
    )
    inside = share_of_columns(sim.model.grid, gulf["region"]) > 0
    layers = share_of_layers(sim.model.grid, gulf["depth"]) >= 0.5
    assert (
        np.abs(sim.gather("here")[layers][:, inside] - 1).max()
        == 0
        == sim.gather("later").max()
        == sim.gather("here")[:, ~inside].max()
    )
    sim.advance(5)
    assert sim.gather("later").max() == 0
    sim.advance(1)
    for name, value in (("here", 1.0), ("later", 2.0)):
        assert (sim.gather(name)[layers][:, inside] == value).all()
    sim.advance(3)
    assert (
        0
        < sim.gather("here")[:, ~inside].max()
        < 1
        < sim.gather("later")[layers][:, inside].min()
        == 2
        > sim.gather("later")[:, ~inside].max()
        > 0
    )
    assert (
        basin([fm.Dye("over", end="1999-12-31", **gulf)]).gather("over").max()
        == 0
        < basin([fm.Dye("begun", start="1999-01-01", **gulf)]).gather("begun").max()
    )
    before = content(sim, "later")
    sim.advance(6)  # now after the end of the release
    assert (
        content(sim, "later")[0] == pytest.approx(before[0], rel=1e-13)
        and (sim.gather("later")[layers][:, inside] != 2).any()
    )
    wet = np.arange(8)[:, None, None] < sim.model.grid.wet_levels
    np.testing.assert_array_equal(sim.gather("everywhere"), np.where(wet, 0.5, 0))


def test_a_dye_that_is_released_adds_up_to_its_rate():
    where = lambda x, y: 0.25 * (np.abs(x - 200) < 40)  # a quarter of each column
    sim = basin(
        [
            fm.Dye("plume", where, depth=(100, 700), released=1e-5),
            fm.Dye("patch", where, depth=(100, 700), initial=3.0),
        ]
    )
    initial = content(sim, "patch")[0]
    sim.advance(12)
    assert content(sim, "patch")[0] == pytest.approx(initial, rel=1e-13)
    assert content(sim, "plume")[0] == pytest.approx(12 * 3600 * 1e-5 / 3.0 * initial, rel=1e-12)


@pytest.mark.parametrize("surface", ["salt", "volume", "cells"])
def test_budgets_of_sources_close(surface, tmp_path):
    from fathom import output

    tracers = [
        fm.Dye("held", ((150, 230), (-20, 20)), depth=(0, 600)),
        fm.Dye("plume", depth=(100, 700), released=1e-5),
        fm.CFC11(),
    ]
    names = [t.name for t in tracers]
    grid = fm.LatitudeLongitudeGrid(
        nx=24,
        ny=16,
        latitude=(-40, 40),
        levels=fm.ZLevels(nz=8, depth=2000, partial_cells=surface == "cells"),
        bathymetry=lambda x, y: 1400 + 500 * np.cos(np.deg2rad(4 * x)),
    )
    ocean = fm.Ocean(
        grid,
        physics="simple",
        tracers=tracers,
        budgets=names,
        free_surface=fm.FreeSurface(freshwater="volume" if surface == "volume" else "salt"),
    )
    ocean.set(temperature=lambda x, y, z: 5 + 20 * np.cos(np.deg2rad(y)) ** 2 * np.exp(-z / 500))
    sim = fm.Simulation(
        ocean,
        "1h",
        "1980-01-01",
        fm.SurfaceForcing(stress_x=lambda x, y: 0.1 * np.cos(np.deg2rad(3 * y)), wind_speed=8.0),
        directory=tmp_path,
    )
    terms = {"held": ["kept"], "plume": ["release"], "cfc11": []}
    asked = [
        f"{name}_budget_{term}"
        for name in names
        for term in ("storage", "advection", "diffusion", "mixing", "surface", *terms[name])
    ]
    sim.output("budget.zarr", asked, every="6h", dtype="float64").run("6h", report=False)
    data = output.open(tmp_path / "budget.zarr").isel(time=-1)
    for name in names:
        storage = data[f"{name}_budget_storage"].values
        summed = sum(
            data[n].values for n in asked if n.startswith(name) and not n.endswith("storage")
        )
        assert np.nanmax(np.abs(storage)) > 0
        np.testing.assert_allclose(
            summed, storage, atol=1e-15 * 2000 / 3600 * sim.gather(name).max() * 50
        )
        assert all(
            np.nanmax(np.abs(data[f"{name}_budget_{term}"].values)) > 0 for term in terms[name]
        )


def test_a_gas_comes_into_equilibrium_with_its_air(tmp_path):
    """Without currents the top layer relaxes with k / h, k = 0.251 u^2 (Sc / 660)^-1/2, to the
    solubility times the fraction in air.
    """
    (tmp_path / "air.txt").write_text("# year north south\n1900.5 100 40\n2100.5 100 40\n")
    grid = fm.LatitudeLongitudeGrid(
        nx=8, ny=10, latitude=(-25, 25), levels=fm.ZLevels(thickness=[10, 100]), bathymetry="flat"
    )
    ocean = fm.Ocean(
        grid,
        physics="simple",
        tracers=[fm.CFC12(history=str(tmp_path / "air.txt"))],
        vertical_mixing=fm.ConstantMixing(diffusivity=0, viscosity=0),
        diffusion=None,
    )
    ocean.set(temperature=20.0, salinity=35.0)
    sim = fm.Simulation(
        ocean,
        "1h",
        surface=fm.SurfaceForcing(
            wind_speed=10.0,
            air_pressure=1.02 * 101325,
            sea_ice_fraction=lambda x, y: 0.25 * (x < 180),
        ),
    )
    sim.advance(48)
    T, t = 2.9315, 20.0
    F = np.exp(
        -218.0971
        + 298.9702 / T
        + 113.8049 * np.log(T)
        - 1.39165 * T**2
        + 35 * (-0.143566 + 0.091015 * T - 0.0153924 * T**2)
    )
    Sc = 3828.1 - 249.86 * t + 8.7603 * t**2 - 0.1716 * t**3 + 0.001408 * t**4
    k = 0.251 * 100 * (Sc / 660) ** -0.5 / 360000
    x, y = grid.coordinates()
    open_ = np.where(x < 180, 0.75, 1.0)
    air = 40 + 60 * np.clip((y + 10) / 20, 0, 1)
    expected = 1000 * F * air * 1e-12 * 1.02 * (1 - (1 - open_ * k * 3600 / 10) ** 48)
    np.testing.assert_allclose(sim.gather("cfc12")[0], expected, rtol=1e-9)
    assert sim.gather("cfc12")[1].max() == 0
    assert content(sim, "cfc12")[0] == pytest.approx(
        (expected * 10 * np.asarray(grid.horizontal.area_center)).sum(), rel=1e-12
    )


def test_the_wind_of_monthly_means_is_stronger_in_the_mean_square():
    """From any source: bulk formulae or their slope, from the climatology or where the data have
    none; but not with the user's winds.
    """
    barnier = {"heat_flux_sensitivity": fm.schemes.BulkSensitivity(), "restoring_temperature": 10.0}
    of = lambda surface: fm.CFC11().fluxes(surface)[0].all_parameters["wind_variance"]
    assert (
        of(fm.BulkForcing())
        == of(fm.BulkForcing({"air_pressure": 1e5}, missing="coads"))
        == of(fm.SurfaceForcing(**barnier))
        == 4 / np.pi
    )
    assert (
        of(fm.BulkForcing({"wind_speed": 8.0}, missing="coads"))
        == of(fm.SurfaceForcing(wind_speed=8.0))
        == 1
    )


def test_words_name_tracers():
    tracers = fm.Ocean(
        fm.LatitudeLongitudeGrid(nx=8, ny=8, latitude=(-20, 20), bathymetry="flat"),
        tracers=["cfc11", "ideal_age", "ink"],
    ).tracers
    assert [type(t) for t in tracers] == [fm.CFC11, fm.IdealAge, fm.PassiveTracer] and tracers[
        2
    ].name == "ink"


def test_a_gas_follows_the_history_of_the_air():
    """Step by step with the calendar: the profile of the air is that of the table at the beginning
    of the step.
    """
    years, north, south = fm.CFC11().in_air()
    assert (
        (years[0], years[-1]) == (1930.5, 2014.5)
        and (north >= 0).all()
        and north.max() == 269.65 == north[years == 1994.5][0]
        and south.max() == 263.72
    )
    for gas, most in ((fm.CFC12(), 546.7), (fm.SF6(), 8.417)):
        assert gas.in_air()[1].max() == most and (np.diff(gas.in_air()[1])[:45] >= 0).all()
    for calendar in ("standard", "noleap", "360_day"):
        sim = basin([fm.CFC11()], start="1990-06-30", step="1d", calendar=calendar)
        sim.advance(40)
        days = {"standard": 365, "noleap": 365, "360_day": 360}[calendar]
        passed = (
            39 + {"standard": 180, "noleap": 180, "360_day": 179}[calendar]
        ) / days - 0.5  # from the middle of 1990 to the beginning of the last step, in years
        np.testing.assert_allclose(
            sim.fields.windows("cfc11_in_air")[0][:2].ravel(),
            [265.83 + passed * (268.24 - 265.83), 251.06 + passed * (256.68 - 251.06)],
            rtol=1e-10,
        )


def test_dyes_and_gases_do_not_depend_on_blocks_and_restart(tmp_path):
    tracers = lambda: [
        fm.Dye("held", ((150, 230), (-20, 20)), start="2000-01-01 04:00"),
        fm.Dye("plume", depth=(100, 700), released=1e-5),
        fm.SF6(),
        fm.IdealAge(),
    ]
    whole = basin(tracers())
    whole.advance(8)
    half = basin(tracers(), parallel={"blocks": (7, 5)}, directory=tmp_path)
    half.advance(3)
    half.write_restart("half.fathom")
    rest = basin(tracers(), parallel={"blocks": (24, 3)}, directory=tmp_path)
    rest = fm.Simulation(rest.model, "1h", surface=rest.surface, directory=tmp_path).restore(
        tmp_path / "half.fathom"
    )
    rest.advance(5)
    assert (
        rest.checksum() == whole.checksum()
        and whole.gather("sf6").max() > 0 < whole.gather("held").max()
    )


def test_errors_of_tracers():
    grid = fm.LatitudeLongitudeGrid(nx=8, ny=8, latitude=(-20, 20), bathymetry="flat")
    for make, words in (
        (lambda: fm.Dye("a b"), "small letters"),
        (lambda: fm.Dye(kept=1, released=1), "give one of them"),
        (lambda: fm.Dye(kept="x"), "must be a number"),
        (lambda: fm.Ocean(grid, tracers=["salinity"]), "two tracers are called 'salinity'"),
        (lambda: fm.Ocean(grid, tracers=[fm.CFC11]), "is no tracer; allowed: a name"),
        (lambda: fm.Ocean(grid, tracers=["wind_speed"]), "cannot be called 'wind_speed'"),
        (lambda: fm.Ocean(grid, tracers=["depth"]), "cannot be called 'depth'"),
        (lambda: fm.Ocean(grid, tracers=["salinity_before"]), "as a field of 'salinity'"),
        (lambda: fm.Ocean(grid, tracers=["dye", "dye_region"]), "as a field of 'dye'"),
        (
            lambda: basin([fm.Dye(region=((30, 60), (-20, 20)), depth=(1400, 2000))]),
            "dye: depth = .* lies below the sea floor everywhere",
        ),
        (lambda: basin([fm.Dye(depth=("a", 3))]), "dye: depth = 'a' must be a number"),
        (lambda: basin([fm.Dye(region="gulf")]), "dye: region = 'gulf' must be a box"),
        (lambda: fm.CFC11(coefficient=-1), "coefficient"),
        (
            lambda: fm.Simulation(fm.Ocean(grid, tracers=[fm.CFC11()]), "1h").prepare(),
            "needs the wind above the sea",
        ),
        (
            lambda: fm.Simulation(
                fm.Ocean(grid, tracers=[fm.Dye(start="2000-13-01")]), "1h"
            ).prepare(),
            "dye: start = '2000-13-01'",
        ),
        (
            lambda: fm.Simulation(
                fm.Ocean(grid, tracers=[fm.Dye(start="2001-01-01", end="2000-01-01")]), "1h"
            ).prepare(),
            "must be before end",
        ),
        (
            lambda: fm.Simulation(
                fm.Ocean(grid, tracers=[fm.CFC11(history="nowhere.txt")]),
                "1h",
                surface=fm.SurfaceForcing(wind_speed=1.0),
            ).prepare(),
            "no table nowhere.txt",
        ),
    ):
        with pytest.raises((ValueError, OSError), match=words):
            make()
