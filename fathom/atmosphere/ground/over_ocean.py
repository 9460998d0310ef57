"""An atmosphere over an ocean that runs at the same time: the same model, with the schemes of its
surface that know the ocean (core/physics/land/ocean_below.hpp), and the ocean's own land.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.data.input.values import on_columns
from fathom.grids.regrid.overlap import Overlap
from fathom.model.schemes import scheme

ice_sheet = 900.0  # snow that means one [kg m-2]: they start with 1000 (boundary.py)
role = "over an ocean"  # of the companion of a scheme
heating = "RadiativeHeating"


def over_ocean(model: Any, sea: Any) -> Any:
    """Returns the model over the sea of another grid. InputError: its physics has no tiles, or a
    lake of its own.
    """
    given = list(model.physics)
    new = [_over(one) for one in given]
    _check(given, new)
    if not any(s.name == "HeatReturned" for s in new):
        after = next(n for n, s in enumerate(new) if s.name == heating) + 1
        new[after:after] = [scheme("SurfaceSunlight"), scheme("HeatReturned")]
    found = of_one_energy(model)
    found.physics = new
    found.initial = dict(model.initial)
    found.initial["land_fraction"] = land_fraction(model.grid, sea)
    found.initial.setdefault("land_ice_fraction", land_ice(model))
    return found


def land_ice(model: Any) -> np.ndarray:
    """Returns where the snow that the air starts with is an ice sheet: 1, else 0 (ny, nx)."""
    snow = on_columns(model.grid, model.initial.get("snow_amount", 0.0), name="snow_amount")
    return np.where(snow >= ice_sheet, 1.0, 0.0)


def of_one_energy(model: Any) -> Any:
    """Returns the model whose dynamics keep the energy that its physics has, c_p T."""
    found = copy(model)
    if model.fixers is not None:
        found.fixers = model.fixers.of_the_physics()
    return found


def _check(given: list[Any], new: list[Any]) -> None:
    """Raises InputError: a physics that cannot lie over an ocean."""
    names = [s.name for s in given]
    if not any(one.name.endswith("OverOcean") for one in new):
        raise InputError(
            f"atmosphere: physics = {names} has no surface of tiles; give"
            ' BasicPhysics(land="TiledLand")'
        )
    if heating not in names:
        raise InputError(f"atmosphere: physics = {names} has no {heating}")
    if lakes := [name for name in names if name.startswith("MixedLake")]:
        raise InputError(f"atmosphere: {lakes[0]} and an ocean cannot both be the water below")


def _over(given: Any) -> Any:
    """Returns the companion of a scheme over an ocean, with its parameters and interval; of others
    itself.
    """
    if role not in given.entry.get("companions", {}):
        return given
    return type(given.companion(role))(every=given.every, **given.parameters)


def sea_share(air: Any, sea: Any) -> np.ndarray:
    """Returns the share of each cell of the air that has water of the sea's grid (ny, nx)."""
    area = Overlap.of(sea, air.mapping()).area
    own = np.asarray(air.areas[0], float).ravel()
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(own > 0, (area @ _wet(sea)) / own, 0.0)
    return np.clip(share, 0.0, 1.0).reshape(np.shape(air.wet_levels))


def _wet(sea: Any) -> np.ndarray:
    """Returns 1 for cells with water, 0 for others (cells,)."""
    return (np.asarray(sea.wet_levels).ravel() > 0).astype(float)


def land_fraction(air: Any, sea: Any) -> np.ndarray:
    """Returns 1 - the share of the sea (ny, nx). InputError: the air does not reach all of the
    sea.
    """
    area = Overlap.of(sea, air.mapping()).area
    reached = np.asarray(area.sum(0)).ravel() / np.asarray(sea.areas[0], float).ravel()
    missing = np.flatnonzero((_wet(sea) > 0) & (reached < 1 - 1e-6))
    if missing.size:
        j, i = divmod(int(missing[0]), np.shape(sea.wet_levels)[1])
        raise InputError(
            f"{missing.size} of {int(_wet(sea).sum())} cells of the sea lie beyond the cells of the"
            f" atmosphere, as that at {sea.place(j, i)}: {air!r}, {sea!r}"
        )
    return np.asarray(1.0 - sea_share(air, sea))
