"""Grids: where the points are and which of them are water.

>>> import fathom as fm
>>> grid = fm.TripolarGrid(resolution="1deg", levels=fm.ZLevels(number=40, depth=5500), bathymetry="etopo5")
>>> grid
TripolarGrid 360×300×40

A grid has `horizontal` (coordinates, lengths, areas and angles, from the core), `vertical` (levels), `wet_levels` (int32, ny × nx, 0 on
land; computed when first asked for) and a `fingerprint`. Lengths in m, angles in degrees where given by the user. docs/grid.md has the
equations.
"""

import hashlib
import inspect
from functools import cached_property
from typing import ClassVar

import numpy as np


def _core():
    from fathom.mpi import core  # loads the MPI library that the core needs

    return core


def _reject(owner, unknown):
    """ValueError for keywords that `owner` does not have."""
    from fathom.names import near

    allowed = [p for p in inspect.signature(type(owner).__init__).parameters if p not in ("self", "unknown")]
    for name in unknown:
        raise ValueError(f"unknown {type(owner).__name__} parameter '{name}'{near(name, allowed) or ';'} allowed: {', '.join(allowed)}")


def _choice(name, given, allowed):
    from fathom.names import near

    if given not in allowed:
        raise ValueError(f"{name} = {given!r}{near(str(given), allowed) or ';'} allowed: {', '.join(map(repr, allowed))}")
    return given


def _integer(name, given):
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
        raise ValueError(f"{name} = {given!r} must be a whole number")  # noqa: TRY004  all errors of the user are ValueErrors
    return int(given)


def _number(name, given, units):
    try:
        return float(given)
    except (TypeError, ValueError):
        raise ValueError(f"{name} = {given!r} must be a number [{units}]") from None


class ZLevels:
    """Levels of fixed depth.

    Parameters
    ----------
    number : int, default 40
    depth : float [m], default 5500. Depth of the last interface.
    surface : float [m], default 10 (at most depth / number). Thickness of the first layer; thickness grows smoothly downward.
    spacing : "stretched" (default) or "uniform".
    thickness : list of float [m]. The layers themselves, in place of all else.
    """

    def __init__(self, number=None, depth=None, surface=None, spacing=None, thickness=None, **unknown):
        _reject(self, unknown)
        if thickness is not None:
            if (number, depth, surface, spacing) != (None,) * 4:
                raise ValueError("ZLevels takes either thickness, or number, depth, surface and spacing")
            self.vertical = _core().levels_from_thickness([_number("thickness", t, "m") for t in np.atleast_1d(np.asarray(thickness, object))])
            return
        number = _integer("number", 40 if number is None else number)
        depth = _number("depth", 5500 if depth is None else depth, "m")
        if _choice("spacing", spacing or "stretched", ["stretched", "uniform"]) == "uniform":
            if surface is not None:
                raise ValueError(f"surface = {surface} m belongs to stretched levels; these are uniform")
            self.vertical = _core().uniform_levels(number, depth)
        else:
            surface = min(10.0, depth / max(number, 1)) if surface is None else _number("surface", surface, "m")
            self.vertical = _core().stretched_levels(number, depth, surface)

    def __repr__(self):
        v = self.vertical
        return f"ZLevels({v.levels} of {_range(v.thickness, 'm')}, to {v.depth:g} m)"


