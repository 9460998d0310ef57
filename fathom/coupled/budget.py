"""The budget of the coupled system: heat, water and salt of all stores, and what is in flight
between them, against the flux at the top of the air.

    stores   air: sum of dp / g [c_p (T_v - 250 K) + L q + v^2 / 2] + phi_s p_s / g, vapour
             land: tiles, snow and soil (core/physics/land/tiled_land.hpp), their water
             sea: rho0 c_p sum of T h, volume, salt; where fresh water is virtual salt, its water is
                  what has made the salt less
             ice: heat that melts it, with its snow; mass; salt
             in flight: heat that sea and ice have not taken of the air's, on its way back to it
    lines    dynamics of the air: what its store gains beyond the fluxes of the physics
             heat of water: of the temperature that water brings into the sea as volume
             runoff: where no rivers carry it to the sea

    residual = changes of all stores - flux at the top - lines

Heat is in J, water in kg, salt in kg, of the whole earth. Sums over cells are exact (math.fsum), so
the same on any ranks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fathom.atmosphere.products.budget import Budget as AirBudget
from fathom.base import constants, mpi

L, FUSION = constants.evaporation_heat, constants.fusion_heat
MELTING = constants.celsius
ICE, SNOW, FRESH = constants.ice_density, 330.0, constants.fresh_water_density  # [kg m-3]
SEA, SEA_HEAT = constants.sea_water_density, constants.sea_water_heat_capacity
SKIN, SNOW_HEAT = 2e4, 2100.0  # [J m-2 K-1], [J kg-1 K-1] of tiles and snow on land
SOIL_HEAT = 2.19e6  # [J m-3 K-1]
of_air = (
    "toa_net_shortwave",
    "outgoing_longwave",
    "surface_net_shortwave",
    "surface_downward_longwave",
    "surface_emission",
    "sensible_heat_flux",
    "evaporation_flux",
    "convective_precipitation",
    "stratiform_precipitation",
    "snowfall",
    "heat_returned",
    "runoff",
    "calving_flux",
    "calving_heat_flux",
)
Of = dict[str, dict[str, float]]  # quantity -> name -> amount
of_land = ("runoff", "calving_flux", "calving_heat_flux")  # for a unit of land
of_sea = ("heat_from_air", "water_from_air", "snowfall_flux", "heat_of_water")


def as_volume(model: Any) -> bool:
    """Returns whether an ocean takes fresh water as volume; else as virtual salt."""
    return bool(model.free_surface.freshwater == "volume")


ice_parts = ("volume", "snow", "upper_heat", "lower_heat")


class Budget:
    """Closes the budget of an interval whenever it is asked.

    Parameters
    ----------
    air, sea : simulations of both.
    every : [s] between exchanges.
    lagged : whether the sea takes the fluxes of the interval before.
    rivers : the program that carries water from land to the sea; None: there is none.
    """

    def __init__(self, air: Any, sea: Any, every: float, lagged: bool, rivers: Any = None) -> None:
        self.every, self.lagged, self.rivers = every, lagged, rivers
        self.area = float(area_of(air).sum())  # [m2]
        self.members: dict[str, Any] = {}  # those of the programs
        self.comm: Any = None  # of all ranks
        self.ice = sea.model.sea_ice
        self.volume, self.salinity = as_volume(sea.model), sea.surface.reference_salinity
        known = air.handed.known()
        self.sums = {n: air.handed.give(n, f"budget: {n}") for n in of_air if n in known}
        given = [*of_sea[: None if self.volume else -1], *(["runoff_flux"] if rivers else [])]
        self.sea_sums = {n: sea.handed.give(n, f"budget: {n}") for n in given}
        for name in land_fields(air.model):
            air.handed.give(name)
        for name in self._ice_fields():
            sea.handed.give(name)
        self.before: dict[str, dict[str, float]] = {}
        self.since = 0.0
        self.closed: list[dict[str, Any]] = []

    @property
    def air(self) -> Any:
        """Returns the simulation of the air on its ranks, None on others."""
        return self._here("atmosphere")

    @property
    def sea(self) -> Any:
        """Returns that of the sea."""
        return self._here("ocean")

    def _here(self, name: str) -> Any:
        member = self.members[name]
        return member.program if member.here else None

    def _of_all(self, own: dict[str, Any]) -> dict[str, Any]:
        """Returns what all ranks have found together."""
        return {name: x for part in self.comm.allgather(own) for name, x in part.items()}

    def _ice_fields(self) -> list[str]:
        """Returns the names of the fields that hold the ice's contents."""
        numbers = self.ice.categories if self.ice is not None else ()
        return [f"ice_{part}_{n}" for n in numbers for part in ice_parts]

    def begin(self, seconds: float) -> None:
        """Begins an interval at that time [s]. All ranks of both call it."""
        self.before, self.since = self._stores(), seconds
        self._fluxes()  # sums begin anew

    def close(self, seconds: float) -> dict[str, Any] | None:
        """Closes the interval that ends at that time [s]; returns its table; None: it is closed
        already. All ranks of both call it.
        """
        if seconds <= self.since:
            return None
        now, flux = self._stores(), self._fluxes()
        found = self._table(now, flux, seconds - self.since)
        found |= {"from": self.since, "to": seconds}
        self.closed.append(found)
        self.before, self.since = now, seconds
        return found

    # ---- stores ----------------------------------------------------------------------------------

    def _stores(self) -> dict[str, dict[str, float]]:
        """Returns quantity -> store -> content; all ranks call it."""
        x = self._of_all({name: one for name, one in self._own().items() if one})
        if not self.volume:  # water is what has made the salt of sea and ice less
            salt = x["sea"]["salt"] + x["ice"]["salt"]
            x["sea"]["water"] = -salt * FRESH / (1e-3 * SEA * self.salinity)
        ways = [x[name] for name in ("back", "given", "taken") if name in x]
        stores = [name for name in ("air", "land", "rivers", "sea", "ice") if name in x]
        found: dict[str, dict[str, float]] = {
            q: {name: x[name][q] for name in stores} for q in ("heat", "water")
        }
        for quantity, of in found.items():
            of["in flight"] = sum(one[quantity] for one in ways)
        return found | {"salt": {name: x[name]["salt"] for name in ("sea", "ice")}}

    def _own(self) -> dict[str, dict[str, float]]:
        """Returns the stores of the programs of this rank; those of its rank 0 alone have any."""
        own: dict[str, dict[str, float]] = {}
        if (air := self.air) is not None:
            own |= {"air": stores_of_air(air), "land": stores_of_land(air), "back": self._back(air)}
        if (sea := self.sea) is not None:
            own |= {"sea": _of_sea(sea), "ice": self._of_ice(sea), "given": self._given(sea)}
        if self.rivers is not None and self.members["rivers"].here:
            own["rivers"] = {"heat": 0.0, "water": self.rivers.stored}
            own["taken"] = self.rivers.taken(self.every if self.lagged else 0.0)
        return own

    def _of_ice(self, sea: Any) -> dict[str, float]:
        """Returns heat, mass and salt of the sea ice and its snow; on rank 0 of the sea."""
        total = dict.fromkeys(ice_parts, 0.0)
        area = area_of(sea)
        for name in self._ice_fields():
            if (values := sea.gather(name)) is not None:
                part = name.removeprefix("ice_").rpartition("_")[0]
                total[part] += exact_sum(area, values[0])
        salinity = 0.0
        if self.ice is not None:
            salinity = self.ice.thermodynamics.all_parameters["salinity"]
        mass = ICE * total["volume"]
        heat = total["upper_heat"] + total["lower_heat"] + SNOW * FUSION * total["snow"]
        salt = 1e-3 * SEA * salinity * mass / FRESH
        found = {"heat": -heat, "water": mass + SNOW * total["snow"], "salt": salt}
        return found if sea.comm.rank == 0 else {}

    def _back(self, air: Any) -> dict[str, float]:
        """Returns heat on its way back to the air; on rank 0 of the air."""
        back = air.gather("heat_returned")
        if back is None:
            return {}
        return {"heat": self.every * exact_sum(area_of(air), back[0]), "water": 0.0}

    def _given(self, sea: Any) -> dict[str, float]:
        """Returns what the air has given that the sea has not taken; on rank 0 of the sea."""
        names = {"heat_from_air": "heat", "water_from_air": "water", "snowfall_flux": "water"}
        if self.rivers is not None:
            names |= {"runoff_flux": "water", "iceberg_heat_flux": "heat"}
        found = {"heat": 0.0, "water": 0.0}
        for name, quantity in names.items() if self.lagged else ():
            if (given := sea.gather(name)) is not None:
                found[quantity] += self.every * exact_sum(area_of(sea), given[0])
        return found if sea.comm.rank == 0 else {}

    # ---- fluxes ----------------------------------------------------------------------------------

    def _fluxes(self) -> dict[str, float]:
        """Returns sums over time and area since the last time; they begin anew. All ranks call
        it.
        """
        found = {}
        for simulation, sums in ((self.air, self.sums), (self.sea, self.sea_sums)):
            if simulation is None:
                continue
            area, step = area_of(simulation), simulation.time_step
            for name, field in sums.items():
                if (values := simulation.gather(field)) is not None:
                    share = self._share(simulation, name)
                    found[name] = step * exact_sum(area * share, values[0])
                simulation.handed.clear(field)
        return self._of_all(found)

    def _share(self, simulation: Any, name: str) -> Any:
        """Returns the share of a cell for a unit of which a flux is given."""
        return simulation.model.initial["land_fraction"] if name in of_land else 1.0

    def _table(
        self, now: dict[str, dict[str, float]], x: dict[str, float], seconds: float
    ) -> dict[str, Any]:
        """Returns the changes of all stores, the lines, and what is left."""
        change = {
            quantity: {name: value - self.before[quantity][name] for name, value in of.items()}
            for quantity, of in now.items()
        }
        top = {"sunlight": x["toa_net_shortwave"], "long wave": -x["outgoing_longwave"]}
        rain = x["convective_precipitation"] + x["stratiform_precipitation"]
        down = into_surface(x)
        physics = sum(top.values()) - down + x["heat_returned"]
        heat = {
            "dynamics of the air": change["heat"]["air"] - physics,
            "heat of water": x.get("heat_of_water", 0.0),
        }
        gained = x["evaporation_flux"] - rain
        water = {"dynamics of the air": change["water"]["air"] - gained}
        if self.rivers is None:
            water["runoff"] = -x["runoff"] - x.get("calving_flux", 0.0)
            heat["icebergs"] = -x.get("calving_heat_flux", 0.0)
        into_sea = x["water_from_air"] + x["snowfall_flux"] - change["water"]["ice"]
        into_sea += x.get("runoff_flux", 0.0)
        virtual = {} if self.volume else {"virtual": -into_sea * 1e-3 * SEA * self.salinity / FRESH}
        lines = {"heat": top | heat, "water": water, "salt": virtual}
        passed = {
            "heat": {"surface": down, "sea": x["heat_from_air"]},
            "water": {
                "surface": rain - x["evaporation_flux"],
                "sea": x["water_from_air"] + x["snowfall_flux"],
            },
            "salt": {},
        }
        return {"seconds": seconds} | table(change, lines, passed, now["salt"])

    # ---- what is kept ----------------------------------------------------------------------------

    def write(self, folder: Path) -> None:
        """Writes the stores at the begin of the present interval into a restart; rank 0 of all."""
        if self.before:
            said = {"before": self.before, "since": self.since, "closed": self.closed}
            (folder / "budget.json").write_text(json.dumps(said))

    def restore(self, folder: Path) -> None:
        """Continues from `write`."""
        path = folder / "budget.json"
        if path.is_file():
            said = json.loads(path.read_text())
            self.before, self.since = said["before"], said["since"]
            self.closed = said["closed"]


