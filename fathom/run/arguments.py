"""Arguments of a Simulation that are models or forcings."""

from __future__ import annotations

from typing import Any

from fathom.base.failure import InputError
from fathom.model import parts
from fathom.model.model import Model


def check_model(given: object) -> Model:
    """Returns the model. InputError: it is none."""
    if not isinstance(given, Model):
        raise InputError(f"model = {given!r} must be a model, as fm.Ocean(grid)")
    return given


def surface_of(model: Model, given: Any) -> Any:
    """Returns the forcing at the surface, that is given as an object, a class or its name; None:
    that of the model.
    """
    if given is None:
        return model.usual_surface and model.usual_surface()
    known = {cls.__name__: cls for cls in model.surfaces}
    named = isinstance(given, (str, type)) and given not in known and given not in known.values()
    if not known:
        raise InputError(f"surface = {given!r}: a {type(model).__name__} has none; its physics may")
    if named:
        raise InputError(
            f"surface = {given!r} must be a forcing of the model, {' or '.join(known)}:"
            f" {next(iter(known))}('coads')"
        )
    return parts.one_or_none("surface", given, known)
