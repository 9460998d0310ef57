"""Cycles of an ocean by 3D-Var, FGAT, 4D-Var or a local ensemble filter: of a TOML file with [sea]
(sea_experiment.py).

Nature starts from the state of the experiment and smooth anomalies, drawn with other lengths and
sizes than B has; the model starts from the state of the experiment alone. All methods get the same
data; 3d-var, fgat and letkf make an analysis in each `analyses`, 4d-var in each window. At the end
of a window all have seen the same data: there they are compared, with a forecast without data.
Results are stored window by window; a stopped run continues after the last stored one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation import sea
from fathom.assimilation.cycle import kept, sea_filter
from fathom.assimilation.cycle.sea_experiment import SeaErrors, SeaExperiment
from fathom.assimilation.cycle.twin import as_numbers
from fathom.assimilation.maps import LinearMap, Matrix, Product, Vector
from fathom.assimilation.ocean_trajectory import (
    InnerSea,
    InState,
    OceanForecasts,
    OceanTrajectory,
    OfParts,
    OfState,
)
from fathom.assimilation.variational import Seen, Stopwatch, Window
from fathom.base import mpi
from fathom.base.clock import seconds_of
from fathom.base.failure import InputError

layers = {"upper": (0.0, 100.0), "thermocline": (100.0, 300.0), "deep": (300.0, 1500.0)}  # m


def errors_of(of: sea.Sea, size: float, e: SeaErrors, length: float, depth: float) -> Any:
    """Returns standard deviations that decrease downward from the thermocline, and upward to the
    surface.
    """
    z = np.cumsum(of.thickness) - of.thickness / 2
    shape = np.exp(-(((z - 150) / 500) ** 2)) + 0.3 * np.exp(-z / 1500)
    expansion = np.interp(z, [0, 1000, 4000], [2.2e-4, 1.4e-4, 1.3e-4])
    return sea.SeaErrors(
        size * shape, e.salinity * size * shape, e.height, length, depth, length,
        expansion, np.full(len(z), 7.6e-4),
    )  # fmt: skip


class SeaCycles:
    """An experiment in its directory. ValueError: the directory has another experiment."""

    def __init__(
        self, experiment: SeaExperiment, out: Path, say: Callable[[str], None] = lambda text: None
    ) -> None:
        self.experiment, self.out, self.say = experiment, out, say
        if mpi.is_root:
            out.mkdir(parents=True, exist_ok=True)
        mpi.world.barrier()  # the folder is there
        said = json.loads(json.dumps(vars(experiment) | {"path": None}, default=vars))
        kept.claim(out / "experiment.json", said)
        self.model = OceanForecasts(experiment.ocean([], out / "model"))
        self.sea = sea.Sea.of_grid(self.model.model.grid)
        self.first = self.model.vector()
        self.seen_of = OfState(self.model, self.sea)
        of, step = experiment.assimilation, self.model.simulation.time_step
        self.steps = {name: self._steps(span, name, step) for name, span in
                      (("window", of.window), ("analyses", of.analyses),
                       ("every", experiment.observations.every))}  # fmt: skip
        if self.steps["analyses"] % 2:
            raise InputError(
                f"analyses = {of.analyses!r} has {self.steps['analyses']} steps: none lies in the"
                " middle; allowed is an even number"
            )
        self.seconds: dict[str, list[dict[str, float]]] = {}  # of each method, by part and window

    @staticmethod
    def _steps(span: str, name: str, step: float) -> int:
        steps = seconds_of(span, name) / step
        if steps < 1 or not np.isclose(steps, round(steps)):
            raise InputError(f"{name} = {span!r} is no multiple of a step of {step:g} s")
        return round(steps)

    # ---- the truth and what is seen of it --------------------------------------------------------

    @cached_property
    def nature(self) -> OceanForecasts:
        """Returns the model of the truth."""
        of = self.experiment.sea.nature
        if not of:
            return self.model
        made = OceanForecasts(self.experiment.ocean(of, self.out / "nature-run"))
        if made.levels != self.model.levels:
            raise InputError("[sea] nature: the truth has other fields or levels than the model")
        return made

    def truth(self, number: int) -> dict[str, np.ndarray]:
        """Returns temperature, salinity, height of nature at the times of the data of a window of
        3d-var, in the middle of each `every`, and at its end; its whole state there.
        """
        path = self.out / "truth" / f"window-{number:04d}.npz"
        if not path.exists():
            state = self.truth(number - 1)["state"] if number else self._born()
            made, at = {}, 0
            for n in self.times:
                state, at = self.nature.run(state, n - at), n
                made[f"seen-{n}"] = self.seen_of.apply(state)
            state = self.nature.run(state, self.steps["analyses"] - at)
            kept.write(path, state=state, end=self.seen_of.apply(state), **made)
        return kept.read(path)

    @property
    def times(self) -> range:
        """Returns steps within a window of 3d-var at which there are data."""
        every = self.steps["every"]
        return range(every // 2, self.steps["analyses"], every)

    def _born(self) -> Vector:
        """Returns nature's first state."""
        e = self.experiment
        if not e.sea.first_error:
            return self.first
        drawn = sea.SeaBackground(
            self.sea,
            errors_of(self.sea, e.sea.first_error, e.background, 4 / 3 * e.background.length,
                      4 / 3 * e.background.depth),
            samples=e.background.samples, seed=1,
        )  # fmt: skip
        random = np.random.default_rng(e.observations.seed)
        anomaly = drawn.apply(random.standard_normal(drawn.controls))
        born: Vector = self.first + InState(self.model, self.sea).apply(anomaly)
        return born

    def free(self, number: int) -> Vector:
        """Returns the state without data at the end of a window of 3d-var."""
        path = self.out / "free" / f"window-{number:04d}.npz"
        if not path.exists():
            before = self.free(number - 1) if number else self.first
            kept.write(path, state=self.model.run(before, self.steps["analyses"]))
        return kept.read(path)["state"]

    def seen(self, number: int, inner: OceanForecasts | None = None) -> dict[int, Seen]:
        """Returns data of a window of 3d-var by their steps within it."""
        truth, made = self.truth(number), {}
        for n in self.times:
            random = np.random.default_rng([self.experiment.observations.seed, number, n])
            H, deviation = self._observed(random)
            values = H.apply(truth[f"seen-{n}"])
            values = values + deviation * random.standard_normal(len(values))
            within = None if inner is None else Product(H, OfState(inner, self.sea))
            made[n] = Seen(values, deviation**2, Product(H, self.seen_of), within)
        return made

    @staticmethod
    def numbers_of(one: Seen) -> np.ndarray:
        """Returns the number in a state of temperature, salinity and height of each datum."""
        product: Any = one.operator
        return np.asarray(product.maps[0].values.indices)

    def _observed(self, random: np.random.Generator) -> tuple[Matrix, Vector]:
        """Returns H of a time at places drawn at random, and standard deviations of errors."""
        from scipy import sparse

        o, of = self.experiment.observations, self.sea
        wet = np.argwhere(of.wet_levels > 0)
        places = wet[random.choice(len(wet), min(o.profiles, len(wet)), replace=False)].T
        along = (3 * wet[:, 0] + wet[:, 1] + random.integers(o.track)) % o.track == 0
        skin = wet[random.choice(len(wet), len(wet) // o.surface, replace=False)].T
        levels = int(np.searchsorted(np.cumsum(of.thickness), o.depth))
        profiles = sea.columns(of, tuple(places), levels)
        half = profiles.shape[0] // 2
        H = sparse.vstack([profiles, sea.surface(of, tuple(wet[along].T), "height"),
                           sea.surface(of, tuple(skin), "temperature")]).tocsr()  # fmt: skip
        counts = half, half, int(along.sum()), skin.shape[1]
        sizes = o.temperature, o.salinity, o.height, o.surface_temperature
        return Matrix(H), np.repeat(sizes, counts)

    # ---- methods ---------------------------------------------------------------------------------

    @cached_property
    def background(self) -> sea.SeaBackground:
        """Returns L of the sea's cells."""
        b = self.experiment.background
        return sea.SeaBackground(
            self.sea, errors_of(self.sea, b.temperature, b, b.length, b.depth),
            samples=b.samples, seed=2,
        )  # fmt: skip

    @cached_property
    def inner(self) -> InnerSea:
        """Returns the ocean of the inner loops."""
        e, of = self.experiment, self.experiment.inner
        more = [*of.settings, *([f'simulation.time_step="{of.step}"'] if of.step else [])]
        made = OceanTrajectory(e.ocean(more, self.out / "inner"), freeze=of.freeze)
        step = self.model.simulation.time_step
        ratio = self._steps(f"{made.simulation.time_step}s", "[inner] step", step)
        between = self.steps["analyses"] // 2, self.steps["every"] // 2
        if any(n % ratio for n in between):
            raise InputError(
                f"[inner] step = {of.step!r}: half of `analyses` and of `every` are no multiples"
            )
        return InnerSea(made, self.model, made, ratio)

    def errors(self) -> list[int]:
        """Returns steps of the model in a window after which there is an error of the model."""
        if not self.experiment.assimilation.model_error:
            return []
        return list(range(self.steps["analyses"], self.steps["window"], self.steps["analyses"]))

    def analysis(self, method: str) -> Window:
        """Returns the analysis of windows by a method."""
        of = self.experiment.assimilation
        four = method == "4d-var"
        self.model.errors = self.errors() if four else []
        steps = self.steps["window" if four else "analyses"]
        if not four:
            L: LinearMap = Product(InState(self.model, self.sea), self.background)
            return Window(self.model, L, steps, method, iterations=of.iterations, tolerance=1e-2,
                          screening=None)  # fmt: skip
        inner = self.inner
        inner.trajectory.errors = [inner.steps(n) for n in self.model.errors]
        L = Product(InState(inner.trajectory, self.sea), self.background)
        whole = OfParts(L, len(self.model.errors), of.model_error)
        count = self.experiment.inner.iterations or of.iterations
        return Window(self.model, whole, steps, method, iterations=count, tolerance=1e-2,
                      outer=of.outer, screening=None, inner=inner)  # fmt: skip

    def run(self, method: str) -> list[dict[str, Any]]:
        """Returns the results of all windows of a method."""
        if method == "letkf":
            return sea_filter.run(self)
        window, results = self.analysis(method), []
        state = self.first
        in_window = self.steps["window"] // self.steps["analyses"]
        together = in_window if method == "4d-var" else 1
        for number in range(0, in_window * self.experiment.cycle.windows, together):
            path = self.out / method / f"window-{number:04d}.npz"
            if not path.exists():
                self._after(window, range(number, number + together), state, path)
            made = kept.read(path)
            state = made["end"]
            self.seconds.setdefault(method, []).append(json.loads(str(made["seconds"])))
            told = json.loads(str(made["summary"]))
            if (number + together) % in_window == 0:  # here all methods have seen the same
                results.append(told)
            self.tell(method, told)
        return results

    def _after(self, window: Window, numbers: range, state: Vector, path: Path) -> None:
        """Computes a window of a method, of so many of 3d-var."""
        clock, length = Stopwatch(), self.steps["analyses"]
        with clock.of("observations"):
            inner = self.inner.trajectory if window.inner is not None else None
            seen = {
                n + (number - numbers[0]) * length: one
                for number in numbers
                for n, one in self.seen(number, inner).items()
            }
        start = np.concatenate([state, np.zeros(self.model.size * len(self.model.errors))])
        found = window.analyse(start, seen)
        truth = self.truth(numbers[-1])["end"]
        ends = {
            "background": self.model.run(state, window.steps),
            "analysis": found.end,
            "free": self.free(numbers[-1]),
        }
        said = found.summary | {
            "hours": (numbers[-1] + 1) * length * self.model.simulation.time_step / 3600
        }
        said |= {n: self.distance(self.seen_of.apply(x), truth) for n, x in ends.items()}
        kept.write(
            path,
            end=ends["analysis"],
            summary=json.dumps(as_numbers(said)),
            seconds=json.dumps(clock | found.seconds),
        )

    def distance(self, a: Vector, b: Vector) -> dict[str, float]:
        """Returns rms distances of two states of the cells: by volume of temperature [K] in layers
        and of salinity [1e-3] above 1500 m, by area of the height [m].
        """
        *_, area = self.sea.distances()
        bottoms = np.cumsum(self.sea.thickness)
        tops = bottoms - self.sea.thickness
        T, S, height = self.sea.fields(a - b)

        def rms(values: np.ndarray, top: float, bottom: float) -> float:
            within = np.clip(np.minimum(bottoms, bottom) - np.maximum(tops, top), 0.0, None)
            volume = np.where(self.sea.wet, area * within[:, None, None], 0.0)
            return float(np.sqrt(np.sum(volume * values**2) / volume.sum()))

        flat = np.where(self.sea.wet_levels > 0, area, 0.0)
        return {
            "temperature": rms(T, 0, 1500),
            **{name: rms(T, *of) for name, of in layers.items()},
            "salinity": rms(S, 0, 1500),
            "height": float(np.sqrt(np.sum(flat * height**2) / flat.sum())),
        }

    def tell(self, method: str, told: dict[str, Any]) -> None:
        """Says how a window of a method went."""
        b, a, free = (told[n]["thermocline"] for n in ("background", "analysis", "free"))
        self.say(
            f"{method}, day {told['hours'] / 24:g}: departure {told['departure']:.2f}, residual"
            f" {told['residual']:.2f} of the errors; temperature at 100 to 300 m {b:.3f} ->"
            f" {a:.3f} K, without data {free:.3f}"
        )
