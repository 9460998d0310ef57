"""A limited area compared with the global run around it, on the area's points.

    fathom run experiments/aladin-europe-outer.toml --out runs/outer
    fathom run experiments/aladin-europe.toml --out runs/europe \\
        --set model.outer=runs/outer/outer.zarr
    python docs/results/area_against_globe.py runs/europe runs/outer

Of the grid-point atmosphere:

    fathom run experiments/forecast-gridpoint.toml --out runs/globe
    fathom run experiments/europe-gridpoint.toml --out runs/europe
    python docs/results/area_against_globe.py runs/europe runs/globe europe.png

Prints the table of docs/results/limited-area.md: rms difference of 500 hPa height and 850 hPa
temperature from the globe, without 20 points along each edge, the standard deviation of the field;
and the mean surface pressure of the area.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.interpolate import RegularGridInterpolator

import fathom as fm
from fathom.base.earth import STANDARD_GRAVITY
from fathom.plots.style import new_panels, styled

inner = np.s_[20:-20, 20:-20]


def on_points(field, longitude, latitude):
    """A field of a store on latitudes and longitudes, linearly interpolated."""
    around = np.r_[field.longitude.values - 360, field.longitude.values]
    twice = np.concatenate([field.values, field.values], axis=-1)
    return RegularGridInterpolator((field.latitude.values, around), twice)((latitude, longitude))


@styled
def draw(area, globe):
    """Sea level pressure and the wind at 850 hPa at the last time of the area."""
    here, there = (fm.open(Path(run) / "pressure.zarr") for run in (area, globe))
    time = {"time": here.time.values[-1]}
    x, y = here.longitude.values, here.latitude.values
    own = [here[n].sel(time).sel(pressure=850).values for n in ("ua", "va")]
    outer = [on_points(there[n].sel(time).sel(pressure=850), x, y) for n in ("ua", "va")]
    figure, axes = new_panels(1, 2, 9.2, 3.9, sharey=True)
    low, ground = (fm.open(Path(run) / "surface.zarr").psl.sel(time) / 100 for run in (area, globe))
    for ax, pressure, (u, v), title in zip(
        axes,
        (on_points(ground, x, y), low.values),
        (outer, own),
        ("the globe", "the area inside"),
        strict=True,
    ):
        image = ax.pcolormesh(x, y, np.hypot(u, v), vmin=0, vmax=30, shading="nearest")
        lines = ax.contour(x, y, pressure, np.arange(960, 1050, 4), colors="w", linewidths=0.8)
        ax.clabel(lines, fontsize=7)
        ax.set(title=title, xlabel="longitude [degrees]")
    axes[0].set_ylabel("latitude [degrees]")
    figure.colorbar(image, label="wind at 850 hPa [m s⁻¹]")
    return figure


def main(area, globe, picture=None):
    here, outer = fm.open(Path(area) / "pressure.zarr"), Path(globe) / "outer.zarr"
    there = fm.open(outer if outer.exists() else Path(globe) / "pressure.zarr")
    surface = fm.open(Path(area) / "surface.zarr")
    if picture:
        draw(area, globe, path=picture)
    places = here.longitude.values, here.latitude.values
    print("| hours | 500 hPa height | of | 850 hPa temperature | of | mean surface pressure |")
    print("|---|---|---|---|---|---|")
    for n, time in enumerate(here.time.values):
        if time not in there.time.values:
            continue
        hours = (time - here.time.values[0]) / np.timedelta64(1, "h")
        row = [f"{hours:g}"]
        for own, other, level, scale in (
            ("zg", "phi", 500, STANDARD_GRAVITY),
            ("ta", "ta", 850, 1),
        ):
            if other not in there:
                other, scale = own, 1
            mine = here[own].sel(pressure=level)[n].values[inner]
            outer = there[other].sel(pressure=level, time=time) / scale
            away = mine - on_points(outer, *places)[inner]
            row += [f"{np.sqrt((away**2).mean()):.2f}", f"{mine.std():.1f}"]
        print("| " + " | ".join([*row, f"{surface.ps[n].values.mean() / 100:.1f}"]) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:4])
