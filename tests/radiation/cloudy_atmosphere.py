"""A small moist atmosphere with clouds under RRTMGP: prints a checksum and fluxes on rank 0."""

import json
import sys
import tempfile

import numpy as np

import fathom as fm
from fathom.base import mpi


def main(precision="fp64", spacing="none", balance="none", truncation=10, steps=4, device="none"):
    grid = fm.GaussianGrid(int(truncation), levels=fm.SigmaLevels(8))
    spacing = None if spacing == "none" else int(spacing)
    physics = fm.BasicPhysics(radiation="RRTMGP", radiation_every="2h", radiation_spacing=spacing)
    model = fm.SpectralAtmosphere(grid, physics=physics, precision=precision)
    model.set(
        air_temperature=lambda lon, lat, p: 285 * (p / 1e5) ** 0.15 + 5 * np.cos(np.deg2rad(lon)),
        specific_humidity=lambda lon, lat, p: 9e-3 * (p / 1e5) ** 3,
    )
    start = "2000-01-01" if truncation == 10 else "2000-06-21"
    how = {} if balance == "none" else {"balance": ["RRTMGP"], "distribution": "square"}
    how |= {} if device == "none" else {"device": device}
    sim = fm.Simulation(
        model, time_step="1h", start=start, directory=tempfile.gettempdir(), parallel=how
    ).prepare()
    sim.advance(int(steps))
    fluxes = {
        name: np.asarray(sim.gather(name), float)
        for name in ("outgoing_longwave", "toa_net_shortwave", "surface_downward_longwave")
    }
    shared = sim.balanced.get("RRTMGP")
    away = sim.comm.allreduce(shared.travelled if shared else 0)
    result = {"checksum": sim.checksum(), "travelled": away}
    if mpi.is_root:
        result |= {name: [f.mean(), f.min(), f.max()] for name, f in fluxes.items()}
        print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
