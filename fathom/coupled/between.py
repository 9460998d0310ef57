"""What air and sea give to each other, over the pieces that a cell of air a and one of the sea o
have in common, of area A_ao.

The air gets means over the pieces (core/physics/land/ocean_below.hpp): with the cover c_o of ice

    T_a = sum A_ao (1 - c_o) T_o / sum A_ao (1 - c_o),   e_a and currents likewise; of ice with c_o
    albedo and emission of both kinds of surface, by area

and computes each flux once, implicitly, as F_a + slope_a (T - T_a) of the surface below. The sea
makes of the means of F and slope over its own step the flux of each of its cells,

    F_o = sum A_ao (F_a - slope_a T_a) / sum A_ao + T_o sum A_ao slope_a / sum A_ao

so that sum A_o (1 - c_o) F_o = sum over cells of air of area times F_a, to round-off: nothing is
computed twice. T_o and c_o are those that the air has seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.atmosphere.ground.over_ocean import sea_share
from fathom.base import constants
from fathom.base.clock import Period
from fathom.base.ranks import group
from fathom.base.regions import region
from fathom.base.timetable import Link, microseconds, said
from fathom.coupled.remap import Remap, shape
from fathom.coupled.rivers import ICE, ICE_HEAT, WATER
from fathom.coupled.sea_state import SeaState
from fathom.coupled.vectors import axes, eastward_and_northward

CELSIUS = constants.celsius
L = constants.evaporation_heat
FUSION = constants.fusion_heat
CP = constants.dry_air_heat_capacity
SIGMA = constants.stefan_boltzmann
EPSILON = constants.dry_air_gas_constant / constants.water_vapour_gas_constant
freezing = 271.35  # of the sea, where nothing else is known [K]


class Between:
    """One way between air and sea, as the clock of several programs takes it."""

    def __init__(self, giver: str, taker: str, every: str | float, lagged: bool) -> None:
        self.giver, self.taker, self.lagged = giver, taker, lagged
        self.every = Period(every, "every")
        self.ends: tuple[Any, Any] = (None, None)
        self.text = f"{giver} -> {taker}"
        self.remap: Any = None

    takes: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()

    def __str__(self) -> str:
        lag = ", lagged" * self.lagged
        every = said(microseconds(self.every.seconds, "every"))
        return f"{self.giver} -> {self.taker}: {', '.join(self.takes)} every {every}{lag}"

    @property
    def link(self) -> Link:
        """Returns it as the timetable sees it."""
        every = microseconds(self.every.seconds, f"{self.text}: every")
        return Link(self.giver, self.taker, every, self.lagged, self.text)

    def open(self, comm: Any) -> None:
        """Prepares the way between the ranks of both, which call it together; comm: of all."""
        giver, taker = self.ends
        given, taken = giver.program.handed, taker.program.handed
        ranks = group(comm, [*giver.ranks, *taker.ranks])
        cells = given.cells if giver.here else np.zeros(0, np.int64)
        takers = taker.program.comm if taker.here else None
        self.remap = Remap((given.grid, taken.grid), ranks, takers, cells, "conservative")

    def write(self, folder: Any) -> None:
        """Writes what is in flight: all of it is in the restarts of both."""

    def restore(self, folder: Any) -> None:
        """Continues: all is in the restarts of both."""


class ToAir(Between):
    """The surface of the sea for the air."""

    takes = (
        "sea_ice_fraction",
        "sea_surface_temperature",
        "sea_surface_vapour_pressure",
        "sea_ice_surface_temperature",
        "sea_ice_vapour_pressure",
        "sea_surface_albedo",
        "sea_surface_emission",
        "sea_surface_eastward_velocity",
        "sea_surface_northward_velocity",
        "heat_returned",
    )
    currents = ("surface_current_eastward", "surface_current_northward")
    of_ice = ("sea_ice_area", "ice_surface_temperature", "covered_share", "surface_albedo")

    def join(self, sea: Any, air: Any, ice: bool) -> None:
        """Asks both programs for their fields."""
        self.gives = ("temperature", *self.currents, *(self.of_ice if ice else ()))
        for name in self.gives:
            sea.handed.give(name)
        for name in (*self.currents, *self.of_ice[2:] * ice):
            sea.handed.take(name)  # diagnostics, which are in restarts then
        self.rest = sea.handed.give("heat_not_taken", f"{self.taker}.heat_returned")
        self.steps = round(self.every.seconds / sea.time_step)
        for name in self.takes:
            air.handed.take(name)
        self.dark = sea_albedo(air)

    def open(self, comm: Any) -> None:
        """Prepares the way; the sea remembers what the air sees."""
        super().open(comm)
        sea, air = self.ends
        grid = sea.program.handed.grid
        if sea.here:
            cells = sea.program.handed.cells
            self.compass = eastward_and_northward(grid, "center")[cells]
            self.seen(sea.program)
        if air.here:
            own = air.program.handed.grid
            self.axes = axes(own, "center")
            self.share = sea_share(own, grid)

    def seen(self, sea: Any) -> SeaState:
        """Returns the state of the sea at the points of this rank; keeps it, which the air sees, on
        the global grid on all ranks of the sea, which call it together.
        """
        own = {name: sea.handed.values(name, [0])[:, 0] for name in self.gives}
        with region("fluxes", "coupled"):
            found = SeaState.of(own)
        self.then = SeaState(sea.handed.on_all(np.stack(found.values)))
        return found

    def hand(self, at_start: bool = False) -> None:
        """Hands the surface over. The ranks of both call it."""
        sea, air = self.ends
        values = np.zeros((0, 1, 17))
        if sea.here:
            values = self._values(sea.program)
        found = self.remap(values)
        if air.here:
            self._put(air.program, found[0])

    def _values(self, sea: Any) -> np.ndarray:
        """Returns what the air needs the means of, at the points of this rank (points, 1, 17)."""
        handed, s = sea.handed, self.seen(sea)
        rest = handed.values(self.rest, [0])[:, 0] / self.steps
        handed.clear(self.rest)
        with region("fluxes", "coupled"):
            return self._parts(s, rest)

    def _parts(self, s: SeaState, rest: np.ndarray) -> np.ndarray:
        """Returns the values of which the air needs means (points, 1, 17), of the sea and of the
        heat that it has not taken [W m-2].
        """
        c, w, e, e_ice = s.cover, 1.0 - s.cover, s.e, s.e_ice
        emission = SIGMA * (w * s.water**4 + c * s.ice**4)
        current = np.stack([s.east, s.north], -1)[:, :, None] * self.compass
        parts = [
            c,
            w * s.water,
            w * e,
            c * s.ice,
            c * e_ice,
            w * self.dark + c * s.white,
            emission,
            s.water,
            e,
            s.ice,
            e_ice,
            rest,
            *(w[:, None] * current.sum(1)).T,
            w,
        ]
        values = np.stack(parts, -1)
        return np.concatenate([values, np.ones((values.shape[0], 1))], -1)[:, None]

    def _put(self, air: Any, found: np.ndarray) -> None:
        """Sets the fields of the air from means (17, ny, nx), NaN where there is no sea."""
        with region("fluxes", "coupled"):
            of = self._below(found)
        for name, values in of.items():
            air.handed.put(name, values[None])

    def _below(self, found: np.ndarray) -> dict[str, np.ndarray]:
        """Returns the fields that the air takes (ny, nx) from means (17, ny, nx)."""
        there = np.isfinite(found[0])
        x = np.where(there, found, 0.0)
        c, w = x[0], x[15]
        some, ice = w > 0, c > 0
        w_, c_ = np.where(some, w, 1.0), np.where(ice, c, 1.0)
        water = np.where(some, x[1] / w_, x[7])
        e = np.where(some, x[2] / w_, x[8])
        on_ice = np.where(ice, x[3] / c_, x[9])
        e_ice = np.where(ice, x[4] / c_, x[10])
        current = np.moveaxis(np.where(some, x[12:15] / w_, 0.0), 0, -1)
        along = np.einsum("jix,jiax->aji", current, self.axes.reshape(*c.shape, 2, 3))
        return {
            "sea_ice_fraction": c,
            "sea_surface_temperature": np.where(there, water, 288.0),
            "sea_surface_vapour_pressure": np.where(there, e, 1000.0),
            "sea_ice_surface_temperature": np.where(there, on_ice, freezing),
            "sea_ice_vapour_pressure": np.where(there, e_ice, 500.0),
            "sea_surface_albedo": np.where(there, x[5], self.dark),
            "sea_surface_emission": np.where(there, x[6], SIGMA * 288.0**4),
            "sea_surface_eastward_velocity": along[0],
            "sea_surface_northward_velocity": along[1],
            "heat_returned": x[11] * self.share,
        }


class ToSea(Between):
    """The fluxes of the air, for the sea."""

    means = (
        "open_water_sensible_heat_flux",
        "open_water_conductance",
        "open_water_evaporation",
        "open_water_vapour_conductance",
        "sea_ice_sensible_heat_flux",
        "sea_ice_conductance",
        "sea_ice_evaporation",
        "sea_ice_vapour_conductance",
        "surface_sunlight",
        "surface_downward_longwave",
        "convective_precipitation",
        "stratiform_precipitation",
        "snowfall",
        "open_water_momentum_conductance",
        "open_water_stress_eastward",
        "open_water_stress_northward",
        "sea_ice_stress_eastward",
        "sea_ice_stress_northward",
    )
    held = (
        "sea_surface_temperature",
        "sea_surface_vapour_pressure",
        "sea_ice_surface_temperature",
        "sea_ice_vapour_pressure",
        "sea_surface_eastward_velocity",
        "sea_surface_northward_velocity",
    )

    def __init__(
        self, giver: str, taker: str, every: str | float, lagged: bool, back: ToAir
    ) -> None:
        super().__init__(giver, taker, every, lagged)
        self.back = back  # which knows what the air has seen

    def join(self, air: Any, sea: Any) -> None:
        """Asks both programs for their fields."""
        self.takes = sea.surface.taken
        self.sums = {name: air.handed.give(name, f"{self.taker}: {name}") for name in self.means}
        for name in self.held:
            air.handed.give(name)
        self.steps = round(self.every.seconds / air.time_step)
        for name in self.takes:
            sea.handed.take(name)

    def open(self, comm: Any) -> None:
        """Prepares the way."""
        super().open(comm)
        air, sea = self.ends
        if air.here:
            grid = air.program.handed.grid
            self.axes = axes(grid, "center")[air.program.handed.cells]
        if sea.here:
            self.compass = eastward_and_northward(sea.program.handed.grid, "center")
            self.back.seen(sea.program)

    def hand(self, at_start: bool = False) -> None:
        """Hands the fluxes over; at the start there are none. The ranks of both call it."""
        air, sea = self.ends
        if at_start:
            return
        values = np.zeros((0, 1, 19))
        if air.here:
            values = self._values(air.program)
        found = self.remap(values)
        if sea.here:
            shown = shape(sea.program.handed.grid)
            x = found[0].reshape(-1, *shown)
            x[:, np.isnan(x[0])] = 0.0  # cells without air above them
            with region("fluxes", "coupled"):
                fluxes = self.fluxes(x, self.back.then)
            for name in self.takes:
                sea.program.handed.put(name, fluxes[name][None])

    def _values(self, air: Any) -> np.ndarray:
        """Returns what the sea needs, at the points of this rank (points, 1, 19): each flux at a
        surface of 0 K, without vapour, at rest, and its slope.
        """
        handed, n = air.handed, self.steps
        mean = {name: handed.values(of, [0])[:, 0] / n for name, of in self.sums.items()}
        for of in self.sums.values():
            handed.clear(of)
        m = [mean[name] for name in self.means]
        held = [handed.values(name, [0])[:, 0] for name in self.held]
        with region("fluxes", "coupled"):
            return self._parts(m, held)

    def _parts(self, m: list[np.ndarray], held: list[np.ndarray]) -> np.ndarray:
        """Returns the values of which the sea needs means (points, 1, 19), of means in time and of
        the surface that the air has seen.
        """
        T, e, T_ice, e_ice, u, v = held
        drag = m[13]
        stress = [
            np.stack([m[14] + drag * u, m[15] + drag * v], -1),
            np.stack([m[16], m[17]], -1),
        ]
        space = [np.einsum("pa,pax->px", one, self.axes).T for one in stress]
        parts = [
            m[0] - CP * m[1] * T,
            CP * m[1],
            m[2] - m[3] * e,
            m[3],
            m[4] - CP * m[5] * T_ice,
            CP * m[5],
            m[6] - m[7] * e_ice,
            m[7],
            m[8],
            m[9],
            m[10] + m[11] - m[12],
            m[12],
            drag,
            *space[0],
            *space[1],
        ]
        return np.stack(parts, -1)[:, None]

    def fluxes(self, x: np.ndarray, then: SeaState) -> dict[str, np.ndarray]:
        """Returns the fields that the sea takes (ny, nx), from means of the air (19, ny, nx) and
        from the sea that the air has seen.
        """
        c, w = then.cover, 1.0 - then.cover
        evaporated, sublimated = x[2] + x[3] * then.e, x[6] + x[7] * then.e_ice
        sensible, on_ice = x[0] + x[1] * then.water, x[4] + x[5] * then.ice
        heat = x[9] - SIGMA * then.water**4 - sensible - L * evaporated
        into_ice = x[9] - SIGMA * then.ice**4 - on_ice - L * sublimated
        slope = -(x[5] + L * x[7] * then.slope + 4 * SIGMA * then.ice**3)
        sun, light = (1.0 - self.back.dark) * x[8], (1.0 - then.white) * x[8]
        compass = self.compass.reshape(*c.shape, 2, 3)
        water = np.einsum("xji,jiax->aji", x[13:16], compass)
        ice = np.einsum("xji,jiax->aji", x[16:19], compass)
        return {
            "heat_into_open_water": heat,
            "sunlight_into_open_water": sun,
            "water_from_air": x[10] - w * evaporated - c * sublimated,
            "snowfall_flux": x[11],
            "heat_from_air": w * (heat + sun) + c * (into_ice + light) - FUSION * x[11],
            "stress_eastward": water[0] - x[12] * then.east,
            "stress_northward": water[1] - x[12] * then.north,
            "heat_into_ice_at_melting": into_ice - slope * (then.ice - CELSIUS),
            "ice_heat_flux_slope": slope,
            "ice_shortwave_flux": x[8],
            "ice_stress_eastward": ice[0],
            "ice_stress_northward": ice[1],
        }


class FromRivers(Between):
    """Water of rivers and icebergs, and the heat of these, for the sea: on its own cells."""

    gives = (WATER, ICE, ICE_HEAT)
    takes = ("runoff_flux", "iceberg_heat_flux")

    def join(self, rivers: Any, sea: Any) -> None:
        """Asks both programs for their fields."""
        self.sums = [rivers.handed.give(name, f"{self.taker}: {name}") for name in self.gives]
        self.steps = round(self.every.seconds / rivers.time_step)
        for name in self.takes:
            sea.handed.take(name)

    def open(self, comm: Any) -> None:
        """Prepares the way."""
        rivers, sea = self.ends
        ranks = group(comm, [*rivers.ranks, *sea.ranks])
        grid = sea.program.handed.grid
        number = np.size(grid.wet_levels) if rivers.here and rivers.program.comm.rank == 0 else 0
        takers = sea.program.comm if sea.here else None
        self.remap = Remap((grid, grid), ranks, takers, np.arange(number), "same")

    def hand(self, at_start: bool = False) -> None:
        """Hands the water over. The ranks of both call it."""
        rivers, sea = self.ends
        values = np.zeros((0, 1, 2))
        if rivers.here:
            handed = rivers.program.handed
            water, ice, heat = (handed.values(of, [0])[:, 0] / self.steps for of in self.sums)
            values = np.stack([water + ice, heat], -1)[:, None]
            for of in self.sums:
                handed.clear(of)
        found = self.remap(values)
        if sea.here:
            for name, flux in zip(self.takes, found[0], strict=True):
                sea.program.handed.put(name, np.where(np.isfinite(flux), flux, 0.0)[None])


def sea_albedo(air: Any) -> float:
    """Returns the albedo of open water in the air's physics."""
    for scheme in air.model.physics:
        if "sea_albedo" in scheme.parameter_names:
            return float(scheme.all_parameters["sea_albedo"])
    return SeaState.dark
