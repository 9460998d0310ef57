"""Fluxes that a forcing implies before any run: with the sea at its observed surface temperature,
what goes through the surface must be carried by the ocean,

    northward heat(phi)  = -integral of (Q - mean Q) dA over the sea north of phi      [W]
    northward water(phi) = -integral of (F - mean F) dA / rho_fresh                    [m3 s-1]

of a basin likewise: what flows through Bering Strait is neglected. The mean over the sea is a
lasting gain or loss of the ocean. It is subtracted everywhere, as a warmer surface would do.

The processes of the surface run through a year over a sea at rest, so the check has the
interpolation, formulae, ice and rivers of a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fathom.model.component import Array, Component
from fathom.ocean.model import Ocean
from fathom.ocean.products.circulation import basins, geometry
from fathom.ocean.step import OF_SURFACE

fresh_water_density = 1000.0  # kg m-3
seen = (
    "surface_heat_flux",
    "surface_freshwater_flux",
    "stress_eastward",
    "stress_northward",
    "surface_shortwave_flux",
)


class SeaAtRest(Ocean):
    """An ocean of which the surface alone is computed."""

    phases = OF_SURFACE
    rotations: Sequence[Sequence[str]] = ()
    diagnostics = seen

    def driven_by(self, surface: Any) -> Sequence[Component]:
        """Returns the surface alone."""
        return [self.forcing(surface)]


@dataclass
class Implied:
    """Annual means of `seen` (ny, nx) on the sea of a grid, and derived quantities."""

    grid: Any
    mean: dict[str, Array]
    area: Array = field(init=False)  # of the sea [m2]

    def __post_init__(self) -> None:
        wet = np.asarray(self.grid.wet_levels) > 0
        self.area = np.where(wet, np.asarray(self.grid.horizontal.area_center, float), 0.0)

    def over_the_sea(self, name: str) -> float:
        """Returns mean of a flux."""
        return float((self.mean[name] * self.area).sum() / self.area.sum())

    @property
    def latitudes(self) -> Array:
        """Returns latitudes of the transports."""
        return geometry(self.grid).edges

    def northward(self, name: str) -> Array:
        """Returns transport (basins, latitudes), in units of the flux times m2; NaN where a basin
        is not closed to the south.
        """
        g = geometry(self.grid)
        gained = (self.mean[name] - self.over_the_sea(name)) * self.area
        found = []
        for inside in g.inside:
            bands = np.bincount(g.band[inside], gained[inside], len(g.edges) + 1)
            north = np.cumsum(bands[::-1])[::-1][1:]  # of each edge
            closed = g.edges >= (-90 if inside.all() else -33.99)
            found.append(np.where(closed, -north, np.nan))
        return np.array(found)

    def heat(self, basin: str, latitude: float) -> float:
        """Returns northward heat transport at a latitude [PW], linear between bands."""
        return self._at("surface_heat_flux", basin, latitude) / 1e15

    def water(self, basin: str, latitude: float) -> float:
        """Returns northward transport of fresh water at a latitude [Sv]."""
        return self._at("surface_freshwater_flux", basin, latitude) / fresh_water_density / 1e6

    def _at(self, name: str, basin: str, latitude: float) -> float:
        return float(np.interp(latitude, self.latitudes, self.northward(name)[basins.index(basin)]))

    def zonal(self, name: str, south: float, north: float) -> float:
        """Returns mean over the sea between two latitudes."""
        latitude = np.asarray(self.grid.horizontal.center_latitude)
        weight = np.where((latitude >= south) & (latitude < north), self.area, 0.0)
        return float((self.mean[name] * weight).sum() / weight.sum()) if weight.any() else np.nan
