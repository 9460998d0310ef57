"""Observation operators from elsewhere: a profile in, equivalents and their adjoint out.

    class Thickness:
        kinds, variable = ("temp",), "geopotential_height"
        def equivalents(self, profiles): ...            # (n)
        def adjoint(self, profiles, value): ...         # name -> array as in `profiles`

A package names it in the group of entry points `fathom.operators`; a file of [extensions] python
calls `register("thickness", Thickness())`. It then sees all data of its kinds and its variable, in
screening and in minimisations, in place of Fathom's own operator.

Before it sees any, its adjoint is tested by the dot product with differences of its equivalents,

    <(H(x + e dx) - H(x - e dx)) / 2 e, y> = <dx, H* y>

`coefficients`, an attribute, names a file that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.variables import kinds as known_kinds
from fathom.assimilation.observations.variables import variable as known_variable
from fathom.base.failure import InputError
from fathom.base.home import at_home
from fathom.base.near import unknown

group = "fathom.operators"
state = ("temperature", "humidity", "east", "north", "surface_pressure", "skin")
of_datum = ("pressure", "height", "zenith", "instrument", "channel", "longitude", "latitude")
steps = {"temperature": 0.05, "humidity": 1e-6, "east": 0.05, "north": 0.05,
         "surface_pressure": 5.0, "skin": 0.05}  # fmt: skip  # of the dot test
most = 1e-3  # error of the dot product over the sum of the sizes of its terms


@dataclass(frozen=True)
class Profiles:
    """What an operator sees (n, K layers from the top down): pressure of the layers and of the
    K + 1 interfaces [Pa], temperature [K], humidity [kg kg-1], wind [m s-1]; surface pressure [Pa],
    skin temperature [K] and altitude of the ground [m]; and of each datum pressure [Pa], height
    [m], zenith angle [degrees], instrument, channel, and place [degrees].
    """

    a: np.ndarray
    b: np.ndarray
    temperature: np.ndarray
    humidity: np.ndarray
    east: np.ndarray
    north: np.ndarray
    surface_pressure: np.ndarray
    skin: np.ndarray
    ground: np.ndarray
    datum: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, data: Observations, columns: Any) -> Profiles:
        """Returns the profiles at data, of their columns (operators.Columns)."""
        own = {n: np.asarray(getattr(columns, n), float) for n in (*state, "ground")}
        datum = {n: data[n] for n in of_datum}
        return cls(a=columns.a, b=columns.b, **own, datum=datum)

    @property
    def interfaces(self) -> np.ndarray:
        """Returns pressure of the interfaces (n, K + 1) [Pa]."""
        return np.asarray(self.a + self.b * self.surface_pressure[:, None])

    @property
    def layers(self) -> np.ndarray:
        """Returns pressure of the layers (n, K) [Pa], the mean of their interfaces."""
        p = self.interfaces
        return np.asarray(0.5 * (p[:, 1:] + p[:, :-1]))


@runtime_checkable
class Operator(Protocol):
    """What an operator from elsewhere has; `kinds`: of reports."""

    kinds: tuple[str, ...]
    variable: str

    def equivalents(self, profiles: Profiles) -> Any:
        """Returns the values that a model has instead of the data (n)."""

    def adjoint(self, profiles: Profiles, value: np.ndarray) -> Mapping[str, Any]:
        """Returns the adjoints of fields of the profiles by those of the equivalents (n); those
        that are not named are zero. That of the surface pressure holds what moves the layers.
        """


_own: dict[str, Operator] = {}
_tested: set[str] = set()


def register(name: str, operator: Operator) -> None:
    """Makes an operator known. InputError: what it lacks, or its adjoint fails the dot test."""
    check(name, operator)
    _own[name] = operator


@cache
def _of_packages() -> dict[str, Any]:
    return {point.name: point for point in entry_points(group=group)}


def load() -> dict[str, Operator]:
    """Returns all operators that are known, by name, those of packages too. InputError: as of
    `register`.
    """
    for name, point in _of_packages().items():
        if name not in _own:
            try:
                made = point.load()
            except ImportError as error:
                raise InputError(f"operator {name} of {point.value}: {error}") from None
            register(name, made() if isinstance(made, type) else made)
    return _own


def operator_for(kind: str, name: str) -> Operator | None:
    """Returns the operator from elsewhere that sees a kind and variable; None: there is none."""
    for own in load().values():
        if name == own.variable and kind in own.kinds:
            return own
    return None


def check(name: str, operator: Any) -> None:
    """Checks an operator. InputError: it has no coefficients, sees what is not observed, or its
    adjoint is not that of its equivalents.
    """
    if not isinstance(operator, Operator):
        raise InputError(
            f"operator {name}: {type(operator).__name__} needs kinds, variable, equivalents and"
            " adjoint"
        )
    if not (isinstance(name, str) and name.isprintable() and name):
        raise InputError(f"{name!r} is no name of an operator")
    if isinstance(operator, type):
        raise InputError(f"operator {name}: give an object, {operator.__name__}(), not its class")
    if not (isinstance(operator.kinds, (tuple, list)) and operator.kinds):
        raise InputError(f"operator {name}: kinds = {operator.kinds!r}; as ('temp', 'pilot')")
    known_variable(operator.variable)
    for kind in operator.kinds:
        if kind not in known_kinds:
            raise InputError(f"operator {name}: " + unknown("kind", kind, known_kinds))
    file = getattr(operator, "coefficients", None)
    if file is not None and not at_home(file).is_file():
        raise InputError(f"operator {name} needs its coefficients {Path(file)}: no such file")
    there, back = dot_test(operator)
    if not abs(there - back) <= most * max(abs(there), abs(back)):
        raise InputError(
            f"operator {name}: its adjoint fails the dot test: <H' dx, y> = {there:.6g},"
            f" <dx, H* y> = {back:.6g}; allowed is a difference of {most:g}"
        )


def dot_test(operator: Operator, seed: int = 1) -> tuple[float, float]:
    """Returns both dot products, of profiles of a standard atmosphere with random changes."""
    rng, x = np.random.default_rng(seed), standard_profiles(operator)
    dx = {n: h * rng.standard_normal(getattr(x, n).shape) for n, h in steps.items()}

    def at(sign: int) -> np.ndarray:
        moved = {n: getattr(x, n) + sign * change for n, change in dx.items()}
        return equivalents(operator, replace(x, **moved))

    change = 0.5 * (at(1) - at(-1))
    y = np.where(change == 0, 1.0, change / np.maximum(np.abs(change).max(), 1e-300))
    rows = slopes(operator, x) * y[:, None]
    flat = np.concatenate([dx[n].reshape(len(y), -1) for n in state], axis=1)
    return float(change @ y), float(np.sum(rows * flat))


@contextmanager
def _of(operator: Operator) -> Iterator[None]:
    """Names the operator in an error that its own code raises."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise InputError(f"operator {type(operator).__name__}: {what}") from error