def into_surface(x: Mapping[str, float]) -> float:
    """Returns the heat that the air gives to what is below it [W m-2]."""
    return (
        x["surface_net_shortwave"]
        + x["surface_downward_longwave"]
        - x["surface_emission"]
        - x["sensible_heat_flux"]
        - L * x["evaporation_flux"]
        - FUSION * x["snowfall"]
    )


def table(
    change: Of, lines: Of, passed: Of, salt: dict[str, float] | None = None
) -> dict[str, Any]:
    """Returns for each quantity its stores, lines, what has passed between stores, and what is
    left; the residual of salt, which no flux brings, as a share of what is there.
    """
    found: dict[str, Any] = {}
    for quantity, of in change.items():
        left = math.fsum([*of.values(), *(-v for v in lines[quantity].values())])
        terms = [*of.values(), *lines[quantity].values(), *passed[quantity].values()]
        if quantity == "salt" and salt is not None:
            terms = [*salt.values()]
        scale = math.fsum(map(abs, terms))
        found[quantity] = {
            "stores": of,
            "lines": lines[quantity],
            "passed": passed[quantity],
            "residual": left,
            "terms": scale,
            "share": left / scale if scale else 0.0,
        }
    return found


def area_of(simulation: Any) -> np.ndarray:
    """Returns the areas of the cells of a grid (ny, nx) [m2], 0 where there is nothing."""
    grid = simulation.model.grid
    return np.where(np.asarray(grid.wet_levels) > 0, np.asarray(grid.areas[0], float), 0.0)


