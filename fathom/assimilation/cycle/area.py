"""Cycles of a limited area by 3D-Var, FGAT or 4D-Var. Its TOML file has [area] instead of [model]
and [nature]:

[area]           the grid, its step, and the analysis that the truth starts from
[observations]   columns at places of the central zone, drawn at random, new ones each time
[background]     standard deviations, length and depth of background errors (assimilation/area.py)
[assimilation]   methods, window, minimisation
[inner]          a coarser model for the inner loops of 4D-Var
[filter]         a weak digital filter of 4D-Var
[cycle]          windows

Truth and model are the same dry air, relaxed to the same state at the edges. The first background
differs from the truth by a multiple of a draw of B; a forecast from it without data shows the
effect of the edges alone. Results are stored in the directory of the experiment, window by window;
a stopped run continues after the last stored window.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from fathom.assimilation.area import AreaBackground, AreaErrors, PlaneWaves, columns
from fathom.assimilation.cycle import kept
from fathom.assimilation.cycle.experiment import (
    Assimilation,
    Cycle,
    Filter,
    Observations,
    tables_of,
)
from fathom.assimilation.cycle.twin import as_numbers
from fathom.assimilation.maps import Matrix, Vector
from fathom.assimilation.resolution import Inner
from fathom.assimilation.trajectory import Forecasts, Trajectory
from fathom.assimilation.variational import (
    Constraint,
    Seen,
    Stopwatch,
    Window,
    methods,
)
from fathom.atmosphere.area.model import LimitedAreaAtmosphere
from fathom.base import constants, mpi
from fathom.base.clock import seconds_of
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.levels import SigmaLevels
from fathom.grids.limited_area import LimitedAreaGrid
from fathom.grids.transform import BiFourier
from fathom.run.experiment.toml import Document
from fathom.run.simulation import Simulation

usual = ("3d-var", "fgat")


@dataclass
class Area:
    """A LimitedAreaGrid of so many sigma levels; coupling: points along its edges in which air is
    relaxed to the analysis, extension: points that make fields periodic; first_error: how many
    draws of B the first background differs from the truth.
    """

    centre: list[Any] = field(default_factory=lambda: [8.0, 46.5])
    resolution: float = 50e3
    points: list[Any] = field(default_factory=lambda: [60, 50])
    coupling: int = 8
    extension: int = 24
    levels: int = 10
    dynamics: str = "hydrostatic"
    step: str = "10min"
    analysis: str = "gfs"
    start: str = "2011-10-11"
    first_error: float = 1.0

    @property
    def grid(self) -> LimitedAreaGrid:
        """Returns the grid that [area] gives."""
        return LimitedAreaGrid(
            tuple(self.centre),
            resolution=self.resolution,
            points=tuple(self.points),
            coupling=self.coupling,
            extension=self.extension,
            levels=SigmaLevels(self.levels),
        )


@dataclass
class InnerArea:
    """A coarser model for the inner loops of 4d-var, where a resolution [m] is given: a whole
    multiple of that of [area]."""

    resolution: float = 0.0
    step: str = "20min"


@dataclass
class AreaExperiment:
    area: Area
    observations: Observations
    background: AreaErrors
    assimilation: Assimilation
    inner: InnerArea
    filter: Filter
    cycle: Cycle

    @property
    def steps(self) -> int:
        """Returns steps of the model in a window."""
        return self._steps_of(self.assimilation.window, "window")

    @property
    def times(self) -> range:
        """Returns steps of the model, within a window, at which there are observations."""
        return range(0, self.steps, self._steps_of(self.observations.every, "every"))

    def _steps_of(self, span: str, name: str) -> int:
        steps = seconds_of(span, name) / seconds_of(self.area.step, "step")
        if steps < 1 or not np.isclose(steps, round(steps)):
            raise InputError(f"{name} = {span!r} is no multiple of step = {self.area.step!r}")
        return round(steps)


def read(path: Path, settings: Iterable[str] = ()) -> AreaExperiment | None:
    """Returns the experiment of a file with [area]; None of another file. OSError, ValueError: as
    those of the globe.
    """
    document = Document.read(path, settings)
    if "area" not in document.tables:
        return None
    kinds: dict[str, Any] = {
        "area": Area,
        "observations": Observations,
        "background": AreaErrors,
        "assimilation": Assimilation,
        "inner": InnerArea,
        "filter": Filter,
        "cycle": Cycle,
    }
    experiment = AreaExperiment(**tables_of(document, kinds))
    if "methods" not in document.section("assimilation"):
        experiment.assimilation.methods = list(usual)
    for name in experiment.assimilation.methods:
        if name not in methods:
            raise InputError(
                f"{document.place('assimilation', 'methods')}: method {name!r} of a limited area"
                f"{near(str(name), methods)}; allowed are {', '.join(methods)}"
            )
    if not experiment.times or experiment.steps % 2:
        raise InputError(
            f"{document.place('assimilation', 'window')}: a window of {experiment.steps} steps has"
            " no step in its middle; allowed is an even number"
        )
    return experiment


@dataclass
class AreaModel:
    """A limited area, to be run from vectors of its state; B on its plane. linear: whether it has a
    tangent, for which it keeps its steps."""

    grid: LimitedAreaGrid
    forecasts: Any
    background: AreaBackground

    @staticmethod
    def of(e: AreaExperiment, grid: LimitedAreaGrid, step: str, linear: bool) -> AreaModel:
        """Returns the area of an experiment with its forecasts (linear: with tangent and adjoint)
        and its background errors.
        """
        model = LimitedAreaAtmosphere(grid, orography="earth", dynamics=e.area.dynamics)
        model.set(analysis=e.area.analysis)
        one = Simulation(model, time_step=step, start=e.area.start, directory=tempfile.gettempdir())
        transform, levels = BiFourier(grid.size, grid.spacing), grid.levels
        f = float(np.mean(grid.coriolis))
        more = 2 * levels.nz * model.compressible
        background = AreaBackground(transform, levels.a, levels.b, f, e.background, more)
        return AreaModel(
            grid, Trajectory(one, keep="fp32") if linear else Forecasts(one), background
        )

    @property
    def waves(self) -> PlaneWaves:
        """Returns the waves of the area's plane."""
        return PlaneWaves(self.background.transform, self.background.levels)


