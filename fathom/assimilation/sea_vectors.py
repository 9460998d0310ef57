"""The perturbations of a sea that grow most: singular vectors (singular_vectors.py) of temperature,
salinity and height, in the norm

    E(x) = 1/2 sum of V / V_sea [(T / T_0)^2 + (S / S_0)^2] + 1/2 sum of A / A_sea (eta / eta_0)^2

V volumes, A areas; T_0 = 1 K, S_0 = 0.25e-3, which weigh as much in density, and eta_0 = 0.1 m.
The current is at rest at the start, and free later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from fathom.assimilation.adjoint_of_model import whole_steps
from fathom.assimilation.maps import LinearMap, Vector
from fathom.assimilation.ocean_trajectory import InState, OceanTrajectory, OfState
from fathom.assimilation.sea import Sea
from fathom.assimilation.singular_vectors import SingularVectors, singular_vectors

sizes = (1.0, 0.25, 0.1)  # of temperature [K], salinity [1e-3], height [m], which count as one


class SeaRoot(LinearMap):
    """Maps coordinates x to a state with E = x.x / 2."""

    def __init__(self, of: OceanTrajectory, sea: Sea) -> None:
        self.of, self.sea = of, sea
        self.into, self.seen = InState(of, sea), OfState(of, sea)
        *_, area = sea.distances()
        volume = np.where(sea.wet, area * sea.thickness[:, None, None], 0.0)
        flat = np.where(sea.wet_levels > 0, area, 0.0)
        shares = volume / volume.sum(), volume / volume.sum(), flat / flat.sum()
        self.share = sea.vector(*(w / size**2 for w, size in zip(shares, sizes)))

    @property
    def controls(self) -> int:
        """Returns length of x."""
        return self.sea.size

    def apply(self, x: Vector) -> Vector:
        return self.into.apply(x / np.sqrt(self.share))

    def adjoint(self, y: Vector) -> Vector:
        result: Vector = self.into.adjoint(y) / np.sqrt(self.share)
        return result

    def weights(self, inside: np.ndarray | None = None) -> Vector:
        """Returns the weight of each number of a state in twice its E; inside (ny, nx): only
        there.
        """
        made = self.seen.adjoint(self.share)
        if inside is not None:
            for part in self.of.split(made).values():
                part *= inside
        return made


def optimal(
    simulation: Any, run: str, number: int = 1, freeze: Sequence[str] = (), tolerance: float = 1e-3
) -> tuple[SingularVectors, xr.Dataset]:
    """Returns the perturbations that grow most in a run, and their temperature, salinity and height
    at the start and at the end, (vector, level, y, x).
    """
    steps = whole_steps(run, "run", simulation.time_step)
    trajectory = OceanTrajectory(simulation, freeze=freeze)
    try:
        sea = Sea.of_grid(trajectory.model.grid)
        trajectory.restart(trajectory.vector())
        trajectory.follow(steps)
        root = SeaRoot(trajectory, sea)
        found = singular_vectors(trajectory, root, number, tolerance=tolerance)
        return found, _dataset(root, found)
    finally:
        trajectory.adjoint.leave()


def _dataset(root: SeaRoot, found: SingularVectors) -> xr.Dataset:
    h, made = root.of.model.grid.horizontal, {}
    for when, states in (("initial", found.initial), ("final", found.final)):
        fields = zip(*(root.sea.fields(root.seen.apply(x)) for x in states))
        for name, values in zip(InState.fields, fields):
            there = root.sea.wet_levels > 0 if values[0].ndim == 2 else root.sea.wet
            dims = ("vector", *("layer", "y", "x")[3 - values[0].ndim :])
            made[f"{when}_{name}"] = (dims, np.where(there, np.stack(values), np.nan))
    places = {
        "longitude": (("y", "x"), np.asarray(h.center_longitude)),
        "latitude": (("y", "x"), np.asarray(h.center_latitude)),
    }
    return xr.Dataset(made | {"growth": ("vector", found.values)}, coords=places)
