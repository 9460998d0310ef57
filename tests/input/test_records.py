"""Records of files: found by CF names, in the units of the model, brought to its points, with gaps
on land filled and those at sea told.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.base.instants import always, months
from fathom.data.input.records import Input, Records, given, sources
from fathom.data.input.variables import contents, files
from fathom.ocean.surface.air import Air

latitude, longitude = np.arange(-75.0, 80, 10), np.arange(0.0, 360, 15)
east, north = np.meshgrid([3.0, 100.0, 271.0, 356.0], [-61.0, 0.0, 44.0])
grid = SimpleNamespace(
    wet_levels=np.ones((3, 4), int),
    horizontal=SimpleNamespace(spherical=True),
    coordinates=lambda where: (east, north),
    levels_at=lambda where: np.array([[0, 1, 1, 1]] + [[1] * 4] * 2),
    place=lambda j, i: f"(j={j}, i={i})",
    mapping=fm.CartesianGrid(4, 3, extent=(4e3, 3e3), levels=fm.ZLevels(1, depth=10)).mapping,
)


def fields(numbers, **dims):
    """Linear in latitude, and periodic in longitude."""
    plane = latitude[:, None] + 0 * longitude
    return xr.DataArray(
        np.stack([n + plane for n in numbers]),
        dims=("time", "latitude", "longitude"),
        coords={"latitude": latitude, "longitude": longitude} | dims,
    )


def daily(start="2001-03-01", n=3, base=273.15, **attributes):
    """The latitude and the day's number beyond a base: temperatures from -75 to 75 degC."""
    times = np.datetime64(start, "ns") + np.arange(n) * np.timedelta64(1, "D")
    data = fields(base + np.arange(n), time=times)
    return data.assign_attrs({"standard_name": "air_temperature", "units": "K"} | attributes)


def test_found_converted_and_regridded(tmp_path):
    """Two files of one series, among other files; named by standard name; K to degC; bilinear
    where the field is linear.
    """
    for n, start in enumerate(("2001-03-04", "2001-03-01")):
        xr.Dataset({"t2m": daily(start).astype("f4"), "orog": fields([0]).isel(time=0)}).to_netcdf(
            tmp_path / f"part{n}.nc"
        )
    records = Records(tmp_path)
    assert list(records.variables) == ["t2m", "orog"] and files(tmp_path) == files(
        str(tmp_path / "part*.nc")
    )
    one = Input("air_temperature", records, "degC", only=False)
    assert (
        len(one.axis) == 6
        and one.axis.begin[0] == (2001, 3, 1, 0.0)
        and one.axis.begin[5] == (2001, 3, 6, 0.0)
    )
    (source,) = sources([one], grid)
    for number, value in ((0, 0), (2, 2), (3, 0), (5, 2)):
        found = source.read(number)["air_temperature"]
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, north + value, atol=1e-4)
    assert (
        given(str(tmp_path / "part0.nc"))
        and given("nowhere") is None
        and given(3.0) is None
        and given(np.zeros((2, 2))) is None
    )


