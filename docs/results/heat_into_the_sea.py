"""Heat that the air of a run gives to the sea, by bands of 20 degrees, beside the embedded fluxes
on the same cells and months.

    fathom run experiments/climate-t31.toml --for 82d --out runs/sea
    python docs/results/heat_into_the_sea.py runs/sea [RUNS]

Cells of which at least 0.9 are open sea; the second record, from the 31st day to the 61st. Prints
W m-2 into the sea: of the file, of each run; then of the last run the parts, and its low clouds.
"""

import sys
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.data import fluxes

L = 2.5008e6


def band_means(values, latitude, weight):
    """By bands from 60 S, and all."""
    good = np.isfinite(values) & (weight > 0)
    bands = [(np.abs(latitude - middle) <= 10) & good for middle in range(-50, 61, 20)] + [good]
    return [np.average(values[b], weights=weight[b]) if b.any() else np.nan for b in bands]


def main(*folders):
    rows = {}
    for folder in folders:
        data = fm.open(Path(folder) / "climate.nc").isel(time=1)
        sea = fm.open(Path(folder) / "sea.nc").isel(time=1)
        latitude, longitude = np.meshgrid(
            data.latitude.values, data.longitude.values, indexing="ij"
        )
        open_sea = (1 - sea.sftlf.values) * (1 - np.nan_to_num(sea.siconca.values))
        weight = np.where(open_sea >= 0.9, np.cos(np.deg2rad(latitude)), 0.0)
        month = int(str(data.time.values)[5:7]) - 1
        name = "surface_heat_flux"
        rows["embedded"] = fluxes.on_points(latitude, longitude, name, month=month)[name]
        of = lambda name: data[name].values
        rows[Path(folder).name] = of("sea_heat_flux")
    rows |= {
        "sunlight": of("surface_net_shortwave"),
        "long wave": of("surface_downward_longwave") - of("surface_emission"),
        "sensible": -of("hfss"),
        "latent": -L * of("evaporation_flux"),
    }
    low = data["cloud_fraction"].isel(level=data.level.values > 0.7).values
    rows["low cloud, most of a layer [%]"] = 100 * low.max(axis=0)
    print(f"month {month + 1}; 60-40 S, 40-20 S, 20-0 S, 0-20 N, 20-40 N, 40-60 N, all")
    for name, values in rows.items():
        print(f"| {name} | " + " | ".join(f"{x:.0f}" for x in band_means(values, latitude, weight)))


if __name__ == "__main__":
    main(*sys.argv[1:])
