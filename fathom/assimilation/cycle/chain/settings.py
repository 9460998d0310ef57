"""The file of a chain: the model's tables, as `fathom run` reads them ([grid], [model], [state],
[simulation], [parallel], [constants], [extensions]), and those of the chain:

[chain]          windows, deadline, spin-up, forecasts from the analyses
[area]           the global chain around this one
[nature]         the run that is observed: settings on top of the model's tables
[observations]   a base that is given, or how many reports of each kind nature gives
[screening]      limits, thinning, blacklist
[bias]           variational correction of radiances
[background]     covariances of background errors
[assimilation]   method, window, minimisation
[increment]      truncation and step of the model of the increments
[ensemble]       members of envar and hybrid
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from fathom.assimilation.balance import Errors
from fathom.assimilation.cycle.experiment import table_of
from fathom.assimilation.observations import blacklist
from fathom.assimilation.observations.variables import kinds
from fathom.base import kinds as kinds_of_values
from fathom.base.clock import seconds_if_any, seconds_of
from fathom.base.failure import InputError, MissingFileError
from fathom.base.home import at_home
from fathom.base.near import near, unknown
from fathom.run.experiment.toml import Document

of_model = ("grid", "model", "state", "simulation", "parallel", "constants", "extensions")
may_be_empty = [("chain", key) for key in ("store", "deadline", "spin_up", "forecast")]
of_time = (  # lengths of time
    *may_be_empty,
    ("chain", "every"),
    ("observations", "slot"),
    ("assimilation", "window"),
    ("increment", "step"),
    ("increment", "diffusion_time"),
)
most_reports = 1e7  # in an hour, of a kind
most = {  # numbers that are larger are in another unit
    ("observations", "amount"): 1e4,
    ("observations", "bias"): 50.0,
    ("bias", "error"): 50.0,
    ("background", "wind"): 100.0,
    ("background", "temperature"): 100.0,
    ("background", "pressure"): 1e4,
    ("background", "humidity"): 1.0,
    ("background", "length"): 2e7,
    ("background", "depth"): 10.0,
    ("background", "scale"): 1e4,
    ("ensemble", "length"): 2e4,
}
of_files = (("observations", "base"), ("screening", "blacklist"), ("background", "file"))
may_be_zero = ("seed", "bias", "limit", "samples", "truncation", "weight")
keeps = ("all", "fp32")
methods = ("3d-var", "fgat", "4d-var", "envar", "hybrid")


@dataclass
class Chain:
    """windows: how many; store: how often forecasts store the air for areas inside; deadline: of
    the work of a window, as "10min"; spin_up: how long model and nature run from [state] before the
    first window; forecast: length of the forecasts from the analyses, and every: between them.
    seed: of all random numbers."""

    windows: int = 8
    store: str = ""
    deadline: str = ""
    spin_up: str = ""
    forecast: str = ""
    every: str = "12h"
    seed: int = 1


@dataclass
class Area:
    """Of an area inside a global chain: the file of that chain, and settings on top of it."""

    outer: str = ""
    set: list[Any] = field(default_factory=list)


@dataclass
class Nature:
    """set: settings on top of the model's tables, as `--set` has them."""

    set: list[Any] = field(default_factory=list)


@dataclass
class Observations:
    """base: a file that is given; else nature is observed: kinds: reports in an hour of each kind,
    of a usual network times `amount`. without: kinds that are not used. slot: between the moments
    of the model that data are compared with. bias: of the simulated radiances, one standard
    deviation over the channels [K]. surface: whether the surface is analysed."""

    base: str = ""
    kinds: dict[str, Any] = field(default_factory=dict)
    amount: float = 1.0
    without: list[Any] = field(default_factory=list)
    slot: str = "1h"
    bias: float = 0.5
    surface: bool = True


@dataclass
class Screening:
    """limit: of the first guess, in standard deviations; thinning; blacklist: a file of rules."""

    limit: float = 5.0
    thinning: bool = True
    blacklist: str = ""


@dataclass
class Bias:
    """use: whether coefficients of the bias of radiances are part of the control vector; error:
    one standard deviation of each in a window [K]."""

    use: bool = True
    error: float = 0.3


@dataclass
class Background:
    """file: covariances that `fathom background` has written, of so many samples, each a day of
    forecasts; else background.nc of the chain's directory, else simple ones: standard deviations
    of wind [m s-1], temperature [K], surface pressure [Pa] and relative humidity [1], length [m]
    and depth [ln p] of their correlation. scale: times the variances."""

    file: str = ""
    samples: int = 8
    wind: float = 2.5
    temperature: float = 0.8
    pressure: float = 100.0
    humidity: float = 0.1
    length: float = 4e5
    depth: float = 0.5
    scale: float = 1.0


