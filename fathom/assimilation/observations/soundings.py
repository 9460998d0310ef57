"""Checks of soundings: levels of one report, from the ground upwards.

hydrostatic   R T_v ln(p1 / p2) = g (z2 - z1): what is left, as a temperature of the layer
lapse rate    potential temperature must not fall with height
"""

from __future__ import annotations

import numpy as np

from fathom.assimilation.observations import neighbours
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reasons import code
from fathom.assimilation.observations.variables import kinds
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.moist_air import GAS_CONSTANT

kinds_of_profiles = ("temp", "pilot")
layer_error = 8.0  # K: vapour makes up to 4 K, a profile that is not straight the rest
fall = 4.0  # K of potential temperature, from a level to the next
failing = 4  # neighbouring levels that fail together


def _levels(data: Observations, name: str) -> np.ndarray:
    """Returns the used data of a variable of soundings with a pressure, by report and from the
    ground up.
    """
    profile = np.isin(data["kind"], [kinds.index(k) for k in kinds_of_profiles])
    of = np.flatnonzero(profile & data.variable_is(name) & data.used & (data["pressure"] > 0))
    return of[np.lexsort([data["datum"][of], -data["pressure"][of], data["report"][of]])]


def not_hydrostatic(data: Observations) -> np.ndarray:
    """Returns levels between two layers that both disagree, or at the end of one that does: their
    heights and temperatures.
    """
    found = np.zeros(len(data), bool)
    warm, high = _levels(data, "air_temperature"), _levels(data, "geopotential_height")
    if not len(warm) or not len(high):
        return found
    key = np.stack([data["report"], np.nan_to_num(data["pressure"]).astype("i8")], axis=1)
    at = {tuple(k): n for k, n in zip(key[warm].tolist(), warm.tolist())}
    pair = [(at[tuple(k)], n) for k, n in zip(key[high].tolist(), high.tolist()) if tuple(k) in at]
    if len(pair) < 2:
        return found
    T, z = np.array(pair).T
    below, above = slice(None, -1), slice(1, None)
    thickness = np.log(data["pressure"][T[below]] / data["pressure"][T[above]])
    same = (data["report"][T[below]] == data["report"][T[above]]) & (thickness > 0.05)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_height = STANDARD_GRAVITY * np.diff(data["value"][z]) / (GAS_CONSTANT * thickness)
    mean = 0.5 * (data["value"][T[below]] + data["value"][T[above]])
    bad = same & ~(np.abs(by_height - mean) < layer_error)
    ends = np.append(same, False), np.append(False, same)  # a layer above, below each level
    wrong = np.append(bad, False), np.append(False, bad)
    level = (wrong[0] | ~ends[0]) & (wrong[1] | ~ends[1]) & (wrong[0] | wrong[1])
    found[T[level]] = found[z[level]] = True
    return found


def too_steep(data: Observations) -> np.ndarray:
    """Returns temperatures whose potential temperature is less than that of the level below by more
    than `fall`: of the two, the one that stands out against the next level.
    """
    found = np.zeros(len(data), bool)
    of = _levels(data, "air_temperature")
    if len(of) < 3:
        return found
    report, p = data["report"][of], data["pressure"][of]
    theta = data["value"][of] * (1e5 / p) ** (2 / 7)
    same = (report[1:] == report[:-1]) & (p[:-1] > p[1:])
    bad = np.flatnonzero(same & (np.diff(theta) < -fall))
    after = np.minimum(bad + 2, len(of) - 1)
    returns = (report[after] == report[bad]) & (theta[after] >= theta[bad] - fall)
    found[of[np.where(returns, bad + 1, bad)]] = True
    return found


def failed(data: Observations) -> np.ndarray:
    """Returns soundings of which `failing` neighbouring levels fail the first guess: the rest of
    them.
    """
    profile = np.isin(data["kind"], [kinds.index(k) for k in kinds_of_profiles])
    of = np.flatnonzero(profile & np.isfinite(data["background_departure"]))
    found = np.zeros(len(data), bool)
    if not len(of):
        return found
    level = -np.nan_to_num(data["pressure"][of])
    order, group = neighbours.grouped(
        data["report"][of], data["variable"][of], best=(level, data["datum"][of])
    )
    bad = data["reason"][of[order]] == code["first guess"]
    run = np.zeros(len(bad), int)
    for n in range(failing):  # how many in a row end here, at most `failing`
        earlier = np.arange(len(bad)) - n
        fits = (earlier >= 0) & (group[np.maximum(earlier, 0)] == group)
        run += (run == n) & fits & bad[np.maximum(earlier, 0)]
    gone = np.bincount(group, run >= failing) > 0
    found[of[order]] = gone[group]
    return found
