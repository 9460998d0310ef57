"""Fathom: ocean and weather models that run fast on any machine, tell where the time goes, and tune
themselves.

    grid    TripolarGrid, LatitudeLongitudeGrid, CartesianGrid, GaussianGrid, ...; ZLevels, ...
    model   Ocean, SpectralAtmosphere, GridPointAtmosphere, ShallowWater, SingleColumn
    scheme  KPP, GentMcWilliams, UpwindAdvection, ...; all are in fathom.schemes, help(fathom.KPP)
    run     Simulation, BulkForcing, SurfaceForcing, Records; open, Error

    import fathom as fm

    grid = fm.TripolarGrid(resolution="3deg", levels=fm.ZLevels(nz=20, depth=5500))
    ocean = fm.Ocean(grid, vertical_mixing=fm.KPP()).set(temperature="levitus", salinity="levitus")
    simulation = fm.Simulation(ocean, time_step="3h", surface=fm.BulkForcing("coads"))
    simulation.run("30d")

Pages: docs/README.md, or `make docs`.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from fathom.base.border import tell_shortly
from fathom.base.renamed import hint

public = {
    "Ocean": "ocean",
    "FreeSurface": "ocean",
    "SeaIce": "ocean",
    "Nudging": "ocean",
    "Tides": "ocean",
    "OpenEdge": "ocean",
    "OpenEdges": "ocean",
    "BoundaryTides": "ocean",
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
    "Carbon": "ocean",
    "Alkalinity": "ocean",
    "Oxygen": "ocean",
    "BulkForcing": "ocean",
    "SurfaceForcing": "ocean",
    "SpectralAtmosphere": "atmosphere",
    "LimitedAreaAtmosphere": "atmosphere",
    "AromePhysics": "atmosphere",
    "BasicPhysics": "atmosphere",
    "PerturbedTendencies": "atmosphere.physics.stochastic",
    "Backscatter": "atmosphere.physics.stochastic",
    "ForecastPhysics": "atmosphere",
    "ForcedColumn": "atmosphere",
    "RRTMGP": "atmosphere.radiation",
    "SingleColumn": "atmosphere",
    "ShallowWater": "atmosphere",
    "GridPointAtmosphere": "atmosphere",
    "GivenSea": "atmosphere",
    "SlabOcean": "atmosphere",
    "adjoint": "assimilation.adjoint_of_model",
    "adjoint_error": "assimilation.adjoint_of_scheme",
    "Average": "assimilation.costs_of_state",
    "Transport": "assimilation.costs_of_state",
    "Simulation": "run.simulation",
    "export_columns": "run.columns",
    "Ensemble": "run.ensemble.ensemble",
    "Coupled": "coupled.system",
    "Programs": "coupled.programs",
    "ProgramsFile": "coupled.file",
    "Program": "coupled.program",
    "Rivers": "coupled.rivers",
    "Records": "data.input.records",
    "LatitudeLongitudeGrid": "grids",
    "CartesianGrid": "grids",
    "DipoleGrid": "grids",
    "TripolarGrid": "grids",
    "CurvilinearGrid": "grids",
    "ZLevels": "grids",
    "GaussianGrid": "grids",
    "RotatedGrid": "grids",
    "LimitedAreaGrid": "grids",
    "HeightLevels": "grids",
    "HybridLevels": "grids",
    "SigmaLevels": "grids",
    "open": "output",
    "Error": "base.failure",
    "InputError": "base.failure",
    "FileError": "base.failure",
    "LaunchError": "base.failure",
    "RunError": "base.failure",
    "UnstableError": "base.failure",
    "load_scheme": "model.plugins",
    "diagnostic": "output.diagnostics",
    "schemes": "model.catalogue",
    "PythonScheme": "model.schemes",
    "LearnedScheme": "model.learned",
    "Insertion": "model.order",
    "reads": "model.schemes",
    "writes": "model.schemes",
    "updates": "model.schemes",
}
# Schemes that are `fathom.NAME` too; all of them are in `fathom.schemes`.
usual_schemes = (
    *("MWJF", "JMCD", "UNESCO", "TEOS10Polynomial", "LinearEquationOfState"),
    *("RichardsonMixing", "KPP", "ConstantMixing", "BryanLewisMixing", "TidalMixing"),
    *("DoubleDiffusion", "MixedLayerEddies", "JerlovWater", "ChlorophyllWater"),
    *("CentredAdvection", "UpwindAdvection", "LaxWendroffAdvection", "QuickestAdvection"),
    *("MomentumAdvection", "LaplacianFriction", "BiharmonicFriction"),
    *("LaplacianDiffusion", "BiharmonicDiffusion"),
    *("HeldSuarez", "Sunlight", "KProfileDiffusion", "TKE", "BettsMiller"),
    *("MassFluxConvection", "ShallowMassFlux", "IceMicrophysics", "GraupelMicrophysics"),
    *("SoilLayers", "TiledLand"),
)
__all__ = sorted((*public, *usual_schemes))
hidden = ("__main__", "_core", "_waiting", "built")  # modules that are not for users


# Each NetCDF file has one writer, and may be read meanwhile; HDF5's locks would keep readers out,
# and a server that has fallen silent its successor.
os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")
tell_shortly()


def __getattr__(name: str) -> Any:
    """Returns a public name, which is looked up when first used: `import fathom` alone loads
    nothing heavy.
    """
    if name in public:
        return getattr(import_module(f"fathom.{public[name]}"), name)
    if name == "__version__":
        return import_module("fathom.base.provenance").version()
    if name.startswith("_"):
        raise AttributeError(name)
    if find_spec(f"fathom.{name}"):
        return import_module(f"fathom.{name}")  # fm.output, fm.plots without another import
    schemes = import_module("fathom.model.schemes").schemes()
    own = import_module("fathom.model.plugins").loaded.values()  # of headers of the user
    if name in usual_schemes or any(name in names for names in own):
        return schemes[name]

    here = f"; it is fathom.schemes.{name}" if name in schemes else ""
    told = here or hint(name, [*public, *usual_schemes])
    raise AttributeError(f"fathom has no '{name}'{told}")


def __dir__() -> list[str]:
    packages = (module.name for module in iter_modules(__path__) if module.name not in hidden)
    return sorted({*public, *usual_schemes, *packages, "__version__"})
