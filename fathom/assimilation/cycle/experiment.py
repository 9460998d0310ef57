"""An experiment of cycles: its TOML file, read and checked.

[model]          the one that assimilates; [nature] the finer one that is the truth
[observations]   columns at places drawn at random, new ones each time
[background]     covariances of background errors, from forecasts of two lengths
[departures]     R, and the shape of B, from departures
[assimilation]   methods, window, minimisation
[inner]          a coarser model for the inner loops of 4D-Var
[filter]         a weak digital filter of 4D-Var
[ensemble]       of the methods eda, envar, hybrid and letkf
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from fathom.assimilation.variational import methods
from fathom.base.clock import seconds_of
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.run.experiment.toml import Document

all_methods = (*methods, "eda", "envar", "hybrid", "letkf")


@dataclass
class Air:
    """A dry atmosphere with the forcing of Held and Suarez on even sigma levels; grid: "quadratic",
    "linear" or "cubic"; precision: "fp64" or "fp32"."""

    truncation: int = 21
    levels: int = 10
    step: str = "1h"
    diffusion_time: str = "6h"
    grid: str = "quadratic"
    precision: str = "fp64"


@dataclass
class Nature(Air):
    truncation: int = 42
    step: str = "30min"
    spin_up: str = "150d"


@dataclass
class Observations:
    """places: columns each time; every: time between; errors of wind [m s-1], temperature [K] and
    surface pressure [Pa], one standard deviation; seed of places and errors."""

    places: int = 40
    every: str = "1h"
    wind: float = 2.0
    temperature: float = 1.0
    pressure: float = 100.0
    seed: int = 1


@dataclass
class Background:
    """file: covariances that `fathom background` has written; else from `samples` differences of
    forecasts over 48 and 24 h. scale: times these variances; less than 1 where a window is
    shorter than a day and the model good, more where the samples lack its errors. divergence:
    whether the wind's divergence follows the balanced mass by regression, and mass the rest of
    it."""

    file: str = ""
    samples: int = 30
    scale: float = 1.0
    divergence: bool = False


@dataclass
class Departures:
    """Whether errors of data and background are learned from departures, of so many windows before
    those of the experiment. Else they are as [observations] and [background] say."""

    use: bool = True
    windows: int = 24


@dataclass
class Assimilation:
    methods: list[Any] = field(default_factory=lambda: list(methods))
    window: str = "6h"
    iterations: int = 20
    outer: int = 1
    screening: float = 5.0


@dataclass
class Inner:
    """Another model for the inner loops of 4d-var and hybrid, where truncation is given: coarser,
    or in fp32; its levels are those of the model."""

    truncation: int = 0
    step: str = "1h"
    diffusion_time: str = "6h"
    precision: str = "fp64"


@dataclass
class Filter:
    """A weak digital filter of 4d-var and hybrid, where a weight is given: the part of the
    increment with a shorter period than `longest`, over 1 m/s, 1 K and 1 hPa, costs its square
    times the weight."""

    weight: float = 0.0
    longest: str = "6h"


@dataclass
class Ensemble:
    """members of the ensemble of data assimilations; from window to window inflation of their
    spread, and model_error, drawn again for each: a share of B's variance; weight of their
    covariances in envar and hybrid, 1: they alone; localisation: length [km] and depth [ln p] of
    half of its reach. letkf has a length of its own, local_length, since each column is analysed
    with the data near to it alone, and relaxation: the share of the spread of before that is
    returned. seed of the errors of the members' data."""

    members: int = 10
    inflation: float = 1.05
    model_error: float = 0.05
    weight: float = 0.5
    length: float = 2500.0
    depth: float = 1.5
    local_length: float = 1200.0
    relaxation: float = 0.8
    seed: int = 7


@dataclass
class Cycle:
    """deadline: of the work of a window, as "10min", for the report; none by default."""

    windows: int = 40
    deadline: str = ""


@dataclass
class Experiment:
    model: Air
    nature: Nature
    observations: Observations
    background: Background
    departures: Departures
    assimilation: Assimilation
    inner: Inner
    filter: Filter
    ensemble: Ensemble
    cycle: Cycle
    text: str = ""

    @property
    def interval(self) -> float:
        """Returns time between two times of observations [s]."""
        return seconds_of(self.observations.every, "every")

    @property
    def steps(self) -> int:
        """Returns steps of the model in a window."""
        return round(self.window / seconds_of(self.model.step, "step"))

    @property
    def window(self) -> float:
        """Returns length of a window [s]."""
        return seconds_of(self.assimilation.window, "window")

    @property
    def steps_between(self) -> int:
        """Returns steps of the model between times of observations."""
        return round(self.interval / seconds_of(self.model.step, "step"))

    @property
    def times(self) -> list[int]:
        """Returns the steps of the model, within a window, at which there are observations; its end
        is the start of the next.
        """
        return list(range(0, self.steps, self.steps_between))


