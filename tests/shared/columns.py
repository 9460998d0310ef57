"""Runs a scheme on small columns: the tests of this folder share it."""

import numpy as np

from fathom.base.mpi import core

catalogue = {entry["name"]: entry for entry in core.catalogue()}


def reference_density(p):
    """rho_ref(p) of docs/physics.md [kg m-3], p in dbar."""
    return 1027.897 + p * (4.69348e-3 - 4.94596e-8 * p)


def run(name, arrays, levels=1, parameters=None, dtype=float, width=0):
    """What the scheme writes, for arrays that broadcast: numbers, profiles of `levels` for the
    fields of layers and interfaces.
    """
    entry = catalogue[name]
    process = core.process(name, parameters or {}, np.dtype(dtype).itemsize, width)
    reach = max(f["reach"] for f in entry["fields"])
    given = {}
    for f in entry["fields"]:
        if f["access"] == "writes":
            continue
        value = np.asarray(arrays.get(f["name"], 0.0), dtype)
        if f["horizontal"] == "profile":
            given[f["name"]] = np.ascontiguousarray(
                np.broadcast_to(value, np.shape(value) or (levels + 1,))
            )
            continue
        depth = {"layer": (levels,), "interface": (levels + 1,), "column": ()}[f["vertical"]]
        if value.ndim < 2:
            value = value.reshape(*value.shape, 1, 1)
        columns = max([np.shape(v)[-1] for v in arrays.values() if np.ndim(v) >= 2], default=1)
        rows = max([np.shape(v)[-2] for v in arrays.values() if np.ndim(v) >= 2], default=1)
        given[f["name"]] = np.ascontiguousarray(
            np.broadcast_to(value, (*depth, max(rows, 1 + 2 * reach), max(columns, 1 + 2 * reach)))
        )
    return core.run_column(process, given, levels)


def middle(field):
    """The column in the middle: a number, or a profile."""
    return field[..., field.shape[-2] // 2, field.shape[-1] // 2]
