"""Whether a run is still finite and sane; if not, where it went bad, and what would help."""

import numpy as np

from fathom.failure import RunFailure, Unstable


def rhythm(step, length):
    """Seconds between two looks: a day, or a twentieth of a run of less than ten days, though not
    oftener than every sixth step: a look costs a part of one.
    """
    day = 86400 if 86400 % step == 0 else 24 * step
    steps = max(1, round(length / step))
    return day if length >= 10 * day else step * (steps // max(1, min(20, steps // 6)))


def watch(simulation, keep=True):
    """The numbers of the time series, and what progress says; raises Unstable with field, place,
    level and step where they are not sane. keep: note them (a restart has its own).
    """
    s = simulation
    seen, s.now = s.model.watch(s)
    if not all(
        np.isfinite(value) and _sane(s.model, name, value, value)
        for name, (value, _) in seen.items()
    ):
        blow_up(s)
    if keep:
        s.series.note(s.seconds, seen)


def blow_up(simulation, reason=""):
    """Raises what the run failed of: Unstable where a field is to be named, else RunFailure with
    the reason. The last state is kept.
    """
    s = simulation
    for name in s.model.prognostic:
        e = s.fields.extremes(name)
        if e["finite"] and _sane(s.model, name, e["minimum"], e["maximum"]):
            continue
        low = e["finite"] and e["minimum"] < s.model.limits[name][0]
        value = f"{e['minimum' if low else 'maximum']:.3g}" if e["finite"] else "not a number"
        k, j, i = e["at_minimum" if low else "at_maximum"] if e["finite"] else e["not_finite"]
        path = s.write_restart("last-state.fathom")
        raise Unstable(
            f"{name} is {value} at {s.model.grid.place(j, i, k)}, found at step {s.count}"
            f" ({s.date}). The last state is in {path}. {advice(s)}"
        )
    path = s.write_restart("last-state.fathom")
    raise RunFailure(
        f"the run went bad at step {s.count} ({s.date}): {reason}. The last state is in {path}."
        f" {advice(s)}"
    )


def advice(simulation):
    """Which limits the step is near, and which step would hold."""
    step = simulation.step
    worst = max(simulation.model.criteria(step), key=lambda c: c[1] / c[2], default=None)
    if worst is None:
        return f"Try a step of {step / 2:.0f} s"
    name, value, limit, where = worst
    return (
        f"Nearest limit of the step of {step:g} s: {name} = {value:.2g} (at most {limit:g}) at"
        f" {where}; try a step of {min(step * limit / value * 0.8, step / 2):.0f} s"
    )


def _sane(model, name, least, most):
    low, high = model.limits.get(name, (-np.inf, np.inf))
    return low <= least and most <= high
