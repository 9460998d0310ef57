"""The atmosphere: its models."""

from fathom.atmosphere.area.model import LimitedAreaAtmosphere
from fathom.atmosphere.column.forced import ForcedColumn
from fathom.atmosphere.column.model import SingleColumn
from fathom.atmosphere.gridpoint.model import GridPointAtmosphere
from fathom.atmosphere.ground.sea import GivenSea, SlabOcean
from fathom.atmosphere.physics.packages import AromePhysics, BasicPhysics, ForecastPhysics
from fathom.atmosphere.spectral.model import SpectralAtmosphere
from fathom.atmosphere.spectral.shallow_water import ShallowWater

__all__ = [
    "AromePhysics",
    "BasicPhysics",
    "ForcedColumn",
    "ForecastPhysics",
    "GivenSea",
    "GridPointAtmosphere",
    "LimitedAreaAtmosphere",
    "ShallowWater",
    "SingleColumn",
    "SlabOcean",
    "SpectralAtmosphere",
]
