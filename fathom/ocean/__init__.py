"""The ocean: its model, what drives it from above, what follows from its fields, its limits and its pictures."""

from .eddies import GentMcWilliams
from .free_surface import FreeSurface
from .friction import AnisotropicFriction, SmagorinskyFriction
from .gases import CFC11, CFC12, SF6
from .model import Ocean
from .overflow import DenmarkStrait, FaroeBankChannel, Overflow
from .passive import Dye, IdealAge, PassiveTracer
from .surface import BulkForcing, SurfaceForcing

__all__ = [
    "AnisotropicFriction", "BulkForcing", "CFC11", "CFC12", "DenmarkStrait", "Dye", "FaroeBankChannel", "FreeSurface", "GentMcWilliams", "IdealAge", "Ocean", "Overflow",
    "PassiveTracer", "SF6", "SmagorinskyFriction", "SurfaceForcing",
]  # fmt: skip
