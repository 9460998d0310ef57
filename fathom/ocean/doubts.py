"""Settings of an ocean that are allowed, but hardly meant; a run warns of each once.

western boundary layer (Munk 1950)    pi / sqrt(3) (A / beta)^(1/3)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import earth
from fathom.model.component import Array
from fathom.model.schemes import Scheme
from fathom.ocean.components.diffusion import lateral_scale
from fathom.ocean.components.friction import StrainFriction

if TYPE_CHECKING:
    from fathom.ocean.model import Ocean

most_background = 0.01  # m2 s-1, of vertical diffusivities: a hundred times what is usual
narrowest = 0.5  # of a cell: boundary layers below it are noise of the grid


def doubts(model: Ocean, fields: Any) -> Iterator[str]:
    """Yields what is doubtful about the settings, and the state at the start; all ranks call it."""
    salinity = fields.extremes("salinity")
    if salinity["finite"] and salinity["minimum"] < 0:
        k, j, i = salinity["at_minimum"]
        yield (
            f"initial salinity = {salinity['minimum']:.3g} at {model.grid.place(j, i, k)} is below"
            " 0; look at the fill values of its file"
        )
    if model.friction is None:
        yield "friction = none: nothing removes the noise of the grid from the currents"
    yield from _background(model)
    yield from _munk(model)


def _background(model: Ocean) -> Iterator[str]:
    """Yields vertical diffusivities that mix the sea from top to bottom within days."""
    for key in ("vertical_mixing", "background_mixing"):
        given = getattr(model, key)
        held = given.all_parameters if isinstance(given, Scheme) else {}
        for name, value in held.items():
            plain = name in ("diffusivity", "background_diffusivity", "middle")
            if plain and isinstance(value, (int, float)) and value > most_background:
                yield (
                    f"{key}: {name} = {value:g} m2/s mixes 100 m in"
                    f" {1e4 / value / 3600:.2g} h; usual are 1e-5 to 1e-4"
                )


def _munk(model: Ocean) -> Iterator[str]:
    """Yields that cells are far wider than the western boundary layer of the friction."""
    viscosity = _viscosity(model)
    if viscosity is None:
        return
    grid = model.grid
    beta = _beta(model)
    dx = np.asarray(grid.horizontal.dx_corner)
    with np.errstate(divide="ignore"):
        width = np.pi / np.sqrt(3) * np.cbrt(viscosity / beta)
    share = np.where(grid.wet_corners & np.isfinite(width), width / dx, np.nan)
    if np.isfinite(share).any() and (typical := float(np.nanmedian(share))) < narrowest:
        at = float(np.nanmedian(np.where(np.isfinite(share), dx, np.nan)))
        needed = float(np.median(beta)) * (narrowest * at * np.sqrt(3) / np.pi) ** 3
        yield (
            f"friction: the western boundary layer has {typical:.2g} of a cell, {at / 1e3:.3g} km;"
            f" currents there are noise below a viscosity of some {needed:.1g} m2/s"
        )


def _viscosity(model: Ocean) -> Array | None:
    """Returns the Laplacian viscosity at corners [m2 s-1]; None: it follows the flow, or acts
    twice.
    """
    kind = model.friction
    if kind is None or isinstance(kind, StrainFriction) or kind.name.startswith("Biharmonic"):
        return None
    if "viscosity" not in kind.parameter_names:
        return None
    viscosity = float(kind.all_parameters["viscosity"])
    return viscosity * lateral_scale(model.grid, "corner", False)


def _beta(model: Ocean) -> Array:
    """Returns how the Coriolis parameter grows to the north [m-1 s-1], (ny, nx)."""
    h = model.grid.horizontal
    if h.spherical:
        latitude = np.deg2rad(np.asarray(h.corner_latitude)[1:, 1:])
        return np.asarray(2 * earth.ROTATION / earth.RADIUS * np.cos(latitude))
    return np.full(np.asarray(h.dx_corner).shape, abs(float(model.rotation.given[1])))