@dataclass
class Assimilation:
    """method; window; iterations and outer loops (of 4d-var and hybrid); tolerance: of the
    gradient; quality: "huber" or "flat", variational quality control; "none"."""

    method: str = "fgat"
    window: str = "6h"
    iterations: int = 30
    outer: int = 1
    tolerance: float = 1e-2
    quality: str = "huber"


@dataclass
class Increment:
    """The grid of the increments: truncation, of the model where it is 0; of outer loops one for
    each, [42, 63], the last for all further; step: of the tangent model of 4d-var and hybrid;
    diffusion_time: of that model; keep: what it keeps of its trajectory, "all" or half of that
    memory, "fp32" (Trajectory)."""

    truncation: list[Any] = field(default_factory=lambda: [0])
    step: str = "30min"
    keep: str = "all"
    diffusion_time: str = "2.4h"


@dataclass
class Ensemble:
    """members: of envar and hybrid; inflation of their spread, and model_error, drawn again for
    each: a share of B's variance, from window to window; weight of their covariances, 1: they
    alone; length [km] and depth [ln p] of half of the reach of their localisation."""

    members: int = 8
    inflation: float = 1.05
    model_error: float = 0.1
    weight: float = 0.5
    length: float = 2000.0
    depth: float = 1.0


@dataclass
class Report:
    """samples: random vectors from which degrees of freedom for signal are found; 0: none. impact:
    whether the forecast impact of each kind is found by the adjoint of the increments' model."""

    samples: int = 1
    impact: bool = True


@dataclass
class Suite:
    chain: Chain
    area: Area
    nature: Nature
    observations: Observations
    screening: Screening
    bias: Bias
    background: Background
    assimilation: Assimilation
    increment: Increment
    ensemble: Ensemble
    report: Report
    document: Any = None
    settings: tuple[str, ...] = ()
    now: tuple[str, ...] = ()  # of the present window, as the outer model of an area

    @cached_property
    def window(self) -> float:
        """Returns length of a window [s]."""
        return seconds_of(self.assimilation.window, "window")

    @cached_property
    def step(self) -> float:
        """Returns step of the model [s]."""
        return seconds_of(self.run["time_step"], "time_step")

    @property
    def run(self) -> Mapping[str, Any]:
        """Returns [simulation]."""
        given: Mapping[str, Any] = self.document.section("simulation")
        return given

    @property
    def along(self) -> bool:
        """Returns whether increments are at the start of a window and go along with the tangent
        model."""
        return self.assimilation.method in ("4d-var", "hybrid")

    @property
    def loops(self) -> int:
        """Returns how many outer loops there are."""
        return self.assimilation.outer if self.along else 1

    def truncation(self, loop: int) -> int:
        """Returns truncation of the increments of an outer loop; 0: that of the model."""
        each = self.increment.truncation
        return int(each[min(loop, len(each) - 1)])

    @property
    def of_members(self) -> bool:
        """Returns whether the method needs an ensemble."""
        return self.assimilation.method in ("envar", "hybrid")

    @cached_property
    def start(self) -> np.datetime64:
        """Returns the beginning of the first window."""
        began = np.datetime64(str(self.run.get("start", "2000-01-01")).replace(" ", "T"), "s")
        return began + np.timedelta64(round(seconds_if_any(self.chain.spin_up, "spin_up")), "s")

    def begin(self, number: int) -> np.datetime64:
        """Returns the beginning of a window."""
        return self.start + np.timedelta64(round(number * self.window), "s")

    def analysed(self, number: int) -> np.datetime64:
        """Returns the date of the analysis of a window: its middle, or its start."""
        later = 0.0 if self.along else self.window / 2
        return self.begin(number) + np.timedelta64(round(later), "s")

    @property
    def said(self) -> dict[str, Any]:
        """Returns all values, by table, which make the results."""
        tables = {n: self.document.tables[n] for n in of_model if n in self.document.tables}
        own = {n: dict(vars(getattr(self, n))) for n in tables_of_chain()}
        own["chain"] = {
            n: own["chain"][n] for n in ("spin_up", "forecast", "every", "seed", "store")
        }
        return {**tables, **own, "parallel": {}}


def tables_of_chain() -> dict[str, Any]:
    """Returns name -> class of the tables of a chain."""
    hints = get_type_hints(Suite)
    return {
        name: kind for name, kind in hints.items() if name not in ("document", "settings", "now")
    }


def read(path: Path, settings: Iterable[str] = ()) -> Suite | None:
    """Returns the chain of a file; None: it has no [chain]. InputError: keys or values that do not
    fit, with their place.
    """
    settings = tuple(settings)
    document = Document.read(path, settings)
    if "chain" not in document.tables:
        return None
    own = tables_of_chain()
    for name in document.tables:
        if name not in own and name not in of_model:
            known = (*own, *of_model)
            raise InputError(f"{document.place(name)}: no table [{name}]{near(name, known)}")
    increment = document.tables.get("increment", {})
    if isinstance(increment, dict) and isinstance(increment.get("truncation"), int):
        increment["truncation"] = [increment["truncation"]]  # of all outer loops
    made = {
        n: table_of(document, n, kind, document.tables.get(n, {}), may_be_zero)
        for n, kind in own.items()
    }
    suite = Suite(**made, document=document, settings=settings)
    check(suite)
    return suite


