"""The state of a simulation as an xarray.Dataset: fields by name, to be read and set between steps.

    state = simulation.state
    state["temperature"].mean()                     # a DataArray on the model's grid
    state["temperature"] += 0.1                     # the model's field is set, on all ranks
    state["salinity"][0] = 35.0                     # a part of it
    state["temperature"].loc[{"latitude": slice(60, 90)}] = 2.0

Nothing is copied until it is read: a variable is a `FieldArray`, which gathers the field from
all ranks when it is read, and gives each rank its part when it is set. So all ranks read and set
together, with the same values. Where there is no water, values are NaN, and values set there are
ignored. What xarray says of an array that is set counts: dimensions, coordinates, units
(fathom/data/input/labelled.py).
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import xarray as xr

from fathom import output
from fathom.base.failure import InputError, beside
from fathom.base.near import unknown
from fathom.data.input.labelled import Place, arranged, in_units, plain, says

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation

# attributes that say in a file how its variables belong together
encoded = ("bounds", "cell_measures", "coordinates", "formula_terms")


class FieldArray(np.lib.mixins.NDArrayOperatorsMixin):
    """A field of a running model as an array of NumPy: (levels, ny, nx) or (ny, nx)."""

    flags = np.zeros(1).flags  # it can be written: xarray asks after an error in what is set

    place: Place | None = None  # dimensions and coordinates, where it is one of the state

    def __init__(self, simulation: Simulation, field: dict[str, Any]) -> None:
        # Weak: Python's collector deletes the arrays that xarray keeps, on each rank at another
        # time; a simulation must be deleted on all ranks at once.
        self._weak = weakref.ref(simulation)
        self.field = field
        rows_and_columns = np.shape(simulation.model.grid.wet_levels)
        flat = field["vertical"] == "column"
        self.shape = rows_and_columns if flat else (field["levels"], *rows_and_columns)
        self.dtype = np.dtype(f"f{simulation.bytes_of_number}")

    @property
    def _simulation(self) -> Any:
        if (simulation := self._weak()) is None:
            raise InputError(
                f"the simulation of this '{self.field['name']}' is gone: keep it in a variable"
            )
        return simulation

    @property
    def ndim(self) -> int:
        """Returns the number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Returns the number of values."""
        return int(np.prod(self.shape))

    @property
    def nbytes(self) -> int:
        """Returns the bytes of its values."""
        return self.size * self.dtype.itemsize

    def read(self) -> np.ndarray:
        """Returns the whole field on every rank; called by all. It cannot be written: set the
        field.
        """
        s = self._simulation
        whole: np.ndarray = s.gather(self.field["name"])
        if s.comm.rank != 0:
            whole = np.empty((self.field["levels"], *self.shape[-2:]), self.dtype)
        s.comm.Bcast(whole, 0)
        whole = whole.reshape(self.shape)
        whole[~self.wet()] = np.nan
        whole.setflags(write=False)
        return whole

    def write(self, values: Any) -> None:
        """Sets the whole field; called by all ranks with the same values, which broadcast.

        ValueError: another shape, or NaN where there is water.
        """
        s, name = self._simulation, self.field["name"]
        if isinstance(values, xr.Dataset):
            raise InputError(f"'{name}': given is a Dataset; give one of its arrays")
        named = self.place is not None and says(values)
        values = arranged(values, cast(Place, self.place)) if named else plain(values, name)
        try:
            values = np.broadcast_to(values, self.shape)
        except ValueError:
            raise InputError(f"'{name}' is {self.shape}; given is {values.shape}") from None
        wet = self.wet()
        if (bad := wet & ~np.isfinite(values)).any():
            *k, j, i = np.argwhere(bad)[0]
            raise InputError(
                f"'{name}' is set to {values[(*k, j, i)]} at {s.model.grid.place(j, i, *k)}"
                f"{beside(bad)}"
            )
        s.fields.set(name, np.where(wet, values, 0.0))
        s.changed = True
        s.set_between[name] = str(s.date)

    def in_its_units(self, values: Any) -> np.ndarray:
        """Returns the numbers of a labelled array in the unit of the field."""
        numbers, units = plain(values.values, self.field["name"]), values.attrs.get("units", "")
        return in_units(numbers, str(units), self.place) if self.place else numbers

    def wet(self) -> np.ndarray:
        """Returns where there is water or air, of the shape of the field."""
        grid = self._simulation.model.grid
        levels = grid.corner_levels if self.field["horizontal"] == "corner" else grid.wet_levels
        levels = np.asarray(levels)
        if self.ndim == 2:
            return levels > 0
        if self.field["vertical"] == "interface":
            levels = levels + (levels > 0)
        return np.arange(self.shape[0])[:, None, None] < levels

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.read() if dtype is None else self.read().astype(dtype)

    def __getitem__(self, key: Any) -> Any:
        return self.read()[key]

    def __setitem__(self, key: Any, values: Any) -> None:
        whole = self.read().copy()
        whole[key] = values
        self.write(whole)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        into = keywords.pop("out", ())
        result = getattr(ufunc, method)(*map(_numbers, inputs), **keywords)
        if not into:
            return result
        for target, values in zip(into, result if ufunc.nout > 1 else [result], strict=True):
            target.write(values) if isinstance(target, FieldArray) else np.copyto(target, values)
        return into if len(into) > 1 else into[0]

    def __array_function__(self, function: Any, _: Any, given: Any, keywords: Any) -> Any:
        return function(*map(_numbers, given), **{k: _numbers(v) for k, v in keywords.items()})

    def transpose(self, *axes: Any) -> np.ndarray:
        """Returns the values with other axes."""
        return self.read().transpose(*axes)

    def astype(self, dtype: Any, **how: Any) -> np.ndarray:
        """Returns the values as another type."""
        return self.read().astype(dtype, **how)

    def __deepcopy__(self, _: Any) -> np.ndarray:
        return self.read().copy()

    def __repr__(self) -> str:
        return f"<field '{self.field['name']}' of a simulation, {self.shape} {self.dtype}>"

    def _repr_inline_(self, _: int) -> str:
        return f"{self.field['name']} of the model"


def _numbers(thing: Any) -> Any:
    """Returns NumPy's own array of a field, also inside lists and tuples."""
    if isinstance(thing, FieldArray):
        return thing.read()
    if isinstance(thing, (list, tuple)):
        return type(thing)(map(_numbers, thing))
    return thing


