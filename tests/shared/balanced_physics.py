"""A small aquaplanet whose physics is shared among ranks, in one process of an MPI run."""

import json
import sys
import tempfile

import numpy as np

import fathom as fm


def simulation(
    radiation="Radiation",
    precision="fp64",
    balance=(),
    threads=1,
    distribution="square",
    carrier="messages",
    device=None,
):
    """With waves and all kinds of water, in summer, so that columns differ."""
    physics = fm.BasicPhysics(
        radiation=radiation,
        radiation_every="80min",
        condensation="GraupelMicrophysics",
        clouds="PrognosticCloud",
        drag=None,
    )
    model = fm.SpectralAtmosphere(
        fm.GaussianGrid(10, levels=fm.HybridLevels(8)), physics=physics, precision=precision
    )
    wave = lambda lon, lat: 3 * np.sin(np.deg2rad(3 * lon)) * np.cos(np.deg2rad(lat))
    model.set(
        sea_surface_temperature=lambda lon, lat: 273.15 + 27 * np.cos(np.deg2rad(lat)) ** 2,
        air_temperature=lambda lon, lat, p: np.maximum(
            (250 + 47 * np.cos(np.deg2rad(lat)) ** 2 + wave(lon, lat)) * (p / 1e5) ** 0.19, 205
        ),
        specific_humidity=lambda lon, lat, p: 0.014 * np.cos(np.deg2rad(lat)) ** 4 * (p / 1e5) ** 3,
    )
    return fm.Simulation(
        model,
        time_step="40min",
        start="2000-06-21",
        directory=tempfile.mkdtemp(),
        parallel={
            "balance": list(balance),
            "threads": threads,
            "distribution": distribution,
            "carrier": carrier,
            "device": device,
        },
    )


def bits(
    radiation="Radiation",
    precision="fp64",
    balance=False,
    threads=1,
    carrier="messages",
    device=None,
):
    names = [radiation, "BettsMiller", "GraupelMicrophysics"] if balance else []
    sim = simulation(radiation, precision, names, threads, carrier=carrier, device=device)
    sim.prepare().advance(7)
    shared = sim.balanced[radiation] if balance else None
    return {
        "checksum": sim.checksum(),
        "device": dict(sim.describe()[1])["device"] if device else [],
        "balanced": sorted(sim.balanced),
        "travelled": sim.comm.allreduce(shared.travelled if shared else 0),
        "expected": sim.comm.gather(shared.expected if shared else 0),
        "sent": sim.comm.gather(shared.sent if shared else []),
    }


def transfer(way, size=1 << 22, idle=0.5):
    """Of a transfer from rank 0 to rank 1 and back: seconds of rank 1 until it has the columns and
    until its results are back; of rank 0 in its calls and outside them."""
    from fathom.base import mpi

    mpi.core.time_carrier(mpi.world.handle, way, size, 0.01)  # the first one is slow
    fetched, returned, gave, idle = mpi.core.time_carrier(mpi.world.handle, way, size, idle)
    return mpi.world.gather({"fetched": fetched, "returned": returned, "gave": gave, "idle": idle})


def main():
    name, *arguments = sys.argv[1:]
    options = {k: json.loads(v) for k, v in (a.split("=", 1) for a in arguments)}
    result = globals()[name](**options)
    from fathom.base import mpi

    if mpi.is_root:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
