"""What xarray says of an array counts: names of dimensions, coordinates, units, masked values.

place = Place("temperature", "degC", ("depth", "y", "x"), {"y": (("y",), y), ...})
arranged(array, place)      # its values in this order of axes and of points, in this unit
plain(array, "temperature") # of an array that says nothing: masked values are not a number
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fathom.base import units as of_units
from fathom.base.failure import InputError
from fathom.data.input import checks
from fathom.names import quantities

Coordinates = Mapping[str, tuple[tuple[str, ...], np.ndarray]]  # name -> (dimensions, values)

# Names of dimensions, by the axis that they are of.
axes = {
    "z": (
        *("z", "depth", "lev", "level", "height", "altitude", "deptht", "olevel", "st_ocean"),
        *("nz", "k", "layer", "plev", "pressure", "sigma"),
    ),
    "y": ("y", "latitude", "lat", "j", "ny", "nlat", "row", "rows", "yh", "nav_lat"),
    "x": ("x", "longitude", "lon", "i", "nx", "nlon", "column", "columns", "xh", "nav_lon"),
}
_axis_of = {name: axis for axis, names in axes.items() for name in names}
_unnamed = re.compile(r"dim_\d+")  # as xarray calls dimensions without a name


@dataclass(frozen=True)
class Place:
    """Where the values of a field lie: its dimensions in order, with their coordinates."""

    name: str
    units: str  # "": any
    dims: tuple[str, ...]
    coordinates: Coordinates = field(default_factory=dict)

    def dimension(self, given: str) -> str | None:
        """Returns the dimension that one of that name is; None: it is none of them."""
        if given in self.dims:
            return given
        kind = axis(given)
        found = (dim for dim in self.dims if kind and axis(dim) == kind)
        return next(found, None)


def axis(dim: str) -> str | None:
    """Returns "z", "y" or "x" of a name of a dimension; None: the name is unknown."""
    return _axis_of.get(re.sub(r"_(corner|interface|bnds)$", "", dim.lower()))


def says(value: Any) -> bool:
    """Returns whether an array has names of dimensions, as xarray.DataArray and Variable do."""
    return hasattr(value, "dims") and hasattr(value, "attrs") and hasattr(value, "transpose")


def plain(value: Any, name: str) -> np.ndarray:
    """Returns numbers as float64, not a number where they are masked. InputError: no numbers."""
    if isinstance(value, np.ma.MaskedArray):
        value = np.ma.filled(value.astype(float), np.nan)
    try:
        found = np.asarray(value)
        if found.dtype.kind in "bSU":
            raise TypeError
        return found.astype(float, copy=False)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} = {_short(value)} is neither a number, an array of numbers, a function nor the"
            " name of a data set"
        ) from None


def arranged(value: Any, place: Place) -> np.ndarray:
    """Returns the values of a labelled array on all dimensions of a place, of length 1 where it has
    none of that name, in the order and the unit of the place. InputError: a dimension, a coordinate
    or a unit that does not fit.
    """
    if not hasattr(value, "dtype"):
        raise InputError(f"{place.name}: given is a {type(value).__name__}; give one of its arrays")
    _check_meaning(value, place)
    names = _dimensions(value, place)
    value = _in_order(value, place, names)
    _check_others(value, place, {given: dim for dim, given in names.items()})
    shape = iter(value.shape)
    numbers = plain(value.values, place.name)
    numbers = numbers.reshape([next(shape) if dim in names else 1 for dim in place.dims])
    return in_units(numbers, str(value.attrs.get("units", "")), place)


def _in_order(value: Any, place: Place, names: Mapping[str, str]) -> Any:
    """Returns a labelled array with its dimensions, and the points along them, in the order of a
    place. names: what its dimensions are called in the array.
    """
    value = value.isel({dim: 0 for dim in value.dims if dim not in names.values()})
    value = value.transpose(*(names[dim] for dim in place.dims if dim in names))
    for dim, name in names.items():
        own = _along(place, dim, name)
        if own is not None and name in getattr(value, "coords", {}):
            given = np.asarray(value.coords[name].values)
            found = _order_of(given, own, f"{place.name}: {name}")
            value = value if found is None else value.isel({name: found})
    return value


def check_order(array: Any, place: Place) -> None:
    """Raises InputError: the points of an array that says something are not in the order of a
    place, or elsewhere.
    """
    probe = array.copy(data=np.arange(array.size).reshape(array.shape), deep=False)
    probe.attrs = {}
    found = arranged(probe, place)
    if not np.array_equal(found.ravel(), np.arange(array.size)):
        order = ", ".join(map(str, array.dims))
        raise InputError(
            f"{place.name}: ({order}) of what is given run in another order than"
            f" ({', '.join(place.dims)}) of the model"
        )


def _dimensions(value: Any, place: Place) -> dict[str, str]:
    """Returns the name that each dimension of the place has in the array."""
    dims = [str(dim) for dim in value.dims]
    if dims and all(map(_unnamed.fullmatch, dims)) and len(dims) <= len(place.dims):
        return dict(zip(place.dims[len(place.dims) - len(dims) :], dims))
    names: dict[str, str] = {}
    for dim, size in zip(dims, value.shape):
        own = place.dimension(dim)
        if own is not None and own not in names:
            names[own] = dim
        elif size != 1:
            raise InputError(
                f"{place.name}: the dimension {dim!r} of what is given is none of"
                f" {', '.join(place.dims)}"
            )
    return names


def _along(place: Place, dim: str, given: str) -> np.ndarray | None:
    """Returns the coordinate of a place along a dimension, by the name that is given; None: it has
    none that is the same in all rows or columns.
    """
    dims, values = place.coordinates.get(given) or place.coordinates.get(dim) or ((), None)
    if values is None or dims == (dim,):
        return values
    if dim not in dims:
        return None
    rows = np.moveaxis(values, dims.index(dim), 0).reshape(values.shape[dims.index(dim)], -1)
    return rows[:, 0] if np.allclose(rows, rows[:, :1], rtol=0, atol=1e-9) else None


def _order_of(given: np.ndarray, own: np.ndarray, said: str) -> np.ndarray | None:
    """Returns the number in a given coordinate of each value of the model's own; None: they are the
    same. InputError: it lacks some.
    """
    if given.dtype.kind not in "fiu":
        raise InputError(f"{said} of what is given is no number")
    near = 1e-5 * max(float(np.ptp(own)) / max(own.size - 1, 1), 1e-12 * float(np.abs(own).max()))
    near = max(near, 1e-6 * float(np.abs(own).max(initial=0.0)))
    if given.shape == own.shape and np.allclose(given, own, rtol=0, atol=near):
        return None
    if given.shape == own.shape and np.array_equal(given, np.arange(given.size)):
        return None  # numbers of rows, no places
    distance = np.abs(np.asarray(given, float)[None] - own[:, None])
    found = distance.argmin(axis=1) if given.size else np.zeros(0, int)
    if not given.size or given.size != own.size or (distance.min(axis=1) > near).any():
        raise InputError(
            f"{said} of what is given, {_span(given)}, is not the model's, {_span(own)}"
        )
    return found


def _check_others(value: Any, place: Place, dims: Mapping[str, str]) -> None:
    """Raises InputError: a coordinate of two dimensions says that the points lie elsewhere."""
    for name, coordinate in getattr(value, "coords", {}).items():
        own_dims, own = place.coordinates.get(str(name), ((), None))
        mine = tuple(dims.get(str(dim), "") for dim in coordinate.dims)
        if own is None or len(mine) < 2 or set(mine) != set(own_dims):
            continue
        there = coordinate.values.transpose([mine.index(dim) for dim in own_dims])
        if there.shape != own.shape or not np.allclose(there, own, rtol=1e-5, atol=1e-5):
            raise InputError(
                f"{place.name}: {name} of what is given says that its points lie elsewhere than the"
                " model's, or in another order"
            )


def _check_meaning(value: Any, place: Place) -> None:
    """Raises InputError: its standard_name is that of another quantity."""
    row = quantities.of(place.name)
    said = checks.said_by(place.name, value) if hasattr(value, "coords") else None
    if row is not None and said is not None and (why := checks.other_quantity(said, row)):
        raise InputError(
            f"{place.name}: what is given {why}; give its values alone to use it nevertheless"
        )


def in_units(numbers: np.ndarray, given: str, place: Place) -> np.ndarray:
    """Returns numbers of a unit in that of a place. InputError: it is no such unit."""
    if not given or not place.units or given == place.units:
        return numbers
    try:
        factor, offset = of_units.conversion(given, place.units)
    except ValueError as error:
        raise InputError(f"{place.name} in {place.units!r}: {error}") from None
    return numbers if (factor, offset) == (1.0, 0.0) else numbers * factor + offset


def _span(values: np.ndarray) -> str:
    return f"{values[0]:.6g} to {values[-1]:.6g} ({values.size})" if values.size else "empty"


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 60 else f"{text[:56]} ..."
