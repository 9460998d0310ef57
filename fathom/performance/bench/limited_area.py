"""Benchmark of the limited-area atmosphere: forecast days a day, and where the time of a step goes,
as `bench atmosphere` has it.

Cases are areas over Europe with their real ground, relaxed at the edges to their initial state, by
their columns in C + I and levels: `area`, hydrostatic, and `compressible`, both with all of the
first physics; `aladin`, hydrostatic with the full physics over tiles of land; `arome`,
compressible with all of AROME's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

import fathom as fm
from fathom.performance.bench import atmosphere

# points along x and y, spacing [m], step of hydrostatic and of compressible air
sizes: dict[int, tuple[int, int, float, str, str]] = {
    7680: (96, 80, 20e3, "450s", "150s"),
    64800: (300, 216, 10e3, "300s", "100s"),
    307200: (600, 512, 5e3, "150s", "60s"),
    2560000: (1600, 1600, 2.5e3, "60s", "60s"),
}
# dynamics, physics
kinds: dict[str, tuple[str, Callable[..., Any]]] = {
    "area": ("hydrostatic", fm.BasicPhysics),
    "compressible": ("non-hydrostatic", fm.BasicPhysics),
    "aladin": ("hydrostatic", partial(fm.ForecastPhysics, land="TiledLand")),
    "arome": ("non-hydrostatic", fm.AromePhysics),
}
# kind, columns, layers
cases: dict[str, tuple[str, int, int]] = {
    f"{kind}-{columns}-l{layers}": (kind, columns, layers)
    for kind in kinds
    for columns, layers in (
        (7680, 31),
        (64800, 40),
        (64800, 41),
        (307200, 40),
        (307200, 41),
        (307200, 60),
        (2560000, 65),
    )
}


@dataclass(frozen=True)
class Case(atmosphere.Case):
    """The settings of the benchmark. ValueError for a name that does not exist."""

    case: str = "area-7680-l31"
    command: ClassVar[str] = "limited-area"
    known: ClassVar[Mapping[str, Any]] = cases

    def interpolation(self, simulation: Any) -> dict[str, float]:
        """Returns nothing: interpolation is among the phases."""
        return {}

    def simulation(self, **more: Any) -> Any:
        """Returns the simulation of the case. `more`: keywords of the Simulation."""
        kind, columns, layers = cases[self.case]
        nx, ny, spacing, *steps = sizes[columns]
        dynamics, physics = kinds[kind]
        model = fm.LimitedAreaAtmosphere(
            fm.LimitedAreaGrid(
                (8.0, 47.5), resolution=spacing, points=(nx, ny), levels=fm.HybridLevels(layers)
            ),
            dynamics=dynamics,
            waves=self.grid or "quadratic",
            physics=physics(sunlight=fm.Sunlight(fixed_season=1)),
            orography="earth",
            sponge=3,
            precision=self.precision,
        )

        def wave(x: Any, y: Any) -> Any:
            return np.sin(np.deg2rad(12 * x)) * np.cos(np.deg2rad(9 * y))

        ground = ("ground_temperature", "deep_ground_temperature")
        model.set(
            air_temperature=lambda x, y, p: np.maximum(
                210, (288 - 0.6 * (y - 47.5) + 1.5 * wave(x, y)) * (p / 1e5) ** 0.19
            ),
            specific_humidity=lambda x, y, p: 0.008 * (p / 1e5) ** 3 + 0 * x,
            sea_surface_temperature=288.0,
            **{name: 285.0 for name in ground if name in model.settable},
        )
        here = {"threads": self.threads, "tile": self.tile, "device": self.device}
        parallel = {**here, **more.pop("parallel", {})}
        return fm.Simulation(
            model,
            time_step=self.step or steps[dynamics != "hydrostatic"],
            parallel=parallel,
            **more,
        )
