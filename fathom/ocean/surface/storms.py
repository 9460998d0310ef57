"""Storms to add to a mean wind: a field of travelling waves on the sphere, the same every year.

The monthly mean of a wind has no weather. Its storms are made of N waves. Wave k has an axis n_k;
the axes lie evenly around the globe. r is the place on the unit sphere:

    psi(r, t) = sum_k cos(theta_k),    theta_k = kappa_k n_k(t) . r - omega_k t + p_k
    e = r x grad psi sqrt(6/N)/kappa = sqrt(6/N) sum_k sin(theta_k) (-n_k.north, n_k.east)

Each axis turns eastward about the pole, by 7 to 13 degrees a day as storms move. Each wave also has
a period, so that a storm grows and decays on its way. The wind e has no divergence and no preferred
direction; each component has variance 1. All frequencies are whole numbers a year, so the year
repeats. At a fixed place no frequency is zero, so the mean of a year is zero. Nothing is random:
p_k, kappa_k and omega_k are multiples of irrational numbers. StormyWind
(core/physics/sea_surface/storms.hpp) gives the strength of storms.

Lengths and speeds are those of transient eddies near the ground: zonal wave numbers 4 to 8 at 50
degrees, 5 to 15 m/s, 3 to 7 days (Randel & Held 1991, J. Atmos. Sci. 48, 688-697).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.instants import TimeAxis, days_of_months
from fathom.data.input.records import Points, interpolate
from fathom.model.component import Array

fields = "storm_eastward", "storm_northward"
every = 6  # hours
waves = 48
lengths = 6.0, 12.0  # kappa: waves around a great circle, of 6700 to 3300 km
turns_least = 7  # around the pole in a year, 7 to 13: 5 to 11 m/s at 50 degrees
periods = 37, 73  # omega, cycles a year: 10 to 5 days
_golden = (np.sqrt(5) - 1) / 2


def axis() -> TimeAxis:
    """Returns instants every six hours of a year that repeats."""
    days = [(m, d + 1) for m, n in enumerate(days_of_months, 1) for d in range(n)]
    hours = range(0, 24, every)
    return TimeAxis([(0, m, d, 3600.0 * hour) for m, d in days for hour in hours], repeated=True)


def at(latitude: Any, longitude: Any, share: float) -> tuple[Array, Array]:
    """Returns eastward and northward component of e [1], in the shape of latitude [degrees], after
    that share of the year.
    """
    k = np.arange(waves)
    height = (2 * k + 1) / waves - 1  # of the axes above the equator: Fibonacci's lattice
    turns = turns_least + k % 7
    around = 2 * np.pi * (k * _golden + turns * share)
    kappa = lengths[0] + (lengths[1] - lengths[0]) * ((k * _golden**2) % 1)
    cycles = np.rint(periods[0] + (periods[1] - periods[0]) * ((k * np.sqrt(2)) % 1))
    cycles = (cycles + (cycles % turns == 0)) * (-1) ** k
    phase = 2 * np.pi * ((k * np.sqrt(3)) % 1 - cycles * share)
    flat = np.sqrt(1 - height**2)
    phi, lam = (np.deg2rad(np.asarray(x, np.float32)) for x in (latitude, longitude))
    sine, cosine = np.sin(phi), np.cos(phi)
    there_x, there_y = np.cos(lam), np.sin(lam)
    east, north = np.zeros_like(phi), np.zeros_like(phi)
    axes = height, flat * np.cos(around), flat * np.sin(around), kappa, phase % (2 * np.pi)
    for z, x, y, turn, p in np.stack(axes, 1).astype(np.float32):
        toward, across = x * there_x + y * there_y, y * there_x - x * there_y  # along n
        wave = np.sin(turn * (toward * cosine + z * sine) + p)
        east -= wave * (z * cosine - toward * sine)
        north += wave * across
    size = float(np.sqrt(6 / waves))
    return east * size, north * size


class Storms:
    """The field e as a source of records (fathom/run/forcing.py)."""

    def __init__(self, grid: Any) -> None:
        if not grid.horizontal.spherical:
            raise InputError("storms = True is for grids on the sphere; this one is a plane")
        self.points, self.axis, self.fields = Points(grid), axis(), list(fields)

    def describe(self) -> list[str]:
        """Returns what a run prints about it."""
        return [f"{', '.join(self.fields)}: {waves} travelling waves, {self.axis}"]

    def read(self, number: int) -> dict[str, Array]:
        """Returns both components (ny, nx) at a record."""
        share = number / len(self.axis)
        return dict(zip(fields, at(self.points.latitude, self.points.longitude, share)))


def blow(do: Any) -> None:
    """Adds the processes that put the storms on the wind."""
    for field in fields:
        interpolate(do, field)
    do("StormyWind")