def exact_sum(area: np.ndarray, values: Any) -> float:
    """Returns the exact sum over cells, rounded once."""
    there = area != 0
    return math.fsum((area[there] * np.asarray(values, float)[there]).tolist())


def stores_of_air(simulation: Any) -> dict[str, float]:
    """Returns energy and water of the air; on rank 0."""
    area = area_of(simulation)
    stored = AirBudget(simulation.model).stored(simulation, area)
    if not stored:
        return {}
    return {"heat": stored["energy"], "water": stored["water"]}


def land_fields(model: Any) -> list[str]:
    """Returns the names of the fields that hold heat and water of land."""
    return [
        *("ground_temperature", "plant_departure", "bare_ground_departure", "vegetation_fraction"),
        *("snow_amount", "canopy_water"),
        *(f"snow_departure_{k}" for k in (1, 2, 3)),
        *(f"snow_liquid_{k}" for k in (1, 2, 3)),
        *(f"soil_{what}_{k}" for what in ("temperature", "water") for k in (1, 2, 3, 4)),
    ]


def stores_of_land(simulation: Any) -> dict[str, float]:
    """Returns heat [J] and water [kg] of tiles, snow and soil (core/physics/land/tiled_land.hpp);
    on rank 0.
    """
    held = {name: simulation.gather(name) for name in land_fields(simulation.model)}
    if held["snow_amount"] is None:
        return {}
    s = {name: np.asarray(values[0], float) for name, values in held.items()}
    snow, v, mean = s["snow_amount"], s["vegetation_fraction"], s["ground_temperature"]
    c = snow / (snow + 10)
    plants, bare = (mean + s[f"{n}_departure"] - MELTING for n in ("plant", "bare_ground"))
    heat = SKIN * (1 - c) * (v * plants + (1 - v) * bare)
    first = np.minimum(1 / 3, 10 / (snow + 10))
    second = np.minimum((1 - first) / 2, 50 / (snow + 10))
    for k, part in enumerate((first, second, 1 - first - second), 1):
        liquid = s[f"snow_liquid_{k}"]
        cold = np.minimum(mean + s[f"snow_departure_{k}"], MELTING)
        T = np.where(liquid > 0, MELTING, cold)
        heat += SNOW_HEAT * part * snow * (T - MELTING) + FUSION * (liquid - part * snow)
    water = snow + s["canopy_water"]
    for k, d in enumerate(mpi.core.ground["thickness"], 1):
        T, W = s[f"soil_temperature_{k}"], s[f"soil_water_{k}"]
        heat += SOIL_HEAT * d * (T - MELTING) - FUSION * np.clip((MELTING - T) / 3, 0, 1) * W
        water = water + W
    area = area_of(simulation) * simulation.model.initial["land_fraction"]
    return {"heat": exact_sum(area, heat), "water": exact_sum(area, water)}


