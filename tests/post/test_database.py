"""`fathom database`: what a store becomes is what the run would have written, on any ranks."""

import json

import numpy as np
import pytest
import xarray as xr

import box
from fathom import output
from small_atmospheres import held_suarez

columns = ["air_temperature", "eastward_wind", "surface_air_pressure", "surface_geopotential"]
wanted = [850, 300]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("database")
    simulation = held_suarez(15, 8, step="1200s", mountain=1000)
    simulation.directory = folder
    simulation.output("model.zarr", columns, every="20m", dtype="float64")
    direct = ["air_temperature", "geopotential_height", "surface_air_pressure"]
    simulation.output("direct.zarr", direct, every="20m", levels=wanted, latlon_resolution=5)
    simulation.output("own.zarr", ["air_temperature"], every="20m", latlon_resolution=5)
    part = {"latlon_resolution": 5, "area": [10, 60, 20, 70]}
    simulation.output("part.zarr", ["air_temperature"], every="20m", **part)
    simulation.output("bare.zarr", ["air_temperature"], every="20m")
    simulation.run("1h", report=False)
    axes = {"time": [np.datetime64("2000-01-01", "ns")], "y": [0.0, 1e3], "x": [0.0, 1e3]}
    xr.Dataset({"zos": (tuple(axes), np.zeros((1, 2, 2)))}, axes).to_netcdf(folder / "sea.nc")
    return folder


def database(folder, *arguments):
    return box.fathom("database", *arguments, "--regular", 5, folder=folder)


def bytes_of(store):
    return {str(f.relative_to(store)): f.read_bytes() for f in store.rglob("*") if f.is_file()}


def test_off_line_is_in_line_on_any_ranks(folder):
    for ranks in (1, 2):
        more = ("--levels", "850,300", "--ranks", ranks, "--json", f"{ranks}.json")
        status, _, errors = database(folder, "model.zarr", f"on-{ranks}.zarr", *more)
        assert status == 0, errors
        told = json.loads((folder / f"{ranks}.json").read_text())
        assert len(told["parts"]) == ranks and told["times"] == 4
    assert bytes_of(folder / "on-1.zarr") == bytes_of(folder / "on-2.zarr")
    made, direct = output.open(folder / "on-2.zarr"), output.open(folder / "direct.zarr")
    assert np.array_equal(made.time, direct.time)
    assert made.pressure.values.tolist() == wanted
    for name in ("ta", "zg", "ps"):
        assert np.array_equal(made[name], direct[name])
    assert np.isfinite(made.ua).all()


def test_of_a_part_of_the_earth(folder):
    """Of a store on its own cells: the same there, nothing elsewhere."""
    status, _, errors = database(folder, "part.zarr", "again.zarr")
    assert status == 0, errors
    part, made = output.open(folder / "part.zarr").ta, output.open(folder / "again.zarr").ta
    there = made.sel(latitude=part.latitude, longitude=part.longitude)
    assert np.allclose(there, part, rtol=1e-6)
    assert made.sel(longitude=slice(100, 300)).isnull().all()


def test_on_the_levels_of_the_store(folder):
    status, _, errors = database(folder, "bare.zarr", "layers.zarr")
    assert status == 0, errors
    made, own = output.open(folder / "layers.zarr"), output.open(folder / "own.zarr")
    assert np.allclose(made.ta, own.ta, rtol=1e-6) and np.allclose(made.b, own.b)


def test_of_levels_of_pressure(folder):
    status, _, errors = database(folder, "direct.zarr", "twice.zarr", "--regular", "5")
    assert status == 0, errors
    made, own = output.open(folder / "twice.zarr"), output.open(folder / "direct.zarr")
    assert np.allclose(made.ta, own.ta, rtol=1e-6) and (made.pressure == own.pressure).all()


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["bare.zarr", "no.zarr", "--levels", "850"], "surface_air_pressure"),
        (["bare.zarr", "no.nc"], "allowed: a .zarr"),
        (["bare.zarr", "no.zarr", "--levels", "850,low"], "'low' is no pressure"),
        (["bear.zarr", "no.zarr"], "did you mean 'bare.zarr'"),
        (["bare.zarr", "model.zarr"], "exists"),
        (["sea.nc", "no.zarr"], "the store is of a plane"),
    ],
)
def test_mistakes_are_said(folder, arguments, words):
    status, _, errors = database(folder, *arguments)
    assert status == 2 and words in errors and "Traceback" not in errors