def test_sums_over_a_time_are_rates():
    """J m-2 and m of water of the time before; a humidity from dew point and pressure."""
    sunlight = daily(base=7200.0).assign_attrs(units="J m**-2", standard_name="")
    with pytest.raises(ValueError, match=r"adds up over a time; .*accumulated='1h'"):
        Input("sun", Records(sunlight), "W m-2")
    one = Input("sun", Records(sunlight, accumulated="1d"), "W m-2")
    assert one.axis.begin[0] == (2001, 2, 28, 0.0) and one.axis.end[0] == (2001, 3, 1, 0.0)
    (source,) = sources([one], grid)
    np.testing.assert_allclose(source.read(1)["sun"], (7201 + north) / 86400)
    sparse = Input("sun", Records(sunlight, accumulated="1h"), "W m-2")
    assert not sparse.axis.intervals and sparse.factor == pytest.approx(1 / 3600)
    rain = Input(
        "rain", Records(daily(units="m", standard_name=""), accumulated="1h"), "kg m-2 s-1"
    )
    assert rain.factor == pytest.approx(1 / 3.6)
    with pytest.raises(ValueError, match="hours, days"):
        Records(sunlight, accumulated="1month")
    air = xr.Dataset(
        {
            "d2m": daily(standard_name="") * 0 + 283.15,
            "msl": daily(standard_name="") * 0 + 101325.0,
        }
    )
    for name, units in (("d2m", "K"), ("msl", "Pa")):
        air[name].attrs = {"units": units}
    taken = Air(air, {"specific_humidity": "specific_humidity"}).inputs
    (source,) = sources(taken, grid)
    humidity = source.read(0)["specific_humidity"]
    assert humidity == pytest.approx(0.0076, rel=0.01)  # 10 degC at sea level: 7.6 g/kg


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_zarr_and_memory_are_the_same(tmp_path):
    data = daily()
    data.to_dataset(name="tas").to_zarr(tmp_path / "a.zarr", zarr_format=3)
    stored, held = (
        sources([Input("air_temperature", Records(what), "K")], grid)[0]
        for what in (tmp_path / "a.zarr", data)
    )
    assert stored.axis == held.axis
    np.testing.assert_array_equal(
        stored.read(1)["air_temperature"], held.read(1)["air_temperature"]
    )


def test_bounds_and_climatologies(tmp_path):
    starts = xr.date_range("1990-01-01", periods=13, freq="MS")
    data = (
        fields(range(12), time=starts[:-1] + np.timedelta64(15, "D"))
        .to_dataset(name="sst")
        .assign(time_bounds=(("time", "n"), np.stack([starts[:-1], starts[1:]], 1)))
    )
    data.sst.attrs["units"] = "degC"
    data.time.attrs["bounds"] = "time_bounds"
    data.time.encoding["units"] = "days since 1990-01-01"
    data.to_netcdf(tmp_path / "year.nc")
    year = Input("sst", Records(tmp_path / "year.nc"), "degC").axis
    repeated = Input("sst", Records(tmp_path / "year.nc", repeated_year=True), "degC").axis
    assert (
        not year.repeated
        and repeated.repeated
        and [m[1:] for m in repeated.begin] == [m[1:] for m in months.begin]
        and repeated.end[11] == (1991, 1, 1, 0.0)
    )
    ends = np.array([np.datetime64(f"{t.year + 10}-{t.month:02d}-01", "ns") for t in starts[1:]])
    climate = data.drop_vars("time_bounds").assign(
        time_bounds=(("time", "n"), np.stack([starts[:-1].values, ends], 1))
    )  # of 1990 to 2000
    climate.time.attrs.pop("bounds")
    climate.time.attrs["climatology"] = "time_bounds"
    climate.to_netcdf(tmp_path / "climate.nc")
    assert Input("sst", Records(tmp_path / "climate.nc"), "degC").axis == repeated
    assert contents((str(tmp_path / "climate.nc"),))["sst"].axis.repeated
    for n, (b, e) in enumerate(
        ((1989, 12), (1990, 3), (1990, 6), (1990, 9))
    ):  # seasons; the first begins in December
        climate.time_bounds.values[n] = (
            np.datetime64(f"{b}-{e:02d}-01", "ns"),
            np.datetime64(f"{2000 + (e == 12)}-{(e + 2) % 12 + 1:02d}-01", "ns"),
        )
    climate.isel(time=slice(4)).to_netcdf(tmp_path / "seasons.nc")
    seasons = Input("sst", Records(tmp_path / "seasons.nc"), "degC").axis
    assert (
        seasons.repeated
        and seasons.begin[0] == (1989, 12, 1, 0.0)
        and seasons.end == [*seasons.begin[1:], (1990, 12, 1, 0.0)]
    )
    plain = data.rename(time="month").drop_vars(["month", "time_bounds"])
    assert (
        Input("sst", Records(plain.sst), "degC").axis is months
        and Input("sst", Records(plain.sst[0]), "degC").axis is always
    )


