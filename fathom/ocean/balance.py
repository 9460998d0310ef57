"""A start in balance: the motion that belongs to given temperature and salinity.

An ocean at rest feels the whole of its pressure gradient in the first step, and answers with waves
that cross it for days. Here it starts as the thermal wind above a sea floor at rest. With p the
pressure of the density anomaly over rho0 and grad the model's own four-point gradient at corners,

    g grad(eta) = -grad(p at the floor)     in least squares, weighted by the volume of a corner
    F = grad(p) - grad(p at the floor)
    u = -f Fy / (f^2 + f0^2),   v = f Fx / (f^2 + f0^2),    f0 = f at 5 degrees of latitude

Far from the equator this is the geostrophic flow; near it, where no flow balances a gradient, it
ends smoothly in rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom import earth, mpi
from fathom.failure import InputError, RunFailure
from fathom.ocean.sections import eastern, northern
from fathom.schemes import scheme

names = frozenset(("velocity_x", "velocity_y", "sea_surface_height"))
_least_coriolis = 2 * earth.ROTATION * np.sin(np.deg2rad(5.0))  # [s-1]
_tolerance, _iterations = 1e-6, 20000


def known(motion: Any) -> str:
    """The motion that an ocean may start with."""
    if motion not in ("rest", "geostrophic"):
        raise InputError(f"motion = {motion!r} must be 'rest' or 'geostrophic'")
    return motion


def start(simulation: Any) -> None:
    """Sets velocity and sea surface height of a simulation whose tracers are set."""
    ocean, fields = simulation.model, simulation.fields
    water = [simulation.gather(name) for name in ("temperature", "salinity")]
    found = error = None
    if simulation.comm.rank == 0:
        try:
            found = dict(
                zip(("velocity_x", "velocity_y", "sea_surface_height"), geostrophic(ocean, *water))
            )
        except RunFailure as raised:
            error = raised
    if (error := simulation.comm.bcast(error)) is not None:
        raise error
    for name, values in simulation.comm.bcast(found).items():
        for k, level in enumerate(values.reshape(-1, *values.shape[-2:])):
            fields.set(name, np.ascontiguousarray(level), k)


def geostrophic(
    ocean: Any, temperature: np.ndarray, salinity: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """u, v [m s-1] (nz, ny, nx) at corners and the height [m] (ny, nx) of an ocean with these
    tracers (nz, ny, nx). RunFailure: the height is not found.
    """
    grid = ocean.grid
    gradient = Gradient(grid)
    corner_levels = np.asarray(grid.corner_levels)
    x, y = gradient(_pressure(ocean, temperature, salinity))
    floor = np.maximum(corner_levels - 1, 0)[None]
    at_floor = [np.take_along_axis(part, floor, 0)[0] for part in (x, y)]
    height = gradient.inverse(*(-part / earth.GRAVITY for part in at_floor))
    f = ocean.coriolis_parameter()
    turn = f / (f**2 + _least_coriolis**2)
    inside = np.arange(len(x))[:, None, None] < corner_levels
    return (
        np.where(inside, -turn * (y - at_floor[1]), 0.0),
        np.where(inside, turn * (x - at_floor[0]), 0.0),
        height,
    )


def _pressure(ocean: Any, temperature: np.ndarray, salinity: np.ndarray) -> np.ndarray:
    """Pressure of the density anomaly, over rho0 [m2 s-2], by the processes of a step."""
    known = {"temperature": temperature, "salinity": salinity, **ocean.profiles()}
    for form in (ocean.equation_of_state, scheme("HydrostaticPressure")):
        process = form.process(8)
        needs = [f["name"] for f in process.fields if f["access"] == "reads"]
        given = {name: np.ascontiguousarray(known[name], float) for name in needs}
        known |= mpi.core.run_column(process, given, levels=len(temperature))
    return known["pressure"]


class Gradient:
    """The four-point gradient at the corners of a grid of water, as PressureGradient has it."""

    def __init__(self, grid: Any):
        self.h = grid.horizontal
        self.dx, self.dy = np.asarray(self.h.dx_corner), np.asarray(self.h.dy_corner)
        self.wet, self.depth = np.asarray(grid.wet_levels) > 0, grid.depth("corner")
        self.area = np.asarray(self.h.area_center)
        self.corners = np.flatnonzero(np.asarray(grid.corner_levels) > 0)

    def around(self, cells: np.ndarray) -> tuple[np.ndarray, ...]:
        """The cells south-west, south-east, north-west and north-east of each corner."""
        north = northern(cells, self.h)
        return cells, eastern(cells, self.h), north, eastern(north, self.h)

    def __call__(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The gradient along x and y."""
        sw, se, nw, ne = self.around(p)
        return (
            ((se - sw) + (ne - nw)) / (2 * self.dx),
            ((nw - sw) + (ne - se)) / (2 * self.dy),
        )

    def inverse(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The field (ny, nx) of mean 0 with a gradient as near to (x, y) as there is one: where
        W are volumes, Gx' W Gx p + Gy' W Gy p = Gx' W x + Gy' W y, by conjugate gradients from 0,
        which leave alone what the gradient does not see.
        """
        from scipy.sparse import csr_array, diags_array

        at = lambda a: np.asarray(a).ravel()[self.corners]
        cells = np.arange(self.wet.size).reshape(self.wet.shape)
        columns = np.concatenate([at(near) for near in self.around(cells)])
        rows = np.tile(np.arange(len(self.corners)), 4)
        matrix: Any = 0
        right: Any = 0
        for signs, spacing, given in (
            ((-1, 1, -1, 1), self.dx, x),
            ((-1, -1, 1, 1), self.dy, y),
        ):
            entries = np.concatenate([sign / (2 * at(spacing)) for sign in signs])
            g = csr_array((entries, (rows, columns)), shape=(len(self.corners), cells.size))
            weighted = g.T @ diags_array(at(self.depth * self.dx * self.dy))
            matrix, right = matrix + weighted @ g, right + weighted @ at(given)
        found = _solved(matrix, right).reshape(self.wet.shape)
        mean = (found * self.area)[self.wet].sum() / max(self.area[self.wet].sum(), 1e-300)
        return np.where(self.wet, found - mean, 0.0)


def _solved(matrix: Any, right: np.ndarray) -> np.ndarray:
    """Conjugate gradients from 0 with the diagonal. Sums do not depend on the number of threads, as
    those of a BLAS do.
    """
    diagonal = matrix.diagonal()
    inverse = np.divide(1.0, diagonal, out=np.ones_like(diagonal), where=diagonal > 0)
    dot = lambda a, b: float((a * b).sum())
    found, residual = np.zeros_like(right), right.copy()
    direction = inverse * residual
    size = first = dot(residual, direction)
    for _ in range(_iterations):
        if size <= _tolerance**2 * first:
            return found
        image = matrix @ direction
        length = size / dot(direction, image)
        found += length * direction
        residual -= length * image
        scaled = inverse * residual
        before, size = size, dot(residual, scaled)
        direction = scaled + (size / before) * direction
    raise RunFailure(
        f"the sea surface height of the geostrophic start has not converged in {_iterations}"
        " iterations: start from rest, motion = 'rest'"
    )
