"""Records of GRIB: rows of any order give the field where it is, missing points are gaps,
and a number that looks like a fill value is a number.
"""

import contextlib
import itertools

import numpy as np
import pytest

import centre_files
import fathom as fm
from fathom.data import atmosphere
from fathom.data.input.records import Input, Records, sources

eccodes = pytest.importorskip("eccodes")

ny, nx = 19, 36
latitude, longitude = np.linspace(90, -90, ny), np.arange(0.0, 360, 10)
east, north = np.meshgrid(longitude, latitude)
land = east < 92


def temperature(x, y):
    return 280 + 10 * np.sin(np.radians(y)) + 5 * np.cos(np.radians(x - 40))


def written(file, values, edition=2, first=(90.0, 0.0), last=(-90.0, 350.0), keys=(), packing=""):
    """A field at the surface, of values in the order in which they lie in the file."""
    message = eccodes.codes_grib_new_from_samples(f"regular_ll_sfc_grib{edition}")
    places = {
        f"{axis}Of{end}GridPointInDegrees": float(place)
        for end, at in (("First", first), ("Last", last))
        for axis, place in zip(("latitude", "longitude"), at)
    }
    steps = {f"{axis}DirectionIncrementInDegrees": 10.0 for axis in "ij"}
    when = {"dataDate": 20000101, "dataTime": 0}
    for name, value in ({"Ni": nx, "Nj": ny} | places | steps | when | dict(keys)).items():
        eccodes.codes_set(message, name, value)
    eccodes.codes_set_values(message, np.asarray(values, float).ravel())
    if packing:
        eccodes.codes_set(message, "packingType", packing)
    file.write_bytes(eccodes.codes_get_message(message))
    eccodes.codes_release(message)
    return file


def globe(**named):
    return fm.LatitudeLongitudeGrid(
        nx=36, ny=18, latitude=(-80, 80), levels=fm.ZLevels(nz=2, depth=100), **named
    )


def read(file, grid, variable, units, **how):
    one = Input("field", Records(file, variable, **how), units)
    return sources([one], grid)[0].read(0)["field"]


def ordered(file, edition, westward, northward, by_columns):
    """The field as read of a file with its points in this order, and the one that is right."""
    x = longitude[::-1] if westward else longitude
    y = latitude[::-1] if northward else latitude
    values = temperature(*np.meshgrid(x, y))
    keys = {
        "iScansNegatively": westward,
        "jScansPositively": northward,
        "jPointsAreConsecutive": by_columns,
        "shortName": "2t",
    }
    ends = (y[0], x[0]), (y[-1], x[-1])
    written(file, values.T if by_columns else values, edition, *ends, keys)
    grid = globe()
    return read(file, grid, "t2m", "K"), temperature(*grid.coordinates())


@pytest.mark.parametrize("edition", [1, 2])
@pytest.mark.parametrize("northward", [0, 1])
def test_rows_from_north_and_from_south(tmp_path, edition, northward):
    found, right = ordered(tmp_path / "a.grib", edition, 0, northward, 0)
    np.testing.assert_allclose(found, right, atol=0.3)


@pytest.mark.parametrize("edition", [1, 2])
@pytest.mark.parametrize(
    "westward, northward, by_columns", list(itertools.product((0, 1), repeat=3))
)
def test_no_order_mirrors_a_field(tmp_path, edition, westward, northward, by_columns):
    """A file that runs from the east, or by columns, is read as it is meant, or refused."""
    with contextlib.suppress(fm.InputError):
        found, right = ordered(tmp_path / "a.grib", edition, westward, northward, by_columns)
        np.testing.assert_allclose(found, right, atol=0.3)


@pytest.mark.parametrize("first", [180.0, -180.0, 30.0])
def test_rows_begin_at_any_longitude(tmp_path, first):
    x = first + longitude
    ends = (90.0, x[0] % 360), (-90.0, x[-1] % 360)
    values = temperature(*np.meshgrid(x, latitude))
    file = written(tmp_path / "a.grib", values, 2, *ends, {"shortName": "2t"})
    grid = globe()
    found = read(file, grid, "t2m", "K")
    np.testing.assert_allclose(found, temperature(*grid.coordinates()), atol=0.3)


def pressure(file, values, edition=2, missing=None, packing="", fill=9999.0):
    """The least and the greatest pressure at sea, of a file with a bitmap or without one."""
    keys = {"shortName": "sp", "bitsPerValue": 16}
    values = np.broadcast_to(values, (ny, nx))
    if missing is not None:
        keys |= {"missingValue": fill, "bitmapPresent": 1}
        values = np.where(missing, fill, values)
    grid = globe(bathymetry=lambda x, y: np.where(x % 360 < 88, 0.0, 100.0))
    written(file, values, edition, keys=keys, packing=packing)
    found = read(file, grid, "sp", "Pa")[np.asarray(grid.wet_levels) > 0]
    return found.min(), found.max()


