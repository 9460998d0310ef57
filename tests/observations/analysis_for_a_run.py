"""The surface of a small world with soil, analysed on these ranks and handed to its restart: the
digest of the new one, and what changed, from rank 0.
"""

import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.assimilation.cycle import surface_analysis as analysis
from fathom.assimilation.observations import base
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reports import with_errors
from fathom.base import mpi
from fathom.output.formats import restart

folder = Path(mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None))


def simulation():
    physics = fm.BasicPhysics(land="SoilLayers", radiation_every="3h", drag=None)
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels(8))
    model = fm.SpectralAtmosphere(grid, physics=physics, precision="fp64")
    warmth = lambda lon, lat: 270 + 35 * np.cos(np.deg2rad(lat)) ** 2
    model.set(
        air_temperature=lambda lon, lat, p: np.maximum(warmth(lon, lat) * (p / 1e5) ** 0.19, 205),
        land_fraction=lambda lon, lat: 1.0 * (lon < 180),
        sea_surface_temperature=lambda lon, lat: np.maximum(warmth(lon, lat), 273.2),
        ground_temperature=warmth,
        snow_amount=lambda lon, lat: np.where(lat > 65, 20.0, 0.0),
        **{f"soil_temperature_{k}": warmth for k in (1, 2, 3, 4)},
    )
    return fm.Simulation(
        model, time_step="1h", start="2018-06-20", directory=folder, overwrite=True
    )


simulation().run("1h", report=False)
n = 60
rng = np.random.default_rng(1)
variable = np.array(["air_temperature", "sea_water_temperature", "surface_snow_thickness"])
which = np.arange(n) % 3
made = with_errors(Observations(
    report=np.arange(n), kind=np.where(which == 1, "buoy", "synop"),
    station=[str(k) for k in range(n)],
    time=1529452800 + 3600 + rng.integers(-7200, 7200, n),
    longitude=np.where(which == 1, rng.uniform(-170, -10, n), rng.uniform(10, 170, n)),
    latitude=rng.uniform(52, 80, n), height=np.where(which == 1, 0, np.nan),
    variable=variable[which], value=np.choose(which, [285.0, 0.0, 0.0]),
    background_departure=np.choose(which, [3.0, 2.0, -1.0]),
))  # fmt: skip
dry = made.taken(which == 0)
dry["datum"], dry["variable"] = 1, base.codes("variable", np.array(["dew_point_temperature"]))
dry["value"], dry["background_departure"] = 275.0, -2.0
made["reason"][3], made["background_departure"][3] = 9, 100
if mpi.is_root:
    base.write(base.together([made, dry]), folder / "base.parquet")
mpi.world.barrier()
told = analysis.analyse(folder / "base.parquet", folder / "restart.fathom", folder / "new.fathom")
if mpi.is_root:
    digest = hashlib.sha256((folder / "new.fathom").read_bytes()).hexdigest()
    with restart.read(folder / "restart.fathom") as a, restart.read(folder / "new.fathom") as b:
        change = {name: b[name] - a[name] for name in a.names}
        land = a["land_fraction"][0] >= 0.5
    span = {name: [float(x.min()), float(x.max())] for name, x in change.items() if x.any()}
    at_sea = max(float(np.abs(change[k][0][~land]).max()) for k in span if k.startswith("soil"))
    a_layer = change["soil_water_2"][0]
    where = np.abs(change["sea_surface_temperature"][0][land]).max()
go_on = simulation().restore(folder / "new.fathom")
go_on.run("1h", report=False)
if mpi.is_root:
    print(json.dumps({"digest": digest, "told": told, "span": span, "soil_at_sea": at_sea,
                      "most_water": float(a_layer.max()),
                      "sea_on_land": float(where), "steps": go_on.count}))  # fmt: skip
