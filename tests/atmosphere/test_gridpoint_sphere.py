"""The grid-point atmosphere on the sphere: rest over mountains, solid rotations, poles, ranks."""

import numpy as np
import pytest

import fathom as fm
import small_spheres
from fathom.base.mpi import core


@pytest.mark.parametrize("deep", [True, False])
def test_rest_over_mountains(deep):
    """One of them on a pole: air like the reference stays at rest, to round-off."""
    sim = small_spheres.sphere(deep=deep).prepare()
    sim.advance(50)
    for name in ("upward_air_velocity", "x_wind", "y_wind"):
        e = sim.fields.extremes(name)
        assert max(abs(e["minimum"]), abs(e["maximum"])) < 1e-10


def change(sim, steps, before):
    """Of wind along x, root of the mean square."""
    sim.advance(steps)
    return np.sqrt(np.mean((sim.gather("x_wind") - before) ** 2))


def test_rotation_over_the_poles_is_of_second_order():
    """Air that turns about an axis on the equator stays as it is: 40 m/s over the poles, where a
    step takes it across many columns.
    """
    errors = []
    for n in (1, 2):
        sim = small_spheres.turning(
            nx=24 * n, ny=18 * n, step=f"{40 // n}min", ground=False
        ).prepare()
        errors.append(change(sim, 6 * n, sim.gather("x_wind")))
    assert errors[0] < 0.05
    assert np.log2(errors[0] / errors[1]) > 1.8


@pytest.mark.parametrize("deep", [True, False])
def test_wind_of_its_own_trajectories(deep):
    """Points of the wind that are traced by themselves: air that turns over the poles stays as it
    is, to second order, and rest over hills; wind on finer grids is that of averaged trajectories.
    """
    errors, apart = [], []
    for n in (1, 2):
        found = {}
        for way in ("averaged", "traced"):
            sim = small_spheres.turning(
                nx=24 * n, ny=18 * n, step=f"{40 // n}min", ground=False, wind_departures=way
            ).prepare()
            before = sim.gather("x_wind")
            sim.advance(6 * n)
            found[way] = sim.gather("x_wind")
        errors.append(np.sqrt(np.mean((found["traced"] - before) ** 2)))
        apart.append(np.sqrt(np.mean((found["traced"] - found["averaged"]) ** 2)))
    assert errors[0] < 0.05 and np.log2(errors[0] / errors[1]) > 1.8
    assert 0 < apart[0] < 5e-3 and apart[1] < apart[0] / 3
    rest = small_spheres.sphere(deep=deep, wind_departures="traced").prepare()
    rest.advance(20)
    for name in ("upward_air_velocity", "x_wind", "y_wind"):
        e = rest.fields.extremes(name)
        assert max(abs(e["minimum"]), abs(e["maximum"])) < 1e-10


def test_displacement_of_the_wind_along_a_circle():
    """Air in solid rotation over the poles moves along great circles at one angle a second: a step
    of 40 min displaces points of the wind by that angle, in space.
    """
    sim = small_spheres.turning(
        nx=36, ny=24, ground=False, wind_departures="traced", step="40min", outer=1, iterations=6
    ).prepare()
    sim.advance(1)
    angle = 40.0 * 40 * 60 / sim.model.grid.radius
    longitude = np.deg2rad((np.arange(36) + 0.5) * 10)
    latitude = np.deg2rad(-90 + (np.arange(24) + 0.5) * 7.5)[:, None]
    place = np.array(
        [
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude) + 0 * longitude,
        ]
    )
    axis = np.array([-1.0, 0.0, 0.0])  # at the equator
    turned = np.cos(angle) * place - np.sin(angle) * np.cross(axis, place, axis=0)
    turned += (1 - np.cos(angle)) * axis[:, None, None] * np.tensordot(axis, place, 1)
    for n, name in enumerate(("x", "y", "axis")):
        found = sim.gather(f"displacement_{name}_east_face")[4]
        away = np.abs(found - (place - turned)[n]).max()
        assert away < 2e-3 * angle, (name, away / angle)


def test_the_finest_grid_that_traces_by_itself():
    own = lambda nx, way: (
        fm.GridPointAtmosphere(
            fm.LatitudeLongitudeGrid(nx, staggering="C"), wind_departures=way
        ).own_of_wind
    )
    assert own(96, "automatic") and not own(432, "automatic") and not own(96, "averaged")
    with pytest.raises(ValueError, match="of a sphere or an area of it"):
        fm.GridPointAtmosphere(
            fm.CartesianGrid(8, 8, extent=8e3, staggering="C"), wind_departures="traced"
        )


