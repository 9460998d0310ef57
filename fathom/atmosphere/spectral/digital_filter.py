"""A digital filter that removes the gravity waves of an initial state (Lynch & Huang 1992).

    x(0) = sum_{n=-N}^{N} h_n x(n dt),    h_n ~ sin(n theta_c)/(n pi) * window(n),
        theta_c = 2 pi dt / T_c,    sum h_n = 1
    Lanczos      window(n) = sin(y)/y,  y = n pi/(N + 1)
    Dolph        h_n itself is the window of Dolph-Chebyshev: the narrowest pass band for a given
        damping beyond T_c (Lynch 1997)

A wave of period T is multiplied by H(T) = sum h_n cos(2 pi n dt / T). The states of negative n come
from an adiabatic run backward in time, the others from the model itself. Ground and sea, which have
no gravity waves, start unchanged. Meanwhile a limited area is relaxed to its initial state, and
from the start on to its outer model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError


def weights(
    step: float, span: float, cutoff: float | None = None, window: str = "lanczos"
) -> np.ndarray:
    """Returns h_n (2 N + 1,), symmetric, sum 1, of a filter over `span` [s] around the initial time
    in steps of `step` [s].

    cutoff  period T_c [s] of the waves to be halved (Lanczos) or from which on shorter ones are
    gone (Dolph); default `span` window  "lanczos" or "dolph"
    """
    cutoff = span if cutoff is None else cutoff
    if not (step > 0 and span >= 2 * step and cutoff > 2 * step):
        raise InputError(
            f"step = {step:g} s, span = {span:g} s, cutoff = {cutoff:g} s: the span must hold 2"
            " steps, the cut-off more than 2"
        )
    half = round(span / (2 * step))
    n, angle = np.arange(-half, half + 1), 2 * np.pi * step / cutoff
    if window == "lanczos":
        h = angle / np.pi * np.sinc(n * angle / np.pi) * np.sinc(n / (half + 1))
    elif window == "dolph":
        h = _dolph(half, angle)
    else:
        raise InputError(f"window = {window!r}: allowed are 'lanczos' and 'dolph'")
    result: np.ndarray = h / h.sum()
    return result


def response(h: Any, step: float, period: Any) -> np.ndarray:
    """Returns H, the factor on waves of a `period` [s]."""
    n = np.arange(len(h)) - len(h) // 2
    result: np.ndarray = np.cos(
        2 * np.pi * step / np.asarray(period, float)[..., None] * n
    ) @ np.asarray(h)
    return result


def filter_start(simulation: Any, span: float) -> None:
    """Filters the state of a simulation at its start over `span` [s] around it. All ranks call
    it.
    """
    model, fields = simulation.model, simulation.fields
    if simulation.apart.on:  # helpers begin with the first step
        raise InputError(
            "radiation_ranks: the filter of the start needs radiation on the ranks that step; give"
            " the state digital_filter = 0, or leave out radiation_ranks"
        )
    h = weights(simulation.time_step, span)
    middle = len(h) // 2
    start, total = mpi.core.FieldSet(fields), mpi.core.FieldSet(fields, precision=8)
    total.scale(h[middle], model.prognostic)
    before = simulation.other(model.adiabatic(), -simulation.time_step)
    _relax_to_start(before.model, before.sequence, before.fields, -simulation.time_step)
    later = h[middle + 1 :]
    with _without_records(simulation):
        _relax_to_start(model, simulation.sequence, fields, simulation.time_step)
        with before.going_back(simulation, span):
            for weight in later:
                before.advance(1)
                total.axpy(weight, before.fields, model.prognostic)
        for weight in later:
            simulation.advance(1)
            total.axpy(weight, fields, model.prognostic)
    fields.copy(start)
    fields.copy(total, model.prognostic)
    simulation.count = 0
    simulation.sequence.start(fields)


@contextmanager
def _without_records(simulation: Any) -> Iterator[Any]:
    """Keeps records in time from being read here: they are read when the run begins."""
    forcing, simulation.forcing = simulation.forcing, None
    try:
        yield
    finally:
        simulation.forcing = forcing


def _relax_to_start(model: Any, sequence: Any, fields: Any, step: float) -> None:
    """Relaxes a model to its initial state, constant in time, in place of an outer one."""
    if not any(fields.has(f"{name}_outer_next") for name in model.prognostic):
        return
    for name, values in model.relaxed_to_start(step).items():
        for suffix in ("_previous", "_next"):
            fields.set(f"{name}_outer{suffix}", values, nearest_outside=True)
        sequence.ramp(f"{name}_outer_weight", step, 0.0, float("inf"))


def _dolph(half: Any, angle: Any) -> Any:
    """Returns the inverse transform of T_{2N}(x0 cos(theta/2)) with x0 cos(angle/2) = 1: ripples of
    equal height beyond the angle.
    """
    number, x0 = 2 * half + 1, 1 / np.cos(angle / 2)
    theta = 2 * np.pi * np.arange(number) / number
    x = x0 * np.cos(theta / 2)
    chebyshev = np.where(
        np.abs(x) > 1,
        np.cosh(2 * half * np.arccosh(np.maximum(np.abs(x), 1))),
        np.cos(2 * half * np.arccos(np.clip(x, -1, 1))),
    )
    n = np.arange(-half, half + 1)
    return np.cos(np.outer(n, theta)) @ chebyshev / number
