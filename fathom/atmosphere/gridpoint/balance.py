"""Air in the balance of the discrete equations: a zonal wind over flat ground that stays.

On each meridian the forces of the grid (core/atmosphere/gridpoint/air.hpp) are those that the wind
needs to go round, u mean of the rows or layers around a point:
    -c_p theta d(pi)/dy - f u                        =   u^2 tan(latitude) / r
    -c_p theta d(pi)/dz - g (+ f' u if deep)         =   -u^2 / r if deep, else 0
These are fewer equations than there are values of theta and pi. Newton's iteration, with the least
relative change A^T (A A^T)^-1, finds a solution next to the given air. A change of a whole column,
theta / b and b pi, is `ease` times as easy: it leaves the temperature as it is.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.atmosphere.gridpoint.geometry import AirAtRest, means_across_rows
from fathom.base.failure import InputError
from fathom.grids.rotated import RotatedGrid
from fathom.model.component import Array

iterations, enough = 20, 1e-9  # at most; forces that may be left [m s-2]
ease = 10  # of changes of whole columns


def balanced(rest: AirAtRest, rotation: float, fields: Mapping[str, Array]) -> dict[str, Array]:
    """Returns the fields of a state (levels, ny, nx) with potential temperature and density in
    balance with its wind. InputError: over hills, or if the state varies along parallels, or has no
    such balance.

    rest : the air at rest over flat ground, on a sphere.
    rotation : of the sphere [s-1].
    """
    _check(rest, fields)
    air = _Meridian(rest, rotation, fields["x_wind"][..., 0])
    theta = fields["air_potential_temperature"][..., 0].copy()
    mean = (theta[1:] + theta[:-1]) / 2
    c = rest.constants
    kappa = c.gas_constant / c.heat_capacity
    exner = (c.gas_constant * fields["air_density"][..., 0] * mean / c.pressure) ** (
        kappa / (1 - kappa)
    )
    theta, exner = air.solve(theta, exner)
    density = c.density(exner, (theta[1:] + theta[:-1]) / 2)

    def along(a: np.ndarray) -> np.ndarray:
        return np.repeat(a[..., None], fields["x_wind"].shape[-1], -1)

    found = {"air_potential_temperature": along(theta), "air_density": along(density)}
    return dict(fields) | found


def _check(rest: AirAtRest, fields: Mapping[str, Array]) -> None:
    """Checks that the state has a balance on meridians. InputError: it has none."""
    sphere = rest.grid.horizontal.spherical and not isinstance(rest.grid, RotatedGrid)
    if not sphere or np.ptp(rest.heights[-1]) > 0:
        raise InputError("balanced: it needs a LatitudeLongitudeGrid over flat ground")
    for name in ("x_wind", "air_potential_temperature", "air_density"):
        values = fields[name]
        if np.ptp(values, axis=-1).max() > 1e-12 * np.abs(values).max():
            raise InputError(f"balanced: {name} varies along parallels")
    if np.abs(fields["y_wind"]).max() > 0:
        raise InputError("balanced: there is wind along meridians")


class _Meridian:
    """Heights, wind and needed forces of one column of each row: (levels, rows)."""

    def __init__(self, rest: AirAtRest, angular_velocity: float, u: Array) -> None:
        grid: Any = rest.grid
        c, curvature = rest.constants, rest.curvature
        self.heat_capacity = c.heat_capacity
        z = rest.heights[:, 0, 0]
        middle = (z[1:] + z[:-1]) / 2
        row = np.deg2rad(grid.dy)
        latitude = np.deg2rad(grid.coordinates()[1][:, 0])
        rotation = 2 * angular_velocity
        f = rotation * np.sin(latitude)
        wider = 1 + curvature * middle
        self.dz = (z[:-2] - z[2:])[:, None] / 2
        self.dy = grid.radius * row * wider[:, None]
        self.gravity = (c.gravity / (1 + curvature * z[1:-1]) ** 2)[:, None]
        self.reference = rest.state[0][..., 0], rest.state[2][1:-1, :, 0]
        beside = (u[:, 1:] + u[:, :-1]) / 2
        round_ = means_across_rows(grid)["rows_of_wind"] * beside
        north = latitude[:-1] + row / 2
        r = grid.radius * wider[:, None]
        self.northward = round_**2 * np.tan(north) / r + (f[1:] + f[:-1]) / 2 * beside
        self.upward = np.zeros((len(z) - 2, len(latitude)))
        if curvature:  # a deep atmosphere
            mean, r = (u[1:] + u[:-1]) / 2, grid.radius + z[1:-1, None]
            around = mean * r / (grid.radius + (middle[1:] + middle[:-1])[:, None] / 2)
            self.upward = -(around**2) / r - rotation * np.cos(latitude) * mean

    def residuals(self, theta: Any, deviation: Any) -> tuple[Any, ...]:
        """Returns forces less the needed ones, upward ones over theta."""
        cp, inside = self.heat_capacity, theta[1:-1]
        warm = theta[1:] + theta[:-1]
        warm = (warm[:, 1:] + warm[:, :-1]) / 4
        return (
            self.gravity * (1 / self.reference[1] - 1 / inside)
            - cp * (deviation[:-1] - deviation[1:]) / self.dz
            - self.upward / inside,
            -cp * warm * (deviation[:, 1:] - deviation[:, :-1]) / self.dy - self.northward,
        )

    def derivatives(self, theta: Any, deviation: Any) -> Any:
        """Returns those of the residuals: a sparse matrix, by theta and then by the Exner
        function.
        """
        from scipy.sparse import coo_matrix

        cp, shape = self.heat_capacity, deviation.shape
        of_theta = np.arange(theta.size).reshape(theta.shape)
        of_pi = theta.size + np.arange(deviation.size).reshape(shape)
        entries = []

        def add(rows: Any, columns: Any, values: Any) -> None:
            entries.append(
                [np.broadcast_to(a, rows.shape).ravel() for a in (rows, columns, values)]
            )

        up = np.arange((shape[0] - 1) * shape[1]).reshape(shape[0] - 1, shape[1])
        add(up, of_theta[1:-1], (self.gravity + self.upward) / theta[1:-1] ** 2)
        add(up, of_pi[:-1], -cp / self.dz)
        add(up, of_pi[1:], cp / self.dz)
        north = up.size + np.arange(shape[0] * (shape[1] - 1)).reshape(shape[0], shape[1] - 1)
        warm = theta[1:] + theta[:-1]
        push = cp * (warm[:, 1:] + warm[:, :-1]) / 4 / self.dy
        add(north, of_pi[:, 1:], -push)
        add(north, of_pi[:, :-1], push)
        slope = -cp / 4 * (deviation[:, 1:] - deviation[:, :-1]) / self.dy
        for columns in (of_theta[1:], of_theta[:-1]):
            add(north, columns[:, 1:], slope)
            add(north, columns[:, :-1], slope)
        rows, columns, values = (np.concatenate(part) for part in zip(*entries))
        size = up.size + north.size, theta.size + deviation.size
        return coo_matrix((values, (rows, columns)), size).tocsc()

    def solve(self, theta: Any, exner: Any) -> Any:
        """Returns both in balance, next to the given ones."""
        from scipy.sparse import diags, hstack, identity
        from scipy.sparse.linalg import spsolve

        deviation, least, best = exner - self.reference[0], np.inf, None
        rows = identity(theta.shape[1])
        whole = hstack([-rows] * len(theta) + [rows] * len(exner)).T
        for _ in range(iterations):
            left = np.concatenate([np.ravel(r) for r in self.residuals(theta, deviation)])
            if np.abs(left).max() < least:
                least, best = np.abs(left).max(), (theta, deviation + self.reference[0])
            elif least < enough:
                break
            free = np.concatenate([np.ravel(theta), np.ravel(deviation + self.reference[0])])
            matrix = self.derivatives(theta, deviation) @ diags(free)
            matrix = hstack([matrix, ease * matrix @ whole]).tocsc()
            change = matrix.T @ spsolve(matrix @ matrix.T, -left)
            change = free * (change[: free.size] + ease * whole @ change[free.size :])
            theta = theta + change[: theta.size].reshape(theta.shape)
            deviation = deviation + change[theta.size :].reshape(deviation.shape)
        if not least < enough:
            raise InputError(f"balanced: forces of {least:.2g} m s-2 are left")
        return best
