"""Types of Fathom's public names. Made by tools/stub.py: change that, not this."""

from . import assimilation as assimilation
from . import atmosphere as atmosphere
from . import base as base
from . import commands as commands
from . import coupled as coupled
from . import data as data
from . import grids as grids
from . import model as model
from . import names as names
from . import ocean as ocean
from . import output as output
from . import performance as performance
from . import plots as plots
from . import run as run
from .assimilation.adjoint_of_model import adjoint as adjoint
from .assimilation.adjoint_of_scheme import adjoint_error as adjoint_error
from .assimilation.costs_of_state import Average as Average
from .assimilation.costs_of_state import Transport as Transport
from .atmosphere import AromePhysics as AromePhysics
from .atmosphere import BasicPhysics as BasicPhysics
from .atmosphere import ForcedColumn as ForcedColumn
from .atmosphere import ForecastPhysics as ForecastPhysics
from .atmosphere import GivenSea as GivenSea
from .atmosphere import GridPointAtmosphere as GridPointAtmosphere
from .atmosphere import LimitedAreaAtmosphere as LimitedAreaAtmosphere
from .atmosphere import ShallowWater as ShallowWater
from .atmosphere import SingleColumn as SingleColumn
from .atmosphere import SlabOcean as SlabOcean
from .atmosphere import SpectralAtmosphere as SpectralAtmosphere
from .atmosphere.physics.stochastic import Backscatter as Backscatter
from .atmosphere.physics.stochastic import PerturbedTendencies as PerturbedTendencies
from .atmosphere.radiation import RRTMGP as RRTMGP
from .base.failure import Error as Error
from .base.failure import FileError as FileError
from .base.failure import InputError as InputError
from .base.failure import LaunchError as LaunchError
from .base.failure import RunError as RunError
from .base.failure import UnstableError as UnstableError
from .coupled.file import ProgramsFile as ProgramsFile
from .coupled.program import Program as Program
from .coupled.programs import Programs as Programs
from .coupled.rivers import Rivers as Rivers
from .coupled.system import Coupled as Coupled
from .data.input.records import Records as Records
from .grids import CartesianGrid as CartesianGrid
from .grids import CurvilinearGrid as CurvilinearGrid
from .grids import DipoleGrid as DipoleGrid
from .grids import GaussianGrid as GaussianGrid
from .grids import HeightLevels as HeightLevels
from .grids import HybridLevels as HybridLevels
from .grids import LatitudeLongitudeGrid as LatitudeLongitudeGrid
from .grids import LimitedAreaGrid as LimitedAreaGrid
from .grids import RotatedGrid as RotatedGrid
from .grids import SigmaLevels as SigmaLevels
from .grids import TripolarGrid as TripolarGrid
from .grids import ZLevels as ZLevels
from .model.learned import LearnedScheme as LearnedScheme
from .model.order import Insertion as Insertion
from .model.plugins import load_scheme as load_scheme
from .model.schemes import PythonScheme as PythonScheme
from .model.schemes import Scheme
from .model.schemes import reads as reads
from .model.schemes import updates as updates
from .model.schemes import writes as writes
from .ocean import CFC11 as CFC11
from .ocean import CFC12 as CFC12
from .ocean import SF6 as SF6
from .ocean import Alkalinity as Alkalinity
from .ocean import AnisotropicFriction as AnisotropicFriction
from .ocean import BoundaryTides as BoundaryTides
from .ocean import BulkForcing as BulkForcing
from .ocean import Carbon as Carbon
from .ocean import DenmarkStrait as DenmarkStrait
from .ocean import Dye as Dye
from .ocean import FaroeBankChannel as FaroeBankChannel
from .ocean import FreeSurface as FreeSurface
from .ocean import GentMcWilliams as GentMcWilliams
from .ocean import IdealAge as IdealAge
from .ocean import Nudging as Nudging
from .ocean import Ocean as Ocean
from .ocean import OpenEdge as OpenEdge
from .ocean import OpenEdges as OpenEdges
from .ocean import Overflow as Overflow
from .ocean import Oxygen as Oxygen
from .ocean import PassiveTracer as PassiveTracer
from .ocean import RossSea as RossSea
from .ocean import SeaIce as SeaIce
from .ocean import SmagorinskyFriction as SmagorinskyFriction
from .ocean import SurfaceForcing as SurfaceForcing
from .ocean import Tides as Tides
from .ocean import WeddellSea as WeddellSea
from .output import open as open
from .output.diagnostics import diagnostic as diagnostic
from .run.columns import export_columns as export_columns
from .run.ensemble.ensemble import Ensemble as Ensemble
from .run.simulation import Simulation as Simulation

