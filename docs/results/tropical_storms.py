#!/usr/bin/env python3
"""The storms of DCMIP 2016 from a run: the supercell as updraughts at 5 km and rain water near the
ground, the tropical cyclone as its pressure and wind in time, and at the end.

    fathom run experiments/supercell.toml --out runs/supercell
    python docs/results/tropical_storms.py --case supercell runs/supercell --picture FILE
    fathom run experiments/tropical-cyclone.toml --out runs/cyclone
    python docs/results/tropical_storms.py --case cyclone runs/cyclone --json FILE --picture FILE
"""

import argparse
import json
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.plots.colours import ink, phases
from fathom.plots.style import new_panels, styled


@styled
def draw_supercell(w, rain, up, across, minutes):
    """Updraught and rain at some times."""
    shown = [n for n in (6, 12, 18, 24) if n < w.time.size]
    size = 2.3 * len(shown), 4.4
    made, axes = new_panels(2, len(shown), *size, squeeze=False, sharey=True)
    km = np.deg2rad(1) * 53.0935
    x, y = (w.longitude.values - 120) * km, w.latitude.values * km
    level = {up: int(np.abs(w[up].values - 5e3).argmin())}
    for column, n in enumerate(shown):
        fields = w.isel(time=n).isel(level), 1e3 * rain.isel(time=n).isel({across: -1})
        for ax, values, most, colours in zip(
            axes[:, column], fields, (30, 6), ("RdBu_r", "YlGnBu"), strict=True
        ):
            low = -most if colours == "RdBu_r" else 0
            ax.pcolormesh(x, y, values, cmap=colours, vmin=low, vmax=most)
            ax.set(xlim=(-25, 35), ylim=(-30, 30), aspect="equal")
        axes[0, column].set_title(f"{minutes[n]:.0f} min")
        axes[1, column].set_xlabel("km")
        if n == shown[-1]:
            for ax, label in zip(
                axes[:, 0], ("w at 5 km [m s⁻¹]", "rain near the ground [g kg⁻¹]")
            ):
                ax.set_ylabel(label)
    return made


def supercell(data, picture):
    """Greatest updraught and rain of each record."""
    w, rain = data.wa, data.rw
    up, across = (next(d for d in of.dims if d.startswith("height")) for of in (w, rain))
    minutes = (w.time - w.time[0]) / np.timedelta64(1, "m")
    table = {
        "minutes": minutes.values.tolist(),
        "updraught": w.max(w.dims[1:]).values.round(2).tolist(),
        "rain_water": (1e3 * rain.max(rain.dims[1:])).values.round(2).tolist(),
    }
    if picture:
        draw_supercell(w, rain, up, across, table["minutes"], path=picture)
    return table


@styled
def draw_cyclone(p, wind, days, table):
    """Pressure and wind in time, and the map of the last day."""
    made, axes = new_panels(1, 2, 9.2, 3.4)
    axes[0].plot(days, table["pressure"], color=ink)
    axes[0].set(xlabel="days", ylabel="least pressure [hPa]")
    beside = axes[0].twinx()
    beside.plot(days, table["wind"], color=phases[4])
    beside.set_ylabel("greatest wind of the lowest layer [m s⁻¹]", color=phases[4])
    j, i = np.unravel_index(int(p[-1].values.argmin()), p[-1].shape)
    x, y = p.longitude.values, p.latitude.values
    image = axes[1].pcolormesh(x, y, wind[-1], cmap="viridis")
    axes[1].contour(x, y, p[-1], np.arange(900, 1020, 5), colors="w", linewidths=0.6)
    axes[1].set(xlim=(x[i] - 12, x[i] + 12), ylim=(y[j] - 9, y[j] + 9), title="The last day")
    axes[1].set(xlabel="longitude [degrees]", ylabel="latitude [degrees]")
    made.colorbar(image, label="wind of the lowest layer [m s⁻¹]")
    return made


def cyclone(data, picture):
    """Least pressure [hPa] and greatest wind of the lowest layer [m/s] of each record."""
    p = data.psl / 100
    level = next(d for d in data.ua.dims if d.startswith("height"))
    wind = np.hypot(data.ua, data.va).isel({level: -1})
    days = (p.time - p.time[0]) / np.timedelta64(1, "D")
    table = {
        "days": days.values.round(2).tolist(),
        "pressure": p.min(p.dims[1:]).values.round(1).tolist(),
        "wind": wind.max(wind.dims[1:]).values.round(1).tolist(),
    }
    if picture:
        draw_cyclone(p, wind, days, table, path=picture)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("run")
    parser.add_argument("--case", choices=["supercell", "cyclone"], required=True)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    given = parser.parse_args()
    with fm.open(Path(given.run) / "storm.zarr") as data:
        found = {"supercell": supercell, "cyclone": cyclone}[given.case](data.load(), given.picture)
    for row in zip(*found.values(), strict=True):
        print("  ".join(f"{value:9.2f}" for value in row))
    if given.json:
        Path(given.json).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
