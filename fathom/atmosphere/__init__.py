"""The atmosphere: its models."""

from .column import SingleColumn
from .model import SpectralAtmosphere
from .physics import FirstPhysics
from .shallow_water import ShallowWater

__all__ = ["FirstPhysics", "ShallowWater", "SingleColumn", "SpectralAtmosphere"]
