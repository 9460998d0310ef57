"""The grid-point atmosphere: rest, exact solutions, order of convergence, mass, restart, ranks."""

import re
import tempfile

import numpy as np
import pytest

import fathom as fm
import small_planes
from fathom.base.failure import UnstableError
from fathom.base.mpi import core


def test_rest_over_a_mountain():
    """Air like the reference stays at rest over a steep hill: round-off, that steps do not grow."""
    sim = small_planes.bubble(wind=0.0, ny=1)
    vars(sim.model)["initial"] = {}
    sim.prepare().advance(100)
    for name in ("upward_air_velocity", "x_wind", "northward_wind"):
        e = sim.fields.extremes(name)
        assert max(abs(e["minimum"]), abs(e["maximum"])) < 1e-10


@pytest.mark.long
def test_order_in_space():
    """Against the exact solution of Baldauf and Brdar: second order in dx, dz and dt together."""
    import baldauf_brdar

    with tempfile.TemporaryDirectory() as directory:
        coarse, fine = (baldauf_brdar.errors("fast", n, directory) for n in (0, 1))
    assert np.log2(coarse["temperature"] / fine["temperature"]) > 1.7
    assert fine["temperature"] < 0.12 and fine["wind"] < 0.2


def test_the_exact_solution():
    """w is 0 at the lids; with sound its extremes are those that Baldauf and Brdar's set-up has,
    computed independently; without, T' starts as the spot less the part of sound.
    """
    import baldauf_brdar as case

    z, x = np.linspace(0, 10e3, 41), np.linspace(0, 300e3, 601)[:-1]
    fields = case.exact("fast", 1800.0, x, z, sound=True)
    assert np.abs(fields[2][[0, -1]]).max() < 1e-12
    assert case.warmer(fields).max() == pytest.approx(3.042278e-3, rel=2e-3)
    assert fields[2].min() == pytest.approx(-2.336285e-3, rel=2e-3)
    spot = case.warmer(case.exact("fast", 0.0, x, z, sound=True))
    slow = case.warmer(case.exact("fast", 0.0, x, z))
    assert 0 < np.abs(slow - spot).max() < 0.5 * spot.max()


def test_mass_and_iterations():
    """The mass of air stays to round-off; the solver reaches its tolerance."""
    found = small_planes.bits(steps=5)
    assert abs(found["change_of_mass"]) < 1e-14
    assert 1 <= found["iterations"] < 80 and found["residual"] < 1e-4
    assert 0.1 < found["w"] < 20


def test_more_iterations_change_little():
    """Two outer and two inner iterations against five and three."""

    def w(**iterations):
        sim = small_planes.bubble(ny=1, **iterations).prepare()
        sim.advance(10)
        return sim.gather("upward_air_velocity")

    usual, converged = w(), w(outer=5, inner=3, iterations=4, tolerance=1e-8)
    assert np.abs(usual - converged).max() < 0.02 * np.abs(converged).max()


@pytest.mark.parametrize(
    "options, on",
    [
        ((), [(3, 2)]),
        pytest.param(("ny=12", "wind=60"), [(4, 1)], marks=pytest.mark.long),
        (("ny=1", 'precision="fp32"'), [(3, 1)]),
        pytest.param(("ny=12", "walls=false", "ground=false"), [(2, 1)], marks=pytest.mark.long),
        pytest.param((), [(2, 1), (4, 1)], marks=pytest.mark.long),
        pytest.param(("ny=12", "wind=60"), [(2, 1)], marks=pytest.mark.long),
        pytest.param(("ny=12", "walls=false", "ground=false"), [(4, 1)], marks=pytest.mark.long),
    ],
)
def test_same_bits_on_ranks(on_ranks, options, on):
    alone = on_ranks(1, small_planes, "bits", *options)
    assert alone["received"] == 0
    for ranks, threads in on:
        found = on_ranks(
            ranks, small_planes, "bits", *options, f"threads={threads}", threads=threads
        )
        assert found["checksum"] == alone["checksum"]
        assert found["received"] > 0


def test_same_bits_in_tiles_and_blocks():
    usual = small_planes.bits()["checksum"]
    assert small_planes.bits(tile=8)["checksum"] == usual
    assert small_planes.bits(blocks=[10, 3])["checksum"] == usual


def test_a_rank_keeps_no_heights_of_the_whole_grid():
    """They are made again for who asks for them."""
    sim = small_planes.bubble(ny=1).prepare()
    assert not {"heights", "state"} & vars(sim.model.rest).keys()
    assert np.array_equal(sim.model.heights, sim.gather("interface_height"))


def test_restart(tmp_path):
    sim = small_planes.bubble(directory=str(tmp_path / "a")).prepare()
    sim.advance(2)
    path = sim.write_restart("half.fathom")
    sim.advance(2)
    again = small_planes.bubble(directory=str(tmp_path / "b")).restore(path).prepare()
    again.advance(2)
    assert again.checksum() == sim.checksum()


