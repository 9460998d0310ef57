"""A start in balance: the motion that belongs to given temperature and salinity.

In an ocean at rest the whole pressure gradient acts in the first step and causes waves for days.
Here it starts as the thermal wind above a sea floor at rest. With p the pressure of the density
anomaly over rho0 and grad the model's own four-point gradient at corners,

    g grad(eta) = -grad(p at the floor)     in least squares, weighted by the volume of a corner
    F = grad(p) - grad(p at the floor)
    u = -f Fy / (f^2 + f0^2),   v = f Fx / (f^2 + f0^2),    f0 = f at 5 degrees of latitude

Far from the equator this is the geostrophic flow; near it it ends smoothly in rest. Speeds above
1 m s-1 become 1 m s-1: a smooth climatology has them where a sill separates two water masses.

At the equator no flow balances a gradient along the meridian, which a climatology has: the deep
water is different on both sides. "balanced" first removes the part of temperature and salinity that
is odd about the equator:

    T' = T - s(z) exp(-phi^2 / 2 R^2) (T(phi) - T(-phi)) / 2,   R = 2.8 degrees = sqrt(c / beta),

c = 2.3 m s-1 the speed of the first baroclinic mode. s grows from 0 to 1 between 100 and 200 m:
above, wind along the meridian balances the gradient. f0 is then f at R.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import earth, mpi
from fathom.base.failure import InputError, RunError
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.model.schemes import Scheme, scheme
from fathom.ocean.components.cells import Cells
from fathom.ocean.components.momentum import Rotation
from fathom.ocean.products.sections import eastern, northern

names = frozenset(
    ("velocity_x", "velocity_y", "eastward_velocity", "northward_velocity", "sea_surface_height")
)
_radius, _shallow, _deep = 2.8, 100.0, 200.0  # R [degrees]; s is 0 and 1 at [m]
_least_latitude = {"geostrophic": 5.0, "balanced": _radius}  # where f is f0 [degrees]
_fastest = 1.0  # [m s-1]
_tolerance, _iterations = 1e-6, 20000


def known(motion: Any, grid: WaterGrid) -> str:
    """Returns the motion. InputError: an ocean may not start with it."""
    if motion not in ("rest", *_least_latitude):
        raise InputError(f"motion = {motion!r} must be 'rest', 'geostrophic' or 'balanced'")
    if motion == "balanced" and not grid.horizontal.spherical:
        raise InputError(
            "motion = 'balanced' is for grids on the sphere, which have an equator; on a plane use"
            " 'geostrophic'"
        )
    return str(motion)


class Balance:
    """How the flow that belongs to given temperature and salinity is found.

    Parameters
    ----------
    cells : of the ocean.
    rotation : the Coriolis parameter.
    equation_of_state : of the water.
    """

    def __init__(self, cells: Cells, rotation: Rotation, equation_of_state: Scheme) -> None:
        self.cells, self.rotation = cells, rotation
        self.equation_of_state = equation_of_state

    def start(self, simulation: Any, motion: str) -> None:
        """Sets velocity and sea surface height of a simulation whose tracers are set; "balanced":
        temperature and salinity near the equator too.
        """
        fields = simulation.fields
        water = {name: simulation.gather(name) for name in ("temperature", "salinity")}
        found = error = None
        if simulation.comm.rank == 0:
            try:
                found = self._found(water, motion)
            except RunError as raised:
                error = raised
        if (error := simulation.comm.bcast(error)) is not None:
            raise error
        for name, values in simulation.comm.bcast(found).items():
            both = (name, name + "_before") if name in water else (name,)
            for k, level in enumerate(values.reshape(-1, *values.shape[-2:])):
                for field in filter(fields.has, both):
                    fields.set(field, np.ascontiguousarray(level), k)

    def _found(self, water: dict[str, Array], motion: str) -> dict[str, Array]:
        """Returns the fields in balance by name."""
        if motion == "balanced":
            water = {name: even_at_equator(self.cells.grid, a) for name, a in water.items()}
        least = _least_latitude[motion]
        u, v, height = self.geostrophic(water["temperature"], water["salinity"], least)
        return water | {"velocity_x": u, "velocity_y": v, "sea_surface_height": height}

    def geostrophic(
        self, temperature: Array, salinity: Array, least_latitude: float = 5.0
    ) -> tuple[Array, Array, Array]:
        """Returns u, v [m s-1] (nz, ny, nx) at corners and the height [m] (ny, nx) of an ocean with
        these tracers (nz, ny, nx); f0 is f at `least_latitude` [degrees]. RunError: the height is
        not found.
        """
        grid = self.cells.grid
        gradient = Gradient(grid)
        corner_levels = np.asarray(grid.corner_levels)
        x, y = gradient(self._pressure(temperature, salinity))
        floor = np.maximum(corner_levels - 1, 0)[None]
        at_floor = [np.take_along_axis(part, floor, 0)[0] for part in (x, y)]
        height = gradient.inverse(*(-part / earth.GRAVITY for part in at_floor))
        f = self.rotation.at_corners()
        least = 2 * earth.ROTATION * np.sin(np.deg2rad(least_latitude))
        turn = f / (f**2 + least**2)
        inside = np.arange(len(x))[:, None, None] < corner_levels
        u = np.where(inside, -turn * (y - at_floor[1]), 0.0)
        v = np.where(inside, turn * (x - at_floor[0]), 0.0)
        slower = np.minimum(1.0, _fastest / np.maximum(np.hypot(u, v), 1e-30))
        return u * slower, v * slower, height

    def _pressure(self, temperature: Array, salinity: Array) -> Array:
        """Returns the pressure of the density anomaly, over rho0 [m2 s-2], by the processes of a
        step.
        """
        known: dict[str, Any] = {"temperature": temperature, "salinity": salinity}
        known |= self.cells.profiles()
        for form in (self.equation_of_state, scheme("HydrostaticPressure")):
            process = form.process(8)
            needs = [f["name"] for f in process.fields if f["access"] == "reads"]
            given = {name: np.ascontiguousarray(known[name], float) for name in needs}
            known |= mpi.core.run_column(process, given, levels=len(temperature))
        return np.asarray(known["pressure"])


def even_at_equator(grid: WaterGrid, values: Array) -> Array:
    """Returns a tracer (nz, ny, nx) without its part that is odd about the equator (above). Columns
    of the grid are taken for meridians there; cells with a floor or land between them and the place
    on the other side stay.
    """
    latitude = np.asarray(grid.coordinates()[1])
    wet = np.arange(len(values))[:, None, None] < np.asarray(grid.wet_levels)
    rows, near = np.arange(len(latitude), dtype=float), np.abs(latitude) < 7 * _radius
    other = np.full(latitude.shape, np.nan)
    for i in range(latitude.shape[1]):
        here = near[:, i]
        if here.any() and (np.diff(latitude[here, i]) > 0).all():
            other[here, i] = np.interp(
                -latitude[here, i], latitude[here, i], rows[here], np.nan, np.nan
            )
    known = np.isfinite(other)
    low = np.where(known, np.floor(np.where(known, other, 0)), 0).astype(int)
    share = np.where(known, other - low, 0.0)
    high = np.where(share > 1e-6, np.minimum(low + 1, len(rows) - 1), low)

    def beyond(a: Any, at: Any) -> Any:
        return np.take_along_axis(a, np.broadcast_to(at, a.shape), 1)

    dry = np.cumsum(~wet, axis=1)

    def alike(at: Any) -> Any:
        return beyond(wet, at) & (beyond(dry, at) == dry)  # nothing dry in between

    there = known & wet & alike(low) & alike(high)
    odd = 0.5 * (values - (1 - share) * beyond(values, low) - share * beyond(values, high))
    depth = np.asarray(grid.levels.middles)[:, None, None]
    weight = np.clip((depth - _shallow) / (_deep - _shallow), 0, 1)
    weight = weight * np.exp(-0.5 * (latitude / _radius) ** 2)
    return values - np.where(there, weight * odd, 0.0)


class Gradient:
    """The four-point gradient at the corners of a grid of water, as PressureGradient has it."""

    def __init__(self, grid: WaterGrid) -> None:
        self.h = grid.horizontal
        self.dx, self.dy = np.asarray(self.h.dx_corner), np.asarray(self.h.dy_corner)
        self.wet, self.depth = np.asarray(grid.wet_levels) > 0, grid.depth("corner")
        self.area = np.asarray(self.h.area_center)
        self.corners = np.flatnonzero(np.asarray(grid.corner_levels) > 0)

    def around(self, cells: Array) -> tuple[Array, ...]:
        """Returns the cells south-west, south-east, north-west and north-east of each corner."""
        north = northern(cells, self.h)
        return cells, eastern(cells, self.h), north, eastern(north, self.h)

    def __call__(self, p: Array) -> tuple[Array, Array]:
        """Returns the gradient along x and y."""
        sw, se, nw, ne = self.around(p)
        return (
            ((se - sw) + (ne - nw)) / (2 * self.dx),
            ((nw - sw) + (ne - se)) / (2 * self.dy),
        )

    def inverse(self, x: Array, y: Array) -> Array:
        """Returns the field (ny, nx) of mean 0 with a gradient as near to (x, y) as there is one:
        where W are volumes, Gx' W Gx p + Gy' W Gy p = Gx' W x + Gy' W y, by conjugate gradients
        from 0, which do not change fields without a gradient.
        """
        from scipy.sparse import csr_array, diags_array

        def at(a: Any) -> Any:
            return np.asarray(a).ravel()[self.corners]

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


def _solved(matrix: Any, right: Array) -> Array:
    """Solves by conjugate gradients from 0 with the diagonal. Sums do not depend on the number of
    threads, as those of a BLAS do.
    """
    diagonal = matrix.diagonal()
    inverse = np.divide(1.0, diagonal, out=np.ones_like(diagonal), where=diagonal > 0)

    def dot(a: Any, b: Any) -> float:
        return float((a * b).sum())

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
    raise RunError(
        f"the sea surface height of the geostrophic start has not converged in {_iterations}"
        " iterations: start from rest, motion = 'rest'"
    )
