"""RTTOV by the door of plugged.py, where its Python interface `pyrttov` is installed (versions 12
and 13; it is no package of an index):

    from fathom.assimilation.observations import plugged, rttov
    plugged.register("rttov", rttov.Rttov({"AMSU-A": "rtcoef_noaa_15_amsua.dat"}))

It then sees all brightness temperatures: those of the instruments that are named, the others are
not seen. Equivalents are of the direct model and slopes of the K model, in clear air. Layers of a
column are RTTOV's levels, so a slope by the surface pressure has that of their pressures too. The
surface has RTTOV's own emissivities, of the sea where the ground is not above 1 m.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations import microwave, rttov_coefficients
from fathom.assimilation.observations.plugged import Profiles
from fathom.base.failure import InputError
from fathom.base.home import at_home
from fathom.base.near import unknown

of_air = 1  # RTTOV's unit of gases: kg/kg over moist air
land, sea, ocean = 0, 1, 1  # RTTOV's kinds of surface and of water
highest_sea = 1.0  # m
skin_of_sea = (35.0, 0.0, 0.0, 3.0, 5.0, 15.0, 0.1, 0.3)  # salinity, snow, foam, FASTEM's of land
fetch = 1e5  # m


class Rttov:
    """Brightness temperatures by RTTOV; coefficients: instrument, by name or as WMO numbers it, ->
    its file. InputError: an instrument without a number, or `pyrttov` is missing.
    """

    kinds, variable = ("radiance",), "toa_brightness_temperature"

    def __init__(self, coefficients: Mapping[str | int, str | Path]) -> None:
        if not coefficients:
            raise InputError("RTTOV needs an instrument with its coefficients, given none")
        self.files = {_number(name): at_home(path) for name, path in coefficients.items()}
        self.coefficients = next(
            (path for path in self.files.values() if not path.is_file()),
            next(iter(self.files.values())),
        )  # that is missing, or the first
        self.instrument = next(iter(self.files))
        self._models: dict[int, tuple[Any, int]] = {}

    def equivalents(self, profiles: Profiles) -> np.ndarray:
        """Returns brightness temperatures (n) [K]; NaN of other instruments and channels."""
        seen = np.full(len(profiles.skin), np.nan)
        for of, channel, model in self._scenes(profiles):
            model.runDirect()
            seen[of] = np.asarray(model.Bt)[np.arange(len(of)), channel]
        return seen

    def adjoint(self, profiles: Profiles, value: np.ndarray) -> dict[str, np.ndarray]:
        """Returns the adjoints of temperature, humidity, wind at 10 m (the lowest layer), surface
        pressure and skin temperature."""
        names = ("temperature", "humidity", "east", "north", "surface_pressure", "skin")
        made = {n: np.zeros(np.shape(getattr(profiles, n))) for n in names}
        for of, channel, model in self._scenes(profiles):
            model.runK()
            at, y = np.arange(len(of)), value[of]

            def slope(name: str, of: Any = model, at: Any = at, c: Any = channel) -> np.ndarray:
                found: np.ndarray = np.asarray(getattr(of, name))[at, c]
                return found

            near, skin = slope("S2mK"), slope("SkinK")  # (n, 6), (n, 9)
            made["temperature"][of] = slope("TK") * y[:, None]
            made["humidity"][of] = slope("QK") * y[:, None]
            for column, field in ((1, "temperature"), (2, "humidity"), (3, "east"), (4, "north")):
                made[field][of, -1] += near[:, column] * y
            moved = 0.5 * (profiles.b[1:] + profiles.b[:-1])
            of_pressure = near[:, 0] + np.sum(slope("PK") * moved, axis=1)
            made["surface_pressure"][of] = 1e-2 * of_pressure * y
            made["skin"][of] = skin[:, 0] * y
        return made

    def _scenes(self, profiles: Profiles) -> Iterator[tuple[np.ndarray, np.ndarray, Any]]:
        """Yields indices of the data of each instrument, their channels from 0, and RTTOV with
        their profiles."""
        instrument, channel = profiles.datum["instrument"], profiles.datum["channel"]
        for number in self.files:
            model, count = self._model(number)
            of = np.flatnonzero((instrument == number) & (channel >= 1) & (channel <= count))
            if len(of):
                model.Profiles = self._profiles(profiles, of)
                model.SurfEmisRefl = np.full((4, len(of), count), -1.0)
                yield of, np.asarray(channel)[of] - 1, model

    def _model(self, number: int) -> tuple[Any, int]:
        """Returns RTTOV of an instrument, and how many channels it has."""
        if number not in self._models:
            path = self.files[number]
            count = len(rttov_coefficients.read(path).channels)
            model = _library().Rttov()
            model.FileCoef = str(path)
            for option, on in (("AddInterp", True), ("LgradP", True), ("VerboseWrapper", False)):
                setattr(model.Options, option, on)
            model.loadInst()
            self._models[number] = model, count
        return self._models[number]

    def _profiles(self, profiles: Profiles, of: np.ndarray) -> Any:
        """Returns the profiles of data as RTTOV has them, pressures in hPa, from the top down."""
        count, flat = len(of), np.ones(len(of))
        made = _library().Profiles(count, profiles.temperature.shape[1])
        made.GasUnits = of_air
        made.P, made.T = 1e-2 * profiles.layers[of], profiles.temperature[of]
        made.Q = profiles.humidity[of]
        zenith = np.abs(profiles.datum["zenith"][of])
        made.Angles = np.stack([zenith, 0 * flat, 90 * flat, 0 * flat], axis=1)
        lowest = [
            getattr(profiles, n)[of, -1] for n in ("temperature", "humidity", "east", "north")
        ]
        made.S2m = np.stack([1e-2 * profiles.surface_pressure[of], *lowest, fetch * flat], axis=1)
        made.Skin = np.stack([profiles.skin[of], *(x * flat for x in skin_of_sea)], axis=1)
        wet = profiles.ground[of] <= highest_sea
        kinds = np.stack([np.where(wet, sea, land), np.full(count, ocean)], axis=1)
        made.SurfType = kinds.astype(np.int32)
        places = (profiles.datum["latitude"][of], profiles.datum["longitude"][of])
        made.SurfGeom = np.stack([*places, 1e-3 * profiles.ground[of]], axis=1)
        made.DateTimes = np.tile(np.array([2000, 1, 1, 0, 0, 0], np.int32), (count, 1))
        return made


def _number(name: str | int) -> int:
    """Returns WMO's number of an instrument."""
    if isinstance(name, int):
        return name
    known = {v: k for k, v in microwave.instruments.items()}
    if name not in known:
        raise InputError(unknown("instrument", name, known) + ", or WMO's number of another")
    return known[name]


def _library() -> Any:
    try:
        return importlib.import_module("pyrttov")
    except ImportError:
        raise InputError(
            "RTTOV's operator needs pyrttov, which is built with RTTOV (nwp-saf.eumetsat.int)"
        ) from None
