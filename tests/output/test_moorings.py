"""Moorings: columns at places in time, as CF timeSeriesProfile; their values are those of the model
there.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from fathom import output


def sea(tmp_path, **parallel):
    grid = fm.LatitudeLongitudeGrid(
        nx=24,
        ny=16,
        latitude=(-40, 40),
        levels=fm.ZLevels(nz=8, depth=2000),
        bathymetry=lambda x, y: np.where(
            (np.abs(x - 90) < 15), 0.0, 1400 + 500 * np.cos(np.deg2rad(4 * x))
        ),
    )
    ocean = fm.Ocean(grid, physics="simple").set(
        temperature=lambda x, y, z: 0.1 * y + 20 - z / 100, salinity=35.0
    )
    return fm.Simulation(
        ocean,
        "1h",
        surface=fm.SurfaceForcing(stress_x=lambda x, y: 0.1 * np.cos(np.deg2rad(3 * y))),
        directory=tmp_path,
        overwrite=True,
        parallel=parallel,
    )


places = {"K1": [-170.0, 12.3], "across zero": [1.0, -20.0], "east": [202.5, 2.5]}
wanted = ["temperature", "eastward_velocity", "sea_surface_height"]


def test_a_mooring_is_a_column_of_the_model(tmp_path):
    sim = sea(tmp_path)
    sim.output("moorings.nc", wanted, every="1h", dtype="float64", moorings=places)
    sim.output(
        "means.zarr",
        wanted,
        every="3h",
        statistic="mean",
        dtype="float64",
        moorings=[[200.0, 10.0]],
    )
    sim.output(
        "section.zarr", wanted, every="1h", dtype="float64", section=[[190.0, 12.3], [195.0, 12.3]]
    )
    sim.output(
        "along.zarr",
        wanted,
        every="3h",
        statistic="mean",
        dtype="float64",
        section=[[200.0, 10.0], [205.0, 10.0]],
    )
    sim.run("6h", report=False)
    data = output.open(tmp_path / "moorings.nc")
    assert (
        data.attrs["featureType"] == "timeSeriesProfile"
        and data.station.values.tolist() == ["K1", "across_zero", "east"]
        and data.sizes["time"] == 7
    )
    assert (
        data.thetao.dims == ("time", "depth", "station")
        and data.zos.dims == ("time", "station")
        and "longitude" in data.thetao.coords
    )
    np.testing.assert_allclose(
        data.thetao.sel(station="K1")[0, :3], 1.23 + 20 - data.depth[:3] / 100, atol=0.01
    )  # linear in latitude; the sides of these wide cells are great circles
    along = output.open(tmp_path / "section.zarr")
    for name in ("thetao", "uo", "zos"):
        np.testing.assert_array_equal(
            data[name].sel(station="K1").values, along[name].values[..., 0, 0], err_msg=name
        )  # a section's first point
    mean, along = output.open(tmp_path / "means.zarr"), output.open(tmp_path / "along.zarr")
    for name in ("thetao", "uo", "zos"):
        np.testing.assert_array_equal(
            mean[name].values[..., 0], along[name].values[..., 0, 0], err_msg=name
        )
    assert (
        mean.sizes["time"] == 2 and "time_bounds" in mean and mean.station.values.tolist() == ["m1"]
    )


def moored(path, hours, servers=0):
    sea(path, io_servers=servers).output(
        "moorings.nc", wanted, every="1h", dtype="float64", moorings=places
    ).run(f"{hours}h", report=False)


def test_the_same_numbers_on_any_ranks_and_servers_and_when_continued(on_ranks, tmp_path):
    moored(tmp_path / "1", 4)
    on_ranks(3, __file__, tmp_path / "served", 1)
    moored(tmp_path / "half", 2)
    rest = sea(tmp_path / "half").restore(tmp_path / "half" / "restart.fathom")
    rest.output("moorings.nc", wanted, every="1h", dtype="float64", moorings=places).run(
        "2h", report=False
    )
    one, *others = (
        output.open(tmp_path / name / "moorings.nc").load() for name in ("1", "served", "half")
    )
    for other in others:
        for name in ("thetao", "uo", "zos", "time"):
            np.testing.assert_array_equal(one[name].values, other[name].values, err_msg=name)


def test_errors_of_moorings(tmp_path):
    with pytest.raises(ValueError, match="on the grid's land; the nearest water is at"):
        sea(tmp_path).output("a.nc", "temperature", moorings={"dry": [90, 0]}).run(
            "1h", report=False
        )
    for keywords, words in (
        ({"moorings": [[0, 0, 0]]}, "give name = "),
        ({"moorings": [[0, 91]]}, "give name = "),
        ({"moorings": [0, 0], "latlon_resolution": 1}, "two places"),
    ):
        with pytest.raises(ValueError, match=words):
            sea(tmp_path).output("a.nc", "temperature", **keywords)


if __name__ == "__main__":
    moored(Path(sys.argv[1]), 4, int(sys.argv[2]))
    from fathom.base import mpi

    if mpi.is_root:
        print("{}")
