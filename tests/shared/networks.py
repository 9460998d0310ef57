"""A network of stations with errors of a background that are drawn from the structure function."""

from dataclasses import dataclass

import numpy as np

from fathom.assimilation.observations import surface
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reports import with_errors
from fathom.base import earth


@dataclass
class Network:
    data: surface.Data
    wrong: np.ndarray  # which have a gross error

    def observations(self):
        """The same as temperatures of a base."""
        n = len(self.data)
        return with_errors(
            Observations(
                report=np.arange(n) * 7919 % 104729,
                datum=np.zeros(n),
                kind=np.full(n, "synop"),
                station=[f"{k:05d}" for k in range(n)],
                time=np.full(n, 1542715200),
                longitude=self.data.longitude,
                latitude=self.data.latitude,
                height=self.data.height,
                variable=np.full(n, "air_temperature"),
                value=280 + self.data.departure,
                background_departure=self.data.departure,
            )
        )


def network(count, gross=0, seed=2):
    rng = np.random.default_rng(seed)
    s = surface.Structure(100e3, 500.0, 1.2, 2.0)
    longitude, latitude = rng.uniform(0, 20, count), rng.uniform(42, 56, count)
    height = rng.gamma(1.2, 250, count)
    x = earth.unit_vectors(longitude, latitude)
    r = 2 * np.arcsin(np.minimum(1, np.linalg.norm(x[:, None] - x, axis=-1) / 2))
    r *= earth.RADIUS / s.length
    B = s.background_error**2 * (1 + r) * np.exp(-r - 0.5 * ((height[:, None] - height) / 500) ** 2)
    root = np.linalg.cholesky(B + 0.01 * np.eye(count))
    departure = root @ rng.normal(size=count)
    departure += 1.0 * rng.normal(size=count)
    wrong = np.zeros(count, bool)
    wrong[rng.choice(count, gross, replace=False)] = True
    departure[wrong] += rng.choice([-1, 1], gross) * 8 * np.hypot(1.0, 1.2)
    return Network(surface.Data(longitude, latitude, height, departure), wrong)
