"""Spectral atmospheres after some steps, without a device and with one, in each process of an MPI
run: rank 0 prints the checksums, and what the processor computes of the second.
"""

import json

import computers
import fathom as fm
import small_atmospheres
from fathom import mpi

physics = fm.FirstPhysics(ozone=None)
cases_of = {
    "full": {"physics": physics},
    "fp32": {"physics": physics, "precision": "fp32", "blocks": [0, 3]},
    "reduced": {"tracers": ("smoke",), "reduced": "classical"},
    "stretched": {"tracers": ("smoke",), "stretching": 1.5},
}
exchanges = ["packed", "overlapped", "packed", "packed"]
found = {}
for (name, options), exchange in zip(cases_of.items(), exchanges, strict=True):
    sides = []
    for device in (None, computers.name):
        s = small_atmospheres.held_suarez(truncation=10, levels=5, **options)
        s.parallel |= {"device": device, "exchange": exchange}
        s.advance(2)
        sides.append({field: str(s.fields.checksum([field])) for field in s.fields.state})
    shown = dict(s.describe()[1])["device"]
    found[name] = [*sides, ", ".join(shown[1:]).rpartition(": ")[2]]
if mpi.is_root:
    print(json.dumps(found))
