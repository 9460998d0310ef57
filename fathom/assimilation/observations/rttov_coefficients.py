"""Coefficient files of RTTOV as text (rtcoef_*.dat), versions 7 to 13 of its predictors, as its
user guide describes them: sections by name, comments after an exclamation mark, numbers in free
format.

    file = rttov_coefficients.read("rtcoef_noaa_15_amsua.dat")
    file.wavenumber, file.pressure, file.gases["Water_vapour"].fast     # (channels, layers, n)

The file of a sounder of many channels takes long to read, so `read` leaves the same numbers as
NAME.npz beside it and takes these while size and time of the text are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import writing
from fathom.base.failure import FileError, MissingFileError

sections = (
    "IDENTIFICATION", "LINE-BY-LINE", "README_SPECTRAL_RESPONSE_FUNCTION", "FAST_MODEL_VARIABLES",
    "FILTER_FUNCTIONS", "TRANSMITTANCE_TRESHOLD", "PLANCK_WEIGHTED", "SOLAR_SPECTRUM",
    "WATER_OPTICAL_CONSTANT", "WAVE_SPECTRUM", "FUNDAMENTAL_CONSTANTS", "FASTEM", "SSIREM",
    "IR_SEA_EMIS", "GAZ_UNITS", "REFERENCE_PROFILE", "PROFILE_LIMITS", "PROFILE_ENVELOPE",
    "FAST_COEFFICIENTS", "COEF_SUB_FILES", "SOLAR_FAST_COEFFICIENTS", "SOLAR_LINEAR_COEFFICIENTS",
    "NLTE_RADIANCE_COEFS", "PRESSURE_MODULATED_CELL", "END",
)  # fmt: skip
needed = ("IDENTIFICATION", "FAST_MODEL_VARIABLES", "FILTER_FUNCTIONS", "REFERENCE_PROFILE",
          "FAST_COEFFICIENTS")  # fmt: skip
first_of_layers = 10  # version of the fast model from which levels are counted once for all gases


@dataclass(frozen=True)
class Gas:
    """A gas: the reference profile of its mixing ratio (levels) [ppmv], and its coefficients for
    the predictors of optical depth (channels, layers, n); correction: those of a second term,
    where there are any.
    """

    reference: np.ndarray
    fast: np.ndarray
    correction: np.ndarray


@dataclass(frozen=True)
class Coefficients:
    """What a file holds: platform, satellite and instrument as RTTOV numbers them; name; sensor
    ("ir", "mw", "hi", "po"); version of the fast model; of each channel its number, whether it is
    valid, its wavenumber [cm-1], offset [K] and slope of its band; polarisation of microwave
    channels; pressure [hPa] and temperature [K] of the levels of the reference; gases by name.
    """

    identity: tuple[int, int, int]
    name: str
    sensor: str
    model: int
    channels: np.ndarray
    valid: np.ndarray
    wavenumber: np.ndarray
    band: np.ndarray
    polarisation: np.ndarray
    pressure: np.ndarray
    temperature: np.ndarray
    gases: dict[str, Gas]


def read(path: Path, cache: bool = True) -> Coefficients:
    """Returns the coefficients of a file; cache: whether NAME.npz beside it is used and made.
    FileError: it is none, or is cut off.
    """
    if not path.is_file():
        raise MissingFileError(f"{path}: no such file")
    binary, state = path.with_name(path.name + ".npz"), path.stat()
    stamp = np.array([state.st_size, state.st_mtime_ns])
    if cache and (found := _cached(binary, stamp)) is not None:
        return found
    made = _Text(path).coefficients()
    if cache:
        _keep(made, binary, stamp)
    return made


class _Text:
    """The text of a file, by section."""

    def __init__(self, path: Path) -> None:
        self.path, self.lines = path, dict[str, list[str]]()
        here: list[str] | None = None
        for line in path.read_text(errors="replace").splitlines():
            text = line.split("!", 1)[0].strip()
            if not line[:1].isspace() and text in sections:
                here = self.lines.setdefault(text, [])
            elif text and here is not None:
                here.append(text)
        if missing := [name for name in needed if name not in self.lines]:
            raise FileError(
                f"{path}: no section {missing[0]}; allowed are RTTOV's coefficients as text, each"
                f" with {', '.join(needed)}"
            )

    def coefficients(self) -> Coefficients:
        """Returns all that is read of it."""
        head, model = self.lines["IDENTIFICATION"], self._lines("FAST_MODEL_VARIABLES")
        if len(head) < 4:
            raise self._short("IDENTIFICATION")
        next(model)  # the name of the fast model
        version, count = (self._whole(next(model)) for _ in range(2))
        levels = self._whole(next(model)) if version >= first_of_layers else 0
        number = self._whole(next(model))
        next(model), next(model)  # of principal components, and of Zeeman
        sizes = {}
        for _ in range(number):
            name, three = next(model), next(model).split()
            _, fast, last = (self._whole(x) for x in three[:3])
            levels, more = (levels, last) if version >= first_of_layers else (last, 0)
            sizes[name] = (fast, more)
        of = self._numbers("FILTER_FUNCTIONS", 6 * count).reshape(count, 6)
        profile = self._reference(number, levels)
        terms = self._fast(sizes, count, levels - 1, version)
        gases = {name: Gas(profile[n, :, 2], *terms[name]) for n, name in enumerate(sizes)}
        polar = self.lines.get("FASTEM", [])
        return Coefficients(
            identity=tuple(int(x) for x in head[0].split()[:3]),  # type: ignore[arg-type]
            name=head[1], sensor=head[2], model=version, channels=of[:, 0].astype(int),
            valid=of[:, 1] > 0, wavenumber=of[:, 2], band=of[:, 3:5],
            polarisation=np.array(" ".join(polar).split()[:count], float).astype(int),
            pressure=profile[0, :, 0], temperature=profile[0, :, 1], gases=gases,
        )  # fmt: skip

    def _lines(self, section: str) -> Iterator[str]:
        yield from self.lines[section]
        raise self._short(section)

    def _short(self, section: str, why: str = "is cut off") -> FileError:
        return FileError(f"{self.path}: section {section} {why}")

    def _whole(self, text: str) -> int:
        try:
            return int(text.split()[0])
        except ValueError:
            why = f"has {text!r} where a whole number belongs"
            raise self._short("FAST_MODEL_VARIABLES", why) from None

    def _numbers(self, section: str, count: int) -> np.ndarray:
        """Returns the first so many numbers of a section."""
        return self._parsed(section, " ".join(self.lines[section]).split(), count)

    def _parsed(self, section: str, words: list[str], count: int) -> np.ndarray:
        if len(words) < count:
            why = f"has {len(words)} numbers, {count} belong there"
            raise self._short(section, why)
        try:
            return np.array(words[:count], float)
        except ValueError:  # Fortran's exponents
            return np.array([w.replace("D", "E") for w in words[:count]], float)

    def _reference(self, gases: int, levels: int) -> np.ndarray:
        """Returns pressure, temperature and mixing ratio (gases, levels, 3)."""
        rows = [r for r in self.lines["REFERENCE_PROFILE"] if r[0] in "+-.0123456789"]
        if len(rows) < gases * levels:
            why = f"has {len(rows)} levels, {gases * levels} of {gases} gases belong there"
            raise self._short("REFERENCE_PROFILE", why)
        table = [[float(x) for x in r.split()[:3]] for r in rows[: gases * levels]]
        return np.array(table).reshape(gases, levels, 3)

    def _fast(
        self, sizes: dict[str, tuple[int, int]], channels: int, layers: int, version: int
    ) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Returns the coefficients of each gas, (channels, layers, n), and those of a second
        term."""
        section = "FAST_COEFFICIENTS"
        words, at, made = " ".join(self.lines[section]).split(), 0, {}
        for name, counts in sizes.items():
            at += 1  # its name
            parts = []
            for n in counts:
                each = self._parsed(section, words[at : at + n * layers * channels],
                                    n * layers * channels)  # fmt: skip
                at += n * layers * channels
                if version >= first_of_layers:
                    parts.append(each.reshape(channels, layers, n))
                else:
                    parts.append(each.reshape(n, channels, layers).transpose(1, 2, 0).copy())
            made[name] = (parts[0], parts[1])
        return made


