"""The parts that a user chooses of an ocean."""

from __future__ import annotations

from typing import Any

from fathom.base.failure import InputError
from fathom.model import parts
from fathom.model.schemes import PythonScheme, Scheme, scheme
from fathom.ocean.components.eddies import GentMcWilliams
from fathom.ocean.components.free_surface import FreeSurface
from fathom.ocean.components.friction import AnisotropicFriction, SmagorinskyFriction
from fathom.ocean.components.sea_ice import SeaIce
from fathom.ocean.components.tides import Tides
from fathom.ocean.edges.open_edges import OpenEdges

# A scheme for a part does this to that field; one of Fathom's own has that in its name.
makes = {
    "equation_of_state": ("writes", "density_anomaly", ""),
    "vertical_mixing": ("writes", "vertical_diffusivity", ""),
    "background_mixing": ("updates", "vertical_diffusivity", "Mixing"),
    "tidal_mixing": ("updates", "vertical_diffusivity", "Tidal"),
    "double_diffusion": ("writes", "salt_diffusivity", ""),
    "shortwave_penetration": ("writes", "shortwave_flux_1", ""),
    "tracer_advection": ("writes", "tracer_tendency", "Advection"),
    "momentum_advection": ("writes", "velocity_tendency_x", "Momentum"),
    "friction": ("updates", "velocity_tendency_x", "Friction"),
    "diffusion": ("updates", "tracer_tendency", "Diffusion"),
    "submesoscale": ("updates", "transport_up", "Eddies"),
}
# Classes that stand for several processes.
several: dict[str, tuple[type, ...]] = {
    "eddies": (GentMcWilliams,),
    "friction": (AnisotropicFriction, SmagorinskyFriction),
    "free_surface": (FreeSurface,),
    "open_edges": (OpenEdges,),
    "sea_ice": (SeaIce,),
    "tides": (Tides,),
}


def allowed(part: str) -> dict[str, type]:
    """Returns allowed classes by name."""
    found = parts.makers(makes[part]) if part in makes else {}
    return found | {cls.__name__: cls for cls in several.get(part, ())}


def one_or_none(part: str, given: Any, usual: Any = None) -> Any:
    """Returns the object for a part; "default": the usual one; None or "none": none. InputError: it
    is no such part.
    """
    if isinstance(given, str) and given == "default":
        return usual
    return parts.one_or_none(part, given, allowed(part))


def one(part: str, given: Any, usual: Any) -> Any:
    """Returns the object for a part that every ocean has."""
    found = one_or_none(part, given, usual)
    if found is None:
        raise InputError(f"{part}: every ocean has one; allowed: {usual!r} and others, not none")
    return found


def listed(part: str, given: Any) -> list[Any]:
    """Returns a list of schemes, of one or several of them, their classes or names. InputError: one
    is none.
    """
    found = list(given) if isinstance(given, (list, tuple)) else [given]
    made = [scheme(one) if isinstance(one, str) else one for one in found]
    made = [one() if isinstance(one, type) and issubclass(one, Scheme) else one for one in made]
    if strange := [one for one in made if not isinstance(one, (Scheme, PythonScheme))]:
        raise InputError(f"{part}: {strange[0]!r} is no scheme (docs/models.md)")
    return made
