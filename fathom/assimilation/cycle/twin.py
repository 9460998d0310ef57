"""The truth of an experiment, its observations, and the background errors of the model that is to
find it.

Nature runs with its own truncation and step. Its columns are observed at random places, with errors
of the size that the assimilation assumes. The truth on the model's grid is nature
truncated.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.assimilation import observed
from fathom.assimilation.balance import Errors, Waves
from fathom.assimilation.cycle.experiment import Air, Experiment
from fathom.assimilation.estimation import estimated
from fathom.assimilation.maps import Vector
from fathom.assimilation.resolution import Inner
from fathom.assimilation.trajectory import Forecasts, Trajectory
from fathom.assimilation.variational import Seen
from fathom.atmosphere.spectral.model import SpectralAtmosphere
from fathom.base import constants
from fathom.base.clock import seconds_of
from fathom.grids.gaussian import GaussianGrid
from fathom.grids.levels import SigmaLevels
from fathom.grids.transform import SphericalHarmonics
from fathom.model.schemes import scheme
from fathom.run.simulation import Simulation

parts = ("wind", "temperature", "pressure")


@dataclass
class Model:
    """An atmosphere, to be run from vectors of its state."""

    trajectory: Any  # a Trajectory; Forecasts without a tangent
    transform: SphericalHarmonics
    waves: Waves
    step: float

    @staticmethod
    def of(air: Air, threads: int = 0, linear: bool = True) -> Model:
        """Returns the model of the twin. threads: of each rank; 0: as chosen for this machine.
        linear: it has a tangent, for which it keeps its steps.
        """
        grid = GaussianGrid(air.truncation, grid=air.grid, levels=SigmaLevels(air.levels))
        model = SpectralAtmosphere(
            grid,
            physics=[scheme("HeldSuarez")],
            diffusion_time=air.diffusion_time,
            fix_mass=False,
            precision=air.precision,
        ).set(
            air_temperature=lambda lon, lat, p: (
                275
                + 25 * np.cos(2 * np.deg2rad(lat))
                + 2 * np.sin(np.deg2rad(3 * lon)) * np.cos(np.deg2rad(lat)) ** 3
            ),
            eastward_wind=lambda lon, lat, p: 20 * np.sin(2 * np.deg2rad(lat)) ** 2 * (1 - p / 1e5),
        )
        simulation = Simulation(
            model,
            time_step=air.step,
            directory=tempfile.gettempdir(),
            parallel={"threads": threads} if threads else None,
        )
        transform = SphericalHarmonics(air.truncation, grid.rows)
        return Model(
            Trajectory(simulation) if linear else Forecasts(simulation),
            transform,
            Waves(transform, air.levels),
            simulation.time_step,
        )

    @property
    def at_rest(self) -> Vector:
        """Returns the first state, without any data."""
        result: Vector = self.trajectory.vector(self.trajectory.first)
        return result

    def run(self, state: Vector, seconds: float) -> Vector:
        """Returns the state some seconds later."""
        steps = round(seconds / self.step)
        return self.trajectory.run(state, steps) if steps else state


def truncated(state: Vector, of: Model, to: Model) -> Vector:
    """Returns a state of a finer model on the grid of a coarser one."""
    fine, coarse = of.transform, to.transform
    these = np.array([fine.index(int(m), int(n)) for m, n in zip(coarse.m, coarse.n)])
    return to.waves.to_points(*(c[:, these].copy() for c in of.waves.to_waves(state)))


class Twin:
    """Nature and the model of an experiment."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.nature, self.model = Model.of(experiment.nature), Model.of(experiment.model)
        of, self.coarse, self.inner = experiment.inner, None, None
        if of.truncation:
            levels = experiment.model.levels
            coarse = Model.of(
                Air(of.truncation, levels, of.step, of.diffusion_time, precision=of.precision)
            )
            ratio = round(coarse.step / self.model.step)
            self.coarse = coarse
            self.inner = Inner(coarse.trajectory, self.model.waves, coarse.waves, ratio)

    def spun_up(self) -> Vector:
        """Returns nature in its climate."""
        span = seconds_of(self.experiment.nature.spin_up, "spin_up")
        return self.nature.run(self.nature.at_rest, span)

    def truth(self, nature: Vector) -> Vector:
        """Returns the truth on the grid of the model."""
        return truncated(nature, self.nature, self.model)

    def places(self, time: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
        """Returns longitude and latitude [degrees] of the columns that are observed at the number
        of a time, and the numbers at random from which their errors are drawn.
        """
        o = self.experiment.observations
        random = np.random.default_rng([o.seed, time])
        longitude = random.uniform(0, 360, o.places)
        return longitude, np.degrees(np.arcsin(random.uniform(-1, 1, o.places))), random

    @property
    def instrument(self) -> np.ndarray:
        """Returns standard deviations of the errors of instruments, of a column's values."""
        o = self.experiment.observations
        sizes = {"wind": o.wind, "temperature": o.temperature, "pressure": o.pressure / 1e5}
        return observed.errors_of_columns(self.experiment.model.levels, 1, parts, sizes)

    def _errors(self) -> np.ndarray:
        return np.repeat(self.instrument, self.experiment.observations.places)

    def observe(self, nature: Vector, time: int) -> Vector:
        """Returns values with errors, at the number of a time since the start."""
        longitude, latitude, random = self.places(time)
        levels = self.experiment.model.levels
        H = observed.columns(self.nature.transform, levels, longitude, latitude, parts)
        errors = self._errors()
        return H.apply(nature) + errors * random.standard_normal(len(errors))

    @property
    def values(self) -> int:
        """Returns the number of values of a column."""
        return 3 * self.experiment.model.levels + 1

    def seen(self, values: Vector, time: int, covariance: np.ndarray | None = None) -> Seen:
        """Returns observations for the model; covariance: of the errors of a column."""
        longitude, latitude, _ = self.places(time)
        levels = self.experiment.model.levels
        H = observed.columns(self.model.transform, levels, longitude, latitude, parts)
        within = None
        if self.coarse is not None:
            within = observed.columns(self.coarse.transform, levels, longitude, latitude, parts)
        variances = self._errors() ** 2
        if covariance is not None:
            variances = np.repeat(np.diagonal(covariance), len(longitude))
        return Seen(values, variances, H, within, covariance)

    def difference(self, truths: list[Vector]) -> Vector:
        """Returns difference of two forecasts for one time: over two days from the first truth,
        over one day from the second.
        """
        day = 86400.0
        result: Vector = self.model.run(truths[0], 2 * day) - self.model.run(truths[1], day)
        return result

    def errors(self, differences: list[Vector]) -> Errors:
        """Returns covariances of background errors, not scaled."""
        return estimated(
            differences,
            self.model.transform,
            self.experiment.model.levels,
            divergence=self.experiment.background.divergence,
        )

    def distance(self, a: Vector, b: Vector) -> dict[str, float]:
        """Returns the distance of two states: rms over the sphere and the levels: wind [m s-1],
        temperature [K], pressure [Pa]; and the root of the energy of the difference [m s-1].
        """
        levels, transform = self.experiment.model.levels, self.model.transform
        d = self.model.waves.fields(a - b)
        area = np.asarray(transform.weight)[:, None] / transform.shape[1]

        def mean(f: Any) -> float:
            return float(np.sum(np.mean(f**2, 0) * area))

        c, R = constants.norm_heat_capacity, constants.norm_gas_constant
        wind, T, pi = d[: 2 * levels], d[2 * levels : 3 * levels], d[3 * levels :]
        return {
            "wind": np.sqrt(mean(wind)),
            "temperature": np.sqrt(mean(T)),
            "pressure": 1e5 * np.sqrt(mean(pi)),
            "energy": np.sqrt(2 * mean(wind) + c / 300 * mean(T) + R * 300 * mean(pi)),
        }

    def spread(self, members: np.ndarray) -> dict[str, float]:
        """Returns standard deviations of states (N, n) about their mean, as `distance`."""
        mean = members.mean(axis=0)
        each = [self.distance(x, mean) for x in members]
        return {
            name: float(np.sqrt(sum(d[name] ** 2 for d in each) / (len(each) - 1)))
            for name in each[0]
        }


def as_numbers(of: Any) -> Any:
    """Returns numbers for JSON: floats instead of NumPy's."""
    if isinstance(of, dict):
        return {k: as_numbers(v) for k, v in of.items()}
    return [as_numbers(v) for v in of] if isinstance(of, list) else float(of)
