"""Programs under one clock: what is handed over, when; refusals; the same bits on any ranks, in
turn and side by side, killed and continued; a program that does nothing costs nothing.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

import air_over_sea
import fathom as fm
from fathom.coupled.remap import Remap, weights
from fathom.run.one_restart import complete

script = air_over_sea.__file__
degrees = fm.LatitudeLongitudeGrid(nx=24, ny=12, levels=fm.ZLevels(nz=2, depth=100))


class Counter(fm.Program):
    """Its field is the number of steps; it notes what it takes."""

    def __init__(self, grid, step, **more):
        super().__init__(grid, step, {"number": "1", "taken": "1"}, **more)
        self.seen = []

    def advance(self):
        self["number"] += 1.0
        self.seen.append(float(self["taken"][0, 0]))


def two(directory=".", steps=("1h", "2h"), **more):
    programs = {"a": Counter(degrees, steps[0]), "b": Counter(degrees, steps[1])}
    return fm.Programs(programs, directory=directory, **more)


def seen(programs, name):
    return programs.members[name].program.seen


def run(programs, period="12h", **more):
    return programs.run(period, progress=False, report=False, **more)


# ---- when ----------------------------------------------------------------------------------------


def test_values_of_the_same_interval_and_of_the_one_before(tmp_path):
    """Steps of a are counted 1, 2, 3, ...: in the interval k of 4 hours b sees 4 k + 4, or their
    mean 4 k + 2.5; lagged what there was at its begin.
    """
    expected = {
        ("last", False): [4, 8, 12],
        ("mean", False): [2.5, 6.5, 10.5],
        ("last", True): [0, 4, 8],
        ("mean", True): [0, 2.5, 6.5],  # at first there is no mean: the value at the start
    }
    for (statistic, lagged), values in expected.items():
        programs = two(tmp_path)
        programs.exchange("a.number", "b.taken", "4h", statistic, lagged=lagged)
        run(programs)
        assert seen(programs, "b") == [value for value in values for _ in range(2)]


def test_both_ways_with_different_intervals(tmp_path):
    """b follows a by 6 hours, a gets the b of 12 hours before."""
    programs = two(tmp_path)
    programs.exchange("a.number", "b.taken", "6h")
    programs.exchange("b.number", "a.taken", "12h", lagged=True, change=lambda n: -n)
    run(programs, "24h")
    assert seen(programs, "b") == [6] * 3 + [12] * 3 + [18] * 3 + [24] * 3
    assert seen(programs, "a") == [0] * 12 + [-6] * 12


def test_first_value_of_a_lagged_exchange(tmp_path):
    programs = two(tmp_path).exchange("a.number", "b.taken", "6h", lagged=True, first=-5.0)
    run(programs)
    assert seen(programs, "b") == [-5] * 3 + [6] * 3


def test_a_run_in_pieces_is_a_run(tmp_path):
    programs = two(tmp_path).exchange("a.number", "b.taken", "4h", "mean", lagged=True)
    run(programs, "4h")
    run(programs, "8h")
    assert seen(programs, "b") == [0, 0, 2.5, 2.5, 6.5, 6.5]


def test_a_mean_of_a_model_is_that_of_its_steps(tmp_path):
    """The heat that the sea gets is the mean over shared areas of the means of the air's fluxes
    after each step, as seen from outside.
    """
    programs = air_over_sea.both(tmp_path)
    air, sea = (programs.members[name].program for name in ("air", "sea"))
    fluxes, got = [], []
    air.call(lambda s: fluxes.append(s.gather("sea_turbulent_flux")[0]), every="30min")
    sea.call(lambda s: got.append(s.gather("surface_heat_flux")[0]), every="3h")
    run(programs, "6h")
    map_ = weights(air.model.grid, sea.model.grid, "conservative")
    water = sea.model.grid.wet_levels > 0
    for interval in range(2):
        mean = np.mean(fluxes[6 * interval : 6 * interval + 6], 0)
        expected = -map_(mean.ravel()[:, None]).reshape(water.shape)
        assert np.abs(got[interval] - expected)[water].max() < 1e-12 * np.abs(expected).max()
    taken = air.gather("sea_surface_temperature")[0]
    assert 250 < taken.min() < taken.max() < 310


# ---- what ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("taker", [degrees, fm.GaussianGrid(10, levels=fm.SigmaLevels(1))])
def test_constants_and_amounts_go_through_the_map(taker):
    """A constant stays; sum of value x part x area is that of the giver, to rounding."""
    from fathom.base.mpi import world

    giver = fm.LatitudeLongitudeGrid(
        nx=36, ny=18, bathymetry="etopo5", levels=fm.ZLevels(nz=2, depth=4000)
    )
    points = giver.wet_levels.size
    remap = Remap((giver, taker), world, world, np.arange(points), "conservative")
    water = (giver.wet_levels > 0).ravel()
    constant = remap(np.full(points, 7.25))
    assert np.nanmax(np.abs(constant - 7.25)) < 1e-14 * 7.25
    values = np.random.default_rng(3).standard_normal(points)
    found = remap(values)
    covered = weights(giver, taker, "conservative").total.reshape(found.shape)
    amount = np.nansum(found * covered)
    area = np.asarray(giver.areas[0]).ravel()
    assert abs(amount - (values * area)[water].sum()) < 1e-12 * (np.abs(values) * area).sum()


def test_land_keeps_what_it_has(tmp_path):
    """Where the sea gives nothing, the air's temperature of the sea stays as it is."""
    programs = air_over_sea.both(tmp_path)
    air, sea = (programs.members[name].program for name in ("air", "sea"))
    run(programs, "3h")
    nothing = weights(sea.model.grid, air.model.grid, "conservative").total == 0
    taken = air.gather("sea_surface_temperature")[0].ravel()
    assert nothing.any() and np.array_equal(
        taken[nothing], np.full(nothing.sum(), taken[nothing][0])
    )


