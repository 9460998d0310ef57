"""Bottom cells that end at the sea floor: rest, constants, contents, and their gain."""

import numpy as np
import pytest

from cases import box, continued, simulate, stirred, wind


def cut(share=0.2, **more):
    return box(partial_cells=share, **more)


def test_the_floor_is_where_it_was_asked_for():
    """Depth of a smooth slope to rounding where the bottom cell keeps its least share, to a tenth
    of a layer elsewhere; whole cells miss by up to half of one.
    """
    grid, whole = cut().grid, box().grid
    asked = grid._given_depth()
    layer = np.asarray(grid.vertical.thickness)[np.maximum(grid.wet_levels, 1) - 1]
    share = grid.bottom_thickness() / layer
    water = grid.wet_levels > 0
    assert (
        np.all((share[water] >= 0.2 - 1e-12) & (share[water] <= 1))
        and 0.3 < (share[water] < 0.99).mean()
    )
    deep = water & (asked > 100)
    assert np.abs(grid.depth() - asked)[deep & (share > 0.2 + 1e-12) & (share < 1)].max() < 1e-9
    assert np.all(np.abs(grid.depth() - asked)[deep] <= 0.1 * np.max(grid.vertical.thickness))
    assert np.abs(whole.depth() - asked)[deep].max() > 0.4 * layer.min()
    stacked = np.array([grid.thickness(k) * (k < grid.wet_levels) for k in range(grid.levels.nz)])
    np.testing.assert_allclose(stacked.sum(0), grid.depth(), rtol=1e-14)
    np.testing.assert_array_equal(
        stacked[:, 3, 30], grid.column(3, 30) * (np.arange(8) < grid.wet_levels[3, 30])
    )


def test_whole_cells_cut_at_interfaces_are_whole_cells():
    """A flat bottom at an interface: the same answer, to rounding of thicknesses inside rather than
    outside of sums.
    """
    runs = []
    for share in (None, 0.2):
        sim = simulate(stirred(box(slope=False, partial_cells=share)), surface=wind())
        sim.advance(10)
        runs.append(sim.gather("temperature"))
    assert np.abs(runs[0] - runs[1]).max() < 1e-10


@pytest.mark.parametrize("equation", ["LinearEquationOfState", "MWJF"])
def test_rest_over_cut_cells(equation):
    """A stratified ocean at rest stays at rest, to the rounding of h T / h, whatever the equation
    of state: cells count where the middle of their layer is.
    """
    import fathom as fm

    ocean = cut(
        0.1,
        vertical_mixing=fm.ConstantMixing(diffusivity=0),
        equation_of_state=getattr(fm, equation)(),
    )
    sim = simulate(
        ocean.set(
            temperature=lambda x, y, z: 20 * np.exp(-z / 500) + 0 * x,
            salinity=lambda x, y, z: 35 + z / 2000 + 0 * x,
        )
    )
    sim.advance(20)
    assert sim.fields.motion(sim.time_step)["speed"] < 1e-12


@pytest.mark.parametrize("advection", ["CentredAdvection", "UpwindAdvection", "QuickestAdvection"])
def test_constants_and_contents_in_cut_cells(advection):
    import fathom as fm

    ocean = cut(tracers=["one", "dye"], tracer_advection=getattr(fm, advection)())
    sim = simulate(stirred(ocean).set(one=1.0, dye=lambda x, y, z: 1.0 * (x > 5e5))).prepare()
    names = ["temperature", "salinity", "dye"]
    content = lambda: np.array([sim.fields.volume(), *(sim.fields.content(n) for n in names)])
    before = content()
    volume = float(
        (sim.model.grid.depth() * np.asarray(sim.model.grid.horizontal.area_center)).sum()
    )
    assert before[0] == pytest.approx(volume, rel=1e-6)  # surface height adds a little
    sim.advance(100)
    one = sim.fields.extremes("one")
    assert max(abs(one["minimum"] - 1), abs(one["maximum"] - 1)) < 1e-13
    assert np.all(np.abs(content() / before - 1) < 1e-13)
    assert sim.fields.motion(sim.time_step)["speed"] > 0.01


def test_cut_cells_across_a_restart_and_a_change_of_the_floor(tmp_path):
    def fresh(share=0.2):
        sim = simulate(stirred(cut(share)), surface=wind())
        sim.directory = tmp_path
        return sim

    path = continued(fresh)
    with pytest.raises(ValueError, match="bottom_thickness"):
        fresh(0.6).restore(path).prepare()


@pytest.mark.parametrize("share", [None, 0.2])
def test_heat_from_the_sea_floor(share):
    """All of it arrives in the bottom cell, and nothing elsewhere before the water moves."""
    import fathom as fm

    heat = lambda x, y: 0.05 + 0.1 * (x > 5e5)
    ocean = box(
        partial_cells=share,
        geothermal_heat=heat,
        vertical_mixing=fm.ConstantMixing(diffusivity=0, convective_diffusivity=0),
        diffusion=None,
    )
    sim = simulate(ocean.set(temperature=lambda x, y, z: 20 - z / 200 + 0 * x)).prepare()
    h, wet = ocean.grid.horizontal, np.asarray(ocean.grid.wet_levels)
    per_step = heat(np.asarray(h.center_longitude), 0) * 1800 / (1026 * 3996) * (wet > 0)
    before, content = sim.gather("temperature"), sim.fields.content("temperature")
    sim.advance(1)
    gain = sim.gather("temperature") - before
    warmed = np.abs(
        gain * np.array([ocean.grid.thickness(k) for k in range(8)])
        - per_step * (np.arange(8)[:, None, None] == wet - 1)
    ) * (np.arange(8)[:, None, None] < wet)
    assert warmed.max() < 1e-12
    sim.advance(19)
    assert sim.fields.content("temperature") - content == pytest.approx(
        20 * (per_step * np.asarray(h.area_center)).sum(), rel=1e-6
    )


