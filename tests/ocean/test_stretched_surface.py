"""Layers that follow the surface, and fresh water as volume: constants, contents, pressure, large
heights, ranks, balance.
"""

import numpy as np
import pytest

import cases
from cases import box, continued, globe, simulate, stirred, wind

rain = 1e-4  # [kg m-2 s-1]: 8.6 mm a day


def volume_of_rain(**ocean):
    import fathom as fm

    return box(free_surface=fm.FreeSurface(freshwater="volume"), **ocean)


@pytest.mark.parametrize("share", [None, 0.2])
@pytest.mark.parametrize("advection", ["CentredAdvection", "UpwindAdvection", "QuickestAdvection"])
def test_contents_are_kept_under_rain(advection, share):
    """Volume grows by the rain, salt and dye stay, heat grows by that of the rain; a
    temperature that is the same everywhere stays.
    """
    import fathom as fm

    pattern = lambda x, y: rain * np.sin(6 * np.pi * x / 1e6) + 0.5 * rain
    ocean = volume_of_rain(
        tracers=["dye"],
        tracer_advection=getattr(fm.schemes, advection)(),
        partial_cells=share,
        vertical_mixing=fm.RichardsonMixing(background_diffusivity=1e-3),
    )
    sim = simulate(
        stirred(ocean).set(temperature=7.0, dye=lambda x, y, z: 1.0 * (x > 5e5)),
        surface=fm.SurfaceForcing(freshwater_flux=pattern, stress_x=0.1),
    ).prepare()
    h = ocean.grid.horizontal
    area = np.where(ocean.grid.wet_levels > 0, np.asarray(h.area_center), 0)
    water = (
        (pattern(np.asarray(h.center_longitude), np.asarray(h.center_latitude)) * area).sum()
        / 1000
        * 1800
    )
    content = lambda: np.array(
        [sim.fields.volume(), *(sim.fields.content(n) for n in ("salinity", "dye", "temperature"))]
    )
    before = content()
    steps = 100
    sim.advance(steps)
    now = content()
    assert now[0] - before[0] == pytest.approx(steps * water, rel=1e-8)
    assert np.all(np.abs(now[1:3] / before[1:3] - 1) < 1e-13)
    temperature = sim.fields.extremes("temperature")
    assert max(abs(temperature["minimum"] - 7), abs(temperature["maximum"] - 7)) < 1e-12
    assert sim.fields.motion(sim.time_step)["speed"] > 0.01


def test_a_constant_stays_where_no_rain_dilutes_it():
    sim = simulate(stirred(volume_of_rain(tracers=["one"])).set(one=1.0), surface=wind())
    sim.advance(200)
    one = sim.fields.extremes("one")
    assert max(abs(one["minimum"] - 1), abs(one["maximum"] - 1)) < 1e-13


def test_rain_freshens_as_virtual_salt_does():
    """Over a flat bottom without motion: S - S_ref F t / rho h against S h / (h + F t / rho), which
    is the true one.
    """
    import fathom as fm

    salinity = {}
    for freshwater in ("salt", "volume"):
        ocean = box(
            slope=False,
            free_surface=fm.FreeSurface(freshwater=freshwater),
            vertical_mixing=fm.ConstantMixing(diffusivity=0, convective_diffusivity=0),
        )
        sim = simulate(
            ocean.set(temperature=10.0, salinity=34.7),
            surface=fm.SurfaceForcing(freshwater_flux=rain),
        )
        sim.advance(48)
        salinity[freshwater] = sim.gather("salinity")[0][-1, -1]
    fallen = rain * 48 * 1800 / 1000
    assert 34.7 - salinity["salt"] == pytest.approx(34.7 * fallen / 50, rel=1e-3)
    # layers below get their share of the rain: the whole column grows
    top = 50 * (1 + fallen / 2000)
    assert salinity["volume"] == pytest.approx(
        34.7 * (1 - fallen / 50 * (1 - 50 / 2000)) * 1.0, rel=2e-5
    )
    assert top > 50


def test_rest_under_a_level_surface():
    """Raised everywhere alike, over slopes and cut cells: nothing moves."""
    import fathom as fm

    ocean = volume_of_rain(partial_cells=0.2, vertical_mixing=fm.ConstantMixing(diffusivity=0))
    sim = simulate(
        ocean.set(temperature=lambda x, y, z: 20 * np.exp(-z / 500) + 0 * x, salinity=35.0)
    )
    sim.advance(20)
    assert sim.fields.motion(sim.time_step)["speed"] < 1e-12


