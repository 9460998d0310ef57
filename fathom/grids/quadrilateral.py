"""Grids of quadrilateral cells for water: with displaced poles, from a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.base.reading import once
from fathom.data.embedded import opened
from fathom.grids.arguments import (
    core,
    integer,
    number_of,
    room_for,
    yes_or_no,
)
from fathom.grids.levels import ZLevels
from fathom.grids.water import WaterGrid


class _Named(WaterGrid):
    """A grid that comes in named resolutions; each parameter can be given besides."""

    resolutions: ClassVar[dict[str, Any]] = {}

    def _shape(self, resolution: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the parameters of the resolution, replaced by those given."""
        if resolution is not None:
            self._check_resolution(resolution)
        given = {name: value for name, value in given.items() if value is not None}
        if resolution is None and not {"nx", "ny"} <= set(given):
            raise InputError(
                f"{type(self).__name__} needs a resolution ({', '.join(self.resolutions)}) or nx"
                " and ny"
            )
        if resolution is not None and not given:
            self.name = f"{type(self).__name__.removesuffix('Grid').lower()}-{resolution}"
        shape = self.resolutions[resolution or next(iter(self.resolutions))] | given
        self.usual_levels = shape.pop("levels", 40)
        spacing = core().MeridionalSpacing(
            *(number_of(name, shape.pop(name), "1") for name in ("equatorial", "width", "polar"))
        )
        room_for(shape["nx"], shape["ny"])
        numbers = {name: _number(name, value) for name, value in shape.items()}
        return numbers | {"spacing": spacing}

    def _check_resolution(self, resolution: Any) -> None:
        if resolution in self.resolutions:
            return
        known = ", ".join(f"{name} ({p['nx']}×{p['ny']})" for name, p in self.resolutions.items())
        hint = near(str(resolution), self.resolutions) or ";"
        raise InputError(
            f"unknown {type(self).__name__} resolution {resolution!r}{hint} allowed: {known};"
            " or give nx and ny"
        )


def _number(name: str, value: Any) -> float:
    if name in ("nx", "ny"):
        return integer(name, value)
    return number_of(name, value, "m" if name == "radius" else "degrees")


class DipoleGrid(_Named):
    """Global, with the northern pole of the grid displaced into Greenland (Smith, Kortas & Meltz
    1995).

    Parameters
    ----------
    resolution : "x1" (320 × 384, the shape of POP's gx1), "3deg" (100 × 116, gx3; 25 levels unless
        given), "0.1deg" (3600 × 2400), or nx and ny.
    south : float [degrees], default -79. The southern edge falls on the nearest row.
    pole_longitude, pole_latitude : float [degrees], default -40.5, 76.
    ring : float [degrees], default 4. Angular radius of the innermost circle: land.
    equatorial, width, polar : spacing of rows: at the equator relative to the rest, width of the
        refinement [degrees], least near the poles.
    levels, bathymetry ("etopo5"), minimum_levels : see `WaterGrid`.
    radius : float [m].
    """

    _shared: ClassVar[dict[str, Any]] = {
        "south": -79,
        "pole_longitude": -40.5,
        "pole_latitude": 76,
        "ring": 4,
        "width": 10,
        "polar": 0.4,
    }
    resolutions: ClassVar[dict[str, Any]] = {
        "x1": {"nx": 320, "ny": 384, "equatorial": 0.42} | _shared,
        "3deg": {"nx": 100, "ny": 116, "levels": 25, "equatorial": 0.35} | _shared,
        "0.25deg": {"nx": 1440, "ny": 960, "equatorial": 1} | _shared,
        "0.1deg": {"nx": 3600, "ny": 2400, "equatorial": 1} | _shared,
    }

    def __init__(
        self,
        resolution: str | None = None,
        *,
        nx: int | None = None,
        ny: int | None = None,
        south: float | None = None,
        pole_longitude: float | None = None,
        pole_latitude: float | None = None,
        ring: float | None = None,
        equatorial: float | None = None,
        width: float | None = None,
        polar: float | None = None,
        levels: ZLevels | None = None,
        bathymetry: Any = "etopo5",
        minimum_levels: int = 3,
        radius: float | None = None,
    ) -> None:
        shape = self._shape(
            resolution,
            {
                "nx": nx,
                "ny": ny,
                "south": south,
                "pole_longitude": pole_longitude,
                "pole_latitude": pole_latitude,
                "ring": ring,
                "equatorial": equatorial,
                "width": width,
                "polar": polar,
                "radius": radius,
            },
        )
        self._finish(lambda: core().dipole_grid(**shape), levels, bathymetry, minimum_levels)