def test_a_function_as_the_way(tmp_path):
    coarse = fm.LatitudeLongitudeGrid(nx=12, ny=6, levels=fm.ZLevels(nz=2, depth=100))
    programs = fm.Programs({"a": Counter(degrees, "1h"), "b": Counter(coarse, "1h")}, tmp_path)
    programs.exchange("a.number", "b.taken", "2h", by=lambda values: values[::2, ::2] / 2)
    run(programs, "4h")
    assert seen(programs, "b") == [1, 1, 2, 2]


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("a.number", "b.taken", "3h"), "every = 3 h is no whole number of steps of b, 2 h"),
        (("a.nothing", "b.taken", "2h"), "field of a 'nothing'"),
        (("c.number", "b.taken", "2h"), "no program 'c'; there are a, b"),
        (("a.number", "a.taken", "2h"), "a gives to itself"),
        (("number", "b.taken", "2h"), "must be a program and its field"),
        (("a.number", "b.taken", "1month"), "allowed are seconds, minutes, hours, days"),
        (("a.number", "b.taken", "2h", "middle"), "statistic 'middle'"),
    ],
)
def test_exchanges_that_cannot_be(arguments, message):
    with pytest.raises(ValueError, match=message):
        two().exchange(*arguments)


def test_programs_that_wait_for_each_other():
    programs = two().exchange("a.number", "b.taken", "4h")
    with pytest.raises(
        ValueError, match=r"wait for each other: .*every 4 h; .*every 6 h. lagged=True"
    ):
        programs.exchange("b.number", "a.taken", "6h")
    with pytest.raises(ValueError, match="6 h, lagged"):  # at 4 h b needs a of 8 h, which needs b
        programs.exchange("b.number", "a.taken", "6h", lagged=True)
    programs.exchange("b.number", "a.taken", "12h", lagged=True)


def test_a_field_that_comes_from_two():
    programs = two().exchange("a.number", "b.taken", "4h")
    with pytest.raises(ValueError, match="b.taken comes from a.number already"):
        programs.exchange("a.taken", "b.taken", "2h")


@pytest.mark.parametrize(
    "field, to, message",
    [
        ("sea.temperature", "air.sea_surface_temperature", "is in degC, .* in K; change"),
        ("air.sea_turbulent_flux", "sea.temperature_surface_flux", "a process of sea writes"),
        ("air.sea_turbulent_flux", "sea.temperature", "a process of sea writes sea.temperature"),
        ("sea.velocity_x", "air.sea_surface_temperature", "lies at the corner"),
    ],
)
def test_fields_that_do_not_fit(field, to, message):
    with pytest.raises(ValueError, match=message):
        air_over_sea.both(".", exchanges=False).exchange(field, to, "3h")


def test_times_that_do_not_fit(tmp_path):
    programs = two(tmp_path).exchange("a.number", "b.taken", "4h")
    with pytest.raises(ValueError, match="run = 6h is no whole number of 4 h, after which all"):
        run(programs, "6h")
    with pytest.raises(ValueError, match="checkpoint every = 10h is no whole number of 4 h"):
        programs.checkpoint(every="10h")


