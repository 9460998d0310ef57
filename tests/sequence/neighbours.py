"""Tangent and adjoint of schemes that look at neighbours, on a folded, blocked domain with random
water (small.py): what test_neighbours.py asks, on any ranks.

Before a scheme runs, each field that it reads is the sum of itself and a control, so that it
varies; geometry does not.
"""

import hashlib

import numpy as np

import any_columns
import small
from columns import catalogue
from fathom.base.mpi import core, world
from program import Program

# what no process writes: adjoints by hand leave it out
geometry = (
    "wet_levels",
    "dx_",
    "dy_",
    "length_",
    "area_",
    "depth_corner",
    "diffusivity_scale",
    "viscosity_scale",
    "curvature_",
    "coriolis",
)


def varies(field):
    return field["horizontal"] != "profile" and not field["name"].startswith(geometry)


def schemes():
    """Names of those that look at neighbours and have an adjoint."""
    return [
        name
        for name, entry in catalogue.items()
        if any(f["reach"] for f in entry["fields"]) and core.has_adjoint(core.process(name))
    ]


def program(name, where, **options):
    entry = catalogue[name]
    controls = [
        any_columns.control(f) for f in entry["fields"] if f["access"] != "writes" and varies(f)
    ]
    # the memory of a scheme's own is no field of the set
    fields = {f["name"] for p in controls for f in p.fields} | {f["name"] for f in entry["fields"]}
    return Program(where, [*controls, core.process(name)], 8, keep=sorted(fields), **options)


def random_values(f, random):
    """Of the whole grid, in the range of the field."""
    keys = (f"{f['name']} {f['units']} {f['vertical']}", f"{f['name']} {f['units']}", f["name"])
    low, high = next((any_columns.ranges[k] for k in keys if k in any_columns.ranges), (0.5, 1.5))
    return random.uniform(low, high, (f["levels"], small.ny, small.nx))


def fields_of(s):
    """Fields of a program but for the memory of schemes' own."""
    return [f for f in s.fields if f["stays"] or not f["scratch"]]


def water(f):
    """Where a field varies, (levels, rows, columns): above the bottom, of faces and corners that of
    the shallowest column around.
    """
    east = lambda wet: np.roll(wet, -1, 1)
    north = np.concatenate([small.wet[1:], small.wet[-1:, ::-1]])  # across the fold
    around = {
        "corner": (east(small.wet), north, east(north)),
        "east_face": (east(small.wet),),
        "north_face": (north,),
    }
    wet = np.minimum.reduce((small.wet, *around.get(f["horizontal"], ())))
    return np.arange(f["levels"])[:, None, None] < wet


def fill(s):
    """Random numbers for all fields and profiles; 0 on land and below the bottom, on which no
    scheme may depend.
    """
    random = np.random.default_rng(5)
    for f in fields_of(s):
        if f["horizontal"] == "profile":
            s.set_profile(f["name"], np.sort(random.uniform(10, 100, small.nz + 1)).tolist())
        elif f["name"] == "wet_levels":
            s.set("wet_levels", small.wet.astype(float).copy())
        else:
            values = random_values(f, random)
            if varies(f):  # thickness is positive everywhere
                values = np.where(water(f), values, float(f["name"].endswith("_thickness")))
            if f["name"].startswith("control of"):
                values *= water(f)
            s.set(f["name"], values, nearest_outside=not varies(f))


def vary(s, where, fields, seed):
    """Random numbers of the sizes of the fields at own points, other ones at second points of the
    seam; whole arrays of them.
    """
    random = np.random.default_rng(seed)
    for f in fields_of(s):
        if f["horizontal"] == "profile":
            continue
        size = np.abs(random_values(f, np.random.default_rng(0))).max()
        whole = random.uniform(-1, 1, (f["levels"], small.ny, small.nx))
        whole *= size if seed == 1 else 1 / size
        whole *= water(f) * varies(f)
        for block, (j, i, ny, nx) in enumerate(where.blocks):
            fields.put(f["name"], block, whole[:, j : j + ny, i : i + nx].copy())


def values(s, where, fields):
    """All of a set, where there is water."""
    found = {}
    for f in fields_of(s):
        if f["horizontal"] == "profile":
            continue
        whole = small.gather(fields, where, f["name"])
        found[f["name"]] = world.allreduce(np.where(water(f), whole, 0.0)) + 0.0  # no -0
    return found


def of_scheme(name, blocks=(0, 0), steps=1, halo=2, **options):
    """<M' x, y> - <x, M'* y> by the sum of the magnitudes of their terms; hashes of both."""
    where = small.domain(tuple(blocks), halo=halo)
    s = program(name, where, **options)
    fill(s)
    linear = core.LinearStepProgram(s.sequence)
    linear.follow(s.fields_, steps)
    sets = [core.FieldSet(s.sequence) for _ in range(4)]
    x, forward, y, backward = sets
    for fields, seed in ((x, 1), (forward, 1), (y, 2), (backward, 2)):
        vary(s, where, fields, seed)
    linear.tangent(forward, 0, steps)
    linear.adjoint(backward, 0, steps)
    X, F, Y, B = (values(s, where, fields) for fields in sets)
    terms = [F[n] * Y[n] for n in X] + [-X[n] * B[n] for n in X]
    total, size = sum(t.sum() for t in terms), sum(np.abs(t).sum() for t in terms)
    land = max(
        np.abs(small.gather(backward, where, n)[:, small.wet == 0]).max(initial=0) for n in B
    )
    hashes = [
        hashlib.sha256(b"".join(part[n].tobytes() for n in sorted(part))).hexdigest()
        for part in (F, B)
    ]
    return {"error": float(abs(total) / size), "land": float(land), "hashes": hashes}


def hashes(blocks=(0, 0), every=1):
    """Of tangents and adjoints of the schemes, or of every so many of them."""
    return {name: of_scheme(name, tuple(blocks))["hashes"] for name in schemes()[::every]}


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
