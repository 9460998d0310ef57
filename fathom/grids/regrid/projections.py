"""Planes of limited areas: x, y [m] on a map of the sphere of radius a.

Conformal ones are one formula (Snyder 1987). With isometric latitude s = arsinh tan f and longitude
d from the middle meridian
    w = s - i d,   y - i x = k (1 - exp(-n w)) / n - c,   m = (k / a) exp(-n s) cosh s,
        angle from east to the axis of x = -n d
n = +-1 is polar stereographic, 0 (the limit k w) Mercator, between them a cone of Lambert; k makes
m = 1 on the true latitude, c puts y = 0 on the latitude of origin. The map factor m is the ratio of
a length on the map to that on earth.

Rotated latitude and longitude are lengths too, x = a l', y = a f': m is 1 / cos f' along x, 1 along
y. Places in degrees, angles in radians, lengths in m.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.grids.regrid.schmidt import Schmidt, turned

Arrays = tuple[np.ndarray, np.ndarray]


Numbers = float | np.ndarray


class Projection(ABC):
    """A map of the sphere, about another north pole where `pole` (longitude, latitude) is given.

    What a kind of map has: `_to_plane`, `_to_sphere`, `_factors` and `_angle`, of longitude from
    the middle meridian and of latitude on the sphere of the pole. `attributes`: of a CF grid
    mapping.
    """

    attributes: dict[str, object]
    conformal = True

    def __init__(
        self,
        longitude: float,
        pole: tuple[float, float] | None = None,
        radius: float = earth.RADIUS,
    ) -> None:
        self.longitude, self.radius = _finite("longitude", longitude), radius
        if not 0 < radius < np.inf:
            raise InputError(f"radius = {radius!r} must be more than 0 m")
        self.sphere = Schmidt(1.0, (0.0, 90.0) if pole is None else pole)

    def from_earth(self, longitude: Numbers, latitude: Numbers) -> Arrays:
        """Returns x and y of places, which broadcast; ValueError where a latitude is none."""
        return self._to_plane(*self._on_sphere(longitude, latitude))

    def to_earth(self, x: Numbers, y: Numbers) -> Arrays:
        """Returns longitude within [-180, 180) and latitude of x and y: the inverse of
        `from_earth`.
        """
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        along, latitude = self._to_sphere(x, y)
        longitude, latitude = self.sphere.to_earth(along + self.longitude, latitude)
        return wrapped(longitude), latitude

    def map_factors(self, longitude: Numbers, latitude: Numbers) -> Arrays:
        """Returns m along x and along y, at places; the same twice where the map is conformal."""
        return self._factors(*self._on_sphere(longitude, latitude))

    def angle(self, longitude: Numbers, latitude: Numbers) -> np.ndarray:
        """Returns the convergence: from east to the axis of x, counter-clockwise, at places."""
        along, up = self._on_sphere(longitude, latitude)
        turn = self._angle(along, up)
        if self.sphere.plain:
            return turn
        result: np.ndarray = turn + self.sphere.angle(
            along + self.longitude, up, on_earth=longitude
        )
        return result

    def coriolis(self, latitude: Numbers) -> np.ndarray:
        """Returns f = 2 Omega sin(latitude) [s-1]."""
        return 2 * earth.ROTATION * np.sin(np.deg2rad(latitude))

    def along_axes(
        self, eastward: np.ndarray, northward: np.ndarray, longitude: Numbers, latitude: Numbers
    ) -> Arrays:
        """Returns components along x and y of a wind at places, m/s on earth."""
        return turned(eastward, northward, -self.angle(longitude, latitude))

    def on_earth(
        self, u: np.ndarray, v: np.ndarray, longitude: Numbers, latitude: Numbers
    ) -> Arrays:
        """Returns eastward and northward components of a wind along x and y: the inverse."""
        return turned(u, v, self.angle(longitude, latitude))

    def contains(self, x: Numbers, y: Numbers) -> np.ndarray:
        """Returns whether points of the plane are places: not beyond the seam of a cone, nor a
        pole.
        """
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        along, latitude = self._to_sphere(x, y)
        return (np.abs(along) <= 180) & (np.abs(latitude) <= 90)

    def _on_sphere(self, longitude: Numbers, latitude: Numbers) -> Arrays:
        longitude, latitude = np.broadcast_arrays(
            np.asarray(longitude, float), np.asarray(latitude, float)
        )
        if not (np.abs(latitude) <= 90).all():
            worst = latitude.flat[np.argmax(~(np.abs(latitude) <= 90))]
            raise InputError(f"latitude {worst:g} is none: within [-90, 90] degrees")
        along, latitude = self.sphere.from_earth(longitude, latitude)
        return wrapped(along - self.longitude), latitude

    @abstractmethod
    def _to_plane(self, along: np.ndarray, latitude: np.ndarray) -> Arrays:
        """Returns x and y [m]."""

    @abstractmethod
    def _to_sphere(self, x: Numbers, y: Numbers) -> Arrays:
        """Returns longitude along and latitude, the inverse [degrees]."""

    @abstractmethod
    def _factors(self, along: np.ndarray, latitude: np.ndarray) -> Arrays:
        """Returns m along x and along y."""

    @abstractmethod
    def _angle(self, along: np.ndarray, latitude: np.ndarray) -> np.ndarray:
        """Returns the angle from east to the axis of x [radians]."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.attributes == other.attributes

    def __hash__(self) -> int:
        return hash(repr(self.attributes))