class Grid:
    """What all grids share: levels, bathymetry and the tree that shows them.

    bathymetry : "etopo5" (sphere), "flat" (water between the walls, to the last level), depth (ny, nx) [m] with 0 on land, wet levels
        (ny, nx) as integers, or a function of (longitude, latitude) – of (x, y) on a plane – that gives the depth.
    minimum_levels : int, default 3. Water is at least as deep; depths are rounded to the nearest interface.
    """

    name = None  # of a grid whose wet levels may be embedded
    usual_levels = 40

    def _finish(self, horizontal, levels, bathymetry, minimum_levels):
        if levels is not None and not isinstance(levels, ZLevels):
            raise ValueError(f"levels = {levels!r} must be ZLevels(...)")
        self.horizontal, self.levels = horizontal, levels or ZLevels(self.usual_levels)
        self.vertical = self.levels.vertical
        self.minimum_levels = min(_integer("minimum_levels", minimum_levels), self.vertical.levels)
        if self.minimum_levels < 1:
            raise ValueError(f"minimum_levels = {minimum_levels} must be 1 or more")
        if isinstance(bathymetry, str):
            _choice("bathymetry", bathymetry, ["etopo5", "flat"] if horizontal.spherical else ["flat"])
        elif not callable(bathymetry):
            bathymetry = np.asarray(bathymetry)
            self._check_depth(bathymetry)
        self.bathymetry = bathymetry

    @property
    def shape(self):
        """(nz, ny, nx)."""
        return self.vertical.levels, self.horizontal.ny, self.horizontal.nx

    @cached_property
    def wet_levels(self):
        """Number of wet levels (ny, nx), int32, 0 on land."""
        h, how = self.horizontal, self.bathymetry
        if isinstance(how, str) and how == "etopo5":
            from fathom.data import bathymetry

            levels = bathymetry.levels_for(
                self.name or "", corner_longitude=h.corner_longitude, corner_latitude=h.corner_latitude,
                center_longitude=h.center_longitude, center_latitude=h.center_latitude, thickness=self.vertical.thickness,
                periodic=h.periodic, fold=h.fold, minimum_levels=self.minimum_levels)  # fmt: skip
        elif isinstance(how, str):
            levels = np.where(self._around_poles(), 0, self.vertical.levels)
        else:
            depth = how
            if callable(how):
                depth = np.array(np.broadcast_to(how(h.center_longitude, h.center_latitude), self.shape[1:]), float)
                self._check_depth(depth)
            levels = depth if depth.dtype.kind in "iu" else self._levels_of(depth)
        levels = np.ascontiguousarray(levels, np.int32)
        levels.flags.writeable = False
        return levels

    def _levels_of(self, depth):
        middles = self.vertical.layer_depth
        return np.where(depth > 0, np.maximum(np.searchsorted(middles, depth), self.minimum_levels), 0)

    def _check_depth(self, depth):
        shape, nz = self.shape[1:], self.vertical.levels
        if depth.shape != shape:
            raise ValueError(f"bathymetry has shape {depth.shape}; the grid takes {shape}")
        if depth.dtype.kind not in "iuf":
            raise ValueError(f"bathymetry holds {depth.dtype}: depths [m] or whole numbers of levels")
        if not np.isfinite(depth).all():
            j, i = (int(n) for n in np.argwhere(~np.isfinite(depth))[0])
            raise ValueError(f"bathymetry is {depth[j, i]} at (j, i) = ({j}, {i}), {self._place(j, i)}: land is 0")
        if depth.dtype.kind in "iu" and (depth.min() < 0 or depth.max() > nz):
            raise ValueError(f"bathymetry as whole numbers are wet levels: in [0, {nz}], not [{depth.min()}, {depth.max()}]; depths are floating-point numbers")

    def _place(self, j, i):
        h = self.horizontal
        x, y = h.center_longitude[j, i], h.center_latitude[j, i]
        return f"longitude {x:.2f}, latitude {y:.2f}" if h.spherical else f"x = {x:g} m, y = {y:g} m"

    def _around_poles(self):
        """Cells that a flat bottom must leave dry: within 5 degrees of the poles of a folded grid."""
        h = self.horizontal
        near = np.zeros(self.shape[1:], bool)
        if h.fold:
            point = lambda x, y: np.stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)], -1)
            centers = point(*np.deg2rad([h.center_longitude, h.center_latitude]))
            for i in (0, h.nx // 2):
                near |= centers @ point(*np.deg2rad([h.corner_longitude[-1, i], h.corner_latitude[-1, i]])) > np.cos(np.deg2rad(5))
        return near

    @cached_property
    def wet_corners(self):
        """Corners between four wet cells (ny, nx), bool: where there is a velocity."""
        from fathom.data.bathymetry import Mesh

        return Mesh(self.shape[1:], self.horizontal.periodic, self.horizontal.fold).corner_levels(self.wet_levels) > 0

    @cached_property
    def fingerprint(self):
        """sha256 of what defines the grid. Coordinates enter in single precision: the last bits of sines differ between machines."""
        h, digest = self.horizontal, hashlib.sha256()
        digest.update(repr((self.shape, h.periodic, h.fold, h.spherical, float(h.radius))).encode())
        for values in (h.corner_longitude, h.corner_latitude, self.vertical.thickness):
            digest.update(np.ascontiguousarray(values, "<f4").tobytes())
        digest.update(self.wet_levels.astype("<i4").tobytes())
        return digest.hexdigest()

    def to_netcdf(self, path):
        """Write corners, centers, thickness and wet levels: what `CurvilinearGrid(file)` and `tools/build_data.py --levels` read."""
        import netCDF4

        h = self.horizontal
        with netCDF4.Dataset(path, "w") as out:
            out.setncatts({"periodic": int(h.periodic), "fold": int(h.fold), "minimum_levels": self.minimum_levels, "radius": h.radius})
            for name, size in {"y_corner": h.ny + 1, "x_corner": h.nx + 1, "y": h.ny, "x": h.nx, "depth": self.vertical.levels}.items():
                out.createDimension(name, size)
            for name in ("corner_longitude", "corner_latitude", "center_longitude", "center_latitude"):
                dims = ("y_corner", "x_corner") if name.startswith("corner") else ("y", "x")
                variable = out.createVariable(name, "f8", dims, zlib=True, shuffle=True)
                variable.units = ("degrees_east" if name.endswith("longitude") else "degrees_north") if h.spherical else "m"
                variable[...] = getattr(h, name)
            columns = ("wet_levels", "i4", ("y", "x"), self.wet_levels, "1")
            for name, kind, dims, values, units in (("thickness", "f8", ("depth",), self.vertical.thickness, "m"), columns):
                variable = out.createVariable(name, kind, dims)
                variable.units = units
                variable[...] = values

    def describe(self):
        """label -> text, for the tree."""
        h, wet = self.horizontal, self.wet_levels
        at = self.wet_corners if self.wet_corners.any() else np.ones(self.shape[1:], bool)
        edges = ["sewn in the north" if h.fold else "closed in the north", "periodic" if h.periodic else "closed in the east and west"]
        if h.spherical:
            x, y = h.corner_longitude, h.corner_latitude
            extent = f"longitude {x.min():.4g} to {x.max():.4g}, latitude {y.min():.4g} to {y.max():.4g}"
        else:
            extent = f"{np.ptp(h.corner_longitude) / 1e3:.5g} km × {np.ptp(h.corner_latitude) / 1e3:.5g} km"
        return {
            "extent": f"{extent}; {', '.join(edges)}",
            "spacing": f"{_range(h.dx_corner[at] / 1e3, 'km')} along x, {_range(h.dy_corner[at] / 1e3, 'km')} along y",
            "levels": f"{self.vertical.levels} of {_range(self.vertical.thickness, 'm')}, to {self.vertical.depth:g} m",
            "water": f"{np.count_nonzero(wet):,} of {wet.size:,} columns, {int(wet.sum()):,} cells",
        }

    def __repr__(self):
        nz, ny, nx = self.shape
        return f"{type(self).__name__} {nx}×{ny}×{nz}"

    def __str__(self):
        lines = [f"{label:<9} {text}" for label, text in self.describe().items()]
        return "\n".join([repr(self), *("├── " + line for line in lines[:-1]), "└── " + lines[-1]])


def _range(values, units):
    low, high = float(np.min(values)), float(np.max(values))
    return f"{low:.3g} {units}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g}–{high:.3g} {units}"


class LatitudeLongitudeGrid(Grid):
    """Cells between parallels and meridians: a global strip, a channel or a closed basin.

    Parameters
    ----------
    nx, ny : int. Columns and rows.
    longitude : (west, east) [degrees], default (0, 360).
    latitude : (south, north) [degrees], default (-80, 80).
    spacing : of the rows: "uniform" (default), "mercator" (square cells if ny allows), "stretched" (by equatorial, width, polar), or the
        ny + 1 latitudes of corners themselves.
    equatorial, width, polar : shape of stretched rows: spacing at the equator relative to the rest, width of the refinement [degrees],
        least spacing near the poles.
    periodic : bool. In longitude; by default where it spans 360 degrees.
    levels, bathymetry ("flat"), minimum_levels : see `Grid`.
    radius : float [m].
    """

    def __init__(self, nx=None, ny=None, *, longitude=(0, 360), latitude=(-80, 80), spacing="uniform", equatorial=1 / 3, width=10, polar=0.2, periodic=None,
                 levels=None, bathymetry="flat", minimum_levels=3, radius=6371220.0, **unknown):  # fmt: skip
        _reject(self, unknown)
        core = _core()
        west, east = _pair("longitude", longitude, "degrees")
        if isinstance(spacing, str):
            if ny is None:
                raise ValueError("ny (the number of rows) is missing")
            south, north, ny = *_pair("latitude", latitude, "degrees"), _integer("ny", ny)
            _choice("spacing", spacing, ["uniform", "mercator", "stretched"])
            if spacing == "stretched":
                rows = core.stretched_latitudes(south, north, ny, core.MeridionalSpacing(equatorial, width, polar))
            else:
                rows = getattr(core, f"{spacing}_latitudes")(south, north, ny)
        else:
            rows = _list("spacing", spacing, "degrees")
            if ny is not None and len(rows) != _integer("ny", ny) + 1:
                raise ValueError(f"ny = {ny} rows lie between {ny + 1} latitudes; spacing has {len(rows)}")
        if nx is None:
            raise ValueError("nx (the number of columns) is missing")
        periodic = abs(east - west - 360) < 1e-9 if periodic is None else bool(periodic)
        self._finish(core.latitude_longitude_grid(_integer("nx", nx), rows, west, east, periodic, radius), levels, bathymetry, minimum_levels)


class CartesianGrid(Grid):
    """A plane, for idealised cases. The model gives the Coriolis parameter; `horizontal` holds x, y [m] in place of longitude, latitude.

    Parameters
    ----------
    nx, ny : int. Columns and rows, evenly spaced over `extent`; or give `x` and `y`.
    extent : (width, length) [m], default (1e6, 1e6).
    x, y : list of float [m]. Corner coordinates, nx + 1 and ny + 1, in place of nx, ny and extent.
    periodic : bool, default False. In x.
    levels, bathymetry ("flat"), minimum_levels (1) : see `Grid`.
    """

    def __init__(self, nx=None, ny=None, *, extent=(1e6, 1e6), x=None, y=None, periodic=False, levels=None, bathymetry="flat", minimum_levels=1, **unknown):
        _reject(self, unknown)
        sides = []
        for name, number, given, length in zip("xy", (nx, ny), (x, y), _pair("extent", extent, "m"), strict=True):
            if given is not None:
                sides.append(_list(name, given, "m"))
                if number is not None and len(sides[-1]) != number + 1:
                    raise ValueError(f"n{name} = {number} cells lie between {number + 1} corners; {name} has {len(sides[-1])}")
            elif number is None:
                raise ValueError(f"n{name} is missing (or the corner coordinates {name})")
            else:
                number = _integer(f"n{name}", number)
                if number < 1 or not length > 0:
                    raise ValueError(f"n{name} = {number} cells over {length:g} m: both must be positive")
                sides.append([length * n / number for n in range(number + 1)])
        self._finish(_core().cartesian_grid(*sides, bool(periodic)), levels, bathymetry, minimum_levels)


class _Named(Grid):
    """A grid that comes in named resolutions; each parameter can be given besides."""

    resolutions: ClassVar[dict] = {}

    def _shape(self, resolution, given):
        """The parameters of the resolution, replaced by those given."""
        from fathom.names import near

        if resolution is not None and resolution not in self.resolutions:
            known = ", ".join(f"{name} ({p['nx']}×{p['ny']})" for name, p in self.resolutions.items())
            hint = near(str(resolution), self.resolutions) or ";"
            raise ValueError(f"unknown {type(self).__name__} resolution {resolution!r}{hint} allowed: {known}; or give nx and ny")
        given = {name: value for name, value in given.items() if value is not None}
        if resolution is None and not {"nx", "ny"} <= set(given):
            raise ValueError(f"{type(self).__name__} needs a resolution ({', '.join(self.resolutions)}) or nx and ny")
        if resolution is not None and not given:
            self.name = f"{type(self).__name__.removesuffix('Grid').lower()}-{resolution}"
        shape = self.resolutions[resolution or next(iter(self.resolutions))] | given
        self.usual_levels = shape.pop("levels", 40)
        core = _core()
        spacing = core.MeridionalSpacing(*(_number(name, shape.pop(name), "1") for name in ("equatorial", "width", "polar")))
        for name, value in shape.items():
            shape[name] = _integer(name, value) if name in ("nx", "ny") else _number(name, value, "degrees" if name != "radius" else "m")
        return shape | {"spacing": spacing}


class DipoleGrid(_Named):
    """Global, with the northern pole of the grid displaced into Greenland (Smith, Kortas & Meltz 1995).

    Parameters
    ----------
    resolution : "x1" (320 × 384, the shape of POP's gx1), "3deg" (100 × 116, gx3; 25 levels unless given), "0.1deg" (3600 × 2400), or nx and ny.
    south : float [degrees], default -79. The southern edge falls on the nearest row.
    pole_longitude, pole_latitude : float [degrees], default -40.5, 76.
    ring : float [degrees], default 4. Angular radius of the innermost circle: land.
    equatorial, width, polar : spacing of rows: at the equator relative to the rest, width of the refinement [degrees], least near the poles.
    levels, bathymetry ("etopo5"), minimum_levels : see `Grid`.
    radius : float [m].
    """

    _shared: ClassVar[dict] = {"south": -79, "pole_longitude": -40.5, "pole_latitude": 76, "ring": 4, "width": 10, "polar": 0.4}
    resolutions: ClassVar[dict] = {
        "x1": {"nx": 320, "ny": 384, "equatorial": 0.42} | _shared,
        "3deg": {"nx": 100, "ny": 116, "levels": 25, "equatorial": 0.35} | _shared,
        "0.1deg": {"nx": 3600, "ny": 2400, "equatorial": 1} | _shared,
    }

    def __init__(self, resolution=None, *, nx=None, ny=None, south=None, pole_longitude=None, pole_latitude=None, ring=None, equatorial=None, width=None,
                 polar=None, levels=None, bathymetry="etopo5", minimum_levels=3, radius=None, **unknown):  # fmt: skip
        _reject(self, unknown)
        shape = self._shape(resolution, {"nx": nx, "ny": ny, "south": south, "pole_longitude": pole_longitude, "pole_latitude": pole_latitude, "ring": ring,
                                             "equatorial": equatorial, "width": width, "polar": polar, "radius": radius})  # fmt: skip
        self._finish(_core().dipole_grid(**shape), levels, bathymetry, minimum_levels)


class TripolarGrid(_Named):
    """Global, with two northern poles on land: the Urals and the Northwest Territories (Murray 1996).

    Parameters
    ----------
    resolution : "1deg" (360 × 300), "3deg" (100 × 116; 25 levels unless given), "0.1deg" (3600 × 2400), or nx (even) and ny.
    south : float [degrees], default -79. The southern edge falls on the nearest row.
    join : float [degrees], default 64. Latitude of both poles, where the cap begins.
    pole_longitude : float [degrees], default 59. Of one pole; the other lies opposite.
    cap : float, default 0.8. Rows of the cap relative to an even continuation of those south of it.
    equatorial, width, polar : spacing of rows: at the equator relative to the rest, width of the refinement [degrees], least near the poles.
    levels, bathymetry ("etopo5"), minimum_levels : see `Grid`.
    radius : float [m].
    """

    _shared: ClassVar[dict] = {"south": -79, "join": 64, "pole_longitude": 59, "cap": 0.8, "width": 10, "polar": 0.2}
    resolutions: ClassVar[dict] = {
        "1deg": {"nx": 360, "ny": 300, "equatorial": 1 / 3} | _shared,
        "3deg": {"nx": 100, "ny": 116, "levels": 25, "equatorial": 1 / 3} | _shared,
        "0.1deg": {"nx": 3600, "ny": 2400, "equatorial": 1} | _shared,
    }

    def __init__(self, resolution=None, *, nx=None, ny=None, south=None, join=None, pole_longitude=None, cap=None, equatorial=None, width=None, polar=None,
                 levels=None, bathymetry="etopo5", minimum_levels=3, radius=None, **unknown):  # fmt: skip
        _reject(self, unknown)
        shape = self._shape(resolution, {"nx": nx, "ny": ny, "south": south, "join": join, "pole_longitude": pole_longitude, "cap": cap,
                                             "equatorial": equatorial, "width": width, "polar": polar, "radius": radius})  # fmt: skip
        self._finish(_core().tripolar_grid(**shape), levels, bathymetry, minimum_levels)


class CurvilinearGrid(Grid):
    """Any orthogonal curvilinear grid on the sphere, from the coordinates of its corners.

    Parameters
    ----------
    file : path of a NetCDF file with corner_longitude, corner_latitude (ny + 1, nx + 1), as `Grid.to_netcdf` writes it, or an ocean_hgrid
        of MOM (x, y on twice the points); or give the arrays.
    corner_longitude, corner_latitude : (ny + 1, nx + 1) [degrees]. [j + 1, i + 1] is the north-east corner of cell (j, i).
    periodic, fold : bool. By default seen from the corners: the first and last column coincide, the last row is its own mirror image.
    levels, bathymetry ("etopo5"), minimum_levels : see `Grid`.
    radius : float [m].
    """

    def __init__(self, file=None, *, corner_longitude=None, corner_latitude=None, periodic=None, fold=None, levels=None, bathymetry="etopo5", minimum_levels=3,
                 radius=6371220.0, **unknown):  # fmt: skip
        _reject(self, unknown)
        if file is not None:
            if corner_longitude is not None or corner_latitude is not None:
                raise ValueError("CurvilinearGrid takes either a file or corner_longitude and corner_latitude")
            corner_longitude, corner_latitude = _corners_from(file)
        corners = [np.ascontiguousarray(a, float) for a in (corner_longitude, corner_latitude)]
        if corners[0].ndim != 2 or min(corners[0].shape) < 2 or corners[0].shape != corners[1].shape:
            raise ValueError(f"corner_longitude has shape {corners[0].shape}, corner_latitude {corners[1].shape}: both must be (ny + 1, nx + 1)")
        for name, values in zip(("corner_longitude", "corner_latitude"), corners, strict=True):
            if not np.isfinite(values).all():
                raise ValueError(f"{name} is not finite at [j, i] = {np.argwhere(~np.isfinite(values))[0].tolist()}")
        x, y = np.deg2rad(corners)
        point = np.stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)], -1)
        same = lambda a, b: bool(np.abs(a - b).max() < 1e-6)
        periodic = same(point[:, 0], point[:, -1]) if periodic is None else bool(periodic)
        seam = point[-1, 1:]  # C(i), whose partner is C(nx - 2 - i)
        if fold is None:
            fold = periodic and seam.shape[0] % 2 == 0 and same(seam, np.roll(seam[::-1], -1, 0)) and not same(seam, seam[:1])
        self._finish(_core().curvilinear_grid(*corners, periodic, bool(fold), radius), levels, bathymetry, minimum_levels)

    @cached_property
    def orthogonality(self):
        """Departure of grid lines from a right angle [degrees]: (mean, largest, its (j, i))."""
        departure = _core().departure_from_right_angle(self.horizontal)
        return float(departure.mean()), float(departure.max()), tuple(int(n) for n in np.unravel_index(departure.argmax(), departure.shape))

    def describe(self):
        mean, largest, at = self.orthogonality
        return {"angles": f"right to {mean:.2g}° in the mean, {largest:.2g}° at worst ({self._place(*at)})"} | super().describe()


