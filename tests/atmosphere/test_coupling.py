"""The coupling zone of a limited area: neutral to its own states, waves that leave, an area inside
a larger one, records in time, errors.
"""

import numpy as np
import pytest

import fathom as fm
import small_areas
from fathom.atmosphere.area import outer
from fathom.base.mpi import core
from fathom.run.experiment.experiment import Experiment
from small_areas import R, area, disturbed, plane, simulation

needed = ["air_temperature", "eastward_wind", "northward_wind"]
needed += ["surface_air_pressure", "surface_geopotential"]


def wave(grid, x0=0.0, amplitude=1e-2, width=None, count=1):
    """A gravity wave of the first mode along x, in air of 280 K at rest, without rotation; in a
    packet of that width. As `set` takes it, and the speed.
    """
    levels, T = grid.levels.nz, 280.0
    of = core.hybrid_reference(
        list(map(float, grid.levels.a)),
        list(map(float, grid.levels.b)),
        temperature=T,
        gas_constant=R,
        heat_capacity=1004.70895,
    )
    speed = np.sqrt(of["speed_squared"][0])
    shape = np.reshape(of["from_modes"], (levels, levels))[:, 0]
    tau, nu = np.reshape(of["tau"], (levels, levels)) @ shape, np.array(of["thickness"]) / 1e5
    x = grid.coordinates()[0]
    envelope = 1.0 if width is None else np.exp(-(((x - x0) / width) ** 2))
    form = amplitude * envelope * np.cos(2 * np.pi * count * x / (grid.size[0] * grid.spacing))
    by = lambda profile: np.multiply.outer(profile, form)
    state = {
        "eastward_wind": by(shape),
        "air_temperature": T + by(tau / speed),
        "log_surface_pressure": np.log(1e5) + by(nu @ shape / speed),
    }
    return state, speed


class Rest:
    """Air of 280 K at rest."""

    axis = outer.Constant()

    def state(self, number):
        return {"air_temperature": 280.0}


def linear(grid, **model):
    return fm.LimitedAreaAtmosphere(
        grid, diffusion_time=0, rotation=0.0, reference_temperature=280.0, fix_mass=False, **model
    )


def test_coupled_to_itself_nothing_changes(tmp_path):
    """The store of a run, as the outer model of the same run: the same run, except for the
    truncation of products.
    """
    grid, amplitude = plane(points=(32, 20), coupling=8), 1e-2
    first = simulation(linear(grid).set(**wave(grid, amplitude=amplitude)[0]), directory=tmp_path)
    first.output("outer.zarr", needed, every="600s", dtype="float64")
    first.run("1h", report=False)
    again = linear(grid, outer=tmp_path / "outer.zarr").set(**wave(grid, amplitude=amplitude)[0])
    second = simulation(again).prepare()
    second.advance(6)
    away = abs(second.gather("eastward_wind") - first.gather("eastward_wind")).max()
    assert away < 1e-5 * amplitude


def test_a_wave_leaves_through_the_zone():
    """A packet of gravity waves, 330 m/s, into a zone of 8 points relaxed to air at rest: less than
    1 % of its energy comes back.
    """
    grid = fm.CartesianGrid(128, 6, extent=2560e3, coupling=2, levels=fm.SigmaLevels(6))
    x = np.arange(128)
    depth = np.minimum(x, 127 - x)
    vars(grid)["zone"] = np.tile(np.maximum(1 - depth / 8, 0), (6, 1))  # only at both ends of x
    length = 128 * 20e3
    state, speed = wave(grid, x0=0.5 * length, width=250e3, count=8)
    one = simulation(linear(grid, outer=Rest()).set(**state), step="120s").prepare()
    energy = lambda: float((one.gather("eastward_wind") ** 2).sum())
    before = energy()
    one.advance(round(0.25 * length / speed / 120))
    assert energy() > 0.9 * before  # it travels through the middle
    one.advance(round(0.75 * length / speed / 120))
    assert energy() < 0.01 * before