class FieldVariable(xr.Variable):
    """A variable of the state: what is put in place of its numbers is put into the model."""

    __slots__ = ()

    @property
    def data(self) -> Any:
        """Returns the field."""
        return super().data

    @data.setter
    def data(self, values: Any) -> None:
        held: Any = self._data
        if isinstance(held, FieldArray) and values is not held:
            held.write(values)
        elif not isinstance(held, FieldArray):
            xr.Variable.data.fset(self, values)  # type: ignore[attr-defined]

    def give_place(self, name: str, units: str, places: Any) -> None:
        """Tells its field where its values lie. places: coordinates of the state."""
        dims = tuple(map(str, self.dims))
        held: Any = self._data
        held.place = Place(name, str(self.attrs.get("units", units)), dims, places)

    def __setitem__(self, key: Any, value: Any) -> None:
        held: Any = self._data
        if isinstance(held, FieldArray) and says(value):
            value = value.copy(data=held.in_its_units(value), deep=False)
        super().__setitem__(key, value)  # type: ignore[no-untyped-call]


class State(xr.Dataset):  # type: ignore[no-untyped-call]
    """All fields of the state, and what else the model keeps between steps."""

    __slots__ = ()

    @classmethod
    def of(cls, simulation: Simulation) -> State:
        """Returns the state of a prepared simulation. All ranks call it."""
        model = simulation.model
        fields = {f["name"]: f for f in simulation.fields.fields}
        shown = _shown(model, fields)
        mapping = _mapping(model)
        specifications = {
            name: output.variable(
                name,
                mapping,
                place=(fields[name]["horizontal"], fields[name]["vertical"]),
                units=fields[name]["units"],
            )
            for name in shown
        }
        variables = {
            name: FieldVariable(
                one.dims[1:], FieldArray(simulation, fields[name]), _plain(one.attributes)
            )
            for name, one in specifications.items()
        }
        at: dict[str, xr.Variable] = {
            name: xr.Variable(dims, values, _plain(about))
            for name, (dims, values, about) in output.coordinates(
                mapping, specifications.values()
            ).items()
            if name not in variables and not name.endswith("_bounds")
        }
        places = {str(name): (tuple(map(str, one.dims)), one.values) for name, one in at.items()}
        for name, one in variables.items():
            one.give_place(name, fields[name]["units"], places)
        at["time"] = xr.Variable((), _date(simulation.date))
        return cls(variables, at)

    @property
    def _live(self) -> list[str]:
        """Returns names of the fields of the model that it shows."""
        held = self.variables.items()
        return [str(name) for name, one in held if isinstance(one._data, FieldArray)]

    def __setitem__(self, key: Any, value: Any) -> None:
        live = self._live
        if not live or isinstance(key, dict):
            return super().__setitem__(key, value)
        if not isinstance(key, str):
            return self._set_several(list(key), value)
        if key not in live:
            raise InputError(
                unknown("field of the state", key, live)
                + "; variables of your own go into a copy: state.copy(deep=True)"
            )
        held: Any = self.variables[key]._data
        if getattr(value, "variable", value) is self.variables[key] or value is held:
            return None  # state[key] += 1 has written already
        if isinstance(value, tuple):
            raise InputError(f"'{key}': give an array, not (dimensions, array)")
        held.write(value)
        return None

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and name in self._live:
            self[name] = value
        else:
            super().__setattr__(name, value)

    def _set_several(self, keys: list[Any], value: Any) -> None:
        """Sets several fields from a data set, or all from one number."""
        for key in keys:
            self[key] = value[key] if isinstance(value, (xr.Dataset, dict)) else value

    def update(self, other: Any) -> None:
        """Sets the fields of the model from a data set or a dictionary."""
        if not self._live:
            super().update(other)
            return
        for name in other:
            self[name] = other[name]

    def assign(self, variables: Any = None, **named: Any) -> Any:
        """Returns another data set with these variables; the model keeps its own."""
        plain = xr.Dataset(dict(self.data_vars), dict(self.coords), self.attrs)
        return plain.assign(variables, **named)


