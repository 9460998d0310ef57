"""GRIB2: what is written is read within the error of packing, by eccodes as the standard says;
times are whole or not there.
"""

import os
from functools import partial

import numpy as np
import pytest

from fathom import output
from whole_time_stores import create, fields, fill, grid

eccodes = pytest.importorskip("eccodes")
names = (
    "air_temperature",
    "relative_humidity",
    "air_temperature_2m",
    "relative_humidity_2m",
    "air_pressure_at_mean_sea_level",
)
create = partial(create, chosen=names)


def messages(path):
    with open(path, "rb") as file:
        while (handle := eccodes.codes_grib_new_from_file(file)) is not None:
            yield handle
            eccodes.codes_release(handle)


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("levels", [None, [85000.0, 50000.0, 1250.5]])
@pytest.mark.parametrize("compression", ["ccsds", "simple"])
def test_what_is_written_is_what_is_opened(tmp_path, mean, levels, compression):
    writer = fill(
        create(tmp_path / "a.grib2", "mean" if mean else None, levels, compression=compression),
        3,
        mean,
    )
    writer.close()
    zarr = fill(create(tmp_path / "a.zarr", "mean" if mean else None, levels), 3, mean)
    with output.open(tmp_path / "a.grib2") as a, output.open(tmp_path / "a.zarr") as b:
        assert set(b.variables) - set(a.variables) == {"areacello"} and dict(a.sizes) == dict(
            b.sizes
        )
        for name in b.coords:
            assert a[name].attrs == b[name].attrs and (a[name].values == b[name].values).all(), name
        for name in writer.variables:
            assert a[name].dims == b[name].dims and a[name].dtype == b[name].dtype
            error = np.abs(a[name].values - b[name].values.astype(float))
            assert error.max() <= np.ptp(b[name].values) * 2.0**-24 + 2.0**-15, name
        np.testing.assert_allclose(a.sftlf.values, b.sftlf.values, atol=1e-6)
        np.testing.assert_array_equal(
            a.ta.isel(time=1, latitude=3, longitude=slice(2, 9, 3)).values,
            a.ta.values[1, :, 3, 2:9:3],
        )
        np.testing.assert_array_equal(a.ta[-1, 1].values, a.ta.values[-1, 1])
    assert zarr.times.tolist() == writer.times.tolist()


def test_others_read_it_as_the_standard_says(tmp_path):
    writer = fill(create(tmp_path / "a.grib2"), 2)
    given = fields(writer, 1)
    found = {}
    for handle in messages(tmp_path / "a.grib2"):
        get = lambda key: eccodes.codes_get(handle, key)
        found[
            get("shortName"),
            get("typeOfLevel"),
            get("level"),
            f"{get('validityDate')} {get('validityTime'):04d}",
        ] = handle_values = eccodes.codes_get_values(handle).reshape(get("Nj"), get("Ni"))
        assert (
            get("gridType") == "regular_gg"
            and get("N") == grid.shape[1] // 2
            and handle_values.size == grid.shape[1] * grid.shape[2]
        )
        assert (
            np.abs(eccodes.codes_get_array(handle, "distinctLatitudes")[::-1] - grid.latitude).max()
            < 1e-5
        )
        if get("typeOfLevel") == "hybrid":
            np.testing.assert_allclose(
                eccodes.codes_get_array(handle, "pv"), [*grid.levels.a, *grid.levels.b], atol=1e-2
            )
    now = "20010227 0700"
    np.testing.assert_allclose(found["t", "hybrid", 3, now][::-1], given["ta"][2], atol=1e-4)
    np.testing.assert_allclose(found["r", "hybrid", 4, now][::-1], 100 * given["hur"][3], atol=1e-2)
    np.testing.assert_allclose(
        found["2t", "heightAboveGround", 2, now][::-1], given["tas"], atol=1e-4
    )
    assert {
        ("2r", "heightAboveGround", 2, now),
        ("msl", "meanSea", 0, now),
        ("lsm", "surface", 0, "20010227 0600"),
    } <= set(found) and len(found) == 1 + 2 * 11


@pytest.mark.parametrize(
    "statistic, code", [("mean", "avg"), ("maximum", "max"), ("minimum", "min")]
)
def test_statistics_have_their_interval(tmp_path, statistic, code):
    fill(create(tmp_path / "a.grib2", statistic, chosen=("air_temperature_2m",)), 2, mean=True)
    last = [
        [
            eccodes.codes_get(h, key)
            for key in ("productDefinitionTemplateNumber", "stepType", "stepRange", "validityTime")
        ]
        for h in messages(tmp_path / "a.grib2")
    ][-1]
    assert last == [8, code, "1-2", 800]


