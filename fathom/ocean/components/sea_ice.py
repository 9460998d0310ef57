"""Sea ice on the ocean: its processes in a step (docs/sea-ice.md).

Ice lies between air and sea. A surface (fathom/ocean/surface/forcing.py) gives the fluxes of the
air over open water and over ice; from both, the ice computes the fluxes that reach the sea. The
ocean knows only these fluxes at its surface.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from fathom.base import constants, mpi
from fathom.base.failure import InputError
from fathom.data.input.values import on_columns
from fathom.grids.arguments import integer, number_of
from fathom.model.component import Field, Given, Renaming
from fathom.model.order import Order
from fathom.model.schemes import Scheme, scheme
from fathom.ocean.components.component import OceanComponent

contents = ("area", "volume", "snow", "upper_heat", "lower_heat", "ponds")
state = (
    Field("sea_ice_area", "1", (-0.001, 1.001)),
    Field("sea_ice_volume", "m", (0, 100)),
    Field("sea_ice_snow", "m", (0, 100)),
    Field("sea_ice_heat", "J m-2", (0, 5e10)),
)
velocity = tuple(Field(name, "m s-1", (-10, 10)) for name in ("ice_velocity_x", "ice_velocity_y"))
limits_of_series = {
    "sea_ice_thickness_most": (0.0, 100.0),
    "sea_ice_speed_most": (0.0, 10.0),
    "ice_surface_temperature_least": (-100.0, 5.0),
    "ice_surface_temperature_most": (-100.0, 5.0),
}


class SeaIce(OceanComponent):
    """Sea ice in categories of thickness, with snow, which grows, melts, and moves as an
    elastic-viscous-plastic body.

    Parameters
    ----------
    limits : list of float, thicknesses between categories [m], rising; empty: one category.
    thermodynamics : IceThermodynamics.
    albedo : IceAlbedo.
    subcycles : int, small steps of the motion in a step; 0: ice does not move.
    strength : compressive strength P* [N m-2]; 0: free drift.
    drag : coefficient between ice and sea.
    open_water : OpenWater, the fluxes from the sea to the ice.
    new_ice_thickness : [m], of ice that forms in open water.
    area, thickness : at the start, share of the sea and thickness of that ice [m]: numbers, arrays
        (ny, nx), or functions of (longitude, latitude) or (x, y); default none.
    """

    #: fields of which one at least is not 0 where there is ice, between the sums over categories
    somewhere: ClassVar[Mapping[str, str]] = {
        "sea_ice_area": "1",
        "sea_ice_volume": "m",
        "sea_ice_snow": "m",
    }

    def __init__(
        self,
        *,
        limits: Sequence[float] = (0.64, 1.39, 2.47, 4.57),
        thermodynamics: Scheme | str = "default",
        albedo: Scheme | str = "default",
        subcycles: int = 60,
        strength: float = 2.75e4,
        drag: float = 5.5e-3,
        open_water: Scheme | str = "default",
        new_ice_thickness: float = 0.1,
        area: Given = 0.0,
        thickness: Given = 0.0,
    ) -> None:
        self.boundaries = _rising(limits)
        self.thermodynamics = _of_kind("thermodynamics", thermodynamics, "IceThermodynamics")
        self.open_water = _of_kind("open_water", open_water, "OpenWater")
        self.subcycles = integer("SeaIce subcycles", subcycles)
        if not 0 <= self.subcycles <= 10000:
            raise InputError(f"SeaIce subcycles = {subcycles} must lie in [0, 10000]")
        self.strength = _within("strength", strength, "N m-2", 0, 1e6)
        self.drag = _within("drag", drag, "1", 0, 1)
        salinity = self.thermodynamics.all_parameters["salinity"]
        self.albedo = _of_kind("albedo", albedo, "IceAlbedo")
        self._albedo_of_first, self._albedo_of_others = (
            scheme(name, **self.albedo.parameters) for name in ("FirstIceAlbedo", "IceAlbedo")
        )
        self.new_ice = scheme("NewIce", thickness=new_ice_thickness, salinity=salinity)
        self.area, self.thickness = area, thickness

    def __repr__(self) -> str:
        return f"SeaIce(limits={list(self.boundaries)}, subcycles={self.subcycles})"

    @property
    def categories(self) -> range:
        """Returns the numbers of the categories, from 1."""
        return range(1, len(self.boundaries) + 2)

    def state_fields(self) -> tuple[Field, ...]:
        """Returns fields of all categories together, and the velocity of ice that moves."""
        return (*state, *velocity) if self.subcycles else state

    def limits_of_series(self) -> Mapping[str, tuple[float, float]]:
        """Returns the limits of extremes of the ice."""
        return limits_of_series

    def diagnostics(self) -> Iterable[str]:
        """Returns fields of the ice, and fluxes of the air into ice and sea."""
        return (*(field.name for field in self.state_fields()), "air_heat_flux", "air_water_flux")

    def renamings(self) -> Iterable[Renaming]:
        """Returns the name of the sea ice of the model, in place of the observed one."""
        observed = "sea_ice_fraction"
        return [Renaming(observed, "sea_ice_area", reads=(observed,))]

    # ---- the processes of a step -----------------------------------------------------------------

    def processes(self, phase: str, do: Order) -> None:
        """Adds the motion under the stress of the air; the fluxes over open water, divided between
        sea and ice; growth and melt.
        """
        if phase == "air":
            self.move(do)
            self.reflect(do)
        if phase == "leads":
            do(self.open_water)
        if phase == "fresh water":
            self.grow(do)

    def move(self, do: Order) -> None:
        """Adds motion and transport; then the sums over all categories."""
        if self.subcycles:
            do(mpi.core.IceDynamics(do.step, self.subcycles, self.strength, self.drag))
            do("IceFlowX")
            do("IceFlowY")
            for n in self.categories:
                swept = {f"{part}_after": f"{part}_swept" for part in contents}
                self._of("IceSweepX", n, do, after=swept)
                self._of("IceSweepY", n, do, before=swept)
        self._sum(do)

    def reflect(self, do: Order) -> None:
        """Adds the albedo of the ice and of the cell."""
        for n in self.categories:
            if n == 1:
                self._of(self._albedo_of_first, n, do)
            else:
                self._of(self._albedo_of_others, n, do, where=self.somewhere)

    def grow(self, do: Order) -> None:
        """Adds growth and melt, whose fluxes are added to those into the sea."""
        for n in self.categories:
            self._of(self.thermodynamics, n, do, where=self.somewhere)
        self._remap(do)
        self._of(self.new_ice, 1, do)
        for n, limit in enumerate(self.boundaries, start=1):
            both = {f"ice_volume_{n}": "m", f"ice_volume_{n + 1}": "m"}
            self._between(scheme("IceTransfer", limit=limit), n, do, both)
        self._sum(do, " after")
        do("IceSurfaceTemperature")

    def _remap(self, do: Order) -> None:
        """Adds the transfer by growth and melt from one category to the next, and to open water,
        where there is ice: elsewhere none of its fields is set.
        """
        limits, last = (0.0, *self.boundaries, 1e3), len(self.boundaries)
        for n in range(1, last + 1):
            below, limit, above = limits[n - 1 : n + 2]
            what = scheme("IceLimit", limit=limit, below=below, above=above)
            self._between(what, n, do, self.somewhere)
        ends = {"lowest_limit": "ice_limit_0", "highest_limit": f"ice_limit_{last + 1}"}
        self._of(scheme("IceEnds", limit=limits[1]), 1, do, more=ends, where=self.somewhere)
        for n in range(1, last + 1):
            self._between(scheme("IceShift", limit=limits[n]), n, do, self.somewhere)
        for n in range(1, last + 1):
            self._between(scheme("IceCarry"), n, do, self.somewhere)

    def _between(self, what: Scheme, n: int, do: Order, where: Mapping[str, str]) -> None:
        """Adds a scheme of the limit between categories n and n + 1."""
        names = {
            f"{side}_{part}": f"ice_{part}_{n + beyond}"
            for beyond, side in enumerate(("thinner", "thicker"))
            for part in (*contents, "growth")
        }
        names |= {
            "limit_below_after": f"ice_limit_{n - 1}",
            "limit_after": f"ice_limit_{n}",
            "limit_above_after": f"ice_limit_{n + 1}",
            "shifted_area": f"shifted_area_{n}",
            "shifted_volume": f"shifted_volume_{n}",
        }
        known = {name: new for name, new in names.items() if name in what.field_names}
        do(what, on=known, label=f"{what.name} between {n} and {n + 1}", where=where)

    def _of(
        self,
        what: Scheme | str,
        n: int,
        do: Order,
        before: Mapping[str, str] | None = None,
        after: Mapping[str, str] | None = None,
        more: Mapping[str, str] | None = None,
        where: Mapping[str, str] | None = None,
    ) -> None:
        """Adds a scheme of one category; before, after: where its contents come from and go to;
        more: names of other fields.
        """
        what = scheme(what) if isinstance(what, str) else what
        its_own = (*contents, "surface_temperature", "albedo", "passing_light", "growth")
        names = {f"category_{part}": f"ice_{part}_{n}" for part in its_own} | dict(more or {})
        for given, place in ((before, ""), (after, "_after")):
            for part, other in (given or {}).items():
                names[f"category_{part.removesuffix('_after')}{place}"] = f"ice_{other}_{n}"
        if what.name == "IceSweepY":
            names |= {f"category_{part}_after": f"ice_{part}_{n}" for part in contents}
        known = {name: new for name, new in names.items() if name in what.field_names}
        do(what, on=known, label=f"{what.name} of {n}", where=where)

    def _sum(self, do: Order, when: str = "") -> None:
        """Adds the sums over categories."""
        for n in self.categories:
            what = scheme("FirstIceSum" if n == 1 else "IceSum")
            names = {f"category_{part}": f"ice_{part}_{n}" for part in contents}
            names["category_surface_temperature"] = f"ice_surface_temperature_{n}"
            some = {f"ice_area_{n}": "1", f"ice_volume_{n}": "m"} if n > 1 else None
            do(what, on=names, label=f"IceSum{when} of {n}", where=some)

    # ---- the state at the start ------------------------------------------------------------------

    def start(self, simulation: Any) -> None:
        """Puts ice at the start into its fields: of the temperature -5 degC, without snow."""
        grid, fields = simulation.model.grid, simulation.fields
        area = np.clip(on_columns(grid, self.area, name="area"), 0, 1)
        thick = np.where(area > 0, on_columns(grid, self.thickness, name="thickness"), 0.0)
        area = np.where(thick > 0, area, 0.0) * (np.asarray(grid.wet_levels) > 0)
        category = np.searchsorted(self.boundaries, thick, side="right") + 1
        salinity = self.thermodynamics.all_parameters["salinity"]
        for n in self.categories:
            here = np.where(category == n, area, 0.0)
            fields.set(f"ice_area_{n}", here)
            fields.set(f"ice_volume_{n}", here * thick)
            for half, salty in (("upper", 0.653), ("lower", 1.347)):
                heat = _heat(-5.0, salty * salinity)
                fields.set(f"ice_{half}_heat_{n}", 0.5 * heat * here * thick)
            fields.set(f"ice_surface_temperature_{n}", np.full(area.shape, -5.0))
        fields.set("ice_surface_temperature", np.full(area.shape, -5.0))
        fields.set("sea_ice_area", area)
        fields.set("sea_ice_volume", area * thick)


def _heat(temperature: float, salinity: float) -> float:
    """Returns the heat that melts a cubic metre of ice [J m-3]
    (core/physics/sea_ice/category.hpp).
    """
    melting = -0.0544 * salinity
    warmth = constants.ice_heat_capacity * (melting - temperature)
    heat = constants.ice_density * (warmth + constants.fusion_heat * (1 - melting / temperature))
    return float(heat)


def _of_kind(name: str, given: Scheme | str, kind: str) -> Scheme:
    """Returns the scheme of that kind."""
    found = scheme(kind) if isinstance(given, str) and given == "default" else given
    if not isinstance(found, Scheme) or found.name != kind:
        raise InputError(f"SeaIce {name} = {given!r}; allowed: {kind}")
    return found


def _within(name: str, given: float, units: str, least: float, most: float) -> float:
    """Returns a number in its bounds."""
    value = float(number_of(f"SeaIce {name}", given, units))
    if not least <= value <= most:
        raise InputError(f"SeaIce {name} = {given} must lie in [{least:g}, {most:g}] {units}")
    return value


def _rising(limits: Sequence[float]) -> tuple[float, ...]:
    """Returns the thicknesses between categories. InputError: they do not rise, or are too many."""
    found = tuple(number_of("SeaIce limits", limit, "m") for limit in limits)
    if any(b <= a for a, b in zip((0.0, *found), found)) or len(found) > 9:
        raise InputError(f"SeaIce limits = {list(limits)} must be at most 9 rising thicknesses > 0")
    return found
