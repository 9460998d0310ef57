"""Numbers that describe the fields of some models after some steps; arguments, as JSON: the device
and the blocks. In each process of an MPI run; rank 0 prints them.
"""

import hashlib
import json
import sys

import numpy as np

import cases
import computers
import fathom as fm
import icy
from fathom.base import mpi

name, blocks = (*map(json.loads, sys.argv[1:]), None)[:2]
parallel = {"device": name, "blocks": blocks}
plain = computers.surface()
solved_there = fm.FreeSurface(solver="pcsi", preconditioner="diagonal", rotation=False)
forced = {"surface": fm.BulkForcing("coads")}
models = {
    "box": (cases.stirred(cases.box(precision="fp32", free_surface=plain)), {}),
    "partial": (cases.stirred(cases.box(partial_cells=0.2, free_surface=plain)), {}),
    "globe": (cases.globe(free_surface=solved_there), forced),
    "overflow": (cases.ridge(free_surface=plain), {}),
    "stretched": (
        cases.stirred(cases.box(free_surface=computers.surface(freshwater="volume"))),
        {},
    ),
}


def bits(x):
    """Of all numbers, as text."""
    if isinstance(x, dict):
        return {key: bits(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [bits(value) for value in x]
    return x.hex() if isinstance(x, float) else x


def described(simulation):
    fields, found = simulation.fields, {}
    for f in fields.state:
        found[f] = [fields.extremes(f), fields.content(f, False), fields.checksum([f])]
    found["motion"] = fields.motion(simulation.time_step)
    found["moving"] = [fields.content("temperature"), fields.volume(), fields.volume(False)]
    columns = np.zeros(np.shape(simulation.model.grid.wet_levels))
    for (j, i, ny, nx), sums in zip(
        simulation.domain.blocks, fields.column_contents("temperature"), strict=True
    ):
        columns[j : j + ny, i : i + nx] = sums
    columns = simulation.comm.allreduce(columns)
    found["columns"] = hashlib.sha256(columns.tobytes()).hexdigest()
    return bits(found)


found = {}
for model, (ocean, driven) in models.items():
    simulation = fm.Simulation(ocean, "30min", parallel=parallel, **driven)
    simulation.advance(2)
    found[model] = described(simulation)
    left = dict(simulation.describe()[1]).get("device", [])[1:]
    assert model != "globe" or not any("BarotropicSolve" in line for line in left)
simulation = icy.uneven(parallel=parallel)
simulation.advance(3)
found["icy"] = described(simulation)
if mpi.is_root:
    print(json.dumps(found))
