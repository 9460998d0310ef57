"""The base as ODB-2 and back: every bit of every column."""

import numpy as np
import pytest

from fathom.assimilation.observations import base, odb
from fathom.assimilation.observations.base import Observations, columns
from fathom.commands.main import cli


def made(n=300):
    rng = np.random.default_rng(2)
    data = Observations(
        report=rng.integers(-(2**63), 2**63 - 1, n), datum=np.arange(n), kind=np.full(n, "synop"),
        station=[f"Ä{k}" if k % 3 else "" for k in range(n)],
        time=rng.integers(-(10**9), 2 * 10**9, n), longitude=rng.uniform(-180, 180, n),
        latitude=rng.uniform(-90, 90, n), height=np.where(np.arange(n) % 2, np.nan, 1e12),
        variable=np.full(n, "air_temperature"), value=rng.normal(280, 9, n) * 10.0 ** rng.integers(
            -300, 300, n), reason=rng.integers(0, 19, n),
    )  # fmt: skip
    data["report"][:3] = -(2**63), 2**63 - 1, 0
    return data


def test_dates():
    seconds = np.array([0, -1, 951827696, 1542715199])
    day, clock = odb._date(seconds)
    assert list(day) == [19700101, 19691231, 20000229, 20181120]
    assert list(clock) == [0, 235959, 123456, 115959]
    assert list(odb._seconds({odb.day: Held(day), odb.of_day: Held(clock)})) == list(seconds)


class Held:
    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        return self.values


def test_there_and_back(tmp_path):
    pytest.importorskip("pyodc")
    data = made()
    odb.write(data, tmp_path / "x.odb")
    assert (tmp_path / "x.odb").read_bytes().startswith(odb.magic)
    again = odb.read(tmp_path / "x.odb")
    for name in columns:
        np.testing.assert_array_equal(again[name], data[name])


def test_commands(tmp_path):
    """export, then import: the same base; of others' files it is said what is missing."""
    pyodc = pytest.importorskip("pyodc")
    import pandas

    run = lambda *words: cli.main([str(w) for w in ("observations", *words)], standalone_mode=False)
    data = made(50)
    data["value"] = 280 + np.arange(50)
    base.write(base.together([data]), tmp_path / "a.parquet")
    assert run("export", tmp_path / "a.parquet", "--out", tmp_path / "a.odb") == 0
    assert run("import", tmp_path / "a.odb", "--out", tmp_path / "b.parquet") == 0
    before, after = (base.read(tmp_path / f"{n}.parquet") for n in "ab")
    for name in columns:
        np.testing.assert_array_equal(after[name], before[name])
    pyodc.encode_odb(pandas.DataFrame({"lat@hdr": [1.5]}), str(tmp_path / "c.odb"))
    with pytest.raises(ValueError, match="has no column report_high@fathom"):
        odb.read(tmp_path / "c.odb")
    (tmp_path / "d.odb").write_bytes((tmp_path / "a.odb").read_bytes()[:300])
    with pytest.raises(OSError, match="not a whole file of ODB-2"):
        odb.read(tmp_path / "d.odb")