class _Conformal(Projection):
    """cone: n of the head of this file."""

    def __init__(
        self,
        cone: float,
        longitude: float,
        true_latitude: float,
        origin: float,
        pole: tuple[float, float] | None = None,
        radius: float = earth.RADIUS,
    ) -> None:
        super().__init__(longitude, pole, radius)
        self.cone = float(cone)
        self._k = radius / _stretch(self.cone, _isometric(true_latitude))
        self._c = 0.0
        self._c = float(self._to_plane(0.0, origin)[1])

    def _to_plane(self, along: Numbers, latitude: Numbers) -> Arrays:
        n, w = self.cone, _isometric(latitude) - 1j * np.deg2rad(along)
        z = self._k * (-np.expm1(-n * w) / n if n else w) - self._c
        return -z.imag, z.real

    def _to_sphere(self, x: Numbers, y: Numbers) -> Arrays:
        n, z = self.cone, (y - 1j * x + self._c) / self._k
        if n:
            with np.errstate(divide="ignore"):  # a pole: s is infinite there
                z = np.log1p(-n * z)
            z = -z.real / n - 1j * z.imag / n
        return -np.rad2deg(z.imag), np.rad2deg(np.arctan(np.sinh(np.clip(z.real, -700, 700))))

    def _factors(self, along: np.ndarray, latitude: np.ndarray) -> Arrays:
        m = self._k / self.radius * _stretch(self.cone, _isometric(latitude))
        m = np.broadcast_to(m, np.shape(along))
        return m, m

    def _angle(self, along: np.ndarray, latitude: np.ndarray) -> np.ndarray:
        result: np.ndarray = -self.cone * np.deg2rad(along)
        return result


