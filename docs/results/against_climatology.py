"""A run of the global ocean against the climatology of its initial state and forcing, in numbers.

    fathom run experiments/ocean-1deg.toml --out runs/ocean-1deg
    python docs/results/against_climatology.py runs/ocean-1deg

Prints the rows of the table in docs/results/ocean-30-days.md.
"""

import json
import sys
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.data import levitus, surface


def weighted(values, weights):
    good = np.isfinite(values)
    return (values[good] * weights[good]).sum() / weights[good].sum()


def rms(values, weights):
    return weighted(values**2, weights) ** 0.5


def row(what, value, beside=""):
    print(f"| {what} | {value} | {beside} |")


def main(folder):
    folder = Path(folder)
    summary = json.loads((folder / "summary.json").read_text())
    ocean, top = (
        fm.open(folder / "ocean.zarr").isel(time=-1),
        fm.open(folder / "surface.zarr").isel(time=-1),
    )
    lon, lat, area = ocean.longitude.values, ocean.latitude.values, ocean.areacello.values
    depth, bounds = ocean.depth.values, ocean.depth_bounds.values
    volume = area * np.diff(bounds, axis=1)[:, 0, None, None]
    T, S = ocean.thetao.values, ocean.so.values
    T0, S0 = levitus.on_points(lat, lon, depth)
    month = int(str(top.time.values)[5:7]) - 1
    air = surface.on_points(
        lat, lon, "sea_surface_temperature", "sea_surface_salinity", month=month
    )
    print("| quantity | run | climatology or observation |\n|---|---|---|")
    surface_rows(top, air, lat, area)
    volume_rows((T, S), (T0, S0), depth, volume)
    flow_rows(ocean, top, summary)


def surface_rows(top, air, lat, area):
    sst, sss, observed = top.tos.values, top.sos.values, air["sea_surface_temperature"]
    row(
        "sea surface temperature, mean",
        f"{weighted(sst, area):.2f} °C",
        f"{weighted(np.where(np.isfinite(sst), observed, np.nan), area):.2f} °C",
    )
    row("sea surface temperature, rms difference", f"{rms(sst - observed, area):.2f} K")
    for name, where in (
        ("60 S - 20 S", (lat > -60) & (lat < -20)),
        ("20 S - 20 N", abs(lat) < 20),
        ("20 N - 60 N", (lat > 20) & (lat < 60)),
    ):
        row(
            f"sea surface temperature, mean difference {name}",
            f"{weighted(np.where(where, sst - observed, np.nan), area):+.2f} K",
        )
    row(
        "sea surface salinity, rms difference",
        f"{rms(sss - air['sea_surface_salinity'], area):.2f}",
    )


def volume_rows(found, start, depth, volume):
    (T, S), (T0, S0) = found, start
    row(
        "temperature, mean of the volume",
        f"{weighted(T, volume):.4f} °C",
        f"{weighted(np.where(np.isfinite(T), T0, np.nan), volume):.4f} °C at the start",
    )
    row(
        "salinity, mean of the volume",
        f"{weighted(S, volume):.5f}",
        f"{weighted(np.where(np.isfinite(S), S0, np.nan), volume):.5f} at the start",
    )
    for upper, lower in ((0, 100), (100, 500), (500, 1500), (1500, 6000)):
        k = (depth >= upper) & (depth < lower)
        row(
            f"temperature, rms difference {upper}-{min(lower, 5500)} m",
            f"{rms(T[k] - T0[k], volume[k]):.3f} K",
            "annual mean of Levitus",
        )


def flow_rows(ocean, top, summary):
    speed = np.hypot(ocean.uo.values, ocean.vo.values)
    row("largest speed", f"{np.nanmax(speed):.2f} m/s", "about 1-2 m/s at this resolution")
    row(
        "kinetic energy, mean",
        (
            f"{summary['series']['kinetic_energy']['last'] * 1e4:.2f} cm²/s²"
            if "series" in summary
            else ""
        ),
    )
    drake = summary.get("series", {}).get("drake_transport", {}).get("last")
    if drake:
        row("Drake Passage", f"{drake / 1e6:.0f} Sv", "136.7 ± 6.9 and 173.3 ± 10.7 Sv")
    row(
        "sea surface height",
        f"{np.nanmin(top.zos.values):.2f} to {np.nanmax(top.zos.values):.2f} m",
        "about -1.9 to 1.3 m (mean dynamic topography)",
    )
    row(
        "speed of the run",
        f"{summary['simulated_years_per_day']:.1f} simulated years a day on {summary['ranks']}"
        " ranks",
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
