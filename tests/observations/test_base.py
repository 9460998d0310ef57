"""The base: files, questions, reasons, the blacklist, and forms of text."""

import json

import netCDF4
import numpy as np
import pytest

from fathom.assimilation.observations import answers, base, blacklist, ingest, pictures
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reasons import code, reasons
from fathom.assimilation.observations.reports import with_errors
from fathom.commands.main import cli


def some(count=50, **more):
    rng = np.random.default_rng(3)
    given = {
        "report": np.arange(count) // 2,
        "datum": np.arange(count) % 2,
        "kind": np.where(np.arange(count) % 4 < 2, "synop", "ship"),
        "station": [f"{n // 2:05d}" for n in range(count)],
        "time": 1542715200 + 60 * np.arange(count),
        "longitude": rng.uniform(0, 20, count),
        "latitude": rng.uniform(40, 55, count),
        "variable": np.where(np.arange(count) % 2, "air_temperature", "eastward_wind"),
        "value": rng.normal(270, 5, count),
    }
    return with_errors(Observations(**{**given, **more}))


def test_what_is_written_is_read(tmp_path):
    made = some().sorted()
    base.write(made, tmp_path / "a.parquet")
    back = base.read(tmp_path / "a.parquet")
    for name in made.column:
        np.testing.assert_array_equal(made[name], back[name])
    import pyarrow.parquet as parquet

    table = parquet.read_table(tmp_path / "a.parquet")
    assert table["height"].null_count == 50  # missing values are null, never a number
    assert set(table["kind"].to_pylist()) == {"synop", "ship"}


def test_first_reason_stays():
    made = some()
    assert made.remove(np.arange(50) < 10, code["gross limits"]) == 10
    assert made.remove(np.arange(50) < 20, code["thinning"]) == 10
    counts = base.by_kind_and_reason(made)
    assert sum(n for (_, _, why), n in counts.items() if why == "gross limits") == 10
    assert sum(counts.values()) == 50


def test_questions(tmp_path):
    base.write(some(), tmp_path / "a.parquet")
    found = base.query("SELECT kind, count(*) AS n FROM observations GROUP BY kind",
                       tmp_path / "a.parquet")  # fmt: skip
    assert sum(found["n"].to_pylist()) == 50
    assert len(base.read(tmp_path / "a.parquet", "kind = 'ship'")) == 24
    assert any("used" in line for line in answers.why(tmp_path / "a.parquet"))
    assert len(answers.story(tmp_path / "a.parquet", "00003")) == 3
    with pytest.raises(ValueError, match="did you mean 'value'"):
        base.query("SELECT valu FROM observations", tmp_path / "a.parquet")
    with pytest.raises(FileNotFoundError, match="no such file"):
        base.read(tmp_path / "b.parquet")
    (tmp_path / "c.parquet").write_text("not so")
    with pytest.raises(ValueError, match="not a file of observations"):
        base.read(tmp_path / "c.parquet")


def test_blacklist(tmp_path):
    """A rule holds from its first day until its last, which is not part of it."""
    (tmp_path / "rules.toml").write_text(
        "[warm]\nwhere = \"station = '00003' AND variable = 'air_temperature'\"\n"
        "from = 2018-11-20\nuntil = 2018-11-21\nwhy = 'reads too warm'\n"
        '[old]\nwhere = "true"\nuntil = 2018-11-20\n'
    )
    made = some()
    removed = blacklist.apply(made, blacklist.read(tmp_path / "rules.toml"))
    assert removed == {"warm": 1, "old": 0}
    assert made["station"][made["reason"] == code["blacklist"]] == ["00003"]
    for text, said in (
        ("[a]\nwher = 'x'", "needs where"),
        ("[a]\nwhere = 'x'\nuntill = 1", "did you mean 'until'"),
        ("[a]\nwhere = 'x'\nfrom = 2019-01-01\nuntil = 2018-01-01", "before it begins"),
        ("[a", "rules.toml"),
    ):
        (tmp_path / "rules.toml").write_text(text)
        with pytest.raises(ValueError, match=said):
            blacklist.read(tmp_path / "rules.toml")
    (tmp_path / "rules.toml").write_text("[a]\nwhere = 'statio = 1'")
    with pytest.raises(ValueError, match="did you mean 'station'"):
        blacklist.apply(made, blacklist.read(tmp_path / "rules.toml"))


