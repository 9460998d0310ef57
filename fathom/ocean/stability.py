"""Limits of the time step for an ocean on its grid. `show` prints them, and so does a run that
blows up.
"""

import numpy as np

from fathom.model.model import Criterion
from fathom.ocean.components.friction import StrainFriction


def criteria(ocean, step):
    """The list of Criterion from the grid and the coefficients, before anything moves.

    External waves and Coriolis are implicit. Internal gravity waves are forward-backward: of the
    first mode, c1 = 3 m/s in water of 4000 m, as the root of the depth in shallower. Viscosity and
    diffusion are forward. docs/time-stepping.md has the joint limits.
    """
    h = ocean.grid.horizontal
    dx, dy = np.asarray(h.dx_corner), np.asarray(h.dy_corner)
    wet = ocean.grid.wet_corners
    result = []

    def add(name, field, limit):
        field = np.where(wet, field, 0)
        j, i = np.unravel_index(field.argmax(), field.shape)
        result.append(Criterion(name, float(field[j, i]), limit, ocean.grid.place(j, i)))

    geometry = ocean.geometry()
    fastest = 3.0 * np.sqrt(np.minimum(geometry["depth_corner"] / 4000, 1))
    add("internal gravity waves, c1 x step / spacing", fastest * step / np.minimum(dx, dy), 0.5)
    inverse = 1 / dx**2 + 1 / dy**2
    if isinstance(ocean.friction, StrainFriction):
        strongest = ocean.friction.strongest(ocean)
        if strongest is not None:
            add("friction, A step (1/dx2 + 1/dy2)", strongest * step * inverse, 0.5)
    elif ocean.friction is not None:
        A = {
            p["name"]: p["value"] for p in ocean.friction.entry["parameters"]
        } | ocean.friction.parameters
        scale = geometry["viscosity_scale"]
        if ocean.friction.name == "BiharmonicFriction":
            add(
                "biharmonic friction, 16 B step (1/dx2 + 1/dy2)^2",
                16 * A["viscosity"] * scale**2 * step * inverse**2,
                2.0,
            )
        else:
            add("friction, A step (1/dx2 + 1/dy2)", A["viscosity"] * scale * step * inverse, 0.5)
    if (
        ocean.eddies is not None
    ):  # half of what plain diffusion bears: the terms of slopes are explicit
        add(
            "isoneutral diffusion, kappa step (1/dx2 + 1/dy2)",
            ocean.eddies.strengths["isoneutral_diffusivity"] * step * inverse,
            0.25,
        )
    return result
