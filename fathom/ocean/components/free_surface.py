"""The free surface of the ocean: the solver for its height, and the effect of fresh water."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fathom.base import constants, earth, mpi
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.arguments import integer, number_of
from fathom.grids.water import WaterGrid
from fathom.model.component import Field
from fathom.model.order import Order
from fathom.ocean.components.component import OceanComponent


class FreeSurface(Configurable):
    """Implicit free surface (Dukowicz & Smith 1994), solved by an iteration and a preconditioner of
    the catalogues in docs/barotropic.md.

    Parameters
    ----------
    tolerance : float
        residual at which the solve ends, relative to the right-hand side. Volume and tracers are
        conserved to round-off for any tolerance; 1e-8 of a step's change of pressure is far below
        the error of the scheme.
    maximum_iterations : int
    implicitness : float
        weight of the new height in the pressure gradient, in [0.5, 1].
    preconditioner : "factorisation" (two or three iterations; the factors of the whole matrix are
        kept, some 300 bytes a column), "diagonal"
        (hundreds of iterations, no memory), "evp", "polynomial", "none", or "automatic" (default):
        the first up to 200 000 columns of water, then the second; the second on a device.
    solver : "pcg", "chrongear", "pipelined", "s-step", "pcsi", or "automatic" (default): "pcg" with
        the factorised matrix, else "chrongear"; "pcsi" on a device, which has it with "diagonal".
    precision : "mixed" (fp32 iterations inside fp64 refinement, where the solver has them) or
        "fp64".
    steps : int
        iterations per sum of "s-step": 2, 3 or 4.
    freshwater : "salt" (default), fluxes of fresh water change the salt of the surface and not its
        volume; or "volume": they raise the surface, and all
        layers of a column follow its height (z*, Adcroft & Campin 2004), so that the surface is not
        linear and no layer becomes empty.
    rotation : bool
        the earth turns the correction by the new surface as it turns all other forces. Without it
        the solve is symmetric and cheaper, and Rossby waves travel too slowly by
        1 + (implicitness f step)^2: 5 % at 1 h, 40 % at 3 h.
    compactness : float
        share, in [0, 0.9], of the slope between the two cells of a face in the transport that the
        slope of the surface drives through the face; the rest is the mean at its corners. Without
        it a height that alternates from cell to cell drives no flow (docs/numerics.md).
    reproducible : bool
        sums with the same bits on any number of ranks. Else ranks add plain numbers: shorter
        messages, and runs that depend on ranks.
    """

    factorised = (
        200_000  # columns of water up to which the matrix is factorised unless told otherwise
    )

    def __init__(
        self,
        tolerance: float = 1e-8,
        maximum_iterations: int = 2000,
        implicitness: float = constants.usual["implicitness"],
        preconditioner: str | None = "automatic",
        solver: str = "automatic",
        precision: str = "mixed",
        steps: int = 4,
        reproducible: bool = True,
        freshwater: str = "salt",
        compactness: float = constants.usual["compactness"],
        rotation: bool = True,
    ) -> None:
        if not 0 < number_of("FreeSurface tolerance", tolerance, "1") < 1:
            raise InputError(f"FreeSurface tolerance = {tolerance} must lie between 0 and 1")
        if not 0.5 <= number_of("FreeSurface implicitness", implicitness, "1") <= 1:
            raise InputError(f"FreeSurface implicitness = {implicitness} must lie in [0.5, 1]")
        if not 0 <= number_of("FreeSurface compactness", compactness, "1") <= 0.9:
            raise InputError(f"FreeSurface compactness = {compactness} must lie in [0, 0.9]")
        if integer("FreeSurface maximum_iterations", maximum_iterations) < 1:
            raise InputError(
                f"FreeSurface maximum_iterations = {maximum_iterations} must be at least 1"
            )
        if steps not in (2, 3, 4):
            raise InputError(f"FreeSurface steps = {steps} must be 2, 3 or 4")
        for name, flag in (("reproducible", reproducible), ("rotation", rotation)):
            if not isinstance(flag, bool):
                raise InputError(f"FreeSurface {name} = {flag!r} must be true or false")
        if freshwater not in ("salt", "volume"):
            raise InputError(f"FreeSurface freshwater = {freshwater!r} must be 'salt' or 'volume'")
        preconditioner = "none" if preconditioner is None else preconditioner
        _check_ways(preconditioner, solver, precision)
        self.tolerance, self.maximum_iterations = float(tolerance), maximum_iterations
        self.implicitness = float(implicitness)
        self.preconditioner, self.solver, self.precision = preconditioner, solver, precision
        self.steps = int(steps)
        self.reproducible, self.freshwater = reproducible, freshwater
        self.compactness, self.rotation = float(compactness), rotation

    def on(self, columns: int, device: bool = False) -> FreeSurface:
        """Returns the free surface for a grid of so many columns of water: with a definite
        preconditioner and solver; device: those that compute in the memory of one.
        """
        preconditioner, solver = self.preconditioner, self.solver
        if preconditioner == "automatic":
            few = columns <= self.factorised and not device
            preconditioner = "factorisation" if few else "diagonal"
        if solver == "automatic":
            usual = "pcsi" if device and preconditioner == "diagonal" else "chrongear"
            solver = "pcg" if preconditioner == "factorisation" else usual
        there = device and self.preconditioner == "automatic"  # it solves M + K alone
        definite = {
            "preconditioner": preconditioner,
            "solver": solver,
            "rotation": self.rotation and not there,
        }
        return FreeSurface(**self.__dict__ | definite)

    def solve(self, step: float, radiates: bool = False) -> Any:
        """Returns the solver, a global process. radiates: whether waves leave through edges."""
        how = {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("implicitness", "freshwater")
        }
        how["radiates"] = radiates
        return mpi.core.BarotropicSolve(step, self.implicitness, earth.GRAVITY, **how)

    def slope(self) -> dict[str, Any]:
        """Returns the parameters of processes that use the slope of the surface."""
        return {"compactness": self.compactness, **self.turn()}

    def turn(self) -> dict[str, Any]:
        """Returns the parameters of processes that follow the slope of the new surface."""
        return {"implicitness": self.implicitness, "rotation": float(self.rotation)}

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in vars(self).items()]
        return f"FreeSurface({', '.join(given)})"


def _check_ways(preconditioner: str, solver: str, precision: str) -> None:
    """Raises InputError: the core has no such preconditioner, solver or precision."""

    def names(catalogue: Any) -> Any:
        return [*(name for name, _ in catalogue), "automatic"]

    for what, given, allowed in (
        ("preconditioner", preconditioner, names(mpi.core.preconditioners())),
        ("solver", solver, names(mpi.core.solvers())),
        ("precision", precision, ["mixed", "fp64"]),
    ):
        if given not in allowed:
            raise InputError(
                f"no {what} '{given}'{near(str(given), allowed) or ';'} allowed:"
                f" {', '.join(allowed)}"
            )


settings = ("solver", "preconditioner", "precision", "steps", "reproducible", "tolerance")


class BarotropicMode(OceanComponent):
    """The height of the sea surface and the transport of volume.

    Parameters
    ----------
    grid : of water.
    given : the user's FreeSurface, whose solver and preconditioner may be "automatic".
    radiates : whether waves leave through open edges.
    """

    def __init__(self, grid: WaterGrid, given: FreeSurface, radiates: bool = False) -> None:
        self.grid, self.given, self.radiates = grid, given, radiates
        # where layers stay, the surface lies above the bottom of the first one
        self.first_layer = float(grid.levels.weights[0])  # [m]
        least = -100.0 if self.takes_fresh_water else max(-100.0, -self.first_layer)
        self.height = Field("sea_surface_height", "m", (least, 100.0))
        self.free_surface = self.on(device=False)  # with a definite solver

    def on(self, device: bool) -> FreeSurface:
        """Returns the free surface as a device has it, or the processor."""
        return self.given.on(int(np.count_nonzero(self.grid.wet_levels)), device)

    @property
    def takes_fresh_water(self) -> bool:
        """Returns whether fresh water raises the surface, so that layers follow it."""
        return self.given.freshwater == "volume"

    def state_fields(self) -> tuple[Field, ...]:
        """Returns the height."""
        return (self.height,)

    def dry(self, fields: Any) -> str:
        """Returns where the sea has left its first layer, and what helps; "": nowhere, or its
        layers follow the surface.
        """
        e = fields.extremes(self.height.name)
        if self.takes_fresh_water or not e["finite"] or e["minimum"] > -0.8 * self.first_layer:
            return ""
        _, j, i = e["at_minimum"]
        return (
            f"The first layer, {self.first_layer:g} m thick, runs dry: {self.height.name} is"
            f" {e['minimum']:.3g} m at {self.grid.place(j, i)}. Make it thicker (ZLevels(surface ="
            " ...)), or let the layers follow the surface: free_surface ="
            " FreeSurface(freshwater='volume')"
        )

    def rotations(self) -> Iterable[Sequence[str]]:
        """Returns the height now and after."""
        return [[self.height.name, self.height.after]]

    def processes(self, phase: str, do: Order) -> None:
        """Adds the right-hand side, the solver, and the flow through the faces of cells."""
        surface, stretched = self.free_surface, self.takes_fresh_water
        at_rest = None if stretched else {"depth_corner_now": "depth_corner"}
        if phase == "divergence":
            here = {"depth_corner": "depth_corner_now"} if stretched else None
            do("AlternatingHeight", on=here, **surface.slope())
            do("BarotropicDivergence", on=here)
            do("FreshwaterConvergence", when=stretched)
        if phase == "surface height":
            do(surface.solve(do.step, self.radiates))
            do("BarotropicCorrection", on=at_rest, **surface.turn())
        if phase == "transport":
            do("VolumeTransport", on=at_rest, **surface.slope())

    def choices_for_device(self) -> list[str]:
        """Returns the lines that tell what was chosen for a device."""
        usual, now = self.on(device=False), self.free_surface
        if (usual.solver, usual.preconditioner) == (now.solver, now.preconditioner):
            return []
        turned = ", its correction turned by the earth" if usual.rotation else ""
        return [
            f"free surface by {now.solver} and {now.preconditioner}, which a device has; on the"
            f" processor by {usual.solver} and {usual.preconditioner}{turned}"
        ]

    def numerics(self) -> dict[str, Any]:
        """Returns settings that change bits but not the equations."""
        return {name: getattr(self.free_surface, name) for name in settings}

    def alternatives(self) -> Mapping[str, Sequence[Any]]:
        """Returns settings that could be faster, the present one first."""
        ways: dict[str, list[Any]] = {
            "preconditioner": [name for name, _ in mpi.core.preconditioners()],
            "solver": [name for name, _ in mpi.core.solvers()],
            "precision": ["mixed", "fp64"],
            "reproducible": [True, False],
        }
        now = {name: getattr(self.free_surface, name) for name in ways}
        return {
            f"free_surface.{name}": [now[name], *(way for way in given if way != now[name])]
            for name, given in ways.items()
        }
