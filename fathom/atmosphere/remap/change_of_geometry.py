"""The state of one atmosphere as the start of another: other truncation, rows, stretching, pole,
levels, orography; in memory, from blocks to blocks, or out of a restart by the same steps (what
ARPEGE calls configuration 927).

1. Along the earth. The same points: as they are. The same sphere: coefficients up to the smaller
truncation, from A's rows to B's,
       f_B = S_B^-1 [n <= min(N_A, N_B)] S_A f_A,    wind by its vorticity and divergence;
else, and for tracers, by the twelve points around each place (`twelve_points`), wind by its
Cartesian components, tracers within their neighbours. Both ways take T, wind, ln p_s and phi_s.
2. Over B's ground (`columns`), with d = phi_A - phi_B, and alpha = d ln T / d ln p of the lower
troposphere, between 0 and that of the standard atmosphere:
       h = d / (R T_*),  x = alpha h,    p_s' = p_s exp(h (1 - x/2 + x^2/3))
3. To B's levels in ln p. Near the ground a profile keeps its distance from it: a level takes what A
has at ln p + s ln(p_s / p_s'), s from 1 at the ground to 0 aloft; T moves by alpha, relative
humidity stays.
4. Spectral fit: the model truncates its start, as any.
Of one on levels of height the columns are those of `columns_of_heights`.

Ground and sea: `fathom.atmosphere.remap.change_of_ground`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.atmosphere.remap import columns_of_heights, initial
from fathom.atmosphere.remap.at_places import AtPlaces
from fathom.atmosphere.remap.change_of_ground import Ground
from fathom.atmosphere.remap.columns_over_ground import BLOCK, in_columns, vapour
from fathom.atmosphere.remap.given_state import Given, given_state
from fathom.base import moist_air, mpi
from fathom.base.failure import InputError
from fathom.grids.hybrid import REFERENCE
from fathom.output.gather import Gather

wind = ("eastward_wind", "northward_wind")
SAME_GROUND = 1e-6  # m2 s-2: two fits of the same orography


class Change:
    """Brings the state `given`, a Simulation of another atmosphere or the path of its restart, to
    the blocks of a simulation that is being prepared. All ranks make it; comm: those of both.

    ground  what that brings of orography, land and sea: name -> (ny, nx)
    """

    same_points: bool
    same_waves: bool  # and the field with their values

    def __init__(self, given: Any, simulation: Any) -> None:
        self.simulation, self.model = simulation, simulation.model
        self.given: Given = given_state(given, simulation)
        self.own = Own(simulation)
        self._plans: dict[Any, Gather] = {}
        self._taken: dict[str, np.ndarray] = {}
        self._compare()
        self.ground = Ground(self).fields()

    def _compare(self) -> None:
        """Finds the relation of both grids. InputError: one does not lie within the other."""
        raise NotImplementedError

    def along(self, name: str) -> np.ndarray:
        """Returns a field of A at own points of B, (levels, points); wind as about B's pole."""
        raise NotImplementedError

    def as_it_is(self, name: str) -> Any:
        """Returns a field of A on the same points."""
        blocks = self.collected(self.own.rectangles, name)
        return self.own.packed([blocks[n] for n in sorted(blocks)])

    def collected(self, mine: Any, name: str) -> Any:
        """Returns rectangles of a field of A that this rank wants, by position in the list of all
        ranks; all ranks call it.
        """
        everyone = tuple(map(tuple, self.simulation.comm.allgather(mine)))
        if everyone not in self._plans:
            rectangles = [rectangle for wanted in everyone for rectangle in wanted]
            owners = [rank for rank, wanted in enumerate(everyone) for _ in wanted]
            self._plans[everyone] = Gather(
                self.simulation.comm, self.given.domain, rectangles, owners
            )
        return self._plans[everyone](self.given.windows(name))

    def everywhere(self, here: bool) -> bool:
        """Returns whether it holds on all ranks."""
        result: bool = self.simulation.comm.allreduce(bool(here), mpi.MPI.LAND)
        return result

    def same_ground(self, phi: Any) -> bool:
        """Returns whether A's ground is phi, at own points."""
        there = self.along("surface_geopotential")[0]
        return self.everywhere(np.abs(there - phi).max(initial=0) <= SAME_GROUND)

    @property
    def same_levels(self) -> bool:
        """Returns whether both have the same levels."""
        if self.given.on_heights or self.given.pressure is not None:
            return False
        a, b = self.given.grid.levels, self.model.hybrid_levels
        return np.array_equal(a.a, b.a) and np.array_equal(a.b, b.b)

    @property
    def alike(self) -> bool:
        """Returns whether both have the same fields of air."""
        return self.given.temperature == self.model.temperature and all(
            name in self.given.tracers for name in self.model.tracers
        )

    def columns(self, phi: Any, same: Any) -> dict[str, np.ndarray]:
        """Returns air over the surface geopotential phi, at own points; same: A's levels and ground
        are those of B. wind, log_pressure_ratio, air_temperature, tracers.
        """
        given, model = self.given, self.model
        if given.on_heights:
            return self._columns_of_heights(phi)
        if given.pressure is not None:
            return self._columns_of_pressures(phi)
        source = {name: self.along(name) for name in (*wind, "log_pressure_ratio")}
        for name in given.tracers:
            if name in model.tracers or name == "specific_humidity":
                source[name] = self.along(name)
        humidity = source.get("specific_humidity", 0.0)
        warm = self.along(given.temperature)
        source["air_temperature"] = (
            warm / (1 + vapour * humidity) if given.temperature == "virtual_temperature" else warm
        )
        if not same:
            source = self._over_ground(source, phi)
        for name in model.tracers:
            source.setdefault(name, np.zeros_like(source["air_temperature"]))
        return source

    def _columns_of_heights(self, phi: Any) -> dict[str, np.ndarray]:
        """Returns the same, of one on levels of height."""
        moist = "specific_humidity" in self.model.tracers
        model = self.model
        found = columns_of_heights.taken(
            self.given, _At(self), model.hybrid_levels, model.tracers, moist, phi
        )
        found["log_pressure_ratio"] = found.pop("log_surface_pressure")[None] - np.log(REFERENCE)
        for name in self.model.tracers:
            found.setdefault(name, np.zeros_like(found["air_temperature"]))
        return found

    def _columns_of_pressures(self, phi: Any) -> dict[str, np.ndarray]:
        """Returns the same, of one on levels of pressure, as `initial` takes an analysis."""
        given = self.given
        names = ("air_temperature", *wind, "geopotential")
        source = {name: self.along(name) for name in names}
        source["relative_humidity"] = moist_air.relative_humidity(
            self.along("specific_humidity"), source["air_temperature"], given.pressure[:, None]
        )
        if given.has("log_pressure_ratio") and given.has("surface_geopotential"):
            source["surface_air_pressure"] = REFERENCE * np.exp(self.along("log_pressure_ratio")[0])
            source["surface_geopotential"] = self.along("surface_geopotential")[0]
        x, levels, parts = np.log(given.pressure), self.model.hybrid_levels, []
        for first in range(0, max(phi.size, 1), BLOCK):
            part = slice(first, first + BLOCK)
            columns = {name: values[..., part] for name, values in source.items()}
            parts.append(initial.in_columns(columns, x, levels.a, levels.b, phi[part]))
        found = {name: np.concatenate([p[name] for p in parts], -1) for name in parts[0]}
        del found["surface_geopotential"]
        found["log_pressure_ratio"] = found.pop("log_surface_pressure")[None] - np.log(REFERENCE)
        for name in self.model.tracers:
            found.setdefault(name, np.zeros_like(found["air_temperature"]))
        return found

    def _over_ground(self, source: Any, phi: Any) -> dict[str, Any]:
        """Returns the state on B's levels over the surface geopotential phi, some columns at a
        time.
        """
        ground = self.along("surface_geopotential")[0]
        levels = self.given.grid.levels, self.model.hybrid_levels
        parts = []
        for first in range(0, max(phi.size, 1), BLOCK):
            part = slice(first, first + BLOCK)
            columns = {name: values[:, part] for name, values in source.items()}
            parts.append(in_columns(columns, *levels, ground[part], phi[part]))
        return {name: np.concatenate([p[name] for p in parts], 1) for name in parts[0]}