@pytest.mark.parametrize(
    "where, said",
    [
        ("true) FROM observations; COPY (SELECT 1) TO '{folder}/out.csv'; SELECT (false", "syntax"),
        ("(SELECT count(*) FROM read_text('{folder}/private.txt')) > 0", "file system operations"),
        ("(SELECT count(*) FROM made) > 0", "made does not exist"),
        ("station", "neither true nor false"),
        ("value > 1, value < 5", "single expression"),
    ],
)
def test_a_clause_of_a_blacklist_is_one_expression_without_files(tmp_path, where, said):
    (tmp_path / "private.txt").write_text("secret")
    rule = blacklist.Rule("r", where.format(folder=tmp_path), -np.inf, np.inf)
    with pytest.raises(ValueError, match=said):
        blacklist.apply(some(), [rule])
    assert [path.name for path in tmp_path.iterdir()] == ["private.txt"]


def test_tables_of_text(tmp_path):
    """Units in brackets, UTC and offsets, missing numbers; a line that is damaged is counted."""
    path = tmp_path / "a.csv"
    path.write_text(
        "station,time,longitude,latitude,air_temperature [degC],air_pressure_at_mean_sea_level"
        " [hPa],kind\n"
        "A,2018-11-20T12:00:00Z,10,50,1.5,1013.2,synop\n"
        "B,2018-11-20T13:00:00+01:00,350,50,,999.0,ship\n"
        "C,yesterday,0,0,1,1000,synop\n"
        "D,2018-11-20T12:00:00,0,95,1,1000,synop\n"
        "E,2018-11-20T12:00:00,0,45,1e11,2147483647,synop\n"
        "F,2018-11-20T12:00:00,400,45,1,1000,synop\n"
        "G,2918-11-20T12:00:00,0,45,1,1000,synop\n"
    )
    made, (account,) = ingest.collect([path])
    assert account.parts == 7 and account.damaged == 4
    assert sorted(made["value"]) == pytest.approx([274.65, 99900, 101320])
    assert set(made["time"]) == {1542715200} and set(made["longitude"]) == {10.0, -10.0}
    head = "time,longitude,latitude,"
    path.write_text(
        head + "variable,value,units,error\n"
        "2018-11-20,7,47,eastward_wind,10,knots,\n"
        "0,7,47,surface_air_pressure,1013,hPa,1\n"
        "2018-11-20,7,47,air_temperature,3,degC,1.5\n"
        "2018-11-20,7,47,surface_air_pressure,1013,hPa,1\n"
        "2018-11-20,7,47,surface_air_pressure,1013,hPa,-1\n"
    )
    made, (account,) = ingest.collect([path])
    assert account.problems == {"a line that cannot be read: an error that is not positive": 1}
    used = made.taken(made["reason"] == 0)
    assert account.absurd == 1 and sorted(used["error"]) == [1.5, 2, 100]
    assert 5.1444 == pytest.approx(used["value"][used.variable_is("eastward_wind")], abs=1e-4)
    path.write_text(head + "air_temprature [K],dew_point_temperature\n2018-11-20,7,47,280,279\n")
    _, (account,) = ingest.collect([path])
    (problem,) = account.problems
    assert "1 values of a column that is not known: air_temprature; did you mean" in problem
    path.write_text("")
    with pytest.raises(ValueError, match="is empty"):
        ingest.collect([path])
    path.write_text("station,tim,longitude,latitude,value\n1,2,3,4,5\n")
    with pytest.raises(ValueError, match=r"no column 'time'.*did you mean 'tim'"):
        ingest.collect([path])
    path.write_text("nothing at all")
    with pytest.raises(ValueError, match="no file of observations that is known"):
        ingest.collect([path])


