"""Departures of made observations inside six hours of a small atmosphere on these ranks: their
digest, and how far they are from what is known, from rank 0.
"""

import hashlib
import json
import tempfile

import numpy as np

import fathom as fm
from fathom import mpi
from fathom.observations.base import Observations
from fathom.run import departures

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

grid = fm.GaussianGrid(21, levels=fm.SigmaLevels(8))
model = fm.SpectralAtmosphere(grid, physics=[fm.HeldSuarez()], precision="fp64")
model.set(
    air_temperature=lambda lon, lat, p: 285 + 20 * np.log(p / 1e5),
    eastward_wind=lambda lon, lat, p: 20 * np.cos(np.deg2rad(lat)),
    northward_wind=lambda lon, lat, p: 0 * lon,
)
folder = mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None)
simulation = fm.Simulation(
    model, step="1800s", start="2018-11-20", directory=folder, overwrite=True
)
seen = departures.observe(simulation, made, "1h")
simulation.run("3h")
if mpi.is_root:
    found = seen.observations
    d = found["background_departure"]
    there = np.isfinite(d)
    T = there & found.variable_is("air_temperature") & (found["slot"] == 0)
    u = there & found.variable_is("eastward_wind") & (found["slot"] == 0)
    error = {
        "T": np.abs(-d[T] - 285 - 20 * np.log(found["pressure"][T] / 1e5)).max(),
        "u": np.abs(-d[u] - 20 * np.cos(np.deg2rad(found["latitude"][u]))).max(),
        "p": np.abs(d[there & found.variable_is("surface_air_pressure")] / 1e5 + 1).max(),
    }
    inside = (found["time"] >= start) & (found["time"] < start + 3 * 3600)
    digest = hashlib.sha256(d.tobytes() + found["slot"].tobytes()).hexdigest()
    print(json.dumps({
        "digest": digest, "counts": seen.counts, "inside": int(inside.sum()),
        "exactly": bool((there == inside).all()), "error": error,
    }))  # fmt: skip