class _At:
    """The fields of A at own points, as columns_of_heights takes them."""

    def __init__(self, change: Change) -> None:
        self.change = change

    def __call__(self, name: str) -> np.ndarray:
        return self.change.along(name)

    def wind(self) -> list[np.ndarray]:
        """Returns eastward and northward wind, (levels, points) [m s-1]."""
        return [self.change.along(name) for name in wind]


class ChangeOfGeometry(Change):
    """Brings another atmosphere to a SpectralAtmosphere."""

    def _compare(self) -> None:
        a, b = self.given.grid, self.model.grid
        if a.truncation is None:
            raise InputError(
                "analysis = a limited area, which does not cover the globe of this model: allowed"
                " is another SpectralAtmosphere, or a GridPointAtmosphere on a"
                " LatitudeLongitudeGrid"
            )
        self.same_sphere = not self.given.on_heights
        self.same_sphere = self.same_sphere and (a.stretching, a.pole) == (b.stretching, b.pole)
        self.same_points = self.same_sphere and np.array_equal(a.latitude, b.latitude)
        self.same_points = self.same_points and np.array_equal(a.points, b.points)
        self.same_waves = self.same_points and a.truncation == b.truncation
        self._at_own: AtPlaces | None = None

    # ---- along the earth -------------------------------------------------------------------------

    def along(self, name: str) -> np.ndarray:
        """Returns a field of A at own points of B, (levels, points); wind as about B's pole."""
        if name not in self._taken:
            if self.same_waves:
                self._taken[name] = self.as_it_is(name)
            elif self.same_sphere and name not in self.given.tracers:
                self._by_waves()
            elif name in wind:
                self._taken.update(zip(wind, self.at_own.wind()))
            else:
                self._taken[name] = self.at_own(name)
        return self._taken[name]

    @property
    def at_own(self) -> AtPlaces:
        """Returns A's fields at own points, about B's pole."""
        if self._at_own is None:
            own = self.own
            self._at_own = AtPlaces(
                self.given, self.collected, own.longitude, own.latitude, own.angle
            )
        return self._at_own

    def _by_waves(self) -> None:
        """Takes all spectral fields at once, at the truncation that both have."""
        a, b = self.given, self.own
        truncation = min(a.grid.truncation, self.model.grid.truncation)
        from_a, to_b = (
            _harmonics(self.simulation, grid, domain, truncation)
            for grid, domain in ((a.grid, a.domain), (self.model.grid, self.simulation.domain))
        )
        there, here = mpi.core.TransformItems64(from_a), mpi.core.TransformItems64(to_b)
        waves, results = len(from_a.own), dict[str, Any]()
        for name in (a.temperature, "log_pressure_ratio", "surface_geopotential"):
            levels = 1 if name in a.columns else a.grid.levels.nz
            f = np.zeros((waves, 2, levels))
            there.scalar(f, a.by_rows(name))
            results[name] = b.empty(levels)
            here.scalar(f, results[name])
        pair = [np.zeros((waves, 2, a.grid.levels.nz)) for _ in wind]
        rows = [a.by_rows(name, over_map_factor=True) for name in wind]
        there.wind(pair[0], pair[1], rows[0], rows[1])
        results |= {name: b.empty(a.grid.levels.nz) for name in wind}
        here.wind(pair[0], pair[1], results[wind[0]], results[wind[1]])
        from_a.direct(there)
        to_b.inverse(here)
        for name, blocks in results.items():
            values = b.packed([block.swapaxes(0, 1) for block in blocks])
            self._taken[name] = values * b.map_factor if name in wind else values

    # ---- the state -------------------------------------------------------------------------------

    def fill(self) -> bool:
        """Returns B's fields of air. True: A's own, bit for bit, with their gradients; nothing is
        left to be fitted.
        """
        fields, given = self.simulation.fields, self.given
        phi = self.own.packed(fields.windows("surface_geopotential"))[0]
        same = self.same_ground(phi) and self.same_levels
        if same and self.same_waves and self.alike:
            for name in fields.state:
                if given.has(name):
                    self.own.put(fields, name, self.along(name))
            return True
        state = self.columns(phi, same)
        humidity = state.get("specific_humidity", 0.0)
        virtual = state["air_temperature"] * (1 + vapour * humidity)
        for name in (*wind, "log_pressure_ratio", *self.model.tracers):
            self.own.put(fields, name, state[name])
        self.own.put(fields, self.model.temperature, virtual)
        return False


