"""Scores: distances of states from nature by field, level and region; departures by kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.cycle.chain.models import Fields, Space, State
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.variables import kinds, names
from fathom.grids.gaussian import GaussianGrid

levels = (85000.0, 50000.0, 25000.0)  # Pa
regions: Mapping[str, tuple[float, float]] = {
    "globe": (-90, 90), "north": (20, 90), "tropics": (-20, 20), "south": (-90, -20),
}  # fmt: skip


def at_pressures(space: Space, vector: Any, below: Fields) -> Fields:
    """Returns wind, temperature, humidity at the pressures of scores (rows, points), linear in
    ln p; and the pressure at mean sea level.
    """
    held = space.columns(vector, below)
    a, b = (np.asarray(v, float)[:, None, None] for v in (space.air.a, space.air.b))
    p = a + b * held["surface_air_pressure"]
    x = np.log(0.5 * (p[1:] + p[:-1]))
    made = {"pressure": sea_level(space, held)}
    for level in levels:
        k = np.clip((x < np.log(level)).sum(axis=0) - 1, 0, len(x) - 2)[None]
        above, below = (np.take_along_axis(x, k + n, 0)[0] for n in (0, 1))
        share = np.clip((np.log(level) - above) / (below - above), 0, 1)
        for name, field in (
            ("u", "eastward_wind"), ("v", "northward_wind"), ("temperature", "air_temperature"),
            ("humidity", "specific_humidity"),
        ):  # fmt: skip
            upper, lower = (np.take_along_axis(held[field], k + n, 0)[0] for n in (0, 1))
            made[f"{name} {level / 100:.0f}"] = (1 - share) * upper + share * lower
    return made


def sea_level(space: Space, held: Fields) -> np.ndarray:
    """Returns the pressure at mean sea level (rows, points) [Pa]."""
    flat = {n: f.reshape(len(f), -1) for n, f in held.items()}
    columns = space.air.columns(flat)
    return columns.apply("surface_pressure", 0.0).reshape(space.inside.shape)


def on_grid(state: State, space: Space) -> Fields:
    """Returns fields of scores of a state at the points of another grid: linear between points."""
    own = at_pressures(state.space, state.vector, state.fields)
    if state.space.inside.shape == space.inside.shape:
        return own
    x, y = space.grid.coordinates("center")
    around = state.grid.interpolation(x.ravel(), y.ravel())
    return {
        n: np.sum(f.ravel()[around.index] * around.weight, axis=1).reshape(x.shape)
        for n, f in own.items()
    }


def distances(path: Path, truth: Path) -> dict[str, dict[str, float]]:
    """Returns region -> field and level -> rms difference of two restarts: wind [m s-1],
    temperature [K], humidity [g kg-1], pressure at mean sea level [hPa].
    """
    state = State(path)
    ours = at_pressures(state.space, state.vector, state.fields)
    theirs = on_grid(State(truth), state.space)
    weight = state.space.areas
    latitude = np.broadcast_to(state.grid.coordinates("center")[1], ours["pressure"].shape)
    square = {n: (ours[n] - theirs[n]) ** 2 for n in ours}
    made: dict[str, dict[str, float]] = {}
    whole = isinstance(state.grid, GaussianGrid)
    for region, (south, north) in (regions if whole else {"area": (-90, 90)}).items():
        w = weight * ((latitude >= south) & (latitude <= north))

        def rms(f: Any, w: Any = w) -> float:
            return float(np.sqrt(np.sum(f * w) / np.sum(w)))

        of = made[region] = {"pressure": 0.01 * rms(square["pressure"])}
        for level in (f"{p / 100:.0f}" for p in levels):
            of[f"wind {level}"] = rms(square[f"u {level}"] + square[f"v {level}"])
            of[f"temperature {level}"] = rms(square[f"temperature {level}"])
            of[f"humidity {level}"] = 1e3 * rms(square[f"humidity {level}"])
    return made


def by_kind(data: Observations) -> dict[str, dict[str, float]]:
    """Returns "kind variable" -> how many data are used, rms of both departures over the errors,
    their means, and the mean weight.
    """
    made = {}
    used = data.used & np.isfinite(data["background_departure"] + data["analysis_departure"])
    key = data["kind"].astype(int) * len(names) + data["variable"]
    for one in np.unique(key[used]).tolist():
        of = np.flatnonzero(used & (key == one))
        kind, variable = divmod(one, len(names))
        sigma = data["error_final"][of]
        d, r = (data[n][of] for n in ("background_departure", "analysis_departure"))
        made[f"{kinds[kind]} {names[variable]}"] = {
            "data": len(of),
            "departure": float(np.sqrt(np.mean((d / sigma) ** 2))),
            "residual": float(np.sqrt(np.mean((r / sigma) ** 2))),
            "mean_departure": float(d.mean()),
            "mean_residual": float(r.mean()),
            "weight": float(data["weight"][of].mean()),
        }
    return made
