"""Radiation by correlated k: RRTMGP's gas optics with two-stream and Gaussian solvers
(docs/radiation.md).
"""

from fathom.radiation.columns import longwave, shortwave
from fathom.radiation.scheme import RRTMGP
from fathom.radiation.tables import AEROSOLS, Tables

__all__ = ["AEROSOLS", "RRTMGP", "Tables", "longwave", "shortwave"]
