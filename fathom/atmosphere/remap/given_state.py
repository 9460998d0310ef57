"""The state that an atmosphere starts from, where another atmosphere gives it: a running
simulation, its restart, or a file of a limited area, of Fathom or of others. All lie in blocks over
the same ranks, so what follows is the same: of a simulation and its restart bit for bit.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fathom.atmosphere.spectral.reference import Constants
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.base.reading import once
from fathom.data import area_state, atmosphere
from fathom.grids.gaussian import GaussianGrid
from fathom.grids.latitude_longitude import LatitudeLongitudeGrid
from fathom.grids.levels import HeightLevels, HybridLevels, SigmaLevels
from fathom.grids.limited_area import LimitedAreaGrid
from fathom.grids.periodic_plane import PeriodicPlane
from fathom.grids.regrid import projections
from fathom.grids.regrid.rows import Scattered
from fathom.grids.rotated import RotatedGrid
from fathom.grids.whole_area import WholeArea
from fathom.model.component import Array
from fathom.output.formats import restart


def is_given(analysis: Any) -> bool:
    """Returns whether an analysis is another atmosphere: a simulation, the path of a restart, or
    the state of a limited area in a file or a data set (fathom/data/area_state.py).
    """
    if hasattr(analysis, "data_vars"):
        return area_state.is_area(analysis)
    if hasattr(analysis, "sequence") or str(analysis).endswith(".fathom"):
        return True
    return atmosphere.is_area_file(str(analysis))


def described_geometry(model: Any) -> dict[str, Any]:
    """Returns the geometry that a restart describes, for those that start from it elsewhere."""
    grid, levels = model.grid, model.grid.levels
    if model.on_heights:
        vertical = {
            "heights": list(map(float, levels.interfaces[::-1])),
            "decay": levels.decay,
            "constants": model.constants._asdict(),
        }
    else:
        vertical = {"a": list(map(float, levels.a)), "b": list(map(float, levels.b))}
    return {
        **_geometry(grid),
        **vertical,
        "radius": grid.radius,
        "temperature": model.temperature,
        "tracers": list(model.tracers),
        "boundary": list(model.boundary),
    }


def _geometry(grid: Any) -> dict[str, Any]:
    """Returns the geometry of a sphere, of an area on a map, or of a plane without
    places on earth.
    """
    if isinstance(grid, LatitudeLongitudeGrid):
        return {"columns": grid.shape[2], "rows": grid.shape[1]}
    if isinstance(grid, RotatedGrid):
        return {
            "rotated": list(grid.centre),
            "points": list(grid.points),
            "resolution": grid.spacing,
            "coupling": grid.coupling,
            "rim": grid.rim,
        }
    if isinstance(grid, GaussianGrid):
        return {
            "truncation": grid.truncation,
            "grid": grid.grid,
            "reduced": grid.reduced,
            "stretching": grid.stretching,
            "pole": list(grid.pole),
        }
    if not isinstance(grid, (WholeArea, PeriodicPlane)):
        return {}
    area = {"size": list(grid.size), "points": list(grid.points)}
    if isinstance(grid, PeriodicPlane):
        return area
    kind: Any = grid.area.projection
    return area | {
        "projection": [type(kind).__name__, kind.longitude, kind.latitude],
        "centre": list(grid.area.centre),
        "resolution": grid.spacing,
        "coupling": grid.area.coupling,
    }


def is_area(grid: Any) -> bool:
    """Returns whether a grid is an area of the earth."""
    return isinstance(grid, (WholeArea, RotatedGrid))


def lies_on_earth(grid: Any) -> bool:
    """Returns whether a grid is the whole sphere in rows, or an area of the earth."""
    return grid.truncation is not None or is_area(grid)


class Given:
    """Fields of an atmosphere A, cut into the blocks of this rank: `grid`, `domain`, `temperature`
    (the name of its field), `tracers`, `boundary`, `date`. Of one on levels of height `constants`
    are those of its air, and its ground is the lowest interface.
    """

    constants: Any = None
    pressure: Any = None  # [Pa] of the levels of one that has no layers
    whole = True  # whether fields of an area are known in its extension too
    complete = True  # whether what lies below is given, as far as it is known

    grid: Any
    domain: Any
    date: Any
    temperature: str
    tracers: list[str]
    boundary: list[str]
    columns: set[str]  # fields without layers
    rank: int

    def has(self, name: str) -> bool:
        """Returns whether it has a field."""
        raise NotImplementedError

    def windows(self, name: str) -> list[np.ndarray]:
        """Returns (levels, rows, columns) of each block of this rank."""
        raise NotImplementedError

    @property
    def on_heights(self) -> bool:
        """Returns whether its levels are heights."""
        return self.constants is not None

    def _ground(self) -> list[np.ndarray]:
        """Returns surface_geopotential of one on levels of height."""
        return [self.constants.gravity * w[-1:] for w in self.windows("interface_height")]

    def by_rows(self, name: str, over_map_factor: bool = False) -> list[np.ndarray]:
        """Returns the field as transforms take it, (rows, levels, columns); of wind u / m."""
        blocks = [w.swapaxes(0, 1).astype(float, order="C") for w in self.windows(name)]
        if over_map_factor and self.grid.stretching > 1:
            factor = self.grid.sphere.map_factor(self.grid.latitude)
            table = {row[0]: int(row[2]) for row in self.domain.decomposition.blocks}
            first = [table[n] for n in self.domain.decomposition.of(self.rank)]
            for block, j in zip(blocks, first):
                block /= factor[j : j + len(block), None, None]
        return blocks


class OfSimulation(Given):
    """The present state of a simulation."""

    def __init__(self, simulation: Any, comm: Any) -> None:
        grid = simulation.model.grid
        if not lies_on_earth(grid):
            raise InputError(
                f"analysis = a simulation of {type(simulation.model).__name__}: allowed is one of"
                " SpectralAtmosphere, of GridPointAtmosphere on a LatitudeLongitudeGrid or a"
                " RotatedGrid, or of LimitedAreaAtmosphere on a LimitedAreaGrid"
            )
        same = (mpi.MPI.IDENT, mpi.MPI.CONGRUENT)
        if mpi.MPI.Comm.Compare(simulation.comm, comm) not in same:
            raise InputError(
                "analysis = a simulation on other ranks: both must be on the same; give its restart"
            )
        self.simulation, model = simulation.prepare(), simulation.model
        self.grid, self.domain, self.rank = model.grid, simulation.domain, comm.rank
        self.temperature, self.tracers = model.temperature, model.tracers
        self.boundary, self.date = list(model.boundary), simulation.date
        self.constants = model.constants if model.on_heights else None
        self.columns = {f["name"] for f in simulation.fields.fields if f["vertical"] == "column"}

    def has(self, name: str) -> bool:
        """Returns whether the simulation has a field."""
        result: bool = self.simulation.fields.has(name)
        return result

    def windows(self, name: str) -> list[np.ndarray]:
        """Returns a field in the blocks of this rank, (levels, rows, columns)."""
        if self.on_heights and name == "surface_geopotential":
            return self._ground()
        result: list[np.ndarray] = self.simulation.fields.windows(name)
        return result


class OfRestart(Given):
    """The state in a restart; each rank keeps its blocks."""

    def __init__(self, path: Path, simulation: Any) -> None:
        header, names = _head(path)
        self.grid, told = grid_of(header, path), header.extra["geometry"]
        self.temperature, self.tracers = told["temperature"], told["tracers"]
        self.boundary = told["boundary"]
        self.constants = Constants(**told["constants"]) if "constants" in told else None
        self.date = type(simulation.clock)(header.start, header.calendar).date(header.seconds)
        self.rank = simulation.comm.rank
        self.domain = simulation.domain_of(self.grid, 0)
        self.held = self._read(path, names, simulation)
        self.columns = {name for name, blocks in self.held.items() if len(blocks[0]) == 1}

    def _read(self, path: Any, names: Any, simulation: Any) -> Any:
        """Returns each field once, by the readers; kept is what lies in own blocks."""
        table = {row[0]: tuple(map(int, row[1:5])) for row in self.domain.decomposition.blocks}
        own = [table[n] for n in self.domain.decomposition.of(self.rank)]
        held: dict[str, list[np.ndarray]] = {}
        files: list[restart.Restart] = []

        def field(name: str) -> Array:
            if not files:
                files.append(restart.read(path))
            return np.ascontiguousarray(files[0][name])

        try:
            for name, values in simulation.readers.each(names, field, str(path)):
                held[name] = [values[:, j : j + ny, i : i + nx].copy() for i, j, nx, ny in own]
        finally:
            for file in files:
                file.close()
        return held

    def has(self, name: str) -> bool:
        """Returns whether the restart has a field."""
        return name in self.held

    def windows(self, name: str) -> list[np.ndarray]:
        """Returns a field in the blocks of this rank, (levels, rows, columns)."""
        if self.on_heights and name == "surface_geopotential":
            return self._ground()
        result: list[np.ndarray] = self.held[name]
        return result


class PointsOnMap(LimitedAreaGrid):
    """The points of a state on any map; no model runs on them."""

    def __init__(self, points: area_state.Points, levels: Any) -> None:
        super().__init__(
            points.centre,
            resolution=points.spacing,
            points=points.number,
            projection=points.projection,
            coupling=0,
            levels=levels,
            radius=points.projection.radius,
        )
        self.size, self.extension = self.points, (0, 0)

    @property
    def area(self) -> Any:
        """Returns itself: the same interface as of areas with an extension."""
        return self

    @cached_property
    def scattered(self) -> Any:
        """Returns the columns as regridding takes them."""
        longitude, latitude = self.coordinates()
        return Scattered(longitude, latitude, self.wet_levels > 0)


class OfArea(Given):
    """The state of a limited area in a file, or in a data set: that of the run's start, or the
    first. Each rank keeps its blocks.
    """

    temperature = "air_temperature"
    whole = complete = False

    def __init__(self, source: Any, simulation: Any) -> None:
        model = simulation.model
        start = str(simulation.date)
        head = _head_of_area(source, start, model.grid)
        self.points, self.pressure, self.date = head["points"], head["pressure"], head["date"]
        self.grid = self._grid(model.grid, head)
        self.rank, there = simulation.comm.rank, head["names"]
        self.tracers = [n for n in there if n in model.tracers or n == "specific_humidity"]
        self.boundary = [n for n in there if n in model.boundary]
        self.columns = {n for n, layers in there.items() if not layers} | {"log_pressure_ratio"}
        self.domain = simulation.domain_of(self.grid, 0)
        air = ["air_temperature", *area_state.winds, *self.tracers]
        air += [n for n in ("geopotential", "surface_geopotential") if n in there]
        air += ["log_pressure_ratio"] if head["has_pressure"] else []
        self.held = self._read(source, start, [*air, *self.boundary], simulation)
        self._turn_winds()

    def _grid(self, own: Any, head: Any) -> Any:
        """Returns the model's own grid with the levels given, where the points are the same."""
        levels = (
            SigmaLevels(len(self.pressure))  # more levels than this are layers
            if self.pressure is not None
            else HybridLevels(a=list(head["a"]), b=list(head["b"]))
        )
        if not head["same"] or not isinstance(own, WholeArea):
            return PointsOnMap(self.points, levels)
        area = own.area
        same = LimitedAreaGrid(
            area.centre,
            resolution=area.spacing,
            points=area.points,
            projection=area.projection,
            coupling=area.coupling,
            extension=area.extension,
            levels=levels,
            radius=area.radius,
        )
        return WholeArea(same)

    def _read(self, source: Any, start: Any, names: Any, simulation: Any) -> Any:
        """Returns each field once, by the readers; kept is what lies in own blocks."""
        table = {row[0]: tuple(map(int, row[1:5])) for row in self.domain.decomposition.blocks}
        own = [table[n] for n in self.domain.decomposition.of(self.rank)]
        records: list[Any] = []
        size = self.grid.size[::-1]

        def field(name: str) -> Any:
            if not records:
                records.append(area_state.record_at(_opened(source), start)[0])
            return area_state.field(records[0], name, size)

        held = {}
        for name, values in simulation.readers.each(names, field, str(source)):
            held[name] = [values[:, j : j + ny, i : i + nx].copy() for i, j, nx, ny in own]
        self.own = own
        return held

    def _turn_winds(self) -> None:
        """Turns winds to the axes of the map, as an area keeps them."""
        longitude, latitude = self.grid.coordinates()
        for n, (i, j, nx, ny) in enumerate(self.own):
            cut = (slice(j, j + ny), slice(i, i + nx))
            pair = [self.held[name][n] for name in area_state.winds]
            turned = self.grid.area.projection.along_axes(*pair, longitude[cut], latitude[cut])
            for name, values in zip(area_state.winds, turned):
                self.held[name][n] = values

    def has(self, name: str) -> bool:
        """Returns whether the file has a field."""
        return name in self.held

    def windows(self, name: str) -> list[np.ndarray]:
        """Returns a field in the blocks of this rank, (levels, rows, columns)."""
        result: list[np.ndarray] = self.held[name]
        return result