class LambertConformal(_Conformal):
    """A map on a cone that cuts or touches the sphere.

    longitude: of the middle meridian, which is parallel to y
    latitude: where m = 1, or two of them on one side of the equator; y = 0 on the first
    """

    def __init__(self, longitude: float, latitude: Any, radius: float = earth.RADIUS) -> None:
        given = [_finite("latitude", value) for value in np.atleast_1d(latitude)]
        first, last = given[0], given[-1]
        if len(given) > 2 or not 0 < min(first * last, first**2, last**2) < 90**2:
            raise InputError(
                f"latitude = {latitude!r}: one or two of a cone, on one side of the equator and"
                " off the poles; take Mercator at the equator, PolarStereographic at a pole"
            )
        cosines = np.cos(np.deg2rad([first, last]))
        far = abs(first - last) > 1e-9
        cone = (
            np.log(cosines[0] / cosines[1]) / (_isometric(last) - _isometric(first))
            if far
            else np.sin(np.deg2rad(first))
        )
        super().__init__(cone, longitude, first, first, radius=radius)
        self.latitude = tuple(given)
        self.attributes = {
            "grid_mapping_name": "lambert_conformal_conic",
            "standard_parallel": self.latitude,
            "longitude_of_central_meridian": self.longitude,
            "latitude_of_projection_origin": first,
            "earth_radius": radius,
        }

    def __repr__(self) -> str:
        return f"LambertConformal({self.longitude:g}, {', '.join(f'{f:g}' for f in self.latitude)})"


class PolarStereographic(_Conformal):
    """A map on a plane at a pole, which is x = y = 0.

    longitude: of the meridian that is parallel to y
    latitude: where m = 1; its sign says which pole
    """

    def __init__(
        self, longitude: float, latitude: float = 90.0, radius: float = earth.RADIUS
    ) -> None:
        self.latitude = _finite("latitude", latitude)
        if not 0 < abs(self.latitude) <= 90:
            raise InputError(
                f"latitude = {latitude!r}, where the map factor is 1, must lie in (0, 90] or"
                " [-90, 0): its sign says which pole"
            )
        side = np.sign(self.latitude)
        super().__init__(side, longitude, self.latitude, 90 * side, radius=radius)
        self.attributes = {
            "grid_mapping_name": "polar_stereographic",
            "straight_vertical_longitude_from_pole": self.longitude,
            "latitude_of_projection_origin": 90.0 * side,
            "standard_parallel": self.latitude,
            "earth_radius": radius,
        }

    def __repr__(self) -> str:
        return f"PolarStereographic({self.longitude:g}, {self.latitude:g})"


class Mercator(_Conformal):
    """A map on a cylinder; y = 0 on the equator.

    longitude: where x = 0
    latitude: where m = 1, north and south
    """

    def __init__(
        self, longitude: float, latitude: float = 0.0, radius: float = earth.RADIUS
    ) -> None:
        self.latitude = _finite("latitude", latitude)
        if not abs(self.latitude) < 89:
            raise InputError(f"latitude = {latitude!r} must lie within (-89, 89): a cylinder")
        super().__init__(0.0, longitude, self.latitude, 0.0, radius=radius)
        self.attributes = {
            "grid_mapping_name": "mercator",
            "longitude_of_projection_origin": self.longitude,
            "standard_parallel": self.latitude,
            "earth_radius": radius,
        }

    def __repr__(self) -> str:
        return f"Mercator({self.longitude:g}, {self.latitude:g})"


class RotatedLatitudeLongitude(Projection):
    """Latitude and longitude about their own pole, times the radius.

    pole: (longitude, latitude) of the north pole of the grid; x = y = 0 is a quarter of the way
        around from there, over the true pole, as in CF
    middle: longitude of the true pole on the grid: 180 where x = 0 is to run south of it
    """

    conformal = False

    def __init__(
        self, pole: tuple[float, float], middle: float = 0.0, radius: float = earth.RADIUS
    ) -> None:
        if np.shape(pole) != (2,):
            raise InputError(f"pole = {pole!r}: longitude and latitude of the pole of the grid")
        held = _finite("pole", pole[0]), _finite("pole", pole[1])
        super().__init__(held[0] + 180 - _finite("middle", middle), held, radius)
        self.middle = float(middle)
        self.attributes = {
            "grid_mapping_name": "rotated_latitude_longitude",
            "grid_north_pole_longitude": held[0],
            "grid_north_pole_latitude": held[1],
            "north_pole_grid_longitude": self.middle,
            "earth_radius": radius,
        }

    def _to_plane(self, along: np.ndarray, latitude: np.ndarray) -> Arrays:
        return self.radius * np.deg2rad(along), self.radius * np.deg2rad(latitude)

    def _to_sphere(self, x: Numbers, y: Numbers) -> Arrays:
        return np.rad2deg(x / self.radius), np.rad2deg(y / self.radius)

    def _factors(self, along: np.ndarray, latitude: np.ndarray) -> Arrays:
        return 1 / np.cos(np.deg2rad(latitude)), np.ones(np.shape(latitude))

    def _angle(self, along: np.ndarray, latitude: np.ndarray) -> np.ndarray:
        return np.zeros(np.shape(along))

    def __repr__(self) -> str:
        x, y = self.sphere.pole
        middle = f", middle={self.middle:g}" if self.middle else ""
        return f"RotatedLatitudeLongitude(({x:g}, {y:g}){middle})"


