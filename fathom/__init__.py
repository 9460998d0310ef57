"""Fathom: ocean and weather models that run fast on any machine, tell where the time goes, and tune
themselves.

    grid    TripolarGrid, LatitudeLongitudeGrid, CartesianGrid, GaussianGrid, ...; ZLevels, ...
    model   Ocean, SpectralAtmosphere, GridPointAtmosphere, ShallowWater, SingleColumn
    scheme  KPP, GentMcWilliams, UpwindAdvection, ...: dir(fathom) has all, help(fathom.KPP) one
    run     Simulation, BulkForcing, SurfaceForcing, Records; open, Error

    import fathom as fm

    grid = fm.TripolarGrid(resolution="3deg", levels=fm.ZLevels(number=20, depth=5500))
    ocean = fm.Ocean(grid, vertical_mixing=fm.KPP()).set(temperature="levitus", salinity="levitus")
    simulation = fm.Simulation(ocean, step="3h", surface=fm.BulkForcing("coads"))
    simulation.run("30d")

Pages: docs/README.md, or `make docs`.
"""

import os
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from fathom.base.near import near

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
    "AromePhysics": "atmosphere",
    "FirstPhysics": "atmosphere",
    "FullPhysics": "atmosphere",
    "ForcedColumn": "atmosphere",
    "RRTMGP": "atmosphere.radiation",
    "SingleColumn": "atmosphere",
    "ShallowWater": "atmosphere",
    "GridPointAtmosphere": "atmosphere",
    "Simulation": "run.simulation",
    "Programs": "coupled.programs",
    "Program": "coupled.program",
    "Records": "data.input.records",
    "LatitudeLongitudeGrid": "grids",
    "CartesianGrid": "grids",
    "DipoleGrid": "grids",
    "TripolarGrid": "grids",
    "CurvilinearGrid": "grids",
    "ZLevels": "grids",
    "GaussianGrid": "grids",
    "PlaneGrid": "grids",
    "SphereGrid": "grids",
    "RotatedGrid": "grids",
    "LimitedAreaGrid": "grids",
    "PeriodicPlaneGrid": "grids",
    "HeightLevels": "grids",
    "HybridLevels": "grids",
    "SigmaLevels": "grids",
    "open": "output",
    "Error": "base.failure",
    "InputError": "base.failure",
    "FileError": "base.failure",
    "LaunchFailure": "base.failure",
    "RunFailure": "base.failure",
    "Unstable": "base.failure",
    "scheme": "model.plugins",
    "diagnostic": "output.diagnostics",
    "PythonScheme": "model.schemes",
    "Placed": "model.order",
    "reads": "model.schemes",
    "writes": "model.schemes",
    "updates": "model.schemes",
}
__all__ = sorted(public)
hidden = ("__main__", "_core", "built")  # modules that are not for users


# Each NetCDF file has one writer, and may be read meanwhile; HDF5's locks would keep readers out,
# and a server that has fallen silent its successor.
os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")


def __getattr__(name):
    """Public names are looked up when first used: `import fathom` alone loads nothing heavy."""
    if name in public:
        thing = getattr(import_module(f"fathom.{public[name]}"), name)
        return import_module("fathom.base.given").explained(thing)
    if name == "__version__":
        return import_module("fathom.base.provenance").version()
    if name.startswith("_"):
        raise AttributeError(name)
    if find_spec(f"fathom.{name}"):
        return import_module(f"fathom.{name}")  # fm.output, fm.plots without another import
    schemes = import_module("fathom.model.schemes").schemes()
    if name in schemes:
        return schemes[name]

    raise AttributeError(f"fathom has no '{name}'{near(name, [*public, *schemes])}")


def __dir__():
    packages = (module.name for module in iter_modules(__path__) if module.name not in hidden)
    return sorted(
        {*public, *import_module("fathom.model.schemes").schemes(), *packages, "__version__"}
    )
