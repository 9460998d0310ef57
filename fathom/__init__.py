"""Fathom: ocean and weather models that run fast on any machine, tell where the time goes, and tune
themselves.
"""

import os
from importlib import import_module
from importlib.util import find_spec

from fathom.names import near

public = {
    "Ocean": "ocean",
    "FreeSurface": "ocean",
    "SeaIce": "ocean",
    "Overflow": "ocean",
    "DenmarkStrait": "ocean",
    "FaroeBankChannel": "ocean",
    "RossSea": "ocean",
    "WeddellSea": "ocean",
    "GentMcWilliams": "ocean",
    "AnisotropicFriction": "ocean",
    "SmagorinskyFriction": "ocean",
    "PassiveTracer": "ocean",
    "IdealAge": "ocean",
    "Dye": "ocean",
    "CFC11": "ocean",
    "CFC12": "ocean",
    "SF6": "ocean",
    "BulkForcing": "ocean",
    "SurfaceForcing": "ocean",
    "SpectralAtmosphere": "atmosphere",
    "LimitedAreaAtmosphere": "atmosphere",
    "FirstPhysics": "atmosphere",
    "ForcedColumn": "atmosphere",
    "RRTMGP": "radiation",
    "SingleColumn": "atmosphere",
    "ShallowWater": "atmosphere",
    "GridPointAtmosphere": "atmosphere",
    "Simulation": "run.simulation",
    "Records": "input.records",
    "LatitudeLongitudeGrid": "grids",
    "CartesianGrid": "grids",
    "DipoleGrid": "grids",
    "TripolarGrid": "grids",
    "CurvilinearGrid": "grids",
    "ZLevels": "grids",
    "GaussianGrid": "grids",
    "PlaneGrid": "grids",
    "SphereGrid": "grids",
    "LimitedAreaGrid": "grids",
    "PeriodicPlaneGrid": "grids",
    "HeightLevels": "grids",
    "HybridLevels": "grids",
    "SigmaLevels": "grids",
    "open": "output",
    "Error": "failure",
    "RunFailure": "failure",
    "Unstable": "failure",
    "scheme": "plugins",
    "diagnostic": "output.diagnostics",
    "PythonScheme": "schemes",
    "Placed": "order",
    "reads": "schemes",
    "writes": "schemes",
    "updates": "schemes",
}
__all__ = sorted(public)


# Each NetCDF file has one writer, and may be read meanwhile; HDF5's locks would keep readers out,
# and a server that has fallen silent its successor.
os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")


def __getattr__(name):
    """Public names are looked up when first used: `import fathom` alone loads nothing heavy."""
    if name in public:
        return getattr(import_module(f"fathom.{public[name]}"), name)
    if name == "__version__":
        return import_module("fathom.provenance").version()
    if name.startswith("_") or find_spec(f"fathom.{name}"):
        raise AttributeError(name)  # a module: the import that asks for it finds it
    schemes = import_module("fathom.schemes").schemes()
    if name in schemes:
        return schemes[name]

    raise AttributeError(f"fathom has no '{name}'{near(name, [*public, *schemes])}")


def __dir__():
    return [*public, *import_module("fathom.schemes").schemes()]