# ---- the same numbers in binary ----------------------------------------------------------------


def _keep(made: Coefficients, path: Path, stamp: np.ndarray) -> None:
    """Writes them; a folder that cannot be written to has none."""
    flat: dict[str, Any] = {n: v for n, v in vars(made).items() if n != "gases"}
    flat["gases"] = np.array(list(made.gases))
    for n, gas in enumerate(made.gases.values()):
        flat |= {f"{key}-{n}": values for key, values in vars(gas).items()}
    try:
        with writing.whole(path) as part:
            np.savez(part, stamp=stamp, **flat)
    except OSError:
        return


def _cached(path: Path, stamp: np.ndarray) -> Coefficients | None:
    """Returns what was kept of a text of this size and time."""
    try:
        with np.load(path) as file:
            if not np.array_equal(file["stamp"], stamp):
                return None
            held = {name: file[name] for name in file.files if name != "stamp"}
    except (OSError, ValueError, KeyError):
        return None
    keys = ("reference", "fast", "correction")
    gases = {str(g): Gas(*(held.pop(f"{k}-{n}") for k in keys)) for n, g in
             enumerate(held.pop("gases"))}  # fmt: skip
    plain = {name: held.pop(name).item() for name in ("name", "sensor", "model")}
    identity = tuple(int(x) for x in held.pop("identity"))
    return Coefficients(identity=identity, gases=gases, **plain, **held)  # type: ignore[arg-type]