def test_bolus_velocity_is_the_transport_over_the_height_of_the_face(tmp_path):
    import fathom as fm
    from fathom import output

    sim = simulate(stirred(cut(eddies=fm.GentMcWilliams(transports=True))))
    sim.directory = tmp_path
    sides = {"x": "east", "y": "north"}
    sim.output(
        "a.zarr",
        [
            *(f"bolus_velocity_{x}" for x in sides),
            *(f"bolus_transport_{side}" for side in sides.values()),
        ],
        every="1h",
        dtype="float64",
    ).run("1h", report=False)
    data, grid = output.open(tmp_path / "a.zarr").isel(time=-1), sim.model.grid
    for (x, side), shift in zip(sides.items(), ((0, 1), (1, 0))):
        both = [
            np.nan_to_num(data.thkcello.values),
            np.nan_to_num(np.roll(data.thkcello.values, [-n for n in shift], (1, 2))),
        ]
        open_ = (both[0] > 0) & (both[1] > 0)
        assert (both[0] != both[1])[open_].any() == (x == "x")  # the floor slopes to the east
        transport, velocity = (
            data[f"bolus_transport_{side}"].values,
            data[f"bolus_velocity_{x}"].values,
        )
        expected = transport / (
            np.asarray(getattr(grid.horizontal, f"length_{side}_face"))
            * np.where(open_, np.minimum(*both), 1)
        )
        np.testing.assert_allclose(velocity[open_], expected[open_], rtol=1e-12)
        assert (
            np.nanmax(np.abs(velocity[open_]))
            > 0
            == np.nanmax(np.abs(velocity[~open_ & (both[0] > 0)]))
        )


@pytest.mark.parametrize("name", ["a.zarr", "a.nc"])
@pytest.mark.parametrize("share", [None, 0.2])
def test_a_volume_integral_of_a_store_is_that_of_the_model(share, name, tmp_path):
    """area x thickness of a store: the model's volume and mean, and where the water ends."""
    import fathom as fm
    from fathom import output

    ocean = box(partial_cells=share)
    sim = fm.Simulation(stirred(ocean), time_step="30min", directory=tmp_path, surface=wind())
    sim.output(name, ["temperature", "sea_surface_height"], every="2h", dtype="float64")
    sim.run("2h", report=False)
    with output.open(tmp_path / name) as data:
        volume = data.areacello * data.thkcello * data.thetao[-1].notnull()
        assert (
            data.thkcello.dims == (("depth",) if share is None else ("depth", "y", "x"))
            and data.thkcello.attrs["standard_name"] == "cell_thickness"
        )
        assert float(volume.sum()) == pytest.approx(sim.fields.volume(False), rel=1e-13)
        assert float((data.thetao[-1] * volume).sum() / volume.sum()) == pytest.approx(
            sim.fields.extremes("temperature")["mean"], rel=1e-13
        )
        at_top = data.areacello * data.zos[-1] * data.thetao[-1, 0]
        assert float((data.thetao[-1] * volume).sum() + at_top.sum()) == pytest.approx(
            sim.fields.content("temperature"), rel=1e-13
        )


def test_errors_of_partial_cells():
    import fathom as fm

    for wrong in (0, 1.5, "half", float("nan")):
        with pytest.raises(ValueError, match="partial_cells"):
            fm.ZLevels(nz=8, depth=2000, partial_cells=wrong)


def test_a_wave_over_a_slope():
    """A topographic wave of one layer with the true depth, and the same water on eight levels:
    whole cells are a staircase, cut ones the slope.
    """
    import fathom as fm

    size = 1000e3

    def sea_level(levels, share):
        grid = fm.CartesianGrid(
            nx=32,
            ny=24,
            extent=(size, 0.75 * size),
            periodic=True,
            bathymetry=lambda x, y: 700 + 1200 * y / (0.75 * size),
            levels=fm.ZLevels(nz=levels, depth=2000, spacing="uniform", partial_cells=share),
        )
        ocean = fm.Ocean(
            grid,
            coriolis=(1e-4, 0),
            momentum_advection=None,
            friction=None,
            diffusion=None,
            bottom_drag=0,
            vertical_mixing=fm.ConstantMixing(viscosity=0, diffusivity=0),
        )
        sim = simulate(
            ocean.set(
                sea_surface_height=lambda x, y: (
                    0.1 * np.sin(2 * np.pi * x / size) * np.sin(np.pi * y / (0.75 * size)) ** 2
                )
            )
        )
        sim.advance(144)
        return sim.gather("sea_surface_height")

    true = sea_level(1, 0.01)
    whole, cut_cells = (
        np.linalg.norm(sea_level(8, share) - true) / np.linalg.norm(true) for share in (None, 0.1)
    )
    assert cut_cells < 1e-9 and whole > 0.3
