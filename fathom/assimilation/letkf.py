"""The local ensemble transform Kalman filter (Hunt, Kostelich & Szunyogh 2007, Physica D 230, 112).
Of N members with deviations X (N, n) and their equivalents Y (N, m) of data with departures d (m)
from the mean and variances R, the analysis at one place is

    P = [(N - 1) I + Y R^-1 Y']^-1,   w = P Y R^-1 d,   W = [(N - 1) P]^1/2,
    x_i = mean + sum over j of (w_j + W_ji) X_j

with eqs. 21 to 25 there. R^-1 of a datum is multiplied by a weight, 1 at the place and 0 far away.
The equivalents may be those of many times: the weights w hold for the whole trajectory of the
members (section 4.4), so that data count when they were made.

Spread that sampling removes is returned by relaxation to that of before (Whitaker & Hamill 2012,
eq. 2), x' (1 + a (s_b - s_a) / s_a), and by inflation that adapts to departures (Li, Kalnay &
Miyoshi 2009, eq. 5): l = (d' R^-1 d - m) / trace(Y' R^-1 Y / (N - 1)).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fathom.base.failure import InputError

Array = np.ndarray

together = 256  # places whose matrices are made at once


def transforms(Y: Array, departures: Array, precision: Array) -> Array:
    """Returns w_j + W_ji of each place, (places, N, N).

    Parameters
    ----------
    Y : deviations of equivalents from their mean, (N, m).
    departures : of the mean, (m), in units of the data.
    precision : 1 / variance of each datum times its weight at each place, (places, m).
    """
    N, m = Y.shape
    squares = (Y[:, None] * Y[None]).reshape(N * N, m)
    made = np.empty((len(precision), N, N))
    for first in range(0, len(precision), together):
        these = precision[first : first + together]
        information = (these @ squares.T).reshape(-1, N, N) + (N - 1) * np.eye(N)
        values, vectors = np.linalg.eigh(information)
        pull = (these * departures) @ Y.T  # Y R^-1 d
        w = np.einsum("kab,kb,kcb,kc->ka", vectors, 1 / values, vectors, pull, optimize=True)
        W = np.einsum("kab,kb,kcb->kac", vectors, np.sqrt((N - 1) / values), vectors, optimize=True)
        made[first : first + together] = w[:, :, None] + W
    return made


def analysed(
    members: Array, Y: Array, departures: Array, precision: Array, relaxation: float = 0.0
) -> Array:
    """Returns members after the analysis, each value of the state with the data of its own place.

    Parameters
    ----------
    members : states, (N, n).
    Y, departures : of the data, as of `transforms`.
    precision : of each value of the state, (n, m).
    relaxation : a, 0: none, 1: the spread of before.
    """
    if not 0 <= relaxation <= 1:
        raise InputError(f"relaxation = {relaxation!r} must lie between 0 and 1")
    mean = members.mean(0)
    X = members - mean
    change = np.einsum("jn,nji->in", X, transforms(Y, departures, precision), optimize=True)
    return np.asarray(mean + relaxed(X, change, relaxation))


def relaxed(before: Array, change: Array, relaxation: float) -> Array:
    """Returns increments (N, n) whose spread lies between their own and that of deviations before
    the analysis.
    """
    if not relaxation:
        return change
    increment = change.mean(0)
    x = change - increment
    s_b, s_a = before.std(0), x.std(0)
    factor = 1 + relaxation * (s_b - s_a) / np.maximum(s_a, 1e-30 + 1e-12 * s_b)
    return np.asarray(increment + x * factor)


def inflation_of(Y: Array, departures: Array, variances: Array) -> float:
    """Returns what the variance of members must be multiplied by to agree with departures."""
    shown = float(np.sum(departures**2 / variances)) - len(departures)
    spread = float(np.sum(Y**2 / variances)) / (len(Y) - 1)
    return max(shown, 0.0) / max(spread, 1e-300)


def adapted(
    now: float, shown: float, gain: float = 0.03, limits: Iterable[float] = (1, 2)
) -> float:
    """Returns the inflation of the next analysis: nearer to the one that departures show."""
    least, most = limits
    return float(np.clip(now + gain * (shown - now), least, most))
