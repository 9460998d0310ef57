"""What a calibration compares: numbers of a run (equivalents), what they should be, and errors.

[calibration.costs.NAME] has a `kind`:
    mean       the mean of an output over an area and a period is `value`
    twin       an output, in boxes, is that of another run (`file`), as of a twin
    observed   departures of a base of observations within the run ([observations] of the file):
               their means by variable and band of latitude are nothing
    function   a function of the user's in `python`: run's folder -> numbers, by xarray, say
"""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from fathom.assimilation.observations import base
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.output import fields_in_time
from fathom.output import open as open_store

Array = np.ndarray
names_of = {"lat": ("latitude", "lat", "y"), "lon": ("longitude", "lon", "x")}


@dataclass
class Cost:
    """A part of the data. kind: as above; output: name of an output of the file; variables: of it.

    mean : `minus`, variables that are taken off (a balance); latitude, depth: (least, most);
        last: records of the end that count, 0: all.
    twin : file, of the reference; boxes: points along each axis that are averaged.
    observed : `departures`, the path of [observations] in the folder of the run; variables, and
        `reports` (kinds; all, where none is named); latitude, depth: (least, most); bands: equal
        parts of the latitudes; least: data of a variable in a band that count.
    function : its name in the file `python`.
    """

    name: str
    kind: str
    value: Any = None
    error: Any = None
    output: str = ""
    variables: list[str] = field(default_factory=list)
    minus: list[str] = field(default_factory=list)
    latitude: list[float] | None = None
    depth: list[float] | None = None
    last: int = 0
    file: str = ""
    boxes: int = 4
    departures: str = "departures.parquet"
    reports: list[str] = field(default_factory=list)
    bands: int = 1
    least: int = 1
    function: str = ""
    python: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ways:
            raise InputError(unknown(f"kind of the cost {self.name}", str(self.kind), ways))
        for key in needed[self.kind]:
            if getattr(self, key) in (None, "", []):
                raise InputError(f"the cost {self.name} of the kind {self.kind!r} needs {key}")
        errors = np.atleast_1d(np.asarray(1.0 if self.error is None else self.error, float))
        if not (errors > 0).all():
            raise InputError(f"the cost {self.name}: error = {self.error!r} must be above 0")
        for key in ("variables", "reports"):
            if isinstance(named := getattr(self, key), str):
                setattr(self, key, [named])
        for key in ("bands", "least"):
            if type(number := getattr(self, key)) is not int or number < 1:
                raise InputError(
                    f"the cost {self.name}: {key} = {number!r} must be a whole number from 1 on"
                )
        if self.kind == "observed":
            base.codes("variable", np.array(self.variables))
            base.codes("kind", np.array(self.reports, "U16"))

    def of_run(self, run: Path) -> Array:
        """Returns the equivalents of a run, of its folder."""
        return np.atleast_1d(np.asarray(ways[self.kind](self, run), float)).ravel()

    def data(self) -> Array | None:
        """Returns what they should be; None: one value for all (`value`)."""
        return self._boxed_reference() if self.kind == "twin" else None

    def _boxed_reference(self) -> Array:
        with open_store(self.file) as reference:
            return _boxed(self, reference)

    def wanted(self, equivalents: Array) -> tuple[Array, Array]:
        """Returns data and errors of these equivalents. InputError: not as many."""
        data = self.data()
        given = np.atleast_1d(np.asarray(0.0 if self.value is None else self.value, float))
        data = given if data is None else data
        made = []
        for what, x in (("value", data), ("error", np.atleast_1d(np.asarray(self.error, float)))):
            if x.size not in (1, equivalents.size):
                raise InputError(
                    f"the cost {self.name}: {equivalents.size} numbers of a run, {x.size} of {what}"
                )
            made.append(np.broadcast_to(x.ravel(), equivalents.shape).copy())
        return made[0], made[1]


def costs_of(tables: Mapping[str, Any], folder: Path) -> list[Cost]:
    """Returns the costs of [calibration.costs]. InputError: there is none, or a key is unknown."""
    known = [name for name in Cost.__dataclass_fields__ if name != "name"]
    made = []
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise InputError(f"the cost {name} = {table!r} must be a table with kind")
        if strange := [key for key in table if key not in known]:
            raise InputError(unknown(f"key of the cost {name}:", strange[0], known))
        one = Cost(name, **{"kind": "", **table})
        for key in ("file", "python"):
            if said := getattr(one, key):
                beside = folder / said
                setattr(one, key, str((beside if beside.exists() else Path(said)).resolve()))
        made.append(one)
    if not made:
        raise InputError("a calibration needs [calibration.costs.NAME] with a kind")
    return made