def equivalents(operator: Operator, profiles: Profiles) -> np.ndarray:
    """Returns what the model has instead of the data (n). InputError: the operator fails, or gives
    something else.
    """
    with _of(operator):
        made = np.asarray(operator.equivalents(profiles), float)
    shape = profiles.surface_pressure.shape
    if made.shape != shape:
        told = f"equivalents of shape {made.shape}; wanted: {shape}, one for each datum"
        raise InputError(f"operator {type(operator).__name__}: {told}")
    return made


def slopes(operator: Operator, profiles: Profiles) -> np.ndarray:
    """Returns the derivatives of equivalents by the state of their columns (n, 4 K + 2)."""
    n, K = profiles.temperature.shape
    with _of(operator):
        found = operator.adjoint(profiles, np.ones(n))
    if not isinstance(found, Mapping):
        raise InputError(f"operator {type(operator).__name__}: adjoint gives {found!r}, no mapping")
    for name, value in found.items():
        if name not in state:
            raise InputError(unknown("field of an adjoint", str(name), state))
        if np.size(value) != np.prod(shape := getattr(profiles, name).shape):
            told = f"{name} has shape {np.shape(value)}; wanted: {shape}"
            raise InputError(f"operator {type(operator).__name__}: in its adjoint {told}")
    made = np.zeros((n, 4 * K + 2))
    for at, name in enumerate(state):
        if name in found:
            where = slice(at * K, at * K + K) if at < 4 else slice(4 * K + at - 4, 4 * K + at - 3)
            made[:, where] = np.reshape(found[name], (n, -1))
    return made


def standard_profiles(operator: Operator, count: int = 6, layers: int = 20) -> Profiles:
    """Returns profiles for a test: standard atmospheres of different warmth and moisture."""
    half = np.linspace(0, 1, layers + 1)
    a, b = 2e3 * (1 - half) * np.minimum(1, 20 * half), half**1.5
    warm = np.linspace(-20, 20, count)[:, None]
    p = a + b * np.full((count, 1), 1e5)
    middle = 0.5 * (p[:, 1:] + p[:, :-1])
    T = np.maximum(288.15 * (middle / 101325) ** 0.19, 216.65) + warm
    q = 0.008 * (middle / 1e5) ** 3 * np.exp(0.06 * warm) + 3e-6
    wind = np.broadcast_to(10 + 20 * (1 - middle / 1e5), T.shape)
    flat = np.ones(count)
    numbers = {"instrument": getattr(operator, "instrument", 0), "channel": 1}
    datum = {
        "pressure": 5e4 * flat, "height": 5e3 * flat, "zenith": 30 * flat,
        "longitude": 10 * flat, "latitude": 45 * flat,
        **{n: np.full(count, value) for n, value in numbers.items()},
    }  # fmt: skip
    return Profiles(a, b, T, q, wind, 0.5 * wind, 1e5 * flat, T[:, -1] + 1, 0 * flat, datum)
