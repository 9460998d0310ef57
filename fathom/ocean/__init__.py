"""The ocean: its model, its forcing, its diagnostics, its limits and its pictures."""

from fathom.ocean.components.carbon import Alkalinity, Carbon, Oxygen
from fathom.ocean.components.component import OceanComponent
from fathom.ocean.components.eddies import GentMcWilliams
from fathom.ocean.components.free_surface import FreeSurface
from fathom.ocean.components.friction import AnisotropicFriction, SmagorinskyFriction
from fathom.ocean.components.gases import CFC11, CFC12, SF6
from fathom.ocean.components.nudging import Nudging
from fathom.ocean.components.overflow import (
    DenmarkStrait,
    FaroeBankChannel,
    Overflow,
    RossSea,
    WeddellSea,
)
from fathom.ocean.components.passive import Dye, IdealAge, PassiveTracer
from fathom.ocean.components.sea_ice import SeaIce
from fathom.ocean.components.tides import Tides
from fathom.ocean.edges.open_edges import OpenEdges
from fathom.ocean.edges.sides import OpenEdge
from fathom.ocean.edges.tides import BoundaryTides
from fathom.ocean.model import Ocean
from fathom.ocean.surface.forcing import BulkForcing
from fathom.ocean.surface.given_fluxes import SurfaceForcing

__all__ = [
    "CFC11",
    "CFC12",
    "SF6",
    "Alkalinity",
    "AnisotropicFriction",
    "BoundaryTides",
    "BulkForcing",
    "Carbon",
    "DenmarkStrait",
    "Dye",
    "FaroeBankChannel",
    "FreeSurface",
    "GentMcWilliams",
    "IdealAge",
    "Nudging",
    "Ocean",
    "OceanComponent",
    "OpenEdge",
    "OpenEdges",
    "Overflow",
    "Oxygen",
    "PassiveTracer",
    "RossSea",
    "SeaIce",
    "SmagorinskyFriction",
    "SurfaceForcing",
    "Tides",
    "WeddellSea",
]