def test_single_precision():
    wide, narrow = (small_planes.bubble(precision=p, ny=1).prepare() for p in ("fp64", "fp32"))
    for sim in (wide, narrow):
        sim.advance(10)
    a, b = (sim.gather("upward_air_velocity") for sim in (wide, narrow))
    assert np.abs(a - b).max() < 0.02 * np.abs(a).max()


def test_a_slice_has_no_y():
    """All rows of a channel in which nothing varies along y are the slice."""

    def run(ny):
        sim = small_planes.bubble(ny=ny, ground=False, coriolis=0.0, tolerance=1e-9)
        sim.model.initial["y_wind"] = 0.0
        sim.prepare().advance(3)
        return sim.gather("upward_air_velocity")

    one, many = run(1), run(6)
    assert np.abs(many - one).max() < 1e-7 * np.abs(one).max()  # of the solver


@pytest.mark.parametrize("preconditioner", ["separable-lines", "lines", "multigrid"])
def test_a_plane_without_walls(preconditioner):
    """What is periodic along y is what is periodic along x, turned."""
    one, other = (small_planes.along(axis, preconditioner=preconditioner) for axis in (0, 1))
    for a, b in zip(one, other, strict=True):
        assert np.abs(a - b).max() < 1e-6 * np.abs(a).max()  # of the solver


def test_inertial_oscillation():
    """Air that moves along a slice turns with f, at the speed of the trapezoidal rule."""
    sim = small_planes.bubble(ny=1, ground=False, coriolis=1e-3, implicitness=0.5, wind=10.0)
    vars(sim.model)["initial"] = {"x_wind": 10.0}
    sim.prepare().advance(25)
    turned = 25 * 2 * np.arctan(1e-3 * 20 / 2)
    for name, exact in (("eastward_wind", np.cos(turned)), ("northward_wind", -np.sin(turned))):
        assert np.abs(sim.gather(name) - 10 * exact).max() < 1e-3


@pytest.mark.parametrize(
    "given, said",
    [
        ({"implicitness": 0.3}, "implicitness = 0.3 must lie in"),
        ({"preconditioner": "line"}, "did you mean 'lines'"),
        ({"outer": 0}, "must be 1 or more"),
        ({"gravity": 0}, "gravity = 0 must lie between 0 and 10000 m s-2"),
        ({"tolerance": 2}, "must lie between 0 and 1"),
        ({"precision": "fp16"}, "allowed: 'fp64', 'fp32'"),
    ],
)
def test_bad_arguments(given, said):
    grid = fm.CartesianGrid(8, extent=8e3, staggering="C")
    with pytest.raises(ValueError, match=said):
        fm.GridPointAtmosphere(grid, **given)


def test_bad_grids_and_states():
    with pytest.raises(ValueError, match="4 columns or more"):
        fm.CartesianGrid(2, extent=1e3, staggering="C")
    with pytest.raises(ValueError, match="needs nx and extent"):
        fm.CartesianGrid(8, staggering="C")
    with pytest.raises(ValueError, match="must grow from 0 m"):
        fm.HeightLevels(heights=[0, 100, 50, 200, 300])
    with pytest.raises(ValueError, match="needs a CartesianGrid"):
        fm.GridPointAtmosphere(fm.GaussianGrid(21))
    grid = fm.CartesianGrid(8, extent=8e3, staggering="C")
    with pytest.raises(ValueError, match="has no air at 20000 m"):
        fm.GridPointAtmosphere(grid, surface_potential_temperature=100).geometry()
    air = fm.GridPointAtmosphere(grid, orography=25e3)
    with pytest.raises(ValueError, match="layers vanish"):
        assert air.heights is None
    with pytest.raises(ValueError, match="did you mean 'x_wind'"):
        air.set(xwind=3)
    with pytest.raises(ValueError, match="either potential_temperature_deviation or"):
        air.set(potential_temperature_deviation=1, temperature_deviation=1)


def test_what_could_be_faster_is_told():
    """To `fathom tune`: the present one first."""
    air = fm.GridPointAtmosphere(
        fm.CartesianGrid(8, extent=8e3, staggering="C"), preconditioner="lines"
    )
    ways = air.alternatives
    assert set(ways["preconditioner"]) == set(core.helmholtz_preconditioners)
    assert ways["preconditioner"][0] == "lines" and ways["solver"] == ["gcr", "bicgstab"]
    assert ways["solver_precision"] == ["fp64", "fp32"]
    assert air.numerics["tolerance"] == 1e-4


def test_a_run_that_goes_bad_says_what_its_air_does(tmp_path):
    sim = small_planes.bubble(directory=tmp_path).prepare()
    sim.limits["x_wind"] = (-10, 10)
    theta = sim.gather("air_potential_temperature")
    theta[4, 3, 7] -= 40
    sim.scatter("air_potential_temperature", theta)
    with pytest.raises(UnstableError) as error:
        sim.watch()
    said = str(error.value)
    assert re.search(r"x_wind is 15 m s-1 at x .* km, .*: 0.3 cells a step", said)
    assert re.search(r"falls by 3\d.* K through the layer of x 7.5 km, y 3.5 km", said)
    with pytest.raises(ValueError, match=r"must have the shape \(11, 8, 40\)"):
        sim.scatter("air_potential_temperature", theta[0])
