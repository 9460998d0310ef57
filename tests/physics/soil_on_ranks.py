"""A small world of soil (or of the scheme of land that is named), lakes, sea and ice: prints on
rank 0 a checksum, that of the same run with a restart in the middle, and how its ground changed.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.base import mpi

soil = [f"soil_{what}_{k}" for what in ("temperature", "water") for k in (1, 2, 3, 4)]
ground = [*soil, "ground_temperature", "snow_amount", "lake_ice_amount", "sea_ice_fraction"]
tiles = ["plant_departure", "bare_ground_departure", "ice_departure", "snow_departure_1"]
tiles += ["canopy_water", "snow_on_ice", "snow_albedo", "snow_departure_3"]


def world(land):
    physics = fm.BasicPhysics(land=land, lake="MixedLake", radiation_every="3h", drag=None)
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels(8))
    model = fm.SpectralAtmosphere(grid, physics=physics, precision="fp32")
    warmth = lambda lon, lat: 255 + 45 * np.cos(np.deg2rad(lat)) ** 2
    wave = lambda lon, lat: np.sin(np.deg2rad(2 * lon + lat))
    model.set(
        air_temperature=lambda lon, lat, p: np.maximum(warmth(lon, lat) * (p / 1e5) ** 0.19, 205),
        specific_humidity=lambda lon, lat, p: 0.012 * np.cos(np.deg2rad(lat)) ** 4 * (p / 1e5) ** 3,
        land_fraction=lambda lon, lat: np.clip(wave(lon, lat) + 0.5, 0, 1),
        lake_depth=lambda lon, lat: np.where(wave(lon, lat) > 0, 3.0, 0.0),
        sea_surface_temperature=lambda lon, lat: np.maximum(warmth(lon, lat), 273.2),
        sea_ice_fraction=lambda lon, lat: np.where(np.abs(lat) > 70, 0.5, 0.0),
        ground_temperature=warmth,
        snow_amount=lambda lon, lat: np.where(lat > 50, 20.0, 0.0),
        vegetation_fraction=lambda lon, lat: np.cos(np.deg2rad(lat)) ** 2,
        **{f"soil_temperature_{k}": warmth for k in (1, 2, 3, 4)},
    )
    directory = mpi.MPI.COMM_WORLD.bcast(tempfile.mkdtemp() if mpi.is_root else None)
    return fm.Simulation(model, time_step="1h", start="2000-12-21", directory=directory)


def main():
    land = sys.argv[1] if len(sys.argv) > 1 else "SoilLayers"
    sim = world(land).prepare()
    kept = ground + tiles * (land == "TiledLand")
    start = {name: np.array(sim.gather(name), float) for name in kept}
    sim.advance(12)
    file = sim.write_restart(Path(sim.directory) / "middle.fathom")
    sim.advance(12)
    change = {name: np.asarray(sim.gather(name), float) - start[name] for name in kept}
    result = {"checksum": sim.checksum()}
    if sim.comm.size == 1:
        again = world(land).restore(file).prepare()
        again.advance(12)
        result["again"] = again.checksum()
    if mpi.is_root:
        result["change"] = {name: float(np.abs(d).max()) for name, d in change.items()}
        print(json.dumps(result))


if __name__ == "__main__":
    main()
