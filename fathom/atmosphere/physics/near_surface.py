"""Air at 2 m and wind at 10 m as output variables, from the exchange that BulkExchange or
TileExchange left (profiles: fathom.output.post.near_surface).

Sea and ground of a column have separate temperatures, roughness and transfer coefficients C_H =
K / (rho U). T and q at 2 m are the mean of the two by area, the wind at 10 m follows from the drag
of the column. State and surface are those of the time of output, the coefficients those of the step
before it.
"""

from typing import Any

import numpy as np

from fathom.base import constants, earth
from fathom.base.moist_air import GAS_CONSTANT, RATIO, relative_humidity, saturation_pressure
from fathom.output.post import near_surface

exchange = (
    "sea_conductance",
    "ground_conductance",
    "momentum_conductance",
    "sea_roughness",
    "ground_roughness",
    "open_sea",
    "ground_wetness",
    "sea_surface_temperature",
    "ground_temperature",
)
schemes = ("BulkExchange", "TileExchange", "TileExchangeOverOcean")
names = (
    "air_temperature_2m",
    "specific_humidity_2m",
    "relative_humidity_2m",
    "eastward_wind_10m",
    "northward_wind_10m",
    "wind_speed_10m",
)


def at(state: Any, name: str) -> Any:
    """Returns the variable of that name, (points), from the State of a block that holds `exchange`,
    the winds and what pressure follows from.
    """
    if name == "wind_speed_10m":
        return np.hypot(*(at(state, f"{d}ward_wind_10m") for d in ("east", "north")))
    if name == "relative_humidity_2m":
        return relative_humidity(
            at(state, "specific_humidity_2m"),
            at(state, "air_temperature_2m"),
            state["surface_air_pressure"][0],
        )
    T, q, u, v = (
        state[n][-1]
        for n in ("air_temperature", "specific_humidity", "eastward_wind", "northward_wind")
    )
    scheme = next(p for p in state.model.physics if p.name in schemes).all_parameters
    surface_pressure, given = state["surface_air_pressure"][0], {n: state[n][0] for n in exchange}
    middle = np.maximum(
        (state["geopotential"][-1] - state["surface_geopotential"][0]) / earth.GRAVITY, 10.5
    )
    height = np.minimum(middle, scheme["layer"])
    speed = np.sqrt(u**2 + v**2 + scheme["gust"] ** 2)
    flow = state["air_pressure"][-1] / (GAS_CONSTANT * T * (1 + (1 / RATIO - 1) * q)) * speed
    drag, sea = given["momentum_conductance"] / flow, given["open_sea"]
    roughness = {what: given[f"{what}_roughness"] for what in ("sea", "ground")}
    if name.endswith("wind_10m"):
        neutral = sum(
            share / np.log1p(height / roughness[what]) ** 2
            for what, share in (("sea", sea), ("ground", 1 - sea))
        )
        return near_surface.wind_at_10m(
            u if name.startswith("east") else v,
            height,
            height / np.expm1(1 / np.sqrt(neutral)),
            drag=drag,
        )

    def over(what: Any, skin: Any, wetness: Any) -> Any:
        transfer = {
            "drag": drag,
            "heat_transfer": np.maximum(given[f"{what}_conductance"] / flow, 1e-7),
        }
        if name == "air_temperature_2m":
            return near_surface.temperature_at_2m(
                T + earth.GRAVITY / constants.screen_heat_capacity * (middle - height),
                skin,
                height,
                roughness[what],
                **transfer,
            )
        e = saturation_pressure(skin)
        saturated = RATIO * e / (surface_pressure - (1 - RATIO) * e)
        return near_surface.at_height(
            q, q + wetness * (saturated - q), 2.0, height, roughness[what], **transfer
        )

    return sea * over("sea", given["sea_surface_temperature"], 0.98) + (1 - sea) * over(
        "ground", given["ground_temperature"], given["ground_wetness"]
    )