def _pair(name, given, units):
    values = _list(name, given, units)
    if len(values) != 2:
        raise ValueError(f"{name} = {given!r} must be two numbers [{units}]")
    return values


def _list(name, given, units):
    if isinstance(given, str) or np.ndim(given) != 1:
        raise ValueError(f"{name} = {given!r} must be a list of numbers [{units}]")
    return [_number(name, value, units) for value in given]


def _corners_from(path):
    """corner_longitude, corner_latitude of a file, degrees."""
    from pathlib import Path

    import netCDF4

    if not Path(path).is_file():
        raise ValueError(f"no grid file '{path}'")
    with netCDF4.Dataset(path) as file:
        if {"corner_longitude", "corner_latitude"} <= set(file.variables):
            names, step = ("corner_longitude", "corner_latitude"), 1
        elif {"x", "y", "nxp", "nyp"} <= {*file.variables, *file.dimensions}:
            names, step = ("x", "y"), 2
        else:
            there = ", ".join(file.variables) or "no variables"
            raise ValueError(f"'{path}' has no corner_longitude and corner_latitude (nor x, y of a MOM supergrid); it has {there}")
        arrays = []
        for name in names:
            variable = file.variables[name]
            values = np.ma.filled(variable[::step, ::step].astype(float), np.nan)
            arrays.append(np.rad2deg(values) if str(getattr(variable, "units", "")).startswith("rad") else values)
    return arrays
