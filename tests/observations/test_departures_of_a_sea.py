"""Departures inside a run of the ocean, from a table of an experiment, and off line."""

import numpy as np
import pytest

import box
from fathom.assimilation.observations import base, stores
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.netcdf import depth_of, pressure_at
from fathom.assimilation.observations.operators import potential_temperature
from fathom.run.experiment.experiment import Experiment

text = """
[grid]
type = "TripolarGrid"
resolution = "3deg"
levels = { type = "ZLevels", nz = 10, depth = 4000 }
[model]
type = "Ocean"
[state]
temperature = "20 * exp(-depth / 1000)"
salinity = 35
[simulation]
start = "2018-11-20"
time_step = "30min"
run = "2h"
[output."columns.zarr"]
variables = ["temperature", "salinity", "sea_surface_height"]
every = "1h"
dtype = "float64"
[observations]
base = "BASE"
every = "1h"
"""
noon = 1542672000
variables = ("sea_water_temperature", "sea_water_salinity", "sea_surface_height_above_geoid")


def seen_by_ships():
    n = 60
    place = {"longitude": -30.0 + np.arange(n) % 7, "latitude": -20 + 0.7 * np.arange(n)}
    which = np.arange(n) % 3
    made = Observations(
        report=np.arange(n), kind=np.where(which < 2, "argo", "altimeter"),
        station=[f"{k:03d}" for k in range(n)], time=noon + 120 * np.arange(n), **place,
        depth=np.where(which < 2, 40.0 * np.arange(n) % 1500, np.nan),
        variable=np.array(variables)[which], value=np.choose(which, [15.0, 35.0, 0.5]),
    )  # fmt: skip
    made["longitude"][:2] = 20  # Africa
    return made


def test_departures_of_a_sea(tmp_path):
    base.write(seen_by_ships(), tmp_path / "ships.parquet")
    experiment = Experiment.read(_file(tmp_path, text.replace("BASE", f"{tmp_path}/ships.parquet")))
    experiment.simulation(tmp_path / "run").run("2h", report=False)
    assert "every" in experiment.resolved().split("[observations]")[1]
    made = base.read(tmp_path / "run/departures.parquet")
    d, dry = made["background_departure"], made["report"] < 2
    assert np.isnan(d[dry]).all() and np.isfinite(d[~dry]).all()
    assert (made["reason"][dry] == 8).all() and (made["reason"][~dry] == 0).all()
    assert set(made["slot"]) == {0, 1}
    T, S, height = (made.variable_is(name) & ~dry for name in variables)
    depth = made["depth"][T]
    potential = potential_temperature(35.0, 15.0, pressure_at(depth, made["latitude"][T]))
    deep = depth > 100
    assert d[T][deep] == pytest.approx((potential - 20 * np.exp(-depth / 1000))[deep], abs=0.4)
    assert np.abs(d[S]).max() < 1e-2 and d[height] == pytest.approx(0.5, abs=0.3)
    again = seen_by_ships().sorted()
    stores.compare(again, tmp_path / "run/columns.zarr")
    for name in ("background_departure", "slot", "reason"):
        np.testing.assert_array_equal(again[name], made[name])


def test_pressure_is_the_inverse_of_depth():
    depth, latitude = np.array([0.0, 10, 1500, 5500]), np.array([0.0, 30, -60, 90])
    assert depth_of(pressure_at(depth, latitude), latitude) == pytest.approx(depth, abs=1e-3)


def test_bad_tables(tmp_path):
    base.write(seen_by_ships(), tmp_path / "ships.parquet")
    good = f'[observations]\nbase = "{tmp_path}/ships.parquet"\nevery = "1h"\n'
    for old, new, said in (
        ("ships.parquet", "chips.parquet", "no such base of observations"),
        ("every", "evry", "did you mean 'every'"),
        ('"1h"', '"50min"', "not a whole number of steps"),
        ("every", 'path = "d.csv"\nevery', r"allowed is a name\.parquet"),
        ("[simulation]", '[simulation]\ncalendar = "noleap"', "dates of the standard calendar"),
    ):
        head = box.text.replace(old, new) if "[" in old else box.text
        wrong = head + good.replace(old, new)
        with pytest.raises((ValueError, FileNotFoundError), match=said):
            Experiment.read(_file(tmp_path, wrong)).simulation(tmp_path / "run")


def _file(folder, content):
    (folder / "x.toml").write_text(content)
    return folder / "x.toml"
