"""Air over a limited area or a periodic plane: its ground, and how its state starts.

LimitedAreaAtmosphere adds the equations and their arguments (fathom/atmosphere/area/model.py).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from fathom.atmosphere.area import outer as outer_models
from fathom.atmosphere.ground import orography_of_area
from fathom.atmosphere.remap import forecast
from fathom.atmosphere.remap.around_area import AroundArea, OnArea, pressures
from fathom.atmosphere.remap.change_to_area import ChangeToArea
from fathom.atmosphere.remap.given_state import is_given
from fathom.atmosphere.spectral import compressible
from fathom.atmosphere.spectral.hydrostatic import HydrostaticAtmosphere, wind
from fathom.base.failure import InputError
from fathom.data.input.values import on_columns, on_layers
from fathom.grids.periodic_plane import PeriodicPlane
from fathom.grids.regrid.schmidt import turned
from fathom.grids.transform.plane import BiFourier
from fathom.model.component import Given


class AirOnArea(HydrostaticAtmosphere):
    """What a model of air over a part of the earth has of its ground and its start; subclasses
    define the equations.
    """

    truncation: tuple[int, int]  # waves along x and y
    outer: Any  # the states of the outer model; None: there is none
    points_of_states: OnArea | AroundArea
    heights: str | None = None  # a file of them
    on_earth = False  # whether it lies on the earth
    own_start: set[str]  # fields that do not come from the outer model
    starts_from_outer = False  # whether it starts from the state of a model that runs with it
    ground_as_it_is: np.ndarray | None = None  # of another area on the same points
    of_waves = False  # whether fields given inside are of the waves that the model keeps

    @property
    def given_on(self) -> OnArea | AroundArea:
        """Returns the points of given states."""
        return self.points_of_states

    @property
    def companions(self) -> list[Any]:
        """Returns an outer model that runs at the same time."""
        return [self.outer] if isinstance(self.outer, outer_models.Running) else []

    # ---- the ground ------------------------------------------------------------------------------

    def _lie_on(self, name: str) -> None:
        """Takes the orography of the earth, with heights of a file where the name is one."""
        if name != "earth" and Path(name).suffix:
            self.heights, name = name, "earth"
        super()._lie_on(name)
        self.on_earth = True

    def earth_below(self) -> dict[str, Any]:
        """Returns the surface below (fathom/atmosphere/ground/orography_of_area.py)."""
        if isinstance(self.grid, PeriodicPlane):
            raise InputError("a plane has no place on earth: give it an orography")
        around = self.given_on.grid.area if self.given_on.windows else None
        return orography_of_area.orography(self.grid, self.truncation, self.heights, around)

    @property
    def surface_geopotential(self) -> Any:
        """Returns the surface geopotential as given, made periodic, with the waves that the model
        keeps [m2 s-2].
        """
        if self.ground_as_it_is is not None:
            return self.ground_as_it_is
        given = self.orography
        if isinstance(self.given_on, AroundArea):
            whole = self.given_on.periodic_ground()
        else:
            if not callable(given) and np.ndim(given):
                given = self.at_all_points(given)
            whole = self._spread(on_columns(self.grid, given, name="orography"))
        if self.flat:
            return whole
        transform = BiFourier(self.grid.size, self.grid.spacing, truncation=self.truncation)
        return transform.inverse(transform.direct(whole))

    # ---- the state at the start ------------------------------------------------------------------

    @property
    def settable(self) -> Sequence[str]:
        """Returns names that `set` takes."""
        return [*super().settable, *(compressible.fields if self.compressible else ())]

    def set(
        self, analysis: Any = None, digital_filter: float | str | None = None, **values: Given
    ) -> Self:
        """Sets the initial state by field: a number, an array (nz, ny, nx) or (ny, nx) of the area,
        or a function of (longitude, latitude, pressure) in degrees and Pa; of (x, y, pressure) on
        a periodic plane.

        Allowed: eastward_wind, northward_wind, air_temperature, log_surface_pressure (ln of Pa) or
        surface_air_pressure [Pa], tracers, and what the physics reads of ground and sea.
        analysis : state of a store or a file, as SpectralAtmosphere takes them, or of a larger
            area; a Simulation of another atmosphere, or its restart (docs/post.md); "outer": the
            first one of the outer model.
        digital_filter : span of the filter that removes the gravity waves of the start, "6h"; 0:
            none. During the filter an area with an outer model is relaxed to its initial state.
        """
        self.own_start |= {*values}
        if isinstance(analysis, str) and analysis == "outer":
            if not self.outer:
                raise InputError("analysis = 'outer': there is no outer model")
            analysis, self.starts_from_outer = None, bool(self.companions)
            self.own_start = {*values}
            if not self.starts_from_outer:
                values = dict(self.outer.state(0)) | values
        elif analysis is not None:
            self.starts_from_outer = False
        if isinstance(self.given_on, AroundArea):
            values = self.given_on.of_functions(values, self._air)
        given = {name: self.at_all_points(value, name) for name, value in values.items()}
        if analysis is not None and is_given(analysis) and isinstance(self.grid, PeriodicPlane):
            raise InputError(
                f"analysis = {analysis!r} is another atmosphere: a plane is no place on earth"
            )
        result: Self = self._put(given, analysis, digital_filter)
        return result

    def at_all_points(self, value: Any, name: str = "") -> Any:
        """Returns an array of the area with its extension: in which nothing counts, where E is made
        by splines; with windows, already made so.
        """
        nx, ny = self.grid.points
        if np.shape(value)[-2:] != (ny, nx) or self.grid.size == self.grid.points:
            return value
        value = np.asarray(value, float)
        if self.given_on.windows:
            if name in pressures:
                return self._pressure_by_splines(value, name)
            return self.grid.spread(value)
        more = [(0, N - n) for n, N in zip((ny, nx), self.grid.size[::-1])]
        return np.pad(value, [(0, 0)] * (value.ndim - 2) + more)

    @property
    def _air(self) -> Any:
        """Returns the fields of air among those that can be set."""
        return {*self.settable} - {*self.boundary}

    def _pressure_by_splines(self, value: Any, name: str) -> Any:
        """Returns surface pressure of C + I at all points, periodic at sea level."""
        logarithm = np.log(value) if name == "surface_air_pressure" else value
        ground = self.surface_geopotential / (self.parameters["gas_constant"] * 280.0)
        whole = self.grid.spread(logarithm + self.grid.area.inside(ground)) - ground
        return np.exp(whole) if name == "surface_air_pressure" else whole

    def forecast_start(self, state: Any, time: int = 0) -> Any:
        """Returns everything a forecast starts from; with windows, of the surroundings too."""
        around, air = self.given_on, self._air
        if not isinstance(around, AroundArea):
            return super().forecast_start(state, time)
        below = self.earth_below()
        self.orography, self.on_earth = below["surface_geopotential"], True
        there = orography_of_area.means(around.grid.area, self.heights)
        there.pop("surface_altitude")
        there = {name: around.grid.continued(v) for name, v in there.items()}
        ground = {"surface_geopotential": around.ground} | there
        found = forecast.start(state, around.grid, ground=ground, time=time)
        state = {name: v for name, v in found.items() if name in air}
        cut = {
            name: self.grid.continued(np.asarray(v)[around.inner])
            for name, v in found.items()
            if name not in air
        }
        return cut | below | around.whole(state)

    def receive_state(self, simulation: Any) -> None:
        """Sets the state of another atmosphere, once blocks are known, or that of the date."""
        self.take_record_of_date(simulation)
        if self.starts_from_outer and simulation.restart_from is None:
            self._take_start(dict(self.outer.state(self.outer.number_at(simulation.clock))))
        if self.given is None:
            return
        self.change = self.changed_by(ChangeToArea, simulation)
        ground = dict(self.change.ground)
        as_it_is = "surface_geopotential" in ground and self.change.same_points
        self.of_waves = as_it_is and not self.change.given.whole
        if as_it_is and self.change.given.whole:
            self.ground_as_it_is = self.change.whole_of("surface_geopotential")[0]
        self.orography = ground.pop("surface_geopotential", self.orography)
        self.initial |= ground
        state = self.change.state(self.surface_geopotential)
        if self.given_on.windows:  # of C + I alone
            state = {n: self.at_all_points(self.grid.area.inside(v), n) for n, v in state.items()}
        self.initial |= state

    def _take_start(self, state: dict[str, Any]) -> None:
        """Takes the state of the outer model at the start, but what `set` was given."""
        if self.own_start & {*pressures}:
            state.pop("log_surface_pressure", None)
        found = {name: v for name, v in state.items() if name not in self.own_start}
        if isinstance(self.given_on, AroundArea):
            found = self.given_on.of_functions(found, self._air)
        given = {name: self.at_all_points(value, name) for name, value in found.items()}
        self._put(given, None, None)

    def initialise(self, simulation: Any) -> bool | None:
        """Puts the initial state into the fields. True: they are another area's, bit for bit."""
        change, self.change = self.change, None
        simulation.changed = True
        if change is not None and change.fill(self.surface_geopotential):
            return True
        return super().initialise(simulation)

    def start_values(self, given: Any) -> Iterator[Any]:
        """Yields the values given to `set` as fields, and those of compressible air: (name, level,
        array at all points).
        """
        if not self.compressible:
            yield from super().start_values(given)
            return
        held: dict[str, list[Any]] = {name: [] for name in (*wind, "log_pressure_ratio")}
        for name, k, values in super().start_values(given):
            if name in held:
                held[name].append(values)
            yield name, k, values
        q, d = compressible.fields
        for k, values in on_layers(self.given_on.start, given.get(q, 0.0), q):
            yield q, k, self._whole(values)
        if d in given:
            for k, values in on_layers(self.given_on.start, given[d], d):
                yield d, k, self._whole(values)
        else:  # as of hydrostatic air
            u, v, (s,) = (*(np.stack(held[n]) for n in wind), held["log_pressure_ratio"])
            found = compressible.vertical_divergence(
                self.grid, self.truncation, self.parameters, u, v, s
            )
            yield from ((d, k, x) for k, x in enumerate(found))

    # ---- given values at all points --------------------------------------------------------------

    def _given(self, name: str, default: Any) -> Any:
        """Returns given values, extended beyond the area as on its edges, where nothing reads
        them.
        """
        return self.grid.continued(super()._given(name, default))

    def _places(self) -> Any:
        if isinstance(self.grid, PeriodicPlane):
            shape = self.grid.size[::-1]
            return np.zeros(shape), np.full(shape, self.grid.latitude)
        return self.grid.coordinates()

    def _along(self, east: Any, north: Any) -> Any:
        """Returns wind on earth along the axes of the map."""
        return (east, north) if self.grid.angle is None else turned(east, north, -self.grid.angle)

    def _spread(self, values: Any) -> Any:
        whole = np.asarray(values) if self.given_on.windows else self.grid.spread(values)
        if not self.of_waves:
            return whole
        from fathom.grids.transform.periodic import by_waves  # loads the core

        transform = BiFourier(self.grid.size, self.grid.spacing, truncation=self.truncation)
        return by_waves(whole, self.grid.points, transform)

    def _whole_wind(self, values: Any) -> Any:
        m = self.grid.map_factor if self.of_waves else None
        return self._whole(values) if m is None else m * self._whole(values / m)

    def _pressure(self, ratio: Any) -> Any:
        """Returns periodic together with the ground: ln p_s at sea level is made periodic."""
        ground = self.surface_geopotential / (self.parameters["gas_constant"] * 280.0)
        return self._whole(ratio + ground) - ground
