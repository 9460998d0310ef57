"""Radiances of AMSU-A, AMSU-B, MHS and ATMS: their channels, the regression of their optical
depths, and its files.

    sounder = radiances.open("microwave")          # trained once, then from the user's cache
    seen = sounder.apply(columns, channel, emissivity, secant)       # brightness temperatures [K]

Columns (n, 2 levels + 2) hold temperature and specific humidity at `sounder.pressure`, the surface
pressure and the skin temperature; `tangent` and `adjoint` go with them. Equations:
core/observation/radiance.hpp; line by line: absorption.py.

The coefficients are those of least squares for profiles of the embedded GFS state, above 10 hPa
continued with the standard atmosphere and departures from it, at six angles; other profiles of that
state verify them.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations import absorption
from fathom.base import mpi, writing
from fathom.base.cache import folder
from fathom.base.failure import InputError, MissingFileError
from fathom.base.near import unknown
from fathom.data import atmosphere

Channel = tuple[float, tuple[float, ...], float]
# Instrument -> its channels: centre [GHz], offsets of the side bands, width of a side band [MHz].
# AMSU-A, AMSU-B, MHS: NOAA KLM User's Guide, 3.3, 3.4, 3.9; ATMS: Weng et al. (2012), table 1.
_57 = 57.290344
_above = ((_57, (0.217,), 78), (_57, (0.3222, 0.048), 36), (_57, (0.3222, 0.022), 16),
          (_57, (0.3222, 0.010), 8), (_57, (0.3222, 0.0045), 3))  # fmt: skip
instruments: dict[str, tuple[Channel, ...]] = {
    "AMSU-A": (
        (23.8, (), 270), (31.4, (), 180), (50.3, (), 180), (52.8, (), 400), (53.596, (0.115,), 170),
        (54.4, (), 400), (54.94, (), 400), (55.5, (), 330), (_57, (), 330), *_above,
        (89.0, (), 2000),
    ),
    "MHS": (
        (89.0, (), 2800), (157.0, (), 2800), (183.311, (1.0,), 500), (183.311, (3.0,), 1000),
        (190.311, (), 2200),
    ),
    "AMSU-B": (
        (89.0, (0.9,), 1000), (150.0, (0.9,), 1000), (183.311, (1.0,), 500),
        (183.311, (3.0,), 1000), (183.311, (7.0,), 2000),
    ),
    "ATMS": (
        (23.8, (), 270), (31.4, (), 180), (50.3, (), 180), (51.76, (), 400), (52.8, (), 400),
        (53.596, (0.115,), 170), (54.4, (), 400), (54.94, (), 400), (55.5, (), 330),
        (_57, (), 330), *_above, (88.2, (), 2000), (165.5, (0.925,), 1150),
        (183.311, (7.0,), 2000), (183.311, (4.5,), 2000), (183.311, (3.0,), 1000),
        (183.311, (1.8,), 1000), (183.311, (1.0,), 500),
    ),
}  # fmt: skip
channels = tuple(dict.fromkeys(one for own in instruments.values() for one in own))  # each once
of_temperature = slice(4, 14)  # channels that see temperature above the ground's reach
levels = np.linspace(5.0**0.25, 1.1e5**0.25, 54) ** 4  # Pa
angles = np.array([1.0, 1.1, 1.25, 1.45, 1.7, 2.0])  # secants
standard = {  # hPa -> K, above the GFS state (US Standard Atmosphere 1976)
    0.02: 208.0, 0.05: 222.0, 0.1: 231.6, 0.2: 245.5, 0.5: 262.0, 1: 270.6, 2: 258.0, 5: 239.3,
    10: 227.7,
}  # fmt: skip


def of_instrument(name: str) -> np.ndarray:
    """Returns where its channels, in their order, are in `channels`."""
    return np.array([channels.index(one) for one in instruments[name]])


def frequencies(channel: int) -> np.ndarray:
    """Returns where a channel is sampled [GHz]: three points of Gauss in each side band, equal
    weights to the bands.
    """
    centre, offsets, width = channels[channel]
    bands = np.array([centre])
    for offset in offsets:
        bands = np.concatenate([bands - offset, bands + offset])
    return (bands[:, None] + 0.5e-3 * width * np.polynomial.legendre.leggauss(3)[0]).ravel()


def weights(channel: int) -> np.ndarray:
    """Returns weights of these frequencies; their sum is 1."""
    bands = len(frequencies(channel)) // 3
    return np.tile(np.polynomial.legendre.leggauss(3)[1] / 2, bands) / bands


@dataclass(frozen=True)
class Radiometer:
    """Coefficients (channels, layers, predictors), the levels [Pa] and the reference in layers.
    ValueError: shapes that do not fit.
    """

    pressure: np.ndarray
    temperature: np.ndarray
    humidity: np.ndarray
    frequency: np.ndarray  # Hz
    values: np.ndarray

    @cached_property
    def _core(self) -> Any:
        return mpi.core.Radiometer(*(np.ascontiguousarray(x, float) for x in vars(self).values()))

    def _scenes(self, columns: Any, channel: Any, emissivity: Any, secant: Any) -> tuple[Any, ...]:
        columns = np.ascontiguousarray(columns, float)

        def full(x: Any, of: Any) -> np.ndarray:
            return np.array(np.broadcast_to(x, (len(columns),)), of)

        return columns, full(channel, np.int32), full(emissivity, float), full(secant, float)

    def apply(
        self, columns: Any, channel: Any, emissivity: Any = 1.0, secant: Any = 1.0, threads: int = 1
    ) -> np.ndarray:
        """Returns brightness temperatures [K]; channel: from 0."""
        result: np.ndarray = self._core.apply(
            *self._scenes(columns, channel, emissivity, secant), threads
        )
        return result

    def tangent(
        self, columns: Any, channel: Any, change: Any, emissivity: Any = 1.0, secant: Any = 1.0,
        threads: int = 1,
    ) -> np.ndarray:  # fmt: skip
        """Returns their changes by those of the columns."""
        scenes = self._scenes(columns, channel, emissivity, secant)
        result: np.ndarray = self._core.tangent(
            *scenes, np.ascontiguousarray(change, float), threads
        )
        return result

    def adjoint(
        self, columns: Any, channel: Any, value: Any, emissivity: Any = 1.0, secant: Any = 1.0,
        threads: int = 1,
    ) -> np.ndarray:  # fmt: skip
        """Returns adjoints of the columns by those of the brightness temperatures."""
        scenes = self._scenes(columns, channel, emissivity, secant)
        result: np.ndarray = self._core.adjoint(
            *scenes, np.ascontiguousarray(value, float), threads
        )
        return result


# ---------------------------------------------------------------- training


def profiles(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns temperature and specific humidity (levels, count) at places of the GFS state drawn at
    random, with the standard atmosphere and smooth departures above it, and with more or less
    vapour.
    """
    rng = np.random.default_rng(seed)
    data = atmosphere.gfs()
    j, i = (
        rng.integers(data.sizes["latitude"], size=count),
        rng.integers(data.sizes["longitude"], size=count),
    )
    at = [data[n].values[:, j, i] for n in ("air_temperature", "specific_humidity")]
    p, x = np.log(data.pressure.values), np.log(levels)
    T, q = (np.stack([np.interp(x, p, c) for c in field.T], axis=1) for field in at)
    above = x < p[0]
    ten = np.interp(x, np.log(100 * np.array(list(standard))), list(standard.values()))[:, None]
    s = (p[0] - x)[:, None]
    wave = sum(
        rng.normal(0, 5, count) * np.sin(k * s / 2 + rng.uniform(0, 6.3, count)) for k in (1, 2)
    )
    high = ten + (T - ten) * np.exp(-s / 2) + wave * (1 - np.exp(-s))
    T = np.where(above[:, None], high, T)
    q = np.where(above[:, None], 3e-6, q * rng.uniform(0.5, 1.3, count))
    return np.clip(T, 160, 330), np.clip(q, 1e-6, 0.035)