@pytest.mark.parametrize(
    "time, right",
    [
        ("20181120", "2018-11-20T00:00"),
        ("201811201230", "2018-11-20T12:30"),
        ("20181120123000", "2018-11-20T12:30"),
        ("1542715200", "2018-11-20T12:00"),
        ("43424.5", "day in a spreadsheet"),
        ("2018112012", "a date or seconds"),
        ("20.11.2018", "Invalid isoformat string"),
        ("11/20/2018 12:00", "Invalid isoformat string"),
    ],
)
def test_times_of_tables_are_right_or_damaged(tmp_path, time, right):
    """A date that is written as a number is that date, not some second of 1970."""
    path = tmp_path / "a.csv"
    path.write_bytes(
        b"\xef\xbb\xbfstation,time,longitude,latitude,air_temperature [degC]\n"
        + f"A,{time},7,47,3\n".encode()
    )
    made, (account,) = ingest.collect([path])
    if right.startswith("2018"):
        assert made["time"] == np.datetime64(right, "s").astype(int) and account.damaged == 0
        assert list(made["station"]) == ["A"]
    else:
        (problem,) = account.problems
        assert right in problem and len(made) == 0


def test_numbers_of_tables_that_cannot_be(tmp_path):
    """9999 without a word, or degrees Celsius taken for kelvins: counted, the rest stays."""
    path = tmp_path / "a.csv"
    path.write_text(
        "time,longitude,latitude,air_temperature,surface_air_pressure [hPa]\n"
        "2018-11-20,7,47,9999,1013\n2018-11-20,8,47,15,1013\n2018-11-20,9,47,288,1013\n"
    )
    made, (account,) = ingest.collect([path])
    assert sorted(made["value"]) == [288, 101300, 101300, 101300]
    (problem,) = account.problems
    assert account.damaged == 2 and "air_temperature beyond 150 to 350 K" in problem


def test_airfields(tmp_path):
    (tmp_path / "metar.txt").write_text(
        "METAR LKPR 201200Z 27010KT 9999 FEW030 04/M01 Q1021=\n"
        "METAR KJFK 201151Z 00000KT 10SM CLR M05/M12 A2992 RMK AO2\n"
        "METAR XXXX 201200Z 27010KT 04/M01 Q1021=\n"
        "METAR LKPR 20120Z 27010KT 04/M01 Q1021=\n"
        "METAR LKPR 201300Z 99999KT=\n"
    )
    (tmp_path / "stations.csv").write_text(
        "station,longitude,latitude,height\nLKPR,14.26,50.1,380\nKJFK,-73.8,40.6,4\n"
    )
    made, (account,) = ingest.collect(
        [tmp_path / "metar.txt"], month="2018-11", stations=tmp_path / "stations.csv"
    )
    assert account.parts == 5 and account.problems == {
        "a station that is not in the table": 1,
        "a report without its station and time": 1,
        "a direction of the wind that is none": 1,
    }
    prague = made.taken(made["station"] == "LKPR")
    assert prague["value"][prague.variable_is("eastward_wind")] == pytest.approx(5.1444, abs=1e-4)
    assert prague["value"][prague.variable_is("air_temperature")] == pytest.approx(277.15)
    york = made.taken(made["station"] == "KJFK")
    assert york["value"][york.variable_is("air_pressure_at_mean_sea_level")] == pytest.approx(
        101320.8, abs=0.2
    )
    assert york["value"][york.variable_is("dew_point_temperature")] == pytest.approx(261.15)
    with pytest.raises(ValueError, match="neither month nor place"):
        ingest.collect([tmp_path / "metar.txt"])


