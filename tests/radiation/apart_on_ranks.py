"""A small moist atmosphere with RRTMGP on separate ranks, in pieces with a restart between or in
one: prints a checksum and what the columns see on rank 0.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.base import mpi
from fathom.model import device


def simulation(directory, precision, helpers, there="none", servers=0):
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(8))
    physics = fm.BasicPhysics(radiation="RRTMGP", radiation_every="2h", drag=None)
    model = fm.SpectralAtmosphere(grid, physics=physics, precision=precision)
    model.set(
        air_temperature=lambda lon, lat, p: 285 * (p / 1e5) ** 0.15 + 5 * np.cos(np.deg2rad(lon)),
        specific_humidity=lambda lon, lat, p: 9e-3 * (p / 1e5) ** 3,
    )
    how = {"device": None if there == "none" else there}
    how |= {"radiation_ranks": helpers} if helpers else {}
    how |= {"io_servers": servers} if servers else {}
    return fm.Simulation(model, time_step="1h", directory=directory, parallel=how, overwrite=True)


def refused(act):
    """What a call says that is refused on all ranks."""
    try:
        act()
    except ValueError as error:
        return str(error)
    return "nothing"


def outside(directory, precision):
    """Steps that are not those of a run."""
    one, other = (simulation(directory / name, precision, 1) for name in ("a", "b"))
    told = {"advance": refused(lambda: one.advance(1))}
    vars(other.model)["filter_span"] = 4 * 3600.0
    told["filter"] = refused(lambda: other.run("1h", report=False))
    if mpi.world.rank == 0:
        print(json.dumps(told))


def failing(directory, precision):
    """An error of one rank, within a run."""
    sim = simulation(directory, precision, 1)

    def fail(_):
        if mpi.world.rank == 1:
            raise RuntimeError("no more")

    sim.call(fail, every="2h")
    sim.run("4h", progress=False, report=False)


def on_device(sim, before):
    """What the processor computes, bytes that were copied since they were so many, and those of the
    columns of a call.
    """
    scheme = next(scheme for scheme in sim.model.physics if scheme.name == "RRTMGP")
    levels = {f["name"]: f["levels"] for f in sim.fields.fields}
    numbers = sum(levels.get(name, 0) for name in scheme.field_names)
    rows = len(sim.model.grid.latitude)
    columns = rows * 2 * rows * numbers * sim.bytes_of_number
    copied = device.open(sim.parallel["device"]).travelled - before
    left = dict(sim.describe()[1])["device"]
    return {"device": left, "travelled": copied, "columns": columns}


def main(precision="fp64", helpers="1", pieces="10", *devices):
    directory = Path(mpi.world.bcast(tempfile.mkdtemp()))
    if act := {"advance": outside, "failing": failing}.get(pieces):
        act(directory, precision)
        return
    file = None
    names = [name for name in devices if name not in ("none", "served")]
    before = device.open(names[-1]).travelled if names else 0  # by scripts before, on these ranks
    for n, hours in enumerate(pieces.split("+")):
        there = devices[n] if n < len(devices) else "none"
        servers = int("served" in devices)  # ranks that write output
        sim = simulation(directory / str(n), precision, int(helpers), there, servers)
        if there == "none":
            sim.output("t.nc", ["air_temperature"], every="1h")
        if file is not None:
            sim.restore(file)
        sim.trace_events = 10000
        sim.run(f"{hours}h", report=False)
        file = directory / str(n) / "restart.fathom"
    if not sim.serves:
        result = {"checksum": sim.checksum()}
        result |= on_device(sim, before) if sim.parallel["device"] else {"device": []}
        flux = sim.gather("outgoing_longwave")
        if sim.is_root:
            if sim.outputs:
                with fm.open(sim.directory / "t.nc") as store:
                    result["stored"] = store["ta"].values.ravel()[::50].tolist()
            result["mean"] = float(np.mean(np.asarray(flux, float)))
            helpers = [
                t for t in sim.traces if any("no columns yet" in r["path"] for r in t["regions"])
            ]
            result["helpers"] = len(helpers)
            result["computed"] = [
                sum(t["regions"][n]["path"][-1] == "RRTMGP" for n in t["region"]) for t in helpers
            ]
            result["waiting"] = [float(t["waiting"].sum()) for t in helpers]
            result["waited"] = sim.apart.core.waited if sim.apart.core else 0.0
            print(json.dumps(result))
    mpi.world.Barrier()
    if mpi.world.rank == 0:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