def test_an_area_inside_a_larger_one(tmp_path):
    """The same model on the inner points of a larger area, with records of every hour: in its
    centre the same weather.
    """
    inner = area(points=(40, 32), coupling=6)
    big = simulation(disturbed(), directory=tmp_path)
    big.output("outer.zarr", [*needed, "dye"], every="1h", dtype="float64", grid=inner)
    big.run("6h", report=False)
    model = disturbed(grid=inner, outer=tmp_path / "outer.zarr")
    small = simulation(model, directory=tmp_path / "inner")
    small.run("6h", report=False)
    nx, ny = inner.points
    middle = inner.zone == 0
    cut = np.s_[:, 9 : 9 + ny, 10 : 10 + nx]
    for name in ("eastward_wind", "air_temperature"):
        here, there = small.gather(name)[:, :ny, :nx], big.gather(name)[cut]
        still = there - there.mean((1, 2), keepdims=True)
        away = np.sqrt(((here - there)[:, middle] ** 2).mean())
        assert away < 0.05 * np.sqrt((still[:, middle] ** 2).mean())


def test_restart_and_ranks_with_records(tmp_path):
    grid = plane(points=(32, 20), coupling=8)
    first = simulation(linear(grid).set(**wave(grid)[0]), directory=tmp_path)
    first.output("outer.zarr", needed, every="30min", dtype="float64")
    first.run("2h", report=False)
    make = lambda to="": simulation(
        linear(grid, outer=tmp_path / "outer.zarr").set(**wave(grid)[0]), directory=tmp_path / to
    )
    whole = make().prepare()
    whole.advance(8)
    part = make().prepare()
    part.advance(4)
    again = make().restore(part.write_restart(tmp_path / "restart.fathom")).prepare()
    again.advance(4)
    assert again.checksum() == whole.checksum()
    with pytest.raises(
        ValueError, match=r"outer.zarr' are of .* to 2000-01-01 02:00:00; the run is"
    ):
        make("beyond").run("130min", report=False)  # no data after the last record


