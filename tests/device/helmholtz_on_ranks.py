"""Helmholtz equations of grid-point atmospheres, those that are named or all, without a device and
with one, in each process of an MPI run: rank 0 prints what each has found, and what the processor
computes of the second.
"""

import json
import sys

import computers
import small_planes
import small_spheres
from fathom.base import mpi

sphere, plane = small_spheres.turning, small_planes.bubble
small = {"nx": 16, "ny": 12, "number": 5}
cases_of = {
    "separable-lines": (sphere, {**small, "blocks": [5, 4]}),
    "separable": (sphere, {**small, "preconditioner": "separable", "solver_precision": "fp32"}),
    "lines": (sphere, {**small, "preconditioner": "lines", "solver": "bicgstab"}),
    "fewer modes than ranks": (sphere, {**small, "number": 4, "preconditioner": "separable"}),
    "multigrid": (sphere, {"preconditioner": "multigrid", "solver": "bicgstab", "blocks": [8, 4]}),
    "multigrid, fp32": (sphere, {"preconditioner": "multigrid", "precision": "fp32"}),
    "a matrix that stays": (plane, {"nx": 21, "blocks": [8, 3], "solver": "bicgstab"}),
    "joined rows": (plane, {"nx": 20, "walls": False, "precision": "fp32"}),
}
found = {}
for name in sys.argv[1:] or cases_of:
    make, options = cases_of[name]
    sides = []
    for device in (None, computers.name):
        s = make(**options)
        s.parallel["device"] = device
        s.advance(1)
        solve = s.find(mpi.core.HelmholtzSolve)
        sides.append([str(s.checksum()), solve.iterations, solve.residual])
    found[name] = [*sides, ", ".join(dict(s.describe()[1])["device"][1:])]
if mpi.is_root:
    print(json.dumps(found))
