"""Whether a run is still finite and sane; if not, the place of the fault, and advice."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from fathom.base.clock import Period, is_whole
from fathom.base.failure import InputError, RunError, UnstableError
from fathom.base.near import near
from fathom.plots.style import unit_of

if TYPE_CHECKING:
    from fathom.model.model import Model
    from fathom.run.simulation import Simulation

# How far beyond its limits a step may be: the speed of internal waves is an estimate.
margin = 1.25
doubtful = 1.1  # of which a run warns


def limits(model: Model, given: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Returns field or series -> (least, most): those of the model, or instead those of the user.
    ValueError: no such field, no two numbers in order.
    """
    found = {name: (-np.inf, np.inf) for name in model.prognostic} | dict(model.limits)
    for name, pair in given.items():
        if name not in found:
            raise InputError(
                f"limits: the model has no field '{name}'{near(name, found)}; allowed:"
                f" {', '.join(found)}"
            )
        try:
            low, high = map(float, pair)
        except (TypeError, ValueError):
            low, high = np.nan, np.nan
        if not low < high:
            raise InputError(f"limits of {name} = {pair!r} must be two numbers, [least, most]")
        found[name] = low, high
    return found


def check_step(simulation: Simulation) -> None:
    """Raises ValueError: by the stability limits known before the run, a run with this step blows
    up.
    """
    s = simulation
    beyond = [c for c in s.model.criteria(s.time_step) if c.unstable and c.value > margin * c.limit]
    if s.beyond_stability or not beyond:
        return
    name, value, limit, place, _ = max(beyond, key=lambda c: c.value / c.limit)
    raise InputError(
        f"time_step = {s.time_step:g} s is too long: {name} = {value:.2g} (at most {limit:g}) at"
        f" {place}; try {_shorter(s.time_step, limit / value)}; beyond_stability = true tries it"
        " all the same"
    )


def warn_of_doubts(simulation: Simulation) -> None:
    """Warns, once a run, of a step between a limit and its margin, and of what the model finds
    doubtful.
    """
    s = simulation
    near = [c for c in s.model.criteria(s.time_step) if c.unstable and c.value > doubtful * c.limit]
    said = [
        f"time_step = {s.time_step:g} s is beyond an estimated limit: {c.name} = {c.value:.2g} (at"
        f" most {c.limit:g}) at {c.place}"
        for c in near
    ]
    said += s.model.doubts(s.fields)
    if s.is_root:
        for text in said:
            warnings.warn(text, stacklevel=2)


def check_period(period: Period, step: float) -> None:
    """Raises InputError: a run that is shorter than a step, as days that were given as a number, or
    no multiple of it.
    """
    if 0 < period.seconds < step * (1 - 1e-9):
        raise InputError(
            f"run = {period.text} is shorter than a step of {step:g} s; a length of time has a"
            " unit, as in '10d'"
        )
    if period.seconds and not is_whole(period.seconds / step):
        steps = int(period.seconds / step)
        raise InputError(
            f"run = {period.text} is no multiple of time_step = {step:g} s; near are"
            f" '{steps * step:.10g}s' and '{(steps + 1) * step:.10g}s'"
        )


def warn_of_end(simulation: Simulation, period: str) -> None:
    """Warns of a run of months whose last step goes beyond its end."""
    s = simulation
    steps = (s.end - s.seconds) / s.time_step
    if s.is_root and not is_whole(steps):
        last = s.clock.date(s.seconds + math.ceil(steps) * s.time_step)
        warnings.warn(
            f"run = {period} to {s.clock.date(s.end)} is no multiple of time_step ="
            f" {s.time_step:g} s: it ends at {last}",
            stacklevel=2,
        )


def _shorter(step: float, share: float) -> str:
    """Returns a step of at most that share of a step, with a whole number of which all lengths of
    time fit that fit the longer one; of whole seconds where there is one.
    """
    least = max(2, math.ceil(1 / share - 1e-9))
    whole = (n for n in range(least, min(4 * least, int(step) + 1)) if step % n == 0)
    return f"{step / next(whole, least):.6g} s"


def check_start(simulation: Simulation) -> None:
    """Raises ValueError: the state from which steps are to be made is not finite, or absurd."""
    s = simulation
    if (fault := _fault(s)) is not None:
        name, value, place = fault
        low, high = s.limits[name]
        raise InputError(
            f"{s.members.said}initial {name} = {value} at {place} is outside [{low:g}, {high:g}]"
            f" {unit_of(name)}; to allow it set"
            f" limits = {{{name} = [least, most]}}"
        )


