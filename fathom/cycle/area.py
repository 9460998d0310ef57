"""Cycles of a limited area by 3D-Var or FGAT. Its TOML file has [area] instead of [model] and
[nature]:

[area]           the grid, its step, and the analysis that the truth starts from
[observations]   columns at places of the central zone, drawn at random, new ones each time
[background]     standard deviations, length and depth of background errors (assimilation/area.py)
[assimilation]   methods, window, minimisation
[cycle]          windows

Truth and model are the same dry air, drawn to the same state at the edges. The first background
differs from the truth by a multiple of a draw of B; a forecast from it without data shows what the
edges alone put right.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from fathom import mpi
from fathom.assimilation.area import AreaBackground, AreaErrors, columns
from fathom.assimilation.maps import Vector
from fathom.assimilation.trajectory import Forecasts
from fathom.assimilation.variational import Seen, Window
from fathom.atmosphere.limited_area import LimitedAreaAtmosphere
from fathom.cycle.experiment import Assimilation, Cycle, Observations, table_of
from fathom.describe.toml import Document
from fathom.failure import InputError
from fathom.grids.levels import SigmaLevels
from fathom.grids.limited_area import LimitedAreaGrid
from fathom.names import near
from fathom.run.simulation import Simulation
from fathom.time.clock import Period
from fathom.transform import BiFourier

methods = ("3d-var", "fgat")


@dataclass
class Area:
    """A LimitedAreaGrid of so many sigma levels; coupling: points along its edges in which air is
    drawn to the analysis, extension: points that make fields periodic; first_error: how many draws
    of B the first background differs from the truth.
    """

    centre: list = field(default_factory=lambda: [8.0, 46.5])
    resolution: float = 50e3
    points: list = field(default_factory=lambda: [60, 50])
    coupling: int = 8
    extension: int = 24
    levels: int = 10
    step: str = "10min"
    analysis: str = "gfs"
    start: str = "2011-10-11"
    first_error: float = 1.0

    @property
    def grid(self) -> LimitedAreaGrid:
        """As [area] gives it."""
        return LimitedAreaGrid(
            tuple(self.centre),
            resolution=self.resolution,
            points=tuple(self.points),
            coupling=self.coupling,
            extension=self.extension,
            levels=SigmaLevels(self.levels),
        )


@dataclass
class AreaExperiment:
    area: Area
    observations: Observations
    background: AreaErrors
    assimilation: Assimilation
    cycle: Cycle

    @property
    def steps(self) -> int:
        """Steps of the model in a window."""
        return self._steps_of(self.assimilation.window, "window")

    @property
    def times(self) -> range:
        """Steps of the model, within a window, at which there are observations."""
        return range(0, self.steps, self._steps_of(self.observations.every, "every"))

    def _steps_of(self, span: str, name: str) -> int:
        steps = Period(span, name).seconds / Period(self.area.step, "step").seconds
        if steps < 1 or not np.isclose(steps, round(steps)):
            raise InputError(f"{name} = {span!r} is no multiple of step = {self.area.step!r}")
        return round(steps)


def read(path: Path, settings: Iterable[str] = ()) -> AreaExperiment | None:
    """The experiment of a file with [area]; None of another file. OSError, ValueError: as those of
    the globe.
    """
    document = Document.read(path, settings)
    if "area" not in document.tables:
        return None
    kinds: dict[str, Any] = {
        "area": Area,
        "observations": Observations,
        "background": AreaErrors,
        "assimilation": Assimilation,
        "cycle": Cycle,
    }
    for name in document.tables:
        if name not in kinds:
            raise InputError(f"{document.place(name)}: no table [{name}]{near(name, kinds)}")
    made = {
        name: table_of(document, name, kind, document.tables.get(name, {}))
        for name, kind in kinds.items()
    }
    experiment = AreaExperiment(**made)
    if "methods" not in document.tables.get("assimilation", {}):
        experiment.assimilation.methods = list(methods)
    for name in experiment.assimilation.methods:
        if name not in methods:
            raise InputError(
                f"{document.place('assimilation', 'methods')}: method {name!r} of a limited area"
                f"{near(str(name), methods)}; allowed are {', '.join(methods)}, its model has no"
                " tangent"
            )
    if not experiment.times or experiment.steps % 2:
        raise InputError(
            f"{document.place('assimilation', 'window')}: a window of {experiment.steps} steps has"
            " no step in its middle; allowed is an even number"
        )
    return experiment


class AreaCycles:
    """The windows of an experiment; nothing is kept of a run that was stopped."""

    def __init__(
        self, experiment: AreaExperiment, out: Path, say: Callable[[str], None] = lambda text: None
    ) -> None:
        self.experiment, self.out, self.say = experiment, out, say
        if mpi.is_root:
            out.mkdir(parents=True, exist_ok=True)
        area = experiment.area
        self.grid = area.grid
        model = LimitedAreaAtmosphere(self.grid, orography="earth").set(analysis=area.analysis)
        self.forecasts: Any = Forecasts(
            Simulation(model, step=area.step, start=area.start, directory=tempfile.gettempdir())
        )
        levels = self.grid.levels
        self.background = AreaBackground(
            BiFourier(self.grid.size, self.grid.spacing),
            levels.a,
            levels.b,
            float(np.mean(self.grid.coriolis)),
            experiment.background,
        )
        self.truth = [self.forecasts.vector()]  # every step since the start

    def run(self, method: str) -> list[dict[str, Any]]:
        """All windows of a method; what each has come to."""
        e, random = self.experiment, np.random.default_rng(self.experiment.observations.seed)
        window = Window(
            self.forecasts,
            self.background,
            e.steps,
            method,
            iterations=e.assimilation.iterations,
            screening=None,  # the errors of data are those that B and R are told
        )
        draw = self.background.apply(random.standard_normal(self.background.controls))
        background = free = self.truth[0] + e.area.first_error * draw
        results = []
        for number in range(e.cycle.windows):
            first = number * e.steps
            seen = {n: self._seen(self.at(first + n), random) for n in e.times}
            found, middle = window.analyse(background, seen), self.at(first + e.steps // 2)
            free_middle = self.forecasts.run(free, e.steps // 2)
            free = self.forecasts.run(free_middle, e.steps - e.steps // 2)
            results.append(
                found.summary
                | {
                    "hours": (first + e.steps // 2) * self.forecasts.simulation.step / 3600,
                    "background": self.distance(found.background, middle),
                    "analysis": self.distance(found.middle, middle),
                    "free": self.distance(free_middle, middle),
                }
            )
            background = found.end
            self._tell(method, number, results[-1])
        return results

    def at(self, step: int) -> Vector:
        """The truth after so many steps."""
        while len(self.truth) <= step:
            self.truth.append(self.forecasts.run(self.truth[-1], 1))
        return self.truth[step]

    def _seen(self, truth: Vector, random: np.random.Generator) -> Seen:
        """Columns at places of the central zone, with errors."""
        o, (nx, ny), zone = self.experiment.observations, self.grid.points, self.grid.coupling
        x, y = (random.uniform(zone, n - 1 - zone, o.places) for n in (nx, ny))
        i, j = np.floor(x).astype(int), np.floor(y).astype(int)
        corners = [(a, b) for b in (0, 1) for a in (0, 1)]
        weight = lambda part, beyond: part if beyond else 1 - part
        whole = self.grid.size[0]
        around = SimpleNamespace(
            index=np.stack([(j + b) * whole + i + a for a, b in corners], 1),
            weight=np.stack([weight(x - i, a) * weight(y - j, b) for a, b in corners], 1),
        )
        levels = self.experiment.area.levels
        H = columns(around, int(np.prod(self.grid.size)), levels)
        sizes = np.repeat(
            [o.wind] * 2 * levels + [o.temperature] * levels + [o.pressure / 1e5], o.places
        )
        return Seen(H.apply(truth) + sizes * random.standard_normal(len(sizes)), sizes**2, H)

    def distance(self, a: Vector, b: Vector) -> dict[str, float]:
        """rms over the central zone and the levels: wind [m s-1], temperature [K], pressure [Pa];
        and the root of the energy of the difference [m s-1].
        """
        zone, levels = self.grid.coupling, self.experiment.area.levels
        inside = tuple(slice(zone, n - zone) for n in reversed(self.grid.points))
        d = self.background.fields(a - b)[(slice(None), *inside)]
        mean = lambda f: float(np.mean(np.sum(f**2, 0)))
        wind, T = mean(d[: 2 * levels]) / levels, mean(d[2 * levels : -1]) / levels
        pi = mean(d[-1:])
        return {
            "wind": np.sqrt(wind / 2),
            "temperature": np.sqrt(T),
            "pressure": 1e5 * np.sqrt(pi),
            "energy": np.sqrt(wind + 1004.7 / 300 * T + 287.06 * 300 * pi),
        }

    def _tell(self, method: str, number: int, made: dict[str, Any]) -> None:
        self.say(
            f"{method} {number + 1:3d}: departure {made['departure']:.2f}, residual"
            f" {made['residual']:.2f} of the errors; wind {made['background']['wind']:.2f} ->"
            f" {made['analysis']['wind']:.2f} m/s, without data {made['free']['wind']:.2f}"
        )