def _opened(source: Any) -> Any:
    if hasattr(source, "data_vars"):
        return atmosphere.complete(source)
    return atmosphere.open(str(source))


@once
def _head_of_area(source: Any, start: Any, grid: Any) -> dict[str, Any]:
    """Returns everything that the state of an area says, without its fields."""
    data, date = area_state.record_at(_opened(source), start)
    nx, ny = grid.points if is_area(grid) else (0, 0)
    own = [places[:ny, :nx] for places in grid.coordinates()] if nx else [np.zeros((0, 0))] * 2
    return {
        "points": area_state.points_of(data),
        "same": area_state.same_places(data, *own),
        "date": date,
        "names": {str(n): v.ndim > 2 for n, v in data.data_vars.items() if v.ndim > 1},
        "pressure": data.pressure.values.astype(float) if "pressure" in data.dims else None,
        "a": data.ap.values if "ap" in data else None,
        "b": data.b.values if "b" in data else None,
        "has_pressure": bool(
            {"surface_air_pressure", "log_surface_pressure"} & set(data.variables)
        ),
    }


@once
def _head(path: Any) -> tuple[Any, ...]:
    with restart.read(path) as file:
        return file.header, sorted(file.names)


def grid_of(header: Any, path: Any) -> Any:
    """Returns the grid that the header of a restart says. ValueError: it says none."""
    told = header.extra.get("geometry")
    if told and "heights" in told and ("columns" in told or "rotated" in told):
        return _of_heights(told)
    if told and "projection" in told:
        return _area_of(told)
    if not told or "truncation" not in told:
        raise InputError(
            f"analysis = {str(path)!r} has no geometry: it is of an older Fathom, or"
            " not of an atmosphere that has places on earth"
        )
    return GaussianGrid(
        told["truncation"],
        grid=told["grid"],
        reduced=told["reduced"],
        stretching=told["stretching"],
        pole=told["pole"],
        radius=told["radius"],
        levels=HybridLevels(a=told["a"], b=told["b"]),
    )


