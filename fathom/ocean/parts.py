"""The parts that a user chooses of an ocean: an object, its class, its name, or none. What a scheme
is good for follows from the fields that it makes.
"""

from __future__ import annotations

from typing import Any

from fathom import plugins
from fathom.failure import InputError
from fathom.names import near
from fathom.ocean.eddies import GentMcWilliams
from fathom.ocean.free_surface import FreeSurface
from fathom.ocean.friction import AnisotropicFriction, SmagorinskyFriction
from fathom.ocean.sea_ice import SeaIce
from fathom.schemes import Scheme, schemes

# A scheme for a part does this to that field; one of Fathom's own has that in its name.
makes = {
    "equation_of_state": ("writes", "density_anomaly", ""),
    "vertical_mixing": ("writes", "vertical_diffusivity", ""),
    "background_mixing": ("updates", "vertical_diffusivity", "Mixing"),
    "tidal_mixing": ("updates", "vertical_diffusivity", "Tidal"),
    "double_diffusion": ("writes", "salt_diffusivity", ""),
    "water": ("writes", "shortwave_flux_1", ""),
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
    "sea_ice": (SeaIce,),
}
plain = ("builtins", "datetime", "numpy")  # modules of values that are no part of a model


def allowed(part: str) -> dict[str, type]:
    """Classes that may stand there, by name."""
    access, made, word = makes.get(part, ("", "", ""))
    own = {name for names in plugins.loaded.values() for name in names}
    found: dict[str, type] = {
        name: scheme
        for name, scheme in schemes().items()
        if (word in name or name in own)
        and any((f["access"], f["name"]) == (access, made) for f in scheme.entry["fields"])
    }
    return found | {cls.__name__: cls for cls in several.get(part, ())}


def one_or_none(part: str, given: Any, usual: Any = None) -> Any:
    """What is given for a part; "default": the usual one; None or "none": none. ValueError: it is
    no such part.
    """
    if isinstance(given, str) and given == "default":
        return usual
    if given is None or (isinstance(given, str) and given == "none"):
        return None
    known = allowed(part)
    if isinstance(given, (str, type)):
        return _class(part, given, known)()
    strange = isinstance(given, Scheme) and given.name not in known
    if strange or type(given).__module__.split(".")[0] in plain:
        raise InputError(_refused(part, repr(given), known))
    return given


def _class(part: str, given: str | type, known: dict[str, type]) -> type:
    if isinstance(given, str):
        if given not in known:
            raise InputError(_refused(part, repr(given), known, near(given, known)))
        return known[given]
    if given not in known.values() and given.__module__.startswith("fathom"):
        raise InputError(_refused(part, given.__name__, known))
    return given


def one(part: str, given: Any, usual: Any) -> Any:
    """The same of a part that every ocean has."""
    found = one_or_none(part, given, usual)
    if found is None:
        raise InputError(f"{part}: every ocean has one; allowed: {usual!r} and others, not none")
    return found


def _refused(part: str, given: str, known: dict[str, type], hint: str = "") -> str:
    *most, last = known
    these = f"{', '.join(most)} or {last}" if most else last
    return f"{part} = {given} must be {these}{hint}"
