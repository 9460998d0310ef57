"""The analysis of the surface: temperature and humidity at 2 m, snow, sea surface temperature, by
optimal interpolation of the departures of observations from a background.

    made = analyse(structure, targets, data, neighbours=50)      # increments, deviations
    withheld(structure, data, folds=10)                          # at data that it has not seen

Equations: core/observation/optimal_interpolation.hpp. Each place is solved separately, from the
nearest observations, so no bit depends on the number of ranks or threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.assimilation.observations import parquet
from fathom.base import constants, earth, mpi
from fathom.base.failure import InputError
from fathom.base.moist_air import GAS_CONSTANT, RATIO, saturation_pressure
from fathom.base.near import unknown

HEAT_CAPACITY = constants.analysis_heat_capacity
LATENT_HEAT = constants.analysis_evaporation_heat
VAPOUR = GAS_CONSTANT / RATIO  # its gas constant [J kg-1 K-1]


@dataclass(frozen=True)
class Structure:
    """The structure of background errors. `background_error` None: it follows
    from the departures, minus the errors of observations.
    """

    length: float  # m
    height: float  # m; infinite: heights do not matter
    error: float  # of an observation, with its representativeness, unit of the variable
    background_error: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise InputError(f"{name} = {value} of a structure must be positive")

    def deviation(self, departure: np.ndarray) -> float:
        """Returns sigma_b: <d^2> = sigma_b^2 + sigma_o^2; at least a tenth of the observation's."""
        if self.background_error is not None:
            return self.background_error
        left = float(np.mean(departure**2)) - self.error**2 if len(departure) else 0.0
        return float(np.sqrt(max(left, (0.1 * self.error) ** 2)))


# Lengths and heights: 2 m fields as tuned on stations of Europe
# (docs/results/observations.md); snow: Brasnett (1999); the sea: some Rossby radii of its mixed
# layer.
structures = {
    "air_temperature": Structure(100e3, 500.0, 1.2),
    "relative_humidity": Structure(100e3, 500.0, 0.1),
    "surface_snow_thickness": Structure(55e3, 800.0, 0.04),
    "sea_water_temperature": Structure(150e3, np.inf, 0.5),
}


def structure_of(variable: str) -> Structure:
    """Returns the usual structure of a variable; ValueError where it is not one of the surface."""
    if variable not in structures:
        raise InputError(unknown("variable of a surface analysis", variable, structures))
    return structures[variable]


@dataclass(frozen=True)
class Data:
    """Departures (n) from the background at places [degrees] with heights [m]; NaN: not known, then
    that of the nearest datum.
    """

    longitude: np.ndarray
    latitude: np.ndarray
    height: np.ndarray
    departure: np.ndarray

    def __len__(self) -> int:
        return len(self.departure)

    def taken(self, which: np.ndarray) -> Data:
        """Returns some of the data."""
        return Data(*(values[which] for values in vars(self).values()))