class TripolarGrid(_Named):
    """Global, with two northern poles on land: the Urals and the Northwest Territories (Murray
    1996).

    Parameters
    ----------
    resolution : "1deg" (360 × 300), "3deg" (100 × 116; 25 levels unless given), "0.25deg" (1440 ×
        960), "0.1deg" (3600 × 2400), or nx (even) and ny.
    south : float [degrees], default -79. The southern edge falls on the nearest row.
    join : float [degrees], default 64. Latitude of both poles, where the cap begins.
    pole_longitude : float [degrees], default 59. Of one pole; the other lies opposite.
    cap : float, default 0.8. Rows of the cap relative to an even continuation of those south of it.
    equatorial, width, polar : spacing of rows: at the equator relative to the rest, width of the
        refinement [degrees], least near the poles.
    levels, bathymetry ("etopo5"), minimum_levels : see `WaterGrid`.
    radius : float [m].
    """

    _shared: ClassVar[dict[str, Any]] = {
        "south": -79,
        "join": 64,
        "pole_longitude": 59,
        "cap": 0.8,
        "width": 10,
        "polar": 0.2,
    }
    resolutions: ClassVar[dict[str, Any]] = {
        "1deg": {"nx": 360, "ny": 300, "equatorial": 1 / 3} | _shared,
        "3deg": {"nx": 100, "ny": 116, "levels": 25, "equatorial": 1 / 3} | _shared,
        "0.25deg": {"nx": 1440, "ny": 960, "equatorial": 1} | _shared,
        "0.1deg": {"nx": 3600, "ny": 2400, "equatorial": 1} | _shared,
    }

    def __init__(
        self,
        resolution: str | None = None,
        *,
        nx: int | None = None,
        ny: int | None = None,
        south: float | None = None,
        join: float | None = None,
        pole_longitude: float | None = None,
        cap: float | None = None,
        equatorial: float | None = None,
        width: float | None = None,
        polar: float | None = None,
        levels: ZLevels | None = None,
        bathymetry: Any = "etopo5",
        minimum_levels: int = 3,
        radius: float | None = None,
    ) -> None:
        shape = self._shape(
            resolution,
            {
                "nx": nx,
                "ny": ny,
                "south": south,
                "join": join,
                "pole_longitude": pole_longitude,
                "cap": cap,
                "equatorial": equatorial,
                "width": width,
                "polar": polar,
                "radius": radius,
            },
        )
        self._finish(lambda: core().tripolar_grid(**shape), levels, bathymetry, minimum_levels)


def _check_corners(longitude: np.ndarray, latitude: np.ndarray) -> None:
    """Raises ValueError: shapes that do not fit, or what is not finite."""
    if longitude.ndim != 2 or min(longitude.shape) < 2 or longitude.shape != latitude.shape:
        raise InputError(
            f"corner_longitude has shape {longitude.shape}, corner_latitude"
            f" {latitude.shape}: both must be (ny + 1, nx + 1)"
        )
    for name, values in {"corner_longitude": longitude, "corner_latitude": latitude}.items():
        if not np.isfinite(values).all():
            raise InputError(
                f"{name} is not finite at [j, i] = {np.argwhere(~np.isfinite(values))[0].tolist()}"
            )


