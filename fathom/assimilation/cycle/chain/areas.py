"""The chain of a limited area inside a global one. The global chain goes first, window by window;
its forecast stores the air around the area (outer.zarr), from which the area's own forecast takes
its edges. The area has its own screening, increments, surface and feedback, of the data inside:

    global    analysis k-1 --------- forecast, outer.zarr --------> window k: analysis k
    area      analysis k-1 ---- forecast with these edges --------> window k: analysis k

Increments of an area have the waves of its plane, and their background errors one Coriolis
parameter (assimilation/area.py). Those of 4D-Var go along with the tangent of the area's dynamics
with smooth diffusion; at the edges they fade.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.area import AreaBackground, AreaErrors
from fathom.assimilation.cycle.chain import forecasts, models, settings
from fathom.assimilation.cycle.chain.chain import Cycles
from fathom.assimilation.cycle.chain.minimisation import Analyser
from fathom.assimilation.cycle.chain.models import State
from fathom.assimilation.cycle.chain.settings import Suite
from fathom.assimilation.maps import Vector
from fathom.assimilation.observations import base
from fathom.assimilation.trajectory import Trajectory
from fathom.base import earth
from fathom.base.failure import InputError

methods = ("3d-var", "fgat", "4d-var")


def of(suite: Suite, out: Path, say: Callable[[str], None]) -> Cycles:
    """Returns the chain of a file: of the globe, or of an area inside one."""
    return AreaCycles(suite, out, say) if suite.area.outer else Cycles(suite, out, say)


class AreaAnalyser(Analyser):
    """The analyses of an area in a window, on its own plane; begin: the restart of the background,
    about which the tangent model goes from the beginning of the window.
    """

    def __init__(self, suite: Suite, state: State, begin: Path) -> None:
        self.suite, self.grid, self.begin = suite, state.grid, begin
        self.fine = self.space = state.space
        self.renewed(state)

    @cached_property
    def trajectory(self) -> Trajectory:
        """Returns the model of 4D-Var's increments: the area's dynamics with smooth diffusion, at
        the edges the outer model of the beginning of the window.
        """
        of, folder = self.suite.increment, Path(tempfile.gettempdir())  # nothing is written
        settings = [
            'model.physics=["SmoothMixing"]', 'model.tracers=["specific_humidity"]',
            'model.precision="fp64"', f'model.diffusion_time="{of.diffusion_time}"',
            f'simulation.time_step="{of.step}"', f'state={{analysis="{self.begin}"}}',
        ]  # fmt: skip
        start = models.date_of(self.begin)
        return Trajectory(models.simulation(self.suite, folder, start, None, settings), of.keep)

    def background(self, x: Vector) -> Any:
        """Returns L about a state."""
        b = self.suite.background
        scale = np.sqrt(b.scale)
        errors = AreaErrors(
            wind=scale * b.wind, temperature=scale * b.temperature, pressure=scale * b.pressure,
            length=b.length, depth=b.depth, humidity=scale * b.humidity,
        )  # fmt: skip
        full = self.saturation(x).reshape(self.space.levels, *self.space.inside.shape)
        latitude = np.deg2rad(self.grid.coordinates("center")[1][self.grid.wet_levels > 0])
        f = float(np.mean(2 * earth.ROTATION * np.sin(latitude)))
        transform: Any = self.space.transform
        return AreaBackground(
            transform, self.space.air.a, self.space.air.b, f, errors, saturation=full
        )


class AreaCycles(Cycles):
    """The chain of an area; `outer`: the global one, in the folder `outer` of its directory."""

    def __init__(
        self, suite: Suite, out: Path, say: Callable[[str], None] = lambda text: None
    ) -> None:
        document = suite.document
        file = document.beside(suite.area.outer)
        store = f'chain.store="{suite.observations.slot}"'
        windows = f"chain.windows={suite.chain.windows}"
        around = settings.read(file, [*suite.area.set, windows, store])
        around = self._checked(suite, around, file)
        self.outer = Cycles(around, out.absolute() / "outer", lambda text: say(f"globe, {text}"))
        self.present = 0  # number of the window
        super().__init__(suite, out, say)

    def _checked(self, suite: Suite, around: Suite | None, file: Path) -> Suite:
        """Returns the global chain. InputError: both do not go together, with both values."""
        place = suite.document.place
        if around is None:
            raise InputError(f"{place('area', 'outer')}: {file} is no chain")
        if suite.assimilation.method not in methods:
            raise InputError(
                f"{place('assimilation', 'method')}: {suite.assimilation.method!r} of an area;"
                f" allowed are {', '.join(methods)}"
            )
        for name in ("window", "start"):
            own, other = getattr(suite, name), getattr(around, name)
            if own != other:
                raise InputError(
                    f"{place('area', 'outer')}: {name} is {own} of the area and {other} of the"
                    " chain around it; allowed is the same"
                )
        if around.along and not suite.along:
            raise InputError(
                f"{place('area', 'outer')}: {around.assimilation.method} analyses the start of a"
                f" window, {suite.assimilation.method} its middle; allowed are fgat, 3d-var, envar"
            )
        if any(suite.increment.truncation):
            raise InputError(
                f"{place('increment', 'truncation')}: {suite.increment.truncation} of an area;"
                " its increments have the waves of its plane: leave it out"
            )
        return around

    @property
    def simulated(self) -> bool:
        """Returns whether nature is observed."""
        return self.outer.simulated

    def window(self, number: int) -> dict[str, Any]:
        self.outer.window(number)
        self._within(number)
        self.analysers, self.present = {}, number  # the edges are others
        return super().window(number)

    def _within(self, number: int) -> None:
        """Takes the forecast of the global chain for the edges."""
        store = self.outer.folder(number) / "background" / "outer.zarr"
        self.suite.now = (f'model.outer="{store}"',)

    def observations(self, number: int, folder: Path) -> dict[str, Any]:
        """Takes the global chain's data inside the area."""
        data = base.read(self.outer.folder(number) / "observed.parquet")
        around = models.experiment(self.suite).grid.interpolation(
            data["longitude"], data["latitude"]
        )
        inside = np.asarray(around.weight).sum(axis=1) > 0.5
        return {"data": forecasts.write_fresh(data.taken(inside), folder / "observed.parquet")}

    def background(self, number: int, folder: Path) -> None:
        """Writes background.fathom of a window: of the first, the state of the global analysis."""
        if number:
            super().background(number, folder)
            return
        forecasts.first_of_area(self.suite, self.outer.folder(0) / "begin.fathom", folder)

    def new_analyser(self, state: State, loop: int) -> Analyser:
        """Returns the analyser of a loop, with the area's own background."""
        return AreaAnalyser(self.suite, state, self.folder(self.present) / "background.fathom")

    def truth(self, number: int) -> Path:
        return self.outer.nature_at(number, self.suite.along)

    def impact(self, number: int, folder: Path, after: Path) -> dict[str, Any]:
        """Tells nothing: the tangent model of increments is global."""
        return {"kinds": {}}
