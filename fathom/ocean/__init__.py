"""The ocean: its model, what drives it from above, what follows from its fields, its limits and its pictures."""

from .eddies import GentMcWilliams
from .free_surface import FreeSurface
from .friction import AnisotropicFriction, SmagorinskyFriction
from .model import Ocean
from .overflow import DenmarkStrait, FaroeBankChannel, Overflow
from .surface import BulkForcing, SurfaceForcing
from .tracers import PassiveTracer

__all__ = [
    "AnisotropicFriction", "BulkForcing", "DenmarkStrait", "FaroeBankChannel", "FreeSurface", "GentMcWilliams", "Ocean", "Overflow", "PassiveTracer",
    "SmagorinskyFriction", "SurfaceForcing",
]  # fmt: skip
