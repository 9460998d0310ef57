"""Depth of the ocean on any curvilinear grid, and wet levels on a B grid.

A velocity point sits on a corner of tracer cells and is wet at the levels at which all four cells
around it are. Two tracer cells exchange water only through such a corner, so this is what connects
seas, keeps a strait open and makes a cell without one a dead end.

    fraction, depth = ocean_depth(corner_longitude, corner_latitude)
    levels = wet_levels(depth, fraction, thickness, center_longitude=..., center_latitude=...,
    sills=sills())
"""

from __future__ import annotations

import hashlib
import itertools
import tomllib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.earth import unit_vectors
from fathom.base.failure import InputError
from fathom.base.reading import once
from fathom.data import embedded
from fathom.grids.regrid import cells

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SOURCE_SPACING = 1 / 6  # degrees


# ------------------------------------------------------------------------------ averages over cells


@once
def ocean_depth(
    corner_longitude: np.ndarray, corner_latitude: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns ocean fraction [1] and mean depth of the ocean part [m, 0 on land] of the cells of a
    grid, each (ny, nx).

    corner_longitude, corner_latitude  (ny + 1, nx + 1) degrees; cell (j, i) has the corners j..j+1,
    i..i+1

    Averages over n x n points per cell, about as dense as the data, placed by interpolating between
    the corners on the sphere: cells may contain a pole or cross the date line. Raises ValueError
    for shapes that do not fit. Those of the last small grids are kept: simulations of one script
    often share a grid.
    """
    corners = [np.ascontiguousarray(c, float) for c in (corner_longitude, corner_latitude)]
    key = b"".join(hashlib.sha256(c).digest() + repr(c.shape).encode() for c in corners)
    if key not in _depths:
        found = _ocean_depth(corner_longitude, corner_latitude)
        if found[0].size > most_cells:
            return found
        while len(_depths) >= most_grids:
            del _depths[next(iter(_depths))]
        _depths[key] = found
    fraction, depth = _depths[key]
    return fraction.copy(), depth.copy()


_depths: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
most_grids, most_cells = 6, 100_000  # that are kept: some 10 MB


def _ocean_depth(
    corner_longitude: np.ndarray, corner_latitude: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns ocean fraction and mean depth [m] of cells, (ny, nx), as `ocean_depth` does."""
    data = embedded.read("topography", "ocean_fraction", "ocean_depth", "latitude", "longitude")
    water = np.stack([data["ocean_fraction"], data["ocean_fraction"] * data["ocean_depth"]])
    fraction, volume = cell_means(
        water, data["latitude"], data["longitude"], corner_longitude, corner_latitude
    )
    return fraction, np.where(fraction > 0, volume / np.maximum(fraction, 1e-9), 0.0)


def cell_means(
    values: ArrayLike,
    latitude: np.ndarray,
    longitude: np.ndarray,
    corner_longitude: np.ndarray,
    corner_latitude: np.ndarray,
) -> np.ndarray:
    """Returns means over the cells of a grid of values (n, lat, lon) about as dense as the
    topography: (n, ny, nx).
    """
    corner_longitude, corner_latitude = _same_shape(
        corner_longitude, corner_latitude, "corner_longitude", "corner_latitude"
    )
    if corner_longitude.ndim != 2 or min(corner_longitude.shape) < 2:
        raise InputError(
            "corner arrays must have shape (ny + 1, nx + 1), at least (2, 2), not"
            f" {corner_longitude.shape}"
        )
    n = _points_a_side(unit_vectors(corner_longitude, corner_latitude))
    corners = corner_latitude, corner_longitude
    return cells.means(np.asarray(values, float), latitude, longitude, corners, n)


def _points_a_side(corners: np.ndarray) -> int:
    """Returns the number of points that gives the longest side of a typical large cell the spacing
    of the data.
    """
    sides = [np.linalg.norm(np.diff(corners, axis=axis), axis=-1).ravel() for axis in (0, 1)]
    return int(
        np.clip(
            np.ceil(np.rad2deg(np.quantile(np.concatenate(sides), 0.95)) / SOURCE_SPACING), 2, 40
        )
    )


# -------------------------------------------------------------------------------- B-grid neighbours


@dataclass(frozen=True)
class Mesh:
    """Tells how tracer cells (ny, nx) meet at corners: periodic in i or closed; folded (tripolar)
    in j or closed.

    Corner (j, i) is the north-east one of cell (j, i). In a fold, cell (ny-1, i) is the neighbour
    of (ny-1, nx-1-i).
    """

    shape: tuple[int, int]
    periodic: bool = True
    fold: bool = False

    def corner_cells(self) -> np.ndarray:
        """Returns flat indices (ny, nx, 4) of the cells around each corner, -1 where there is
        none."""
        (ny, nx), index = self.shape, np.arange(np.prod(self.shape)).reshape(self.shape)
        top = index[-1:, ::-1] if self.fold else np.full((1, nx), -1)
        rows = np.concatenate([index, top])
        east = rows[:, :1] if self.periodic else np.full((ny + 1, 1), -1)
        whole = np.concatenate([rows, east], 1)
        return np.stack([whole[:-1, :-1], whole[:-1, 1:], whole[1:, :-1], whole[1:, 1:]], -1)

    def corner_levels(self, levels: np.ndarray) -> np.ndarray:
        """Returns wet levels of the velocity points (ny, nx): the least of the four cells, 0 next
        to a closed side.
        """
        cells = self.corner_cells()
        result: np.ndarray = np.where(cells >= 0, levels.ravel()[cells], 0).min(-1)
        return result

    def deepest_corner(self, corner_levels: np.ndarray) -> np.ndarray:
        """Returns greatest wet level among the four corners of each cell (ny, nx)."""
        west = np.roll(corner_levels, 1, 1)
        if not self.periodic:
            west[:, 0] = 0
        north = np.maximum(corner_levels, west)
        south = np.concatenate([np.zeros_like(north[:1]), north[:-1]])
        result: np.ndarray = np.maximum(north, south)
        return result


# --------------------------------------------------------------------------------------- wet levels


def wet_levels(
    depth: ArrayLike,
    fraction: ArrayLike,
    thickness: ArrayLike,
    *,
    periodic: bool = True,
    fold: bool = False,
    minimum_levels: int = 3,
    sills: Sequence[Sill] = (),
    center_longitude: np.ndarray | None = None,
    center_latitude: np.ndarray | None = None,
) -> np.ndarray:
    """Returns number of wet levels of each cell (ny, nx), int32, 0 on land: full cells, ready for a
    B grid.

    depth, fraction  (ny, nx) m and 1, as `ocean_depth` gives them
    thickness        (nz,) m, layers from the surface down
    minimum_levels   shallowest water, in levels
    sills            corrections, see `sills()`; they need center_longitude, center_latitude (ny,
        nx) in degrees

    In this order: land where less than half of the cell is ocean; sills; the interface nearest to
    the depth; no cell deeper than its deepest corner (so no one-cell pits and dead ends); only the
    largest connected ocean. Raises ValueError for shapes or numbers that do not fit, or if no water
    is left.
    """
    depth, fraction = _same_shape(depth, fraction, "depth", "fraction")
    interfaces = _interfaces(thickness)
    if not 1 <= minimum_levels <= interfaces.size:
        raise InputError(
            f"minimum_levels = {minimum_levels} must lie in [1, {interfaces.size}], the number of"
            " layers"
        )
    mesh = Mesh(depth.shape, periodic, fold)
    depth = np.where(fraction >= 0.5, np.maximum(depth, interfaces[minimum_levels - 1]), 0.0)
    if len(sills):
        if center_longitude is None or center_latitude is None:
            raise InputError("sills need center_longitude and center_latitude")
        center_longitude, center_latitude = _same_shape(
            center_longitude, center_latitude, "center_longitude", "center_latitude"
        )
        if center_longitude.shape != depth.shape:
            raise InputError(
                f"center_longitude has shape {center_longitude.shape}, depth has {depth.shape}"
            )
        depth = apply_sills(depth, sills, mesh, unit_vectors(center_longitude, center_latitude))
    middles = np.concatenate([[0.5 * interfaces[0]], 0.5 * (interfaces[1:] + interfaces[:-1])])
    levels = np.searchsorted(middles, depth, side="left")
    return connected(np.where(depth > 0, np.maximum(levels, minimum_levels), 0), mesh)


def cut_levels(depth: np.ndarray, interfaces: np.ndarray, least: float) -> np.ndarray:
    """Returns wet levels (ny, nx) of cells whose last one ends at the depth (ny, nx) [m, 0 on
    land], with a share `least` of its layer or more.

    interfaces  (nz + 1,) m, from 0. A last cell of less than half that share is left out, of less
    than all of it is made as thick.
    """
    levels = np.clip(np.searchsorted(interfaces, depth, side="left"), 1, len(interfaces) - 1)
    share = (depth - interfaces[levels - 1]) / np.diff(interfaces)[levels - 1]
    return np.where(depth > 0, np.maximum(levels - (share < 0.5 * least), 1), 0)


def connected(levels: np.ndarray, mesh: Mesh) -> np.ndarray:
    """Returns levels (ny, nx), int32, with no cell deeper than its deepest corner, of the largest
    connected ocean.
    """
    levels = np.minimum(levels, mesh.deepest_corner(mesh.corner_levels(levels)))
    return np.where(largest_ocean(levels, mesh), levels, 0).astype(np.int32)


def largest_ocean(levels: np.ndarray, mesh: Mesh) -> np.ndarray:
    """Returns cells (ny, nx) of the largest set that is connected through wet corners. Raises
    ValueError without any.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    wet = mesh.corner_cells()[mesh.corner_levels(levels) > 0]
    if not wet.size:
        raise InputError("no water is left: no corner has four wet cells around it")
    links = np.concatenate([wet[:, [0, k]] for k in (1, 2, 3)])
    graph = coo_array((np.ones(len(links), bool), links.T), shape=(levels.size,) * 2)
    _, label = connected_components(graph, directed=False)
    result: np.ndarray = (label == np.bincount(label[wet[:, 0]]).argmax()).reshape(levels.shape)
    return result


def _interfaces(thickness: ArrayLike) -> np.ndarray:
    thickness = np.asarray(thickness, float)
    if thickness.ndim != 1 or not thickness.size or not (thickness > 0).all():
        raise InputError(f"thickness must be a list of positive numbers [m], not {thickness}")
    return np.cumsum(thickness)


def _same_shape(
    a: ArrayLike, b: ArrayLike, name_a: str, name_b: str
) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.asarray(a, float), np.asarray(b, float)
    for values, name in ((a, name_a), (b, name_b)):
        if not np.isfinite(values).all():
            where = tuple(int(n) for n in np.argwhere(~np.isfinite(values))[0])
            raise InputError(f"{name} is not finite at index {where}")
    if a.shape != b.shape:
        raise InputError(f"{name_a} has shape {a.shape}, {name_b} has {b.shape}; they must agree")
    return a, b


# ---------------------------------------------------------------------------------------- sills


@dataclass(frozen=True)
class Sill:
    """A strait to open along `path`, or a barrier to raise along `wall`, [(longitude, latitude),
    ...] in degrees.
    """

    name: str
    reason: str
    depth: float  #: m, at least along a path, at most along a wall
    coarsest: float  #: degrees, cells wider than this are left alone
    path: tuple[tuple[float, float], ...] = ()
    wall: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if bool(self.path) == bool(self.wall) or len(self.path or self.wall) < 2:
            raise InputError(
                f"sill {self.name!r}: give either a path or a wall, with 2 points or more"
            )


@once
@cache
def sills() -> tuple[Sill, ...]:
    """Returns the table of straits and sills in `sills.toml`, with the reason of each."""
    with (embedded.FOLDER / "sills.toml").open("rb") as file:
        return tuple(Sill(**entry) for entry in tomllib.load(file)["sill"])


def apply_sills(
    depth: np.ndarray, sills: Sequence[Sill], mesh: Mesh, centers: np.ndarray
) -> np.ndarray:
    """Returns depth (ny, nx) with the straits opened and the barriers raised; walls first, so that
    a path may cross one.

    centers  (ny, nx, 3) unit vectors
    """
    from scipy.spatial import cKDTree

    depth, cells = depth.ravel().copy(), mesh.corner_cells().reshape(-1, 4)
    inside = np.flatnonzero((cells >= 0).all(1))
    centers = centers.reshape(-1, 3)
    middles = sum(centers[cells[inside, k]] for k in range(4))
    middles /= np.linalg.norm(middles, axis=-1, keepdims=True)
    # many points and few queries: a tree that is quick to build
    center_tree, corner_tree = (
        cKDTree(points, balanced_tree=False, compact_nodes=False) for points in (centers, middles)
    )
    for sill in sorted(sills, key=lambda sill: bool(sill.path)):
        line = along(sill.path or sill.wall, 0.1 * SOURCE_SPACING)
        distance, corner = corner_tree.query(line)
        around = cells[inside[corner]]
        near = _near(distance, around, centers, sill.coarsest)
        if sill.path:
            opened = np.unique(around[near])
            depth[opened] = np.maximum(depth[opened], sill.depth)
        else:
            closed = np.unique(center_tree.query(line)[1][near])
            depth[closed] = np.minimum(depth[closed], sill.depth)
    return depth.reshape(mesh.shape)


def _near(
    distance: np.ndarray, around: np.ndarray, centers: np.ndarray, coarsest: float
) -> np.ndarray:
    """Returns which points of a line lie on the grid, where its cells are not too coarse; all or
    none of those on it.
    """
    diagonal = np.linalg.norm(centers[around[:, 0]] - centers[around[:, 3]], axis=-1)
    on_grid = distance <= diagonal
    fine = np.rad2deg(diagonal[on_grid]) <= np.sqrt(2) * coarsest
    result: np.ndarray = on_grid & fine.all()
    return result


def along(points: Any, spacing: float) -> np.ndarray:
    """Returns unit vectors (n, 3) along great circles through the points, about `spacing` degrees
    apart.
    """
    corners = unit_vectors(*np.array(points, float).T)
    pieces = [corners[:1]]
    for start, end in itertools.pairwise(corners):
        n = max(int(np.ceil(np.rad2deg(np.linalg.norm(end - start)) / spacing)), 1)
        pieces.append(start + np.arange(1, n + 1)[:, None] / n * (end - start))
    line = np.concatenate(pieces)
    result: np.ndarray = line / np.linalg.norm(line, axis=-1, keepdims=True)
    return result


# -------------------------------------------------------------------------------------- named grids

STRIDE = 13  # every 13th point of a grid is kept next to its levels, to identify the grid


@once
def levels_for(
    name: str,
    *,
    corner_longitude: np.ndarray,
    corner_latitude: np.ndarray,
    center_longitude: np.ndarray,
    center_latitude: np.ndarray,
    thickness: ArrayLike,
    periodic: bool = True,
    fold: bool = False,
    minimum_levels: int = 3,
) -> np.ndarray:
    """Returns wet levels (ny, nx) of a grid: the embedded ones if `name` has some and the grid is
    still the same, else computed.

    Embedded levels save the first second of a run. Where points, layers, settings or the table of
    sills have changed since, they are computed. Arguments as in `ocean_depth` and `wet_levels`;
    `name` may be any name.
    """
    identity = _identity(
        center_longitude, center_latitude, thickness, periodic, fold, minimum_levels
    )
    if (embedded.FOLDER / f"levels-{name}.nc").is_file():
        stored = embedded.read(f"levels-{name}", "levels", *identity)
        levels = stored.pop("levels")
        if levels.shape == np.shape(center_longitude) and _agree(stored, identity):
            return levels
    fraction, depth = ocean_depth(corner_longitude, corner_latitude)
    return wet_levels(
        depth,
        fraction,
        thickness,
        periodic=periodic,
        fold=fold,
        minimum_levels=minimum_levels,
        sills=sills(),
        center_longitude=center_longitude,
        center_latitude=center_latitude,
    )


def embed(
    name: str,
    levels: np.ndarray,
    *,
    center_longitude: np.ndarray,
    center_latitude: np.ndarray,
    thickness: ArrayLike,
    periodic: bool = True,
    fold: bool = False,
    minimum_levels: int = 3,
) -> None:
    """Write `levels` (ny, nx), as `levels_for` computed them, into the package;
    `tools/build_data.py --levels` does.
    """
    import netCDF4

    identity = _identity(
        center_longitude, center_latitude, thickness, periodic, fold, minimum_levels
    )
    with netCDF4.Dataset(embedded.FOLDER / f"levels-{name}.nc", "w") as out:
        out.setncatts(
            {
                "Conventions": "CF-1.11",
                "title": f"Wet levels of the grid {name}",
                "source": "topography.nc and sills.toml",
                "references": "docs/data.md",
            }
        )
        out.createDimension("y", levels.shape[0])
        out.createDimension("x", levels.shape[1])
        stored = out.createVariable(
            "levels", "i4", ("y", "x"), zlib=True, complevel=9, shuffle=True, fill_value=False
        )
        stored.setncatts({"units": "1", "long_name": "number of wet levels, 0 on land"})
        stored[...] = levels
        for key, values in identity.items():
            out.createDimension(key, values.size)
            out.createVariable(key, "f4", (key,), zlib=True, shuffle=True, fill_value=False)[
                ...
            ] = values


def _identity(
    longitude: np.ndarray,
    latitude: np.ndarray,
    thickness: ArrayLike,
    periodic: bool,
    fold: bool,
    minimum_levels: int,
) -> dict[str, np.ndarray]:
    """Returns a few numbers that decide about the levels of a grid."""
    points = unit_vectors(np.ravel(longitude)[::STRIDE], np.ravel(latitude)[::STRIDE])
    table = (embedded.FOLDER / "sills.toml").read_bytes()
    return {
        "points": points.astype(np.float32).ravel(),
        "thickness": np.asarray(thickness, np.float32),
        "settings": np.array(
            [periodic, fold, minimum_levels, zlib.crc32(table) % 2**24], np.float32
        ),
    }


def _agree(stored: dict[str, np.ndarray], identity: dict[str, np.ndarray]) -> bool:
    return all(
        stored[key].shape == values.shape and np.allclose(stored[key], values, rtol=1e-5, atol=1e-6)
        for key, values in identity.items()
    )
