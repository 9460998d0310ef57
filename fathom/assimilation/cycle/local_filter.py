"""The local ensemble filter of a cycle (letkf.py). Members run through the window; their states at
the times of the data give the equivalents, and the weights that the data give are those of the
members in its middle. From there they go on to the next window.

A datum counts by its distance from a column, along the sphere and in ln p, as covariances of the
members do in envar. Spread is kept by relaxation, by inflation that adapts to departures, and by
draws of the errors of the model, as in the ensemble of data assimilations.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.assimilation import letkf
from fathom.assimilation.balance import AirBackground
from fathom.assimilation.cycle.kept import read, write
from fathom.assimilation.cycle.members import without_mean
from fathom.assimilation.cycle.twin import as_numbers
from fathom.assimilation.ensembles import gaspari_cohn
from fathom.assimilation.variational import Seen, Stopwatch
from fathom.base.earth import unit_vectors

if TYPE_CHECKING:
    from fathom.assimilation.cycle.run import Cycles

Array = np.ndarray


def run(cycles: Cycles) -> list[dict[str, Any]]:
    """Returns the results of all windows."""
    e, transform = cycles.experiment, cycles.twin.model.transform
    B, R, start = cycles.learned()
    L, errors = (
        AirBackground(transform, B),
        AirBackground(transform, B.scaled(e.ensemble.model_error)),
    )

    def drawn(of: AirBackground, number: int) -> Array:
        """Returns states from a covariance, one for each member."""
        random = (np.random.default_rng([e.ensemble.seed, number, i, 1]) for i in members)
        return np.array([of.apply(r.standard_normal(of.controls)) for r in random])

    members, inflation, results = range(e.ensemble.members), 1.0, []
    starts = start + drawn(L, 0)
    for number in range(e.cycle.windows):
        path = cycles.out / "letkf" / f"window-{number:04d}.npz"
        if not path.exists():
            found = Filtered(cycles, number, cycles.seen(cycles.first + number, R))
            ends = found.ends(starts, inflation) + without_mean(drawn(errors, number + 1))
            write(path, end=ends, inflation=np.array(found.inflation),
                  summary=json.dumps(as_numbers(found.said)),
                  seconds=json.dumps(dict(found.clock)))  # fmt: skip
        made = read(path)
        starts, inflation = made["end"], float(made["inflation"])
        results.append(cycles.told("letkf", number, made))
    return results


class LocalWindow(ABC):
    """A window of a local ensemble filter and its data: of the air here, of the sea in
    sea_filter.py.

    seen : data by their steps.  steps : of the window.  relaxation : of the spread.
    """

    def __init__(self, seen: dict[int, Seen], steps: int, relaxation: float) -> None:
        self.seen, self.steps, self.relaxation = seen, steps, relaxation
        self.clock, self.inflation = Stopwatch(), 1.0
        self.said: dict[str, Any] = {}

    @abstractmethod
    def forecast(self, state: Array, steps: int) -> Array:
        """Returns what a state becomes."""

    @abstractmethod
    def changed(self, X: Array, Y: Array, d: Array, precision: Array) -> Array:
        """Returns what is added to the mean for each member, (N, n), of deviations X of the members
        and Y of their equivalents, and departures d of the mean with their 1 / variance.
        """

    def taken(self, d: Array, Y: Array, variances: Array) -> Array:
        """Returns which data are used; all, where a window has no screening."""
        return np.ones(len(d), bool)

    def analyse(self, starts: Array, inflation: float) -> tuple[Array, Array, Array]:
        """Returns members in the middle of the window before and after the analysis, and at its
        end; `said` has numbers of it, `inflation` that of the next one.
        """
        half = self.steps // 2
        with self.clock.of("forecasts"):
            states = self._run(starts, 0, half)
            later = self._run(states[half], half, self._last_data)
        d, Y, variances = self._departures({**states, **later}, self.seen)
        taken = self.taken(d, Y, variances)
        shown = letkf.inflation_of(Y[:, taken], d[taken], variances[taken])
        self.inflation = letkf.adapted(inflation, shown)
        before, mean = states[half], states[half].mean(0)
        more = np.sqrt(self.inflation)
        with self.clock.of("analysis"):
            precision = np.where(taken, 1 / variances, 0.0)
            change = self.changed(more * (before - mean), more * Y, d, precision)
            after = mean + letkf.relaxed(more * (before - mean), change, self.relaxation)
        with self.clock.of("forecasts"):
            later = self._run(after, half, self.steps)
        last = {n: s for n, s in self.seen.items() if n >= half}
        left, _, of_last = self._departures(later, last)
        good = taken[-len(left) :]
        self.said = {
            "departure": size(d[taken], variances[taken]),
            "residual": size(left[good], of_last[good]),
            "observations": int(taken.sum()),
            "rejected": int((~taken).sum()),
            "iterations": 0,
        }
        return before, after, later[self.steps]

    @property
    def _last_data(self) -> int:
        return max(*self.seen, self.steps // 2)

    def _run(self, members: Array, first: int, last: int) -> dict[int, Array]:
        """Returns members at the times of data from one step to another, and at the last."""
        found, now = {}, first
        for n in sorted({*(n for n in self.seen if first <= n < last), last}):
            members = np.array([self.forecast(x, n - now) for x in members])
            found[n], now = members, n
        return found

    def _departures(
        self, states: dict[int, Array], seen: dict[int, Seen]
    ) -> tuple[Array, Array, Array]:
        """Returns departures of the members' mean, deviations of the members' equivalents from
        theirs, and variances of the data.
        """
        equivalents = np.concatenate(
            [[s.operator.apply(x) for x in states[n]] for n, s in seen.items()], axis=1
        )
        values, variances = (
            np.concatenate([getattr(s, name) for s in seen.values()])
            for name in ("values", "variances")
        )
        mean = equivalents.mean(0)
        return values - mean, equivalents - mean, variances


class Filtered(LocalWindow):
    """A window of the air."""

    def __init__(self, cycles: Cycles, number: int, seen: dict[int, Seen]) -> None:
        of = cycles.experiment
        super().__init__(seen, of.steps, of.ensemble.relaxation)
        self.cycles, self.number, self.twin = cycles, number, cycles.twin

    def forecast(self, state: Array, steps: int) -> Array:
        seconds = steps * self.twin.model.step
        return np.asarray(self.twin.model.run(state, seconds)) if steps else state

    def taken(self, d: Array, Y: Array, variances: Array) -> Array:
        limit = self.cycles.screening(self.number)
        if limit is None:
            return super().taken(d, Y, variances)
        return np.asarray(np.abs(d) <= limit * np.sqrt(variances + Y.var(0, ddof=1)))

    def ends(self, starts: Array, inflation: float) -> Array:
        """Returns members at the end of the window; `said` has their errors too."""
        twin = self.twin
        before, after, ends = self.analyse(starts, inflation)
        truth = self.cycles.window(self.cycles.first + self.number)["middle"]
        self.said |= {
            "hours": self.cycles.hours(self.number),
            "background": twin.distance(before.mean(0), truth),
            "analysis": twin.distance(after.mean(0), truth),
            "spread": twin.spread(before),
            "analysis spread": twin.spread(after),
        }
        return ends

    def changed(self, X: Array, Y: Array, d: Array, precision: Array) -> Array:
        """Column by column, a place for each layer, with the data near to it."""
        twin, of = self.twin, self.cycles.experiment.ensemble
        transform, levels = twin.model.transform, self.cycles.experiment.model.levels
        height = np.log(self.cycles.pressure)
        at, layer = self._places(levels)
        in_depth = gaspari_cohn((height[:, None] - height) / of.depth)[:, layer]
        X = X.reshape(len(X), 3 * levels + 1, -1)
        change, column = np.empty_like(X), 0
        for row, latitude in enumerate(transform.latitude):
            for longitude in transform.longitude(row):
                along = transform.radius * np.arccos(
                    np.clip(at @ unit_vectors(longitude, latitude), -1, 1)
                )
                weight = gaspari_cohn(along / (1e3 * of.local_length)) * precision
                near = np.flatnonzero(weight > 0)
                T = letkf.transforms(Y[:, near], d[near], weight[near] * in_depth[:, near])
                each = np.concatenate([T, T, T, T[-1:]])  # wind, temperature, pressure
                change[:, :, column] = np.einsum("jr,rji->ir", X[:, :, column], each, optimize=True)
                column += 1
        return change.reshape(len(X), -1)

    def _places(self, levels: int) -> tuple[Array, Array]:
        """Returns vectors to the places of the data (m, 3), and the layer of each."""
        times = len(self.cycles.experiment.times)
        first = (self.cycles.first + self.number) * times
        rows = np.concatenate([*(3 * [np.arange(levels)]), [levels - 1]])
        at, layer = [], []
        for n in self.seen:
            vectors = unit_vectors(*self.twin.places(first + n)[:2])
            at.append(np.tile(vectors, (len(rows), 1)))
            layer.append(np.repeat(rows, len(vectors)))
        return np.concatenate(at), np.concatenate(layer)


def size(d: Array, variances: Array) -> float:
    """Returns the rms of departures over the errors of the data."""
    return float(np.sqrt(np.mean(d**2 / variances)))
