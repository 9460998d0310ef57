"""Air over the climatology, or over a slab, for a day: sums of bits. kind, way, directory."""

import sys
from pathlib import Path

import numpy as np

import fathom as fm


def run(kind, way, directory):
    """Returns the checksum of the air, and sums of the sea."""
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels(5))
    model = fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics()).set(
        sea_surface_temperature=285.0, land_fraction=0.3
    )
    flux = np.cos(np.deg2rad(np.asarray(grid.coordinates()[0]))) * 30
    surface = fm.GivenSea() if kind == "given" else fm.SlabOcean(5.0, q_flux=flux)
    folder = Path(directory) / kind

    def new():
        return fm.Simulation(
            model, "1h", start="2000-02-15", surface=surface, directory=folder, overwrite=True
        )

    sim = new()
    sim.advance(24 if way == "whole" else 7)
    if way == "restarted":
        sim.write_restart(folder / "now.fathom")
        sim = new().restore(folder / "now.fathom")
        sim.advance(17)
    names = (
        "sea_surface_temperature",
        "sea_ice_fraction",
        "ground_temperature",
        "virtual_temperature",
    )
    fields = [sim.gather(name) for name in names]
    return [float(np.sum(f)).hex() for f in fields] if sim.is_root else None


if __name__ == "__main__":
    import json

    found = run(*sys.argv[1:])
    if found is not None:
        print(json.dumps(found))
