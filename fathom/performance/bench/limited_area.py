"""Benchmark of the limited-area atmosphere: forecast days a day, and where the time of a step goes,
as `bench atmosphere` has it.

Cases are areas over Europe with all of the first physics over their own ground, drawn to the state
that they start from: points of C + I, levels, spacing and step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import fathom as fm
from fathom.performance.bench import atmosphere

# points along x and y, levels, spacing [m], step
cases: dict[str, tuple[int, int, str, float, str]] = {
    "area-7680-l31": (96, 80, "L31", 20e3, "450s"),
    "area-64800-l40": (300, 216, "L40", 10e3, "300s"),
    "area-307200-l40": (600, 512, "L40", 5e3, "150s"),
}


@dataclass(frozen=True)
class Case(atmosphere.Case):
    """What is measured. ValueError for a name that does not exist."""

    case: str = "area-7680-l31"
    command: ClassVar[str] = "limited-area"
    known: ClassVar[Mapping[str, Any]] = cases

    def interpolation(self, simulation: Any) -> dict[str, float]:
        """It is among the phases."""
        return {}

    def simulation(self, **more: Any) -> Any:
        """`more`: keywords of the Simulation."""
        nx, ny, levels, spacing, step = cases[self.case]
        model = fm.LimitedAreaAtmosphere(
            fm.LimitedAreaGrid(
                (8.0, 47.5), resolution=spacing, points=(nx, ny), levels=fm.HybridLevels(levels)
            ),
            waves=self.grid or "quadratic",
            physics=fm.FirstPhysics(sunlight=fm.Sunlight(fixed_season=1)),
            orography="earth",
            sponge=3,
            precision=self.precision,
        )
        wave = lambda x, y: np.sin(np.deg2rad(12 * x)) * np.cos(np.deg2rad(9 * y))
        model.set(
            air_temperature=lambda x, y, p: np.maximum(
                210, (288 - 0.6 * (y - 47.5) + 1.5 * wave(x, y)) * (p / 1e5) ** 0.19
            ),
            specific_humidity=lambda x, y, p: 0.008 * (p / 1e5) ** 3 + 0 * x,
            sea_surface_temperature=288.0,
            ground_temperature=285.0,
            deep_ground_temperature=285.0,
        )
        parallel = {"threads": self.threads, "tile": self.tile, **more.pop("parallel", {})}
        return fm.Simulation(model, step=self.step or step, parallel=parallel, **more)