#: Names of maps, and how each is laid around a place (longitude, latitude).
kinds: dict[str, Callable[[float, float, float], Projection]] = {
    "lambert": lambda x, y, radius: LambertConformal(x, y, radius),
    "polar stereographic": lambda x, y, radius: PolarStereographic(x, y, radius),
    "mercator": lambda x, y, radius: Mercator(x, y, radius),
    "rotated": lambda x, y, radius: (
        RotatedLatitudeLongitude((x + 180, 90 - y), 0.0, radius)
        if y >= 0
        else RotatedLatitudeLongitude((x, 90 + y), 180.0, radius)
    ),
}


def of(attributes: Mapping[str, Any]) -> Projection:
    """Returns the map that a CF grid mapping describes. ValueError: one that is not known here."""
    a = {name: np.atleast_1d(held).tolist() for name, held in attributes.items()}

    def one(name: Any) -> Any:
        return a[name][0]

    radius, kind = one("earth_radius"), one("grid_mapping_name")
    if kind == "lambert_conformal_conic":
        middle, parallels = one("longitude_of_central_meridian"), a["standard_parallel"]
        return LambertConformal(middle, parallels, radius)
    if kind == "polar_stereographic":
        middle = one("straight_vertical_longitude_from_pole")
        return PolarStereographic(middle, one("standard_parallel"), radius)
    if kind == "mercator":
        return Mercator(one("longitude_of_projection_origin"), one("standard_parallel"), radius)
    if kind == "rotated_latitude_longitude":
        pole = one("grid_north_pole_longitude"), one("grid_north_pole_latitude")
        return RotatedLatitudeLongitude(pole, a.get("north_pole_grid_longitude", [0.0])[0], radius)
    raise InputError(f"no map '{kind}' is known here")


def touching(
    longitude: float, latitude: float, radius: float = earth.RADIUS
) -> LambertConformal | PolarStereographic | Mercator:
    """Returns the conformal map that touches the sphere at a latitude, the equator and the poles
    too.
    """
    if abs(latitude) > 90 - 1e-6:
        return PolarStereographic(longitude, np.copysign(90.0, latitude), radius)
    if abs(latitude) < 1e-6:
        return Mercator(longitude, 0.0, radius)
    return LambertConformal(longitude, latitude, radius)


def fitting(latitude: float) -> str:
    """Returns the kind of map that bends least around a latitude."""
    return next(
        name
        for edge, name in ((25, "mercator"), (65, "lambert"), (90, "polar stereographic"))
        if abs(latitude) <= edge
    )


def wrapped(longitude: Numbers) -> np.ndarray:
    """Returns longitudes in [-180, 180)."""
    return (np.asarray(longitude) + 180) % 360 - 180


def _isometric(latitude: Numbers) -> np.ndarray:
    return np.arcsinh(np.tan(np.deg2rad(latitude)))


def _stretch(n: float, s: np.ndarray) -> np.ndarray:
    """Returns exp(-n s) cosh s, of a pole too."""
    return 0.5 * (np.exp((1 - n) * s) + np.exp(-(1 + n) * s))


def _finite(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise InputError(f"{name} must be a number [degrees]")
    return number
