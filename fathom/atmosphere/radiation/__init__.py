"""Radiation by correlated k: RRTMGP's gas optics with two-stream and Gaussian solvers
(docs/radiation.md).
"""

from fathom.atmosphere.radiation.columns import longwave, shortwave
from fathom.atmosphere.radiation.scheme import RRTMGP
from fathom.atmosphere.radiation.tables import AEROSOLS, Tables

__all__ = ["AEROSOLS", "RRTMGP", "Tables", "longwave", "shortwave"]
