"""The ocean: its model, its forcing, its diagnostics, its limits and its pictures."""

from fathom.ocean.eddies import GentMcWilliams
from fathom.ocean.free_surface import FreeSurface
from fathom.ocean.friction import AnisotropicFriction, SmagorinskyFriction
from fathom.ocean.gases import CFC11, CFC12, SF6
from fathom.ocean.given_fluxes import SurfaceForcing
from fathom.ocean.model import Ocean
from fathom.ocean.overflow import (
    DenmarkStrait,
    FaroeBankChannel,
    Overflow,
    RossSea,
    WeddellSea,
)
from fathom.ocean.passive import Dye, IdealAge, PassiveTracer
from fathom.ocean.sea_ice import SeaIce
from fathom.ocean.surface import BulkForcing

__all__ = [
    "CFC11",
    "CFC12",
    "SF6",
    "AnisotropicFriction",
    "BulkForcing",
    "DenmarkStrait",
    "Dye",
    "FaroeBankChannel",
    "FreeSurface",
    "GentMcWilliams",
    "IdealAge",
    "Ocean",
    "Overflow",
    "PassiveTracer",
    "RossSea",
    "SeaIce",
    "SmagorinskyFriction",
    "SurfaceForcing",
    "WeddellSea",
]
