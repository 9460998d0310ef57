"""Heat of the Atlantic and Arctic north of 26.5° N: carried by the flow, stored, given to the air;
and what became of the water that sinks.

    fathom run experiments/ocean-ice-3deg.toml --out runs/ten
    python docs/results/atlantic_heat.py runs/ten

Through the row of faces at that latitude, of means of a year, C = c rho, V the transport of a layer
and < > a mean over longitude:

    F = C sum T v = C sum_z V <T> + C sum v (T - <T>)      overturning, gyre
    F = S + A,      S = C d/dt (volume integral of T)      stored, to the air (and into melt)

Prints the years that have one before and one after; then the last year less the start, 500 to 1500
m deep, with the change of density at 1000 dbar by either.
"""

import sys
from pathlib import Path

import gsw
import numpy as np

import fathom as fm
from against_climatology import weighted
from fathom.ocean.products import circulation
from fathom.run.experiment.experiment import Experiment
from ocean_circulation import Climate, between

BASIN, LATITUDE = "atlantic", 26.5
YEAR = 365 * 86400.0  # [s]
LAYERS = (0, 500), (500, 1500), (1500, 6000)  # [m]
REGIONS = {  # south, north, west, east [degrees]
    "Labrador and Irminger Seas": (50, 66, -60, -25),
    "Nordic Seas": (66, 80, -20, 15),
}
HEADER = """\
| year | carried [PW] | overturning, gyre | temperature of the upper and the lower limb [°C] \
| stored: 0 to 500 m, to 1500 m, below | to the air |
|---|---|---|---|---|---|"""
CAPACITY = circulation.heat_capacity / 1e15  # to PW


def split(run, bands, temperature, u, v):
    """Overturning and gyre part of the heat [PW], and the mean temperature [degC] of what flows
    northward above the deepest maximum of the stream function, and of what flows southward below.
    """
    inside, band, edge = bands
    _, north = circulation.transports(run, u, v)
    faces = inside[:-1] & inside[1:] & (band[:-1] <= edge) & (band[1:] > edge)
    row = int(np.argmax(faces.sum(1)))  # one, where rows of the grid are parallels
    place = faces[row]
    T = 0.5 * (temperature[:, row] + temperature[:, row + 1])[:, place]
    flow = np.where(np.isfinite(T), north[:, row][:, place], 0.0)
    wet, T = np.isfinite(T), np.nan_to_num(T)
    mean = T.sum(1) / np.maximum(wet.sum(1), 1)
    of_layers = flow.sum(1)
    below = int(np.argmax(np.cumsum(of_layers))) + 1
    limbs = [
        np.average(mean[part], weights=of_layers[part])
        for part in (slice(below), slice(below, None))
    ]
    overturning = CAPACITY * (of_layers * mean).sum()
    return overturning, CAPACITY * (flow * T).sum() - overturning, *limbs


def contents(sea, inside):
    """Heat of the water of each layer of LAYERS, for each year [PW years]."""
    size = sea.areacello.values * inside * np.diff(sea.depth_bounds.values)[:, 0, None, None]
    warmth = np.nan_to_num(sea.thetao.values.astype(float)) * size
    depth = sea.depth.values
    layers = [warmth[:, (depth >= a) & (depth < b)].sum((1, 2, 3)) for a, b in LAYERS]
    return CAPACITY / YEAR * np.stack(layers, axis=1)


def sinking(folder):
    """Table of REGIONS."""
    run = Climate(folder)
    start, salt, volume = run.water()
    now = run.mean(run.ocean[["thetao", "so"]], run.years[-1])
    layer = between(run, 500, 1500)
    latitude, longitude = run.place[0], (run.place[1] + 180) % 360 - 180
    print("\n| 500 to 1500 m | T, S less the start | by T, by S [kg m⁻³] |\n|---|---|---|")
    for name, (south, north, west, east) in REGIONS.items():
        here = (latitude >= south) & (latitude < north) & (longitude >= west) & (longitude < east)
        size = np.where(here, volume, 0)[layer]
        T, S = weighted(start[layer], size), weighted(salt[layer], size)
        warmer = weighted((now.thetao.values - start)[layer], size)
        saltier = weighted((now.so.values - salt)[layer], size)
        density, by_T, by_S = gsw.rho_alpha_beta(S, gsw.CT_from_pt(S, T), 1000.0)
        print(
            f"| {name} | {warmer:+.2f} K, {saltier:+.3f} |"
            f" {-density * by_T * warmer:+.2f}, {density * by_S * saltier:+.2f} |"
        )


def main(folder):
    run = Experiment.read(Path(folder) / "resolved.toml").simulation().model
    sea, flow = (fm.open(Path(folder) / f"{name}.zarr") for name in ("ocean", "circulation"))
    geometry = circulation.geometry(run.grid)
    inside = np.asarray(geometry.inside[list(flow.basin.values).index(BASIN)])
    edge = int(np.argmin(np.abs(flow.latitude.values - LATITUDE)))
    band = np.asarray(geometry.band)
    heat = contents(sea, inside & (band > edge))
    carried = flow.northward_heat_transport.sel(basin=BASIN).isel(latitude=edge).values / 1e15
    print(HEADER)
    for n in range(1, len(heat) - 1):
        now = sea.isel(time=n)
        overturning, gyre, upper, lower = split(
            run, (inside, band, edge), *(now[name].values for name in ("thetao", "uo", "vo"))
        )
        stored = (heat[n + 1] - heat[n - 1]) / 2
        print(
            f"| {n + 1} | {carried[n]:.2f} | {overturning:.2f}, {gyre:.2f}"
            f" | {upper:.1f}, {lower:.1f} | {', '.join(f'{s:+.2f}' for s in stored)}"
            f" | {carried[n] - stored.sum():.2f} |"
        )

    sinking(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
