"""Temperature and salinity of the ocean (Levitus 1982)."""

from __future__ import annotations

import numpy as np

from fathom.grids.regrid.fill import harmonic

from .files import Variable, latitudes, longitudes, write
from .sources import read
from .sphere import from_greenwich


def build_levitus(files):
    """Potential temperature and salinity, 1 degree, 20 levels, filled under the sea floor and over
    land.
    """
    import gsw

    depth, latitude, source_longitude, in_situ, salinity = read(
        files["levitus"], "ZAXLEVITR", "YAXLEVITR", "XAXLEVITR", "TEMP", "SALT"
    )
    longitude, (in_situ, salinity) = from_greenwich(source_longitude, in_situ, salinity)
    z, y, x = np.meshgrid(depth, latitude, longitude, indexing="ij")
    pressure = gsw.p_from_z(-z, y)
    absolute = gsw.SA_from_SP(salinity, pressure, x, y)
    potential = gsw.pt0_from_t(absolute, in_situ, pressure)
    # A gap is filled ten times more from its level than from above and below: water masses spread
    # along levels.
    gaps = np.isnan(potential)
    potential, salinity = (harmonic(v, latitude, coupling=0.1) for v in (potential, salinity))
    stabilise(potential, salinity, gaps, pressure)
    write(
        "levitus",
        "Annual mean potential temperature and salinity",
        ["levitus"],
        files,
        {
            "depth": Variable("depth", depth, "m", "depth", "depth"),
            "latitude": latitudes(latitude),
            "longitude": longitudes(longitude),
        },
        {
            "potential_temperature": Variable(
                "depth latitude longitude",
                potential,
                "degC",
                "potential temperature, reference pressure 0",
                "sea_water_potential_temperature",
                0.001,
            ),
            "salinity": Variable(
                "depth latitude longitude",
                salinity,
                "1",
                "practical salinity",
                "sea_water_practical_salinity",
                0.001,
            ),
        },
    )


def stabilise(potential, salinity, gaps, pressure):
    """Where filled water would be lighter than the water above it, continue that downward instead
    (in place).
    """
    import gsw

    def density(level, at):
        return gsw.rho(
            salinity[level], gsw.CT_from_pt(salinity[level], potential[level]), pressure[at]
        )

    for k in range(1, len(potential)):
        lighter = gaps[k] & (density(k, k) < density(k - 1, k))
        for field in (potential, salinity):
            field[k] = np.where(lighter, field[k - 1], field[k])
