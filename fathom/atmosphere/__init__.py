"""The atmosphere: its models."""

from .model import SpectralAtmosphere
from .physics import FirstPhysics
from .shallow_water import ShallowWater

__all__ = ["FirstPhysics", "ShallowWater", "SpectralAtmosphere"]