def depths(channel: int, T: np.ndarray, q: np.ndarray, secant: float) -> np.ndarray:
    """Returns optical depths (layers, profiles) of the mean transmittance of a channel, along the
    path.
    """
    each = absorption.layer_depths(frequencies(channel), levels, T, q)
    return channel_depths(each, weights(channel), secant)


def channel_depths(each: np.ndarray, weight: np.ndarray, secant: float) -> np.ndarray:
    """Returns optical depths of layers for a channel (levels, n) along a slanted path, from those
    at single frequencies `each` (frequencies, levels, n) and their weights; secant: of the angle
    from the zenith.
    """
    total = secant * np.cumsum(each, axis=1)
    through = np.einsum("f,fjn->jn", weight, np.exp(-np.minimum(total, 600)))
    path = -np.log(np.maximum(through, 1e-200))
    return np.diff(path, axis=0, prepend=0)


def predicted(
    T: np.ndarray, q: np.ndarray, reference: tuple[Any, ...], secant: float
) -> np.ndarray:
    """Returns predictors (layers, profiles, 12), as in core/observation/radiance.hpp."""

    def mean(x: Any) -> Any:
        return 0.5 * (x[1:] + x[:-1])

    dp = np.diff(levels)[:, None]
    layer = mean(T), mean(q)
    t, w = (x / r[:, None] for x, r in zip(layer, reference))
    above = [
        np.cumsum(dp * x, 0) / np.cumsum(dp[:, 0] * r)[:, None] for x, r in zip(layer, reference)
    ]
    s, one = secant, np.ones_like(t)
    return np.stack(
        [s * one, s * t, s * t**2, s * t**3, s * w, s * w * t, s * w * t**2, s * w**2,
         s * above[0], s * above[1], s**2 * one, s**2 * t], axis=-1,
    )  # fmt: skip


