"""Departures of made observations inside three hours of a small atmosphere on these ranks, and off
line from its store: the digest of the file, and how far values are from what is known, from rank 0.

    departures_in_a_run.py [stop]     after an hour or two, at a restart, in a new simulation
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.assimilation.observations import base, stores
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.variables import kinds, names
from fathom.base import mpi

rng = np.random.default_rng(3)
count = 300
start = 1542672000  # 2018-11-20
kind = np.where(np.arange(count) % 3 < 2, "temp", "synop")
variable = np.array(["air_temperature", "eastward_wind", "surface_air_pressure"])[
    np.arange(count) % 3
]
made = Observations(
    report=np.arange(count), datum=np.zeros(count), kind=kind,
    station=[f"{n:05d}" for n in range(count)],
    time=start + rng.integers(-600, 4 * 3600, count), longitude=rng.uniform(-180, 180, count),
    latitude=rng.uniform(-88, 88, count), height=np.where(kind == "synop", 0, np.nan),
    pressure=np.where(kind == "temp", rng.uniform(2e4, 9e4, count), np.nan), variable=variable,
    value=np.zeros(count),
)  # fmt: skip
seen_from_space = np.arange(count) % 10 == 9  # AMSU-A 5 to 9
made["kind"][seen_from_space] = kinds.index("radiance")
made["variable"][seen_from_space] = names.index("toa_brightness_temperature")
made["instrument"][seen_from_space], made["zenith"][seen_from_space] = 570, 30
made["channel"][seen_from_space] = 5 + np.arange(count)[seen_from_space] % 5
made["pressure"][seen_from_space] = np.nan
made["pressure"][0], made["pressure"][1], made["height"][2] = 1.2e5, 100, 900
made["time"][:3] = start + 1800

folder = Path(mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None))


def simulation(restart=None):
    grid = fm.GaussianGrid(21, levels=fm.SigmaLevels(8))
    model = fm.SpectralAtmosphere(grid, physics=[fm.HeldSuarez()], precision="fp64")
    model.set(
        air_temperature=lambda lon, lat, p: 285 + 20 * np.log(p / 1e5),
        eastward_wind=lambda lon, lat, p: 20 * np.cos(np.deg2rad(lat)),
        northward_wind=lambda lon, lat, p: 0 * lon,
    )
    sim = fm.Simulation(
        model, time_step="1800s", start="2018-11-20", directory=folder, overwrite=True
    )
    columns = ["air_temperature", "surface_air_pressure", "surface_geopotential", "eastward_wind",
               "northward_wind"]  # fmt: skip
    sim.output("columns.zarr", columns, every="1h", dtype="float64")
    sim.observe(made if mpi.is_root else Observations(value=[]), every="1h")
    return sim if restart is None else sim.restore(restart)


if "stop" in sys.argv:
    simulation().run("1h", report=False)
    simulation(folder / "restart.fathom").run("2h", report=False)
else:
    simulation().run("3h", report=False)

if mpi.is_root:
    found = base.read(folder / "departures.parquet")
    d = found["background_departure"]
    there = np.isfinite(d)
    first = there & (found["slot"] == 0)
    T, u = (first & found.variable_is(name) for name in ("air_temperature", "eastward_wind"))
    error = {
        "T": np.abs(-d[T] - 285 - 20 * np.log(found["pressure"][T] / 1e5)).max(),
        "u": np.abs(-d[u] - 20 * np.cos(np.deg2rad(found["latitude"][u]))).max(),
        "p": np.abs(d[there & found.variable_is("surface_air_pressure")] / 1e5 + 1).max(),
    }
    inside = (found["time"] >= start) & (found["time"] < start + 3 * 3600)
    bad = np.isin(found["report"], (0, 1, 2))
    offline = made.sorted()
    lines = stores.compare(offline, folder / "columns.zarr")
    columns = ("background_departure", "slot", "reason")
    seen = -d[there & found.kind_is("radiance")]
    climate = made.sorted()
    stores.climate(climate, folder / "columns.zarr")
    some = np.isfinite(climate["background_departure"]) & np.isfinite(d)
    apart = np.abs(climate["background_departure"] - d)[some & climate.kind_is("temp")]
    print(json.dumps({
        "digest": hashlib.sha256((folder / "departures.parquet").read_bytes()).hexdigest(),
        "inside": int(inside.sum()), "exactly": bool((there == inside & ~bad).all()),
        "reasons": found["reason"][bad][np.argsort(found["report"][bad])].tolist(),
        "error": error, "slots": np.unique(found["slot"]).tolist(), "lines": len(lines),
        "offline": all(np.array_equal(offline[n], found[n], equal_nan=True) for n in columns),
        "brightness": [seen.min(), seen.max(), len(seen)],
        "climate": [float(np.median(apart)), int(np.sum(np.isfinite(climate["background_error"])))],
    }))  # fmt: skip
