"""Rivers from a regular grid onto the sea of any grid, with exact conservation.

The runoff in a cell of the source, m [kg s-1], goes to the wet cells i around it,

    flux_i = sum over sources of m w_i / (sum of w A),
        w_i = exp(-(d_i / reach)^2),  d_i < 2 reach

A_i the area of a cell, d_i its distance: a plume some hundreds of kilometres wide. A mouth is finer
than any global grid, and a single cell would become fresh. Where no wet cell is that near it
goes to the nearest one, unless that is farther than `farthest`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fathom.base import earth


@dataclass(frozen=True)
class Plumes:
    """Which wet cells of a grid the water of each mouth reaches, and how much."""

    mouth: np.ndarray  # of each pair: the number of the mouth,
    cell: np.ndarray  # that of the cell among the wet ones,
    weight: np.ndarray  # and w
    wetted: np.ndarray  # sum of w A of each mouth [m2]
    wet: np.ndarray  # bool, of the shape of the grid

    @classmethod
    def of(
        cls,
        latitude: np.ndarray,
        longitude: np.ndarray,
        target: tuple[np.ndarray, ...],
        reach: float = 150e3,
        farthest: float = np.inf,
    ) -> Plumes:
        """Returns those of mouths at latitude, longitude (mouths,) [degrees].

        target           latitude, longitude [degrees], area [m2], wet (bool), of one shape
        reach, farthest  [m]
        """
        from scipy.spatial import cKDTree  # start-up time

        target_latitude, target_longitude, area, wet = (np.asarray(a) for a in target)
        if not wet.any() or not len(latitude):
            none = np.zeros(0, int)
            return cls(none, none, np.zeros(0), np.full(len(latitude), np.inf), wet)
        places = earth.unit_vectors(longitude, latitude)
        sea = earth.unit_vectors(target_longitude[wet], target_latitude[wet])
        cells = cKDTree(sea)
        distance, nearest = cells.query(places)
        around = cells.query_ball_point(places, 2 * reach / earth.RADIUS, return_sorted=True)
        near = [found or [cell] for found, cell in zip(around, nearest)]
        alone = np.array([not found for found in around])
        mouth = np.repeat(np.arange(len(near)), [len(n) for n in near])
        cell = np.concatenate(near).astype(int)
        # the chord between two places is all but the arc at these distances
        away = np.linalg.norm(sea[cell] - places[mouth], axis=1) * earth.RADIUS / reach
        weight = np.where(alone[mouth], 1.0, np.exp(-(away**2)))
        wetted = np.bincount(mouth, weight * area[wet][cell])
        wetted = np.where(distance * earth.RADIUS <= farthest, wetted, np.inf)
        return cls(mouth, cell, weight, wetted, wet)

    def __call__(self, mass: np.ndarray) -> np.ndarray:
        """Returns the flux [kg m-2 s-1] on the cells of the grid, float64, 0 on land, of what comes
        from each mouth (mouths,) [kg s-1].
        """
        result = np.zeros(self.wet.shape)
        given = (mass / self.wetted)[self.mouth] * self.weight
        result[self.wet] = np.bincount(self.cell, given, np.count_nonzero(self.wet))
        return result


def spread(
    flux: np.ndarray,
    latitude: np.ndarray,
    longitude: np.ndarray,
    target: tuple[np.ndarray, ...],
    reach: float = 150e3,
    farthest: float = np.inf,
) -> np.ndarray:
    """Returns the flux [kg m-2 s-1] on the cells of a grid, float64, 0 on land.

    flux, latitude, longitude  (lat, lon), of a regular grid with equal steps, degrees; no gaps
    target, reach, farthest    as of `Plumes.of`
    """
    j, i = np.nonzero(np.asarray(flux) > 0)
    mass = (np.asarray(flux, float) * _cells(latitude, len(longitude)))[j, i]
    places = np.asarray(latitude)[j], np.asarray(longitude)[i]
    return Plumes.of(*places, target, reach, farthest)(mass)


def _cells(latitude: np.ndarray, number: int) -> np.ndarray:
    """Returns areas of the cells of a regular grid (lat, 1) [m2]."""
    latitude = np.asarray(latitude, float)
    half = abs(latitude[1] - latitude[0]) / 2
    band = np.sin(np.deg2rad(latitude + half)) - np.sin(np.deg2rad(latitude - half))
    result: np.ndarray = (earth.RADIUS**2 * band * 2 * np.pi / number)[:, None]
    return result
