"""Errors of a forcing: of a size, correlated in space and in time, by member; the same bits on any
ranks, after a restart, in any number of members.
"""

from itertools import pairwise

import numpy as np
import pytest

import box
import fathom as fm
from fathom import names
from fathom.base.clock import Clock
from fathom.base.failure import InputError
from fathom.base.instants import TimeAxis
from fathom.run.ensemble.forcing import ForcingPerturbation, Times, decoded

text = """\
[ensemble]
members = 3
control = true

[ensemble.forcing]
surface_stress_x = "0.02 N m-2"
length = "300 km"
time = "1d"
every = "3h"
seed = 3

[output."now.zarr"]
variables = ["sea_surface_height"]
every = "6h"
"""


def written(folder):
    """The box as an ensemble in its wind, twelve hours."""
    path = box.write(folder)
    own = path.read_text().partition("[output")[0].replace('run = "2d"', 'run = "12h"')
    path.write_text(own + text)
    return path


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Three members on one rank: the folder, the checksums."""
    folder = tmp_path_factory.mktemp("three")
    written(folder)
    box.done("run", "box.toml", "--no-report", folder=folder)
    return folder, box.summary(folder / "runs/box")["members"]["checksums"]


def test_the_control_is_the_run_without_errors(three, tmp_path):
    _, checksums = three
    path = written(tmp_path)
    path.write_text(path.read_text().partition("[ensemble]")[0])
    box.done("run", "box.toml", "--no-report", folder=tmp_path)
    assert box.summary(tmp_path / "runs/box")["checksum"] == checksums[0]
    assert len(set(checksums)) == 3


@pytest.mark.parametrize("ranks, groups, members", [(2, 1, 3), (3, 3, 5), (4, 2, 4)])
def test_errors_depend_neither_on_ranks_nor_on_members(three, tmp_path, ranks, groups, members):
    written(tmp_path)
    words = "--no-report", "--members", members, "--set", f"ensemble.groups={groups}"
    box.done("run", "box.toml", *words, folder=tmp_path, ranks=ranks)
    assert box.summary(tmp_path / "runs/box")["members"]["checksums"][:3] == three[1]


def test_errors_go_on_after_a_restart(three, tmp_path):
    """Half way in an interval of the errors."""
    written(tmp_path)
    box.done("run", "box.toml", "--no-report", "--for", "7h", folder=tmp_path)
    box.done("run", "box.toml", "--no-report", "--continue", folder=tmp_path, ranks=2)
    assert box.summary(tmp_path / "runs/box")["members"]["checksums"] == three[1]


def errors(**more):
    """The errors of a field on a plane of 60 x 50 cells of 100 km."""
    levels = fm.ZLevels(nz=2, depth=100)
    grid = fm.CartesianGrid(nx=60, ny=50, extent=(6e6, 5e6), levels=levels)
    how = ForcingPerturbation(heat="5 W m-2", length="400 km", time="1d", every="6h", **more)
    found = how.on([], {"heat": np.zeros((50, 60))}, {"heat": "W m-2"}, grid)
    return found[-1].errors


def test_errors_have_their_size_their_length_and_their_time():
    """Deviation 5; exp(-1/2) at the distance of the length; exp(-n/4) after n intervals."""
    of = errors()
    found = np.stack([[of.at("heat", m, 21600.0 * n) for n in range(9)] for m in range(40)])
    assert abs(found.mean()) < 0.2
    assert abs(found.std() / 5 - 1) < 0.05
    power = (found**2).mean()
    assert abs((found[..., 4:] * found[..., :-4]).mean() / power - np.exp(-0.5)) < 0.06
    for n in (1, 4):
        beside = (found[:, n:] * found[:, :-n]).mean() / power
        assert abs(beside - np.exp(-n / 4)) < 0.06


def test_errors_are_those_of_the_process_by_hand():
    """The recursion from its numbers, and a straight line between two of its times."""
    of = errors(seed=2)
    known = [of.amplitudes("heat", 4, n) for n in range(6)]
    fresh = errors(seed=2).amplitudes("heat", 4, 5)
    assert np.array_equal(known[5], fresh)
    phi = np.exp(-0.25)
    drawn = [(b - phi * a) / np.sqrt(1 - phi**2) for a, b in pairwise(known)]
    assert (
        abs(np.std(drawn) - 1) < 0.03
        and abs(np.corrcoef(np.ravel(drawn[0]), np.ravel(drawn[1]))[0, 1]) < 0.1
    )
    middle = of.at("heat", 4, 1.5 * 21600)
    ends = [of.at("heat", 4, n * 21600.0) for n in (1, 2)]
    assert np.allclose(middle, np.mean(ends, axis=0), atol=1e-12)
    assert not np.allclose(of.at("heat", 3, 0.0), of.at("heat", 4, 0.0))


class Winds:
    """Three records of a wind and its speed, ten days apart."""

    fields = ("eastward_wind", "wind_speed")

    def __init__(self):
        days = [(2000, 1, 1, 0.0), (2000, 1, 11, 0.0), (2000, 1, 21, 0.0)]
        self.axis = TimeAxis(days)

    def read(self, number):
        shape = (50, 60)
        return {"eastward_wind": np.full(shape, 2.0 + number), "wind_speed": np.full(shape, 8.0)}


def test_records_keep_their_lines_and_the_speed_follows_the_wind():
    """Without errors: the line between two records; with: S^2 - U^2 of gusts is kept."""
    grid = errors().grid
    how = ForcingPerturbation(eastward_wind=1.5, length="400 km", time="2d", every="6h")
    units = {"eastward_wind": "m s-1", "wind_speed": "m s-1"}
    source = how.on([Winds()], {}, units, grid)[0]
    clock = Clock("2000-01-01")
    day = 86400.0
    before, after, t0, t1 = source.axis.bracket(clock, 2.3 * day)
    assert (t0, t1) == (2.25 * day, 2.5 * day)
    assert decoded(before) == (0, 2.25 * day) and decoded(after) == (0, 2.5 * day)
    found = source.read(before)
    u = 2.225 + source.errors.at("eastward_wind", 0, 2.25 * day)
    assert np.allclose(found["eastward_wind"], u)
    assert np.allclose(found["wind_speed"] ** 2, np.maximum(64 - 2.225**2 + u**2, 0))
    source.take_member(None)
    found = source.read(source.axis.bracket(clock, 2.3 * day)[0])
    assert np.allclose(found["eastward_wind"], 2.225) and np.allclose(found["wind_speed"], 8)
    assert source.axis.bracket(clock, 9.9 * day)[3] == 10 * day


def test_a_field_in_percent_stays_positive():
    grid = errors().grid
    how = ForcingPerturbation(precipitation_flux="80 %", length="400 km")
    fixed = {"precipitation_flux": np.full((50, 60), 3.0)}
    source = how.on([], fixed, {"precipitation_flux": "kg m-2 s-1"}, grid)[0]
    found = source.read(Times(None, 21600.0).bracket(None, 0.0)[0])["precipitation_flux"]
    r = source.errors.at("precipitation_flux", 0, 0.0)
    assert np.allclose(found, 3 * np.maximum(0, 1 + r)) and found.min() >= 0
    assert abs(r.std() - 0.8) < 0.3


def test_records_of_the_climatology_get_errors(tmp_path):
    """Wind, sunlight and rain of a sea on the earth; its members differ, on two ranks as on one."""
    grid = fm.LatitudeLongitudeGrid(
        nx=12, ny=10, longitude=(-60, 0), latitude=(-25, 25), levels=fm.ZLevels(nz=3, depth=300)
    )
    ocean = fm.Ocean(grid, physics="simple").set(temperature=15.0, salinity=35.0)
    forcing = {
        "eastward_wind": "2 m/s",
        "downward_shortwave_flux": "10 %",
        "air_temperature": "1 K",
        "length": "2000 km",
    }
    many = fm.Ensemble(2, control=True, forcing=forcing)
    winds = {}
    for name, ensemble in {"none": None, "two": many}.items():
        one = fm.Simulation(
            ocean, "1h", surface=fm.BulkForcing(), ensemble=ensemble, directory=tmp_path / name
        )
        one.output("wind.zarr", ["eastward_wind", "wind_speed"], every="1h", dtype="float64")
        one.run("3h", progress=None, report=False)
        store = fm.open(tmp_path / name / "wind.zarr").load()
        found = [store[names.fields[v].alias].values[-1] for v in ("eastward_wind", "wind_speed")]
        assert len(found) == 2
        if ensemble is None:
            winds["none"] = found
            continue
        for member in (0, 1):
            winds[member] = [each[member] for each in found]
    sea = np.isfinite(winds["none"][0])
    for one, other in zip(winds[0], winds["none"]):
        assert np.allclose(one[sea], other[sea], rtol=1e-5, atol=1e-6)
    change = (winds[1][0] - winds[0][0])[sea]
    assert 0.3 < change.std() < 4
    assert not np.allclose(winds[1][1][sea], winds[0][1][sea], atol=0.01)


def test_what_does_not_go_is_refused_in_one_line(tmp_path):
    written(tmp_path)
    for setting, said in {
        "ensemble.forcing.heat=1": "unknown field 'heat'",
        "ensemble.forcing.time=0": "must be longer than 0 s",
        "ensemble.forcing.length=0": "all must be positive",
        "ensemble.forcing.surface_stress_x=-1": "must not be negative",
        'ensemble.forcing.surface_stress_x="1 K"': "surface_stress_x in",
    }.items():
        status, _, err = box.fathom("run", "box.toml", "--set", setting, folder=tmp_path)
        assert status == 2 and said in err, err
    with pytest.raises(InputError, match="forcing names no field"):
        fm.Ensemble(2, forcing={"length": 1e5})
