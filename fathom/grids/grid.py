"""The interface of every grid to the simulation, to output, pictures and error messages."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.shown import table
from fathom.grids.regrid import places as interpolation


class Grid(Configurable):
    """Columns of levels on horizontal points.

    A kind of grid has `horizontal` (nx, ny, periodic, fold, spherical, radius, coordinates and
    areas of centres and corners), `levels` (`number`, `middles` in their own coordinate, `weights`
    for means, `text(k)`), `wet_levels` (int32, (ny, nx): levels that are computed, 0 where there is
    no column) and `mapping`: what output, pictures and the report know of it.
    """

    horizontal: Any
    levels: Any
    wet_levels: Any
    corner_levels: Any
    mapping: Any
    name: str | None
    staggering: str = "A"  # of Arakawa: where velocities stand; "B": on corners, "C": on faces
    levels_of: ClassVar[tuple[type, ...]] = ()  # kinds of levels
    level_coordinate = "depth"  # of `levels.middles`, as a function of the user's takes it
    chunks: Mapping[str, int] | None = None  # of output: sizes by dimension that must be so
    reduced: Any = False  # whether rows have fewer points than they have in output
    truncation: int | None = None  # total wave number of a grid of rows around the earth
    sphere: Any = None  # stretching and pole of a Gaussian grid (fathom.grids.regrid.schmidt)

    def _levels(self, given: Any, usual: Any = None) -> Any:
        """Returns the levels given, or the usual ones of the grid. InputError: of another kind."""
        if given is None:
            return self.levels_of[0]() if usual is None else usual
        if not isinstance(given, self.levels_of):
            kinds = " or ".join(f"{kind.__name__}(...)" for kind in self.levels_of)
            raise InputError(f"levels = {given!r} must be {kinds}")
        return given

    @property
    def angle(self) -> Any:
        """Returns the angle from east to the axis of x, counter-clockwise [radians], (ny, nx);
        None: the axis of x is east.
        """
        return None

    @property
    def work_levels(self) -> Any:
        """Returns the levels of work of each column, (ny, nx); -n: no column, but as much work."""
        return self.wet_levels

    @property
    def window(self) -> Any:
        """Returns the part of the grid that output shows (fathom.grids.regrid.windows); None:
        all.
        """
        return None

    @property
    def scattered(self) -> Any:
        """Returns the columns as regridding takes them (fathom.grids.regrid.rows); None: they lie
        in rows.
        """
        return None

    def waiting(self, ranks: int, distribution: str) -> float:
        """Returns the share of a step in which ranks wait for the slowest in a distribution; 1
        where it leaves a rank without columns, or is none of this grid.
        """
        return 1.0

    def describe(self) -> dict[str, str]:
        """Returns label and text of each line that tells of the grid."""
        raise NotImplementedError

    def distribution(self, ranks: int) -> str:
        """Returns the distribution of blocks where none is asked for."""
        return "auto"

    def release(self) -> None:
        """Releases the metrics, of which a sequence has its own copy: who asks for `horizontal`
        again gets it made again.
        """
        self.__dict__.pop("horizontal", None)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Returns (nz, ny, nx)."""
        return self.levels.nz, self.horizontal.ny, self.horizontal.nx

    def levels_at(self, where: str = "center") -> np.ndarray:
        """Returns levels that are computed at centres or corners, (ny, nx)."""
        result: np.ndarray = self.wet_levels if where == "center" else self.corner_levels
        return result

    def coordinates(self, where: str = "center") -> Any:
        """Returns (longitude, latitude) [degrees], or (x, y) [m] on a plane, at centres or corners;
        (ny, nx).
        """
        x, y = (
            np.asarray(getattr(self.horizontal, f"{where}_{name}"))
            for name in ("longitude", "latitude")
        )
        return (x[1:, 1:], y[1:, 1:]) if where == "corner" else (x, y)

    def places_on_earth(self, what: str, where: str = "center") -> Any:
        """Returns (longitude, latitude) [degrees] of the points, for data of the earth. InputError:
        the grid is a plane.
        """
        if not self.horizontal.spherical:
            raise InputError(f"{what} is of the earth; the grid is a plane")
        return self.coordinates(where)

    def interpolation(self, longitude: Any, latitude: Any, where: str = "center") -> Any:
        """Returns the interpolation from the points of the grid to places on earth [degrees], in
        the order in which they lie in memory.
        """
        if not self.horizontal.spherical:
            raise InputError(
                "the grid is a plane: it has no longitudes and latitudes to interpolate to"
            )
        x, y = self.coordinates(where)
        return interpolation.from_quads(x, y, longitude, latitude, self.horizontal.periodic)

    def place(self, j: int, i: int, k: int = -1) -> str:
        """Returns "30.5 W, 42.1 N, 105 m (j=.., i=.., k=..)" of a cell; k < 0: of a column."""
        x, y = (a[j, i] for a in self.coordinates())
        if self.horizontal.spherical:
            x = (x + 180) % 360 - 180
            where = f"{abs(x):.1f} {'W' if x < 0 else 'E'}, {abs(y):.1f} {'S' if y < 0 else 'N'}"
        else:
            where = f"x {x / 1e3:.1f} km, y {y / 1e3:.1f} km"
        return (
            f"{where} (j={j}, i={i})"
            if k < 0
            else f"{where}, {self.levels.text(k)} (j={j}, i={i}, k={k})"
        )

    @property
    def areas(self) -> Any:
        """Returns the weights in means of values at centres and at corners [m2], twice (ny, nx)."""
        h = self.horizontal
        return h.area_center, h.dx_corner * h.dy_corner

    @cached_property
    def wet_cells(self) -> int:
        """Returns cells that are computed."""
        return int(np.sum(self.wet_levels))

    def regular(self, values: Any, first_row: int = 0) -> Any:
        """Returns values (..., rows, nx) of rows from `first_row` on as output, pictures and the
        report show them: rows of one length.
        """
        return values

    @property
    def identity(self) -> dict[str, np.ndarray]:
        """Returns the arrays that a restart must have in common with this grid: name -> array."""
        return {
            "wet_levels": self.wet_levels,
            "thickness": np.array(self.levels.weights),
            "area": np.asarray(self.horizontal.area_center),
        }

    @cached_property
    def fingerprint(self) -> str:
        """Returns sha256 of what defines the grid. Coordinates enter in single precision: the last
        bits of sines differ between machines.
        """
        h, digest = self.horizontal, hashlib.sha256()
        digest.update(repr((self.shape, h.periodic, h.fold, h.spherical, float(h.radius))).encode())
        for values in (h.corner_longitude, h.corner_latitude, self.levels.weights):
            digest.update(np.ascontiguousarray(values, "<f4").tobytes())
        digest.update(self.wet_levels.astype("<i4").tobytes())
        if "bottom_thickness" in self.identity:
            digest.update(self.identity["bottom_thickness"].astype("<f4").tobytes())
        return digest.hexdigest()

    def _repr_html_(self) -> str:
        return table(repr(self), self.describe().items())

    def __repr__(self) -> str:
        nz, ny, nx = self.shape
        return f"{type(self).__name__} {nx}×{ny}×{nz}"

    def __str__(self) -> str:
        lines = [f"{label:<9} {text}" for label, text in self.describe().items()]
        return "\n".join([repr(self), *("├── " + line for line in lines[:-1]), "└── " + lines[-1]])