def argo(path):
    with netCDF4.Dataset(path, "w") as f:
        for name, size in (("N_PROF", 2), ("N_LEVELS", 3), ("STRING8", 8)):
            f.createDimension(name, size)
        numbers = {
            "PRES": [[5, 100, 2000], [5, 100, np.nan]],
            "TEMP": [[18, 10, 3], [17, 9, np.nan]],
            "TEMP_ADJUSTED": [[18.1, 10.1, 3.1], [0, 0, 0]],
            "PSAL": [[35, 35.2, 34.9], [36, 36.2, np.nan]],
        }
        for name, value in numbers.items():
            f.createVariable(name, "f4", ("N_PROF", "N_LEVELS"), fill_value=99999)[:] = value
        qc = f.createVariable("TEMP_QC", "S1", ("N_PROF", "N_LEVELS"))
        qc[:] = np.array([list("111"), list("141")], "S1")
        other = f.createVariable("TEMP_ADJUSTED_QC", "S1", ("N_PROF", "N_LEVELS"))
        other[:] = np.array([list("114"), list("111")], "S1")
        f.createVariable("DATA_MODE", "S1", ("N_PROF",))[:] = np.array(["D", "R"], "S1")
        number = f.createVariable("PLATFORM_NUMBER", "S1", ("N_PROF", "STRING8"))
        number[:] = np.array([list("5904567 "), list("5904568 ")], "S1")
        time = f.createVariable("JULD", "f8", ("N_PROF",))
        time.units, time[:] = "days since 1950-01-01 00:00:00 UTC", [25160.5, 25161.5]
        for name, value in (("LATITUDE", [45, 10]), ("LONGITUDE", [200, 30])):
            f.createVariable(name, "f8", ("N_PROF",))[:] = value


def test_argo(tmp_path):
    """Adjusted where the profile is, good flags alone, depth from pressure (10000 dbar at 30
    degrees: 9712.653 m, UNESCO's check value).
    """
    from fathom.assimilation.observations.netcdf import depth_of

    assert depth_of(np.array(10000.0), np.array(30.0)) == pytest.approx(9712.653, abs=1e-3)
    argo(tmp_path / "argo.nc")
    made, (account,) = ingest.collect([tmp_path / "argo.nc"])
    assert account.parts == 2 and account.problems == {"TEMP with a flag that is not good": 2}
    t = made.taken(made.variable_is("sea_water_temperature"))
    assert sorted(t["value"]) == pytest.approx([10.1, 17, 18.1])  # 3.1 and 9 are flagged
    s = made.taken(made.variable_is("sea_water_salinity"))
    assert sorted(s["value"]) == pytest.approx([34.9, 35, 35.2, 36, 36.2])
    assert set(made["longitude"]) == {-160.0, 30.0} and made["depth"].max() == pytest.approx(
        1974.3, abs=0.1
    )
    assert set(made["station"]) == {"5904567", "5904568"}


def test_along_track(tmp_path):
    with netCDF4.Dataset(tmp_path / "track.nc", "w") as f:
        f.createDimension("time", 3)
        f.platform = "Jason-3"
        for name, value in (
            ("time", [25000, 25000.5, 25001]), ("longitude", [10, 200, 300]),
            ("latitude", [0, 10, 20]), ("sla_unfiltered", [0.1, np.nan, -0.2]),
            ("mdt", [0.5, 0.5, 0.4]),
        ):  # fmt: skip
            f.createVariable(name, "f8", ("time",), fill_value=-999)[:] = value
        f["time"].units = "days since 1950-01-01"
    made, _ = ingest.collect([tmp_path / "track.nc"])
    assert sorted(made["value"]) == pytest.approx([0.2, 0.6]) and set(made["station"]) == {
        "Jason-3"
    }
    with netCDF4.Dataset(tmp_path / "mean.nc", "w") as f:
        for name, values in (("latitude", [10.0, -10]), ("longitude", [0.0, 90, 180, 270])):
            f.createDimension(name, len(values))
            f.createVariable(name, "f8", (name,))[:] = values
        f.createVariable("mdt", "f8", ("latitude", "longitude"))[:] = [[0.3] * 4, [0.5] * 4]
        f["mdt"][:, 2:] = np.nan
    made, _ = ingest.collect([tmp_path / "track.nc"], mean_topography=tmp_path / "mean.nc")
    order = np.argsort(made["time"])
    assert made["value"][order] == pytest.approx([0.1 + 0.4, -0.2])
    assert [reasons[r][0] for r in made["reason"][order]] == ["used", "no topography"]
    with pytest.raises(ValueError, match="holds no mean dynamic topography"):
        ingest.collect([tmp_path / "track.nc"], mean_topography=tmp_path / "track.nc")
    (tmp_path / "bad.nc").write_bytes(b"\x89HDF\r\n\x1a\n damaged")
    with pytest.raises(OSError, match=r"bad\.nc"):
        ingest.collect([tmp_path / "bad.nc"])


