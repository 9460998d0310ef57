"""The Unified Model on the NEC SX-6: departure points, diagnostic output (STASH), messages between
pairs of processors.

departure points
    cost of a point and search (1 + surcharge poleward of 80 degrees),
    the grid 432 x 325 cut into bands of rows; instead of two more searches the
                   points of the wind are interpolated from those of theta
STASH              volume / rate of the route that packets of this size take + opening and closing,
    once an output
pairs              1000 words, word by word or in one message,
    sent and received or got:  send and receive  o + L + o,  get  2 (o + L); a long message that
                   is sent asks first, 2 (o + L)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fathom.performance.scaling.clocks import Clocks
from fathom.performance.scaling.fit import Fit, fit
from fathom.performance.scaling.machine import load
from fathom.performance.scaling.network import overhead, wire

rows, columns, polar = 325, 432, 80.0
bands = 16  # of rows; estimate

departure_figures = {
    "theta most": 29.67,
    "theta least": 18.46,
    "wind most": 57.55,
    "wind least": 35.84,
    "interpolated most": 14.25,
    "interpolated least": 14.23,
}  # s
stash_figures = {"unbuffered": 212.0, "buffered": 114.0, "kept open": 69.0}  # s
volumes = {
    "unbuffered": 8.5e9,
    "buffered": 9.1e9,
    "kept open": 7.6e9,
}  # bytes: estimates, rate x time of each run, so that they are no test of the rates
pair_figures = {
    "get": 32.3e-3,
    "send": 21.7e-3,
    "send, buffered": 6.2e-3,
    "get, buffered": 5.8e-3,
}  # s


def departure(values: Mapping[str, float]) -> list[float]:
    """Returns seconds of two days of the slowest and the fastest rank: for theta, for the wind by
    two separate searches, for the wind by interpolation.
    """
    latitude = np.linspace(-90, 90, rows)
    band = np.arange(rows) * bands // rows
    plain = np.bincount(band, minlength=bands).astype(float)
    near_pole = np.bincount(band, np.abs(latitude) > polar, minlength=bands)
    theta, interpolated = Clocks(load("nec-sx6"), bands), Clocks(load("nec-sx6"), bands)
    theta.compute(values["search"] * (plain.mean() + values["surcharge"] * near_pole))
    interpolated.compute(values["interpolation"] * plain.mean())
    t, i = theta.clock, interpolated.clock
    return [t.max(), t.min(), 2 * t.max(), 2 * t.min(), i.max(), i.min()]


def departure_fit() -> Fit:
    """Returns the fit of the search of departure points."""
    return fit(
        departure,
        list(departure_figures.values()),
        {"search": 0.9, "surcharge": 0.7, "interpolation": 0.7},
    )


def stash(openings: float = 300) -> list[float]:
    """Returns seconds of the three ways to write; openings: how often a file is opened and closed
    (estimate).
    """
    m = load("nec-sx6")
    slow = volumes["unbuffered"] / m["files.write_small"]  # so slow that it hides the opening
    return [
        slow,
        volumes["buffered"] / m["files.write"] + openings * m["files.open"],
        volumes["kept open"] / m["files.write"],
    ]


def pairs(values: Mapping[str, float]) -> list[float]:
    """Returns seconds of 1000 words between all pairs, word by word (get, send) and in one message
    (send, get); messages: words that one processor sends after another; volume: s of the words
    themselves, buffers filled and emptied included.
    """
    m = load("nec-sx6")
    o, latency = overhead(m), float(wire(m, 1))
    send, get = 2 * o + latency, 2 * (o + latency)
    few = values["messages"] / 1000
    return [
        values["messages"] * get + values["volume"],
        values["messages"] * send + values["volume"],
        few * (send + 2 * (o + latency)) + values["volume"],
        few * get + values["volume"],
    ]


def pairs_fit() -> Fit:
    """Returns the fit of exchanges by pairs of ranks."""
    return fit(pairs, list(pair_figures.values()), {"messages": 2000.0, "volume": 6e-3})
