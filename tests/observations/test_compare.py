"""Departures from fields of GRIB, and the commands from a file of BUFR to what is used."""

import eccodes
import numpy as np
import pytest

import bufr_messages
from fathom.assimilation.observations import base
from fathom.assimilation.observations.background import Background
from fathom.assimilation.observations.reasons import code
from fathom.commands.main import cli


def field(path, name, of, level=0, hour=12, mode="ab", columns=None):
    """A global field of GRIB on a regular grid of 5 degrees, `of`(longitude, latitude); columns:
    its longitudes.
    """
    columns = np.arange(0, 360, 5.0) if columns is None else columns
    handle = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2" if not level else
                                                 "regular_ll_pl_grib2")  # fmt: skip
    for key, value in {
        "Ni": len(columns), "Nj": 37, "latitudeOfFirstGridPointInDegrees": 90,
        "latitudeOfLastGridPointInDegrees": -90, "longitudeOfFirstGridPointInDegrees": columns[0],
        "longitudeOfLastGridPointInDegrees": columns[-1], "iDirectionIncrementInDegrees": 5,
        "jDirectionIncrementInDegrees": 5, "dataDate": 20181120, "dataTime": 100 * hour,
        "shortName": name, "bitsPerValue": 24, **({"level": level} if level else {}),
    }.items():  # fmt: skip
        eccodes.codes_set(handle, key, value)
    longitude, latitude = np.meshgrid(columns, np.arange(90, -91, -5.0))
    eccodes.codes_set_values(handle, of(longitude, latitude).ravel())
    with open(path, mode) as file:
        eccodes.codes_write(handle, file)
    eccodes.codes_release(handle)


def test_places_and_times(tmp_path):
    """Exact for what is linear between grid points and in time; nothing beyond the times."""
    path = tmp_path / "f.grib"
    field(path, "2t", lambda x, y: 280 + 0.2 * y)
    field(path, "2t", lambda x, y: 286 + 0.2 * y, hour=18)
    at = Background.open(path).at
    noon = 1542715200
    made = at(
        "air_temperature", [12.5, -170, 359], [47.5, -33, 3], noon + np.array([0, 7200, 86400])
    )
    assert made[:2] == pytest.approx([289.5, 275.4], abs=1e-4) and np.isnan(made[2])
    with pytest.raises(ValueError, match="did you mean 'air_temperature'"):
        at("air_temprature", [0], [0], [noon])
    (tmp_path / "g.grib").write_bytes(path.read_bytes()[:200])
    with pytest.raises(OSError, match=r"g\.grib"):
        Background.open(tmp_path / "g.grib")
    (tmp_path / "h.grib").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="no field of GRIB"):
        Background.open(tmp_path / "h.grib")


@pytest.mark.parametrize(
    "columns",
    [np.arange(2.5, 360, 5), np.arange(181, 541, 5.0) % 360, np.arange(0, 361, 5.0)],
    ids=["from half a cell", "from the date line", "with both ends"],
)
def test_where_rows_begin(tmp_path, columns):
    """Departures do not depend on where a row begins: bilinear is within a step's curvature."""
    wave = lambda x, y: 280 + 10 * np.sin(np.deg2rad(3 * x)) + 0.2 * y
    field(tmp_path / "f.grib", "2t", wave, columns=columns)
    x, y = np.arange(-180, 180, 7.3), np.linspace(-80, 80, 50)
    made = Background.open(tmp_path / "f.grib").at("air_temperature", x, y, np.full(50, 1542715200))
    assert np.abs(made - wave(x, y)).max() < 10 * (1 - np.cos(np.deg2rad(7.5))) + 1e-3


def test_rows_that_do_not_go_around(tmp_path):
    field(tmp_path / "f.grib", "2t", lambda x, y: 280 + y, columns=np.arange(0, 330, 5.0))
    with pytest.raises(RuntimeError, match="not global"):
        Background.open(tmp_path / "f.grib")


def test_from_messages_to_what_is_used(tmp_path, capsys):
    """import, compare, screen, why: a report of 25 K too warm is not used, and says why."""
    reports = [bufr_messages.synop(11500 + n, 5 + 3.1 * n, 50 + 0.3 * n, 290) for n in range(6)]
    reports.append(bufr_messages.synop(11510, 12, 52, 315))
    (tmp_path / "x.bufr").write_bytes(b"".join(reports) + bufr_messages.sounding()[0])
    field(tmp_path / "f.grib", "2t", lambda x, y: 290 + 0 * y)
    for level, T in ((1000, 288.15), (500, 252.6), (100, 186.2)):
        field(tmp_path / "f.grib", "t", lambda x, y, T=T: T + 0 * y, level)
    run = lambda *words: cli.main([str(w) for w in ("observations", *words)], standalone_mode=False)
    names = [tmp_path / f"{n}.parquet" for n in "abc"]
    assert run("import", tmp_path / "x.bufr", "--out", names[0]) == 0
    assert run("compare", names[0], tmp_path / "f.grib", "--out", names[1]) == 0
    assert run("screen", names[1], "--out", names[2], "--json", tmp_path / "s.json") == 0
    assert run("why", names[2], "--station", "11510") == 0
    made = base.read(names[2])
    warm = made.taken((made["station"] == "11510") & made.variable_is("air_temperature"))
    assert list(warm["reason"]) == [code["first guess"]]
    assert warm["background_departure"] == pytest.approx(25, abs=1e-3)
    profile = made.taken(made.kind_is("temp") & made.variable_is("air_temperature"))
    assert np.isfinite(profile["background_departure"]).all() and len(profile) == 12
    reason = lambda name: made["reason"][made.variable_is(name) & made.kind_is("synop")]
    assert set(reason("surface_air_pressure")) == {code["no equivalent"]}
    assert set(reason("air_temperature")) >= {0}
    at500 = np.argmin(np.abs(profile["pressure"] - 5e4))
    assert abs(profile["background_departure"][at500]) < 3
    assert "first guess" in capsys.readouterr().out
    assert run("map", names[2], "--kind", "histogram", "--out", tmp_path / "h.png") == 0