def _shown(model: Any, fields: dict[str, Any]) -> list[str]:
    """Returns fields that can be looked at between steps: the prognostic ones first."""
    first = [name for name in model.prognostic if name in fields]
    others = [
        name
        for name, f in fields.items()
        if f["vertical"] != "profile" and f["stays"] and (f["state"] or name in model.report_fields)
    ]
    return [*first, *(name for name in others if name not in first)]


def _mapping(model: Any) -> dict[str, Any]:
    """Returns the model's own grid, as `output.coordinates` takes it; of reduced rows too."""
    grid = model.grid
    mapping: dict[str, Any] = grid.mapping()
    if not grid.reduced:
        return mapping
    h, (longitude, latitude) = grid.horizontal, grid.coordinates()
    return mapping | {
        "longitude": longitude,
        "latitude": latitude,
        "corner_longitude": np.asarray(h.corner_longitude),
        "corner_latitude": np.asarray(h.corner_latitude),
    }


def _plain(attributes: Any) -> dict[str, Any]:
    return {key: value for key, value in attributes.items() if key not in encoded}


def _date(date: Any) -> Any:
    """Returns NumPy's own date where the calendar has the same days."""
    if date.calendar != "standard":
        return date
    return np.datetime64(date.strftime("%Y-%m-%dT%H:%M:%S"), "ns")
