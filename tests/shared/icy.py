"""A small sea with ice under steady air; as a script: bits on ranks, `blocks` as JSON."""

import json
import sys

air = {
    "eastward_wind": 8.0,
    "northward_wind": 1.0,
    "wind_speed": 8.5,
    "air_temperature": -20.0,
    "specific_humidity": 5e-4,
    "air_pressure": 101000.0,
    "downward_shortwave_flux": 20.0,
    "downward_longwave_flux": 180.0,
    "precipitation_flux": 2e-5,
    "sea_ice_fraction": 0.0,
}


def sea(
    nx=12,
    ny=12,
    spacing=5e4,
    bathymetry="flat",
    freshwater="salt",
    parallel=None,
    precision="fp64",
    weather=(),
    **ice,
):
    """A simulation of a sea at -1.5 degC; ice: keywords of SeaIce; weather: what differs of the
    air.
    """
    import fathom as fm

    grid = fm.CartesianGrid(
        nx=nx,
        ny=ny,
        extent=(nx * spacing, ny * spacing),
        levels=fm.ZLevels(nz=3, depth=60),
        bathymetry=bathymetry,
    )
    ocean = fm.Ocean(
        grid,
        coriolis=(1.4e-4, 0.0),
        sea_ice=fm.SeaIce(**ice),
        free_surface=fm.FreeSurface(
            freshwater=freshwater, tolerance=1e-6, preconditioner="factorisation"
        ),
        equation_of_state=fm.LinearEquationOfState(),
        precision=precision,
    ).set(temperature=-1.5, salinity=34.0)
    surface = fm.BulkForcing(air | dict(weather), salinity_restoring=0.0)
    return fm.Simulation(
        ocean, time_step="1h", surface=surface, start="2000-01-01", parallel=parallel
    )


def uneven(**more):
    """Ice that differs from place to place, of several categories, with an island."""
    import numpy as np

    return sea(
        area=lambda x, y: np.clip(0.5 + 0.6 * np.sin(x / 1e5) * np.cos(y / 8e4), 0, 1),
        thickness=lambda x, y: 1.2 + np.cos(x / 7e4),
        bathymetry=lambda x, y: 60.0 * (np.hypot(x - 3.2e5, y - 2.6e5) > 6e4),
        **more,
    )


def bits(blocks=None, steps=12):
    """Checksum after some steps."""
    simulation = uneven(parallel={"blocks": blocks})
    simulation.advance(steps)
    ice = simulation.fields.content("sea_ice_volume", False)
    return {"checksum": simulation.checksum(), "ice": ice}


if __name__ == "__main__":
    from fathom.base import mpi

    found = bits(*map(json.loads, sys.argv[1:]))
    if mpi.is_root:
        print(json.dumps(found))
