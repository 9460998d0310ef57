"""Old names and those that stand for them now: the one table that error messages look into.

now("Simulation", "step")       # "time_step"
tail("Ocean", "water")          # "; it is 'shortwave_penetration' now"
"""

from __future__ import annotations

from collections.abc import Iterable

from fathom.base.failure import InputError
from fathom.base.near import near

# Names of `fathom`: old -> new.
public = {
    "Placed": "Insertion",
    "CloudyTurbulentEnergy": "CloudyTKE",
    "FileExists": "ExistingFileError",
    "FirstPhysics": "BasicPhysics",
    "FullPhysics": "ForecastPhysics",
    "KProfile": "KProfileDiffusion",
    "LaunchFailure": "LaunchError",
    "MissingFile": "MissingFileError",
    "NotPermitted": "NotPermittedError",
    "PeriodicPlaneGrid": "CartesianGrid",
    "PlaneGrid": "CartesianGrid",
    "RunFailure": "RunError",
    "TurbulentEnergy": "TKE",
    "SphereGrid": "LatitudeLongitudeGrid",
    "scheme": "load_scheme",
    "Unstable": "UnstableError",
}

# What a new name of `fathom` needs besides.
besides = {
    "PeriodicPlaneGrid": "with staggering = 'A'",
    "PlaneGrid": "with staggering = 'C'",
    "SphereGrid": "with staggering = 'C'",
}

# Arguments of a class or function, keys of a table in TOML: (owner, old) -> new.
arguments = {
    ("CartesianGrid", "points"): "nx",
    ("CartesianGrid", "resolution"): "extent",
    ("CartesianGrid", "walls"): "periodic",
    ("ForcedColumn", "step"): "time_step",
    ("GridPointAtmosphere", "placed"): "extra_processes",
    ("HeightLevels", "number"): "nz",
    ("HybridLevels", "number"): "nz",
    ("JerlovWater", "type"): "water_type",
    ("LimitedAreaAtmosphere", "placed"): "extra_processes",
    ("Ocean", "placed"): "extra_processes",
    ("Ocean", "water"): "shortwave_penetration",
    ("ShallowWater", "filter"): "robert_asselin",
    ("ShallowWater", "placed"): "extra_processes",
    ("SigmaLevels", "number"): "nz",
    ("Simulation", "step"): "time_step",
    ("Simulation.output", "fit"): "spectral_truncation",
    ("Simulation.output", "regular"): "latlon_resolution",
    ("SingleColumn", "step"): "time_step",
    ("SpectralAtmosphere", "placed"): "extra_processes",
    ("SpectralAtmosphere", "filter"): "robert_asselin",
    ("SpectralAtmosphere", "williams"): "williams_factor",
    ("ZLevels", "number"): "nz",
    ("a table", "is"): "type",
}

# Attributes and methods of objects that are no arguments: (class, old) -> new.
attributes = {
    ("Model", "arrive"): "receive_state",
    ("Model", "beside"): "companions",
    ("Model", "drawn"): "report_fields",
    ("Model", "goes_along"): "restart_extras",
    ("Model", "kept"): "diagnostics",
    ("Model", "passport"): "geometry_id",
    ("Model", "place"): "insert",
    ("Model", "placed"): "extra_processes",
    ("Model", "settle"): "finish_initialisation",
}


def now(owner: str, old: str) -> str:
    """Returns the new name of an argument of `owner` ("Ocean", "Simulation.output"), or of a
    public name where `owner` is empty; "" where it has no other name.
    """
    return arguments.get((owner, old), "") if owner else public.get(old, "")


def tail(owner: str, old: str) -> str:
    """Returns the tail of an error message: "; it is 'time_step' now", or ""."""
    new, more = now(owner, old), "" if owner else besides.get(old, "")
    return f"; it is {new!r} now{more and ', ' + more}" if new else ""


def of_object(kind: type, old: str) -> str:
    """Returns the tail of an error message for an attribute that objects of a class lack: "; it is
    'time_step' now", or "".
    """
    known = arguments | attributes
    names = (known.get((one.__name__, old), "") for one in kind.__mro__)
    new = next(filter(None, names), "")
    return f"; it is {new!r} now" if new else ""


def check_names(kind: type) -> None:
    """Raises InputError: a class that is not part of fathom defines an attribute by which objects
    of its bases are no longer asked: it would have no effect.
    """
    if kind.__module__.split(".")[0] == "fathom":
        return
    for base in kind.__mro__[1:]:
        for old in vars(kind):
            if new := attributes.get((base.__name__, old)):
                raise InputError(f"{kind.__name__}.{old}: it is {new!r} now")


def hint(given: str, known: Iterable[str], owner: str = "") -> str:
    """Returns the tail of an error message with the new name, or with what is near, or ""."""
    return tail(owner, given) or near(given, known)


def no_such(owner: str, given: str, known: Iterable[str]) -> str:
    """Returns the message for an argument that `owner` does not have: with its new name, with what
    is near, or with all that it has.
    """
    told = hint(given, known, owner) or f". It has {', '.join(known) or 'none'}"
    return f"{owner} has no {given!r}{told}"