@pytest.mark.parametrize("deep, steps, allowed", [(False, 36, 2e-11), (True, 18, 1e-9)])
def test_rotation_about_the_axis_stays_level(deep, steps, allowed):
    """In the balance of the discrete equations; steps of 40 min. Without the factors of the means
    of two rows w is 7e-6 m/s in both.
    """
    sim = small_spheres.balanced_rotation(deep, nx=24, ny=18, step="40min").prepare()
    before = sim.gather("x_wind")
    assert np.abs(before).max() == pytest.approx(40 * np.cos(np.deg2rad(5)), rel=3e-3)
    assert change(sim, steps, before) < 1e-7
    assert np.abs(sim.gather("upward_air_velocity")).max() < allowed


def test_balance_needs_a_zonal_state():
    """Over hills, with waves along parallels, or with wind across them there is none."""
    for given, said in (
        ({"hills": True}, "over flat ground"),
        ({"x_wind": lambda x, y, z: 5 * np.cos(np.deg2rad(x)) + 0 * z}, "x_wind varies along"),
        ({"y_wind": 1.0}, "wind along meridians"),
    ):
        sim = small_spheres.sphere(ground=given.pop("hills", False))
        sim.model.set(balanced=True, **given)
        with pytest.raises(ValueError, match=said):
            sim.prepare()
    with pytest.raises(ValueError, match="balanced = 'yes'"):
        fm.GridPointAtmosphere(fm.LatitudeLongitudeGrid(16, staggering="C")).set(balanced="yes")


def test_deep_air_that_turns_faster_than_its_planet():
    """Exact: centrifugal and Coriolis forces, upward too, gravity that falls off. Second order."""
    errors = []
    for n in (1, 2):
        sim, before = small_spheres.deep_rotation(
            nx=24 * n, ny=18 * n, number=8 * n, step=f"{400 / n}s",
            implicitness=0.5, reference_temperature=300.0,
        )  # fmt: skip
        errors.append(change(sim, 8 * n, before))
        assert np.abs(sim.gather("upward_air_velocity")).max() < 1e-3
    assert errors[0] < 3e-4 * np.abs(before).max()
    assert np.log2(errors[0] / errors[1]) > 1.7


@pytest.mark.parametrize(
    "options, on",
    [
        ((), [(3, 2)]),
        pytest.param((), [(2, 1)], marks=pytest.mark.long),
        pytest.param(
            ("deep=true", "still=true", "surface_potential_temperature=280"),
            [(4, 1)],
            marks=pytest.mark.long,
        ),
        (('precision="fp32"', 'preconditioner="lines"'), [(3, 1)]),
        (('wind_departures="traced"',), [(3, 2)]),
        pytest.param(('preconditioner="multigrid"', "nx=32"), [(2, 2)], marks=pytest.mark.long),
        pytest.param(('preconditioner="multigrid"', "nx=32"), [(3, 1)], marks=pytest.mark.long),
    ],
)
def test_same_bits_on_ranks(on_ranks, options, on):
    alone = on_ranks(1, small_spheres, "bits", *options)
    assert alone["received"] == 0 and abs(alone["change_of_mass"]) < 1e-6
    for ranks, threads in on:
        found = on_ranks(
            ranks, small_spheres, "bits", *options, f"threads={threads}", threads=threads
        )
        assert found["checksum"] == alone["checksum"]
        assert found["received"] > 0


def test_mass_blocks_and_restart(tmp_path):
    found = small_spheres.bits()
    assert abs(found["change_of_mass"]) < 1e-14
    assert found["iterations"] < 12
    assert small_spheres.bits(blocks=[9, 5])["checksum"] == found["checksum"]
    sim = small_spheres.turning(directory=str(tmp_path / "a")).prepare()
    sim.advance(2)
    path = sim.write_restart("half.fathom")
    again = small_spheres.turning(directory=str(tmp_path / "b")).restore(path).prepare()
    again.advance(1)
    assert again.checksum() == found["checksum"]


def test_separable_equation_is_solved_at_once():
    """Over flat ground, linear about the reference, the preconditioner is the inverse."""
    sim = small_spheres.turning(
        ground=False, preconditioner="separable", linear_about="reference", tolerance=1e-6
    ).prepare()
    sim.advance(1)
    solve = sim.find(core.HelmholtzSolve)
    assert solve.iterations == solve.solves and solve.residual < 1e-6


def test_ways_to_solve_agree():
    """The wind after a step does not depend on how the equation is solved."""

    def wind(tolerance=1e-9, **ways):
        sim = small_spheres.turning(tolerance=tolerance, maximum_iterations=400, **ways).prepare()
        sim.advance(1)
        return sim.gather("x_wind")

    one = wind(preconditioner="lines")
    for other in (
        {"preconditioner": "separable-lines"},
        {"preconditioner": "multigrid"},
        {"preconditioner": "lines", "solver": "bicgstab"},
    ):
        assert np.abs(one - wind(**other)).max() < 1e-5, other
    assert 0 < np.abs(one - wind(1e-4, solver_precision="fp32")).max() < 1e-3