def test_what_the_user_holds_open(tmp_path):
    """A Dataset with its bounds; arrays that are no fields on the earth."""
    data = (
        daily()
        .to_dataset(name="tas")
        .assign(
            time_bounds=(
                ("time", "n"),
                np.array([[f"2001-03-0{d}", f"2001-03-0{d + 1}"] for d in (1, 2, 3)], "M8[ns]"),
            )
        )
    )
    data.time.attrs["bounds"] = "time_bounds"
    one = Input("air_temperature", given(data), "degC", ("air_temperature", "tas"), only=False)
    assert one.axis.intervals and len(one.axis) == 3
    np.testing.assert_allclose(
        sources([one], grid)[0].read(2)["air_temperature"], north + 2, atol=1e-9
    )
    for poor in (daily()[:, 0, 0], daily().expand_dims(level=[1.0, 2.0])):
        with pytest.raises(
            ValueError, match="has no variable for air_temperature .none.; wanted: air_temperature"
        ):
            Input("air_temperature", Records(poor), "degC")


def test_the_speed_of_a_wind_reads_its_components_once(monkeypatch):
    """The first name that is there is taken: that of pressure at sea level before that at the
    surface.
    """
    u, v = (
        daily(base=0.0, units="m/s", standard_name=name)
        for name in ("eastward_wind", "northward_wind")
    )
    air = Air(
        xr.Dataset(
            {
                "u": u,
                "v": v,
                "sp": daily(base=1e3, units="hPa", standard_name="surface_air_pressure"),
                "msl": daily(base=1e3, units="hPa", standard_name=""),
            }
        ),
        {name: name for name in ("eastward_wind", "northward_wind", "wind_speed", "air_pressure")},
    )
    (source,) = sources(air.inputs, grid)
    read, numbers = Records.read, []
    monkeypatch.setattr(Records, "read", lambda *a: numbers.append(a[1].name) or read(*a))
    fields = source.read(1)
    np.testing.assert_array_equal(
        fields["wind_speed"], np.hypot(fields["eastward_wind"], fields["northward_wind"])
    )
    assert sorted(numbers) == ["msl", "u", "v"] and air.wind_variance == 1
    still = Air(
        {"eastward_wind": 3.0, "northward_wind": 4.0},
        {"wind_speed": "wind_speed", "air_temperature": "air_temperature"},
        "coads",
    )
    assert still.constants == {"wind_speed": 5.0} and list(still.climate) == ["air_temperature"]
    assert Air(
        {"eastward_wind": u}, {"wind_speed": "wind_speed"}, "coads"
    ).wind_variance == pytest.approx(4 / np.pi)


def test_gaps():
    """Filled on land, whatever is around; at sea an error, with its place, unless it is allowed."""
    data = daily()
    data[:, latitude == -65, :3] = np.nan  # around the land point
    source = sources([Input("air_temperature", Records(data), "K")], grid)[0]
    np.testing.assert_allclose(source.read(0)["air_temperature"][1:], 273.15 + north[1:])
    data = daily()
    data[1, 7:11, longitude == 105] = np.nan  # one corner: valid and filled values both count
    near = sources([Input("air_temperature", Records(data), "K")], grid)[0].read(1)[
        "air_temperature"
    ]
    assert np.isfinite(near).all() and abs(near[1, 1] - 274.15) < 5
    data[1, 7:11, :] = np.nan
    one = Input("air_temperature", Records(data), "K")
    sources([one], grid)[0].read(0)
    with pytest.raises(
        ValueError,
        match=r"air_temperature: no value at \(j=1, i=0\), nor at 3 more points of the sea; gaps",
    ):
        sources([one], grid)[0].read(1)
    filled = sources([Input("air_temperature", Records(data, gaps="fill"), "K")], grid)[0].read(1)[
        "air_temperature"
    ]
    np.testing.assert_allclose(filled, 274.15 + north, atol=8)


