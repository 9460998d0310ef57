"""A limited area against the global run that it is drawn to, on the area's points.

    fathom run experiments/aladin-europe-outer.toml --out runs/outer
    fathom run experiments/aladin-europe.toml --out runs/europe \\
        --set model.outer=runs/outer/outer.zarr
    python experiments/area_against_globe.py runs/europe runs/outer

Prints the table of docs/limited-area.md: rms difference of 500 hPa height and 850 hPa temperature
from the globe, without 20 points along each edge, beside the standard deviation of the field; and
the mean surface pressure of the area.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.interpolate import RegularGridInterpolator

import fathom as fm
from fathom.moist_air import GRAVITY

inner = np.s_[20:-20, 20:-20]


def on_points(field, longitude, latitude):
    """A field of a store on latitudes and longitudes, by straight lines."""
    around = np.r_[field.longitude.values - 360, field.longitude.values]
    twice = np.concatenate([field.values, field.values], axis=-1)
    return RegularGridInterpolator((field.latitude.values, around), twice)((latitude, longitude))


def main(area, globe):
    here, there = fm.open(Path(area) / "pressure.zarr"), fm.open(Path(globe) / "outer.zarr")
    surface = fm.open(Path(area) / "surface.zarr")
    places = here.longitude.values, here.latitude.values
    print("| hours | 500 hPa height | of | 850 hPa temperature | of | mean surface pressure |")
    print("|---|---|---|---|---|---|")
    for n, time in enumerate(here.time.values):
        hours = (time - here.time.values[0]) / np.timedelta64(1, "h")
        row = [f"{hours:g}"]
        for own, other, level, scale in (("zg", "phi", 500, GRAVITY), ("ta", "ta", 850, 1)):
            mine = here[own].sel(pressure=level)[n].values[inner]
            outer = there[other].sel(pressure=level, time=time) / scale
            away = mine - on_points(outer, *places)[inner]
            row += [f"{np.sqrt((away**2).mean()):.2f}", f"{mine.std():.1f}"]
        print("| " + " | ".join([*row, f"{surface.ps[n].values.mean() / 100:.1f}"]) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:3])