def test_layers_do_not_run_dry():
    """A seiche of 3 m over a top layer of 2 m, cold below warm: a linear surface would empty the
    layer.
    """
    import fathom as fm

    size = 200e3
    grid = fm.CartesianGrid(
        nx=32,
        ny=6,
        extent=(size, size / 5),
        levels=fm.ZLevels(thickness=[2, 3, 5, 10, 20]),
        bathymetry="flat",
    )
    ocean = fm.Ocean(
        grid,
        coriolis=(0, 0),
        free_surface=fm.FreeSurface(freshwater="volume", implicitness=0.5),
        tracers=["one"],
        bottom_drag=0,
        friction=None,
    )
    sim = simulate(
        ocean.set(
            temperature=lambda x, y, z: 20 - z / 4 + 0 * x,
            one=1.0,
            sea_surface_height=lambda x, y: 3 * np.cos(np.pi * x / size),
        ),
        step="120s",
    ).prepare()
    before = np.array([sim.fields.volume(), sim.fields.content("temperature")])
    heights = []
    for _ in range(60):
        sim.advance(4)
        heights.append(float(sim.gather("sea_surface_height")[0, 3, 0]))
    assert min(heights) < -2.2
    one = sim.fields.extremes("one")
    assert max(abs(one["minimum"] - 1), abs(one["maximum"] - 1)) < 1e-12
    assert np.all(
        np.abs(np.array([sim.fields.volume(), sim.fields.content("temperature")]) / before - 1)
        < 1e-12
    )


def test_the_height_is_the_solver_s_at_any_step():
    """External waves pass 29 cells in a step. With the depth of now, not that at rest, in the
    correction of the transport, the height would change by up to half more than was solved for.
    """
    import fathom as fm

    surface = fm.FreeSurface(freshwater="volume", tolerance=1e-12)
    hill = lambda x, y: 3 * np.cos(np.pi * x / 1e6) * np.cos(np.pi * y / 1e6)
    ocean = box(free_surface=surface, depth=4000.0)
    sim = simulate(ocean.set(temperature=10.0, sea_surface_height=hill), step="3600s").prepare()
    before = sim.gather("sea_surface_height")
    sim.advance(1)
    change = sim.gather("sea_surface_height") - before
    solved = sim.gather("sea_surface_height_increment")
    assert np.abs(change).max() > 0.1
    assert np.abs(change - solved).max() < 1e-9 * np.abs(change).max()


def test_restart_and_ranks_of_stretched_layers(tmp_path, on_ranks):
    def fresh():
        sim = simulate(stirred(volume_of_rain(partial_cells=0.2)), surface=wind())
        sim.directory = tmp_path
        return sim

    continued(fresh)
    arguments = ['freshwater="volume"', "partial_cells=0.2", 'advection="QuickestAdvection"']
    assert (
        on_ranks(1, cases, "bits", *arguments)["checksum"]
        == on_ranks(3, cases, "bits", "blocks=[13,8]", *arguments)["checksum"]
    )


@pytest.mark.parametrize("freshwater", ["salt", "volume"])
def test_balanced_rain_over_the_globe(freshwater):
    """Rain, evaporation and ice cover of January sum to nothing: salt, less what new ice rejects,
    and volume stay, on a folded grid with real forcing.
    """
    import fathom as fm

    sim = simulate(
        globe(free_surface=fm.FreeSurface(freshwater=freshwater, tolerance=1e-6)),
        step="3600s",
        surface=fm.BulkForcing(balanced=True, salinity_restoring=0.0),
    ).prepare()
    area = np.asarray(sim.model.grid.horizontal.area_center)
    in_water = (34.7 - 4) / (1000 * 3.337e5)  # salt that frazil ice left behind [1e-3 m per J m-2]
    content = lambda: np.array(
        [
            sim.fields.volume(),
            sim.fields.content("salinity") - in_water * np.nansum(area * sim.gather("frazil_heat")),
        ]
    )
    before = content()
    sim.advance(10)
    assert np.all(np.abs(content() / before - 1) < 2e-14)
    fresh = sim.gather("sea_surface_height")
    assert np.abs(fresh).max() > 0.01


def test_errors_of_fresh_water():
    import fathom as fm

    with pytest.raises(ValueError, match="must be 'salt' or 'volume'"):
        fm.FreeSurface(freshwater="water")
    with pytest.raises(ValueError, match="balanced"):
        fm.BulkForcing(balanced=1)