def test_on_the_points_of_the_model():
    values = xr.DataArray(
        np.arange(24.0).reshape(2, 3, 4),
        dims=("time", "y", "x"),
        coords={"time": np.array(["2001-01-01", "2001-01-02"], "M8[ns]")},
    )
    source = sources([Input("q", Records(values), "W m-2")], grid)[0]
    np.testing.assert_array_equal(source.read(1)["q"], values[1])
    with pytest.raises(
        ValueError,
        match=(
            r"data for q has shape \(3, 3\) and no latitude and longitude; the grid takes \(3, 4\)"
        ),
    ):
        sources([Input("q", Records(values[:, :, :3]), "W m-2")], grid)
    values[1, 2, 2] = np.nan
    with pytest.raises(ValueError, match=r"q: no value at \(j=2, i=2\); gaps"):
        source.read(1)


def test_errors(tmp_path):
    path = tmp_path / "t.nc"
    xr.Dataset(
        {
            "t2m": daily(),
            "d2m": daily(standard_name="dew_point_temperature"),
            "u": daily(units="florin"),
            "v": daily(units=""),
        }
    ).to_netcdf(path)
    with pytest.raises(
        ValueError,
        match=(
            r"has no variable for precipitation_flux \(t2m, d2m, u, v\); wanted: precipitation_flux"
            r" or pr, or say which"
        ),
    ):
        Input("precipitation_flux", Records(path), "kg m-2 s-1", ("precipitation_flux", "pr"))
    with pytest.raises(
        ValueError, match=r"has several variables for air_temperature \(t2m, u, v\)"
    ):
        Input("air_temperature", Records(path), "degC")
    with pytest.raises(ValueError, match="unknown variable 'd2n'; did you mean 'd2m'"):
        Input("air_temperature", Records(path, "d2n"), "degC")
    with pytest.raises(
        ValueError, match="u for x in 'm s-1': 'florin' is not a unit that is known here"
    ):
        Input("x", Records(path, "u"), "m s-1")
    with pytest.raises(
        ValueError, match="v for x in 'm s-1': they have no units; say which, as in"
    ):
        Input("x", Records(path, "v"), "m s-1")
    assert Input("x", Records(path, "v", units="cm/s"), "m s-1").factor == pytest.approx(0.01)
    with pytest.raises(FileNotFoundError, match="u.nc does not exist; did you mean 't.nc'"):
        Input("x", Records(tmp_path / "u.nc"), "m s-1")
    with pytest.raises(FileNotFoundError, match="there is no file that ends in"):
        Records(str(tmp_path / "*.zarr")).variables
    with pytest.raises(ValueError, match="gaps = 'none'; allowed: 'land', 'fill'"):
        Records(path, gaps="none")
    with pytest.raises(ValueError, match="3.0 is no source of records; allowed: a file"):
        Records(3.0)
    content = path.read_bytes()
    (tmp_path / "cut.nc").write_bytes(content[: len(content) // 2])
    with pytest.raises(OSError, match="cut.nc cannot be opened as NetCDF: damaged, truncated"):
        Records(tmp_path / "cut.nc").variables
    fields([1.0, 2.0], time=[1.0, 2.0]).to_dataset(name="q").to_netcdf(tmp_path / "undated.nc")
    with pytest.raises(
        ValueError, match="undated.nc: q: its dimension time has no dates; CF: units = 'days since"
    ):
        Records(tmp_path / "undated.nc").variables
    daily().to_dataset(name="t2m").to_netcdf(tmp_path / "again.nc")
    with pytest.raises(
        ValueError,
        match="of t2m its times do not increase: 2001-03-01 00:00 comes after 2001-03-03 00:00",
    ):
        Records([path, tmp_path / "again.nc"]).variables
