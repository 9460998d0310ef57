"""A single column under the forcing of a case in DEPHY format (driver_file.py).

    dx/dt = adv_x + rad_x - w dx/dz + (x_n - x) / tau + physics          x = theta, q, u, v
    d(u + iv)/dt = -i f (u - u_g + i (v - v_g))
    lowest layer:  m c_p dT/dt = H,  m dq/dt = E,  or by similarity from the ground's temperature

The forcing acts for a step, then the physics. Subsidence is upwind and backward in time, rotation
and nudging are exact for a step: stable at any step. Pressures stay those of the first state.
`water` adds up what each part of the forcing brings to the column [kg m-2].
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from fathom.atmosphere.column import profiles as column_profiles
from fathom.atmosphere.column import radiation as column_radiation
from fathom.atmosphere.column.driver_file import (
    KAPPA,
    DriverFile,
    humidities,
    specific,
    temperatures,
    winds,
)
from fathom.atmosphere.column.model import SingleColumn
from fathom.atmosphere.physics import similarity
from fathom.atmosphere.physics.packages import carried, listed
from fathom.base import earth
from fathom.base.clock import seconds_of
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.moist_air import (
    EVAPORATION_HEAT,
    GAS_CONSTANT,
    VIRTUAL_FACTOR,
    specific_humidity,
    virtual_temperature,
)
from fathom.model.component import Array

HEAT_CAPACITY = GAS_CONSTANT / KAPPA
SEA_HUMIDITY = 0.98  # of saturation over salt water
heights_of_interfaces = np.concatenate([np.arange(0, 1000, 25), np.arange(1000, 3001, 50)])
wind_names = {"ua": "eastward_wind", "va": "northward_wind"}
own_exchange = ("BulkExchange", "SurfaceState", "TileExchange", "TileState")
of_fluxes = ("MassFluxConvection", "ShallowMassFlux")  # start from those at the surface


class ForcedColumn(Configurable):
    """A case of a DEPHY driver file as a column that runs.

    >>> case = fm.ForcedColumn("BOMEX_REF_SCM_driver.nc")                       # doctest: +SKIP
    >>> case.run("6h", every="10min").to_netcdf("bomex.nc")                     # doctest: +SKIP

    Parameters
    ----------
    file : path, open xarray.Dataset, or DriverFile.
    heights : of interfaces [m], from 0 upward; by default to 3 km.
    physics : list of schemes; the exchange with the ground is the file's, not theirs.
    time_step : "60s", or seconds.
    roughness : length [m], where the file gives neither z0 nor ustar.
    radiation : how often fluxes are computed where the file asks for radiation of the column's own
        ("on"): RRTMGP, in the physics or not (column_radiation.py); None: never.

    Warns of unused variables of the file. Raises ValueError for unknown forcing.
    """

    in_turn = True

    def __init__(
        self,
        file: Any,
        heights: Sequence[float] | Array | None = None,
        physics: Iterable[Any] | None = None,
        *,
        time_step: float | str = "60s",
        roughness: float | None = None,
        radiation: float | str | None = "5min",
    ) -> None:
        self.file = file if isinstance(file, DriverFile) else DriverFile(file)
        heights = heights_of_interfaces if heights is None else heights
        physics = ["TKE", "VerticalDiffusion"] if physics is None else list(physics)
        physics = with_given_fluxes(physics)
        self.radiates = bool(radiation) and self.file.choice("radiation") == "on"
        if self.radiates:
            physics = listed(physics)
            physics = [*column_radiation.before(physics, radiation, self.file.has("o3")), *physics]
        interface = self._layers(np.asarray(heights, float))
        levels = SimpleNamespace(nz=self.z.size, a=interface, b=0 * interface)
        kept = ["air_diffusivity", "boundary_layer_height", "shallow_mass_flux"]
        if self.radiates:
            kept += ["cloud_fraction", *column_radiation.fluxes]
        self.column = SingleColumn(
            levels,
            physics,
            latitude=self.file.latitude,
            longitude=self.file.longitude,
            time_step=time_step,
            start=self.file.start,
            keep=kept,
        )
        self.kinds = carried(self.column.physics)  # of water, other than vapour
        self.kept = [name for name in (*kept, *self.kinds) if self.column.fields.has(name)]
        self.mass = self.column.mass.copy()
        self.mass[: self.inside.start] = 0
        self.time_step, self.time, self.roughness = self.column.time_step, 0.0, roughness
        self.exner = (self.column.pressure / 1e5) ** KAPPA
        self.ground_exner = (self.file.pressure(np.zeros(1))[0] / 1e5) ** KAPPA
        self.coriolis = 2 * earth.ROTATION * np.sin(np.deg2rad(self.file.latitude))
        self.water = dict.fromkeys(("advection", "subsidence", "nudging", "surface"), 0.0)
        self.surface = dict.fromkeys(("friction_velocity", "sensible_heat", "evaporation"), 0.0)
        self._start()
        self._warn()

    def _layers(self, heights: Any) -> Any:
        """Makes the layers of the case, and those above it where it radiates; pressures of
        interfaces.
        """
        grows = heights.ndim == 1 and heights.size > 2 and heights[0] == 0
        if not grows or (np.diff(heights) <= 0).any():
            raise InputError("heights must grow from 0 [m] upward, three or more")
        self.above: Any = None
        interface, inside = self.file.pressure(heights), heights.size - 1
        if self.radiates:
            heights = column_radiation.with_interfaces_above(heights)
            self.above = column_radiation.AirAbove(self.file, heights[inside:])
            interface = np.append(interface, self.above.pressure)
        self.interfaces, self.z = heights[::-1], 0.5 * (heights[1:] + heights[:-1])[::-1]
        self.inside = slice(heights.size - 1 - inside, None)
        return interface[::-1]

    def _start(self) -> None:
        kind = self.file.first_temperature()
        warm = self.file.initial(kind, self.z)
        state = {
            "air_temperature": warm if kind == "ta" else warm * self.exner,
            "specific_humidity": self.file.humidity(self.z),
            **{new: self.file.initial(old, self.z) for old, new in wind_names.items()},
        }
        if self.column.fields.has("turbulent_kinetic_energy") and self.file.has("tke"):
            state["turbulent_kinetic_energy"] = self.file.initial("tke", self.interfaces)
        for name, kind in (("ql", "cloud_liquid_water"), ("qi", "cloud_ice")):
            if kind in self.kinds and self.file.has(name):
                state[kind] = self.file.initial(name, self.z)
        if self.above is not None:
            self._hold(state)
            if self.file.has("o3"):
                self._set(ozone=self.file.at("o3", 0.0, self.z))
        calm = {"momentum_conductance": 0.0, "sea_conductance": 0.0, "ground_conductance": 0.0}
        self._set(**state, **calm, open_sea=0.0, ground_inertia=1e12)
        self._forcing()
        self._exchange()

    def _hold(self, state: Any) -> None:
        """Keeps the air above the case as it is."""
        n, of = self.inside.start, self.above
        state["air_temperature"][:n] = of.temperature[::-1]
        state["specific_humidity"][:n] = of.humidity[::-1]
        for kind in self.kinds:
            if kind in state:
                state[kind][:n] = 0

    def _set(self, **values: Any) -> None:
        """Sets the fields that the physics has."""
        self.column.set(**{n: v for n, v in values.items() if self.column.fields.has(n)})

    def _warn(self) -> None:
        file = self.file
        also = {f"{n}{end}" for n in (*temperatures, *humidities) for end in ("", "_nud")}
        also |= {"pa", "pa_forc", "ts", "thetas", "thetas_forc", "hfss", "hfls"}
        also |= {f"tn{n}_{of}" for n in (*temperatures, *humidities) for of in ("adv", "rad")}
        # `also` repeats another variable; water that is zero everywhere has no effect
        unused = [
            n for n in file.unused() if n not in also | {"ps_forc"} and file.file[n].values.any()
        ]
        if unused:
            warnings.warn(f"{file.name}: not used: {', '.join(unused)}", stacklevel=3)
        if file.has("ps_forc") and np.ptp(file.file["ps_forc"].values) > 0:
            warnings.warn(f"{file.name}: ps_forc: pressures are constant here", stacklevel=3)
        if file.choice("radiation") == "on" and not self.radiates:
            warnings.warn(f"{file.name}: radiation = 'on': this column computes none", stacklevel=3)

    def advance(self, period: Any) -> Self:
        """Takes whole steps of so many seconds, or "6h"."""
        for _ in range(round(seconds_of(period) / self.time_step)):
            self._apply(self._forcing(), self._exchange())
            self.column.advance(1)
            self.time += self.time_step
        return self

    def _now(self, name: str) -> Any:
        return self.file.at(name, self.time + 0.5 * self.time_step, self.z)

    def _number(self, name: str) -> Any:
        return self.file.at(name, self.time + 0.5 * self.time_step)

    def _forcing(self) -> Any:
        """Returns the forcing of the file at the middle of the step, by kind."""
        file, rates, targets = self.file, [], []
        for kind in (temperatures, humidities, *((x,) for x in winds)):
            rates += [(x, self._now(f"tn{x}_adv")) for x in self._said(kind, "adv")]
            targets += [
                (x, self._now(f"{x}_nud"), self._nudging(x)) for x in self._said(kind, "nudging")
            ]
        if file.choice("radiation") == "tend":
            x = "ta" if file.has("tnta_rad") else "theta"
            rates.append((x, self._now(f"tn{x}_rad")))
        wind = self._now("ug") + 1j * self._now("vg") if file.flag("forc_geo") else None
        return SimpleNamespace(rates=rates, targets=targets, rising=self._rising(), wind=wind)

    def _said(self, kind: Any, forcing: Any) -> Any:
        """Returns the first of these variables with that forcing: a file says the same in each of
        them.
        """
        return [x for x in kind if self.file.flag(f"{forcing}_{x}")][:1]

    def _nudging(self, x: Any) -> Any:
        """Returns 1 / tau by height [s-1]."""
        tau = self.file.flag(f"nudging_{x}")
        if tau < 0:
            return self._now(f"nudging_coefficient_{x}")
        above = self.file.attributes.get(f"pa_nudging_{x}")
        if above is not None and f"zh_nudging_{x}" not in self.file.attributes:
            return np.where(self.column.pressure <= float(above), 1 / tau, 0.0)
        return np.where(self.z >= self.file.flag(f"zh_nudging_{x}"), 1 / tau, 0.0)

    def _rising(self) -> Any:
        if self.file.flag("forc_wa"):
            return self._now("wa")
        if self.file.flag("forc_wap"):
            density = self.column.pressure / (GAS_CONSTANT * self.column["air_temperature"])
            return -self._now("wap") / (density * earth.GRAVITY)
        return None

    def _apply(self, forcing: Any, exchange: Any) -> None:
        """Applies one step of forcing and of given fluxes."""
        state = {
            "theta": self.column["air_temperature"] / self.exner,
            "q": self.column["specific_humidity"].copy(),
            "ua": self.column["eastward_wind"].copy(),
            "va": self.column["northward_wind"].copy(),
            **{kind: self.column[kind].copy() for kind in self.kinds},
        }
        store = self._store(state)
        for x, rate in forcing.rates:
            name, per = self._home(x)
            wet = (1 - state["q"]) ** 2 if x in ("rv", "rt") else 1.0  # dq = (1 - q)^2 dr
            state[name] = state[name] + self.time_step * rate * per * wet
        store = self._add("advection", state, store)
        if forcing.rising is not None:
            for name in state:
                state[name] = subside(state[name], self.z, forcing.rising, self.time_step)
        store = self._add("subsidence", state, store)
        for x, target, per_second in forcing.targets:
            name, per = self._home(x)
            target = specific(x, target) * per
            state[name] = target + (state[name] - target) * np.exp(-self.time_step * per_second)
        store = self._add("nudging", state, store)
        if forcing.wind is not None:
            turned = (state["ua"] + 1j * state["va"] - forcing.wind) * np.exp(
                -1j * self.coriolis * self.time_step
            ) + forcing.wind
            state["ua"], state["va"] = turned.real, turned.imag
        per_mass = self.time_step / self.column.mass[-1]
        state["theta"][-1] += exchange.heat * per_mass / (HEAT_CAPACITY * self.exner[-1])
        state["q"][-1] += exchange.water * per_mass
        self._add("surface", state, store)
        new = {kind: state[kind] for kind in self.kinds} | {
            "air_temperature": state["theta"] * self.exner,
            "specific_humidity": state["q"],
            "eastward_wind": state["ua"],
            "northward_wind": state["va"],
        }
        if self.above is not None:
            self._hold(new)
        self.column.set(**new)

    def _home(self, x: Any) -> tuple[Any, ...]:
        """Returns the variable that x changes, and the factor."""
        if x in winds:
            return x, 1.0
        return ("q", 1.0) if x in humidities else ("theta", 1 / self.exner if x == "ta" else 1.0)

    def _store(self, state: Any) -> float:
        return float(self.mass @ sum((state[kind] for kind in self.kinds), state["q"]))

    def _add(self, what: Any, state: Any, before: Any) -> Any:
        now = self._store(state)
        self.water[what] += now - before
        return now

    def _exchange(self) -> Any:
        """Returns heat [W m-2] and water [kg m-2 s-1] from the ground, for turbulence to read."""
        column, file = self.column, self.file
        T, q = column["air_temperature"][-1], column["specific_humidity"][-1]
        speed = max(float(np.hypot(column["eastward_wind"][-1], column["northward_wind"][-1])), 0.1)
        air = SimpleNamespace(q=q, theta=T / self.exner[-1], speed=speed)
        air.density = column.pressure[-1] / (GAS_CONSTANT * virtual_temperature(T, q))
        heat = water = 0.0
        u_star = None
        if file.choice("surface_forcing_temp") == "ts":
            u_star, heat, water = self._by_similarity(air)
        elif file.choice("surface_forcing_temp") != "none":
            per = air.density * HEAT_CAPACITY * self.ground_exner
            heat = self._given("hfss", 1.0, "wpthetap_s", per)
        if file.choice("surface_forcing_moisture") in ("surface_flux", "kinematic"):
            name = "wpqvp_s" if file.has("wpqvp_s") else "wpqtp_s"
            water = self._given("hfls", 1 / EVAPORATION_HEAT, name, air.density)
        lift = heat / (HEAT_CAPACITY * self.exner[-1]) + VIRTUAL_FACTOR * air.theta * water
        buoyancy = earth.GRAVITY / air.theta * lift / air.density
        if file.choice("surface_forcing_wind") == "ustar":
            u_star = self._number("ustar")
        elif u_star is None:
            u_star = similarity.from_flux(self.z[-1], self._roughness(), speed, buoyancy)
        self._set(
            friction_velocity=u_star,
            buoyancy_flux=buoyancy,
            momentum_conductance=air.density * u_star**2 / speed,
            given_sensible_heat_flux=heat,
            given_evaporation_flux=water,
        )
        if self.radiates:
            self._set(**column_radiation.surface(file, self.time + 0.5 * self.time_step, T))
        self.surface = {"friction_velocity": u_star, "sensible_heat": heat, "evaporation": water}
        return SimpleNamespace(heat=heat, water=water)

    def _by_similarity(self, air: Any) -> tuple[Any, ...]:
        """Returns u*, heat and water over ground of a given temperature: wet sea, land wet to
        beta."""
        file = self.file
        ts = self._number("ts_forc" if file.has("ts_forc") else "ts")
        sea = file.attributes.get("surface_type", "ocean") == "ocean"
        beta = float(sea)
        if file.choice("surface_forcing_moisture") == "beta":
            beta = self._number("beta")
        moist = float(specific_humidity(1.0, ts, 1e5 * self.ground_exner ** (1 / KAPPA)))
        below = air.q + beta * ((SEA_HUMIDITY if sea else 1.0) * moist - air.q)
        hot = ts / self.ground_exner
        difference = air.theta * (1 + VIRTUAL_FACTOR * air.q) - hot * (1 + VIRTUAL_FACTOR * below)
        rough = self._roughness()
        of_heat = self._number("z0h") if file.has("z0h") else rough
        u_star, transfer = similarity.from_difference(
            self.z[-1], rough, of_heat, air.speed, air.theta, difference
        )
        heat = HEAT_CAPACITY * self.exner[-1] * (hot - air.theta)
        flow = air.density * transfer
        return u_star, flow * heat, flow * (below - air.q)

    def _given(self, name: str, factor: Any, kinematic: Any, per_kinematic: Any) -> Any:
        """Returns a flux: as such, or as a covariance where the file has that."""
        if self.file.has(kinematic):
            return per_kinematic * self._number(kinematic)
        return factor * self._number(name)

    def _roughness(self) -> Any:
        if self.file.has("z0"):
            return self._number("z0")
        if self.roughness is None:
            raise InputError(
                f"{self.file.name}: the file has neither z0 nor ustar: give roughness [m]"
            )
        return self.roughness

    def run(self, period: Any = None, every: str = "10min") -> Any:
        """Runs, by default to the end of the file; profiles and fluxes as an xarray.Dataset
        (time, height)."""
        length = self.file.length if period is None else seconds_of(period)
        apart = max(round(seconds_of(every, "every") / self.time_step), 1) * self.time_step
        records = [self._record()]
        records.extend(self.advance(apart)._record() for _ in range(round(length / apart)))
        n = self.inside
        return column_profiles.dataset(self.file, self.z[n], self.interfaces[n], records)

    def _record(self) -> dict[str, Any]:
        names = (*wind_names.values(), "air_temperature", "specific_humidity", *self.kept)
        record: dict[str, Any] = {n: np.array(self.column[n]) for n in names}
        record["air_potential_temperature"] = record["air_temperature"] / self.exner
        record = {n: v[self.inside] if v.ndim else v for n, v in record.items()}
        for kind in self.kinds:
            record[f"{kind}_path"] = float(self.mass @ self.column[kind])
        return record | self.surface | {"time": self.time}


def with_given_fluxes(physics: Any) -> Any:
    """Returns the schemes, and after the diffusion the fluxes of the file."""
    called = [what if isinstance(what, str) else getattr(what, "name", "") for what in physics]
    for name in called:
        if name in own_exchange:
            raise InputError(
                f"physics: {name} needs its own surface; that of this column is given by the file"
            )
    diffusion = called.index("VerticalDiffusion") if "VerticalDiffusion" in called else None
    starting = [called.index(name) for name in of_fluxes if name in called]
    if starting and (diffusion is None or min(starting) < diffusion):
        raise InputError(f"physics: {called[min(starting)]} needs VerticalDiffusion before it")
    if diffusion is None:
        return physics
    return [*physics[: diffusion + 1], "GivenSurfaceFluxes", *physics[diffusion + 1 :]]


def subside(x: Any, z: Any, w: Any, step: float) -> Any:
    """Returns (x' - x) / dt = -w dx'/dz, upwind; nothing comes in through the top or the ground."""
    from scipy.linalg import solve_banded

    apart = z[:-1] - z[1:]
    down, up = np.zeros(z.size), np.zeros(z.size)
    down[1:] = step * np.maximum(-w[1:], 0) / apart  # from the layer above
    up[:-1] = step * np.maximum(w[:-1], 0) / apart  # from the layer below
    bands = np.zeros((3, z.size))
    bands[0, 1:], bands[1], bands[2, :-1] = -up[:-1], 1 + down + up, -down[1:]
    return solve_banded((1, 1), bands, x)