class Own:
    """The points of B that this rank computes: packed block after block, (levels, points)."""

    def __init__(self, simulation: Any) -> None:
        grid, domain, rank = simulation.model.grid, simulation.domain, simulation.comm.rank
        table = {row[0]: row[1:5] for row in domain.decomposition.blocks}
        blocks = [tuple(map(int, table[n])) for n in domain.decomposition.of(rank)]
        self.rectangles = [(j, j + ny, i, i + nx) for i, j, nx, ny in blocks]
        self.shapes = [(ny, nx) for _, _, nx, ny in blocks]
        there = np.asarray(grid.wet_levels) > 0
        self.there = [self._cut(there, r) for r in self.rectangles]
        longitude, latitude = grid.coordinates()
        self.longitude = self.of(longitude)
        self.latitude = self.of(latitude)
        self.angle = (
            None if grid.angle is None else self.of(np.broadcast_to(grid.angle, there.shape))
        )
        if grid.sphere is not None:
            factor = grid.sphere.map_factor(grid.latitude)[:, None]
            self.map_factor = self.of(np.broadcast_to(factor, there.shape))

    @staticmethod
    def _cut(whole: Any, rectangle: Any) -> Any:
        j0, j1, i0, i1 = rectangle
        return whole[..., j0:j1, i0:i1]

    def of(self, whole: Any) -> np.ndarray:
        """Returns (points) of a field (ny, nx)."""
        result: np.ndarray = self.packed([self._cut(whole, r)[None] for r in self.rectangles])[0]
        return result

    def packed(self, blocks: Any) -> np.ndarray:
        """Returns (levels, points) of arrays (levels, rows, columns), one a block."""
        return np.concatenate(
            [np.asarray(block, float)[:, there] for block, there in zip(blocks, self.there)], 1
        )

    def blocks(self, values: Any) -> list[np.ndarray]:
        """Returns the reverse; 0 where there is no point."""
        ends = np.cumsum([there.sum() for there in self.there])[:-1]
        result = []
        for part, there in zip(np.split(values, ends, 1), self.there):
            block = np.zeros((len(values), *there.shape))
            block[:, there] = part
            result.append(block)
        return result

    def empty(self, levels: Any) -> list[np.ndarray]:
        """Returns blocks as transforms take them: (rows, levels, columns)."""
        return [np.zeros((ny, levels, nx)) for ny, nx in self.shapes]

    def put(self, fields: Any, name: str, values: Any) -> None:
        """Puts values at own points (levels, points) into a field."""
        for n, block in enumerate(self.blocks(values)):
            fields.put(name, n, block)


def _harmonics(simulation: Any, grid: Any, domain: Any, truncation: Any) -> Any:
    return mpi.core.SphericalHarmonics64(
        simulation.comm.py2f(), grid.rows, truncation, domain.decomposition, radius=grid.radius
    )
