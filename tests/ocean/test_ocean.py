"""What the ocean must keep: constants, contents, rest, and itself across a restart."""

import gc
import weakref

import numpy as np
import pytest

from cases import box, simulate, stirred, wind


@pytest.mark.parametrize("advection", ["CentredAdvection", "UpwindAdvection", "QuickestAdvection"])
def test_constant_tracer_stays_constant(advection):
    """With bathymetry and a moving surface; 200 steps of rounding: 1e-13."""
    import fathom as fm

    sim = simulate(
        stirred(box(tracers=["dye"], tracer_advection=getattr(fm.schemes, advection)())).set(
            dye=1.0
        ),
        surface=wind(),
    )
    sim.advance(200)
    dye = sim.fields.extremes("dye")
    assert abs(dye["minimum"] - 1) < 1e-13 and abs(dye["maximum"] - 1) < 1e-13
    assert sim.fields.motion(sim.time_step)["speed"] > 0.01


@pytest.mark.parametrize("advection", ["CentredAdvection", "UpwindAdvection", "QuickestAdvection"])
def test_contents_and_volume_are_conserved(advection):
    """Without surface fluxes heat, salt, dye and volume change by rounding only: 1e-14 a step of
    the content.
    """
    import fathom as fm

    sim = simulate(
        stirred(box(tracers=["dye"], tracer_advection=getattr(fm.schemes, advection)())).set(
            dye=lambda x, y, z: 1.0 * (x > 5e5)
        )
    )
    sim.prepare()
    names = ["temperature", "salinity", "dye"]
    content = lambda: np.array([sim.fields.volume(), *(sim.fields.content(n) for n in names)])
    before = content()
    sim.advance(100)
    assert np.all(np.abs(content() / before - 1) < 1e-13)


