"""The test of the adjoint of one scheme: is it the transpose of its tangent?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.configurable import explained
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.model.schemes import Scheme

_rows, _points = 3, 40  # of the small domain, without the rim that neighbours need
Fields = dict[str, np.ndarray]


@explained()
def adjoint_error(
    scheme: Scheme,
    between: Mapping[str, tuple[float, float]] | None = None,
    *,
    levels: int = 9,
    seed: int = 1,
) -> float:
    """Returns how far the adjoint of a scheme is from the transpose of its tangent: the difference
    of <M' x, y> and <x, M'* y> over the sum of the magnitudes of all their terms; about 1e-16 where
    it is right.

    Parameters
    ----------
    scheme : of the catalogue or of the user: `fm.schemes.Relaxation(time=86400)`.
    between : field -> the least and the largest of its values, in its own units; by default 0.5 and
        1.5. Values, x and y are random numbers.
    levels, seed : of the small domain; of the random numbers.

    InputError: the scheme has no adjoint, or no such field.
    """
    core, entry = mpi.core, scheme.entry
    process = core.process(entry["name"], scheme.parameters)
    if not core.has_adjoint(process):
        raise InputError(
            f"{scheme.name} has no adjoint; `fathom::linear_entry<{scheme.name}>` in its header, in"
            " place of `entry`, gives it one"
        )
    random = np.random.default_rng(seed)
    for name in between or ():
        if name not in scheme.field_names:
            raise InputError(unknown("field", name, scheme.field_names))
    given, x, y = _fields(entry, dict(between or {}), levels, random)
    by_hand = core.has_linear(process)
    backward = core.run_linear(process, given, y, levels, True, by_hand)
    for name in _constant(entry, backward, y) if by_hand else ():
        x[name][...] = 0
    forward = core.run_linear(process, given, x, levels, False, by_hand)
    terms = [np.where(y[name] == 0, 0, forward[name] * y[name]) for name in y]
    terms += [np.where(x[name] == 0, 0, -x[name] * backward[name]) for name in x]
    size = sum(np.abs(term).sum() for term in terms)
    if not size > 0:
        raise InputError(f"{scheme.name} does nothing with these values; give others, `between`")
    return float(abs(sum(term.sum() for term in terms)) / size)


def _constant(entry: Mapping[str, Any], backward: Fields, y: Fields) -> list[str]:
    """Returns fields of columns that no scheme writes, as geometry, to whose adjoints y nothing was
    added: an adjoint by hand may leave them out.
    """
    written = {
        f["name"] for e in mpi.core.catalogue() for f in e["fields"] if f["access"] != "reads"
    }
    columns = {f["name"] for f in entry["fields"] if f["vertical"] == "column"} & y.keys()
    return [n for n in sorted(columns - written) if np.array_equal(backward[n], y[n])]


def _fields(
    entry: Mapping[str, Any],
    between: Mapping[str, tuple[float, float]],
    levels: int,
    random: np.random.Generator,
) -> tuple[Fields, Fields, Fields]:
    """Returns values of the fields that a scheme reads, changes x of all, and y of what it writes,
    with a rim in which nothing is computed.
    """
    reach = max(f["reach"] for f in entry["fields"])
    within = slice(reach, reach + _rows), slice(reach, reach + _points)
    rim = np.ones((_rows + 2 * reach, _points + 2 * reach), bool)
    rim[within] = False
    depths = {"layer": (levels,), "interface": (levels + 1,), "column": ()}
    given, x, y = Fields(), Fields(), Fields()
    for f in entry["fields"]:
        name, profile = f["name"], f["horizontal"] == "profile"
        shape = (levels + 1,) if profile else (*depths[f["vertical"]], *rim.shape)
        low, high = between.get(name, (levels, levels) if name == "wet_levels" else (0.5, 1.5))
        if f["access"] != "writes":
            given[name] = random.uniform(low, high, shape)
        if profile:
            continue
        size = max(abs(low), abs(high))
        reads = f["access"] != "writes"
        x[name] = random.uniform(-1, 1, shape) * size if reads else np.zeros(shape)
        y[name] = random.uniform(-1, 1, shape) / size
        if f["access"] != "reads":
            y[name][..., rim] = 0
    return given, x, y
