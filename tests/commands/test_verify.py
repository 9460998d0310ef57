"""`fathom verify`: scores of a store against analyses on other points."""

import json

import numpy as np
import pytest
import xarray as xr

import box


def made(step, hours, bias=0.0, name="zg", units="m", growth=0.0):
    """Heights of a wave on a regular grid, whose phase error grows."""
    longitude, latitude = np.arange(0, 360, step), np.arange(-90 + step / 2, 90, step)
    times = np.datetime64("2024-06-03", "ns") + np.array(hours) * np.timedelta64(1, "h")
    x, y = np.deg2rad(np.meshgrid(longitude, latitude))
    wave = [5500 + 100 * np.cos(y) ** 2 * np.cos(3 * x + growth * hour) + bias for hour in hours]
    return xr.Dataset(
        {name: (("time", "pressure", "latitude", "longitude"), np.array(wave)[:, None],
                {"units": units, "standard_name": "geopotential_height"})},
        {
            "time": times,
            "pressure": ("pressure", [500.0], {"units": "hPa"}),
            "latitude": ("latitude", latitude, {"units": "degrees_north"}),
            "longitude": ("longitude", longitude, {"units": "degrees_east"}),
        },
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    made(3.0, [0, 6, 12], bias=2.0, growth=0.05).to_netcdf(tmp_path / "forecast.nc")
    made(5.0, [0, 6, 12, 18]).to_netcdf(tmp_path / "analyses.nc")
    made(5.0, [48]).to_netcdf(tmp_path / "later.nc")
    made(5.0, [0], name="hurs", units="%").to_netcdf(tmp_path / "other.nc")
    return tmp_path


def test_scores_on_the_points_of_the_analyses(folder):
    words = ("verify", "forecast.nc", "analyses.nc", "--json", "s.json", "--picture", "s.png")
    status, out, err = box.fathom(*words, folder=folder)
    assert (status, err) == (0, "") and "geopotential_height" in out
    rows = json.loads((folder / "s.json").read_text())
    assert [row["time"][-5:] for row in rows] == ["00:00", "06:00", "12:00"]
    assert all(row["level"] == 500 and row["bias"] == pytest.approx(2, abs=0.02) for row in rows)
    # <cos^4> over the sphere is 8/15; the waves differ by 2 sin(half of the phase)
    for row, hour in zip(rows, (0, 6, 12)):
        wave = 100 * np.sqrt(8 / 15 / 2) * 2 * np.sin(0.05 * hour / 2)
        assert row["rms"] == pytest.approx(np.hypot(wave, 2), rel=0.02, abs=0.3)
        assert row["correlation"] == pytest.approx(np.cos(0.05 * hour), abs=0.01)
    assert (folder / "s.png").stat().st_size > 10_000


def test_a_region_of_it(folder):
    words = ("verify", "forecast.nc", "analyses.nc", "zg", "--region=350,30,30,60")
    assert box.fathom(*words, folder=folder)[0] == 0


@pytest.mark.parametrize(
    "words, told",
    [
        (("forecast.nc", "later.nc"), "no date in common"),
        (("forecast.nc", "other.nc"), "no variable in common"),
        (("forecast.nc", "analyses.nc", "geopotential_heigt"), "did you mean"),
        (("forecast.nc", "none.nc"), "does not exist"),
        (("forecast.nc", "none.parquet"), "none.parquet"),
        (("forecast.nc", "analyses.nc", "--region=1,2"), "must be 4 numbers"),
    ],
)
def test_what_cannot_be_verified(folder, words, told):
    status, _, err = box.fathom("verify", *words, folder=folder)
    assert status in (1, 2) and told in err and err.count("\n") == 1