def _of_heights(told: dict[str, Any]) -> Any:
    levels = HeightLevels(heights=told["heights"], decay=told["decay"])
    if "columns" in told:
        return LatitudeLongitudeGrid(
            told["columns"], told["rows"], levels=levels, radius=told["radius"]
        )
    return RotatedGrid(
        centre=told["rotated"],
        resolution=told["resolution"],
        points=told["points"],
        coupling=told["coupling"],
        rim=told["rim"],
        levels=levels,
        radius=told["radius"],
    )


def _area_of(told: dict[str, Any]) -> WholeArea:
    kind, *places = told["projection"]
    return WholeArea(
        LimitedAreaGrid(
            told["centre"],
            resolution=told["resolution"],
            points=told["points"],
            projection=getattr(projections, kind)(*places, radius=told["radius"]),
            coupling=told["coupling"],
            extension=[n - inside for n, inside in zip(told["size"], told["points"])],
            levels=HybridLevels(a=told["a"], b=told["b"]),
            radius=told["radius"],
        )
    )


def given_state(analysis: Any, simulation: Any) -> Given:
    """Returns the state that `analysis` gives, as blocks on the ranks of the simulation."""
    if hasattr(analysis, "sequence"):
        return OfSimulation(analysis, simulation.comm)
    if str(analysis).endswith(".fathom"):
        return OfRestart(Path(analysis), simulation)
    return OfArea(analysis, simulation)
