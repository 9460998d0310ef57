"""Air on levels of height over any ground: the air at rest, and how its state starts.

GridPointAtmosphere adds the equations and their arguments (fathom/atmosphere/gridpoint/model.py).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from fathom.atmosphere.cases import classic as cases
from fathom.atmosphere.gridpoint import of_pressure
from fathom.atmosphere.gridpoint import state as gridpoint_state
from fathom.atmosphere.gridpoint.balance import balanced
from fathom.atmosphere.gridpoint.geometry import AirAtRest
from fathom.atmosphere.ground import orography_of_area
from fathom.atmosphere.physics.packages import layer_fields
from fathom.atmosphere.physics.with_physics import AirWithPhysics, reads_files
from fathom.atmosphere.remap import forecast
from fathom.atmosphere.remap.change_to_heights import ChangeToHeights
from fathom.atmosphere.remap.given_state import described_geometry, is_given
from fathom.atmosphere.spectral.digital_filter import filter_start
from fathom.atmosphere.spectral.reference import Constants
from fathom.base.clock import seconds_if_any
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.data.input.values import check_shape
from fathom.grids.arguments import yes_or_no
from fathom.grids.levels import HybridLevels
from fathom.model.component import Array, Given


class AirOnHeights(AirWithPhysics):
    """What a model of air on levels of height has of its ground and its start; subclasses define
    the equations.
    """

    on_heights = True
    area: bool  # whether it covers a part of the sphere
    sphere: bool  # whether it lies on the earth
    constants: Constants
    reference: Any  # of the air at rest (fathom/atmosphere/spectral/reference.py)
    balanced: bool  # whether a zonal wind gets air in the balance of the discrete equations
    _rest: AirAtRest | None = None

    @property
    def rest(self) -> AirAtRest:
        """Returns the air at rest over the ground as it is now."""
        if self._rest is None or self._rest.orography is not self.orography:
            self._rest = AirAtRest(
                self.grid, self.orography, self.reference, self.constants, self.curvature
            )
        return self._rest

    @property
    def ground(self) -> Array:
        """Returns height of the ground, (ny, nx) [m]."""
        return self.rest.ground

    @property
    def heights(self) -> Array:
        """Returns heights of the interfaces, (levels + 1, ny, nx) [m]."""
        return self.rest.heights

    @property
    def surface_geopotential(self) -> Array:
        """Returns the geopotential of the ground [m2 s-2], (ny, nx)."""
        result: Array = self.parameters["gravity"] * self.ground
        return result

    def earth_below(self) -> dict[str, Any]:
        """Returns the ground of the earth on an area: surface_geopotential, and related fields."""
        return orography_of_area.smoothed(self.grid)

    def geometry(self) -> Mapping[str, Any]:
        """Returns fields that never change: name -> array (ny, nx), or with levels."""
        found = dict(super().geometry())
        if self.physics:
            found |= self._surroundings()
        self.rest.release()
        return found

    def _surroundings(self) -> dict[str, Any]:
        """Returns places, ground and sea, as the physics reads them."""
        longitude, latitude = (np.deg2rad(x) for x in self.grid.coordinates())
        places = {"longitude": longitude, "latitude": latitude} if self.sphere else {}
        below = {name: self._given(name, value) for name, value in self.boundary.items()}
        return places | below | {"surface_geopotential": self.surface_geopotential}

    # ---- the state at the start ------------------------------------------------------------------

    @property
    def settable(self) -> Sequence[str]:
        """Returns names that `set` takes."""
        return (
            *gridpoint_state.by_height,
            *of_pressure.by_pressure,
            *self.tracers,
            *self.boundary,
        )

    def set(
        self,
        case: str | None = None,
        analysis: Any = None,
        digital_filter: float | str | None = None,
        balanced: bool | None = None,
        **values: Given,
    ) -> Self:
        """Sets the initial state by field: a number, an array of its levels, or a function.

        analysis : "gfs", "era5", "ecmwf" or a file: all of the air, the ground, and what lies on
            it, from a state of the atmosphere (fathom.data.atmosphere); on the sphere, or an area.
            A Simulation of another atmosphere, or its restart (docs/post.md).
        digital_filter : span of the filter that removes the gravity waves of the start, "6h" for a
            spectral atmosphere (docs/forecast.md); 0: none, as by default.
        balanced : whether a zonal wind over flat ground gets air in the balance of the discrete
            equations (True), next to the air that is given: it then blows on without waves.
        case : name of a published test case (fathom.atmosphere.cases.classic), its ground included.
        Of (x, y, height) [m], on the sphere (longitude, latitude [degrees], height): x_wind,
        y_wind, upward_air_velocity; potential_temperature_deviation or temperature_deviation [K]
        from the reference, whose pressure the air has.
        Of (longitude, latitude, pressure [Pa]), as a spectral atmosphere takes them, and balanced
        in the vertical: eastward_wind, northward_wind, air_temperature [K]; of (longitude,
        latitude): surface_air_pressure or log_surface_pressure. Tracers as the temperature is
        given. What the physics reads of ground and sea: a number or an array (ny, nx).
        """
        if digital_filter and self.area:
            raise InputError("digital_filter: a model with an outer one has none")
        if digital_filter is not None:
            self.filter_span = seconds_if_any(digital_filter, "digital_filter")
        if balanced is not None:
            self.balanced = yes_or_no("balanced", balanced)
        if case is not None:
            ground = self.orography
            values = cases.apply(self, case, cases.primitive_equations) | values
            if self.orography is not ground:
                geopotential, g = self.orography, self.parameters["gravity"]
                self.orography = lambda x, y: geopotential(x, y) / g
        if analysis is not None:
            found = self._analysis(analysis)
            if self.given is None:
                self.analysed = forecast.Analysed(analysis, 0, found)
            values = found | values
        for name, value in values.items():
            if name not in self.settable:
                raise InputError(
                    f"the atmosphere has no field '{name}' to set{near(name, self.settable) or ';'}"
                    f" allowed: {', '.join(self.settable)}"
                )
            check_shape(self.grid, value, name, files=reads_files(name))
            self.initial[name] = value
        gridpoint_state.check(self.initial)
        return self

    def _analysis(self, analysis: Any) -> dict[str, Any]:
        """Returns the values that an analysis sets; those of another atmosphere follow once blocks
        are known.
        """
        if not self.sphere:
            raise InputError(
                f"analysis = {analysis!r} is of the earth: it needs a LatitudeLongitudeGrid or a"
                " RotatedGrid"
            )
        if is_given(analysis):
            self.given, self.analysed = analysis, None
            return {}
        self.given = None
        self.check_ground(analysis if isinstance(analysis, str) else "a data set")
        return self.read_analysis(analysis)

    def read_analysis(self, state: Any, time: int = 0) -> dict[str, Any]:
        """Returns the values to set from a record of a state; its ground becomes the orography."""
        found, self.orography = of_pressure.analysis(
            state,
            self.grid,
            self.hybrid_levels,
            self.air,
            self.parameters["gravity"],
            self.boundary,
            time,
        )
        self.ground_of_earth = True
        return found

    @cached_property
    def hybrid_levels(self) -> HybridLevels:
        """Returns the levels on which it takes columns of an analysis, or of another atmosphere."""
        top = of_pressure.top_pressure(self.rest)
        return HybridLevels(2 * self.grid.levels.nz, top=top)

    def receive_state(self, simulation: Any) -> None:
        """Sets the state of another atmosphere, once blocks are known, or that of the date."""
        self.take_record_of_date(simulation)
        if self.given is None:
            return
        self.change = self.changed_by(ChangeToHeights, simulation)
        ground = dict(self.change.ground)
        if (geopotential := ground.pop("surface_geopotential", None)) is not None:
            self.orography = geopotential / self.parameters["gravity"]
        self.initial |= ground
        self.initial |= self.change.functions(self.surface_geopotential)

    @property
    def received(self) -> Mapping[str, Any]:
        """Returns attributes that I/O servers must know: name -> value."""
        return {} if self.given is None else {"orography": self.orography}

    def initialise(self, simulation: Any) -> bool | None:
        """Puts the initial state into the fields."""
        simulation.changed = True
        change, self.change = self.change, None
        if change is not None and change.fill(self.surface_geopotential):
            return None
        state = gridpoint_state.state(self.rest, self.air, self.initial)
        if self.balanced:
            state = balanced(self.rest, self.parameters["rotation"], state)
        for name, values in (state | gridpoint_state.wind_at_centers(self.grid, state)).items():
            for k, level in enumerate(values):
                simulation.fields.set(name, np.ascontiguousarray(level), k)
        self.rest.release()
        return None

    def finish_initialisation(self, simulation: Any) -> None:
        """Filters the initial state, once it is there."""
        self.sea_at_start(simulation)
        if self.filter_span:
            filter_start(simulation, self.filter_span)

    # ---- restarts --------------------------------------------------------------------------------

    @property
    def restart_extras(self) -> Sequence[str]:
        """Returns fields of a restart other than the state: for the run that continues, and for a
        start of another model.
        """
        below = (n for n in self.boundary if n not in layer_fields)
        return [*of_pressure.by_pressure[:2], "interface_height", *below]

    @property
    def geometry_id(self) -> Mapping[str, Any] | None:
        """Returns the geometry that a restart describes."""
        return described_geometry(self)