def test_pictures(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "width", 400)
    made = some()
    made["background_departure"] = np.random.default_rng(1).normal(size=50)
    made.remove(np.arange(50) < 9, code["first guess"])
    for kind in set(pictures.kinds_of_picture) - {"sounding"}:
        one = made.taken(made["station"] == made["station"][0]) if kind == "story" else made
        pictures.draw(kind, one, tmp_path / f"{kind}.png")
        assert (tmp_path / f"{kind}.png").stat().st_size > 5000
    with pytest.raises(ValueError, match="did you mean 'coverage'"):
        pictures.draw("covrage", made, tmp_path / "x.png")
    with pytest.raises(ValueError, match="of one station, these are"):
        pictures.draw("story", made, tmp_path / "x.png")
    with pytest.raises(ValueError, match="compare makes them"):
        pictures.draw("histogram", some(), tmp_path / "x.png")


def test_a_radiosonde_has_pressure_downward(tmp_path):
    pressure = np.repeat(np.geomspace(1e5, 2e4, 25), 2)
    made = some(
        report=np.zeros(50, int), datum=np.arange(50), kind=["temp"] * 50, station=["06610"] * 50,
        pressure=pressure, value=300 * (pressure / 1e5) ** 0.19,
    )  # fmt: skip
    for kind in ("sounding", "story"):
        axes = pictures.kinds_of_picture[kind](made, path=tmp_path / "a.png").axes[0]
        low, high = axes.get_ylim()
        assert low > high and "hPa" in axes.get_ylabel()
    with pytest.raises(ValueError, match="no levels of pressure"):
        pictures.draw("sounding", some(count=2), tmp_path / "x.png")


def test_command(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text(
        "station,time,longitude,latitude,air_temperature [degC]\nA,2018-11-20T12:00,1,50,1.5\n"
    )
    run = lambda *words: cli.main([str(w) for w in ("observations", *words)], standalone_mode=False)
    out = tmp_path / "a.parquet"
    assert run("import", path, "--out", out, "--json", tmp_path / "f.json") == 0
    assert json.loads((tmp_path / "f.json").read_text())["data"] == 1
    assert run("show", out) == 0 and run("why", out) == 0
    assert run("query", out, "SELECT value FROM observations", "--csv", tmp_path / "t.csv") == 0
    assert (tmp_path / "t.csv").read_text().split() == ["value", "274.65"]
    assert "274.65" in capsys.readouterr().out


def test_bench(tmp_path):
    run = lambda *words: cli.main([str(w) for w in ("bench", *words)], standalone_mode=False)
    assert run("observations", "--messages", 60, "--repetitions", 1, "--json", tmp_path / "b") == 0
    found = json.loads((tmp_path / "b").read_text())
    assert found["messages"] == 60 and found["damaged"] == 0 and found["data"] == 60 * 5
    assert found["messages_per_second"] > 0 and set(found["priced_speedup"]) == {"2", "4", "16"}


def test_a_flipped_bit_is_found(tmp_path):
    """Wherever it is, in a question too; the error names the file."""
    base.write(some(), tmp_path / "a.parquet")
    whole, rng = (tmp_path / "a.parquet").read_bytes(), np.random.default_rng(1)
    for place in [*rng.integers(len(whole), size=40), 0, len(whole) - 1, len(whole) - 6]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        (tmp_path / "b.parquet").write_bytes(damaged)
        for where in ("", "kind = 'ship'") if place % 4 == 0 else ("",):
            with pytest.raises(ValueError, match=r"b\.parquet is (damaged|not a file)"):
                base.read(tmp_path / "b.parquet", where)
