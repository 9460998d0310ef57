"""The states of an area in a file at the columns of a smaller one: by the sixteen points around on
its map, wind along the axes of that. Only the points around the columns are read.

    hybrid levels      as those of a larger area that runs beside it (columns_over_ground.py)
    levels of pressure as a forecast starts from them (initial.py)
    levels of height   of a grid-point atmosphere: cubic in ln p (columns_of_heights.py)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.atmosphere.gridpoint.diagnostics import in_layers
from fathom.atmosphere.remap import columns_of_heights, initial
from fathom.atmosphere.remap.at_places import OnMap
from fathom.atmosphere.remap.columns_over_ground import in_columns
from fathom.atmosphere.remap.given_state import PointsOnMap
from fathom.base import earth, moist_air
from fathom.base.failure import InputError
from fathom.data import area_state
from fathom.grids.hybrid import REFERENCE, interfaces_of
from fathom.grids.levels import HybridLevels, SigmaLevels
from fathom.model.component import Array

if TYPE_CHECKING:
    import xarray as xr

    from fathom.atmosphere.remap.around_area import Receiver

LOG_PRESSURE, LOG_REFERENCE = "log_air_pressure", math.log(REFERENCE)
of_heights = ("air_pressure", "geopotential", "surface_air_pressure", "surface_geopotential")


class StoredArea:
    """A file of an area, for a smaller one.

    data : its states in time (fathom/data/area_state.py).
    receiver : what the smaller one takes of a state.
    said : how errors call the file.
    """

    def __init__(self, data: xr.Dataset, receiver: Receiver, said: str) -> None:
        self.data, self.receiver, self.said = data, receiver, said
        self.kind = next((n for n in ("pressure", "height") if n in data.dims), "hybrid")
        self.tracers = [
            n
            for n in dict.fromkeys((*receiver.air.tracer_names, "specific_humidity"))
            if n in data and data[n].ndim == 4
        ]  # as OnMap asks for them
        wanted = [*area_state.winds, "air_temperature"]
        wanted += of_heights if self.kind == "height" else []
        if lacking := [n for n in wanted if n not in data]:
            raise InputError(
                f"{said} lacks {', '.join(lacking)}: an area inside it needs"
                f" {', '.join(wanted)} on its levels"
            )
        self.grid = PointsOnMap(area_state.points_of(data), self._levels())
        grid = receiver.where.grid
        self.there = np.asarray(grid.wet_levels) > 0
        longitude, latitude = (places[self.there] for places in grid.coordinates())
        self.at = OnMap(self, self._collected, longitude, latitude)
        self.record: Any = None

    def _levels(self) -> Any:
        if self.kind == "hybrid":
            return HybridLevels(a=list(self.data.ap.values), b=list(self.data.b.values))
        return SigmaLevels(self.data.sizes[self.kind])  # as many; no columns are made of them

    def _collected(self, wanted: list[Any], name: str) -> dict[int, Array]:
        """Returns a rectangle (first and end row, first and end column) of a field of the present
        record.
        """
        ((j0, j1, i0, i1),) = wanted
        part = self.record.isel(y=slice(j0, j1), x=slice(i0, i1))
        size = j1 - j0, i1 - i0
        if name == LOG_PRESSURE:
            return {0: np.log(area_state.field(part, "air_pressure", size))}
        if name not in area_state.winds:
            return {0: area_state.field(part, name, size)}
        pair = [area_state.field(part, n, size) for n in area_state.winds]
        places = part.longitude.values, part.latitude.values
        along = self.grid.area.projection.along_axes(*pair, *places)
        return {0: along[area_state.winds.index(name)]}

    def state(self, number: int) -> dict[str, Array]:
        """Returns a record as `set` takes it."""
        self.record = self.data.isel(time=number)
        own = np.asarray(self.receiver.where.ground)[self.there]
        found = getattr(self, f"_of_{self.kind}")(own)
        shape = self.there.shape if self.there.all() else self.receiver.where.grid.points[::-1]
        result: dict[str, Array] = self.receiver.where.whole(
            {name: v.reshape(*v.shape[:-1], *shape) for name, v in found.items()}
        )
        return result

    def _wind(self) -> dict[str, Array]:
        return dict(zip(area_state.winds, self.at.wind()))

    def _of_hybrid(self, own: Array) -> dict[str, Array]:
        source = {n: self.at(n) for n in ("log_pressure_ratio", "air_temperature", *self.tracers)}
        ground = self.at("surface_geopotential")[0] if "surface_geopotential" in self.data else own
        levels = self.grid.levels, self.receiver.levels
        found = in_columns(source | self._wind(), *levels, ground, own)
        ratio = found.pop("log_pressure_ratio")[0]
        return found | {"log_surface_pressure": ratio + LOG_REFERENCE}

    def _of_pressure(self, own: Array) -> dict[str, Array]:
        pressure = self.data.pressure.values.astype(float)
        source = {n: self.at(n) for n in ("air_temperature", "geopotential")} | self._wind()
        source["relative_humidity"] = (
            moist_air.relative_humidity(
                self.at("specific_humidity"), source["air_temperature"], pressure[:, None]
            )
            if "specific_humidity" in self.data
            else np.zeros_like(source["geopotential"])
        )
        if {"surface_air_pressure", "surface_geopotential"} <= {*self.data.data_vars}:
            source["surface_geopotential"] = self.at("surface_geopotential")[0]
            ratio = self.at("log_pressure_ratio")[0]
            source["surface_air_pressure"] = REFERENCE * np.exp(ratio)
        levels = interfaces_of(self.receiver.levels)
        found = initial.in_columns(source, np.log(pressure), *levels, own)
        found.pop("surface_geopotential")
        return found

    def _of_height(self, own: Array) -> dict[str, Array]:
        tracers = {name: self.at(name) for name in self.tracers}
        warm = self.at("air_temperature")
        if "specific_humidity" in tracers:
            humid = in_layers(tracers["specific_humidity"])
            warm = moist_air.virtual_temperature(warm, humid)
        height = self.at("geopotential") / earth.STANDARD_GRAVITY
        ground = self.at("surface_geopotential")[0] / earth.STANDARD_GRAVITY
        up = (ground - height[-1]) / (height[-2] - height[-1])
        below = columns_of_heights.lower
        columns = columns_of_heights.Columns(
            below(warm, warm[-1] + up * (warm[-2] - warm[-1])),
            np.exp(below(self.at(LOG_PRESSURE), self.at("log_pressure_ratio")[0] + LOG_REFERENCE)),
            below(height, ground),
        )
        scale = earth.STANDARD_GRAVITY / (moist_air.GAS_CONSTANT * moist_air.LAPSE_RATE)
        h, levels = own / earth.STANDARD_GRAVITY, self.receiver.levels
        return columns_of_heights.on_layers(
            columns, self.at.wind(), tracers, levels, h, scale, moist=True
        )