__all__ = [
    "CFC11",
    "CFC12",
    "JMCD",
    "KPP",
    "MWJF",
    "RRTMGP",
    "SF6",
    "TKE",
    "UNESCO",
    "Alkalinity",
    "AnisotropicFriction",
    "AromePhysics",
    "Average",
    "Backscatter",
    "BasicPhysics",
    "BettsMiller",
    "BiharmonicDiffusion",
    "BiharmonicFriction",
    "BoundaryTides",
    "BryanLewisMixing",
    "BulkForcing",
    "Carbon",
    "CartesianGrid",
    "CentredAdvection",
    "ChlorophyllWater",
    "ConstantMixing",
    "Coupled",
    "CurvilinearGrid",
    "DenmarkStrait",
    "DipoleGrid",
    "DoubleDiffusion",
    "Dye",
    "Ensemble",
    "Error",
    "FaroeBankChannel",
    "FileError",
    "ForcedColumn",
    "ForecastPhysics",
    "FreeSurface",
    "GaussianGrid",
    "GentMcWilliams",
    "GivenSea",
    "GraupelMicrophysics",
    "GridPointAtmosphere",
    "HeightLevels",
    "HeldSuarez",
    "HybridLevels",
    "IceMicrophysics",
    "IdealAge",
    "InputError",
    "Insertion",
    "JerlovWater",
    "KProfileDiffusion",
    "LaplacianDiffusion",
    "LaplacianFriction",
    "LatitudeLongitudeGrid",
    "LaunchError",
    "LaxWendroffAdvection",
    "LearnedScheme",
    "LimitedAreaAtmosphere",
    "LimitedAreaGrid",
    "LinearEquationOfState",
    "MassFluxConvection",
    "MixedLayerEddies",
    "MomentumAdvection",
    "Nudging",
    "Ocean",
    "OpenEdge",
    "OpenEdges",
    "Overflow",
    "Oxygen",
    "PassiveTracer",
    "PerturbedTendencies",
    "Program",
    "Programs",
    "ProgramsFile",
    "PythonScheme",
    "QuickestAdvection",
    "Records",
    "RichardsonMixing",
    "Rivers",
    "RossSea",
    "RotatedGrid",
    "RunError",
    "SeaIce",
    "ShallowMassFlux",
    "ShallowWater",
    "SigmaLevels",
    "Simulation",
    "SingleColumn",
    "SlabOcean",
    "SmagorinskyFriction",
    "SoilLayers",
    "SpectralAtmosphere",
    "Sunlight",
    "SurfaceForcing",
    "TEOS10Polynomial",
    "TidalMixing",
    "Tides",
    "TiledLand",
    "Transport",
    "TripolarGrid",
    "UnstableError",
    "UpwindAdvection",
    "WeddellSea",
    "ZLevels",
    "adjoint",
    "adjoint_error",
    "diagnostic",
    "export_columns",
    "load_scheme",
    "open",
    "reads",
    "schemes",
    "updates",
    "writes",
]
__version__: str
public: dict[str, str]
usual_schemes: tuple[str, ...]