@pytest.mark.parametrize(
    "edition, packing", [(1, ""), (2, ""), (2, "grid_ccsds"), (2, "grid_jpeg")]
)
def test_constants_and_bitmaps(tmp_path, edition, packing):
    """A constant takes no bits; 9999 is a pressure where the file does not say that it is none."""
    file = tmp_path / "a.grib"
    try:
        assert pressure(file, 9999.0, edition, packing=packing) == (9999.0, 9999.0)
    except eccodes.CodesInternalError:
        pytest.skip(f"this ecCodes does not write {packing}")
    assert pressure(file, 101000.0, edition, packing=packing) == (101000.0, 101000.0)
    assert pressure(file, 101000.0, edition, land, packing) == (101000.0, 101000.0)
    low, high = pressure(file, 101000.0 + north, edition, land, packing)
    assert 100910 < low < 100930 and 101070 < high < 101090


@pytest.mark.parametrize("edition", [1, 2])
def test_a_number_that_looks_missing(tmp_path, edition):
    """9999 in a field whose missing points have another mark."""
    values = np.where(north > 0, 9999.0, 101000.0)
    low, high = pressure(tmp_path / "a.grib", values, edition, land, fill=1e20)
    assert low == pytest.approx(9999, abs=2) and high == pytest.approx(101000, abs=2)


@pytest.mark.parametrize("edition", [1, 2])
def test_missing_points_at_sea_are_an_error(tmp_path, edition):
    hole = (east > 200) & (east < 230) & (north > 0)
    with pytest.raises(fm.InputError, match="no value at .*of the sea; gaps"):
        pressure(tmp_path / "a.grib", 101000.0, edition, hole)


@pytest.mark.parametrize("by_columns", [0, 1])
def test_every_other_line_backwards(tmp_path, by_columns):
    values = temperature(*np.meshgrid(longitude, latitude))
    lines = values.T.copy() if by_columns else values
    lines[1::2] = lines[1::2, ::-1]
    keys = {"alternativeRowScanning": 1, "jPointsAreConsecutive": by_columns, "shortName": "2t"}
    file = written(tmp_path / "a.grib", lines, keys=keys)
    grid = globe()
    found = read(file, grid, "t2m", "K")
    np.testing.assert_allclose(found, temperature(*grid.coordinates()), atol=0.3)


@pytest.mark.parametrize("masked", [False, True])
def test_a_message_with_several_fields(tmp_path, masked):
    """As of NCEP: both components of the wind in one message, with the bitmap of the first."""
    wind, parts = {"10u": 5.0, "10v": -2.0}, []
    for short, speed in wind.items():
        values = np.where(land, 9999.0, speed) if masked else np.full((ny, nx), speed)
        keys = {"shortName": short} | ({"bitmapPresent": 1} if masked else {})
        parts.append(written(tmp_path / "a.grib", values, keys=keys).read_bytes())
    file = tmp_path / "b.grib"
    file.write_bytes(centre_files.together(*parts, shared_bitmap=masked))
    with fm.open(file) as data:
        for name, speed in (("u10", 5.0), ("v10", -2.0)):
            found = data[name].isel(time=0).values
            np.testing.assert_allclose(found[~land], speed)
            assert np.isnan(found[land]).all() == masked


def levels(file, leave=(), twice=False):
    """A state on levels of pressure, without some of its fields, or with one twice."""
    whole = b""
    for short, value in (("t", 250.0), ("u", 1.0), ("v", 2.0), ("q", 1e-3), ("z", 1e4)):
        for level in (1000, 500, 50):
            if (short, level) in leave:
                continue
            keys = {"typeOfLevel": "isobaricInhPa", "level": level, "shortName": short}
            whole += written(file, np.full((ny, nx), value), keys=keys).read_bytes()
    file.write_bytes(whole + (whole if twice else b""))
    return str(file)


def test_a_state_lacks_a_level_or_has_a_field_twice(tmp_path):
    assert dict(atmosphere.open(levels(tmp_path / "a.grib")).sizes)["pressure"] == 3
    for short, name in (("t", "air_temperature"), ("u", "eastward_wind"), ("z", "geopotential")):
        with pytest.raises(fm.InputError, match=f"has no {name} at 500 hPa, 2000-01-01T00:00, but"):
            atmosphere.open(levels(tmp_path / f"{short}.grib", {(short, 500)}))
    with pytest.raises(fm.InputError, match="t more than once at a time and level, as of several"):
        atmosphere.open(levels(tmp_path / "b.grib", twice=True))


def test_missing_points_of_a_state_are_no_numbers(tmp_path):
    file = tmp_path / "a.grib"
    levels(file)
    keys = {"typeOfLevel": "isobaricInhPa", "level": 850, "shortName": "t", "bitmapPresent": 1}
    whole = file.read_bytes()
    for short in "tuvqz":
        values = np.where(land, 9999.0, 1e-3)
        whole += written(file, values, keys=keys | {"shortName": short}).read_bytes()
    file.write_bytes(whole)
    state = atmosphere.open(str(file))
    assert np.isnan(state.air_temperature.sel(pressure=85000)).sum() == land.sum()