def test_what_is_missing_stays_missing(tmp_path):
    writer = create(tmp_path / "a.grib2", chosen=("air_temperature_2m", "precipitation_flux"))
    some = fields(writer, 0)["tas"]
    some[3:, :5] = np.nan
    whole = next(writer.regions("tas"))
    writer.write("tas", 0, whole, some)
    with pytest.raises(ValueError, match="not whole: pr missing"):
        writer.extend(0, 0.0)
    writer.write("pr", 0, whole, np.full_like(some, np.nan))
    writer.extend(0, 0.0)
    with output.open(tmp_path / "a.grib2") as dataset:
        np.testing.assert_allclose(dataset.tas[0].values, some, atol=1e-4)
        assert dataset.pr.isnull().all()


def test_times_are_whole_or_not_there(tmp_path):
    path = tmp_path / "a.grib2"
    fill(create(path), 3).close()
    bytes_of_three = path.read_bytes()
    writer = output.append(path)
    writer.truncate(2)
    assert writer.times.tolist() == [0.0, 3600.0]
    fill(writer, 3).close()
    assert path.read_bytes() == bytes_of_three  # another writer gives the same bytes
    for lost in (1, 2000, 5000):
        path.write_bytes(bytes_of_three[:-lost])
        with output.open(path) as dataset:
            assert dataset.sizes["time"] == 2
        fill(output.append(path), 3).close()
        assert path.read_bytes() == bytes_of_three


def test_damage_is_named(tmp_path):
    path = tmp_path / "a.grib2"
    fill(create(path), 1).close()
    good = path.read_bytes()
    head = good.index(b"GRIB")
    for content, message in (
        (good[: head // 2], "damaged: it ends within its first line"),
        (good[: head + 40], "truncated: 0 of 1 constant messages"),
        (good[:head] + b"x" + good[head + 1 :], f"no GRIB message begins at byte {head}"),
        (good.replace(b"7777GRIB", b"7677GRIB"), "has no end"),
    ):
        path.write_bytes(content)
        with pytest.raises(OSError, match=message):
            output.open(path).load()
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="not a GRIB file of Fathom"):
        output.open(path)


def test_what_grib_cannot_hold_is_named(tmp_path):
    flat = {"longitude": (("y", "x"), np.zeros((2, 3))), "latitude": (("y", "x"), np.zeros((2, 3)))}
    with pytest.raises(
        ValueError, match="coordinates of each point, or a plane: write .zarr or .nc"
    ):
        output.create(tmp_path / "a.grib2", flat, [output.VariableSpec("tos", ("time", "y", "x"))])
    with pytest.raises(ValueError, match="no parameter for 'tracer' here"):
        create(tmp_path / "a.grib2", chosen=("passive_tracer",))
    uneven = {
        "longitude": (("longitude",), np.arange(4) * 90.0),
        "latitude": (("latitude",), np.array([-60.0, 0.0, 61.0])),
    }
    spec = [output.VariableSpec("tas", ("time", "latitude", "longitude"))]
    with pytest.raises(ValueError, match="Gaussian rows or equidistant ones"):
        output.create(tmp_path / "a.grib2", uneven, spec).write(
            "tas", 0, (0, 3, 0, 4), np.zeros((3, 4))
        )
    with pytest.raises(ValueError, match="no calendar 'noleap'"):
        output.create(tmp_path / "b.grib2", uneven, spec, time=output.TimeAxis(calendar="noleap"))
    assert not os.path.exists(tmp_path / "b.grib2")
    even = uneven | {"latitude": (("latitude",), np.array([-45.0, 0.0, 45.0]))}
    writer = output.create(tmp_path / "c.grib2", even, spec)
    writer.write("tas", 0, (0, 3, 0, 4), np.arange(12.0).reshape(3, 4))
    writer.extend(0, 0.0)
    handle = next(messages(tmp_path / "c.grib2"))
    assert eccodes.codes_get(handle, "gridType") == "regular_ll" and eccodes.codes_get_values(
        handle
    )[0] == pytest.approx(8.0)


def test_a_picture(tmp_path):
    from fathom import plots

    fill(create(tmp_path / "a.grib2"), 1)
    plots.picture(output.open(tmp_path / "a.grib2"), "ta", level=2, path=tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 5000


def test_a_part_of_gaussian_rows():
    """An area of a Gaussian grid says of which it is a part; other rows are refused at once."""
    from fathom.output.formats import grib, whole_times

    rows = whole_times.gaussian(48)
    for part in (slice(None), slice(0, 2), slice(20, 31), slice(40, 48)):
        assert whole_times.rows_of_whole(rows[part]) == 48
    assert whole_times.rows_of_whole(np.arange(-60.0, 61, 2)) is None
    axes = {
        "latitude": [["latitude"], rows[30:40], {}],
        "longitude": [["longitude"], np.arange(-30.0, 31, 3.75), {}],
    }
    keys = grib._grid(axes, upward=False)
    assert (keys["gridType"], keys["N"], keys["Nj"]) == ("regular_gg", 24, 10)
    axes["latitude"][1] = rows[30:40] ** 2
    with pytest.raises(ValueError, match="latitudes of this grid are neither"):
        grib._grid(axes, upward=False)