class schemes:
    class Ageing(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class AirPressureForce(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class AlternatingHeight(Scheme):
        def __init__(
            self,
            *,
            step: float = 3600,
            implicitness: float = 0.6,
            gravity: float = 9.80616,
            compactness: float = 0.2,
            rotation: float = 1,
            every: str | None = None,
        ) -> None: ...

    class AnisotropicFriction(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class Arrival(Scheme):
        def __init__(
            self,
            *,
            step: float = 1800,
            gas_constant: float = 287.06,
            heat_capacity: float = 1004.71,
            reference_temperature: float = 350,
            every: str | None = None,
        ) -> None: ...

    class ArrivalOnLevels(Scheme):
        def __init__(self, *, step: float = 60, every: str | None = None) -> None: ...

    class BackscatterWind(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class BarnierRestoring(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class BarotropicCorrection(Scheme):
        def __init__(
            self,
            *,
            step: float = 3600,
            implicitness: float = 0.6,
            gravity: float = 9.80616,
            rotation: float = 1,
            every: str | None = None,
        ) -> None: ...

    class BarotropicDivergence(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class BettsMiller(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            relaxation: float = 7200,
            relative_humidity: float = 0.7,
            every: str | None = None,
        ) -> None: ...

    class BiharmonicDiffusion(Scheme):
        def __init__(self, *, diffusivity: float = 1e11, every: str | None = None) -> None: ...

    class BiharmonicFriction(Scheme):
        def __init__(self, *, viscosity: float = 1e12, every: str | None = None) -> None: ...

    class BiharmonicSmagorinskyViscosity(Scheme):
        def __init__(
            self, *, coefficient: float = 3, step: float = 3600, every: str | None = None
        ) -> None: ...

    class BiharmonicStrainFriction(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class BolusTransport(Scheme):
        def __init__(self, *, diffusivity: float = 800, every: str | None = None) -> None: ...

    class BryanLewisMixing(Scheme):
        def __init__(
            self,
            *,
            middle: float = 8e-05,
            range: float = 0.000105,
            depth: float = 2500,
            width: float = 222.222,
            prandtl: float = 1,
            every: str | None = None,
        ) -> None: ...

    class BudgetShare(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class BulkExchange(Scheme):
        def __init__(
            self,
            *,
            gust: float = 2,
            ice_roughness: float = 0.001,
            most_roughness: float = 5,
            canopy_resistance: float = 70,
            layer: float = 100,
            every: str | None = None,
        ) -> None: ...

    class BulkForcing(Scheme):
        def __init__(
            self,
            *,
            wind_height: float = 10,
            air_height: float = 10,
            albedo: float = 0.066,
            emissivity: float = 1,
            least_wind: float = 0.5,
            iterations: float = 3,
            insulation: float = 0.05,
            every: str | None = None,
        ) -> None: ...

    class BulkOverIce(Scheme):
        def __init__(
            self,
            *,
            coefficient: float = 0.00163,
            emissivity: float = 1,
            sky_reflection: float = 0,
            every: str | None = None,
        ) -> None: ...

    class BulkSensitivity(Scheme):
        def __init__(
            self, *, emissivity: float = 1, least_wind: float = 0.5, every: str | None = None
        ) -> None: ...

    class CFC11Exchange(Scheme):
        def __init__(
            self, *, coefficient: float = 0.251, wind_variance: float = 1, every: str | None = None
        ) -> None: ...

    class CFC12Exchange(Scheme):
        def __init__(
            self, *, coefficient: float = 0.251, wind_variance: float = 1, every: str | None = None
        ) -> None: ...

    class CarbonExchange(Scheme):
        def __init__(
            self, *, coefficient: float = 0.251, wind_variance: float = 1, every: str | None = None
        ) -> None: ...

    class CentredAdvection(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class ChlorophyllWater(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class ClippedSlopes(Scheme):
        def __init__(
            self,
            *,
            maximum_slope: float = 0.01,
            taper_width: float = 0.001,
            diffusivity: float = 800,
            step: float = 3600,
            every: str | None = None,
        ) -> None: ...

    class CloseNestFaces(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class CloudDiffusion(Scheme):
        def __init__(self, *, step: float = 1200, every: str | None = None) -> None: ...

    class CloudyTKE(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            least: float = 0.0001,
            background: float = 0.001,
            wall_stability: float = 0,
            every: str | None = None,
        ) -> None: ...

    class ColumnEnergy(Scheme):
        def __init__(
            self, *, step: float = 1800, heat_capacity: float = 1004.71, every: str | None = None
        ) -> None: ...

    class ColumnHydrostatics(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class ColumnStep(Scheme):
        def __init__(self, *, step: float = 1200, every: str | None = None) -> None: ...

    class CompressibleArrival(Scheme):
        def __init__(
            self,
            *,
            step: float = 60,
            gas_constant: float = 287.06,
            off_centring: float = 0,
            every: str | None = None,
        ) -> None: ...

    class CompressibleCarried(Scheme):
        def __init__(
            self,
            *,
            step: float = 60,
            gas_constant: float = 287.06,
            off_centring: float = 0,
            every: str | None = None,
        ) -> None: ...

    class CompressibleEquations(Scheme):
        def __init__(
            self,
            *,
            gas_constant: float = 287.06,
            heat_capacity: float = 1004.71,
            every: str | None = None,
        ) -> None: ...

    class CompressibleExtrapolation(Scheme):
        def __init__(
            self,
            *,
            step: float = 60,
            off_centring: float = 0,
            acoustic_temperature: float = 100,
            every: str | None = None,
        ) -> None: ...

    class CompressibleNonlinear(Scheme):
        def __init__(
            self,
            *,
            gas_constant: float = 287.06,
            heat_capacity: float = 1004.71,
            reference_temperature: float = 350,
            acoustic_temperature: float = 100,
            every: str | None = None,
        ) -> None: ...

    class ConstantMixing(Scheme):
        def __init__(
            self,
            *,
            viscosity: float = 0.001,
            diffusivity: float = 1e-05,
            convective_viscosity: float = 0.1,
            convective_diffusivity: float = 0.1,
            every: str | None = None,
        ) -> None: ...

    class ContentFromNest(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class CoriolisShare(Scheme):
        def __init__(self, *, implicitness: float = 0.6, every: str | None = None) -> None: ...

    class DiagnosticCloud(Scheme):
        def __init__(
            self,
            *,
            critical_humidity: float = 0.85,
            low_critical_humidity: float = 0.82,
            water_density: float = 0.00021,
            depth: float = 5000,
            top: float = 10000,
            every: str | None = None,
        ) -> None: ...

    class DoubleDiffusion(Scheme):
        def __init__(
            self, *, fingers: float = 0.001, most_ratio: float = 1.9, every: str | None = None
        ) -> None: ...

    class EadyStructure(Scheme):
        def __init__(
            self,
            *,
            efficiency: float = 0.015,
            mixing_length: float = 100000,
            diffusivity: float = 800,
            least: float = 0.2,
            most: float = 3,
            from_depth: float = 100,
            to_depth: float = 2000,
            every: str | None = None,
        ) -> None: ...

    class EdgeContent(Scheme):
        def __init__(
            self,
            *,
            inflow_time: float = 86400,
            outflow_time: float = 3.1104e07,
            every: str | None = None,
        ) -> None: ...

    class EdgeConvergence(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class EdgeKeepsTendency(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class EdgeTide(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class EdgeTransport(Scheme):
        def __init__(
            self,
            *,
            step: float = 3600,
            inflow_time: float = 86400,
            outflow_time: float = 3.1104e07,
            every: str | None = None,
        ) -> None: ...

    class EdgeWithoutAdvection(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class EdgeWithoutFriction(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class EdgeWithoutTide(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class EulerianTendencies(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class EulerianTracer(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class FactorOfMoistAir(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class FirstBudgetShare(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class FirstIceAlbedo(Scheme):
        def __init__(
            self,
            *,
            snow_albedo: float = 0.846,
            melting_snow_albedo: float = 0.77,
            ice_albedo: float = 0.68,
            passing_light: float = 0.33,
            every: str | None = None,
        ) -> None: ...

    class FirstIceSum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class FirstMomentumShare(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class FlowDirection(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class FrazilExport(Scheme):
        def __init__(
            self,
            *,
            step: float = 3600,
            thickest: float = 5,
            diffusivity: float = 100000,
            every: str | None = None,
        ) -> None: ...

    class FreezingLimit(Scheme):
        def __init__(
            self,
            *,
            ice_salinity: float = 4,
            reference_salinity: float = 34.7,
            every: str | None = None,
        ) -> None: ...

    class FreshwaterContent(Scheme):
        def __init__(
            self, *, share: float = 0, returned: float = 0, every: str | None = None
        ) -> None: ...

    class FreshwaterConvergence(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class FrictionVelocity(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class GeothermalHeat(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class GivenFlux(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class GivenSurfaceFluxes(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class GivenWaterOverIce(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class GraupelMicrophysics(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            critical_humidity: float = 0.9,
            cloud_rate: float = 0.001,
            cloud_threshold: float = 0.0005,
            ice_rate: float = 0.001,
            ice_threshold: float = 0.0001,
            all_ice: float = 250.16,
            freezing_time: float = 0,
            every: str | None = None,
        ) -> None: ...

    class GridPointColumns(Scheme):
        def __init__(
            self,
            *,
            gravity: float = 9.80616,
            gas_constant: float = 287.06,
            heat_capacity: float = 1004.71,
            reference_pressure: float = 100000,
            every: str | None = None,
        ) -> None: ...

    class GridPointDeepRotation(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class GridPointDeepRotationAcross(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class GridPointDiffusion(Scheme):
        def __init__(
            self, *, step: float = 10, viscosity: float = 0, every: str | None = None
        ) -> None: ...

    class GridPointExner(Scheme):
        def __init__(
            self,
            *,
            gas_constant: float = 287.06,
            heat_capacity: float = 1004.71,
            reference_pressure: float = 100000,
            every: str | None = None,
        ) -> None: ...

    class GridPointForces(Scheme):
        def __init__(
            self,
            *,
            heat_capacity: float = 1004.71,
            gravity: float = 9.80616,
            curvature: float = 0,
            every: str | None = None,
        ) -> None: ...

    class GridPointIncrements(Scheme):
        def __init__(
            self,
            *,
            step: float = 10,
            implicitness: float = 0.55,
            gravity: float = 9.80616,
            heat_capacity: float = 1004.71,
            gas_constant: float = 287.06,
            every: str | None = None,
        ) -> None: ...

    class GridPointLinearState(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class GridPointMotion(Scheme):
        def __init__(self, *, curvature: float = 0, every: str | None = None) -> None: ...

    class GridPointPhysics(Scheme):
        def __init__(
            self, *, step: float = 1800, ground_mixing: float = 3600, every: str | None = None
        ) -> None: ...

    class GridPointResiduals(Scheme):
        def __init__(
            self, *, step: float = 10, implicitness: float = 0.55, every: str | None = None
        ) -> None: ...

    class GridPointRim(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class GridPointStart(Scheme):
        def __init__(
            self, *, step: float = 10, implicitness: float = 0.55, every: str | None = None
        ) -> None: ...

    class GridPointWind(Scheme):
        def __init__(self, *, rows: float = 2, every: str | None = None) -> None: ...

    class GridPointWindAside(Scheme):
        def __init__(
            self, *, rows_of_wind: float = 1, rows_of_force: float = 1, every: str | None = None
        ) -> None: ...

    class GridPointWindAsideDeep(Scheme):
        def __init__(
            self, *, rows_of_force: float = 1, curvature: float = 0, every: str | None = None
        ) -> None: ...

    class GroundResponse(Scheme):
        def __init__(self, *, step: float = 1200, every: str | None = None) -> None: ...

    class HeatIntoSea(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class HeatNotTaken(Scheme):
        def __init__(self, *, drifting_snow: float = 0.5, every: str | None = None) -> None: ...

    class HeatOfIcebergs(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class HeatOfWater(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class HeatReturned(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class HeldSuarez(Scheme):
        def __init__(
            self,
            *,
            friction: float = 1,
            cooling: float = 40,
            surface_cooling: float = 4,
            boundary_layer: float = 0.7,
            equator: float = 315,
            pole_contrast: float = 60,
            stability: float = 10,
            stratosphere: float = 200,
            reference_pressure: float = 100000,
            every: str | None = None,
        ) -> None: ...

    class HelmholtzRightSide(Scheme):
        def __init__(
            self,
            *,
            step: float = 10,
            implicitness: float = 0.55,
            gravity: float = 9.80616,
            heat_capacity: float = 1004.71,
            every: str | None = None,
        ) -> None: ...

    class HybridPressure(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class HydrostaticGeopotential(Scheme):
        def __init__(self, *, gas_constant: float = 287.06, every: str | None = None) -> None: ...

    class HydrostaticPressure(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class IceAlbedo(Scheme):
        def __init__(
            self,
            *,
            snow_albedo: float = 0.846,
            melting_snow_albedo: float = 0.77,
            ice_albedo: float = 0.68,
            passing_light: float = 0.33,
            every: str | None = None,
        ) -> None: ...

    class IceCarry(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class IceCover(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class IceCoverOfStep(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class IceEnds(Scheme):
        def __init__(self, *, limit: float = 1000, every: str | None = None) -> None: ...

    class IceFlowX(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class IceFlowY(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class IceLimit(Scheme):
        def __init__(
            self,
            *,
            limit: float = 1,
            below: float = 0,
            above: float = 1000,
            every: str | None = None,
        ) -> None: ...

    class IceMicrophysics(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            critical_humidity: float = 0.9,
            cloud_rate: float = 0.001,
            cloud_threshold: float = 0.0005,
            ice_rate: float = 0.001,
            ice_threshold: float = 0.0001,
            all_ice: float = 250.16,
            freezing_time: float = 0,
            every: str | None = None,
        ) -> None: ...

    class IceShift(Scheme):
        def __init__(self, *, limit: float = 1, every: str | None = None) -> None: ...

    class IceSum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class IceSurfaceTemperature(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class IceSweepX(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class IceSweepY(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class IceThermodynamics(Scheme):
        def __init__(
            self,
            *,
            step: float = 3600,
            salinity: float = 4,
            least_thickness: float = 0.05,
            drifting_snow: float = 0.5,
            extinction: float = 1.5,
            pond_drainage: float = 345600,
            every: str | None = None,
        ) -> None: ...

    class IceTransfer(Scheme):
        def __init__(self, *, limit: float = 1, every: str | None = None) -> None: ...

    class IceUnderAir(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class ImplicitCoriolis(Scheme):
        def __init__(
            self, *, step: float = 1800, off_centring: float = 0, every: str | None = None
        ) -> None: ...

    class ImplicitMomentum(Scheme):
        def __init__(
            self,
            *,
            step: float = 3600,
            implicitness: float = 0.6,
            drag: float = 0.0012,
            background_speed: float = 0,
            every: str | None = None,
        ) -> None: ...

    class InternalWaveDrag(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class IrradianceInTime(Scheme):
        def __init__(self, *, solar_constant: float = 1361, every: str | None = None) -> None: ...

    class IsoneutralFlux(Scheme):
        def __init__(
            self,
            *,
            diffusivity: float = 800,
            isoneutral_diffusivity: float = 800,
            every: str | None = None,
        ) -> None: ...

    class IsoneutralMixing(Scheme):
        def __init__(
            self, *, isoneutral_diffusivity: float = 800, every: str | None = None
        ) -> None: ...

    class JMCD(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class JMCDExpansion(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class JMCDSurfaceBuoyancy(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class JerlovWater(Scheme):
        def __init__(self, *, water_type: float = 3, every: str | None = None) -> None: ...

    class KPP(Scheme):
        def __init__(
            self,
            *,
            critical: float = 0.3,
            entrainment: float = 1.8,
            ekman: float = 0.7,
            monin_obukhov: float = 1,
            nonlocal_strength: float = 10,
            langmuir: float = 0,
            shear_diffusivity: float = 0.005,
            shear_critical: float = 0.7,
            wave_viscosity: float = 0.0001,
            wave_diffusivity: float = 1e-05,
            convective_viscosity: float = 0.1,
            convective_diffusivity: float = 0.1,
            every: str | None = None,
        ) -> None: ...

    class KProfileDiffusion(Scheme):
        def __init__(
            self,
            *,
            mixing_length: float = 100,
            critical: float = 0.3,
            background: float = 0.01,
            every: str | None = None,
        ) -> None: ...

    class Keep(Scheme):
        def __init__(self, *, value: float = 1, every: str | None = None) -> None: ...

    class KineticContent(Scheme):
        def __init__(self, *, step: float = 1800, every: str | None = None) -> None: ...

    class LandSurface(Scheme):
        def __init__(
            self, *, step: float = 1200, most_snow: float = 1e09, every: str | None = None
        ) -> None: ...

    class LaplacianDiffusion(Scheme):
        def __init__(self, *, diffusivity: float = 1000, every: str | None = None) -> None: ...

    class LaplacianFriction(Scheme):
        def __init__(self, *, viscosity: float = 10000, every: str | None = None) -> None: ...

    class LargeScaleCondensation(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            saturation: float = 1,
            evaporation: float = 2e-05,
            every: str | None = None,
        ) -> None: ...

    class LateBudgetShare(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class LaxWendroffAdvection(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class LaxWendroffSweep(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class LayersInTime(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class LayersInTimeAtCorners(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class LevelPressureCarried(Scheme):
        def __init__(self, *, step: float = 60, every: str | None = None) -> None: ...

    class LightInLeads(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class LinearEquationOfState(Scheme):
        def __init__(
            self,
            *,
            reference_density: float = 1026,
            thermal_expansion: float = 0.0002,
            haline_contraction: float = 0.00076,
            reference_temperature: float = 10,
            reference_salinity: float = 35,
            every: str | None = None,
        ) -> None: ...

    class LinearEquationOfStateExpansion(Scheme):
        def __init__(
            self,
            *,
            reference_density: float = 1026,
            thermal_expansion: float = 0.0002,
            haline_contraction: float = 0.00076,
            every: str | None = None,
        ) -> None: ...

    class LinearEquationOfStateSurfaceBuoyancy(Scheme):
        def __init__(
            self,
            *,
            reference_density: float = 1026,
            thermal_expansion: float = 0.0002,
            haline_contraction: float = 0.00076,
            reference_temperature: float = 10,
            reference_salinity: float = 35,
            every: str | None = None,
        ) -> None: ...

    class LinearMomentum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class LiquidDiffusion(Scheme):
        def __init__(self, *, step: float = 1200, every: str | None = None) -> None: ...

    class LocalAlbedo(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class LogSurfacePressure(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class MWJF(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class MWJFExpansion(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class MWJFSurfaceBuoyancy(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class MassFlow(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class MassFluxConvection(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            relaxation: float = 3600,
            source_depth: float = 6000,
            downdraught: float = 0.3,
            pressure_gradient: float = 0.7,
            shallow: float = 1,
            entrainment: float = 0.001,
            rain_rate: float = 0.002,
            every: str | None = None,
        ) -> None: ...

    class MixedLake(Scheme):
        def __init__(
            self, *, step: float = 1200, full_cover: float = 92, every: str | None = None
        ) -> None: ...

    class MixedLakeOfTiles(Scheme):
        def __init__(
            self, *, step: float = 1200, full_cover: float = 92, every: str | None = None
        ) -> None: ...

    class MixedLayerBuoyancy(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class MixedLayerDepth(Scheme):
        def __init__(self, *, density_step: float = 0.03, every: str | None = None) -> None: ...

    class MixedLayerEddies(Scheme):
        def __init__(
            self,
            *,
            efficiency: float = 0.07,
            front_width: float = 5000,
            time_scale: float = 86400,
            widest: float = 111000,
            largest_speed: float = 0.5,
            every: str | None = None,
        ) -> None: ...

    class MomentumAdvection(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class MomentumRest(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class MomentumShare(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class NPZD(Scheme):
        def __init__(
            self,
            *,
            growth: float = 1.2,
            light_slope: float = 0.025,
            half_saturation: float = 0.5,
            grazing: float = 2,
            capture: float = 1,
            assimilation: float = 0.75,
            excretion: float = 0.03,
            phytoplankton_loss: float = 0.05,
            zooplankton_loss: float = 0.2,
            remineralisation: float = 0.05,
            sinking: float = 5,
            usable_light: float = 0.43,
            water_attenuation: float = 0.04,
            phytoplankton_attenuation: float = 0.03,
            every: str | None = None,
        ) -> None: ...

    class NestAdvection(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class NestContent(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class NestConvergence(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class NestTransport(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class NewIce(Scheme):
        def __init__(
            self,
            *,
            step: float = 3600,
            salinity: float = 4,
            thickness: float = 0.1,
            every: str | None = None,
        ) -> None: ...

    class NonlocalTransport(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class OpenNestFaces(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class OpenWater(Scheme):
        def __init__(
            self,
            *,
            step: float = 3600,
            exchange: float = 6e-05,
            floe_diameter: float = 300,
            loose_floe_diameter: float = 8,
            every: str | None = None,
        ) -> None: ...

    class OrographicBlocking(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            drag: float = 2,
            steepness: float = 0.0001,
            critical: float = 0.5,
            largest_height: float = 750,
            every: str | None = None,
        ) -> None: ...

    class OrographicDrag(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            wave_number: float = 1.2e-05,
            froude: float = 0.7,
            largest_height: float = 750,
            every: str | None = None,
        ) -> None: ...

    class OverflowContent(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class OverflowConvergence(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class OverflowVolume(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class OxygenExchange(Scheme):
        def __init__(
            self, *, coefficient: float = 0.251, wind_variance: float = 1, every: str | None = None
        ) -> None: ...

    class OzoneInTime(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class PositiveHumidity(Scheme):
        def __init__(self, *, step: float = 1200, every: str | None = None) -> None: ...

    class PressureGradient(Scheme):
        def __init__(self, *, gravity: float = 9.80616, every: str | None = None) -> None: ...

    class PrimitiveEquations(Scheme):
        def __init__(
            self,
            *,
            gas_constant: float = 287.06,
            heat_capacity: float = 1004.71,
            every: str | None = None,
        ) -> None: ...

    class PrognosticCloud(Scheme):
        def __init__(
            self,
            *,
            critical_humidity: float = 0.9,
            top: float = 10000,
            all_ice: float = 250.16,
            every: str | None = None,
        ) -> None: ...

    class PrognosticLiquidCloud(Scheme):
        def __init__(
            self,
            *,
            critical_humidity: float = 0.9,
            top: float = 10000,
            all_ice: float = 250.16,
            every: str | None = None,
        ) -> None: ...

    class QuadraticTaperedSlopes(Scheme):
        def __init__(
            self,
            *,
            maximum_slope: float = 0.01,
            taper_width: float = 0.001,
            diffusivity: float = 800,
            step: float = 3600,
            every: str | None = None,
        ) -> None: ...

    class QuickestAdvection(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class QuickestSweep(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class Radiation(Scheme):
        def __init__(
            self, *, carbon_dioxide: float = 400, aerosol: float = 0.12, every: str | None = None
        ) -> None: ...

    class RadiativeHeating(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class RedfieldCarbon(Scheme):
        def __init__(
            self, *, carbon: float = 6.625, alkalinity: float = 1, every: str | None = None
        ) -> None: ...

    class RedfieldOxygen(Scheme):
        def __init__(self, *, oxygen: float = 10.625, every: str | None = None) -> None: ...

    class ReedJablonowski(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            exchange: float = 0.0011,
            top: float = 85000,
            fall: float = 10000,
            every: str | None = None,
        ) -> None: ...

    class Release(Scheme):
        def __init__(self, *, rate: float = 1, every: str | None = None) -> None: ...

    class RichardsonMixing(Scheme):
        def __init__(
            self,
            *,
            background_viscosity: float = 0.0001,
            background_diffusivity: float = 1e-05,
            maximum: float = 0.005,
            steepness: float = 5,
            convective_viscosity: float = 0.1,
            convective_diffusivity: float = 0.1,
            every: str | None = None,
        ) -> None: ...

    class Runoff(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class SF6Exchange(Scheme):
        def __init__(
            self, *, coefficient: float = 0.251, wind_variance: float = 1, every: str | None = None
        ) -> None: ...

    class SalinityRestoring(Scheme):
        def __init__(
            self, *, piston_velocity: float = 1.92901e-06, every: str | None = None
        ) -> None: ...

    class SalinityRestoringUnderIce(Scheme):
        def __init__(
            self, *, piston_velocity: float = 1.92901e-05, every: str | None = None
        ) -> None: ...

    class SaturationAdjustment(Scheme):
        def __init__(
            self, *, step: float = 1200, critical_humidity: float = 1, every: str | None = None
        ) -> None: ...

    class SeaOfRecords(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class SeaUnderAir(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class SemiImplicitTerms(Scheme):
        def __init__(
            self,
            *,
            step: float = 1800,
            gas_constant: float = 287.06,
            heat_capacity: float = 1004.71,
            reference_temperature: float = 350,
            off_centring: float = 0,
            splitting: float = 0,
            every: str | None = None,
        ) -> None: ...

    class ShallowMassFlux(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            area: float = 0.1,
            deepest: float = 4000,
            mixing: float = 0.4,
            every: str | None = None,
        ) -> None: ...

    class ShallowWaterArrival(Scheme):
        def __init__(self, *, step: float = 1800, every: str | None = None) -> None: ...

    class ShallowWaterFluxes(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class ShallowWaterTerms(Scheme):
        def __init__(
            self,
            *,
            step: float = 1800,
            mean_geopotential: float = 50000,
            off_centring: float = 0,
            splitting: float = 0,
            every: str | None = None,
        ) -> None: ...

    class ShortwaveHeating(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class SlabOfSea(Scheme):
        def __init__(
            self, *, step: float = 1200, thinnest_ice: float = 1.5, every: str | None = None
        ) -> None: ...

    class SlabOfSeaOfTiles(Scheme):
        def __init__(
            self, *, step: float = 1200, thinnest_ice: float = 1.5, every: str | None = None
        ) -> None: ...

    class SlopedFlux(Scheme):
        def __init__(
            self,
            *,
            diffusivity: float = 800,
            isoneutral_diffusivity: float = 800,
            every: str | None = None,
        ) -> None: ...

    class SmagorinskyViscosity(Scheme):
        def __init__(
            self, *, coefficient: float = 2, step: float = 3600, every: str | None = None
        ) -> None: ...

    class SmoothCondensation(Scheme):
        def __init__(
            self, *, time: float = 3600, width: float = 0.02, every: str | None = None
        ) -> None: ...

    class SmoothMixing(Scheme):
        def __init__(
            self,
            *,
            step: float = 1800,
            diffusivity: float = 10,
            depth: float = 10000,
            drag: float = 0.02,
            every: str | None = None,
        ) -> None: ...

    class Snowfall(Scheme):
        def __init__(self, *, step: float = 1200, every: str | None = None) -> None: ...

    class SnowfallOfConvection(Scheme):
        def __init__(self, *, step: float = 1200, every: str | None = None) -> None: ...

    class SoilLayers(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            heat_from_below: float = 0,
            most_snow: float = 1e09,
            every: str | None = None,
        ) -> None: ...

    class SoilResponse(Scheme):
        def __init__(
            self, *, step: float = 1200, heat_from_below: float = 0, every: str | None = None
        ) -> None: ...

    class StandardOzone(Scheme):
        def __init__(self, *, amount: float = 1, every: str | None = None) -> None: ...

    class StormyWind(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class StrainFriction(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class StrainLaplacian(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class StratificationStructure(Scheme):
        def __init__(self, *, least: float = 0.1, every: str | None = None) -> None: ...

    class StratocumulusCloud(Scheme):
        def __init__(
            self,
            *,
            critical_humidity: float = 0.85,
            low_critical_humidity: float = 0.82,
            water_density: float = 0.00021,
            depth: float = 5000,
            top: float = 10000,
            every: str | None = None,
        ) -> None: ...

    class StressToGrid(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class StretchedCells(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class StretchedCorners(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class StretchedPressureGradient(Scheme):
        def __init__(self, *, gravity: float = 9.80616, every: str | None = None) -> None: ...

    class Sunlight(Scheme):
        def __init__(
            self,
            *,
            solar_constant: float = 1361,
            fixed_season: float = 0,
            everywhere: float = 0,
            every: str | None = None,
        ) -> None: ...

    class SurfaceCurrent(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class SurfaceFluxes(Scheme):
        def __init__(
            self, *, reference_salinity: float = 34.7, every: str | None = None
        ) -> None: ...

    class SurfaceState(Scheme):
        def __init__(
            self,
            *,
            sea_albedo: float = 0.065,
            ice_albedo: float = 0.6,
            snow_albedo: float = 0.75,
            forest_snow_albedo: float = 0.45,
            every: str | None = None,
        ) -> None: ...

    class SurfaceSunlight(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class SurfaceTimeMaximum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class SurfaceTimeMinimum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class SurfaceTimeSum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class SurfaceVolume(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class SurfaceWeightedTimeSum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class SweepVolumes(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class TEOS10Polynomial(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TEOS10PolynomialExpansion(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TEOS10PolynomialSurfaceBuoyancy(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TKE(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            least: float = 0.0001,
            background: float = 0.001,
            wall_stability: float = 0,
            every: str | None = None,
        ) -> None: ...

    class TanhTaperedSlopes(Scheme):
        def __init__(
            self,
            *,
            maximum_slope: float = 0.01,
            taper_width: float = 0.001,
            diffusivity: float = 800,
            step: float = 3600,
            every: str | None = None,
        ) -> None: ...

    class TemperatureByFactor(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TemperatureOfMoistAir(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TemperatureRestoring(Scheme):
        def __init__(self, *, piston_velocity: float = 1e-05, every: str | None = None) -> None: ...

    class TendencyContent(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TendencyFactor(Scheme):
        def __init__(
            self,
            *,
            near: float = 0.96,
            far: float = 0.86,
            above: float = 5000,
            below: float = 10000,
            every: str | None = None,
        ) -> None: ...

    class TendencyStart(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TidalForce(Scheme):
        def __init__(
            self,
            *,
            gravity: float = 9.80616,
            self_attraction: float = 0.085,
            every: str | None = None,
        ) -> None: ...

    class TidalMixing(Scheme):
        def __init__(
            self,
            *,
            local_share: float = 0.333333,
            efficiency: float = 0.2,
            decay: float = 500,
            maximum: float = 0.01,
            prandtl: float = 10,
            every: str | None = None,
        ) -> None: ...

    class TileDiffusion(Scheme):
        def __init__(self, *, step: float = 1200, every: str | None = None) -> None: ...

    class TileDiffusionOverOcean(Scheme):
        def __init__(self, *, step: float = 1200, every: str | None = None) -> None: ...

    class TileExchange(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            gust: float = 2,
            ice_roughness: float = 0.001,
            most_roughness: float = 5,
            canopy_resistance: float = 70,
            layer: float = 100,
            bare_roughness: float = 0.01,
            snow_roughness: float = 0.002,
            every: str | None = None,
        ) -> None: ...

    class TileExchangeOverOcean(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            gust: float = 2,
            ice_roughness: float = 0.001,
            most_roughness: float = 5,
            canopy_resistance: float = 70,
            layer: float = 100,
            bare_roughness: float = 0.01,
            snow_roughness: float = 0.002,
            every: str | None = None,
        ) -> None: ...

    class TileResponse(Scheme):
        def __init__(
            self, *, step: float = 1200, heat_from_below: float = 0, every: str | None = None
        ) -> None: ...

    class TileState(Scheme):
        def __init__(
            self,
            *,
            sea_albedo: float = 0.065,
            ice_albedo: float = 0.6,
            snow_on_ice_albedo: float = 0.75,
            forest_snow_albedo: float = 0.45,
            land_ice_albedo: float = 0.6,
            firn_albedo: float = 0.77,
            every: str | None = None,
        ) -> None: ...

    class TileStateOverOcean(Scheme):
        def __init__(
            self,
            *,
            sea_albedo: float = 0.065,
            ice_albedo: float = 0.6,
            snow_on_ice_albedo: float = 0.75,
            forest_snow_albedo: float = 0.45,
            land_ice_albedo: float = 0.6,
            firn_albedo: float = 0.77,
            every: str | None = None,
        ) -> None: ...

    class TiledLand(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            heat_from_below: float = 0,
            most_snow: float = 1e09,
            every: str | None = None,
        ) -> None: ...

    class TimeInterpolation(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TimeInterpolationAtCorners(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TimeMaximum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TimeMinimum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TimeSum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TracerBudget(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class TracerFactor(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TracerFlow(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TracerLaplacian(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TracerNudging(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TracerPhysics(Scheme):
        def __init__(self, *, step: float = 1800, every: str | None = None) -> None: ...

    class TracerTendencyStart(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class TracerUpdate(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class UNESCO(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class UNESCOExpansion(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class UNESCOSurfaceBuoyancy(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class UpwardVelocity(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class UpwindAdvection(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class VelocityLaplacian(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class VelocityNudging(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class VerticalDiffusion(Scheme):
        def __init__(self, *, step: float = 1200, every: str | None = None) -> None: ...

    class VerticalFactors(Scheme):
        def __init__(self, *, step: float = 3600, every: str | None = None) -> None: ...

    class VirtualTemperatureTendency(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class VirtualTendencyOfMoistAir(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class VirtualTendencyOfWater(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class VolumeTransport(Scheme):
        def __init__(
            self,
            *,
            step: float = 3600,
            implicitness: float = 0.6,
            gravity: float = 9.80616,
            compactness: float = 0.2,
            rotation: float = 1,
            every: str | None = None,
        ) -> None: ...

    class VorticityShare(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class WarmMicrophysics(Scheme):
        def __init__(
            self,
            *,
            step: float = 1200,
            critical_humidity: float = 0.9,
            cloud_rate: float = 0.001,
            cloud_threshold: float = 0.0005,
            ice_rate: float = 0.001,
            ice_threshold: float = 0.0001,
            all_ice: float = 250.16,
            freezing_time: float = 0,
            every: str | None = None,
        ) -> None: ...

    class WaterUnderAir(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class WeightOfWater(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class WeightedTimeSum(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

    class WindExtrapolation(Scheme):
        def __init__(self, *, every: str | None = None) -> None: ...

BettsMiller = schemes.BettsMiller
BiharmonicDiffusion = schemes.BiharmonicDiffusion
BiharmonicFriction = schemes.BiharmonicFriction
BryanLewisMixing = schemes.BryanLewisMixing
CentredAdvection = schemes.CentredAdvection
ChlorophyllWater = schemes.ChlorophyllWater
ConstantMixing = schemes.ConstantMixing
DoubleDiffusion = schemes.DoubleDiffusion
GraupelMicrophysics = schemes.GraupelMicrophysics
HeldSuarez = schemes.HeldSuarez
IceMicrophysics = schemes.IceMicrophysics
JMCD = schemes.JMCD
JerlovWater = schemes.JerlovWater
KPP = schemes.KPP
KProfileDiffusion = schemes.KProfileDiffusion
LaplacianDiffusion = schemes.LaplacianDiffusion
LaplacianFriction = schemes.LaplacianFriction
LaxWendroffAdvection = schemes.LaxWendroffAdvection
LinearEquationOfState = schemes.LinearEquationOfState
MWJF = schemes.MWJF
MassFluxConvection = schemes.MassFluxConvection
MixedLayerEddies = schemes.MixedLayerEddies
MomentumAdvection = schemes.MomentumAdvection
QuickestAdvection = schemes.QuickestAdvection
RichardsonMixing = schemes.RichardsonMixing
ShallowMassFlux = schemes.ShallowMassFlux
SoilLayers = schemes.SoilLayers
Sunlight = schemes.Sunlight
TEOS10Polynomial = schemes.TEOS10Polynomial
TKE = schemes.TKE
TidalMixing = schemes.TidalMixing
TiledLand = schemes.TiledLand
UNESCO = schemes.UNESCO
UpwindAdvection = schemes.UpwindAdvection
