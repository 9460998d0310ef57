"""The baroclinic wave of Jablonowski & Williamson (2006) in the spectral and in the grid-point
atmosphere: the depth of the lows each day, and the difference of surface pressure north of 30 N.

    fathom run experiments/jablonowski-williamson.toml --set grid.truncation=63
    fathom run experiments/baroclinic-wave-gridpoint.toml
    python docs/results/two_baroclinic_waves.py SPECTRAL.zarr GRIDPOINT.zarr --picture FILE
"""

import argparse
import json

import numpy as np

import fathom as fm
from fathom.plots.style import new_panels, styled


def fields(path):
    """Surface pressure [hPa] (days, ny, nx), longitude, latitude."""
    data = fm.open(path)
    name = "ps" if "ps" in data else "surface_air_pressure"
    held = data[name].transpose("time", "latitude", "longitude")
    return held.values / 100, data.longitude.values, data.latitude.values


def on_grid(values, longitude, latitude, to_longitude, to_latitude):
    """Linear between points, round the globe."""
    from scipy.interpolate import RegularGridInterpolator

    around = np.concatenate([longitude, longitude[:1] + 360])
    values = np.concatenate([values, values[:, :1]], 1)
    of = RegularGridInterpolator((latitude, around), values, bounds_error=False, fill_value=None)
    y, x = np.meshgrid(to_latitude, to_longitude % 360, indexing="ij")
    return of((y, x))


def compare(spectral, gridpoint):
    """Days, least pressures of both [hPa], root mean square difference and correlation."""
    a, x_a, y_a = spectral
    b, x_b, y_b = gridpoint
    north = y_b > 30
    weight = np.cos(np.deg2rad(y_b[north]))[:, None] * np.ones(len(x_b))
    rows = []
    for day in range(1, min(len(a), len(b))):
        one = on_grid(a[day], x_a, y_a, x_b, y_b)[north]
        other = b[day][north]
        mean = lambda x: np.sum(weight * x) / np.sum(weight)
        p, q = one - mean(one), other - mean(other)
        rows.append(
            {
                "day": day,
                "spectral": float(a[day].min()),
                "gridpoint": float(b[day].min()),
                "difference": float(np.sqrt(mean((one - other) ** 2))),
                "correlation": float(mean(p * q) / np.sqrt(mean(p * p) * mean(q * q))),
            }
        )
    return rows


@styled
def draw(spectral, gridpoint):
    """The last day of both, north of the equator."""
    figure, panels = new_panels(2, 1, 7.4, 5, sharex=True)
    for axes, (values, x, y), title in zip(
        panels, (spectral, gridpoint), ("spectral", "grid points"), strict=True
    ):
        levels = np.arange(940, 1025, 5)
        shown = axes.contourf(x, y, values[-1], levels, cmap="RdBu_r", extend="both")
        axes.contour(x, y, values[-1], levels, colors="0.2", linewidths=0.5)
        axes.set(ylim=(0, 90), ylabel="latitude", title=f"{title}, day {len(values) - 1}")
    panels[-1].set_xlabel("longitude")
    figure.colorbar(shown, ax=panels, label="surface pressure [hPa]")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spectral")
    parser.add_argument("gridpoint")
    parser.add_argument("--picture")
    parser.add_argument("--json")
    given = parser.parse_args()
    both = fields(given.spectral), fields(given.gridpoint)
    rows = compare(*both)
    for row in rows:
        print("  ".join(f"{name} {value:.4g}" for name, value in row.items()))
    if given.json:
        with open(given.json, "w") as file:
            json.dump(rows, file, indent=1)
    if given.picture:
        draw(*both, path=given.picture)


if __name__ == "__main__":
    main()
