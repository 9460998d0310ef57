"""Cells of an ocean: their sizes and depths; layers that follow the sea surface (z*)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from fathom.base import earth
from fathom.grids.water import WaterGrid
from fathom.model.component import Field, Renaming
from fathom.model.order import Order
from fathom.model.schemes import scheme
from fathom.ocean.components.component import OceanComponent, Tendency

metrics = (  # of the grid [m]
    "dx_corner",
    "dy_corner",
    "dx_center",
    "dy_center",
    "length_north_face",
    "length_east_face",
    "dx_east_face",
    "dy_north_face",
)
shapes = ("area_center", "curvature_x", "curvature_y", "curvature_squared")


class Cells(OceanComponent):
    """The cells of a grid.

    Parameters
    ----------
    grid : of water.
    follow_surface : whether the layers of a column follow its height.
    """

    def __init__(self, grid: WaterGrid, follow_surface: bool) -> None:
        self.grid, self.follow_surface = grid, follow_surface

    @property
    def vary(self) -> bool:
        """Returns whether cells of one layer differ in thickness."""
        return self.grid.levels.least_share is not None or self.follow_surface

    @property
    def height_after(self) -> str:
        """Returns the name of the height that is not in the cells at the end of a step."""
        return "height_beyond_cells" if self.follow_surface else "sea_surface_height_after"

    @property
    def thickness_after(self) -> str:
        """Returns the name of the thickness of cells at the end of a step."""
        return "cell_thickness_after" if self.follow_surface else "cell_thickness"

    def renamings(self) -> Iterable[Renaming]:
        """Returns the names of cells in the present and at the end of a step. Cells that follow the
        surface contain all of its height: nothing is left to add.
        """
        end = ("tracers", "budgets")
        yield Renaming("thickness_after", "thickness", phases=end)
        if not self.follow_surface:
            yield Renaming("cell_thickness_after", "cell_thickness", phases=end)
            return
        beyond = "height_beyond_cells"
        both = ("cell_thickness", "sea_surface_height")
        yield Renaming("sea_surface_height", beyond, reads=both)
        yield Renaming("cell_thickness", "cell_thickness_after", phases=("factors",))
        yield Renaming("sea_surface_height_after", beyond, phases=("factors", *end))

    def processes(self, phase: str, do: Order) -> None:
        """Adds the thickness of cells at the start and at the end of a step."""
        if not self.follow_surface:
            return
        if phase == "cells":
            do("StretchedCells")
            do("StretchedCorners")
        if phase == "new cells":
            names = ("sea_surface_height", "cell_thickness")
            on = {name: f"{name}_after" for name in names}
            do("StretchedCells", on=on, label="StretchedCells after")

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns sizes [m, m2, m-1], depths and thicknesses [m] of cells and corners."""
        h, grid = self.grid.horizontal, self.grid
        return {
            **{name: np.asarray(getattr(h, name), float) for name in (*metrics, *shapes)},
            "grid_angle": np.asarray(h.angle_corner, float),
            "wet_levels": np.asarray(grid.wet_levels).astype(float),
            "depth_corner": grid.depth("corner"),
            "depth_center": grid.depth(),
            "cell_thickness": grid.thickness,
            "corner_thickness": partial(grid.thickness, where="corner"),
            "bottom_thickness": grid.bottom_thickness(),
            "bottom_thickness_corner": grid.bottom_thickness("corner"),
        }

    def profiles(self) -> Mapping[str, Sequence[float]]:
        """Returns the thickness of layers [m] and the pressure in their middles [dbar]."""
        thickness = np.asarray(self.grid.vertical.thickness)
        depth = np.cumsum(thickness) - 0.5 * thickness
        return {
            "thickness": list(thickness),
            "pressure_reference": list(earth.SEA_WATER_DENSITY * earth.GRAVITY * depth / 1e4),
        }


class FreshWater(OceanComponent):
    """Fresh water that raises the surface: it has the temperature of the surface, and no salt."""

    def processes(self, phase: str, do: Order) -> None:
        """Adds its volume."""
        if phase == "transport":
            do("SurfaceVolume")

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds its heat and salt."""
        if tracer.name == "temperature":
            add(scheme("FreshwaterContent", share=1), term="fresh_water")
        if tracer.name == "salinity":
            salinity = scheme("SurfaceFluxes").all_parameters["reference_salinity"]
            add(scheme("FreshwaterContent", returned=salinity), term="fresh_water")