def test_records_on_a_cubic_in_time(tmp_path):
    """Between records of every hour a wave of 6 hours: the cubic is nearer to it."""
    grid = plane(points=(16, 12), coupling=4)
    speed = {}

    def blow(simulation):
        hours = simulation.seconds / 3600
        simulation.state["eastward_wind"] = 10 * np.sin(2 * np.pi * hours / 6)

    still = linear(grid).set(air_temperature=280.0)
    first = simulation(still, step="15min", directory=tmp_path)
    first.call(blow, "15min")
    first.output("outer.zarr", needed, every="1h", dtype="float64")
    first.run("6h", report=False)
    for in_time in ("linear", "cubic"):
        model = linear(grid, outer=tmp_path / "outer.zarr", outer_in_time=in_time)
        states = model.outer
        number = (2 * states.pieces + states.pieces // 2) if states.pieces > 1 else None
        u = (
            states.state(number)["eastward_wind"].mean()
            if number
            else 0.5 * sum(states.state(n)["eastward_wind"].mean() for n in (2, 3))
        )
        speed[in_time] = abs(u - 10 * np.sin(2 * np.pi * 2.5 / 6))
    assert speed["cubic"] < 0.2 * speed["linear"]
    every_2h = linear(grid, outer=tmp_path / "outer.zarr", outer_every="2h").outer
    assert len(every_2h.axis) == 4
    np.testing.assert_array_equal(
        every_2h.state(1)["eastward_wind"], states.state(2 * states.pieces)["eastward_wind"]
    )
    with pytest.raises(ValueError, match="leaves one of the 7 records"):
        linear(grid, outer=tmp_path / "outer.zarr", outer_every="7h").outer.check()


def test_weights():
    alpha = outer.weights(disturbed().grid, outer.EXPONENT)
    assert alpha[:50, :60].max() == 1 and alpha[25, 30] == 0 and (alpha[50:] == 1).all()
    row = alpha[25, :9]
    assert (np.diff(row) < 0).all() and row[0] == 1 and row[-1] == 0
    z = 1 - np.arange(9) / 8
    np.testing.assert_allclose(row, 3.16 * z**2.16 - 2.16 * z**3.16, atol=1e-12)


def test_errors(tmp_path):
    with pytest.raises(ValueError, match="allowed are 'initial'"):
        fm.LimitedAreaAtmosphere(area(), outer=3)
    with pytest.raises(ValueError, match="needs coupling"):
        fm.LimitedAreaAtmosphere(plane(), outer=tmp_path)
    with pytest.raises(ValueError, match="unknown outer_in_time 'quadratic'"):
        fm.LimitedAreaAtmosphere(area(), outer_in_time="quadratic")
    other = simulation(disturbed(), directory=tmp_path)
    with pytest.raises(ValueError, match="is for the records of a store"):
        fm.LimitedAreaAtmosphere(area(), outer=other, outer_in_time="cubic")
    other.output("outer.zarr", needed, every="1h")
    other.run("1h", report=False)
    elsewhere = disturbed(grid=area(points=(60, 50), centre=(9.0, 46.5)))
    vars(elsewhere)["outer"] = outer.Stored(elsewhere.receiver, tmp_path / "outer.zarr")
    with pytest.raises(ValueError, match="reaches beyond the outer one"):
        simulation(elsewhere).prepare()


@pytest.mark.parametrize("dynamics", ["hydrostatic", "non-hydrostatic"])
def test_a_globe_runs_beside_the_area(dynamics):
    """Both end at a record; on the edges the area has its state, truncated to the area's waves, and
    inside it differs by less than the weather changes in that time.
    """
    one, outer = small_areas.nested(dynamics=dynamics, every="30min")
    one.prepare().advance(12)
    assert one.seconds == 3600 and outer.seconds == 3600
    there = one.model.outer.state(2)["air_temperature"]
    ny, nx = there.shape[1:]
    apart = abs(one.gather("air_temperature")[:, :ny, :nx] - there)
    moved = abs(there - one.model.outer.state(3)["air_temperature"]).max()
    assert apart[:, 0].max() < 0.02 * there.std()
    assert apart.max() < max(moved, 0.1 * there.std())


def test_records_of_every_format(tmp_path):
    """On the area's own points and hybrid levels."""
    globe = small_areas.globe(tmp_path)
    inner = area(points=(20, 16), coupling=4, levels=fm.HybridLevels("L19"))
    moist, endings = [*needed, "specific_humidity"], ("zarr", "nc", "grib2", "fa")
    for ending in endings:
        globe.output(f"outer.{ending}", moist, every="900s", grid=inner)
    globe.run("15min", report=False)
    states = [
        fm.LimitedAreaAtmosphere(
            inner, tracers=["specific_humidity"], outer=tmp_path / f"outer.{ending}"
        ).outer.state(1)
        for ending in endings
    ]
    for state in states[1:]:
        for name, values in states[0].items():
            near = pytest.approx(values, rel=1e-6, abs=1e-4 * values.std())
            assert np.asarray(state[name]) == near, name


@pytest.mark.parametrize("dynamics", ["hydrostatic", "non-hydrostatic"])
def test_windows_take_the_globe_around_the_area(tmp_path, dynamics):
    """In C + I the same weather as with splines; E alone is another. A restart keeps all bits."""
    make = lambda by: small_areas.nested(dynamics=dynamics, periodic_by=by)[0]
    one, other = (make(by).prepare() for by in ("windows", "splines"))
    for area_run in (one, other):
        area_run.advance(4)
    nx, ny = one.model.grid.points
    found, like = (s.gather("air_temperature") for s in (one, other))
    away = abs(found - like)
    assert away[:, :ny, :nx].max() < 0.02 * like.std() < away.max()
    again = make("windows").restore(one.write_restart(tmp_path / "restart.fathom")).prepare()
    for area_run in (one, again):
        area_run.advance(2)
    assert again.checksum() == one.checksum()


def test_windows_need_what_lies_around_the_area(tmp_path):
    """Of a store on latitudes and longitudes, or on the points of the area and around it."""
    globe = small_areas.globe(tmp_path)
    stored = [*needed[:3], "specific_humidity", "geopotential", *needed[3:]]
    globe.output(
        "globe.zarr", stored, every="900s", levels=[1000, 850, 500, 200, 50], latlon_resolution=2
    )
    inner = area(points=(20, 16), coupling=4, levels=fm.HybridLevels("L19"))
    globe.output("own.zarr", [*needed, "specific_humidity"], every="900s", grid=inner)
    globe.run("15min", report=False)
    nested = lambda store, **how: fm.LimitedAreaAtmosphere(
        inner, tracers=["specific_humidity"], outer=tmp_path / store, **how
    )
    by_windows, by_splines = (
        nested("globe.zarr", periodic_by=by).set(analysis="outer") for by in ("windows", "splines")
    )
    there, like = (dict(model.outer.state(1)) for model in (by_windows, by_splines))
    for name, values in like.items():
        assert there[name].shape[-2:] == by_windows.grid.size[::-1]
        assert abs(there[name][..., :16, :20] - values[..., :16, :20]).max() < 0.02 * values.std()
    with pytest.raises(ValueError, match="reaches beyond the outer one"):
        simulation(nested("own.zarr", periodic_by="windows").set(air_temperature=280.0)).prepare()
    with pytest.raises(ValueError, match="is periodic as it is"):
        linear(plane(points=(32, 20)), periodic_by="windows")
    with pytest.raises(ValueError, match="periodic_by"):
        nested("globe.zarr", periodic_by="window")


def test_an_area_runs_beside_one_within_it():
    """On the same points, with the whole of the outer area's state: as the big brother."""
    outer = simulation(disturbed(periodic=False, tracers=()), "300s")
    model = fm.LimitedAreaAtmosphere(
        area(points=(40, 32)), outer=outer, orography=outer.model.orography
    )
    one = simulation(model.set(analysis="outer"), "300s").prepare()
    one.advance(12)
    there = model.outer.state(12)
    assert outer.seconds in (3600, 3900)
    ny, nx = model.grid.points[::-1]
    inner = model.grid.area.zone == 0
    there["log_pressure_ratio"] = there.pop("log_surface_pressure") - np.log(1e5)
    for name in ("air_temperature", "log_pressure_ratio", "eastward_wind"):
        found = one.gather(name)[..., :ny, :nx]
        expected = there[name] if name != "eastward_wind" else along_axes(model, there)
        apart = (found - expected)[..., inner]
        assert apart.std() < 0.05 * expected.std(), name


def along_axes(model, state):
    return model.grid.area.along_axes(state["eastward_wind"], state["northward_wind"])[0]


def test_an_area_must_lie_within_the_outer_one():
    outer = simulation(disturbed(periodic=False, tracers=()), "300s")
    model = fm.LimitedAreaAtmosphere(area(points=(64, 32)), outer=outer)
    with pytest.raises(ValueError, match="reaches beyond the outer one"):
        simulation(model.set(analysis="outer"), "300s").prepare()
    model = fm.LimitedAreaAtmosphere(area(), outer=simulation(disturbed(periodic=True), "300s"))
    with pytest.raises(ValueError, match="allowed are those of SpectralAtmosphere"):
        simulation(model.set(analysis="outer"), "300s").prepare()


@pytest.mark.long
def test_a_globe_beside_the_area_is_the_same_on_ranks(on_ranks):
    alone = on_ranks(1, small_areas, "nested_bits")
    assert on_ranks(3, small_areas, "nested_bits", "threads=2", threads=2) == alone


@pytest.mark.long
def test_a_nest_of_three_is_the_same_on_ranks_and_after_a_restart(tmp_path, on_ranks):
    alone = on_ranks(1, small_areas, "nested_twice_bits")
    assert on_ranks(2, small_areas, "nested_twice_bits") == alone
    part, _ = small_areas.nested_twice()
    part.prepare().advance(1)
    path = part.write_restart(tmp_path / "all")
    again, middle = small_areas.nested_twice()
    again.restore(path).prepare().advance(2)
    assert {"checksum": again.checksum(), "around": middle.checksum()} == alone


def test_both_have_their_own_threads():
    one, outer = small_areas.nested(parallel={"threads": 1})
    one.parallel["threads"] = 2
    one.prepare().advance(4)
    alone, _ = small_areas.nested(parallel={"threads": 1})
    alone.prepare().advance(4)
    assert one.checksum() == alone.checksum()
    assert outer.parallel["threads"] == 1


def test_what_runs_beside_does_not_go_back():
    one, _ = small_areas.nested()
    one.prepare().advance(8)
    with pytest.raises(ValueError, match="with a restart of the area give the outer one too"):
        one.model.outer.state(0)


@pytest.mark.parametrize("steps", [5, pytest.param(6, marks=pytest.mark.long)])
def test_restart_with_a_globe_beside(tmp_path, steps):
    """Between two records, and at one: the same bits of both, and one folder of all files; the
    state before is in it where the globe is ahead.
    """
    make = lambda: small_areas.nested(every="30min")
    whole, outer = make()
    whole.prepare().advance(9)
    part, _ = make()
    part.prepare().advance(steps)
    path = part.write_restart(tmp_path / "both")
    ahead = ["area.boundaries.npz"] * (steps == 5)
    beside = [p.name for p in sorted(path.iterdir())]
    assert beside == [*ahead, "area.fathom", "outer.fathom", "programs.json"]
    again, outer_again = make()
    again.restore(path).prepare().advance(9 - steps)
    assert again.checksum() == whole.checksum()
    assert outer_again.checksum() == outer.checksum()


def test_sound_of_an_outer_area_goes_into_the_nest():
    """q and d of compressible air: on the edges those of the larger area."""
    outer = simulation(disturbed(periodic=False, tracers=(), dynamics="non-hydrostatic"), "300s")
    model = fm.LimitedAreaAtmosphere(
        area(points=(40, 32)),
        outer=outer,
        orography=outer.model.orography,
        dynamics="non-hydrostatic",
    )
    one = simulation(model.set(analysis="outer"), "300s").prepare()
    one.advance(4)
    there = model.outer.state(4)
    ny, nx = model.grid.points[::-1]
    for name in ("vertical_divergence", "log_pressure_departure"):
        found = one.gather(name)[..., :ny, :nx]
        assert (found - there[name]).std() < 0.1 * there[name].std(), name


@pytest.mark.parametrize(
    "dynamics", ["hydrostatic", pytest.param("non-hydrostatic", marks=pytest.mark.long)]
)
def test_a_digital_filter_with_an_outer_model(dynamics):
    """Surface pressure changes less in the first step, and the run begins at its start."""
    change = []
    for span in (0, "2h"):
        one = simulation(
            disturbed(tracers=(), dynamics=dynamics).set(digital_filter=span), "300s"
        ).prepare()
        assert one.count == 0
        before = one.gather("log_pressure_ratio")[0, :50, :60].copy()
        one.advance(1)
        change.append(abs(one.gather("log_pressure_ratio")[0, :50, :60] - before).mean())
    assert change[1] < 0.7 * change[0]


def test_mass_of_the_area_is_told(tmp_path):
    """Without relaxation to the outer model, the gain is the flux through the edges."""
    one, _ = small_areas.nested()
    one.directory = tmp_path
    mass = one.run("3h", report=False)["mass_of_area"]
    for part in mass.values():
        assert part["rest"] == pytest.approx(part["stored"] - part["through_edges"])
    assert abs(mass["centre"]["rest"]) < 0.005 * abs(mass["centre"]["stored"])
    passed, area = mass["area"]["through_edges"], one.series.values["mass_into_area"]
    assert passed == pytest.approx(np.mean(area) * 3, rel=0.2)


def test_a_file_names_the_experiment_beside_it(tmp_path):
    outer = tmp_path / "globe.toml"
    outer.write_text(
        """
[grid]
type = "GaussianGrid"
truncation = 10
levels = { type = "SigmaLevels", nz = 6 }

[model]
type = "SpectralAtmosphere"

[state]
eastward_wind = 5.0

[simulation]
time_step = "30min"
run = "1d"
"""
    )
    inner = tmp_path / "area.toml"
    inner.write_text(
        f"""
[grid]
type = "LimitedAreaGrid"
centre = [8.0, 47.5]
resolution = 200e3
points = [24, 20]
levels = {{ type = "SigmaLevels", nz = 6 }}

[model]
type = "LimitedAreaAtmosphere"
dynamics = "non-hydrostatic"
outer = "{outer}"

[state]
analysis = "outer"

[simulation]
time_step = "10min"
run = "1h"
"""
    )
    experiment = Experiment.read(inner)
    one = experiment.simulation(tmp_path).prepare()
    one.advance(6)
    assert one.model.outer.simulation.seconds >= 3600
    again = tmp_path / "again.toml"
    again.write_text(experiment.resolved())
    assert f'outer = "{outer}"' in again.read_text()
    assert Experiment.read(again).model.compressible