def analyse(
    structure: Structure,
    longitude: Any,
    latitude: Any,
    height: Any,
    data: Data,
    neighbours: int = 50,
    threads: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Returns increments at places and the standard deviations of their errors, from the
    `neighbours` nearest data within 6 lengths. ValueError: what is not finite.
    """
    wrong = [n for n in ("longitude", "latitude", "departure")
             if not np.isfinite(getattr(data, n)).all()]  # fmt: skip
    if wrong:
        raise InputError(f"{wrong[0]} of the data of an analysis is not finite everywhere")
    longitude, latitude, height = (
        np.ascontiguousarray(np.ravel(x), float)
        for x in np.broadcast_arrays(longitude, latitude, height)
    )
    deviation = structure.deviation(data.departure)
    if not len(data):
        return np.zeros(len(longitude)), np.full(len(longitude), deviation)
    targets = earth.unit_vectors(longitude, latitude)
    directions = earth.unit_vectors(data.longitude, data.latitude)
    around = _nearest(targets, directions, min(neighbours, len(data)), 6 * structure.length)
    height = _heights(height, targets, data.height, directions)
    numbers = _heights(data.height, directions, data.height, directions), np.array(data.departure)
    result: tuple[np.ndarray, np.ndarray] = mpi.core.interpolate_optimally(
        structure.length, structure.height, deviation, targets, height, directions, numbers[0],
        numbers[1], np.full(len(data), structure.error), around, threads,
    )  # fmt: skip
    return result


def _heights(
    height: np.ndarray, places: np.ndarray, known: np.ndarray, known_places: np.ndarray
) -> np.ndarray:
    """Returns heights. An unknown height is replaced by the height of the nearest datum that has
    one, so that all covariances are consistent. If no datum has one, all heights are 0.
    """
    from scipy.spatial import cKDTree

    there, missing = np.isfinite(known), ~np.isfinite(height)
    filled = np.array(height if there.any() else np.zeros_like(height), float)
    if there.any() and missing.any():
        _, nearest = cKDTree(known_places[there]).query(places[missing])
        filled[missing] = known[there][nearest]
    return filled


def _nearest(targets: np.ndarray, places: np.ndarray, most: int, reach: float) -> np.ndarray:
    """Returns (targets, most): the nearest places within a distance [m], -1 where there are no
    more.
    """
    from scipy.spatial import cKDTree

    chord = 2 * np.sin(min(reach / earth.RADIUS, np.pi) / 2)
    _, index = cKDTree(places).query(targets, np.arange(1, most + 1), distance_upper_bound=chord)
    return np.where(index == len(places), -1, index).astype(np.int32)


def withheld(
    structure: Structure, data: Data, folds: int = 10, seed: int = 0, **options: Any
) -> np.ndarray:
    """Returns the rest of each departure when a random part of the data is analysed from all
    others.
    """
    if not 2 <= folds <= len(data):
        raise InputError(f"folds = {folds} must be from 2 to the number of data, {len(data)}")
    fold = np.random.default_rng(seed).permutation(len(data)) % folds
    left = np.empty(len(data))
    for n in range(folds):
        out = data.taken(fold == n)
        made, _ = analyse(
            structure, out.longitude, out.latitude, out.height, data.taken(fold != n), **options
        )
        left[fold == n] = out.departure - made
    return left


def outliers(
    structure: Structure,
    data: Data,
    most: float = 4.0,
    neighbours: int = 20,
    threads: int = 1,
    comm: Any = parquet.alone,
) -> np.ndarray:
    """Returns where a datum is too far from the analysis of its neighbours without it: the spatial
    consistency test. True: |d - d_others| > most * sqrt(sigma_others^2 + sigma_o^2). Each pass
    removes those that are the worst among their neighbours, until none is left.

    Ranks have the same data and share the solving.
    """
    bad = np.zeros(len(data), bool)
    for _ in range(20):
        keep = np.flatnonzero(~bad)
        some = data.taken(keep)
        if len(some) < 3:
            return bad
        first, end = (len(some) * (comm.rank + n) // comm.size for n in (0, 1))
        share = _alone(structure, some, np.arange(first, end), neighbours, threads)
        ratio = np.concatenate(comm.allgather(share)) / most
        worst = np.flatnonzero(ratio > 1)
        if not len(worst):
            return bad
        places = earth.unit_vectors(some.longitude, some.latitude)
        near = _nearest(places[worst], places, min(10, len(some)), structure.length)
        around = np.where(near >= 0, ratio[near], 0).max(axis=1)
        bad[keep[worst[ratio[worst] >= around]]] = True
    return bad


def _alone(
    structure: Structure, data: Data, which: np.ndarray, neighbours: int, threads: int
) -> np.ndarray:
    """Returns |departure - analysis from the others| of some data, in standard deviations of the
    difference.
    """
    places = earth.unit_vectors(data.longitude, data.latitude)
    around = _nearest(places[which], places, min(neighbours + 1, len(data)), 6 * structure.length)
    own = around == which[:, None]
    order = np.argsort(own, axis=1, kind="stable")  # itself last, then left out
    around = np.take_along_axis(around, order, 1)
    around = np.where(np.take_along_axis(own, order, 1), -1, around)
    around = np.take_along_axis(around, np.argsort(around < 0, axis=1, kind="stable"), 1)
    height = _heights(data.height, places, data.height, places)
    departure = np.ascontiguousarray(data.departure, float)
    made, deviation = mpi.core.interpolate_optimally(
        structure.length, structure.height, structure.deviation(departure),
        np.ascontiguousarray(places[which]), height[which],
        places, height, departure, np.full(len(data), structure.error),
        np.ascontiguousarray(around, np.int32), threads,
    )  # fmt: skip
    result: np.ndarray = np.abs(departure[which] - made) / np.sqrt(
        deviation**2 + structure.error**2
    )
    return result


# What is evaporated where nothing limits it, under a sun in the zenith [W m-2]; since when, into a
# mixed layer of what height; errors: of beta, of temperature and relative humidity with what else
# than soil makes them.
POTENTIAL_HEAT, MORNING, MIXED = 450.0, 18e3, 1200.0  # W m-2, s, m
WETNESS_ERROR, ITS_DATA = 0.15, (1.5, 0.1)


def wetness_increments(
    temperature: Any, humidity: Any, sun: Any, air: tuple[Any, Any] = (293.0, 0.5)
) -> np.ndarray:
    """Returns what increments of temperature [K] and relative humidity at 2 m tell of beta, the
    share of potential evaporation that the ground gives: optimal interpolation of one number from
    two (Mahfouf 1991), their sensitivities from the budget of a mixed layer,

        dT = -E / (rho c_p h) dbeta,   dq = E / (rho L_v h) dbeta,   E = 450 W m-2 mu 5 h
        dr = dq / q_s - r L_v / (R_v T^2) dT
        dbeta = B H^T (H B H^T + R)^-1 (dT, dr)

    sun: mu, the cosine of its zenith angle: at night nothing is told; air: T [K] and r that there
    are.
    """
    mu, (T, r) = np.maximum(sun, 0), air
    density, heat = 1.2, mu * POTENTIAL_HEAT * MORNING / MIXED
    q_s = RATIO * saturation_pressure(T) / 1e5
    by_T = -heat / (density * HEAT_CAPACITY)
    by_r = heat / (density * LATENT_HEAT) / q_s - r * LATENT_HEAT / (VAPOUR * T**2) * by_T
    B, (of_T, of_r) = WETNESS_ERROR**2, ITS_DATA
    a, b, c = B * by_T**2 + of_T**2, B * by_T * by_r, B * by_r**2 + of_r**2
    dT, dr = np.asarray(temperature, float), np.asarray(humidity, float)
    x, y = (c * dT - b * dr) / (a * c - b * b), (a * dr - b * dT) / (a * c - b * b)
    result: np.ndarray = B * (by_T * x + by_r * y)
    return result


DAY_IN_SOIL = 0.12  # m: the depth at which a wave of a day has fallen to 1 / e


def ground_increments(air_temperature: np.ndarray, land: str = "LandSurface") -> dict[str, Any]:
    """Returns what increments of temperature at 2 m [K] give to the ground, by the scheme of land:
    all of it to the surface, and

        LandSurface   1 / 2 pi of it to the mean of the day below (Giard & Bazile 2000, eq. 2)
        SoilLayers    to each layer the mean of exp(-z / 0.12 m) in it, the wave of a day in soil
        TiledLand     as SoilLayers; the surface is the mean of the tiles

    Returns name of the field -> increments. ValueError: another scheme.
    """
    surface = np.asarray(air_temperature, float)
    if land == "LandSurface":
        below = {"deep_ground_temperature": surface / (2 * np.pi)}
    elif land in ("SoilLayers", "TiledLand"):
        thickness = np.array(mpi.core.ground["thickness"])
        left = np.exp(-np.append(0, np.cumsum(thickness)) / DAY_IN_SOIL)
        shares = DAY_IN_SOIL / thickness * -np.diff(left)
        below = {f"soil_temperature_{k}": share * surface for k, share in enumerate(shares, 1)}
    else:
        known = ["LandSurface", "SoilLayers", "TiledLand"]
        raise InputError(unknown("scheme of land", land, known))
    return {"ground_temperature": surface, **below}
