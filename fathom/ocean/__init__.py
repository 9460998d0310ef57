"""The ocean: its model, what drives it from above, what follows from its fields, its limits and its pictures."""

from .eddies import GentMcWilliams
from .friction import AnisotropicFriction, SmagorinskyFriction
from .model import FreeSurface, Ocean, PassiveTracer
from .overflow import DenmarkStrait, FaroeBankChannel, Overflow
from .surface import BulkForcing, SurfaceForcing

__all__ = [
    "AnisotropicFriction", "BulkForcing", "DenmarkStrait", "FaroeBankChannel", "FreeSurface", "GentMcWilliams", "Ocean", "Overflow", "PassiveTracer",
    "SmagorinskyFriction", "SurfaceForcing",
]  # fmt: skip
