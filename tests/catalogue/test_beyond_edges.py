"""What lies beyond a closed edge is not used: every scheme that looks at neighbours gives the same
bits where the halo holds NaN there, or other numbers, before a step. On edges that are closed,
periodic along one direction, and periodic along both, with blocks that end in different places.
"""

import numpy as np
import pytest

import any_columns
from columns import catalogue
from fathom.base.mpi import core, world
from program import Program

nx, ny, nz = 14, 9, 4
rng = np.random.default_rng(17)
sea = rng.integers(1, nz + 1, (ny, nx)) * (rng.random((ny, nx)) > 0.15)
air = np.full((ny, nx), nz)  # is everywhere
# what nothing writes keeps what it was given: lengths beyond an edge are those at the edge
given = ("dx_", "dy_", "length_", "area_", "diffusivity_scale", "open_", "wet_levels", "depth_")
zero_beyond = ("wet_levels", "depth_corner", "open_north_face")
edges = {
    "closed": (False, False),
    "periodic along x": (True, False),
    "periodic along y": (False, True),
    "periodic": (True, True),
}
with_neighbours = [n for n, e in catalogue.items() if any(f["reach"] for f in e["fields"])]


def varies(field):
    return field["horizontal"] != "profile" and not field["name"].startswith(given)


def levels_of(name):
    return air if name.startswith(("GridPoint", "Helmholtz")) else sea


def water(wet, field, periodic_x, periodic_y):
    """Where a field has a value, (levels, ny, nx): that of the shallowest column around."""
    depth = np.pad(wet, ((0, 1), (0, 1)))
    if periodic_x:
        depth[:, -1] = depth[:, 0]
    if periodic_y:
        depth[-1] = depth[0]
    east, north, both = depth[:-1, 1:], depth[1:, :-1], depth[1:, 1:]
    around = {"corner": (east, north, both), "east_face": (east,), "north_face": (north,)}
    shallowest = np.minimum.reduce((wet, *around.get(field["horizontal"], ())))
    return np.arange(field["levels"])[:, None, None] < shallowest


def values(field, random):
    """Plausible numbers, (levels, ny, nx)."""
    keys = (f"{field['name']} {field['units']} {field['vertical']}", field["name"])
    low, high = next((any_columns.ranges[k] for k in keys if k in any_columns.ranges), (0.5, 1.5))
    return random.uniform(low, high, (field["levels"], ny, nx))


def fill(program, wet, blocks, beyond, edge):
    """The same numbers at own points, 0 on land (a thickness is 1 there); `beyond` everywhere else
    in fields that vary.
    """
    random = np.random.default_rng(5)
    for field in program.fields:
        name = field["name"]
        if field["scratch"] and not field["stays"]:
            continue
        if field["horizontal"] == "profile":
            program.set_profile(name, np.sort(random.uniform(10, 100, nz + 1)).tolist())
        elif name == "wet_levels":
            program.set(name, wet.astype(float), nearest_outside=False)
        elif name.startswith("control of"):
            continue
        elif not varies(field):
            beside = name not in zero_beyond
            program.set(name, values(field, random), nearest_outside=beside)
        else:
            program.fill(name, beyond)
            on_land = float(name.endswith("_thickness"))
            whole = np.where(water(wet, field, *edge), values(field, random), on_land)
            for block, (j, i, rows, columns) in enumerate(blocks):
                own = whole[:, j : j + rows, i : i + columns]
                program.put(name, block, np.ascontiguousarray(own))


def found(name, edge, beyond, block=(0, 0)):
    """What a scheme writes in a step, where there is water: field -> (levels, ny, nx)."""
    entry, (along_x, along_y) = catalogue[name], edges[edge]
    wet = levels_of(name)
    depths = wet.astype(np.int32).ravel().tolist()
    comm = world.py2f()
    where = core.Domain(comm, nx, ny, along_x, False, nz, depths, 2, *block, periodic_j=along_y)
    controls = [
        any_columns.control(f) for f in entry["fields"] if f["access"] != "writes" and varies(f)
    ]
    fields = {f["name"] for p in controls for f in p.fields} | {f["name"] for f in entry["fields"]}
    program = Program(where, [*controls, core.process(name)], 8, keep=sorted(fields))
    fill(program, wet, where.blocks, beyond, edges[edge])
    program.advance(1)
    written = {f["name"] for f in entry["fields"] if f["access"] != "reads"}
    result = {}
    for field in program.fields:
        if field["name"] in written and field["horizontal"] != "profile":
            whole = np.zeros((field["levels"], ny, nx))
            for (j, i, rows, columns), window in zip(where.blocks, program.windows(field["name"])):
                whole[:, j : j + rows, i : i + columns] = window
            result[field["name"]] = np.where(water(wet, field, along_x, along_y), whole, 0.0)
    return result


@pytest.mark.parametrize("edge", edges)
@pytest.mark.parametrize("name", with_neighbours)
def test_nothing_is_used(name, edge):
    expected = found(name, edge, 0.0)
    assert expected and all(np.isfinite(v).all() for v in expected.values())
    for beyond, block in ((np.nan, (0, 0)), (np.nan, (5, 4)), (1e30, (0, 0))):
        seen = found(name, edge, beyond, block)
        for field, whole in expected.items():
            np.testing.assert_array_equal(seen[field], whole, err_msg=f"{field}, {beyond}")