# ---- equivalents ---------------------------------------------------------------------------------


def _mean(cost: Cost, run: Path) -> Array:
    with open_store(run / cost.output) as store:
        total = sum(_mean_of(cost, store, v) for v in cost.variables)
        return np.asarray(total - sum(_mean_of(cost, store, v) for v in cost.minus))


def _mean_of(cost: Cost, store: xr.Dataset, name: str) -> float:
    """Returns the mean of a variable over an area, layers and the last records."""
    x = variable(store, name)
    x = x.isel(time=slice(-cost.last, None)) if cost.last and "time" in x.dims else x
    weights = xr.ones_like(x.isel(time=-1) if "time" in x.dims else x)
    latitude = _coordinate(x, "lat")
    if latitude is not None and latitude.attrs.get("units", "").startswith("degree"):
        weights = weights * np.cos(np.deg2rad(latitude))
        if cost.latitude:
            inside = (latitude >= cost.latitude[0]) & (latitude <= cost.latitude[1])
            x = x.where(inside)
    elif cost.latitude:
        raise InputError(f"the cost {cost.name}: {name} has no latitude in degrees")
    if cost.depth:
        if "depth" not in x.dims:
            raise InputError(f"the cost {cost.name}: {name} has no depth")
        x = x.where((x.depth >= cost.depth[0]) & (x.depth <= cost.depth[1]))
    return float(x.weighted(weights.fillna(0.0)).mean())


def variable(store: xr.Dataset, name: str) -> xr.DataArray:
    """Returns a variable by its name, or by that which files have."""
    name = name if name in store else fields_in_time(store).get(name, name)
    if name not in store:
        raise InputError(unknown("variable of the output", name, [str(v) for v in store.data_vars]))
    return store[name]


def _coordinate(x: xr.DataArray, which: str) -> xr.DataArray | None:
    return next((x[n] for n in names_of[which] if n in x.coords), None)


def _twin(cost: Cost, run: Path) -> Array:
    with open_store(run / cost.output) as store:
        return _boxed(cost, store)


def _boxed(cost: Cost, store: xr.Dataset) -> Array:
    """Returns means over boxes of the last records, one variable after another."""
    parts = []
    for name in cost.variables:
        x = variable(store, name)
        x = x.isel(time=slice(-max(cost.last, 1), None)) if "time" in x.dims else x
        sizes = {d: min(cost.boxes, x.sizes[d]) for d in x.dims[-2:]}
        x = x.coarsen(sizes, boundary="trim").mean()
        parts.append(x.values.ravel())
    joined = np.concatenate(parts)
    found: Array = joined[np.isfinite(joined)]
    return found


def _observed(cost: Cost, run: Path) -> Array:
    """Returns means of model minus observation, of each variable from south to north."""
    data = base.read(run / cost.departures)
    away = -data["background_departure"]
    taken = data.used & np.isfinite(away)
    latitude = data["latitude"]
    south, north = cost.latitude or (-90.0, 90.0)
    taken &= (latitude >= south) & (latitude <= north)
    if cost.depth:
        taken &= (data["depth"] >= cost.depth[0]) & (data["depth"] <= cost.depth[1])
    if cost.reports:
        taken &= np.isin(data["kind"], base.codes("kind", np.array(cost.reports)))
    edges = np.linspace(south, north, cost.bands + 1)
    band = np.clip(np.searchsorted(edges, latitude, side="right") - 1, 0, cost.bands - 1)
    found = []
    for name in cost.variables:
        for n in range(cost.bands):
            these = away[taken & data.variable_is(name) & (band == n)]
            if len(these) < cost.least:
                raise InputError(
                    f"the cost {cost.name}: {len(these)} data of {name} from {edges[n]:g} to"
                    f" {edges[n + 1]:g} degrees have a departure; least = {cost.least}"
                )
            found.append(these.mean())
    return np.array(found)


def _function(cost: Cost, run: Path) -> Array:
    names = runpy.run_path(cost.python)
    if not callable(names.get(cost.function)):
        raise InputError(f"{cost.python} has no function {cost.function!r}")
    made: Array = np.asarray(names[cost.function](run), float)
    return made


ways = {"mean": _mean, "twin": _twin, "observed": _observed, "function": _function}
needed = {
    "mean": ("output", "variables", "value", "error"),
    "twin": ("output", "variables", "file", "error"),
    "observed": ("variables", "error"),
    "function": ("python", "function", "value", "error"),
}
