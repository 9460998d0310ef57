"""The sphere of a stretched and rotated grid (Schmidt 1977; Courtier & Geleyn 1988).

A grid is uniform on a computational sphere, longitude l', latitude f'. About the pole of stretching
the real latitude is f, with the same longitude:
    sin f = (b + a sin f') / m,   cos f = cos f' / m,   m = a + b sin f',   a = (c^2 + 1) / 2c,
        b = (c^2 - 1) / 2c
m is the map factor: c times finer at the pole of stretching, c times coarser opposite. The rotation
that takes the north pole along its meridian to the pole of stretching then gives longitude and
latitude on earth. Degrees everywhere.

l' counts from the meridian that this takes from Greenwich's, or from that which runs from the pole
of stretching towards the north pole, as files of ARPEGE and of GRIB have it.
"""

from __future__ import annotations

import numpy as np

from fathom.base.earth import unit_vectors
from fathom.base.failure import InputError

Numbers = float | np.ndarray


class Schmidt:
    """stretching c >= 1; pole of stretching (longitude, latitude); towards_pole: whether longitudes
    about another pole than that of the earth begin towards the latter."""

    def __init__(
        self,
        stretching: float = 1.0,
        pole: tuple[float, float] = (0.0, 90.0),
        towards_pole: bool = False,
    ) -> None:
        self.stretching, self.pole = float(stretching), tuple(map(float, pole))
        if not 1 <= self.stretching < 1e100:
            raise InputError(
                f"stretching = {stretching:g} must be at least 1 (no stretching): the grid is"
                " finer by this factor at the pole of stretching"
            )
        if not (np.isfinite(self.pole[0]) and -90 <= self.pole[1] <= 90):
            raise InputError(
                f"pole = {pole!r}: longitude and latitude of the pole of stretching, latitude"
                " within [-90, 90] degrees"
            )
        # where the meridian lies that runs south from the pole of stretching
        self.south = 180.0 if towards_pole and self.rotated else self.pole[0]
        c2 = self.stretching**2
        self.a, self.b = (c2 + 1) / (2 * self.stretching), (c2 - 1) / (2 * self.stretching)

    @property
    def rotated(self) -> bool:
        """Returns whether the pole is not that of the earth."""
        return self.pole[1] != 90

    @property
    def plain(self) -> bool:
        """Returns whether it is neither stretched nor rotated."""
        return self.stretching == 1 and not self.rotated

    def map_factor(self, latitude: Numbers) -> np.ndarray:
        """Returns m at latitudes of the computational sphere."""
        return self.a + self.b * np.sin(np.deg2rad(latitude))

    def from_pole(self, latitude: Numbers) -> np.ndarray:
        """Returns f of f': latitude about the pole of stretching."""
        if self.stretching == 1:
            return np.asarray(latitude, float)
        sine = np.sin(np.deg2rad(latitude))
        return np.rad2deg(np.arctan2(self.b + self.a * sine, np.cos(np.deg2rad(latitude))))

    def to_earth(self, longitude: Numbers, latitude: Numbers) -> tuple[np.ndarray, np.ndarray]:
        """Returns longitude and latitude on earth of points of the computational sphere."""
        latitude = self.from_pole(latitude)
        if not self.rotated:
            return np.asarray(longitude, float), latitude
        (x, y, z), (sine, cosine) = (
            np.moveaxis(unit_vectors(longitude - self.south, latitude), -1, 0),
            self._tilt(),
        )
        x, z = x * sine + z * cosine, z * sine - x * cosine
        return self.pole[0] + np.rad2deg(np.arctan2(y, x)), np.rad2deg(
            np.arctan2(z, np.hypot(x, y))
        )

    def from_earth(self, longitude: Numbers, latitude: Numbers) -> tuple[np.ndarray, np.ndarray]:
        """Returns the inverse of `to_earth`."""
        (x, y, z), (sine, cosine) = (
            np.moveaxis(
                unit_vectors(
                    np.asarray(longitude, float) - self.pole[0], np.asarray(latitude, float)
                ),
                -1,
                0,
            ),
            self._tilt(),
        )
        x, z = x * sine - z * cosine, x * cosine + z * sine
        across = np.hypot(x, y)
        return self.south + np.rad2deg(np.arctan2(y, x)), np.rad2deg(
            np.arctan2(self.a * z - self.b, across)
        )

    def angle(
        self, longitude: Numbers, latitude: Numbers, on_earth: Numbers | None = None
    ) -> np.ndarray:
        """Returns the angle from east on earth to east about the pole of stretching,
        counter-clockwise [radians], at points of the computational sphere; on_earth: their
        longitude there, where it is not that of `to_earth`: at a pole of the earth.
        """
        here = np.deg2rad(longitude - self.south)
        there, latitude = self.to_earth(longitude, latitude)
        there, latitude = (
            np.deg2rad((there if on_earth is None else on_earth) - self.pole[0]),
            np.deg2rad(latitude),
        )
        sine, cosine = self._tilt()
        along = np.cos(here) * np.cos(there) + np.sin(here) * np.sin(there) * sine
        across = (
            np.sin(latitude) * (np.sin(here) * np.cos(there) * sine - np.cos(here) * np.sin(there))
            + np.cos(latitude) * np.sin(here) * cosine
        )
        result: np.ndarray = np.arctan2(across, along)
        return result

    def _tilt(self) -> tuple[float, float]:
        """Returns sine and cosine of the latitude of the pole of stretching."""
        return (
            (np.sin(np.deg2rad(self.pole[1])), np.cos(np.deg2rad(self.pole[1])))
            if self.rotated
            else (1.0, 0.0)
        )

    def __repr__(self) -> str:
        return f"Schmidt(stretching={self.stretching:g}, pole={self.pole})"


def turned(x: np.ndarray, y: np.ndarray, angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns a vector (x, y) turned by an angle, counter-clockwise: from the frame of the pole of
    stretching to that of the earth by `Schmidt.angle`.
    """
    cosine, sine = np.cos(angle), np.sin(angle)
    return x * cosine - y * sine, x * sine + y * cosine
