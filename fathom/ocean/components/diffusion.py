"""Lateral diffusion of tracers, and how lateral coefficients follow the spacing of a grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Criterion, Field
from fathom.model.schemes import Scheme
from fathom.ocean.components.component import OceanComponent, Tendency
from fathom.ocean.stability import inverse_square, nearest

# length of a degree of latitude [m]: the grid spacing at which lateral coefficients have their
# nominal value
DEGREE = 111198.0


def lateral_scale(grid: WaterGrid, where: str, biharmonic: bool) -> Array:
    """Returns the factor of the coefficient of a lateral scheme at "center" or "corner", (ny, nx):
    the spacing in degrees for Laplacian schemes; its cube, half in each of the two passes, for
    biharmonic ones. On a plane the coefficient is what the user gives: 1. In the sponge at an open
    edge it is larger.
    """
    dx, dy = (np.asarray(getattr(grid.horizontal, f"{d}_{where}"), float) for d in ("dx", "dy"))
    spacing = np.sqrt(dx * dy) / DEGREE
    factor = grid.lateral_factor.get(where, 1.0)
    if not grid.horizontal.spherical:
        return np.asarray(np.ones_like(spacing) * factor)
    return np.asarray((spacing**1.5 if biharmonic else spacing) * factor)


class Diffusion(OceanComponent):
    """Lateral diffusion.

    Parameters
    ----------
    grid : of water.
    scheme : LaplacianDiffusion or BiharmonicDiffusion; None: none.
    """

    def __init__(self, grid: WaterGrid, scheme: Scheme | None) -> None:
        self.grid, self.scheme = grid, scheme

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the factor of the diffusivity."""
        twice = self.scheme is not None and self.scheme.name.startswith("Biharmonic")
        return {"diffusivity_scale": lateral_scale(self.grid, "center", twice)}

    def limits(self, time_step: float) -> Iterable[Criterion]:
        """Returns the limit of lateral diffusion, which is forward."""
        if self.scheme is None or "diffusivity" not in self.scheme.parameter_names:
            return
        diffusivity = float(self.scheme.all_parameters["diffusivity"])
        twice = self.scheme.name.startswith("Biharmonic")
        scale, inverse = lateral_scale(self.grid, "corner", twice), inverse_square(self.grid)
        if twice:
            name = "biharmonic diffusion, 16 B step (1/dx2 + 1/dy2)^2"
            yield nearest(
                self.grid, name, 16 * diffusivity * scale**2 * time_step * inverse**2, 2.0
            )
        else:
            name = "lateral diffusion, K step (1/dx2 + 1/dy2)"
            yield nearest(self.grid, name, diffusivity * scale * time_step * inverse, 0.5)

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds diffusion along layers."""
        if self.scheme is not None:
            add(self.scheme.first_pass, term=None)
            add(self.scheme, term="diffusion")
