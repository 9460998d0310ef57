"""Calls of public classes and of what users do with a model, with something wrong in them: one
argument of each replaced by a value of another kind, absurd, empty or not a number. Each ends in an
error of Fathom or is done; never in an exception of Python's own.
"""

from __future__ import annotations

import inspect
import random
import signal
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np

import fathom as fm
from fathom import schemes

patience = 20  # s of one call
odd: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 3, 1e30, -1e30, 1e-30, float("nan"), float("inf"), 2.5, 1j),
    *("", " ", "x", "1h", "-3d", "nan", "no such name", "a" * 300, "é\t", b"bytes", "1e9"),
    *((), [], {}, [1], [None], ["x"], [1, "x"], {"type": "x"}, {"x": 1}, {1: 2}),
    *(np.zeros(0), np.full(3, np.nan), np.zeros((2, 2)), np.array("x"), np.float32(2), object, len),
)
#: What a call needs beyond what has a default.
needed: dict[str, Any] = {
    "grid": lambda: fm.CartesianGrid(nx=6, ny=5, extent=(1e5, 1e5), levels=levels()),
    "levels": lambda: levels(),
    "truncation": lambda: 5,
    "resolution": lambda: 1e5,
    "nx": lambda: 8,
    "nz": lambda: 4,
    "depth": lambda: 1000.0,
}


def levels() -> Any:
    return fm.ZLevels(nz=3, depth=300)


def sea() -> Any:
    return fm.Ocean(needed["grid"](), coriolis=(1e-4, 0))


def simulation(**arguments: Any) -> Any:
    return fm.Simulation(sea(), **({"time_step": "1h"} | arguments))


def output(**arguments: Any) -> None:
    usual = {"name": "a.nc", "variables": ["temperature"], "every": "1h"}
    simulation().output(**(usual | arguments))


#: What users do with a model: a function of the odd arguments, and their names.
acts: dict[str, tuple[Callable[..., Any], str]] = {
    "set": (lambda **odd: sea().set(**odd), "temperature salinity velocity_x sea_surface_height"),
    "Simulation": (
        simulation,
        "time_step start calendar surface directory overwrite checkpoint parallel",
    ),
    "output": (output, "name variables every statistic levels area latlon_resolution start"),
    "run": (lambda **odd: simulation().advance(**odd), "steps"),
}


def public() -> dict[str, Callable[..., Any]]:
    """Returns classes that users call, by name, which write and start nothing."""
    found = {}
    for room in (fm, schemes):
        for name in getattr(room, "__all__", dir(room)):
            value = getattr(room, name)
            if inspect.isclass(value) and not issubclass(value, BaseException):
                found[name] = value
    return dict(sorted(found.items()))


def parameters(call: Callable[..., Any]) -> list[inspect.Parameter]:
    """Returns the parameters that have a name."""
    try:
        given = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return []
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one for one in given if one.kind in plain]


def made(number: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields names of classes and acts with arguments, one or two of which are odd."""
    rng = random.Random(seed)
    classes = {name: parameters(call) for name, call in public().items()}
    names = [name for name, several in classes.items() if several]
    for n in range(number):
        if n % 4 == 0:
            name = rng.choice(list(acts))
            words = acts[name][1].split()
            yield name, {rng.choice(words): rng.choice(odd) for _ in range(rng.choice((1, 1, 2)))}
            continue
        name = rng.choice(names)
        several = classes[name]
        arguments = {
            one.name: needed[one.name]()
            for one in several
            if one.default is inspect.Parameter.empty and one.name in needed
        }
        for one in rng.sample(several, min(len(several), rng.choice((1, 1, 2)))):
            arguments[one.name] = rng.choice(odd)
        if rng.random() < 0.05:
            arguments[rng.choice(("levls", "Nx", "x"))] = rng.choice(odd)
        yield name, arguments


def outcome(name: str, arguments: dict[str, Any]) -> dict[str, str]:
    """Returns what became of a call: error, ran, or traceback."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"no end after {patience} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(patience)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call = acts[name][0] if name in acts else public()[name]
            call(**arguments)
    except fm.Error as error:
        one_line = len(str(error).strip().splitlines()) == 1
        return {"what": "error" if one_line else "long", "said": str(error)}
    except TimeoutError as error:
        return {"what": "hang", "said": str(error)}
    except Exception as error:
        return {"what": "traceback", "said": f"{type(error).__name__}: {error}"}
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return {"what": "ran", "said": ""}


def tried(number: int, seed: int) -> list[dict[str, str]]:
    """Returns what became of so many calls: {"case", "what", "said"}."""
    return [
        {"case": f"{name}({words(arguments)})", **outcome(name, arguments)}
        for name, arguments in made(number, seed)
    ]


def words(arguments: dict[str, Any]) -> str:
    """Returns arguments as they would be typed, short."""
    return ", ".join(f"{key}={str(value)[:60]!r}" for key, value in arguments.items())
