"""Schemes on the arrays of a grid, and fields on the sphere whose derivatives are known.

A field is a sum of P_l(d . r) over a few directions d: spherical harmonics of degree l, with the
gradient P_l'(s) (d - s r), s = d . r, the same in any coordinates. So one formula serves every
grid.
"""

import numpy as np
from numpy.polynomial import legendre

import fathom as fm
from fathom.base.mpi import core

catalogue = {entry["name"]: entry for entry in core.catalogue()}
radius = 6371220.0


def run(name, arrays, levels=1, precision=8, **parameters):
    """What a scheme writes, from arrays (levels, ny, nx), (ny, nx) or numbers; a rim that its
    neighbours need is NaN.
    """
    entry = catalogue[name]
    known = {p["name"] for p in entry["parameters"]}
    process = core.process(name, {k: v for k, v in parameters.items() if k in known}, precision)
    ny, nx = next(np.shape(v)[-2:] for v in arrays.values() if np.ndim(v) >= 2)
    given = {}
    for f in entry["fields"]:
        if f["access"] == "writes":
            continue
        value = np.asarray(arrays.get(f["name"], 0.0), {8: np.float64, 4: np.float32}[precision])
        if f["horizontal"] == "profile":
            given[f["name"]] = np.ascontiguousarray(np.atleast_1d(value))
            continue
        depth = {"layer": (levels,), "interface": (levels + 1,), "column": ()}[f["vertical"]]
        given[f["name"]] = np.ascontiguousarray(np.broadcast_to(value, (*depth, ny, nx)))
    return core.run_column(process, given, levels)


def geometry(grid):
    """All fields of the grid that a process may read."""
    turning = "earth" if grid.horizontal.spherical else (0.0, 0.0)
    return fm.Ocean(grid, physics="simple", coriolis=turning).geometry()


# ---- grids, n columns or so ----------------------------------------------------------------------


def latitude_longitude(n):
    return fm.LatitudeLongitudeGrid(nx=2 * n, ny=n, latitude=(-60, 60))


def mercator(n):
    return fm.LatitudeLongitudeGrid(nx=2 * n, ny=n, latitude=(-60, 60), spacing="mercator")


def dipole(n):
    return fm.DipoleGrid(nx=2 * n, ny=n, bathymetry="flat")


spherical = [latitude_longitude, mercator, dipole]


class Sphere:
    """Unit vectors at the corners or centers of a grid: position r, and the grid's own two
    directions.
    """

    def __init__(self, grid, where):
        h = grid.horizontal
        lon, lat = (
            np.deg2rad(np.asarray(getattr(h, f"{where}_{x}"))) for x in ("longitude", "latitude")
        )
        if where == "corner":
            lon, lat = lon[1:, 1:], lat[1:, 1:]
        angle = np.asarray(getattr(h, f"angle_{where}"))
        zero = np.zeros_like(lon)
        self.r = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
        east, north = (
            np.stack([-np.sin(lon), np.cos(lon), zero]),
            np.stack([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)]),
        )
        self.i, self.j = (
            np.cos(angle) * east + np.sin(angle) * north,
            np.cos(angle) * north - np.sin(angle) * east,
        )
        # where errors are measured: away from the rim; on a dipole grid the curved rows only, away
        # from the equator, where second derivatives of the map jump, and from the innermost ring
        latitude = np.rad2deg(lat)
        self.inside = (
            np.abs(latitude) < 50 if h.regular_rows == h.ny else (latitude > 15) & (latitude < 60)
        )
        self.inside &= self._away_from_edges()

    def _away_from_edges(self, rim=3):
        inside = np.zeros(self.r.shape[1:], bool)
        inside[rim:-rim, rim:-rim] = True
        return inside

    def components(self, v):
        """Along the grid's i and j."""
        return np.ascontiguousarray(np.einsum("cji,cji->ji", v, self.i)), np.ascontiguousarray(
            np.einsum("cji,cji->ji", v, self.j)
        )

    def error(self, computed, exact):
        """Root mean square, relative."""
        c, e = np.asarray(computed)[..., self.inside], np.asarray(exact)[..., self.inside]
        return np.sqrt(((c - e) ** 2).sum() / (e**2).sum())


directions = np.array([[0.36, 0.48, 0.8], [-0.6, 0.64, 0.48], [0.8, -0.6, 0.0]])


class Harmonic:
    """Y = sum of P_l(d . r) over the directions; lengths in sphere radii."""

    def __init__(self, degree, directions=directions):
        self.degree, self.directions = degree, directions
        self.P = np.eye(degree + 1)[degree]
        self.dP = legendre.legder(self.P)

    def _cosines(self, r):
        return ((d[:, None, None], np.tensordot(d, r, 1)) for d in self.directions)

    def __call__(self, r):
        return sum(legendre.legval(s, self.P) for d, s in self._cosines(r))

    def gradient(self, r):
        return sum(legendre.legval(s, self.dP) * (d - s * r) for d, s in self._cosines(r))

    def swirl(self, r):
        """r x gradient: a flow without divergence."""
        return np.cross(r, self.gradient(r), axis=0)


def along(field, r, v):
    """(v . grad) field by a complex step: exact to round-off for polynomials."""
    return np.imag(field(r + 1e-100j * v)) / 1e-100


def order(errors, refinement=2):
    """Observed order of convergence of the last refinement."""
    return np.log(errors[-2] / errors[-1]) / np.log(refinement)
