"""The deepest mixed layer of a run in a year, compared with the observed climatology.

    fathom run experiments/ocean-3deg.toml --for 1y --restart RESTART --out runs/year \\
        --set 'output."ocean.zarr"={variables=["temperature","salinity"],every="1month"}'
    python docs/results/winter_mixed_layers.py runs/year/ocean.zarr [FOLDER]

Both from months of temperature and salinity, on the layers of the climatology (4 degrees, 15
layers), potential density 0.125 kg m-3 above that of the top layer (Monterey & Levitus 1997):
fathom/data/mixed_layer.py. Prints the means of regions; FOLDER: for maps of both.
"""

import sys
from pathlib import Path

import gsw
import numpy as np

import fathom as fm
from fathom import plots
from fathom.data import embedded, mixed_layer
from fathom.grids.regrid import points

# of cells of 4 degrees with water in the climatology: south, north, west, east [degrees]
regions = {
    "Labrador Sea": (52, 63, 300, 315),
    "Irminger Sea": (58, 66, 318, 332),
    "Nordic Seas": (66, 78, 340, 370),
    "northeastern Atlantic": (45, 60, 330, 350),
    "Kuroshio Extension": (30, 42, 145, 180),
    "tropical Pacific": (-10, 10, 160, 270),
    "Southern Ocean, Indian": (-52, -44, 80, 140),
    "Southern Ocean, Pacific": (-60, -50, 200, 280),
    "Weddell Sea": (-74, -64, 310, 340),
}


def deepest(temperature, salinity, depth):
    """Deepest of the months of (month, depth, lat, lon) [m]."""
    pressure = depth[:, None, None]  # dbar, for absolute salinity alone
    absolute = gsw.SA_from_SP(salinity, pressure, 0.0, 0.0)
    density = gsw.sigma0(absolute, gsw.CT_from_pt(absolute, temperature))
    return np.fmax.reduce(mixed_layer.depth_of(density, depth), axis=0)


def main(store, folder=None):
    months = fm.open(store).isel(time=slice(-12, None))
    layers = embedded.read("levitus-4deg", "depth", "latitude", "longitude")
    on_layers = [
        np.stack([points.vertical(month, months.depth.values, layers["depth"]) for month in field])
        for field in (months.thetao.values, months.so.values)
    ]
    lat, lon = months.latitude.values, months.longitude.values
    area = months.areacello.values
    wet = np.isfinite(months.thetao.values[0]).sum(0)
    bottom = np.where(wet > 0, months.depth_bounds.values[wet - 1, 1], np.nan)
    there = layers["depth"][:, None, None] <= bottom
    model = deepest(*(np.where(there, field, np.nan) for field in on_layers), layers["depth"])
    observed = np.where(np.isfinite(model), mixed_layer.on_points(lat, lon), np.nan)
    print("| region | run, mean [m] | observed | run, deepest | observed |\n|---|---|---|---|---|")
    for name, (south, north, west, east) in regions.items():
        inside = (lat > south) & (lat < north) & ((lon - west) % 360 < east - west)
        inside &= np.isfinite(model)
        mean = lambda field: np.average(field[inside], weights=area[inside])
        most = lambda field: field[inside].max()
        print(
            f"| {name} | {mean(model):.0f} | {mean(observed):.0f} |"
            f" {most(model):.0f} | {most(observed):.0f} |"
        )
    if folder:
        for field, name in ((model, "run"), (observed, "observed")):
            plots.map(
                field,
                months,
                name="mixed_layer_depth",
                title=f"Deepest mixed layer of the year, {name}",
                limits=(0, 600),
                path=Path(folder) / f"mixed-layer-{name}.png",
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