def coarser(grid: LimitedAreaGrid, resolution: float) -> LimitedAreaGrid:
    """Returns the same area and extension with fewer points, the first of which is the same."""
    ratio = round(resolution / grid.spacing)
    if ratio < 2 or not np.isclose(ratio * grid.spacing, resolution):
        raise InputError(
            f"[inner] resolution = {resolution:g} m must be a whole multiple of that of the area,"
            f" {grid.spacing:g} m: 2 times at least"
        )
    points = tuple(-(-n // ratio) for n in grid.points)
    shift = [0.5 * ((c - 1) * ratio - (n - 1)) for c, n in zip(points, grid.points)]
    middle = grid.projection.from_earth(*grid.centre) + grid.spacing * np.array(shift)
    made = LimitedAreaGrid(
        tuple(float(x) for x in grid.projection.to_earth(*middle)),
        resolution=ratio * grid.spacing,
        points=points,
        coupling=-(-grid.coupling // ratio),
        extension=tuple(N // ratio - n for N, n in zip(grid.size, points)),
        projection=grid.projection,
        levels=grid.levels,
    )
    if any(ratio * c != n for c, n in zip(made.size, grid.size)):
        raise InputError(
            f"[inner] resolution = {resolution:g} m: a plane of {grid.size[0]} × {grid.size[1]}"
            f" points has no plane of {ratio} times fewer with the same sides, the nearest is"
            f" {made.size[0]} × {made.size[1]}; change the extension"
        )
    return made


class AreaCycles:
    """An experiment in its directory. ValueError: the directory has another experiment."""

    def __init__(
        self, experiment: AreaExperiment, out: Path, say: Callable[[str], None] = lambda text: None
    ) -> None:
        self.experiment, self.out, self.say = experiment, out, say
        if mpi.is_root:
            out.mkdir(parents=True, exist_ok=True)
        mpi.world.barrier()  # the folder is there
        kept.claim(out / "experiment.json", json.loads(json.dumps(vars(experiment), default=vars)))
        area, inner, self.inner = experiment.area, experiment.inner, None
        self.grid, linear = area.grid, "4d-var" in experiment.assimilation.methods
        self.model = AreaModel.of(experiment, self.grid, area.step, linear and not inner.resolution)
        self.coarse, self.forecasts = self.model, self.model.forecasts
        if linear and inner.resolution:
            grid = coarser(self.grid, inner.resolution)
            self.coarse = AreaModel.of(experiment, grid, inner.step, True)
            step = self.forecasts.simulation.time_step
            ratio = round(self.coarse.forecasts.simulation.time_step / step)
            self.inner = Inner(self.coarse.forecasts, self.model.waves, self.coarse.waves, ratio)
        self.seconds: dict[str, list[dict[str, float]]] = {}  # of each method, by part and window
        self._truth: dict[int, list[Vector]] = {}  # of each window, every step

    def run(self, method: str) -> list[dict[str, Any]]:
        """Returns all windows of a method; returns the results of each."""
        e, B = self.experiment, self.model.background
        window, results = self._analysis(method), []
        draw = B.apply(np.random.default_rng(e.observations.seed).standard_normal(B.controls))
        background = free = self.truth(0)[0] + e.area.first_error * draw
        for number in range(e.cycle.windows):
            path = self.out / method / f"window-{number:04d}.npz"
            if not path.exists():
                self._after(window, number, background, free, path)
            made = kept.read(path)
            background, free = made["end"], made["free"]
            self.seconds.setdefault(method, []).append(json.loads(str(made["seconds"])))
            results.append(json.loads(str(made["summary"])))
            self._tell(method, number, results[-1])
        return results

    def _analysis(self, method: str) -> Window:
        e, inner = self.experiment, self.inner if method == "4d-var" else None
        return Window(
            self.forecasts,
            self.model.background if inner is None else self.coarse.background,
            e.steps,
            method,
            iterations=e.assimilation.iterations,
            outer=e.assimilation.outer,
            screening=None,  # the errors of data are those that B and R get
            inner=inner,
            constraint=self._filter() if method == "4d-var" else None,
        )

    def _after(
        self, window: Window, number: int, background: Vector, free: Vector, path: Path
    ) -> None:
        """Computes a window, from its background and the forecast without data; returns its
        results.
        """
        e, truth, clock = self.experiment, self.truth(number), Stopwatch()
        half = e.steps // 2
        with clock.of("observations"):
            random = np.random.default_rng([e.observations.seed, number])
            seen = {n: self._seen(truth[n], random) for n in e.times}
        found, free_middle = window.analyse(background, seen), self.forecasts.run(free, half)
        said = found.summary | {
            "hours": (number * e.steps + half) * self.forecasts.simulation.time_step / 3600,
            "background": self.distance(found.background, truth[half]),
            "analysis": self.distance(found.middle, truth[half]),
            "free": self.distance(free_middle, truth[half]),
        }
        kept.write(
            path,
            end=found.end,
            free=self.forecasts.run(free_middle, e.steps - half),
            summary=json.dumps(as_numbers(said)),
            seconds=json.dumps(clock | found.seconds),
        )

    def _filter(self) -> Constraint | None:
        of, model = self.experiment.filter, self.coarse.forecasts
        if not of.weight:
            return None
        longest = seconds_of(of.longest, "longest") / model.simulation.time_step
        return Constraint.of_air(model, of.weight, longest)

    def truth(self, number: int) -> list[Vector]:
        """Returns the truth at each step of a window; that of its start is kept."""
        if number not in self._truth:
            path = self.out / "truth" / f"window-{number:04d}.npz"
            if not path.exists():
                run = self.forecasts
                start = run.run(self.truth(number - 1)[-1], 1) if number else run.vector(run.first)
                kept.write(path, start=start)
            states = [kept.read(path)["start"]]
            for _ in range(self.experiment.steps - 1):
                states.append(self.forecasts.run(states[-1], 1))
            self._truth[number] = states
        return self._truth[number]

    def _seen(self, truth: Vector, random: np.random.Generator) -> Seen:
        """Returns columns at places of the central zone, with errors."""
        o, (nx, ny), zone = self.experiment.observations, self.grid.points, self.grid.coupling
        x, y = (random.uniform(zone, n - 1 - zone, o.places) for n in (nx, ny))
        H = self._columns(self.grid, x, y)
        inner = None
        if self.inner is not None:
            ratio = self.coarse.grid.spacing / self.grid.spacing
            inner = self._columns(self.coarse.grid, x / ratio, y / ratio)
        levels = self.experiment.area.levels
        sizes = np.repeat(
            [o.wind] * 2 * levels + [o.temperature] * levels + [o.pressure / 1e5], o.places
        )
        values = H.apply(truth) + sizes * random.standard_normal(len(sizes))
        return Seen(values, sizes**2, H, inner)

    def _columns(self, grid: LimitedAreaGrid, x: np.ndarray, y: np.ndarray) -> Matrix:
        """Returns H of columns at places between points of a grid."""
        i, j = np.floor(x).astype(int), np.floor(y).astype(int)
        corners = [(a, b) for b in (0, 1) for a in (0, 1)]

        def weight(part: Any, beyond: Any) -> Any:
            return part if beyond else 1 - part

        around = SimpleNamespace(
            index=np.stack([(j + b) * grid.size[0] + i + a for a, b in corners], 1),
            weight=np.stack([weight(x - i, a) * weight(y - j, b) for a, b in corners], 1),
        )
        K, more = self.experiment.area.levels, self.model.background.more
        return columns(around, int(np.prod(grid.size)), K, more)

    def distance(self, a: Vector, b: Vector) -> dict[str, float]:
        """Returns rms over the central zone and the levels: wind [m s-1], temperature [K], pressure
        [Pa]; and the root of the energy of the difference [m s-1].
        """
        zone, levels = self.grid.coupling, self.experiment.area.levels
        inside = tuple(slice(zone, n - zone) for n in reversed(self.grid.points))
        d = self.model.background.fields(a - b)[(slice(None), *inside)]

        def mean(f: Any) -> float:
            return float(np.mean(np.sum(f**2, 0)))

        wind, T = (mean(d[k : k + n]) / levels for k, n in ((0, 2 * levels), (2 * levels, levels)))
        pi = mean(d[3 * levels : 3 * levels + 1])
        c, R = constants.norm_heat_capacity, constants.norm_gas_constant
        return {
            "wind": np.sqrt(wind / 2),
            "temperature": np.sqrt(T),
            "pressure": 1e5 * np.sqrt(pi),
            "energy": np.sqrt(wind + c / 300 * T + R * 300 * pi),
        }

    def _tell(self, method: str, number: int, made: dict[str, Any]) -> None:
        self.say(
            f"{method} {number + 1:3d}: departure {made['departure']:.2f}, residual"
            f" {made['residual']:.2f} of the errors; wind {made['background']['wind']:.2f} ->"
            f" {made['analysis']['wind']:.2f} m/s, without data {made['free']['wind']:.2f}"
        )
