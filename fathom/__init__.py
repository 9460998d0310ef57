"""Fathom: ocean and weather models that run fast on any machine, tell where the time goes, and tune themselves."""

from importlib import import_module
from importlib.util import find_spec

_home = {
    "Ocean": "models", "FreeSurface": "models",
    "Simulation": "simulation",
    "LatitudeLongitudeGrid": "grids", "CartesianGrid": "grids", "DipoleGrid": "grids", "TripolarGrid": "grids", "CurvilinearGrid": "grids", "ZLevels": "grids",
    "BulkForcing": "surface", "SurfaceForcing": "surface",
    "open": "output",
}  # fmt: skip
__all__ = sorted(_home)


def __getattr__(name):
    """Public names are looked up when first used: `import fathom` alone loads nothing heavy."""
    if name in _home:
        return getattr(import_module(f"fathom.{_home[name]}"), name)
    if name.startswith("_") or find_spec(f"fathom.{name}"):
        raise AttributeError(name)  # a module: the import that asks for it finds it
    components = import_module("fathom.components")
    if name in components.schemes():
        return components.schemes()[name]
    from fathom.names import near

    raise AttributeError(f"fathom has no '{name}'{near(name, [*_home, *components.schemes()])}")


def __dir__():
    return [*_home, *import_module("fathom.components").schemes()]
