"""GRIB of other writers, of both editions, opens as a data set, and gives records."""

import numpy as np
import pytest

import fathom as fm

eccodes = pytest.importorskip("eccodes")
latitude, longitude = np.arange(75.0, -90, -30), np.arange(0.0, 360, 60)
keys = {
    "centre": "ecmf",
    "Ni": longitude.size,
    "Nj": latitude.size,
    "latitudeOfFirstGridPointInDegrees": latitude[0],
    "latitudeOfLastGridPointInDegrees": latitude[-1],
    "longitudeOfFirstGridPointInDegrees": longitude[0],
    "longitudeOfLastGridPointInDegrees": longitude[-1],
    "iDirectionIncrementInDegrees": 60.0,
    "jDirectionIncrementInDegrees": 30.0,
    "bitsPerValue": 16,
    "dataDate": 20200101,
}


def message(name, value, hour=0, level=None, edition=1, **more):
    kind = "pl" if level else "sfc"
    made = eccodes.codes_grib_new_from_samples(f"regular_ll_{kind}_grib{edition}")
    for key, given in (keys | {"dataTime": 100 * hour} | more).items():
        eccodes.codes_set(made, key, given)
    if level:
        eccodes.codes_set(made, "level", level)
    eccodes.codes_set(made, "shortName", name)
    values = value + np.add.outer(latitude, 0 * longitude)
    eccodes.codes_set_values(made, values.ravel())
    return eccodes.codes_get_message(made)


@pytest.mark.parametrize("edition", [1, 2])
def test_opens_as_a_data_set(tmp_path, edition):
    ending = {1: "grib", 2: "grb2"}[edition]
    file = tmp_path / f"era5.{ending}"
    file.write_bytes(
        b"".join(message("2t", 273 + hour, hour, edition=edition) for hour in (0, 6))
        + b"".join(
            message("t", 250 + hour + level, hour, level, edition=edition)
            for hour in (6, 0)
            for level in (500, 850)
        )
    )
    data = fm.open(file)
    assert set(data.data_vars) == {"t2m", "t"}
    assert data.t2m.attrs["units"] == data.t.attrs["units"] == "K"
    assert data.t.attrs["standard_name"] == "air_temperature"
    assert str(data.time.values[1]).startswith("2020-01-01T06")
    assert data.pressure_level.values.tolist() == [500, 850]
    assert data.latitude.values == pytest.approx(latitude)
    assert data.t.sel(latitude=15, longitude=120).values == pytest.approx(
        np.array([[765.0, 1115], [771, 1121]]), abs=0.05
    )
    assert data.t2m[1, ::-1, 2].values == pytest.approx(279 + latitude[::-1], abs=0.01)


def test_gives_records_with_their_units(tmp_path):
    file = tmp_path / "t.grib"
    file.write_bytes(message("2t", 280.0) + message("10u", 0.0) + message("2t", 290.0, 6))
    with pytest.raises(fm.InputError, match="several variables|has no variable"):
        fm.Records(file).find(("precipitation_flux",))
    found = fm.Records(str(file))
    variable = found.find(("air_temperature", "t2m"))
    assert (variable.name, variable.units, len(variable.axis)) == ("t2m", "K", 2)
    assert found.read(variable, 1)[0, 0] == pytest.approx(365, abs=0.01)


@pytest.mark.parametrize(
    "damage, said",
    [
        (lambda: message("2t", 1.0)[:-40], "cannot be read: damaged or truncated"),
        (lambda: 2 * message("2t", 1.0), "t2m more than once at a time and level"),
        (
            lambda: message("t", 1.0, 0, 500) + message("t", 1.0, 6, 850),
            "lacks some of the levels or times of t",
        ),
        (
            lambda: message("2t", 1.0) + message("10u", 1.0, longitudeOfFirstGridPointInDegrees=5),
            "has fields on 2 grids",
        ),
    ],
)
def test_what_does_not_fit(tmp_path, damage, said):
    (tmp_path / "a.grib").write_bytes(damage())
    with pytest.raises(fm.Error, match=f"a.grib.*{said}"):
        fm.open(tmp_path / "a.grib")


def test_a_file_is_opened_once_for_all_variables(tmp_path, monkeypatch):
    """As often for six as for one: to see what it is, for what it holds, once for all values."""
    opened, plain = [], open

    def counted(path, *more, **named):
        opened.append(str(path))
        return plain(path, *more, **named)

    monkeypatch.setattr("builtins.open", counted)
    monkeypatch.setattr("io.open", counted)
    counts = []
    for names in (("2t",), ("2t", "2d", "sp", "msl", "10u", "10v")):
        file = tmp_path / f"{len(names)}.grib"
        file.write_bytes(b"".join(message(n, 280 + h, h) for n in names for h in (0, 6)))
        with fm.open(file) as data:
            assert len(data.data_vars) == len(names)
            for name in data.data_vars:
                assert np.isfinite(data[name].values).all()
        counts.append(opened.count(str(file)))
    assert counts[0] == counts[1] <= 1 + 5  # and once where it is written
