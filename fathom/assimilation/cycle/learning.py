"""Errors of data and background learned from departures, before the experiment: windows of FGAT
with other data. After each window R, and the sizes of B by part, degree and level, follow from its
departures and increments (assimilation/departures.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fathom.assimilation.balance import AirBackground, Errors, parts
from fathom.assimilation.cycle.kept import read, write
from fathom.assimilation.departures import Statistics, ratios, reshaped, spectra
from fathom.assimilation.maps import Vector
from fathom.assimilation.variational import Window

if TYPE_CHECKING:
    from fathom.assimilation.cycle.run import Cycles

first = 4  # windows: the errors of those before are still those of another day
kept = 0.75  # of earlier departures, from window to window
gain = 0.5  # of the logarithm of the size of B


@dataclass
class State:
    """Where learning is: the background of the next window, statistics of departures, and the
    logarithm of s^2 of each part of B."""

    end: Vector
    known: Statistics
    logs: list[np.ndarray]

    def write(self, path: Path) -> None:
        """Writes it into one file, whole or not at all."""
        names = {f"log-{n}": part for n, part in enumerate(self.logs)}
        write(path, end=self.end, **vars(self.known), **names)

    @staticmethod
    def read(path: Path) -> State:
        """Returns what `write` wrote."""
        of = read(path)
        known = Statistics(of["of_data"], of["of_background"], float(of["columns"]))
        return State(of["end"], known, [of[f"log-{n}"] for n in range(3)])

    def errors(self, start: Errors) -> Errors:
        """Returns the background errors learned so far, in the shape of those at the start."""
        return reshaped(start, [np.exp(part) for part in self.logs])


def learned(cycles: Cycles, errors: Errors) -> tuple[Errors, np.ndarray, Vector]:
    """Returns B and R of the experiment, and the state from which it continues; errors: B to start
    from.
    """
    twin, window = cycles.twin, cycles.analysis("fgat", errors)
    nothing = [np.zeros(getattr(errors, name).shape[:2]) for name in parts]
    now, history = State(twin.truth(cycles.spun_up()), Statistics.empty(twin.values), nothing), []
    for number in range(cycles.experiment.departures.windows):
        path = cycles.out / "learning" / f"window-{number:04d}.npz"
        if not path.exists():
            _after(cycles, window, now, errors, number).write(path)
        now = State.read(path)
        history.append(now.logs)
    half = history[len(history) // 2 :]
    now.logs = [np.mean([logs[n] for logs in half], axis=0) for n in range(len(parts))]
    return now.errors(errors), now.known.data_errors(twin.instrument**2), now.end


def _after(cycles: Cycles, window: Window, now: State, errors: Errors, number: int) -> State:
    """Returns the state after one more window."""
    twin, known, logs = cycles.twin, now.known, now.logs
    R = known.data_errors(twin.instrument**2) if known.columns else None
    window.background = L = AirBackground(twin.model.transform, now.errors(errors))
    window.screening = cycles.screening(number)
    found = window.analyse(now.end, cycles.seen(number, R))
    if number >= first:
        random = np.random.default_rng([cycles.experiment.observations.seed, 1, number])
        control, drawn = found.found.control, window.drawn(found.seen, random).control
        assert control is not None
        assert drawn is not None
        squares = ratios(spectra(L, control), spectra(L, drawn))
        logs = [old + gain * np.log(s) for old, s in zip(logs, squares)]
        known = known.after(*found.columns(twin.values), kept)
    size = found.summary
    cycles.say(
        f"errors {number + 1:3d}: departure {size['departure']:.2f}, residual"
        f" {size['residual']:.2f} of the errors"
    )
    return State(found.end, known, logs)
