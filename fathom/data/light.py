"""Sunlight over the pack ice of the Southern Ocean, where no ships reported clouds.

The light of the climatology of the air (Esbensen & Kushnir 1981) is based on ships. Beyond them it
is that of the open sea, under the thickest clouds of the earth. Measured from an
icebreaker, the optical depth of clouds is 24 at 58 degrees south and 11 at 67 (Fitzpatrick & Warren
2007, J. Climate 20, 1259-1275). Of the light T0 of a clear sky (Zillman 1972, in Parkinson &
Washington 1979, J. Geophys. Res. 84, 311-337), clouds of depth tau and cover C let through

    T0 [1 - C + C / (1 + 3/4 (1 - g) tau)],   C = 0.85,   g = 0.85

over a dark sea: at 59 degrees the light of the climatology to 2 %, at 67 10 to 21 % more from
October to February.
"""

from __future__ import annotations

import numpy as np

SOLAR_CONSTANT = 1361.0  # W m-2
COVER, ASYMMETRY = 0.85, 0.85
BEGINS, WHOLE = -58.0, -62.0  # degrees north, where this light begins, and is all
VAPOUR = 5.0  # hPa, at 0 degC
BALANCE = 0.99911  # factor on all light of the climatology: its net heat is zero again


def over_pack(light: np.ndarray, latitude: np.ndarray, month: int) -> np.ndarray:
    """Returns the light of the climatology [W m-2] with that over the pack; latitude: of its shape,
    or one that fits; month: 0 for January.
    """
    depth = np.interp(-latitude, (58.0, 67.0), (24.0, 11.0))
    through = 1 - COVER + COVER / (1 + 0.75 * (1 - ASYMMETRY) * depth)
    weight = np.clip((latitude - BEGINS) / (WHOLE - BEGINS), 0, 1)
    result: np.ndarray = BALANCE * (
        (1 - weight) * light + weight * through * clear(latitude, month)
    )
    return result


def clear(latitude: np.ndarray, month: int) -> np.ndarray:
    """Returns mean light of a day in the middle of a month under a clear sky [W m-2], Zillman
    (1972), the sun by Spencer (1971).
    """
    angle = 2 * np.pi * (month + 0.5) / 12
    tilt = (
        0.006918
        - 0.399912 * np.cos(angle)
        + 0.070257 * np.sin(angle)
        - 0.006758 * np.cos(2 * angle)
        + 0.000907 * np.sin(2 * angle)
    )
    nearness = 1.000110 + 0.034221 * np.cos(angle) + 0.001280 * np.sin(angle)
    phi = np.deg2rad(latitude)[..., None]
    hours = (np.arange(96) + 0.5) * np.pi / 96
    high = np.sin(phi) * np.sin(tilt) + np.cos(phi) * np.cos(tilt) * np.cos(hours)
    mu = np.maximum(high, 0)
    flux = mu**2 / ((mu + 2.7) * VAPOUR * 1e-3 + 1.085 * mu + 0.1)
    result: np.ndarray = SOLAR_CONSTANT * nearness * flux.mean(-1)
    return result
