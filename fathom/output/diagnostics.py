"""Diagnostics by name: output variables that follow from the fields of the sequence.

A user's own are functions with `diagnostic` before them; those of other packages are entry points
of the group "fathom.diagnostics", each by the name that is asked for:

    [project.entry-points."fathom.diagnostics"]
    heat_content = "my_package.ocean:heat_content"

examples/own_diagnostic.py is a lesson.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom import names
from fathom.base import mpi
from fathom.base.border import failure
from fathom.base.configurable import explained
from fathom.base.failure import InputError, RunError
from fathom.grids.regrid.chosen import chosen

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from fathom.model.model import Model
    from fathom.output.host import Host

Window = tuple[int, int, int, int]  # first row and point, rows and points, of the global grid
Blocks = Callable[[str], Sequence[np.ndarray]]  # a field, in each block of this rank


@dataclass(frozen=True)
class Diagnostic:
    """`needs`: fields of the sequence; `surface`: only their top layer; `of(model, window,
    *arrays)` gives (levels, ny, nx) of a block. The time mean of a linear one follows from the
    means of the fields that it needs. `vertical`: layer, interface or column, where it is not that
    of the first field; then all levels of a column are there. No column needs another.

    `shared(model, window, {field: array})`: a common result that several diagnostics of an output
    need, made once; then `of` has this result as its argument.

    `before`: fields along the earth that it `needs`, which all ranks make together before, in this
    order."""

    needs: tuple[str, ...]
    of: Callable[..., Any]
    surface: bool = False
    linear: bool = True
    vertical: str = ""
    shared: Callable[..., Any] | None = None
    before: tuple[Together, ...] = ()

    @property
    def own_needs(self) -> tuple[str, ...]:
        """Returns the fields of the sequence that it follows from, not those made `before`."""
        made = {field for step in self.before for field in step.fields}
        all_needs = (*self.needs, *(need for step in self.before for need in step.needs))
        return tuple(dict.fromkeys(need for need in all_needs if need not in made))


@dataclass(frozen=True)
class Together:
    """Fields that all ranks that compute make together along the earth: derivatives, or fits by
    waves.

    `of(simulation, blocks)`: {field: its blocks}, arrays (levels, ny, nx), one for each block of
    this rank; blocks(name): those of a field that it `needs`, of the sequence or made before.
    `levels`: how many of a field are made. Linear, where the diagnostics made of it are."""

    needs: tuple[str, ...]
    fields: tuple[str, ...]
    of: Callable[..., Any]
    vertical: str = "layer"
    levels: int | None = None  # all
    units: str = "1"
    surface: bool = False  # only the top layer of its fields


@dataclass(frozen=True)
class Integral:
    """`needs`: fields of the sequence; `made`: those that it has only for this, name -> (scheme,
    what its fields are called). `part(model, window, *arrays)`: what a block gives, float64 of the
    shape of `dims`, which sums over blocks exactly (`rounded`); `of(model, sum)`: the value, on
    root."""

    needs: tuple[str, ...]
    dims: tuple[str, ...]
    units: str
    long_name: str
    part: Callable[..., Any]
    of: Callable[..., Any]
    made: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = ()
    standard_name: str = ""
    surface = False
    linear = True


group = "fathom.diagnostics"
_own: dict[str, Diagnostic] = {}  # of users and packages


@explained()
def diagnostic(
    name: str,
    needs: list[str] | tuple[str, ...],
    *,
    units: str,
    long_name: str = "",
    standard_name: str = "",
    vertical: str = "",
    linear: bool = False,
) -> Callable[[Callable[..., np.ndarray]], Callable[..., np.ndarray]]:
    """Makes a function a diagnostic that output, plots and TOML files know by its name.

    Parameters
    ----------
    name, units, long_name, standard_name : as the file says them (CF).
    needs : fields of the model from which it is computed.
    vertical : "layer", "interface", or "column" for a value a column; "" (default): as the first of
        its inputs.
    linear : whether the mean in time follows from the means of its inputs.

    The function is called with the model, the window (j0, i0, ny, nx) of the grid, and an array
    (levels, ny, nx) for each of `needs`; it returns (levels, ny, nx), a single level for a column.
    Windows are parts of the ranks' blocks: no column may need another.

    >>> @fm.diagnostic("heat_content", ["temperature"], units="J m-2", vertical="column")
    ... def heat_content(model, window, temperature): ...
    """
    allowed = ["", "layer", "interface", "column"]
    if vertical not in allowed:
        raise InputError(f"diagnostic {name}: " + names.unknown("vertical", vertical, allowed))

    def register(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        of = _told(name, function)
        _own[name] = Diagnostic(tuple(needs), of, linear=linear, vertical=vertical)
        title = long_name or name.replace("_", " ")
        place = names.describe(needs[0]).horizontal, vertical or names.describe(needs[0]).vertical
        names.add(names.Name(name, name, standard_name, title, units, *place, "viridis"))
        return function

    return register


def _told(name: str, function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """Returns a user's function, whose errors are RunErrors of one line with its name."""

    @functools.wraps(function)
    def told(model: Any, window: Window, *arrays: np.ndarray) -> np.ndarray:
        try:
            values = function(model, window, *arrays)
        except Exception as error:
            raise RunError(f"diagnostic {name}: {failure(function.__name__, error)}") from error
        found = np.asarray(values)
        if found.ndim != 3 or found.shape[1:] != window[2:] or found.dtype.kind not in "fiu":
            raise RunError(
                f"diagnostic {name}: {function.__name__} returned"
                f" {found.dtype} {found.shape}; wanted are numbers (levels,"
                f" {window[2]}, {window[3]})"
            )
        return found

    return told


