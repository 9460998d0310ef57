"""The model's equivalents of data: its columns at their places, and the operators on them.

    places = Places(around, (longitude, latitude), data)     # the four points around each datum
    columns = places.columns({"air_temperature": T, ...})    # (levels, n, 4) -> (levels, n)
    departure, reason, unlike = Air(a, b).see(data, columns)     # observation minus model

`unlike`: the additional error from the place of the datum [its unit], so that

    inflated error^2 = error^2 + unlike^2
    wind of clouds          half the change of the wind over 100 hPa: its height is unsure
    pressure of a station   5 % of what lies between it and the model's ground, 0.6 Pa m-1
    temperature at 2 m      4 K km-1 of that height
    radiances               of the surface's emission, and of vapour on small scales (looks.py)

A run (fathom/run/departures.py) and a store (stores.py) give the same columns to the same code. Of
a datum only its own column enters, in one order of sums: no bit depends on which others are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fathom.assimilation.observations import operators, plugged
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.looks import (
    Columns,
    Look,
    OfPlugin,
    OfSurface,
    Radiances,
    at_surface,
    ground_kinds,
    known_radiances,
)
from fathom.assimilation.observations.netcdf import pressure_at
from fathom.assimilation.observations.reasons import code
from fathom.assimilation.observations.variables import kinds, names, variable
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.moist_air import GAS_CONSTANT

Seen = tuple[np.ndarray, np.ndarray, np.ndarray]  # departures, reasons, additions to errors
highest_step = 800.0  # m between a station and the model's ground, for a surface pressure
of_model = tuple(code[name] for name in ("no equivalent", "outside the levels", "height"))
winds = ("eastward_wind", "northward_wind")
height_of_clouds = 5e3  # Pa: the error of the pressure that a wind of clouds is given


class Places:
    """Interpolates from the four grid points around each datum to the datum; vectors as vectors in
    space.

    around: an Interpolation to the places of `data`; coordinates: longitude and latitude of all
    grid points [degrees].
    """

    def __init__(self, around: Any, coordinates: tuple[Any, Any], data: Observations) -> None:
        self.weight = around.weight.astype(float)
        there = (np.ravel(x)[around.index] for x in coordinates)
        self.there = _frame(*there)  # 2 x (n, 4, 3)
        self.here = _frame(data["longitude"], data["latitude"])  # 2 x (n, 3)

    def columns(self, around: Mapping[str, np.ndarray], of: Any = slice(None)) -> Columns:
        """Returns fields (levels, n, 4) around the data `of` those of the places, at their
        places."""
        made = {name: self._mean(f, of) for name, f in around.items() if name not in winds}
        if all(name in around for name in winds):
            vector = [
                self._mean(
                    sum(around[w] * frame[of][..., axis] for w, frame in zip(winds, self.there)), of
                )
                for axis in range(3)
            ]
            for name, frame in zip(winds, self.here):
                made[name] = _sum([vector[axis] * frame[of][..., axis] for axis in range(3)])
        return made

    def _mean(self, values: Any, of: Any) -> np.ndarray:
        """Returns the mean without missing values (land); NaN where half of the weight is
        missing."""
        weight, there = self.weight[of], ~np.isnan(values)
        held = np.where(there, values, 0)
        share = _sum([weight[:, n] * there[..., n] for n in range(4)])
        total = _sum([weight[:, n] * held[..., n] for n in range(4)])
        return np.where(share >= 0.5, total / np.maximum(share, 0.5), np.nan)


def between(before: Columns, after: Columns, share: np.ndarray) -> Columns:
    """Returns columns linear in time, `share` (n) of the way."""
    return {name: (1 - share) * before[name] + share * after[name] for name in before}


class Air:
    """Observes an atmosphere on hybrid levels, p = a + b p_s at the interfaces."""

    needs = ("air_temperature", "surface_air_pressure", "surface_geopotential")
    takes = ("specific_humidity", *winds, "ground_temperature", "land_fraction", "snow_amount",
             "sea_surface_temperature")  # fmt: skip

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = np.asarray(a, float), np.asarray(b, float)

    def sees(self, data: Observations) -> np.ndarray:
        """Returns which data an operator is for."""
        made: np.ndarray = known_radiances(data) | at_surface(data)
        for k, v, of in _groups(data):
            made[of] |= operators.operator_of(names[v], kinds[k]) is not None
            made[of] |= plugged.operator_for(kinds[k], names[v]) is not None
        return made

    def see(self, data: Observations, held: Columns) -> Seen:
        """Returns departures, NaN where there is no equivalent, reasons for that (0: there is one),
        and what the place adds to errors.
        """
        departure, unlike = np.full(len(data), np.nan), np.zeros(len(data))
        reason = np.full(len(data), code["no equivalent"])
        for look in self.looks(data, held):
            of = look.of
            outside, why = self._outside(look)
            nowhere = outside | (np.isnan(look.level) & look.has_level)
            departure[of] = np.where(nowhere, np.nan, data["value"][of] - look.apply())
            reason[of] = np.where(outside, why, reason[of])
            unlike[of] = np.nan_to_num(_unlike(look))
        reason[np.isfinite(departure)] = 0
        return departure, reason, unlike

    def looks(self, data: Observations, held: Columns) -> Iterator[Look]:
        """Yields the data by kind and variable, each with its operator and its columns."""
        columns = self.columns(held)
        if not np.isfinite(columns.temperature).any():
            return
        for k, v, of in _groups(data):
            some = data.taken(of)
            if (own := plugged.operator_for(kinds[k], names[v])) is not None:
                yield OfPlugin(of, some, columns.taken(of), own)
                continue
            if names[v] == "toa_brightness_temperature":
                yield Radiances(of, some, columns.taken(of), _land(held, of))
                continue
            found = operators.operator_of(names[v], kinds[k])
            if found is None:
                yield OfSurface(of, some, names[v], {n: x[:, of] for n, x in held.items()})
                continue
            yield Look(of, some, columns.taken(of), *found, self._level(some, columns, of, *found))

    def _level(
        self, some: Observations, columns: operators.Columns, of: np.ndarray, name: str, what: str
    ) -> np.ndarray:
        """Returns the level [Pa or m] at which data are seen."""
        variable, kind = names[some["variable"][0]], some["kind"][0]
        level, there = some[what], columns.taken(of)
        level = np.where(np.isnan(level) & (kind in ground_kinds), there.ground, level)
        if variable in winds and what == "pressure" and np.isnan(level).any():  # at a height
            level = np.where(np.isnan(level), _pressure_at(there, some["height"]), level)
        return np.zeros(len(of)) if variable == "air_pressure_at_mean_sea_level" else level

    def _outside(self, look: Look) -> tuple[np.ndarray, int]:
        """Returns which data are those for which an operator would need values beyond the column,
        and the code of the reason.
        """
        columns, level, what = look.columns, look.level, look.what
        nowhere = np.zeros(len(level), bool)
        if not what:
            return nowhere, 0
        with np.errstate(invalid="ignore"):
            if look.operator == "surface_pressure":
                return np.abs(level - columns.ground) > highest_step, code["height"]
            ps = columns.surface_pressure
            first, second = (self.a[k] + self.b[k] * ps for k in (0, 1))
            top = np.where(first > 0, first, second / 2)
            if what == "pressure":
                return (level < top) | (level > ps), code["outside the levels"]
            if look.operator in operators.by_height.values():
                beyond = level > columns.apply("height", top)
                return beyond | (level < columns.ground), code["outside the levels"]
        return nowhere, 0

    def columns(self, held: Columns) -> operators.Columns:
        """Returns the state of columns, as operators take it."""
        T = held["air_temperature"].T

        def flat(name: str) -> Any:
            return held[name][0]

        def of(name: Any) -> Any:
            return held[name].T if name in held else np.zeros_like(T)

        skin = flat("ground_temperature") if "ground_temperature" in held else T[:, -1]
        humidity, (east, north) = of("specific_humidity"), map(of, winds)
        ps, ground = flat("surface_air_pressure"), flat("surface_geopotential") / STANDARD_GRAVITY
        return operators.Columns(self.a, self.b, T, humidity, east, north, ps, skin, ground)


def _pressure_at(columns: operators.Columns, height: np.ndarray) -> np.ndarray:
    """Returns pressure of the model at heights [m], by its hydrostatics; NaN of one below its
    ground.
    """
    T = columns.temperature.mean(axis=1)
    scale = GAS_CONSTANT * T / STANDARD_GRAVITY
    p = columns.surface_pressure * np.exp(-(height - columns.ground) / scale)
    for _ in range(12):
        there = columns.apply("height", np.where(np.isnan(p), columns.surface_pressure, p))
        p = p * np.exp((there - height) / scale)
    return np.where(height < columns.ground, np.nan, p)


def _unlike(look: Look) -> np.ndarray:
    some, level = look.columns, look.level
    if isinstance(look, Radiances):
        return look.unsure()
    if not look.what:
        return np.zeros(len(level))
    if kinds[look.data["kind"][0]] == "amv":
        near = (np.clip(level + n * height_of_clouds, 1.0, some.surface_pressure) for n in (-1, 1))
        above, below = (some.apply(look.operator, p) for p in near)
        return np.asarray(0.5 * np.abs(above - below))
    slope = {"surface_pressure": 0.6, "temperature_2m": 4e-3}.get(look.operator, 0.0)
    return np.asarray(slope * np.abs(level - some.ground))


def inflate(data: Observations, of: np.ndarray, unlike: np.ndarray) -> None:
    """Adds what their places add to the errors of data `of`; the given ones stay."""
    given = data["error"][of]
    for name in ("error_inflated", "error_final"):
        data[name][of] = np.where(np.isnan(given), data[name][of], np.hypot(given, unlike))


def _land(held: Columns, of: np.ndarray) -> np.ndarray:
    """Returns fraction of land at data; all is sea in a model without land."""
    return held["land_fraction"][0][of] if "land_fraction" in held else np.zeros(len(of))


class Sea:
    """Observes an ocean whose layers have their middles at `depth` [m]."""

    needs = ("temperature", "salinity")
    takes = ("sea_surface_height",)
    of = ("sea_water_temperature", "sea_water_salinity", "sea_surface_height_above_geoid")

    def __init__(self, depth: Any) -> None:
        self.profile = operators.SeaProfile(np.asarray(depth, float))

    def sees(self, data: Observations) -> np.ndarray:
        """Returns which data the sea has an equivalent of (n)."""
        return np.isin(data["variable"], [names.index(name) for name in self.of])

    def see(self, data: Observations, held: Columns) -> Seen:
        """Observes the sea. A temperature in situ is brought to potential temperature by the
        model's salinity; one without a depth is of the top layer.
        """
        depth = np.nan_to_num(data["depth"])
        seen = {name: self._at(held[name].T, depth) for name in self.needs}
        pressure = pressure_at(depth, data["latitude"])
        potential = operators.potential_temperature(seen["salinity"], data["value"], pressure)
        height = held["sea_surface_height"][0] if "sea_surface_height" in held else np.nan
        departure = np.full(len(data), np.nan)
        for name, value in {
            "sea_water_temperature": potential - seen["temperature"],
            "sea_water_salinity": data["value"] - seen["salinity"],
            "sea_surface_height_above_geoid": data["value"] - height,
        }.items():
            departure = np.where(data.variable_is(name), value, departure)
        reason = np.where(np.isfinite(departure), 0, code["no equivalent"])
        return departure, reason, np.zeros(len(data))

    def _at(self, field: np.ndarray, depth: np.ndarray) -> np.ndarray:
        """Returns linear in depth; nothing below the middle of the last layer with water."""
        k, share = self.profile.weights(depth)
        n = np.arange(len(k))
        upper, lower = field[n, k], field[n, k + 1]
        value = np.where(share == 0, upper, (1 - share) * upper + share * lower)
        return np.where(depth <= self.profile.depth[-1], value, np.nan)


def told(data: Observations) -> list[str]:
    """Returns a line for each kind and variable: how many departures, their mean and rms."""
    lines = []
    for k, v, of in _groups(data):
        d = data["background_departure"][of]
        if len(d := d[np.isfinite(d)]):
            lines.append(line(kinds[k], names[v], d))
    return lines


def line(kind: str, name: str, departure: np.ndarray) -> str:
    """Returns one line of departures of a kind: number, mean, rms."""
    rms = np.sqrt(np.mean(departure**2))
    return (
        f"{kind:14} {name:34} {len(departure):8} data, mean {departure.mean():9.4g}, rms"
        f" {rms:9.4g} {variable(name).units}"
    )


def _groups(data: Observations) -> list[tuple[int, int, np.ndarray]]:
    """Returns (kind, variable, which data) of all that there are."""
    key = data["kind"].astype(int) * len(names) + data["variable"]
    found, inverse = np.unique(key, return_inverse=True)
    return [
        (*divmod(int(one), len(names)), np.flatnonzero(inverse == n)) for n, one in enumerate(found)
    ]


def _frame(longitude: Any, latitude: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns unit vectors to the east and to the north, (..., 3)."""
    x, y = np.deg2rad(longitude), np.deg2rad(latitude)
    east = np.stack([-np.sin(x), np.cos(x), np.zeros_like(x)], axis=-1)
    north = np.stack([-np.sin(y) * np.cos(x), -np.sin(y) * np.sin(x), np.cos(y)], axis=-1)
    return east, north


def _sum(terms: list[np.ndarray]) -> Any:
    """Returns the sum, one term after the other: the same bits for any number of data."""
    return sum(terms[1:], terms[0])