class CurvilinearGrid(WaterGrid):
    """Any orthogonal curvilinear grid on the sphere, from the coordinates of its corners.

    Parameters
    ----------
    file : path of a NetCDF file with corner_longitude, corner_latitude (ny + 1, nx + 1), as
        `to_netcdf` writes it, or an ocean_hgrid
        of MOM (x, y on twice the points); or give the arrays.
    corner_longitude, corner_latitude : (ny + 1, nx + 1) [degrees]. [j + 1, i + 1] is the north-east
        corner of cell (j, i).
    periodic, fold : bool. By default seen from the corners: the first and last column coincide, the
        last row is its own mirror image.
    levels, bathymetry ("etopo5"), minimum_levels : see `WaterGrid`.
    radius : float [m].
    """

    def __init__(
        self,
        file: str | Path | None = None,
        *,
        corner_longitude: np.ndarray | None = None,
        corner_latitude: np.ndarray | None = None,
        periodic: bool | None = None,
        fold: bool | None = None,
        levels: ZLevels | None = None,
        bathymetry: Any = "etopo5",
        minimum_levels: int = 3,
        radius: float = earth.RADIUS,
    ) -> None:
        if file is not None:
            if corner_longitude is not None or corner_latitude is not None:
                raise InputError(
                    "CurvilinearGrid takes either a file or corner_longitude and corner_latitude"
                )
            corner_longitude, corner_latitude = _corners_from(file)
        corners = [np.ascontiguousarray(a, float) for a in (corner_longitude, corner_latitude)]
        _check_corners(*corners)
        point = earth.unit_vectors(*corners)

        def same(a: Any, b: Any) -> bool:
            return bool(np.abs(a - b).max() < 1e-6)

        periodic = (
            same(point[:, 0], point[:, -1]) if periodic is None else yes_or_no("periodic", periodic)
        )
        seam = point[-1, 1:]  # C(i), whose partner is C(nx - 2 - i)
        if fold is None:
            fold = (
                periodic
                and seam.shape[0] % 2 == 0
                and same(seam, np.roll(seam[::-1], -1, 0))
                and not same(seam, seam[:1])
            )
        self._finish(
            lambda: core().curvilinear_grid(*corners, periodic, yes_or_no("fold", fold), radius),
            levels,
            bathymetry,
            minimum_levels,
        )

    @cached_property
    def orthogonality(self) -> tuple[float, float, tuple[int, ...]]:
        """Returns departure of grid lines from a right angle [degrees]: (mean, largest, its (j,
        i)).
        """
        departure = core().departure_from_right_angle(self.horizontal)
        return (
            float(departure.mean()),
            float(departure.max()),
            tuple(int(n) for n in np.unravel_index(departure.argmax(), departure.shape)),
        )

    def describe(self) -> dict[str, str]:
        """Returns label -> text, for the tree."""
        mean, largest, at = self.orthogonality
        return {
            "angles": (
                f"right to {mean:.2g}° in the mean, {largest:.2g}° at worst ({self.place(*at)})"
            )
        } | super().describe()


@once
def _corners_from(path: str | Path) -> Any:
    """Returns corner_longitude, corner_latitude of a file, degrees."""
    if not Path(path).is_file():
        raise InputError(f"no grid file '{path}'")
    with opened(Path(path)) as file:
        if {"corner_longitude", "corner_latitude"} <= set(file.variables):
            names, step = ("corner_longitude", "corner_latitude"), 1
        elif {"x", "y", "nxp", "nyp"} <= {*file.variables, *file.dimensions}:
            names, step = ("x", "y"), 2
        else:
            there = ", ".join(file.variables) or "no variables"
            raise InputError(
                f"'{path}' has no corner_longitude and corner_latitude (nor x, y of a MOM"
                f" supergrid); it has {there}"
            )
        arrays = []
        for name in names:
            variable = file.variables[name]
            values = np.ma.filled(variable[::step, ::step].astype(float), np.nan)
            arrays.append(
                np.rad2deg(values)
                if str(getattr(variable, "units", "")).startswith("rad")
                else values
            )
    return arrays