@cache
def _of_packages() -> dict[str, Any]:
    return {point.name: point for point in entry_points(group=group)}


def of_scripts() -> set[str]:
    """Returns the names of diagnostics that scripts have registered, none of packages."""
    return {*_own} - {*_of_packages()}


def _own_of(name: str) -> Diagnostic | None:
    """Returns the user's or a package's diagnostic of that name; None: there is none."""
    if name not in _own and (point := _of_packages().get(name)):
        point.load()
        if name not in _own:
            raise InputError(
                f"entry point {point.value} of {group} is no diagnostic '{name}'; write"
                f' @fathom.diagnostic("{name}", ...) before the function'
            )
    return _own.get(name)


def rounded(values: np.ndarray, unit: float) -> np.ndarray:
    """Returns values rounded to multiples of `unit`, a power of two: sums below 2^53 units do not
    depend on order.
    """
    return np.rint(values * (1 / unit)) * unit


_in_cache = 1 << 16  # numbers of a field


def same(model: Any, window: Window, value: np.ndarray) -> np.ndarray:
    """Returns the value as it is."""
    return value


def weighted(weights: Callable[..., Sequence[np.ndarray]]) -> Callable[..., np.ndarray]:
    """Returns `of` two fields: their sum, each times its weight, weights(model, window) -> (ny, nx)
    of both.
    """

    def of(model: Any, window: Window, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        p, q = weights(model, window)
        result: np.ndarray = a * p + b * q
        return result

    of.weights = weights  # type: ignore[attr-defined]  # a function that says how it is linear
    return of


def find(name: str, model: Model, fields: Mapping[str, Any]) -> tuple[str, Diagnostic]:
    """Returns the diagnostic of that name or output alias; any field of the sequence is one too.
    ValueError with near names.
    """
    for long_name, entry in names.fields.items():
        if name == entry.alias and (long_name in model.derived or long_name in fields):
            name = long_name
    if (found := _own_of(name) or model.derived.get(name)) is not None:
        missing = [need for need in found.own_needs if need not in fields]
        if missing:
            raise InputError(
                f"'{name}' follows from {', '.join(found.needs)}; this model does not"
                f" compute {', '.join(missing)}"
            )
        return name, found
    if name in fields:
        return name, Diagnostic((name,), same)
    integrals = model.integrals
    known = [*model.derived, *integrals, *_own, *_of_packages(), *sorted(fields)]
    raise InputError(
        f"no output variable '{name}'{names.near(name, known)}; `fathom variables` lists all"
    )


def windows(simulation: Host, diagnostic: Diagnostic, field: Mapping[str, Any]) -> list[np.ndarray]:
    """Returns values of each block of this rank, (levels, ny, nx), NaN where there is nothing;
    `field`: the first of those it needs, as the sequence describes it. All ranks call it.
    """
    held = Held(simulation, simulation.fields.windows)
    held.make(diagnostic.before)
    return of_blocks(simulation, diagnostic, field["horizontal"], held)


def of_blocks(
    simulation: Host, diagnostic: Diagnostic, horizontal: str, blocks: Blocks
) -> list[np.ndarray]:
    """Returns values of each block from blocks(name), once everything `before` it is made."""
    arrays = [blocks(name) for name in diagnostic.needs]
    return [
        of_window(simulation.model, [diagnostic], horizontal, window, parts)[0]
        for window, *parts in zip(simulation.domain.blocks, *arrays)
    ]


class Held:
    """Blocks of fields by name: of the sequence as `blocks` gives them, and those made of them."""

    def __init__(self, simulation: Host, blocks: Blocks) -> None:
        self.simulation, self.blocks = simulation, blocks
        self.held: dict[str, Sequence[np.ndarray]] = {}

    def __call__(self, name: str) -> Sequence[np.ndarray]:
        if name not in self.held:
            self.held[name] = self.blocks(name)
        return self.held[name]

    def make(self, steps: Iterable[Together]) -> None:
        """Makes fields of several diagnostics together, once; all ranks call it."""
        for step in steps:
            if step.fields[0] not in self.held:
                self.held |= step.of(self.simulation, self)


def of_window(
    model: Model,
    diagnostics: Sequence[Diagnostic],
    horizontal: str,
    window: Window,
    arrays: Sequence[np.ndarray],
    divisor: float = 1,
    dtype: DTypeLike = float,
) -> list[np.ndarray]:
    """Returns values in a window (j0, i0, ny, nx) of the grid, (levels, ny, nx) of each diagnostic,
    NaN where there is nothing, from the arrays of what all of them need there (`needs`). A few rows
    are made at a time, which stay in the cache.
    """
    j0, i0, ny, nx = window
    first = diagnostics[0]
    arrays = [a[:1] if first.surface else a for a in arrays]
    there = model.grid.levels_at(horizontal)[j0 : j0 + ny, i0 : i0 + nx]
    there = (
        np.where(there, np.iinfo(np.int32).max, 0).astype(np.int32)
        if first.vertical
        else np.asarray(there, np.int32)
    )
    if weights := getattr(first.of, "weights", None):
        total = np.empty((len(arrays[0]), ny, nx), dtype)
        one, other = (_divided(a, divisor) for a in arrays)
        made_of: Any = mpi.core.stored_sum  # one for each pair of types
        made_of(one, other, *weights(model, window), there, total)
        return [total]
    step = max(1, _in_cache // (len(arrays[0]) * nx))
    made: list[np.ndarray] = []
    for j in range(0, ny, step):
        rows = slice(j, min(j + step, ny))
        parts = [a[:, rows] for a in arrays]
        values = _values(model, diagnostics, (j0 + j, i0, rows.stop - j, nx), parts, divisor)
        if not made:
            made = [np.empty((len(value), ny, nx), dtype) for value in values]
        for value, whole in zip(values, made):
            mpi.core.stored(value, there[rows], whole[:, rows])
    return made


def needs(diagnostics: Iterable[Diagnostic]) -> tuple[str, ...]:
    """Returns all that several need, in order."""
    return tuple(dict.fromkeys(need for d in diagnostics for need in d.needs))


def _values(
    model: Model,
    diagnostics: Sequence[Diagnostic],
    window: Window,
    parts: Sequence[np.ndarray],
    divisor: float,
) -> list[np.ndarray]:
    first = diagnostics[0]
    if (first.of is not same and first.shared is None) or divisor != 1:
        parts = [_divided(np.asarray(a, float), divisor) for a in parts]
    if first.shared is not None:
        state = first.shared(model, window, dict(zip(needs(diagnostics), parts)))
        return [d.of(state) for d in diagnostics]
    return [first.of(model, window, *parts)]


def _divided(a: np.ndarray, divisor: float) -> np.ndarray:
    return a if divisor == 1 else np.asarray(a, float) / divisor


def whole(simulation: Host, name: str, levels: Any = None) -> Any:
    """Returns the variable of that name on the grid as output has it, (levels, ny, nx), on rank 0;
    at chosen levels, as an output says them. All ranks call it.
    """
    model, fields = simulation.model, {f["name"]: f for f in simulation.fields.fields}
    _, diagnostic = find(name, model, fields)
    field = fields[diagnostic.own_needs[0]]
    if levels is not None and (diagnostic.vertical or field["vertical"]) == "layer":
        wanted = chosen(levels, model.level_coordinates)
        diagnostic = model.at_levels(name, diagnostic, wanted, field["horizontal"])
    gathered = simulation.assemble(windows(simulation, diagnostic, field))
    return model.grid.regular(gathered) if simulation.is_root else None
