"""Waves of fields in blocks on the ranks of a simulation: by all ranks together, with the same bits
on any ranks.

    waves = OnBlocks(simulation, truncation)
    waves.fitted(blocks, levels)            # S^-1 S f: the waves up to the truncation
    waves.fitted_wind(east, north, levels)  # by the waves of vorticity and divergence
    waves.gradient(blocks, levels)          # eastward and northward, along the rows of the grid
    waves.vorticity(east, north, levels)

Blocks are lists of arrays (levels, ny, nx), one for each block of this rank, which may have none;
results are too. Derivatives along the earth on a stretched grid still need the map factor
(`map_factor`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fathom.base.mpi import core

Blocks = Sequence[np.ndarray]


class OnBlocks:
    """Transforms between the blocks of a simulation on a Gaussian grid and waves up to a
    truncation. All ranks that compute make it, and call it.
    """

    def __init__(self, simulation: Any, truncation: int) -> None:
        self.grid, self.domain = simulation.model.grid, simulation.domain
        self.transform = core.SphericalHarmonics64(
            simulation.comm.py2f(),
            self.grid.rows,
            truncation,
            self.domain.decomposition,
            radius=self.grid.radius,
            threads=int(simulation.parallel["threads"]),
        )

    @classmethod
    def of(cls, simulation: Any, truncation: int) -> OnBlocks:
        """Returns the one of a simulation, made once."""
        key = "waves", truncation
        if key not in simulation.gathers:
            simulation.gathers[key] = cls(simulation, truncation)
        result: OnBlocks = simulation.gathers[key]
        return result

    def fitted(self, blocks: Blocks, levels: int) -> list[np.ndarray]:
        """Returns a scalar with the waves of the truncation, by block (levels, rows, points)."""
        waves, there, here = self._waves(levels), self._items(), self._items()
        there.scalar(waves, _by_rows(blocks))
        self.transform.direct(there)
        result = self._empty(levels)
        here.scalar(waves, result)
        self.transform.inverse(here)
        return _by_levels(result)

    def fitted_wind(self, east: Blocks, north: Blocks, levels: int) -> list[list[np.ndarray]]:
        """Returns both components of a wind whose vorticity and divergence are truncated."""
        pair, there, here = [self._waves(levels) for _ in "uv"], self._items(), self._items()
        there.wind(*pair, _by_rows(east), _by_rows(north))
        self.transform.direct(there)
        result = [self._empty(levels) for _ in "uv"]
        here.wind(*pair, *result)
        self.transform.inverse(here)
        return [_by_levels(component) for component in result]

    def gradient(self, blocks: Blocks, levels: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Returns both components of the gradient of a scalar, by block."""
        waves, there, here = self._waves(levels), self._items(), self._items()
        there.scalar(waves, _by_rows(blocks))
        self.transform.direct(there)
        east, north = self._empty(levels), self._empty(levels)
        here.gradient(waves, None, east, north)
        self.transform.inverse(here)
        return _by_levels(east), _by_levels(north)

    def vorticity(self, east: Blocks, north: Blocks, levels: int) -> list[np.ndarray]:
        """Returns the relative vorticity of a wind [s-1], by block."""
        pair, there, here = [self._waves(levels) for _ in "uv"], self._items(), self._items()
        there.wind(*pair, _by_rows(east), _by_rows(north))
        self.transform.direct(there)
        result = self._empty(levels)
        here.scalar(pair[0], result)
        self.transform.inverse(here)
        return _by_levels(result)

    @property
    def map_factor(self) -> list[np.ndarray]:
        """Returns m of each row of each block, (ny, 1)."""
        return self._of_rows(self.grid.sphere.map_factor(self.grid.latitude))

    def _of_rows(self, values: np.ndarray) -> list[np.ndarray]:
        values = np.broadcast_to(np.asarray(values, float), self.grid.latitude.shape)
        return [values[j : j + ny, None] for j, _, ny, _ in self.domain.blocks]

    def _items(self) -> Any:
        return core.TransformItems64(self.transform)

    def _waves(self, levels: int) -> np.ndarray:
        return np.zeros((len(self.transform.own), 2, levels))

    def _empty(self, levels: int) -> list[np.ndarray]:
        return [np.zeros((ny, levels, nx)) for _, _, ny, nx in self.domain.blocks]


def _by_rows(blocks: Blocks) -> list[np.ndarray]:
    """Returns the field in the order of the transforms."""
    return [np.asarray(block, float).swapaxes(0, 1).copy("C") for block in blocks]


def _by_levels(blocks: Blocks) -> list[np.ndarray]:
    return [block.swapaxes(0, 1) for block in blocks]
