"""Your own data set, used by its name.

A data set is a name and a function that returns an xarray.Dataset, or the path of a file, with CF
coordinates. Every argument that accepts a file or an embedded data set accepts its name, too:
`ocean.set(temperature="two_layers")`, a forcing, a TOML file. A package provides a data set as an
entry point of the group "fathom.data"; then every user who installs the package has it.

    python examples/own_data.py [days]
"""

import sys

import numpy as np
import xarray as xr

import fathom as fm
from fathom.data import sets

days = int(sys.argv[1]) if len(sys.argv) > 1 else 5


def two_layers():
    """Warm above 400 m, cold below, on 5 degrees; in kelvin, with land where Africa is."""
    depth = np.array([0.0, 100, 300, 500, 1000, 3000])
    latitude, longitude = np.arange(-87.5, 90, 5), np.arange(2.5, 360, 5)
    warm = 4 + 20 * np.cos(np.deg2rad(latitude)) ** 2
    temperature = np.where(depth[:, None] < 400, warm, 3.0)[..., None] * np.ones(longitude.size)
    temperature[:, 10:24, 2:6] = np.nan
    return xr.DataArray(
        temperature + 273.15,
        dims=("depth", "latitude", "longitude"),
        coords={"depth": depth, "latitude": latitude, "longitude": longitude},
        attrs={"standard_name": "sea_water_potential_temperature", "units": "K"},
    ).to_dataset(name="thetao")


sets.register(sets.DataSet("two_layers", "two layers of water, invented here", two_layers))

ocean = fm.Ocean(fm.TripolarGrid(resolution="3deg")).set(temperature="two_layers", salinity=35.0)
sim = fm.Simulation(ocean, time_step="3h").prepare()
start = sim.state["temperature"].mean(("y", "x")).values
sim.advance(8 * days)
now = sim.state["temperature"].mean(("y", "x")).values
if sim.is_root:
    print("layer means, °C, at the start and after", days, "days:")
    for depth, before, after in list(zip(sim.model.grid.levels.middles, start, now))[::4]:
        print(f"{depth:7.0f} m {before:8.3f} {after:8.3f}")