def rhythm(step: float, length: float) -> float:
    """Returns seconds between two checks: a day, or a twentieth of a run of less than ten days, but
    at least six steps: a check costs a part of a step.
    """
    day = 86400 if 86400 % step == 0 else 24 * step
    steps = max(1, round(length / step))
    return day if length >= 10 * day else step * (steps // max(1, min(20, steps // 6)))


def check_way_back(simulation: Simulation, fields: Any, span: float, reason: str = "") -> None:
    """Raises InputError: the integration backward in time of a digital filter became unstable, or
    ended with the error `reason`.
    """
    s = simulation
    if (fault := _fault(s, fields)) is not None:
        name, value, place = fault
        reason = f"{name} is {value} at {place}"
    if reason:
        raise InputError(
            f"digital_filter = {span / 3600:g} h: the integration backward in time is unstable with"
            f" a step of {s.time_step:g} s: {reason}. Try a step of"
            f" {_shorter(s.time_step, 0.5)}, or digital_filter = 0"
        )


def watch(simulation: Simulation, keep: bool = True) -> None:
    """Notes the numbers of the time series and of the progress line; raises UnstableError with
    field, place, level and step where they are not sane. keep: note them (a restart has its own).
    """
    s = simulation
    seen, s.now = s.model.watch(s)
    if _fault(s) is not None or not all(
        np.isfinite(value) and _sane(s, name, value, value) for name, (value, _) in seen.items()
    ):
        blow_up(s)
    if keep:
        s.series.note(s.seconds, seen)


def _fault(simulation: Simulation, fields: Any = None) -> tuple[str, str, str] | None:
    """Returns (name, value, place) of the first field of the state that is not finite, or beyond
    its limits; None: all are sane. fields: another state instead of the present one.
    """
    s = simulation
    for name in s.model.prognostic:
        e = (fields or s.fields).extremes(name)
        if e["finite"] and _sane(s, name, e["minimum"], e["maximum"]):
            continue
        low = e["finite"] and e["minimum"] < s.limits[name][0]
        value = f"{e['minimum' if low else 'maximum']:.3g}" if e["finite"] else "not a number"
        k, j, i = e["at_minimum" if low else "at_maximum"] if e["finite"] else e["not_finite"]
        return name, value, s.model.grid.place(j, i, k)
    return None


def blow_up(simulation: Simulation, reason: str = "") -> NoReturn:
    """Raises the error of the run: UnstableError where a field can be named, else RunError with the
    reason. The last state is kept.
    """
    s = simulation
    fault = _fault(s)
    path = s.write_state("last-state.fathom", present=True)
    if fault is not None:
        name, value, place = fault
        raise UnstableError(
            f"{s.members.said}{name} is {value} at {place}, found at step {s.count} ({s.date}). The"
            f" last state is in {path}. {advice(s)}"
        )
    raise RunError(
        f"{s.members.said}the run went bad at step {s.count} ({s.date}): {reason}. The last state"
        f" is in {path}. {advice(s)}"
    )


def advice(simulation: Simulation) -> str:
    """Returns why the run broke, where the state tells it; else the numbers of the state, the
    limits near the step, and a stable step.
    """
    within = all(c.value <= c.limit for c in simulation.model.criteria(simulation.time_step))
    if within and (cause := simulation.model.cause(simulation)):
        return cause
    shows = simulation.model.condition(simulation)
    return f"{shows}. {_better(simulation)}" if shows else _better(simulation)


def _better(simulation: Simulation) -> str:
    """Returns the nearest limit of the step, and a step within it."""
    step = simulation.time_step
    worst = max(simulation.model.criteria(step), key=lambda c: c.value / c.limit, default=None)
    if worst is None:
        return f"Try a step of {_shorter(step, 0.5)}"
    name, value, limit, where, _ = worst
    near = f"{name} = {value:.2g} (at most {limit:g}) at {where}"
    if value > limit:
        process = name.partition(",")[0]
        share = limit / value * 0.8
        return (
            f"What breaks it is {process}: {near}; try a step of {_shorter(step, min(share, 0.5))}"
        )
    if value < 0.5 * limit:
        return (
            f"No limit of the step of {step:g} s is near: {near}. Look at the forcing and the start"
            f" there, or try a step of {_shorter(step, 0.5)}"
        )
    share = min(limit / value * 0.8, 0.5)
    return f"Nearest limit of the step of {step:g} s: {near}; try a step of {_shorter(step, share)}"


def _sane(simulation: Simulation, name: str, least: float, most: float) -> bool:
    low, high = simulation.limits.get(name, (-np.inf, np.inf))
    return low <= least and most <= high