def check(suite: Suite) -> None:
    """Checks what can be checked before the first window. InputError, with both values."""
    place, a, o = suite.document.place, suite.assimilation, suite.observations
    for key, allowed in (("method", methods), ("quality", ("none", "huber", "flat"))):
        if (given := getattr(a, key)) not in allowed:
            raise InputError(f"{place('assimilation', key)}: " + unknown(key, given, allowed))
    for name in (*o.kinds, *o.without):
        if name not in kinds:
            raise InputError(f"{place('observations')}: " + unknown("kind", str(name), kinds))
    _check_sizes(suite)
    if "time_step" not in suite.run:
        raise InputError(f'{place("simulation")}: [simulation] needs time_step = "30min"')
    _check_times(suite)
    _check_files(suite)
    if suite.ensemble.members < 2 or suite.ensemble.weight > 1:
        raise InputError(f"{place('ensemble')}: allowed are two members or more, a weight up to 1")
    _check_increment(suite)


def _check_increment(suite: Suite) -> None:
    """Checks the truncations of the increments, and what is kept of their trajectory."""
    if (keep := suite.increment.keep) not in keeps:
        where = suite.document.place("increment", "keep")
        raise InputError(f"{where}: " + unknown("keep", keep, keeps))
    place = suite.document.place("increment", "truncation")
    each, largest = suite.increment.truncation, suite.document.section("grid")
    if not each or not all(isinstance(n, int) and n >= 0 for n in each):
        raise InputError(f"{place}: truncation = {each} must be like 42 or [42, 63]")
    if len(each) > suite.loops:
        raise InputError(
            f"{place}: {len(each)} truncations for {suite.loops} outer loops; allowed is one each"
        )
    for n in each:
        if n > largest.get("truncation", n):
            raise InputError(
                f"{place}: T{n} is finer than the model, T{largest['truncation']}; allowed is the"
                " same or less"
            )


def _check_sizes(suite: Suite) -> None:
    """Checks the reports in an hour, and sizes of errors. InputError: what cannot be."""
    place, o = suite.document.place, suite.observations
    for kind, number in o.kinds.items():
        if kinds_of_values.not_a_number(number) or not 0 <= number <= most_reports:
            raise InputError(
                f"{place('observations', 'kinds')}: {kind} = {number!r} reports in an hour must lie"
                f" between 0 and {most_reports:g}"
            )
    for (table, key), limit in most.items():
        if (value := getattr(getattr(suite, table), key)) > limit:
            raise InputError(f"{place(table, key)}: {key} = {value:g}; allowed: up to {limit:g}")


def _check_times(suite: Suite) -> None:
    """Checks that lengths are such, and that windows, slots and steps fit each other."""
    for table, key in of_time:
        value = getattr(getattr(suite, table), key)
        found = seconds_if_any if (table, key) in may_be_empty else seconds_of
        suite.document.at((table, key), found, value, key)
    lengths = {
        "assimilation.window": suite.window,
        "assimilation.window / 2": suite.window / 2,
        "observations.slot": seconds_of(suite.observations.slot, "slot"),
        "simulation.time_step": suite.step,
        "chain.store": seconds_if_any(suite.chain.store, "store"),
        "chain.spin_up": seconds_if_any(suite.chain.spin_up, "spin_up"),
        "increment.step": seconds_of(suite.increment.step, "step"),
    }
    pairs = [
        ("chain.store", "simulation.time_step"),
        ("assimilation.window / 2", "observations.slot"),
        ("observations.slot", "simulation.time_step"),
        ("chain.spin_up", "simulation.time_step"),
    ]
    if suite.along:
        pairs.append(("assimilation.window", "increment.step"))
    for longer, shorter in pairs:
        ratio = lengths[longer] / lengths[shorter]
        if not np.isclose(ratio, round(ratio)):
            at = longer.split(" ")[0].split(".")
            raise InputError(
                f"{suite.document.place(*at)}: {longer}, {lengths[longer]:g} s, is no multiple of"
                f" {shorter}, {lengths[shorter]:g} s"
            )


def _check_files(suite: Suite) -> None:
    """Checks that the files are there that a chain names."""
    for table, key in (
        ("observations", "base"),
        ("screening", "blacklist"),
        ("background", "file"),
    ):
        file = getattr(getattr(suite, table), key)
        if file and not at_home(file).is_file():
            raise MissingFileError(f"{suite.document.place(table, key)}: {file}: no such file")
    if rules := suite.screening.blacklist:
        suite.document.at(("screening", "blacklist"), blacklist.read, at_home(rules))
    if file := suite.background.file:
        suite.document.at(("background", "file"), Errors.read, str(at_home(file)))