def test_programs_that_start_at_other_times():
    later = Counter(degrees, "1h", start="2001-01-01")
    with pytest.raises(ValueError, match="a starts at 2000-01-01 .* b at 2001-01-01"):
        fm.Programs({"a": Counter(degrees, "1h"), "b": later})


@pytest.mark.parametrize(
    "ranks, message",
    [
        ({"a": [0], "b": [0]}, r"rank 0 is given twice: to a \(0\) and to b \(0\)"),
        ({"a": 1, "b": 1}, "are 2; this run has 1"),
        ({"a": 1}, "ranks are given to a; the programs are a, b"),
        ({"a": [0], "b": []}, "b has none"),
    ],
)
def test_ranks_that_are_given_twice(ranks, message):
    with pytest.raises(ValueError, match=message):
        two(ranks=ranks)


def test_a_restart_of_other_programs(tmp_path):
    programs = two(tmp_path).exchange("a.number", "b.taken", "4h")
    run(programs, "4h")
    with pytest.raises(ValueError, match=r"with exchanges = \['a.number .*4 h'\]; .* have \[\]"):
        two(tmp_path).restore()
    with pytest.raises(ValueError, match=r"steps = \{'a': 3600.0, .* have \{'a': 1800.0"):
        two(tmp_path, steps=("30min", "2h")).exchange("a.number", "b.taken", "4h").restore()
    with pytest.raises(ValueError, match="no complete restart to continue from"):
        two(tmp_path / "empty").restore()


def test_a_model_that_goes_on_with_another_step(tmp_path):
    """A sea that breaks can go on with a shorter step, as its message says."""
    run(air_over_sea.both(tmp_path), "3h")
    shorter = air_over_sea.both(tmp_path, sea_step="30min").restore()
    with pytest.warns(UserWarning, match="written with a step of 3600 s; this run has 1800 s"):
        run(shorter, "3h")
    assert [shorter.members[name].program.count for name in ("air", "sea")] == [12, 12]


# ---- the same bits -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alone(on_ranks):
    return {
        concurrent: on_ranks(1, script, "bits", f"concurrent={json.dumps(concurrent)}")
        for concurrent in (False, True)
    }


@pytest.mark.parametrize(
    "ranks", [pytest.param(2, marks=pytest.mark.long), pytest.param(4, marks=pytest.mark.long)]
)
def test_any_ranks(on_ranks, alone, ranks):
    assert on_ranks(ranks, script, "bits") == alone[False]


@pytest.mark.parametrize(
    "size, ranks, concurrent",
    [
        pytest.param(2, {"air": 1, "sea": 1}, True, marks=pytest.mark.long),
        (3, {"air": [2, 0], "sea": [1]}, True),
        (3, {"air": 1, "sea": 2}, False),
    ],
)
def test_side_by_side_as_in_turn(on_ranks, alone, size, ranks, concurrent):
    arguments = f"ranks={json.dumps(ranks)}", f"concurrent={json.dumps(concurrent)}"
    assert on_ranks(size, script, "bits", *arguments) == alone[concurrent]


def test_any_order_of_programs(on_ranks, alone):
    assert on_ranks(1, script, "bits", 'first="sea"', "concurrent=true") == alone[True]


def test_with_ranks_that_serve_output(on_ranks, alone):
    """One of three ranks writes the output of the air; the sea runs on the two others."""
    assert on_ranks(3, script, "bits", "servers=1") == alone[False]


def test_side_by_side_with_ranks_that_serve_output(on_ranks, alone):
    """The air steps on one of its two ranks, the other writes."""
    arguments = 'ranks={"air": 2, "sea": 1}', "concurrent=true", "servers=1"
    assert on_ranks(3, script, "bits", *arguments) == alone[True]


def test_helpers_that_leave_none_to_step():
    from fathom.base.mpi import world
    from fathom.base.ranks import divide

    with pytest.raises(
        ValueError, match="io_servers of air = 2 and radiation_ranks of sea = 1 of 1"
    ):
        divide(world, {"io_servers of air": (2, 1), "radiation_ranks of sea": (1, 1)})


@pytest.mark.parametrize(
    "size, ranks", [pytest.param(1, None, marks=pytest.mark.long), (2, {"air": 1, "sea": 1})]
)
def test_continued_as_if_uninterrupted(on_ranks, size, ranks):
    arguments = f"ranks={json.dumps(ranks)}", "concurrent=true"
    whole = on_ranks(1, script, "bits", "hours=12", "concurrent=true")
    found = on_ranks(size, script, "continued", *arguments)
    assert found == whole | {"date": "2000-01-01 12:00:00"}


