"""The place of a field on a grid, as its output has it: dimensions, coordinates, unit."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom import names, output
from fathom.data.input.labelled import Place
from fathom.names import quantities


def place(
    grid: Any, name: str, units: str = "", where: str = "center", vertical: str = "column"
) -> Place:
    """Returns the place of a field. where: "center" or "corner"; vertical: "layer" or "column";
    units: "": those of the table of names.
    """
    row = quantities.of(name)
    known = names.get(name).units if names.known(name) else (row.units if row else "")
    mapping = grid.mapping()
    spec = output.variable(name, mapping, place=(where, vertical))
    coords = output.coordinates(mapping, [spec])
    there = {n: (tuple(dims), np.asarray(values)) for n, (dims, values, _) in coords.items()}
    return Place(name, units or known, spec.dims[1:], there)
