"""The same reasons, and the same file, on any ranks: reports, cells, boxes and neighbours that lie
across them.
"""

from pathlib import Path

import numpy as np
import pytest

from fathom.assimilation.observations import base, parquet, screening, spread
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reports import with_errors
from networks import network

noon = 1542715200


def radiances(n, rng):
    return Observations(
        report=10**6 + rng.permutation(n), kind=np.full(n, "radiance"), station=np.full(n, "4"),
        time=noon + rng.integers(0, 3600, n), longitude=rng.uniform(-20, 20, n),
        latitude=rng.uniform(-20, 20, n), channel=np.full(n, 5),
        variable=np.full(n, "toa_brightness_temperature"), value=np.full(n, 250.0),
        background_departure=rng.normal(0, 0.3, n),
    )  # fmt: skip


def soundings(n, rng):
    """Each over an hour, so that the rows of a report are not together; every third is far from
    its background."""
    levels = 12
    p = np.tile(np.geomspace(1e5, 2e4, levels), n)
    of = np.repeat(np.arange(n), levels)
    T = 288 + 60 * np.log(p / 1e5) / np.log(5)
    return Observations(
        report=of + 1, datum=np.tile(np.arange(levels), n), kind=np.full(n * levels, "temp"),
        station=[f"{k:05d}" for k in of], time=noon + 300 * np.tile(np.arange(levels), n),
        longitude=10.0 + of % 50, latitude=40 + of % 7, pressure=p,
        variable=np.full(n * levels, "air_temperature"), value=T,
        background_departure=np.where((of % 3 == 0) & (p < 6e4), 40.0, 0.1),
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng, place = np.random.default_rng(5), tmp_path_factory.mktemp("screening")
    stations = network(900, gross=45).observations()
    again = stations.taken(np.arange(0, 900, 3))
    again["report"] += 5 * 10**6  # the same stations again
    parts = [stations, again, with_errors(radiances(9000, rng)), with_errors(soundings(300, rng))]
    base.write(base.together(parts), place / "given.parquet")
    return place


@pytest.mark.long
def test_ranks_change_nothing(folder, on_ranks):
    script = Path(__file__).with_name("screening_on_ranks.py")
    one, three = (on_ranks(n, script, folder) for n in (1, 3))
    assert one == three
    assert one["duplicate"] >= 250 and one["multi-level"] >= 300 and one["thinning"] > 8000
    assert one["buddy"] + one["spatial consistency"] + one["first guess"] > 40
    given = base.read(folder / "given.parquet")
    screening.screen(given, screening.Settings(boxes={"radiance": (500, 1e9, 180)}))
    np.testing.assert_array_equal(base.read(folder / "3.parquet")["reason"], given["reason"])


def test_best_of_groups():
    keys = np.array([2.0, 1, 2, 1]), np.array([0.0, 0, 0, 0]), np.array(["b", "a", "b", "c"])
    best = np.array([3, 1, 2, 0]), np.arange(4)
    assert list(spread.first_of(keys, best, parquet.Alone())) == [False, True, True, True]


def test_files_that_are_none(tmp_path):
    class Two(parquet.Alone):
        size = 2

    (tmp_path / "x.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(ValueError, match="is not a file of observations"):
        base.read(tmp_path / "x.parquet", comm=Two())
    with pytest.raises(FileNotFoundError, match="fathom observations import"):
        base.read(tmp_path / "y.parquet", comm=Two())