@pytest.mark.parametrize("advection", ["LaxWendroffAdvection", "QuickestAdvection"])
def test_limited_advection_makes_no_new_extremes(advection):
    """A dye of 0 and 1 in a stirred ocean with land, slopes and a moving surface, without
    diffusion; rounding only.
    """
    import fathom as fm

    sim = simulate(
        stirred(
            box(tracers=["dye"], tracer_advection=getattr(fm.schemes, advection)(), diffusion=None)
        ).set(dye=lambda x, y, z: 1.0 * ((x // 1e5 + y // 1e5 + z // 300) % 2 > 0)),
        surface=wind(),
    )
    sim.advance(100)
    dye = sim.fields.extremes("dye")
    assert -1e-13 < dye["minimum"] and dye["maximum"] < 1 + 1e-13
    assert sim.fields.motion(sim.time_step)["speed"] > 0.01


def test_surface_heat_flux_arrives():
    """Heat content changes by flux x area x time, to rounding."""
    import fathom as fm

    sim = simulate(stirred(box()), surface=fm.SurfaceForcing(heat_flux=100.0))
    sim.prepare()
    before = sim.fields.content("temperature")
    sim.advance(48)
    area = sum(
        w[0][m > 0].sum()
        for w, m in (
            (a, np.asarray(b)[0])
            for a, b in zip(sim.fields.windows("area_center"), sim.fields.windows("wet_levels"))
        )
    )
    gained = sim.fields.content("temperature") - before
    assert gained == pytest.approx(100 / (1026 * 3996) * area * 48 * 1800, rel=1e-9)


def test_rest_over_topography():
    """A stratified ocean at rest stays at rest exactly: temperature depends on depth alone, full
    cells. (Vertical diffusion would make water at the bottom of a slope differ from its neighbours
    at that depth, and rightly move it.)"""
    import fathom as fm

    sim = simulate(
        box(vertical_mixing=fm.ConstantMixing(diffusivity=0)).set(
            temperature=lambda x, y, z: 20 * np.exp(-z / 500) + 0 * x, salinity=35.0
        )
    )
    sim.advance(20)
    assert sim.fields.motion(sim.time_step)["speed"] == 0.0


def test_restart_is_no_restart(tmp_path):
    def fresh():
        sim = simulate(stirred(box(tracers=["ideal_age"])), surface=wind())
        sim.directory = tmp_path
        return sim

    whole = fresh()
    whole.advance(30)
    half = fresh()
    half.advance(17)
    path = half.write_restart("half.fathom")
    rest = fresh().restore(path)
    rest.advance(13)
    assert rest.checksum() == whole.checksum()


def test_mean_across_a_restart(tmp_path):
    """A mean that a restart has cut in two is the mean; a restart without it starts a new one."""
    import fathom as fm

    def run(folder, hours, restart=None, output=True):
        sim = simulate(stirred(box()), surface=wind())
        sim.directory = tmp_path / folder
        if output:
            sim.output("mean.zarr", "sea_surface_temperature", every="4h", statistic="mean")
            sim.output(
                "least.zarr",
                ["sea_surface_temperature", "sea_surface_height"],
                every="4h",
                statistic="minimum",
            )
            sim.output("most.zarr", ["temperature"], every="4h", statistic="maximum")
            sim.output("all.zarr", ["temperature", "sea_surface_height"], every=sim.time_step)
        if restart:
            sim.restore(restart)
        sim.run(f"{hours}h", report=False)
        return sim

    run("whole", 8)
    run("cut", 6)
    run("cut", 2, tmp_path / "cut" / "restart.fathom")
    whole, cut = (fm.open(tmp_path / name / "mean.zarr") for name in ("whole", "cut"))
    assert whole.identical(cut) or (
        whole.tos.equals(cut.tos) and whole.time_bounds.equals(cut.time_bounds)
    )
    assert whole.time.size == 2
    for name in ("least.zarr", "most.zarr"):
        assert fm.open(tmp_path / "whole" / name).identical(fm.open(tmp_path / "cut" / name))
    least, most, steps = (
        fm.open(tmp_path / "whole" / name) for name in ("least.zarr", "most.zarr", "all.zarr")
    )
    every = (steps.sizes["time"] - 1) // 2  # instants in each interval after its first one
    for n in range(2):
        during = steps.isel(time=slice(1 + n * every, 1 + (n + 1) * every))
        np.testing.assert_array_equal(most.thetao[n], during.thetao.max("time"))
        np.testing.assert_array_equal(least.tos[n], during.thetao[:, 0].min("time"))
        np.testing.assert_array_equal(least.zos[n], during.zos.min("time"))
    assert most.thetao.attrs["cell_methods"] == "time: maximum"
    run("bare", 2, output=False)
    run("late", 2, tmp_path / "bare" / "restart.fathom")


def test_restart_of_another_grid_is_refused(tmp_path):
    sim = simulate(stirred(box()))
    sim.directory = tmp_path
    sim.advance(1)
    path = sim.write_restart("one.fathom")
    with pytest.raises(ValueError, match="wet_levels"):
        simulate(stirred(box(nx=44))).restore(path).prepare()


def test_single_precision_follows_double():
    a, b = (simulate(stirred(box(precision=p)), surface=wind()) for p in ("fp64", "fp32"))
    for sim in (a, b):
        sim.advance(48)
    difference = np.abs(a.gather("temperature") - b.gather("temperature")).max()
    assert (
        0 < difference < 2e-3
    )  # 24 bits of 20 degC: 2e-6; it grows in a day of steps of a turbulent field


def test_biharmonic_diffusion_smooths_and_conserves():
    """Noise of two cells decays, the content does not change."""
    import fathom as fm

    noise = np.random.default_rng(1).normal(size=(8, 32, 40))
    sim = simulate(
        box(tracers=["dye"], diffusion=fm.BiharmonicDiffusion(diffusivity=1e13), slope=False).set(
            dye=10 + noise
        )
    )
    sim.prepare()
    before, spread = sim.fields.content("dye"), np.std(sim.gather("dye"))
    sim.advance(10)
    assert abs(sim.fields.content("dye") / before - 1) < 1e-13
    assert np.std(sim.gather("dye")) < 0.9 * spread


def test_a_run_that_blows_up_says_where(tmp_path):
    """Field, place, level, step, a state to look at, and which step would hold."""
    from fathom.base.failure import UnstableError

    sim = simulate(stirred(box()), step="40000s", surface=wind())
    sim.directory, sim.beyond_stability = tmp_path / "run", True
    with pytest.raises(
        UnstableError,
        match=(
            r"temperature is .* at x .* km, y .* km, .* m .*found at step \d+"
            r" .*last-state.fathom.*try a step of \d+ s"
        ),
    ):
        sim.run("300d", report=False)
    assert (tmp_path / "run" / "last-state.fathom").exists()


def test_bad_input_says_where():
    ocean = box()
    bad = np.full((8, 32, 40), 10.0)
    bad[2, 10, 5] = np.nan
    with pytest.raises(ValueError, match="temperature is nan at .*k=2"):
        simulate(ocean.set(temperature=bad)).prepare()
    with pytest.raises(ValueError, match="shape"):
        simulate(box().set(temperature=np.zeros((8, 32, 41)))).prepare()
    with pytest.raises(ValueError, match="did you mean 'salinity'"):
        box().set(salinty=35)


def test_a_simulation_goes_when_it_is_left(tmp_path):
    """Not when Python collects garbage, at another time on each rank: it contains MPI windows,
    which all ranks free together.
    """
    gc.collect()
    gc.disable()
    try:
        sim = simulate(stirred(box()), surface=wind())
        sim.directory = tmp_path / "run"
        sim.output("a.zarr", ["temperature"], every="6h").checkpoint("6h")
        sim.run("12h", report=False)
        left = weakref.ref(sim)
        del sim
        assert left() is None
    finally:
        gc.enable()
