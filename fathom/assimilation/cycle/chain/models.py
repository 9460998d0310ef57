"""The models of a chain: forecasts from restarts with all physics, and the state of a restart as a
vector on the grid of increments.

An analysis is a restart of its date with no step behind it: the first step of a forecast from it
is a first step, and any model starts from it (`analysis = "analysis.fathom"`).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.balance import Waves
from fathom.assimilation.cycle.chain.settings import Suite, of_model
from fathom.assimilation.maps import Vector
from fathom.assimilation.observations import equivalents
from fathom.atmosphere.remap.given_state import grid_of
from fathom.base import mpi
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.failure import InputError
from fathom.base.moist_air import RATIO
from fathom.grids.gaussian import GaussianGrid
from fathom.grids.regrid.schmidt import turned
from fathom.grids.transform import BiFourier, SphericalHarmonics
from fathom.grids.whole_area import WholeArea
from fathom.output.formats import restart
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document

vapour = 1 / RATIO - 1
least_humidity = 1e-6  # kg kg-1
wind = ("eastward_wind", "northward_wind")
ground = "surface_geopotential"
air = (*wind, "virtual_temperature", "log_pressure_ratio", "specific_humidity")
Fields = dict[str, np.ndarray]


def experiment(suite: Suite, settings: Sequence[str] = ()) -> Experiment:
    """Returns the experiment of the model's tables, with settings on top."""
    held = suite.document
    document = Document(held.text, held.name, [*suite.settings, *settings])
    for name in [n for n in document.tables if n not in of_model]:
        del document.tables[name]
    return Experiment(document)


def simulation(
    suite: Suite, folder: Path, start: np.datetime64, begin: Path | None,
    settings: Sequence[str] = (),
) -> Any:  # fmt: skip
    """Returns the simulation of a forecast in a folder, from a restart of the date `start`; without
    one, from [state].
    """
    own = [f'simulation.start="{str(start).replace("T", " ")}"', *suite.now, *settings]
    if begin is not None:  # it has the ground too
        own += [f'state={{analysis="{begin}"}}']
    made = experiment(suite, own).simulation(folder, overwrite=True)
    return made if begin is None else made.restore(begin)


def prepared(s: Any) -> Any:
    """Prepares a simulation. That of a restart has exactly its ground: a chain never rounds it
    again. All ranks call it.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the state given is of")
        s.prepare()
    if s.restart_from is not None:
        with restart.read(s.restart_from) as file:
            s.fields.set(ground, np.array(file[ground])[0].astype(float), 0)
    return s


def set_out(suite: Suite, fields: Fields, header: Any, date: np.datetime64, path: Path) -> None:
    """Writes fields as a restart of that date without a step behind it: what follows from the state
    is computed from it. All ranks call it.
    """
    raw = path.with_name(f"{path.stem}-raw.fathom")
    began = str(date).replace("T", " ")
    if mpi.is_root:
        path.parent.mkdir(parents=True, exist_ok=True)
        restart.write(raw, fields, replace(header, start=began, seconds=0.0, steps=0))
    mpi.world.barrier()  # it is there for all
    s = prepared(simulation(suite, path.parent, date, raw))
    s.sequence.start(s.fields)
    s.write_restart(path)
    mpi.world.barrier()  # nobody reads the file any more
    if mpi.is_root:
        raw.unlink()


def date_of(path: Path) -> np.datetime64:
    """Returns the date of a restart, to the second."""
    with restart.read(path) as file:
        header = file.header
    start = np.datetime64(header.start.replace(" ", "T"), "s")
    return start + np.timedelta64(round(header.seconds), "s")


def read(path: Path) -> tuple[Any, Fields]:
    """Returns header and fields of a restart."""
    with restart.read(path) as file:
        return file.header, {name: np.array(file[name]) for name in file.names}


class State:
    """The state of a restart on its grid: fields (levels, rows, points), and its transform."""

    def __init__(self, path: Path) -> None:
        self.header, self.fields = read(path)
        self.grid = grid_of(self.header, path)
        if not isinstance(self.grid, WholeArea) and not (
            isinstance(self.grid, GaussianGrid) and self.grid.stretching == 1
        ):
            raise InputError(
                f"{path}: a chain needs a SpectralAtmosphere on an even GaussianGrid, or an area of"
                f" LimitedAreaAtmosphere, given {self.grid!r}"
            )
        lacking = [name for name in air if name not in self.fields]
        if lacking:
            raise InputError(f"{path} has no {', '.join(lacking)}: a chain needs moist air")

    @cached_property
    def space(self) -> Any:
        """Returns the vectors of such states."""
        return AreaSpace(self.grid) if isinstance(self.grid, WholeArea) else Space(self.grid)

    @property
    def vector(self) -> Vector:
        """Returns wind, virtual temperature, ln(p_s / 1000 hPa), humidity at the points."""
        made: Vector = self.space.packed([self.fields[name] for name in air])
        return made

    def with_increment(self, increment: Vector) -> Fields:
        """Returns fields with an increment on its grid; no humidity below zero."""
        made, change = dict(self.fields), self.space.unpacked(increment)
        for name, part in zip(air, change):
            made[name] = (made[name] + part).astype(made[name].dtype)
        made["specific_humidity"] = np.maximum(made["specific_humidity"], 0)
        return made


class Space:
    """Vectors of a state on a Gaussian grid, and its waves."""

    def __init__(self, grid: Any) -> None:
        self.grid, self.levels = grid, grid.levels.nz
        self._of_waves()
        self.counts = [self.levels, self.levels, self.levels, 1, self.levels]
        self.air = equivalents.Air(grid.levels.a, grid.levels.b)

    def _of_waves(self) -> None:
        """Makes the transform, and where a vector has points."""
        self.transform = SphericalHarmonics(self.grid.truncation, self.grid.rows)
        self.inside = np.asarray(self.transform.inside)
        ones = np.ones((self.levels, int(self.inside.sum())))
        self.waves = Waves(self.transform, self.levels, ones)

    @property
    def size(self) -> int:
        """Returns length of a vector."""
        return int(sum(self.counts) * self.inside.sum())

    def packed(self, fields: Sequence[np.ndarray]) -> Vector:
        """Returns fields (levels, rows, points) as one vector, without padding of short rows."""
        made: Vector = np.concatenate([f[:, self.inside].ravel() for f in fields]).astype(float)
        return made

    def unpacked(self, vector: Vector) -> list[np.ndarray]:
        """Returns (levels, rows, points) of each field; 0 beyond the end of a row."""
        made, at, points = [], 0, int(self.inside.sum())
        for count in self.counts:
            field = np.zeros((count, *self.inside.shape))
            field[:, self.inside] = vector[at : at + count * points].reshape(count, points)
            made.append(field)
            at += count * points
        return made

    def on_earth(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns eastward and northward wind."""
        return u, v

    def columns(self, vector: Vector, below: Mapping[str, np.ndarray]) -> Fields:
        """Returns fields that observations are compared with, of a vector and the fields of the
        ground and the sea on the same grid. Truncation makes humidity below zero, of which dew
        points and their slopes are infinite: it is at least that of the stratosphere.
        """
        u, v, warm, pi, q = self.unpacked(vector)
        made: Fields = {
            **dict(zip(wind, self.on_earth(u, v))),
            "air_temperature": warm / (1 + vapour * q),
            "specific_humidity": np.maximum(q, least_humidity),
            "surface_air_pressure": 1e5 * np.exp(pi),
        }
        return {n: below[n] for n in self.air.needs + self.air.takes if n in below} | made

    def places(self, around: Any, data: Any) -> equivalents.Places:
        """Returns how values around data become values at data; winds have the axes of the grid."""
        return equivalents.Places(around, self.grid.coordinates("center"), data)

    @property
    def areas(self) -> np.ndarray:
        """Returns shares of the points in means over the grid (rows, points)."""
        rows = np.asarray(self.transform.weight)[:, None] * self.inside
        return np.asarray(rows / rows.sum())

    def held(self, fields: Fields, data: Any) -> tuple[Fields, Any]:
        """Returns fields in columns at data, and the grid points around each."""
        around = self.grid.interpolation(data["longitude"], data["latitude"])
        places = equivalents.Places(around, self.grid.coordinates("center"), data)
        at = {n: f.reshape(len(f), -1)[:, around.index] for n, f in fields.items()}
        return places.columns(at), around


