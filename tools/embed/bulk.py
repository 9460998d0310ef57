"""Bulk formulae of Large & Yeager (2004, 2009): the fluxes that balance the surface climatology."""

from __future__ import annotations

import numpy as np

from .sphere import mean

CELSIUS = 273.15  # K at 0 degC
LATENT_HEAT = 2.5e6  # J kg-1
DAY = 86400.0  # s
EVAPORATION = 3.13  # mm day-1, mean over the ocean (Trenberth et al. 2007: 413 000 km3 a year)


def saturation(temperature, factor=1.0, density=1.22):
    """Specific humidity at saturation (Large & Yeager 2004, eq. 5); `factor`: 0.98 over the sea."""
    return factor * 640380.0 / density * np.exp(-5107.4 / (temperature + CELSIUS))


def bulk_fluxes(speed, air_temperature, humidity, pressure, sea_temperature):
    """Turbulent heat flux into the sea [W m-2] and evaporation [kg m-2 s-1], Large & Yeager (2009),
    all at 10 m.
    """
    density = pressure / (287.04 * (air_temperature + CELSIUS) * (1 + 0.608 * humidity))
    excess = humidity - saturation(sea_temperature, 0.98, density)
    warmth = air_temperature - sea_temperature
    wind = np.maximum(speed, 0.5)
    virtual = (air_temperature + CELSIUS) * (1 + 0.608 * humidity)
    neutral, zeta = wind, np.zeros_like(wind)
    for _ in range(5):
        drag = 1e-3 * (2.7 / neutral + 0.142 + neutral / 13.09 - 3.14807e-10 * neutral**6)
        root = np.sqrt(drag)
        momentum, scalar = stability(zeta)
        ratio = 1 / (1 - root / 0.4 * momentum)  # of the friction velocity to its neutral value
        heat, moisture = (
            factor * root * ratio / (1 - factor * scalar / 0.4)
            for factor in (np.where(zeta > 0, 18.0e-3, 32.7e-3), 34.6e-3)
        )
        friction = root * ratio * wind
        buoyancy = (
            9.81
            * wind
            / friction
            * (heat * warmth / virtual + moisture * excess / (humidity + 1 / 0.608))
        )
        zeta = np.clip(0.4 * buoyancy * 10 / friction**2, -10, 10)
        neutral = np.maximum(wind / (1 - root / 0.4 * stability(zeta)[0]), 0.5)
    evaporation = -density * moisture * excess * wind
    return density * 1000.5 * heat * warmth * wind - LATENT_HEAT * evaporation, evaporation


def stability(zeta):
    """Profile functions psi of momentum and of scalars."""
    x = np.sqrt(np.sqrt(np.maximum(1 - 16 * zeta, 1)))
    unstable = 2 * np.log((1 + x) / 2) + np.log((1 + x**2) / 2) - 2 * np.arctan(x) + np.pi / 2
    return np.where(zeta > 0, -5 * zeta, unstable), np.where(
        zeta > 0, -5 * zeta, 2 * np.log((1 + x**2) / 2)
    )


def humidity_factor(speed, air_temperature, humidity, pressure, sst, water):
    """Factor on specific humidity with which the evaporation of the ocean is as observed (ships
    measure too moist).
    """
    factor = 1.0
    for _ in range(6):  # the flux is almost linear in the humidity
        here, drier = (
            mean(bulk_fluxes(speed, air_temperature, f * humidity, pressure, sst)[1], water) * DAY
            for f in (factor, factor - 0.01)
        )
        factor -= 0.01 * (EVAPORATION - here) / (drier - here)
    return factor
