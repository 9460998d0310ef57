"""Noise of two grid points in the maps of runs of the global ocean, sea by sea.

    fathom run experiments/ocean-1deg.toml --for 10d --out runs/compact
    fathom run experiments/ocean-1deg.toml --for 10d --out runs/wide \\
        --set model.free_surface.type=FreeSurface --set model.free_surface.compactness=0
    python docs/results/two_grid_noise.py runs/wide runs/compact [PICTURE.png]

Prints, of the last mean in surface.zarr of each run, the table of docs/results/numerics.md:
correlation of neighbours, rms and largest amplitude of the alternating part
(fathom/ocean/noise.py); -1 is noise, -0.5 chance, 1 smooth. PICTURE: the height of the surface in
three seas.
"""

import sys
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.ocean import noise
from fathom.plots.style import new_panels, styled

maps = {"zos": ("sea surface height", "cm", 100), "tos": ("temperature", "K", 1)}
maps |= {"sos": ("salinity", "1e-3", 1)}
shown = ("Japan Sea", "Mediterranean", "Indonesian seas")


def last(run):
    return fm.open(Path(run) / "surface.zarr").isel(time=-1)


def table(runs):
    print("| " + " | ".join(["map", "sea", *(Path(run).name for run in runs)]) + " |")
    print("|" + "---|" * (2 + len(runs)))
    surfaces = [last(run) for run in runs]
    for variable, (name, units, scale) in maps.items():
        found = [noise.by_sea(s[variable], s.longitude, s.latitude) for s in surfaces]
        for sea in found[0] if variable == "zos" else ["Global Ocean"]:
            cells = (
                f"{one.correlation:+.2f}, {one.rms * scale:.3g} {units}"
                f" (at most {one.largest * scale:.3g})"
                for one in (here[sea] for here in found)
            )
            print("| " + " | ".join([name, sea, *cells]) + " |")


@styled
def picture(runs):
    """The height of the surface of each run in three seas."""
    size = 3.1 * len(shown), 2.6 * len(runs)
    figure, panels = new_panels(len(runs), len(shown), *size, squeeze=False)
    for row, run in zip(panels, runs, strict=True):
        s = last(run)
        for axes, sea in zip(row, shown, strict=True):
            west, east, south, north = noise.seas[sea]
            longitude, latitude = s.longitude.values % 360, s.latitude.values
            inside = (longitude >= west % 360) & (longitude <= east) & (latitude >= south)
            j, i = np.nonzero(inside & (latitude <= north))
            box = (slice(j.min(), j.max() + 1), slice(i.min(), i.max() + 1))
            height = 100 * s.zos.values[box]
            height = height - np.nanmedian(height)
            drawn = axes.pcolormesh(
                longitude[box], latitude[box], height, cmap="RdBu_r", vmin=-25, vmax=25
            )
            axes.set_facecolor("0.85")
            axes.set_title(f"{sea}, {Path(run).name}", fontsize=10)
    figure.colorbar(drawn, ax=panels, shrink=0.6, label="height less its median [cm]")
    return figure


if __name__ == "__main__":
    given = sys.argv[1:]
    pictures = [name for name in given if name.endswith(".png")]
    runs = [name for name in given if name not in pictures]
    table(runs)
    if pictures:
        picture(runs, path=pictures[0])
