"""Limits of the time step for a model on its grid: what a run that blows up is told, and `show` prints."""

import numpy as np


def criteria(ocean, step):
    """[(name, value, limit, place)] from the grid and the coefficients, before anything moves.

    External waves are implicit; Coriolis is implicit. Internal gravity waves are forward-backward on the B grid, c1 = 3 m/s;
    viscosity and diffusion are forward.
    """
    from fathom.state import place

    h = ocean.grid.horizontal
    dx, dy = np.asarray(h.dx_corner), np.asarray(h.dy_corner)
    wet = ocean.corner_levels() > 0
    result = []

    def add(name, field, limit):
        field = np.where(wet, field, 0)
        j, i = np.unravel_index(field.argmax(), field.shape)
        result.append((name, float(field[j, i]), limit, place(ocean, j, i)))

    add("internal gravity waves, 3 m/s x step / spacing", 3.0 * step / np.minimum(dx, dy), 0.5)
    inverse = 1 / dx**2 + 1 / dy**2
    if ocean.friction is not None:
        A = {p["name"]: p["value"] for p in ocean.friction.entry["parameters"]} | ocean.friction.parameters
        scale = ocean.geometry()["viscosity_scale"]
        if ocean.friction.name == "BiharmonicFriction":
            add("biharmonic friction, 16 B step (1/dx2 + 1/dy2)^2", 16 * A["viscosity"] * scale**2 * step * inverse**2, 2.0)
        else:
            add("friction, A step (1/dx2 + 1/dy2)", A["viscosity"] * scale * step * inverse, 0.5)
    return result
