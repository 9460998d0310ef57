"""Small atmospheres for the tests, each in one process of an MPI run: python small_atmospheres.py
NAME [key=value ...] prints one JSON object on rank 0.
"""

import json
import sys
import tempfile

import numpy as np


def held_suarez(
    truncation=21,
    levels=8,
    physics=None,
    step="3600s",
    precision="fp64",
    mountain=0.0,
    blocks=None,
    distribution="auto",
    threads=1,
    rows="quadratic",
    reduced=False,
    tracers=(),
    tile=64,
    stretching=1.0,
    pole=(0.0, 90.0),
    synchronise=False,
    servers=0,
    **model,
):
    """The Held-Suarez atmosphere with waves in it from the start, over a mountain of that height
    [m].
    """
    import fathom as fm

    grid = fm.GaussianGrid(
        truncation,
        grid=rows,
        levels=fm.SigmaLevels(levels),
        reduced=reduced,
        stretching=stretching,
        pole=pole,
    )
    hill = lambda lon, lat: (
        9.80616 * mountain * np.exp(-(((lon - 90) / 20) ** 2 + ((lat - 40) / 15) ** 2))
    )
    atmosphere = fm.SpectralAtmosphere(
        grid,
        physics=[fm.HeldSuarez()] if physics is None else physics,
        orography=hill,
        precision=precision,
        tracers=tracers,
        **model,
    )
    atmosphere.set(
        air_temperature=lambda lon, lat, p: (
            270
            + 25 * np.cos(2 * np.deg2rad(lat))
            + 2 * np.sin(np.deg2rad(3 * lon)) * np.cos(np.deg2rad(lat)) ** 3
        ),
        eastward_wind=lambda lon, lat, p: 25 * np.sin(2 * np.deg2rad(lat)) ** 2 * (1 - p / 1e5),
        northward_wind=lambda lon, lat, p: (
            3 * np.cos(np.deg2rad(lat)) ** 2 * np.sin(np.deg2rad(4 * lon))
        ),
        **{
            t: lambda lon, lat, p: np.exp(-(((lon - 180) / 30) ** 2 + (lat / 20) ** 2))
            for t in tracers
        },
    )
    parallel = {
        "blocks": blocks,
        "distribution": distribution,
        "threads": threads,
        "tile": tile,
        "synchronise": synchronise,
        "io_servers": servers,
    }
    return fm.Simulation(
        atmosphere, time_step=step, parallel=parallel, directory=tempfile.gettempdir()
    )


def bits(steps=4, **options):
    """Checksum after some steps, and what is conserved."""
    from fathom.base import regions

    sim = held_suarez(**options).prepare()
    mass = lambda: sim.fields.extremes("log_pressure_ratio")["mean"]
    before = mass()
    regions.begin(sim.comm)
    sim.advance(steps)
    from fathom.base.mpi import core

    points, plans = sim.find(core.SpectralProcess).halo
    synchronising = sum(
        region["elapsed"] for region in regions.mine() if region["region"] == "synchronising"
    )
    return {
        "checksum": sim.checksum(),
        "received": points,
        "plans": plans,
        "speed": sim.model.watch(sim)[0]["maximum_wind"][0],
        "drift": mass() - before,
        "synchronising": synchronising,
    }


def geometries():
    """Checksums of a state in other geometries."""
    a = held_suarez(levels=6, physics=[], mountain=1500, tracers=["specific_humidity"]).prepare()
    b = [
        held_suarez(31, 8, physics=[], mountain=900, tracers=["specific_humidity"], **sphere)
        for sphere in ({}, {"stretching": 2.0, "pole": (10.0, 45.0)})
    ]
    for simulation in b:
        vars(simulation.model)["initial"] = {}
        simulation.model.set(analysis=a)
    return [simulation.prepare().checksum() for simulation in b]


def main(offered=None):
    """offered: name -> function; those here by default."""
    name, *arguments = sys.argv[1:]
    options = {k: json.loads(v) for k, v in (a.split("=", 1) for a in arguments)}
    result = (offered or globals())[name](**options)
    from fathom.base import mpi

    if mpi.is_root:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