def trained(count: int = 80, seed: int = 1) -> Radiometer:
    """Returns the regression of all channels; some seconds."""
    T, q = profiles(count, seed)

    def mean(x: Any) -> Any:
        return 0.5 * (x[1:] + x[:-1])

    reference = mean(T).mean(axis=1), mean(q).mean(axis=1)
    P = np.concatenate([predicted(T, q, reference, s) for s in angles], axis=1)
    values = np.empty((len(channels), len(levels) - 1, P.shape[-1]))
    for n in range(len(channels)):
        each = absorption.layer_depths(frequencies(n), levels, T, q)
        target = np.concatenate([channel_depths(each, weights(n), s) for s in angles], axis=1)
        through = np.exp(-np.cumsum(target, axis=0) + target)  # down to the layer's top
        weight = np.sqrt(through * np.minimum(1, 1 / np.maximum(target, 0.05))) + 1e-4
        for j in range(len(target)):
            A, b = P[j] * weight[j][:, None], target[j] * weight[j]
            values[n, j] = np.linalg.lstsq(A, b, rcond=1e-12)[0]
    centre = np.array([c for c, _, _ in channels]) * 1e9
    return Radiometer(levels, *reference, centre, values)


# ---------------------------------------------------------------- files

_magic = b"fathom radiometer 1\n"
_names = ("pressure", "temperature", "humidity", "frequency", "values")


def write(radiometer: Radiometer, path: str | Path) -> None:
    """Writes it as a text (.txt), or as the numbers as they lie in memory (any other name)."""
    path = Path(path)
    arrays = [np.ascontiguousarray(getattr(radiometer, n), "<f8") for n in _names]
    if path.suffix == ".txt":
        text = io.StringIO()
        for name, array in zip(_names, arrays):
            text.write(f"{name} {' '.join(map(str, array.shape))}\n")
            text.writelines(f"{float(x)!r}\n" for x in array.ravel())
        path.write_text(text.getvalue(), encoding="ascii")
    else:
        head = np.array([arrays[0].size, arrays[3].size, arrays[4].shape[2]], "<i8")
        writing.replace(path, _magic, head.tobytes(), *(a.tobytes() for a in arrays))


def read(path: str | Path) -> Radiometer:
    """Reads a file of either kind. FileNotFoundError; ValueError: no such file, or a damaged
    one.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingFileError(f"{path}: no such file of coefficients")
    data = path.read_bytes()
    try:
        return _of_bytes(data) if data.startswith(_magic) else _of_text(data.decode("ascii"))
    except (ValueError, IndexError, KeyError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no file of coefficients, or a damaged one: {error}") from None


def _of_bytes(data: bytes) -> Radiometer:
    start = len(_magic)
    count, bands, predictors = np.frombuffer(data, "<i8", 3, start).tolist()
    layers = count - 1
    shapes = [(count,), (layers,), (layers,), (bands,), (bands, layers, predictors)]
    if min(count, bands, predictors) < 1 or start + 24 + 8 * sum(map(np.prod, shapes)) != len(data):
        raise InputError("its length is not what its head says")
    arrays, at = [], start + 24
    for shape in shapes:
        numbers = np.frombuffer(data, "<f8", int(np.prod(shape)), at)
        arrays.append(numbers.reshape(shape).copy())  # on a boundary of eight bytes, as C++ wants
        at += arrays[-1].nbytes
    return Radiometer(*arrays)


def _of_text(text: str) -> Radiometer:
    lines, at, arrays = text.split("\n"), 0, {}
    while at < len(lines) and lines[at]:
        name, *shape = lines[at].split()
        size = int(np.prod([int(n) for n in shape]))
        arrays[name] = np.array([float(x) for x in lines[at + 1 : at + 1 + size]]).reshape(
            [int(n) for n in shape]
        )
        at += 1 + size
    return Radiometer(*(arrays[name] for name in _names))


known = ("microwave",)


def open(name: str | Path = "microwave") -> Radiometer:
    """Returns the radiometer of that name, or of a file of coefficients. ValueError: neither."""
    if str(name) not in known:
        if Path(name).is_file():
            return read(name)
        raise InputError(unknown("radiometer", str(name), known))
    kept = folder("radiometers") / f"{name}-1.bin"
    if kept.is_file():
        return read(kept)
    made = trained()
    kept.parent.mkdir(parents=True, exist_ok=True)
    write(made, kept)
    return made
