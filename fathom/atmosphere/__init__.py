"""The atmosphere: its models."""

from .model import SpectralAtmosphere
from .shallow_water import ShallowWater

__all__ = ["ShallowWater", "SpectralAtmosphere"]