class AreaSpace(Space):
    """Vectors of a state on the plane of an area, its extension too; wind along its axes."""

    def _of_waves(self) -> None:
        self.transform: Any = BiFourier(self.grid.size, self.grid.spacing)
        self.inside = np.ones(self.grid.size[::-1], bool)

    def on_earth(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return turned(u, v, self.grid.angle)

    def places(self, around: Any, data: Any) -> equivalents.Places:
        made = super().places(around, data)
        angle = self.grid.angle.ravel()[around.index][..., None]
        east, north = made.there
        made.there = (np.cos(angle) * east + np.sin(angle) * north,
                      np.cos(angle) * north - np.sin(angle) * east)  # fmt: skip
        return made

    @property
    def areas(self) -> np.ndarray:
        return np.asarray(self.grid.areas[0] / self.grid.areas[0].sum())


def between(fine: Space, coarse: Space, vector: Vector) -> Vector:
    """Returns a state on another grid with the same levels: truncated, or padded with zeros."""
    if fine.grid.truncation == coarse.grid.truncation and fine.inside.shape == coarse.inside.shape:
        return vector
    small, large = sorted((fine, coarse), key=lambda one: one.grid.truncation)
    m, n = small.transform.m, small.transform.n
    these = np.array([large.transform.index(int(i), int(j)) for i, j in zip(m, n)])
    waves = fine.waves.to_waves(vector)
    if coarse is small:
        return coarse.waves.to_points(*(c[:, these].copy() for c in waves))
    padded = [np.zeros((len(c), large.transform.waves), complex) for c in waves]
    for whole, part in zip(padded, waves):
        whole[:, these] = part
    return coarse.waves.to_points(*padded)


def ground_on(fields: Fields, space: Space, grid: GaussianGrid) -> Fields:
    """Returns fields of ground and sea of a restart at the points of another grid."""
    names = ("surface_geopotential", *(n for n in space.air.takes if n not in air))
    there = {n: fields[n] for n in names if n in fields}
    if space.inside.shape == fields["surface_geopotential"].shape[1:]:
        return there
    longitude, latitude = space.grid.coordinates("center")
    around = grid.interpolation(longitude.ravel(), latitude.ravel())
    made = {}
    for name, field in there.items():
        flat = field.reshape(len(field), -1)[:, around.index]
        made[name] = np.sum(flat * around.weight, axis=-1).reshape(len(field), *longitude.shape)
    return made


def altitude(fields: Fields) -> np.ndarray:
    """Returns altitude of the ground (rows, points) [m]."""
    return np.asarray(fields["surface_geopotential"][0] / STANDARD_GRAVITY, float)
