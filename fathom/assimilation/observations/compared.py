"""Departures of the data of a base from a background, off-line."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from fathom.assimilation.observations.background import Background
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.equivalents import line, of_model
from fathom.assimilation.observations.reasons import code
from fathom.assimilation.observations.variables import kinds, names

beyond = code["outside the levels"]
of_the_surface = ("synop", "ship", "buoy", "metar")


def compare(data: Observations, background: Background) -> list[str]:
    """Sets `background_departure` of data with an equivalent, and a reason for others: *no
    equivalent*, *outside the levels*. Returns a line for each kind and variable: how many, mean and
    rms.
    """
    lines = []
    reason = np.full(len(data), code["no equivalent"])
    data["background_departure"] = np.nan
    for name in background.variables:
        if name not in names:
            continue
        for number, kind in enumerate(kinds):
            of = np.flatnonzero((data["kind"] == number) & data.variable_is(name))
            if not len(of):
                continue
            there = _equivalents(data, of, name, kind, background)
            departure = data["value"][of] - there
            data["background_departure"][of] = departure
            reason[of] = np.where(_beyond(data, of, name, kind, background), beyond, reason[of])
            known = departure[np.isfinite(departure)]
            if len(known):
                lines.append(line(kind, name, known))
    reason[np.isfinite(data["background_departure"])] = 0
    before = np.where(np.isin(data["reason"], of_model), 0, data["reason"])
    data["reason"] = np.where(before == 0, reason, before)
    return lines


def _beyond(
    data: Observations, of: np.ndarray, name: str, kind: str, background: Background
) -> np.ndarray:
    """Returns which data lie above the highest level of the background or below its lowest."""
    levels = background.levels(name)
    if kind in of_the_surface or len(levels) < 2:
        return np.zeros(len(of), bool)
    pressure = data["pressure"][of]
    result: np.ndarray = (pressure < levels[-1]) | (pressure > levels[0])
    return result


def _equivalents(
    data: Observations, of: np.ndarray, name: str, kind: str, background: Background
) -> np.ndarray:
    """Returns the background at the data of one kind and variable; NaN where it has no value."""
    place = data["longitude"][of], data["latitude"][of], data["time"][of]
    if kind in of_the_surface:
        nothing = np.full(len(of), np.nan)
        return background.at(name, *place) if (name, 0.0) in background.fields else nothing
    return _in_the_air(background, name, place, data["pressure"][of])


def _in_the_air(
    background: Background, name: str, place: tuple[np.ndarray, ...], pressure: np.ndarray
) -> np.ndarray:
    """Returns linear in ln p between the levels; NaN above the highest and below the lowest."""
    levels = background.levels(name)[::-1]
    found = np.full(len(pressure), np.nan)
    if len(levels) < 2:
        return found
    x, wanted = np.log(levels), np.log(np.where(pressure > 0, pressure, np.nan))
    for n, (above, below) in enumerate(pairwise(levels)):
        here = (wanted >= x[n]) & (wanted <= x[n + 1])
        if here.any():
            longitude, latitude, time = (p[here] for p in place)

            def at(level: Any) -> Any:
                return background.at(name, longitude, latitude, time, level)  # noqa: B023

            share = (wanted[here] - x[n]) / (x[n + 1] - x[n])
            found[here] = (1 - share) * at(above) + share * at(below)
    return found