def test_bits_of_another_solver():
    ways = {"solver": "bicgstab", "solver_precision": "fp32"}
    found = small_spheres.bits(**ways)
    assert small_spheres.bits(blocks=[9, 5], threads=2, **ways)["checksum"] == found["checksum"]


@pytest.mark.parametrize(
    "given, said",
    [
        ({"coriolis": 1e-4}, "a sphere has its rotation"),
        ({"linear_about": "states"}, "did you mean 'state'"),
        ({"solver": "gcrr"}, "did you mean 'gcr'"),
        ({"precision": "fp32", "solver_precision": "fp64"}, "allowed: 'fp32'"),
        ({"deep": 1}, "must be true or false"),
        ({"wind_departures": "trace"}, "did you mean 'traced'"),
    ],
)
def test_bad_arguments(given, said):
    with pytest.raises(ValueError, match=said):
        fm.GridPointAtmosphere(fm.LatitudeLongitudeGrid(16, staggering="C"), **given)


def test_bad_grids_and_states():
    with pytest.raises(ValueError, match="nx .* is missing"):
        fm.LatitudeLongitudeGrid(staggering="C")
    with pytest.raises(ValueError, match="an even number"):
        fm.LatitudeLongitudeGrid(15, staggering="C")
    air = fm.GridPointAtmosphere(fm.LatitudeLongitudeGrid(16, staggering="C"))
    with pytest.raises(ValueError, match="needs air_temperature"):
        air.set(eastward_wind=3.0)
    with pytest.raises(ValueError, match="by pressure .* or by height"):
        air.set(air_temperature=300.0, x_wind=1.0)
    with pytest.raises(ValueError, match="no case 'jablonowski'"):
        air.set(case="jablonowski")


def test_exchanges_hold_many_fields():
    """Less than half as many messages as one a field."""
    for sim in (small_spheres.sphere(), small_spheres.aquaplanet()):
        groups = sim.prepare().sequence.groups
        together = [group["exchange"] for group in groups if group["exchange"]]
        assert 2 * len(together) <= sum(map(len, together))


def test_filtered_start_is_quiet():
    """A spot of pressure on a planet without rotation becomes waves alone: the long ones are
    left."""
    winds = []
    for span in (0, "12h"):
        sim = small_spheres.sphere(nx=32, ny=24, ground=False, deep=False, rotation=0.0)
        away = lambda x, y: ((x - 180) / 20) ** 2 + (y / 20) ** 2
        sim.model.set(
            air_temperature=280.0,
            surface_air_pressure=lambda x, y: 1e5 * (1 + 2e-3 * np.exp(-away(x, y))),
            digital_filter=span,
        )
        sim.prepare().advance(6)
        winds.append(np.abs(sim.gather("x_wind")).max())
    assert winds[1] < 0.6 * winds[0]


def test_way_back_of_the_filter():
    """Backward in time no sponge amplifies, and trajectories have an interpolation more; what is
    unstable is refused in words.
    """
    ends = []
    for rate in (0.0, 0.005):
        sim = small_spheres.turning(nx=16, ny=12, sponge_bottom=10e3, sponge_rate=rate).prepare()
        before = sim.other(sim.model.adiabatic(), -sim.time_step)
        assert before.model.iterations == sim.model.iterations + 1
        before.advance(2)
        ends.append(before.fields.checksum(sim.model.prognostic))
    assert ends[0] == ends[1]
    sim.model.set(digital_filter="2h")
    again = fm.Simulation(sim.model, time_step="20min", directory=sim.directory)
    again.limits["x_wind"] = (-10, 10)
    with pytest.raises(ValueError, match="unstable with a step of 1200 s: x_wind .* of 600 s"):
        again.prepare()


def test_filter_about_the_reference():
    """The equations of the way back are linear about the reference, whose matrix is made of layers
    and areas; about the state the same filtered state comes, as far as the solver goes.
    """
    away = lambda x, y: np.deg2rad(x - 90) ** 2 + np.deg2rad(y) ** 2
    found = []
    for about in ("reference", "state"):
        sim = small_spheres.sphere(ground=False, linear_about=about, tolerance=1e-10)
        sim.model.set(
            air_temperature=280.0,
            surface_air_pressure=lambda x, y: 1e5 * (1 + 2e-3 * np.exp(-5 * away(x, y))),
            digital_filter="2h",
        )
        found.append(sim.prepare().gather("air_density"))
    np.testing.assert_allclose(*found, rtol=1e-4)
