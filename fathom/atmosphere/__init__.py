"""The atmosphere: its models."""

from fathom.atmosphere.column import SingleColumn
from fathom.atmosphere.gridpoint import GridPointAtmosphere
from fathom.atmosphere.limited_area import LimitedAreaAtmosphere
from fathom.atmosphere.model import SpectralAtmosphere
from fathom.atmosphere.physics import AromePhysics, FirstPhysics
from fathom.atmosphere.shallow_water import ShallowWater
from fathom.atmosphere.single_column import ForcedColumn

__all__ = [
    "AromePhysics",
    "FirstPhysics",
    "ForcedColumn",
    "GridPointAtmosphere",
    "LimitedAreaAtmosphere",
    "ShallowWater",
    "SingleColumn",
    "SpectralAtmosphere",
]
