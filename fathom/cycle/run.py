"""Cycles: nature and its observations, background errors, then for each method window after window

    background  ->  screening  ->  analysis  ->  forecast to the next window

Methods choose B and the propagation:

    3d-var, fgat, 4d-var    B of statistics
    eda                     members, each FGAT with its own data: their spread is the error's
    envar                   FGAT with B of the members
    hybrid                  4D-Var with both

What is done is kept in the directory of the experiment, file by file; a run that was stopped goes
on with the window after the last that is there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fathom import mpi
from fathom.assimilation.balance import AirBackground, Errors
from fathom.assimilation.ensembles import AirLocalisation, analysed, background_of, inflated
from fathom.assimilation.maps import Hybrid, LinearMap, Vector
from fathom.assimilation.variational import Seen, Window
from fathom.cycle.experiment import Experiment
from fathom.cycle.twin import Twin, as_numbers
from fathom.failure import InputError, MissingFile

Say = Callable[[str], None]


def _write(path: Path, **arrays: Any) -> None:
    """The first rank writes the file, whole or not at all."""
    if mpi.is_root:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez(part, **arrays)
        part.replace(path)
    mpi.world.barrier()


def _read(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as data:
        return dict(data)


class Cycles:
    """An experiment in its directory. ValueError: the directory has another experiment."""

    def __init__(self, experiment: Experiment, out: Path, say: Say = lambda text: None) -> None:
        self.experiment, self.out, self.say = experiment, out, say
        self.twin = Twin(experiment)
        if mpi.is_root:
            out.mkdir(parents=True, exist_ok=True)
        mpi.world.barrier()
        said = json.dumps({k: v for k, v in vars(experiment).items() if k != "text"}, default=vars)
        kept = out / "experiment.json"
        other = json.loads(kept.read_text()) if kept.exists() else json.loads(said)
        now = json.loads(said)
        for part in (other, now):
            part.pop("cycle"), part["assimilation"].pop("methods")
        if other != now:
            raise InputError(f"{out} holds another experiment; take another --out")
        mpi.world.barrier()
        if mpi.is_root:
            kept.write_text(said)

    # ---- nature ----------------------------------------------------------------------------------

    def _nature(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, np.ndarray]:
        """The state kept under that name; it is made where it is not there."""
        path = self.out / "nature" / f"{name}.npz"
        if not path.exists():
            _write(path, **make())
        return _read(path)

    def spun_up(self) -> Vector:
        """Nature at the start of the training."""

        def make() -> dict[str, Any]:
            self.say("nature: spin-up")
            return {"nature": self.twin.spun_up()}

        return self._nature("spun-up", make)["nature"]

    def errors(self) -> Errors:
        """The covariances of background errors, scaled: read, or made from forecasts of the
        training.
        """
        b = self.experiment.background
        path = Path(b.file) if b.file else self.out / "background.nc"
        if not path.exists():
            if b.file:
                raise MissingFile(f"there is no file {b.file}, [background] file")
            found = self.estimate()
            if mpi.is_root:
                found.write(str(path))
            mpi.world.barrier()
        return Errors.read(str(path)).scaled(b.scale)

    def estimate(self) -> Errors:
        """Covariances from differences of forecasts over two days and one day, a sample every two
        days (NMC).
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
        """Observations of a window, truth at its start and middle, nature at its end."""
        twin, e = self.twin, self.experiment
        last = f"training-{e.background.samples - 1:03d}"

        def make() -> dict[str, Any]:
            first = self.out / "nature" / f"{last}.npz"
            if number == 0:
                nature = _read(first)["nature"] if first.exists() else self.spun_up()
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
        """All windows of a method; what each has come to."""
        if method == "eda":
            return self._members()
        e, twin, folder = self.experiment, self.twin, self.out / method
        window = self._analysis({"envar": "fgat", "hybrid": "4d-var"}.get(method, method))
        statistics = window.background
        if method in ("envar", "hybrid"):
            self._members()
        # the weather of another day: that on which the training began
        start, results = twin.truth(self.spun_up()), []
        for number in range(e.cycle.windows):
            path = folder / f"window-{number:04d}.npz"
            if not path.exists():
                truth, seen = self.window(number), self._seen(number)
                window.screening = self._screening(number)
                window.background = self._background(method, number, statistics)
                found = window.analyse(start, seen)
                said = found.summary | {
                    "hours": self._hours(number),
                    "background": twin.distance(found.background, truth["middle"]),
                    "analysis": twin.distance(found.middle, truth["middle"]),
                }
                _write(path, end=found.end, summary=json.dumps(as_numbers(said)))
            made = _read(path)
            start = made["end"]
            results.append(self._told(method, number, made))
        return results

    def _analysis(self, propagation: str) -> Window:
        """The analysis with the B of statistics."""
        e = self.experiment
        return Window(
            self.twin.model.trajectory,
            AirBackground(self.twin.model.transform, self.errors()),
            e.steps,
            propagation,
            iterations=e.assimilation.iterations,
            outer=e.assimilation.outer,
            screening=e.assimilation.screening,
            background_variance=4.0,
        )

    def _hours(self, number: int) -> float:
        return (number + 0.5) * self.experiment.steps * self.twin.model.step / 3600

    def _screening(self, number: int) -> float | None:
        """The first background is of another day: nothing is screened by it."""
        return self.experiment.assimilation.screening if number > 3 else None

    def _seen(self, number: int) -> dict[int, Seen]:
        times, truth = self.experiment.times, self.window(number)
        return {n: self.twin.seen(truth[f"values-{n}"], number * len(times) + n) for n in times}

    def _told(self, method: str, number: int, made: dict[str, Any]) -> dict[str, Any]:
        r: dict[str, Any] = json.loads(str(made["summary"]))
        self.say(
            f"{method} {number + 1:3d}: departure {r['departure']:.2f}, residual"
            f" {r['residual']:.2f} of the errors; wind {r['background']['wind']:.2f} ->"
            f" {r['analysis']['wind']:.2f} m/s"
        )
        return r

    # ---- ensembles -------------------------------------------------------------------------------

    def _background(self, method: str, number: int, statistics: LinearMap) -> LinearMap:
        """L of a window: of statistics, of the members, or of both; where the increment is."""
        if method not in ("envar", "hybrid"):
            return statistics
        e = self.experiment.ensemble
        members = _read(self.out / "eda" / f"window-{number:04d}.npz")
        of_day = background_of(
            members["middles" if method == "envar" else "starts"], self._localisation()
        )
        if method == "envar":
            return of_day
        return Hybrid((1 - e.weight, statistics), (e.weight, of_day))

    def _localisation(self) -> AirLocalisation:
        e, levels = self.experiment.ensemble, self.twin.model.trajectory.model.grid.levels
        a, b = (np.asarray(x, float) for x in (levels.a, levels.b))
        pressure = 0.5 * (a[1:] + a[:-1]) + 0.5e5 * (b[1:] + b[:-1])
        return AirLocalisation(self.twin.model.transform, pressure, 1e3 * e.length, e.depth)

    def of_members(self) -> Path:
        """Covariances of the members' backgrounds in the second half of the windows, as a file."""
        self._members()
        count, differences = self.experiment.cycle.windows, []
        for number in range(count // 2, count):
            members = _read(self.out / "eda" / f"window-{number:04d}.npz")["middles"]
            scale = np.sqrt(len(members) / (len(members) - 1))
            differences += list(scale * (members - members.mean(axis=0)))
        path = self.out / "background-ensemble.nc"
        if mpi.is_root:
            self.twin.errors(differences).write(str(path))
        mpi.world.barrier()
        return path

    def _members(self) -> list[dict[str, Any]]:
        """The ensemble of data assimilations; each window keeps the members' backgrounds."""
        e, twin, folder = self.experiment, self.twin, self.out / "eda"
        window = self._analysis("fgat")
        random = lambda number, i: np.random.default_rng([e.ensemble.seed, number, i])
        L = AirBackground(twin.model.transform, self.errors())
        draws = lambda number: np.array([
            L.apply(random(number, e.ensemble.members + i).standard_normal(L.controls))
            for i in range(e.ensemble.members)
        ])  # fmt: skip
        starts = twin.truth(self.spun_up()) + draws(0)
        results = []
        for number in range(e.cycle.windows):
            path = folder / f"window-{number:04d}.npz"
            if not path.exists():
                window.screening = self._screening(number)
                truth, of = (
                    self.window(number)["middle"],
                    lambda i, number=number: random(number, i),
                )
                found = analysed(window, starts, self._seen(number), of)
                before, after = (np.array([getattr(f, n) for f in found])
                                 for n in ("background", "middle"))  # fmt: skip
                told = [f.summary for f in found]
                said = {k: np.mean([t[k] for t in told]) for k in told[0]} | {
                    "hours": self._hours(number),
                    "background": twin.distance(before.mean(0), truth),
                    "analysis": twin.distance(after.mean(0), truth),
                    "spread": twin.spread(before),
                    "analysis spread": twin.spread(after),
                }
                ends = inflated(np.array([f.end for f in found]), e.ensemble.inflation)
                ends = ends + np.sqrt(e.ensemble.model_error) * draws(number + 1)
                _write(path, end=ends, starts=starts, middles=before,
                       summary=json.dumps(as_numbers(said)))  # fmt: skip
            made = _read(path)
            starts = made["end"]
            results.append(self._told("eda", number, made))
        return results
