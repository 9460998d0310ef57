"""The budget of the atmosphere, term by term: water, energy and momentum of the globe, what each
scheme of the physics adds, what the dynamics adds, and what is stored.

    water      sum_k dp_k / g q_k                              over all kinds of water
    energy     sum_k dp_k / g (c_p (T_v - 250 K) + L q - L_f q_frozen + v^2 / 2) + phi_s p_s / g
    momentum   sum_k dp_k / g u_k cos(latitude)                of the eastward wind

    storage = sum of the schemes + vapour in T_v + dynamics

A scheme's share is the sum of the tendencies after it less that before it, step by step
(core/atmosphere/hydrostatic/budget.hpp). "Vapour in T_v" is the change of virtual temperature,
which the dynamics conserves, by the change of humidity in the physics. The term of the dynamics is
the remainder: round-off for water and energy, which are conserved; for momentum the pressure on
mountains and the rotation of the earth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.earth import GRAVITY
from fathom.base.moist_air import EVAPORATION_HEAT as L
from fathom.base.moist_air import FUSION_HEAT as FUSION
from fathom.model.order import Order

REFERENCE = 250.0  # K
FROZEN = ("cloud_ice", "snow_water", "graupel_water")
WATER = ("specific_humidity", "cloud_liquid_water", "rain_water", *FROZEN)
FLUXES = (
    "evaporation_flux",
    "convective_precipitation",
    "stratiform_precipitation",
    "snowfall",
    "toa_net_shortwave",
    "outgoing_longwave",
    "surface_net_shortwave",
    "surface_emission",
    "surface_downward_longwave",
    "sensible_heat_flux",
)


class Budget:
    """The budget of a SpectralAtmosphere with `budget=True`, since `begin`."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.names = _labels([p.name for p in model.physics if p.adds_tendencies])
        self.water = [name for name in WATER if name in model.tracers]
        self.started: dict[str, Any] = {}

    @property
    def followed(self) -> list[str]:
        """Returns quantities whose tendencies are summed."""
        return ["air_temperature", "eastward_wind", *self.water]

    def after(self, do: Any, number: int) -> None:
        """Adds the process that sums the tendencies after the n-th scheme that adds to them."""
        label = self.names[number]
        for quantity in self.followed:
            self._sum(do, quantity, f"{quantity} by {label}")
        do(
            "KineticContent",
            on={"kinetic_content": f"kinetic energy by {label}"},
            label=f"budget of kinetic energy: {label}",
        )

    def close(self, do: Any) -> None:
        """Adds the sums that follow the last scheme: virtual temperature, and the fluxes through
        both ends.
        """
        self._sum(do, "virtual_temperature", "virtual temperature by all")
        for name in self.fluxes:
            total, flat = f"sum of {name}", ("center", "column", False)
            on = {"value": name, "statistic": total}
            do("SurfaceTimeSum", on=on, at={name: flat, total: flat}, label=total)

    @property
    def fluxes(self) -> list[str]:
        """Returns the fluxes of the list that the physics gives."""
        written = {
            f["name"]
            for p in self.model.physics
            for f in p.entry["fields"]
            if f["access"] == "writes"
        }
        return [name for name in FLUXES if name in written]

    @staticmethod
    def _sum(do: Order, quantity: Any, name: str) -> None:
        do(
            "TendencyContent",
            on={"tendency": f"{quantity}_tendency", "tendency_content": name},
            label=f"budget: {name}",
        )

    # ---- what a run has found --------------------------------------------------------------------

    def begin(self, simulation: Any) -> None:
        """Begins to count; all ranks call it."""
        self.started = self._now(simulation)

    def _now(self, simulation: Any) -> Any:
        """Returns means over the globe of all sums, of the storage, and of the energy from the
        fixer.
        """
        found = {"steps": simulation.count}
        cosine = np.cos(np.deg2rad(self.model.grid.coordinates()[1]))
        area = np.where(self.model.grid.wet_levels > 0, self.model.grid.horizontal.area_center, 0.0)
        area = area / area.sum()

        def mean(name: str, weight: float = 1.0) -> float:
            values = simulation.gather(name)
            return (
                0.0
                if values is None
                else float((np.asarray(values, float)[0] * area * weight).sum())
            )

        for label in self.names:
            for quantity in (*self.followed, "kinetic energy"):
                weight = cosine if quantity == "eastward_wind" else 1.0
                found[f"{quantity} by {label}"] = mean(f"{quantity} by {label}", weight)
        for name in ("virtual temperature by all", *(f"sum of {name}" for name in self.fluxes)):
            found[name] = mean(name)
        fixer = simulation.find(mpi.core.EnergyFixer)
        found["fixer"] = fixer.returned if fixer is not None else 0.0
        return found | self._stored(simulation, area, cosine)

    def _stored(self, simulation: Any, area: Any, cosine: Any) -> dict[str, Any]:
        """Returns contents of the globe now [per m2]."""
        found = self.stored(simulation, area, cosine)
        return {f"stored {name}": value for name, value in found.items()}

    def stored(self, simulation: Any, area: Any, cosine: Any = 0.0) -> dict[str, float]:
        """Returns water, energy and momentum of the air now, sums with the weights `area` (ny,
        nx); none but on rank 0. cosine: that of the latitude, of momentum.
        """
        grid, cp = self.model.grid, self.model.parameters["heat_capacity"]
        names = ["eastward_wind", "northward_wind", self.model.temperature, *self.water]
        fields = dict(zip(names, map(simulation.gather, names)))
        logarithm = simulation.gather("log_pressure_ratio")
        orography = simulation.gather("surface_geopotential")
        if logarithm is None:
            return {}
        x = {name: np.asarray(values, float) for name, values in fields.items()}
        pressure = 1e5 * np.exp(np.asarray(logarithm, float)[0])
        a, b = np.diff(grid.levels.a), np.diff(grid.levels.b)
        mass = (a[:, None, None] + b[:, None, None] * pressure) * area / GRAVITY
        frozen = sum((x[name] for name in self.water if name in FROZEN), 0.0)
        wind = x["eastward_wind"], x["northward_wind"]
        energy = cp * (x[self.model.temperature] - REFERENCE) - FUSION * frozen
        energy = energy + 0.5 * (wind[0] ** 2 + wind[1] ** 2)
        energy = energy + L * x["specific_humidity"]
        surface = (np.asarray(orography, float)[0] * pressure * area).sum() / GRAVITY
        return {
            "water": float((mass * sum(x[name] for name in self.water)).sum()),
            "energy": float((mass * energy).sum() + surface),
            "momentum": float((mass * wind[0] * cosine).sum()),
        }

    def table(self, simulation: Any) -> dict[str, Any]:
        """Returns rates since `begin`: water [mm/day], energy [W m-2], momentum [N m-2], each by
        scheme, with `dynamics`, `storage` and the fluxes through both ends; on rank 0, all ranks
        call it.
        """
        now = self._now(simulation)
        steps = now["steps"] - self.started["steps"]
        if not steps or "stored water" not in now:
            return {}
        step, cp = simulation.time_step, self.model.parameters["heat_capacity"]
        change = {name: (now[name] - self.started[name]) / steps for name in now}
        heat = {"air_temperature": cp, "specific_humidity": L, "kinetic energy": 1.0}
        heat |= dict.fromkeys((n for n in self.water if n in FROZEN), -FUSION)

        def shares(weights: Any) -> Any:
            total = [
                sum(w * change[f"{quantity} by {label}"] for quantity, w in weights.items())
                for label in self.names
            ]
            return dict(zip(self.names, np.diff([0.0, *total]).tolist(), strict=True))

        terms = {
            "water": shares(dict.fromkeys(self.water, 86400.0)),
            "energy": shares(heat),
            "momentum": shares({"eastward_wind": 1.0}),
        }
        last = f"air_temperature by {self.names[-1]}"
        terms["energy"]["vapour in T_v"] = cp * (
            change["virtual temperature by all"] - change[last]
        )
        found: dict[str, Any] = {"days": steps * step / 86400}
        for name, units, per in (
            ("water", "mm/day", 86400.0),
            ("energy", "W m-2", 1.0),
            ("momentum", "N m-2", 1.0),
        ):
            storage = per * change[f"stored {name}"] / step
            dynamics = storage - sum(terms[name].values())
            found[name] = {
                "units": units,
                "storage": storage,
                "terms": terms[name] | {"dynamics": dynamics},
            }
        found["energy"]["fixer"] = change["fixer"] / step
        found["fluxes"] = {name: change[f"sum of {name}"] for name in self.fluxes}
        return found


def _labels(names: Any) -> list[Any]:
    """Returns names of schemes; one that comes again has a number."""
    return [
        name if name not in names[:n] else f"{name} {names[:n].count(name) + 1}"
        for n, name in enumerate(names)
    ]
