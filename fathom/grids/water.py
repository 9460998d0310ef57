"""Grids of water: bathymetry on quadrilateral cells."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from fathom import output
from fathom.base import earth
from fathom.base.border import called
from fathom.base.failure import InputError
from fathom.data import bathymetry, sets
from fathom.data.input import labelled
from fathom.data.input.labelled import plain
from fathom.data.input.table import table
from fathom.grids import sea_floor, soundings
from fathom.grids.arguments import choice, integer, span
from fathom.grids.grid import Grid
from fathom.grids.levels import ZLevels


class WaterGrid(Grid):
    """Quadrilateral cells with levels of depth and a bathymetry.

    bathymetry : "etopo5" (sphere), "flat" (water between the walls, to the last level), depth (ny,
        nx) [m] with 0 on land, wet levels
        (ny, nx) as integers, a file of heights or depths on latitude and longitude ("gebco.nc";
        fathom.grids.sea_floor), the file of a text table of depths, a row a line ("depth.txt";
        fathom.data.input.table), points (n, 3) of longitude, latitude – x, y on a plane – and depth
        or height [m] as an array or a text table (fathom.grids.soundings), the name of a data set
        with `ocean_depth` on the cells of this grid (fathom.data.sets), or a function of
        (longitude, latitude) – of (x, y) on a plane – that gives the depth.
    minimum_levels : int, default 3. Water has at least as many. Depths are rounded to the nearest
        interface, or kept by partial cells (ZLevels).
    """

    staggering = "B"
    levels_of = (ZLevels,)
    name: str | None = None  # of a grid whose wet levels may be embedded
    usual_levels = 40
    # factor of lateral friction and diffusion, (ny, nx) by place; none: 1
    lateral_factor: Mapping[str, np.ndarray] = MappingProxyType({})

    def _finish(
        self, make: Callable[[], Any], levels: ZLevels | None, bathymetry: Any, minimum_levels: int
    ) -> None:
        self._make, horizontal = make, make()
        self.horizontal, self.levels = horizontal, self._levels(levels, ZLevels(self.usual_levels))
        self.vertical = self.levels.vertical
        self.minimum_levels = min(integer("minimum_levels", minimum_levels), self.vertical.levels)
        if self.minimum_levels < 1:
            raise InputError(f"minimum_levels = {minimum_levels} must be 1 or more")
        if sea_floor.is_file(bathymetry):
            self.places_on_earth(f"bathymetry = {bathymetry!r}")
            corners = horizontal.corner_longitude, horizontal.corner_latitude
            bathymetry = sea_floor.depth_on_cells(bathymetry, *corners)
        elif isinstance(bathymetry, str) and Path(bathymetry).suffix:
            bathymetry = self._of_numbers(table(bathymetry))
        elif (data := sets.find(bathymetry)) is not None:
            bathymetry = self._depth_in(data)
        elif isinstance(bathymetry, str):
            choice(
                "bathymetry", bathymetry, ["etopo5", "flat"] if horizontal.spherical else ["flat"]
            )
        elif not callable(bathymetry):
            bathymetry = self._of_numbers(_numbers(bathymetry))
        self.bathymetry = bathymetry

    @cached_property
    def horizontal(self) -> Any:
        """Returns coordinates, lengths, areas and angles (HorizontalGrid of the core)."""
        return self._make()

    @cached_property
    def turn(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns cosine and sine of the angle from east to the direction of growing i at corners,
        (ny, nx).
        """
        angle = np.asarray(self.horizontal.angle_corner)
        return np.cos(angle), np.sin(angle)

    @cached_property
    def wet_levels(self) -> np.ndarray:
        """Returns number of wet levels (ny, nx), int32, 0 on land."""
        h, how = self.horizontal, self.bathymetry
        if self.levels.least_share is not None:
            levels, _ = self._cut
        elif isinstance(how, str) and how == "etopo5":
            levels = bathymetry.levels_for(
                self.name or "",
                corner_longitude=h.corner_longitude,
                corner_latitude=h.corner_latitude,
                center_longitude=h.center_longitude,
                center_latitude=h.center_latitude,
                thickness=self.vertical.thickness,
                periodic=h.periodic,
                fold=h.fold,
                minimum_levels=self.minimum_levels,
            )
        elif isinstance(how, str):
            levels = np.where(self._around_poles(), 0, self.vertical.levels)
        else:
            depth = self._given_depth()
            levels = depth if depth.dtype.kind in "iu" else self._levels_of(depth)
        levels = np.ascontiguousarray(levels, np.int32)
        levels.flags.writeable = False
        return levels

    def _of_numbers(self, values: Any) -> Any:
        """Returns depths or wet levels as they are, or those of single points."""
        if soundings.are_points(values, self.shape[1:]):
            values = soundings.depth_on_cells(values, self.horizontal, self.shape[1:])
        self._check_depth(values)
        return values

    def _depth_in(self, data: Any) -> np.ndarray:
        """Returns `ocean_depth` of a data set on the cells of this grid [m], (ny, nx)."""
        h, held = self.horizontal, data.open()
        held = output.open(held) if isinstance(held, (str, Path)) else held
        if "ocean_depth" not in held:
            raise InputError(f"bathymetry: the data set '{data.name}' has no ocean_depth")
        depth = held.ocean_depth
        there = np.meshgrid(depth.longitude, depth.latitude)
        own = h.center_longitude, h.center_latitude
        if depth.shape != self.shape[1:] or not np.allclose(there, own, rtol=0, atol=1e-6):
            raise InputError(
                f"bathymetry: the data set '{data.name}' has {depth.shape[0]} rows of"
                f" {depth.shape[1]} depths that are not on the {self.shape[1]} × {self.shape[2]}"
                " cells of this grid"
            )
        return np.asarray(depth.values, float)

    def _given_depth(self) -> np.ndarray:
        depth: Any = self.bathymetry
        if callable(depth):
            h = self.horizontal
            depth = called("bathymetry", depth, h.center_longitude, h.center_latitude)
            depth = np.array(np.broadcast_to(plain(depth, "bathymetry"), self.shape[1:]), float)
            self._check_depth(depth)
        return np.asarray(depth)

    @cached_property
    def _cut(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns wet levels (ny, nx) where bottom cells are cut, and the thickness of these cells
        [m], 0 on land.
        """
        h, how, least, interfaces = (
            self.horizontal,
            self.bathymetry,
            self.levels.least_share,
            np.asarray(self.vertical.interface_depth),
        )
        shallowest = (
            interfaces[self.minimum_levels - 1]
            + least * self.vertical.thickness[self.minimum_levels - 1]
        )
        if isinstance(how, str) and how == "etopo5":
            fraction, depth = bathymetry.ocean_depth(h.corner_longitude, h.corner_latitude)
            mesh = bathymetry.Mesh(self.shape[1:], h.periodic, h.fold)
            centers = earth.unit_vectors(h.center_longitude, h.center_latitude)
            depth = bathymetry.apply_sills(
                np.where(fraction >= 0.5, np.maximum(depth, shallowest), 0.0),
                bathymetry.sills(),
                mesh,
                centers,
            )
            levels = bathymetry.connected(bathymetry.cut_levels(depth, interfaces, least), mesh)
        elif isinstance(how, str):
            levels = np.where(self._around_poles(), 0, self.vertical.levels)
            depth = interfaces[levels]
        else:
            depth = self._given_depth()
            if depth.dtype.kind in "iu":
                depth = interfaces[depth]
            depth = np.where(depth > 0, np.maximum(depth, shallowest), 0.0)
            levels = bathymetry.cut_levels(depth, interfaces, least)
        last = np.maximum(levels, 1) - 1
        layer = np.asarray(self.vertical.thickness)[last]
        return levels, np.where(
            levels > 0, np.clip(depth - interfaces[last], least * layer, layer), 0.0
        )

    def behind(self, walls: Any) -> Self:
        """Returns the same grid with the sea floor raised to the depth of each wall [m] along its
        line of longitudes and latitudes; seas that this cuts off are land. walls: [(line, depth),
        ...].
        """
        h, levels, floor = self.horizontal, np.asarray(self.wet_levels), self.depth()
        mesh = bathymetry.Mesh(self.shape[1:], h.periodic, h.fold)
        raised = bathymetry.apply_sills(
            floor,
            [bathymetry.Sill("wall", "", depth, np.inf, wall=line) for line, depth in walls],
            mesh,
            earth.unit_vectors(h.center_longitude, h.center_latitude),
        )
        lower = np.minimum(self._levels_of(raised), levels)
        lower = bathymetry.connected(np.where(raised < floor, lower, levels), mesh)
        lower.flags.writeable = False
        grid = copy.copy(self)
        for name in ("_corner_cut", "corner_levels", "wet_cells", "fingerprint"):
            grid.__dict__.pop(name, None)
        grid.__dict__["wet_levels"] = lower
        if self.levels.least_share is not None:
            whole = np.asarray(self.vertical.thickness)[np.maximum(lower, 1) - 1]
            bottom = np.where(lower < levels, whole, self._cut[1])
            grid.__dict__["_cut"] = lower, np.where(lower > 0, bottom, 0.0)
        return grid

    def bottom_thickness(self, where: str = "center") -> np.ndarray:
        """Returns thickness of the last wet cell at centres, or of what velocity fills of the last
        wet layer at corners [m], (ny, nx); 0 on land.
        """
        levels = self.levels_at(where)
        if self.levels.least_share is None:
            return np.where(
                levels > 0, np.asarray(self.vertical.thickness)[np.maximum(levels, 1) - 1], 0.0
            )
        return self._cut[1] if where == "center" else self._corner_cut

    @cached_property
    def _corner_cut(self) -> np.ndarray:
        levels, (wet, bottom) = self.corner_levels, self._cut
        least = np.full(levels.shape, np.inf)
        for cells, thickness in zip(self._around(wet), self._around(bottom)):
            least = np.where(cells == levels, np.minimum(least, thickness), least)
        return np.where(levels > 0, least, 0.0)

    def depth(self, where: str = "center") -> np.ndarray:
        """Returns depth of the sea floor in the model [m], (ny, nx); 0 on land."""
        levels = self.levels_at(where)
        result: np.ndarray = np.asarray(self.vertical.interface_depth)[
            np.maximum(levels, 1) - 1
        ] * (levels > 0) + self.bottom_thickness(where)
        return result

    def thickness(self, k: int, where: str = "center") -> np.ndarray:
        """Returns thickness of the cells of layer k [m], (ny, nx); below the bottom that of the
        layer.
        """
        return np.where(
            self.levels_at(where) == k + 1, self.bottom_thickness(where), self.vertical.thickness[k]
        )

    def face_thickness(self, k: int, towards: str) -> np.ndarray:
        """Returns thickness of the faces between cells of layer k and their neighbours towards
        "east" or "north" [m], (ny, nx): the lesser of both cells.
        """
        own, east, north, _ = self._around(self.thickness(k))
        beside = {"east": east, "north": north}[towards]
        return np.where(beside > 0, np.minimum(own, beside), own)

    def column(self, j: int, i: int, where: str = "center") -> Any:
        """Returns thickness of the cells of one column [m], (nz,)."""
        column, levels = np.array(self.vertical.thickness), self.levels_at(where)[j, i]
        if levels and self.levels.least_share is not None:
            column[levels - 1] = self.bottom_thickness(where)[j, i]
        return column

    def _levels_of(self, depth: np.ndarray) -> np.ndarray:
        middles = self.vertical.layer_depth
        return np.where(
            depth > 0, np.maximum(np.searchsorted(middles, depth), self.minimum_levels), 0
        )

    def _check_depth(self, depth: np.ndarray) -> None:
        shape, nz = self.shape[1:], self.vertical.levels
        if depth.shape != shape:
            raise InputError(f"bathymetry has shape {depth.shape}; the grid takes {shape}")
        if depth.dtype.kind not in "iuf":
            raise InputError(
                f"bathymetry holds {depth.dtype}: depths [m] or whole numbers of levels"
            )
        if not np.isfinite(depth).all():
            j, i = (int(n) for n in np.argwhere(~np.isfinite(depth))[0])
            raise InputError(f"bathymetry is {depth[j, i]} at {self.place(j, i)}: land is 0")
        if depth.max() <= 0 and depth.min() < 0:
            raise InputError(
                f"bathymetry has values from {depth.min():g} to {depth.max():g}: depths of the sea"
                " are positive, land is 0"
            )
        if depth.dtype.kind in "iu" and (depth.min() < 0 or depth.max() > nz):
            raise InputError(
                f"bathymetry as whole numbers are wet levels: in [0, {nz}], not [{depth.min()},"
                f" {depth.max()}]; depths are floating-point numbers"
            )

    def _around_poles(self) -> np.ndarray:
        """Returns cells that a flat bottom must leave dry: within 5 degrees of the poles of a
        folded grid.
        """
        h = self.horizontal
        near = np.zeros(self.shape[1:], bool)
        if h.fold:
            centers = earth.unit_vectors(h.center_longitude, h.center_latitude)
            for i in (0, h.nx // 2):
                near |= centers @ earth.unit_vectors(
                    h.corner_longitude[-1, i], h.corner_latitude[-1, i]
                ) > np.cos(np.deg2rad(5))
        return near

    @cached_property
    def corner_levels(self) -> np.ndarray:
        """Returns wet levels at the velocity points: the least of the four cells around (0 on a
        closed edge); (ny, nx).
        """
        result: np.ndarray = np.minimum.reduce(list(self._around(np.asarray(self.wet_levels))))
        return result

    def _around(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
        """Returns values of the four cells around each corner, (ny, nx) each; 0 beyond a closed
        edge.
        """
        h = self.horizontal
        north = np.zeros_like(values)
        north[:-1] = values[1:]
        if h.fold:
            north[-1] = values[-1, ::-1]

        def east(a: np.ndarray) -> np.ndarray:
            b = np.roll(a, -1, 1)
            if not h.periodic:
                b[:, -1] = 0
            return b

        return values, east(values), north, east(north)

    @property
    def wet_corners(self) -> np.ndarray:
        """Returns corners between four wet cells (ny, nx), bool: where there is a velocity."""
        return self.corner_levels > 0

    @property
    def identity(self) -> dict[str, Any]:
        """Returns arrays that say which grid it is, by name, with thicknesses of bottom cells."""
        return super().identity | (
            {"bottom_thickness": self.bottom_thickness()}
            if self.levels.least_share is not None
            else {}
        )

    def mapping(self) -> Any:
        """Returns coordinates of centres and corners, depth, thickness, area, wet levels: what
        output, pictures and the report take.
        """
        h = self.horizontal
        x, y = ("longitude", "latitude") if h.spherical else ("x", "y")
        centers = self.coordinates()
        return {
            f"corner_{x}": np.asarray(h.corner_longitude),
            f"corner_{y}": np.asarray(h.corner_latitude),
            x: centers[0],
            y: centers[1],
            "depth": self.levels.middles,
            "thickness": self.levels.weights,
            "wet_levels": self.wet_levels,
            "area": np.asarray(h.area_center),
            **(
                {"bottom_thickness": self.bottom_thickness()}
                if self.levels.least_share is not None
                else {}
            ),
        }

    def to_netcdf(self, path: str | Path) -> None:
        """Write corners, centers, thickness and wet levels: what `CurvilinearGrid(file)` and
        `tools/build_data.py --levels` read.
        """
        import netCDF4

        h = self.horizontal
        with netCDF4.Dataset(path, "w") as out:
            out.setncatts(
                {
                    "periodic": int(h.periodic),
                    "fold": int(h.fold),
                    "minimum_levels": self.minimum_levels,
                    "radius": h.radius,
                }
            )
            for name, size in {
                "y_corner": h.ny + 1,
                "x_corner": h.nx + 1,
                "y": h.ny,
                "x": h.nx,
                "depth": self.vertical.levels,
            }.items():
                out.createDimension(name, size)
            for name in (
                "corner_longitude",
                "corner_latitude",
                "center_longitude",
                "center_latitude",
            ):
                dims = ("y_corner", "x_corner") if name.startswith("corner") else ("y", "x")
                variable = out.createVariable(name, "f8", dims, zlib=True, shuffle=True)
                variable.units = (
                    ("degrees_east" if name.endswith("longitude") else "degrees_north")
                    if h.spherical
                    else "m"
                )
                variable[...] = getattr(h, name)
            columns: list[tuple[str, str, tuple[str, ...], Any, str]] = [
                ("thickness", "f8", ("depth",), self.vertical.thickness, "m"),
                ("wet_levels", "i4", ("y", "x"), self.wet_levels, "1"),
                ("bottom_thickness", "f8", ("y", "x"), self.bottom_thickness(), "m"),
            ]
            for name, kind, along, values, units in columns:
                variable = out.createVariable(name, kind, along)
                variable.units = units
                variable[...] = values

    def _bottom_text(self) -> str:
        share = self.levels.least_share
        return (
            ""
            if share is None
            else f"; bottom cells end at the sea floor, {share:g} of a layer or more"
        )

    def describe(self) -> dict[str, str]:
        """Returns label -> text, for the tree."""
        h, wet = self.horizontal, self.wet_levels
        at = self.wet_corners if self.wet_corners.any() else np.ones(self.shape[1:], bool)
        edges = [
            "joined to itself in the north" if h.fold else "closed in the north",
            "periodic" if h.periodic else "closed in the east and west",
        ]
        if h.spherical:
            x, y = h.corner_longitude, h.corner_latitude
            extent = (
                f"longitude {x.min():.4g} to {x.max():.4g}, latitude {y.min():.4g} to {y.max():.4g}"
            )
        else:
            extent = (
                f"{np.ptp(h.corner_longitude) / 1e3:.5g} km ×"
                f" {np.ptp(h.corner_latitude) / 1e3:.5g} km"
            )
        return {
            "extent": f"{extent}; {', '.join(edges)}",
            "spacing": (
                f"{span(h.dx_corner[at] / 1e3, 'km')} along x, {span(h.dy_corner[at] / 1e3, 'km')}"
                " along y"
            ),
            "levels": (
                f"{self.vertical.levels} of {span(self.vertical.thickness, 'm')}, to"
                f" {self.vertical.depth:g} m" + self._bottom_text()
            ),
            "water": f"{np.count_nonzero(wet):,} of {wet.size:,} columns, {int(wet.sum()):,} cells",
        }


def _numbers(given: Any) -> np.ndarray:
    """Returns depths [m] or wet levels, (ny, nx), of an array, whose names of dimensions and unit
    count.
    """
    if not labelled.says(given):
        return np.asarray(given)
    found = labelled.arranged(given, labelled.Place("bathymetry", "m", ("y", "x")))
    return found.astype(given.dtype) if given.dtype.kind in "iu" else found