def test_killed_and_continued(on_ranks, tmp_path):
    """The process ends in the middle of an interval: two restarts are whole, and the run from the
    latest is the run that nobody killed.
    """
    where = f"directory={json.dumps(str(tmp_path))}"
    killed = subprocess.run([sys.executable, script, "killed", where], check=False)
    assert killed.returncode == 9
    assert [seconds / 3600 for seconds, *_ in complete(tmp_path)] == [3, 6]
    assert on_ranks(1, script, "resumed", where) == on_ranks(1, script, "bits", "hours=12")


def heat_into_the_sea(directory):
    """A counter heats a sea, whose temperature it gets."""
    sea = air_over_sea.sea()
    programs = fm.Programs({"a": Counter(degrees, "30min"), "sea": sea}, directory)
    programs.exchange("a.number", "sea.surface_heat_flux", "3h", "mean", change=lambda n: 10 * n)
    return programs.exchange(
        "sea.temperature", "a.taken", "3h", "mean", lagged=True, by=mean_everywhere
    )


def mean_everywhere(temperature):
    """The mean of the sea's field, everywhere: a function as the way, for a grid of other land."""
    return np.full((12, 24), temperature.mean())


def test_a_program_of_ones_own_goes_on_with_a_simulation(tmp_path):
    found = []
    for folder, pieces in (("whole", ["12h"]), ("parts", ["6h", "6h"])):
        for piece in pieces:
            programs = heat_into_the_sea(tmp_path / folder)
            if (tmp_path / folder).exists():
                programs.restore()
            run(programs, piece)
        a, sea = (programs.members[name].program for name in ("a", "sea"))
        found.append((sea.checksum(), float(a["number"][0, 0]), float(a["taken"][0, 0])))
    assert found[0] == found[1] and found[0][1] == 24


def test_half_a_restart_is_none(tmp_path):
    programs = two(tmp_path).exchange("a.number", "b.taken", "4h").checkpoint("4h", keep=2)
    run(programs, "16h")
    times = [seconds / 3600 for seconds, *_ in complete(tmp_path)]
    assert times == [12, 16]
    (complete(tmp_path)[-1][1] / "programs.json").unlink()
    again = two(tmp_path).exchange("a.number", "b.taken", "4h").restore()
    assert again.members["a"].program.seconds == 12 * 3600


# ---- next to a program that does nothing ---------------------------------------------------------


def test_a_program_that_does_nothing_costs_nothing(tmp_path):
    """The same bits, calls of processes and exchanges, and memory of the fields, as alone."""
    bits, calls, memory = [], [], []
    for members in (["air"], ["air", "idle"]):
        air = air_over_sea.air()
        all_ = {"air": air, "idle": fm.Program(degrees, "30min", {"nothing": "1"})}
        run(fm.Programs({name: all_[name] for name in members}, tmp_path / members[-1]), "6h")
        bits.append(air.checksum())
        calls.append({name: n for name, _, _, n, *_ in map(tuple, air.sequence.timings)})
        memory.append(air.sequence.bytes_allocated)
    assert bits[0] == bits[1] and calls[0] == calls[1] and memory[0] == memory[1]


def test_output_and_restarts_of_each_as_alone(tmp_path):
    """The bytes of a store are those of the simulation alone; each has its folder."""
    stores = []
    for folder, members in (("alone", ["air"]), ("both", ["air", "idle"])):
        air = air_over_sea.air().output("t.nc", ["air_temperature"], every="3h")
        all_ = {"air": air, "idle": fm.Program(degrees, "1h", {"nothing": "1"})}
        if folder == "alone":
            air.directory = tmp_path / "alone" / "air"
            air.run("6h", progress=False, report=False)
        else:
            run(fm.Programs({name: all_[name] for name in members}, tmp_path / folder), "6h")
        stores.append(fm.open(tmp_path / folder / "air" / "t.nc")["ta"].values)
    assert np.array_equal(*stores)


def test_a_request_to_stop_ends_all_at_one_time(tmp_path):
    programs = air_over_sea.both(tmp_path)
    sea = programs.members["sea"].program
    sea.call(lambda s: s.request_stop(), every="1h")
    run(programs, "12h")
    assert programs.stopped and {m.program.seconds for m in programs.here} == {3 * 3600}
    assert [seconds / 3600 for seconds, *_ in complete(tmp_path)] == [3]