def _of_sea(simulation: Any) -> dict[str, float]:
    """Returns heat, water above rest, and salt of the sea; on rank 0."""
    area = area_of(simulation)
    heat, salt = (_columns(simulation, name) for name in ("temperature", "salinity"))
    height = simulation.gather("sea_surface_height")
    if heat is None or salt is None:
        return {}
    return {
        "heat": SEA * SEA_HEAT * exact_sum(area, heat),
        "salt": 1e-3 * SEA * exact_sum(area, salt),
        "water": FRESH * exact_sum(area, height[0]),
    }


def _columns(simulation: Any, name: str) -> np.ndarray | None:
    """Returns the content of columns (ny, nx) on rank 0, None on others; all ranks call it."""
    own = list(
        zip(
            (tuple(block) for block in simulation.domain.blocks),
            map(np.array, simulation.fields.column_contents(name)),
            strict=True,
        )
    )
    parts = simulation.comm.gather(own)
    if parts is None:
        return None
    whole = np.zeros(np.shape(simulation.model.grid.wet_levels))
    for (j, i, ny, nx), values in (block for part in parts for block in part):
        whole[j : j + ny, i : i + nx] = np.reshape(values, (ny, nx))
    return whole


def told_in(found: dict[str, Any], area: float) -> dict[str, tuple[str, float]]:
    """Returns quantity -> (its unit in tables, of all the air's area [m2] and the interval; the
    factor).
    """
    days = found["seconds"] / 86400
    units = {
        "heat": ("W m-2", 1 / (area * found["seconds"])),
        "water": ("mm/day", 1 / (area * days)),
        "salt": ("kg m-2", 1 / area),
    }
    return {quantity: unit for quantity, unit in units.items() if quantity in found}


def told(found: dict[str, Any], area: float) -> str:
    """Returns the table of an interval in words; area: of the air [m2]."""
    lines = [f"budget of {found['seconds'] / 86400:g} days"]
    for quantity, (unit, factor) in told_in(found, area).items():
        of = found[quantity]
        lines.append(f"  {quantity} [{unit}]")
        for kind in ("stores", "lines"):
            lines += [f"    {name:20s} {value * factor:+.6e}" for name, value in of[kind].items()]
        lines.append(f"    {'residual':20s} {of['residual'] * factor:+.6e}")
        lines.append(f"    {'of all terms':20s} {of['share']:+.1e}")
    return "\n".join(lines)
