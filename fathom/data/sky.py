"""The sky over the pack ice of the Arctic, where no ships reported clouds.

The climatology of the air (Esbensen & Kushnir 1981) ends at 78 degrees north. Beyond, its sky is
that of the open sea, but over the pack low clouds cover more of it in summer. Drifting stations
measured 10 to 29 W m-2 more longwave from May to September, and in July and August less light
(Fletcher 1965, in Maykut & Untersteiner 1971, J. Geophys. Res. 76, 1550-1575). With the emissivity
e of each month the sky sends down

    e sigma T^4,   e = measured / sigma T_s^4

T the air of the climatology, T_s at 87 degrees north, where it is that of such stations. The light
S of the climatology is that over a dark sea. Measured was S_0 / (1 - R A), S_0 = S (1 - 0.066 R),
between snow and ice of the albedo A and a sky that reflects R (core/physics/sea_ice/light.hpp).
From April to August the light is multiplied by S as measured over that of the climatology, at 87
degrees north.
"""

from __future__ import annotations

import numpy as np

from fathom.base import constants

STEFAN_BOLTZMANN, CELSIUS = constants.sky_stefan_boltzmann, constants.celsius
BEGINS, WHOLE = 70.0, 78.0  # degrees north, where this sky begins, and is all
LONGWAVE = (168, 166, 166, 187, 244, 291, 308, 302, 266, 224, 181, 176)  # measured [W m-2]
AT_STATIONS = (-33.5, -32.1, -32.0, -24.8, -11.1, -1.2, -0.2, -0.1, -5.7, -17.3, -24.9, -31.5)
SUMMER = {  # month: light, measured [W m-2], albedo of the pack, light of the climatology [W m-2]
    3: (160, 0.81, 105.5),
    4: (286, 0.82, 190.9),
    5: (310, 0.78, 223.9),
    6: (220, 0.64, 206.8),
    7: (145, 0.69, 126.4),
}
REFLECTS, OF_SEA = 0.4, 0.066  # R; albedo of the sea


def longwave(flux: np.ndarray, air: np.ndarray, latitude: np.ndarray, month: int) -> np.ndarray:
    """Returns the longwave of the climatology [W m-2] with that over the pack; air: [degC];
    latitude: of their shape, or one that fits; month: 0 for January.
    """
    emissivity = LONGWAVE[month] / (STEFAN_BOLTZMANN * (AT_STATIONS[month] + CELSIUS) ** 4)
    black = STEFAN_BOLTZMANN * (air + CELSIUS) ** 4
    weight = _weight(latitude)
    result: np.ndarray = (1 - weight) * flux + weight * emissivity * black
    return result


def light(flux: np.ndarray, latitude: np.ndarray, month: int) -> np.ndarray:
    """Returns the light of the climatology [W m-2] with that over the pack."""
    if month not in SUMMER:
        return flux
    measured, albedo, in_file = SUMMER[month]
    over_sea = measured * (1 - REFLECTS * albedo) / (1 - REFLECTS * OF_SEA)
    return flux * (1 + _weight(latitude) * (over_sea / in_file - 1))


def _weight(latitude: np.ndarray) -> np.ndarray:
    return np.clip((latitude - BEGINS) / (WHOLE - BEGINS), 0, 1)