def read(path: Path, settings: Iterable[str] = ()) -> Experiment:
    """Raises OSError, ValueError: no such file; a key that is not known, or a value that does not
    fit, with its place.
    """
    document = Document.read(path, settings)
    hints = get_type_hints(Experiment)
    tables = {name: kind for name, kind in hints.items() if name != "text"}
    experiment = Experiment(**tables_of(document, tables), text=document.text)
    _check(document, experiment)
    return experiment


def tables_of(
    document: Document, kinds: Mapping[str, Any], may_be_zero: Container[str] = ("seed",)
) -> dict[str, Any]:
    """Returns a dataclass of each table of a file. ValueError: a table that is not known, or keys
    or values that do not fit.
    """
    for name in document.tables:
        if name not in kinds:
            raise InputError(f"{document.place(name)}: no table [{name}]{near(name, kinds)}")
    return {
        name: table_of(document, name, kind, document.section(name), may_be_zero)
        for name, kind in kinds.items()
    }


def table_of(
    document: Document, name: str, kind: Any, given: Any, may_be_zero: Container[str] = ("seed",)
) -> Any:
    """Returns a dataclass from a table. ValueError: keys or values that do not fit it."""
    if not isinstance(given, dict):
        raise InputError(f"{document.place(name)}: {name} must be a table, [{name}]")
    known = {f.name: f for f in fields(kind)}
    for key, value in given.items():
        place = document.place(name, key)
        if key not in known:
            raise InputError(f"{place}: no key '{key}'{near(key, known)}")
        if not _is_like(value, usual := getattr(kind(), key), key in may_be_zero):
            raise InputError(f"{place}: {key} = {value!r} must be like {usual!r}")
    return kind(**given)


def _is_like(value: Any, usual: Any, may_be_zero: bool) -> bool:
    """Returns whether a value can stand for the usual one: of its kind, a finite number above 0."""
    if isinstance(usual, bool) or isinstance(value, (bool, np.bool_)):
        return isinstance(usual, bool) and isinstance(value, (bool, np.bool_))
    if not isinstance(usual, (int, float)):
        return isinstance(value, type(usual))
    kinds = (int, float) if isinstance(usual, float) else int
    return isinstance(value, kinds) and bool(0 < value < np.inf or (value == 0 and may_be_zero))


def _check(document: Document, e: Experiment) -> None:
    for name in e.assimilation.methods:
        if name not in all_methods:
            raise InputError(
                f"{document.place('assimilation', 'methods')}: unknown method {name!r}"
                f"{near(str(name), all_methods)}; allowed are {', '.join(all_methods)}"
            )
    if e.ensemble.members < 2 or e.ensemble.weight > 1 or e.ensemble.relaxation > 1:
        raise InputError(
            f"{document.place('ensemble')}: allowed are two members or more, a weight and a"
            " relaxation up to 1"
        )
    _check_inner_and_departures(document, e)
    if e.nature.levels != e.model.levels:
        raise InputError(
            f"{document.place('nature', 'levels')}: nature has {e.nature.levels} levels, the model"
            f" {e.model.levels}; allowed is the same number"
        )
    lengths = {
        "model.step": seconds_of(e.model.step, "step"),
        "nature.step": seconds_of(e.nature.step, "step"),
        "observations.every": e.interval,
        "assimilation.window": e.window,
    }
    inner = []
    if e.inner.truncation:
        lengths["inner.step"] = seconds_of(e.inner.step, "step")
        inner = [("inner.step", "model.step"), ("observations.every", "inner.step")]
    for longer, shorter in (
        ("observations.every", "model.step"),
        ("observations.every", "nature.step"),
        ("assimilation.window", "observations.every"),
        *inner,
    ):
        ratio = lengths[longer] / lengths[shorter]
        if ratio < 1 or not np.isclose(ratio, round(ratio)):
            raise InputError(
                f"{document.place(*longer.split('.'))}: {lengths[longer]:g} s is no multiple of"
                f" {shorter}, {lengths[shorter]:g} s"
            )
    if e.steps % 2:
        raise InputError(
            f"{document.place('assimilation', 'window')}: a window of {e.steps} steps has no step"
            " in its middle; allowed is an even number"
        )


def _check_inner_and_departures(document: Document, e: Experiment) -> None:
    if e.departures.use and e.departures.windows < 6:
        raise InputError(
            f"{document.place('departures', 'windows')}: {e.departures.windows} windows are too few"
            " to learn from, as the first 4 do not count; allowed are 6 or more, or use = false"
        )
    if e.inner.truncation > e.model.truncation:
        raise InputError(
            f"{document.place('inner', 'truncation')}: T{e.inner.truncation} is finer than the"
            f" model, T{e.model.truncation}; allowed is the same or less"
        )
