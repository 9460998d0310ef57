"""The budget of air and land over a slab of water (fathom/atmosphere/ground/sea.py), as Budget has
it over an ocean:

    heat    air, land, and the slab with its ice: of a unit of water, with the cover a of ice of the
            thickness z, the temperature T_i and snow S on it (core/physics/land/sea.hpp)
                rho c d (T - T_f) + rest - L_f rho_i a z + a [C_i (T_i - T_f) - L_f S]
            against the top of the air and the q-flux
    water   air, against its surface: the water of a slab has no end
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import constants, mpi
from fathom.coupled.budget import (
    FUSION,
    ICE,
    SEA,
    SEA_HEAT,
    Budget,
    Of,
    area_of,
    exact_sum,
    into_surface,
    land_fields,
    of_air,
    stores_of_air,
    stores_of_land,
    table,
)

FREEZING = mpi.core.ground["freezing_sea"]  # [K]
ICE_HEAT = 4e5  # [J m-2 K-1] of the tile of ice
of_slab = (
    "sea_surface_temperature",
    "sea_ice_fraction",
    "sea_ice_thickness",
    "slab_heat_rest",
    "slab_depth",
    "ice_departure",
    "ground_temperature",
    "snow_on_ice",
)


class SlabBudget(Budget):
    """Closes the budget of an interval whenever it is asked; air: a simulation over a slab."""

    def __init__(self, air: Any) -> None:
        self.every, self.lagged, self.rivers = air.time_step, False, None
        self.area = float(area_of(air).sum())  # [m2]
        self.members, self.comm = {}, None
        known = air.handed.known()
        names = [n for n in (*of_air, "q_flux") if n in known and n != "heat_returned"]
        self.sums = {n: air.handed.give(n, f"budget: {n}") for n in names}
        self.sea_sums = {}
        for name in {*land_fields(air.model), *of_slab}:
            air.handed.give(name)
        self.before: Of = {}
        self.since, self.closed = 0.0, []

    @property
    def sea(self) -> Any:
        """Returns none: the slab is the air's."""
        return None

    def _share(self, simulation: Any, name: str) -> Any:
        """Returns the share of a cell for a unit of which a flux is given."""
        land = simulation.model.initial["land_fraction"]
        return 1 - land if name == "q_flux" else super()._share(simulation, name)

    def _stores(self) -> Of:
        """Returns quantity -> store -> content; all ranks call it."""
        found = {"heat": dict[str, float](), "water": dict[str, float]()}
        if (air := self.air) is not None:
            of = {"air": stores_of_air(air), "land": stores_of_land(air), "slab": _of_slab(air)}
            for name, held in of.items():
                if held:
                    found["heat"][name] = held["heat"]
            if of["air"]:
                found["water"]["air"] = of["air"]["water"]
        parts = self.comm.allgather(found)
        return {q: {k: v for one in parts for k, v in one[q].items()} for q in found}

    def _table(self, now: Of, x: dict[str, float], seconds: float) -> dict[str, Any]:
        """Returns the changes of all stores, the lines, and what is left."""
        change = {q: {k: v - self.before[q][k] for k, v in of.items()} for q, of in now.items()}
        rain = x["convective_precipitation"] + x["stratiform_precipitation"]
        top = {"sunlight": x["toa_net_shortwave"], "long wave": -x["outgoing_longwave"]}
        down = into_surface(x)
        made = change["heat"]["air"] - (sum(top.values()) - down)
        heat = {"dynamics of the air": made, "q-flux": x["q_flux"]}
        heat["icebergs"] = -x.get("calving_heat_flux", 0.0)
        gained = x["evaporation_flux"] - rain
        water = {"surface": gained, "dynamics of the air": change["water"]["air"] - gained}
        lines = {"heat": top | heat, "water": water}
        return {"seconds": seconds} | table(
            change, lines, {"heat": {"surface": down}, "water": {"rain": rain}}
        )


def _of_slab(air: Any) -> dict[str, float]:
    """Returns the heat of the water, its ice and the snow on it [J]; on rank 0."""
    held = {name: air.gather(name) for name in of_slab}
    if held["sea_ice_fraction"] is None:
        return {}
    s = {name: np.asarray(values[0], float) for name, values in held.items()}
    cover = s["sea_ice_fraction"]
    tile = ICE_HEAT * (s["ground_temperature"] + s["ice_departure"] - FREEZING)
    tile -= constants.fusion_heat * s["snow_on_ice"]
    warmth = SEA * SEA_HEAT * s["slab_depth"] * (s["sea_surface_temperature"] - FREEZING)
    melting = FUSION * ICE * cover * s["sea_ice_thickness"]
    water = area_of(air) * (1 - np.clip(air.model.initial["land_fraction"], 0, 1))
    return {"heat": exact_sum(water, warmth + s["slab_heat_rest"] - melting + cover * tile)}
