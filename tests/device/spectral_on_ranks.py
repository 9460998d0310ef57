"""Spectral atmospheres and shallow water after some steps, without a device and with one, in each
process of an MPI run: rank 0 prints the checksums, and what the processor computes of the second.
"""

import json
import sys

import computers
import fathom as fm
import small_areas
import small_atmospheres
import small_trajectories
from fathom.base import mpi

physics = fm.BasicPhysics(ozone=None)


def sphere(**options):
    return small_atmospheres.held_suarez(truncation=10, levels=5, **options)


def area(**options):
    model = small_areas.disturbed(**{"grid": small_areas.area(points=(22, 18))} | options)
    return small_areas.simulation(model, "300s")


water = small_trajectories.shallow_water
cases_of = {
    "full": lambda: sphere(physics=physics),
    "fp32": lambda: sphere(physics=physics, precision="fp32", blocks=[0, 3]),
    "reduced": lambda: sphere(tracers=("smoke",), reduced="classical"),
    "stretched": lambda: sphere(tracers=("smoke",), stretching=1.5),
    "eulerian": lambda: sphere(
        scheme="eulerian", step="1200s", precision="fp32", tracers=("smoke",)
    ),
    "shallow water": lambda: water(reduced="classical"),
    "stretched water": lambda: water(stretching=1.5, precision="fp32"),
    "eulerian water": lambda: water(scheme="eulerian", step="900s", robert_asselin=0.05),
    "periodic": lambda: area(periodic=True, grid=small_areas.plane(points=(20, 18))),
    "area": lambda: area(precision="fp32"),
    "non-hydrostatic": lambda: area(dynamics="non-hydrostatic"),
}
parallel = {
    "fp32": {"exchange": "overlapped"},
    "stretched": {"distribution": "square"},
    "stretched water": {"distribution": "square"},
    "non-hydrostatic": {"exchange": "overlapped"},
}
found = {}
for name in sys.argv[1:] or cases_of:
    sides = []
    for device in (None, computers.name):
        s = cases_of[name]()
        s.parallel.update({"device": device} | parallel.get(name, {}))
        s.advance(2)
        sides.append({field: str(s.fields.checksum([field])) for field in s.fields.state})
    shown = dict(s.describe()[1])["device"]
    found[name] = [*sides, ", ".join(shown[1:]).rpartition(": ")[2]]
if mpi.is_root:
    print(json.dumps(found))
