"""Cycles: nature and its observations, background errors, then for each method window after window

    background  ->  screening  ->  analysis  ->  forecast to the next window

Methods choose B and the propagation:

    3d-var, fgat, 4d-var    B of statistics
    eda                     members, each FGAT with its own data: their spread is the error's
    envar                   FGAT with B of the members and of statistics
    hybrid                  4D-Var with both
    letkf                   members, each column with the data near to it

Results are stored in the directory of the experiment, file by file; a stopped run continues with
the window after the last stored one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.balance import AirBackground, Errors
from fathom.assimilation.cycle import kept, learning, local_filter, members
from fathom.assimilation.cycle.experiment import Experiment
from fathom.assimilation.cycle.kept import read, write
from fathom.assimilation.cycle.twin import Twin, as_numbers
from fathom.assimilation.ensembles import AirLocalisation, background_of
from fathom.assimilation.maps import Hybrid, LinearMap, Vector
from fathom.assimilation.variational import Constraint, Seen, Stopwatch, Window
from fathom.base import mpi
from fathom.base.clock import seconds_of
from fathom.base.failure import MissingFileError
from fathom.grids.transform import SphericalHarmonics

Say = Callable[[str], None]


class Cycles:
    """An experiment in its directory. ValueError: the directory has another experiment."""

    def __init__(self, experiment: Experiment, out: Path, say: Say = lambda text: None) -> None:
        self.experiment, self.out, self.say = experiment, out, say
        self.twin = Twin(experiment)
        self._learned: tuple[Errors, np.ndarray | None, Vector] | None = None
        self.seconds: dict[str, list[dict[str, float]]] = {}  # of each method, by part and window
        if mpi.is_root:
            out.mkdir(parents=True, exist_ok=True)
        mpi.world.barrier()  # the folder is there
        said = {k: v for k, v in vars(experiment).items() if k != "text"}
        kept.claim(out / "experiment.json", json.loads(json.dumps(said, default=vars)))

    # ---- nature ----------------------------------------------------------------------------------

    def _nature(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, np.ndarray]:
        """Returns the state kept under that name; it is made if it does not exist."""
        path = self.out / "nature" / f"{name}.npz"
        if not path.exists():
            write(path, **make())
        return read(path)

    def spun_up(self) -> Vector:
        """Returns nature at the start of the training."""

        def make() -> dict[str, Any]:
            self.say("nature: spin-up")
            return {"nature": self.twin.spun_up()}

        return self._nature("spun-up", make)["nature"]

    def learned(self) -> tuple[Errors, np.ndarray | None, Vector]:
        """Returns B, R of a column if it was learned from departures, and the first background: the
        end of the learning, or else the weather of another day, on which the training began.
        """
        if not self.experiment.departures.use:
            return self.statistics(), None, self.twin.truth(self.spun_up())
        if self._learned is None:
            self._learned = learning.learned(self, self.statistics())
            if mpi.is_root:
                self._learned[0].write(str(self.out / "background-learned.nc"))
            mpi.world.barrier()  # the file is there for all
        return self._learned

    def statistics(self) -> Errors:
        """Returns B, scaled: read, or from forecasts of the training."""
        b = self.experiment.background
        path = Path(b.file) if b.file else self.out / "background.nc"
        if not path.exists():
            if b.file:
                raise MissingFileError(f"there is no file {b.file}, [background] file")
            found = self.estimate()
            if mpi.is_root:
                found.write(str(path))
            mpi.world.barrier()  # the file is there for all
        return Errors.read(str(path)).scaled(b.scale)

    def estimate(self) -> Errors:
        """Returns covariances from differences of forecasts over two days and one day, a sample
        every two days (NMC).
        """
        nature, differences = self.spun_up(), []
        for n in range(self.experiment.background.samples):

            def make(nature: Vector = nature) -> dict[str, Any]:
                next_day = self.twin.nature.run(nature, 86400.0)
                truths = [self.twin.truth(nature), self.twin.truth(next_day)]
                return {
                    "nature": self.twin.nature.run(next_day, 86400.0),
                    "difference": self.twin.difference(truths),
                }

            made = self._nature(f"training-{n:03d}", make)
            nature = made["nature"]
            differences.append(made["difference"])
            self.say(f"background: sample {n + 1} of {self.experiment.background.samples}")
        return self.twin.errors(differences)

    def window(self, number: int) -> dict[str, np.ndarray]:
        """Returns observations of a window, truth at its start and middle, nature at its end; those
        of learning come first.
        """
        twin, e = self.twin, self.experiment
        last = f"training-{e.background.samples - 1:03d}"

        def make() -> dict[str, Any]:
            first = self.out / "nature" / f"{last}.npz"
            if number == 0:
                nature = read(first)["nature"] if first.exists() else self.spun_up()
            else:
                nature = self.window(number - 1)["nature"]
            made, step = {"start": twin.truth(nature)}, twin.model.step
            for n in range(e.steps):
                if n == e.steps // 2:
                    made["middle"] = twin.truth(nature)
                if n in e.times:
                    made[f"values-{n}"] = twin.observe(nature, number * len(e.times) + n)
                nature = twin.nature.run(nature, step)
            return made | {"nature": nature}

        return self._nature(f"window-{number:04d}", make)

    # ---- cycles ----------------------------------------------------------------------------------

    def run(self, method: str) -> list[dict[str, Any]]:
        """Returns all windows of a method; returns the results of each."""
        if method == "eda":
            return members.run(self)
        if method == "letkf":
            return local_filter.run(self)
        e, twin, folder = self.experiment, self.twin, self.out / method
        B, R, start = self.learned()
        window = self.analysis({"envar": "fgat", "hybrid": "4d-var"}.get(method, method), B)
        if method in ("envar", "hybrid"):
            members.run(self)
        results = []
        for number in range(e.cycle.windows):
            path = folder / f"window-{number:04d}.npz"
            if not path.exists():
                truth, clock = self.window(self.first + number), Stopwatch()
                with clock.of("observations"):
                    seen = self.seen(self.first + number, R)
                window.screening = self.screening(number)
                with clock.of("errors"):
                    window.background = self._background(method, number, B)
                found = window.analyse(start, seen)
                said = found.summary | {
                    "hours": self.hours(number),
                    "background": twin.distance(found.background, truth["middle"]),
                    "analysis": twin.distance(found.middle, truth["middle"]),
                }
                seconds = json.dumps(clock | found.seconds)
                write(path, end=found.end, summary=json.dumps(as_numbers(said)), seconds=seconds)
            made = read(path)
            start = made["end"]
            results.append(self.told(method, number, made))
        return results

    @property
    def first(self) -> int:
        """Returns window of the experiment: those before are for learning."""
        of = self.experiment.departures
        return of.windows if of.use else 0

    def analysis(self, propagation: str, errors: Errors) -> Window:
        """Returns the analysis of windows with B of statistics."""
        e, twin = self.experiment, self.twin
        return Window(
            twin.model.trajectory,
            self.static(propagation, errors),
            e.steps,
            propagation,
            iterations=e.assimilation.iterations,
            outer=e.assimilation.outer,
            screening=e.assimilation.screening,
            background_variance=4.0,
            inner=twin.inner if propagation == "4d-var" else None,
            constraint=self._filter() if propagation == "4d-var" else None,
        )

    def _filter(self) -> Constraint | None:
        """Returns the digital filter of the increment; None: there is none."""
        of, model = self.experiment.filter, self.twin.coarse or self.twin.model
        if not of.weight:
            return None
        longest = seconds_of(of.longest, "longest") / model.step
        return Constraint.of_air(model.trajectory, of.weight, longest)

    def static(self, propagation: str, errors: Errors) -> AirBackground:
        """Returns L of statistics, on the grid of the increment."""
        if propagation != "4d-var" or self.twin.coarse is None:
            return AirBackground(self.twin.model.transform, errors)
        within = self.twin.coarse.transform
        return AirBackground(within, errors.truncated(within.truncation))

    def hours(self, number: int) -> float:
        """Returns the middle of a window [h] after the start."""
        return (number + 0.5) * self.experiment.steps * self.twin.model.step / 3600

    def screening(self, number: int) -> float | None:
        """Returns the limit of screening; None for the first backgrounds, of another day."""
        return self.experiment.assimilation.screening if number > 3 else None

    def seen(self, number: int, R: np.ndarray | None) -> dict[int, Seen]:
        """Returns data of a window of nature."""
        times, truth, twin = self.experiment.times, self.window(number), self.twin
        return {n: twin.seen(truth[f"values-{n}"], number * len(times) + n, R) for n in times}

    def told(self, method: str, number: int, made: dict[str, Any]) -> dict[str, Any]:
        """Prints one line of a window; returns its summary."""
        r: dict[str, Any] = json.loads(str(made["summary"]))
        if "seconds" in made:
            self.seconds.setdefault(method, []).append(json.loads(str(made["seconds"])))
        self.say(
            f"{method} {number + 1:3d}: departure {r['departure']:.2f}, residual"
            f" {r['residual']:.2f} of the errors; wind {r['background']['wind']:.2f} ->"
            f" {r['analysis']['wind']:.2f} m/s"
        )
        return r

    # ---- ensembles -------------------------------------------------------------------------------

    def _background(self, method: str, number: int, errors: Errors) -> LinearMap:
        """Returns L of a window: of statistics, of the members, or of both; where the increment
        is."""
        static = self.static("4d-var" if method == "hybrid" else method, errors)
        if method not in ("envar", "hybrid"):
            return static
        weight = self.experiment.ensemble.weight
        made = read(self.out / "eda" / f"window-{number:04d}.npz")
        states = made["middles" if method == "envar" else "starts"]
        if method == "hybrid" and self.twin.inner is not None:
            states = np.array([self.twin.inner.down(x) for x in states])
        of_day = background_of(states, self._localisation(static.waves.transform))
        return of_day if weight == 1 else Hybrid((1 - weight, static), (weight, of_day))

    def _localisation(self, transform: SphericalHarmonics) -> AirLocalisation:
        e = self.experiment.ensemble
        return AirLocalisation(transform, self.pressure, 1e3 * e.length, e.depth)

    @property
    def pressure(self) -> np.ndarray:
        """Returns the pressure of the layers where that at the surface is 1000 hPa [Pa]."""
        levels = self.twin.model.trajectory.model.grid.levels
        a, b = (np.asarray(x, float) for x in (levels.a, levels.b))
        return np.asarray(0.5 * (a[1:] + a[:-1]) + 0.5e5 * (b[1:] + b[:-1]))

    def of_members(self) -> Path:
        """Returns covariances of the members' backgrounds in the second half of the windows, as a
        file.
        """
        members.run(self)
        count, differences = self.experiment.cycle.windows, []
        for number in range(count // 2, count):
            states = read(self.out / "eda" / f"window-{number:04d}.npz")["middles"]
            scale = np.sqrt(len(states) / (len(states) - 1))
            differences += list(scale * (states - states.mean(axis=0)))
        path = self.out / "background-ensemble.nc"
        if mpi.is_root:
            self.twin.errors(differences).write(str(path))
        mpi.world.barrier()  # the file is there for all
        return path
