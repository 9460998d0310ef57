#!/usr/bin/env python3
"""Sunlight at the top of the atmosphere on a day in January, in the model's radiation: the part of
the sphere in sunlight at each hour, and a map of noon at 0 E with lines of the mean
of the day every 100 W m-2, the thick one around the polar night.

    python docs/results/incoming_sunlight.py [PNG]
"""

import sys

import numpy as np

import fathom as fm
from fathom import plots
from fathom.atmosphere.products.report import lit_fraction
from fathom.output.diagnostics import whole


def main(picture="incoming-sunlight-january.png"):
    grid = fm.GaussianGrid(42, levels=fm.HybridLevels(10))
    run = fm.Simulation(
        fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics(radiation_every="1h")),
        time_step="30min",
        start="2011-01-15",
    ).prepare()
    mapping, hours = grid.mapping(), []
    for step in range(48):
        run.advance(1)
        if step % 2 == 0:  # the light of the step's start
            hours.append(whole(run, "insolation")[0])
    lit = [lit_fraction(mapping, light) for light in hours]
    mean = np.mean(hours, axis=(0, 2))[:, None] * np.ones(
        hours[0].shape[1]
    )  # the same all around except for the hours between
    rows = np.diff(np.sin(np.deg2rad(mapping["corner_latitude"]))) / 2
    night = mapping["corner_latitude"][:-1][mean.max(axis=1) == 0].min()
    print(
        f"lit: {100 * min(lit):.2f} to {100 * max(lit):.2f} % of the sphere; mean of the day"
        f" {(rows * mean.mean(axis=1)).sum():.1f} W m-2; night all day north of {night:.1f} N"
    )
    raster = plots.Raster(plots.mesh_of(mapping), projection=plots.EqualEarth(10.0))

    def over(axes, raster):
        plots.contours(axes, raster, mean, np.arange(100, 600, 100), colour="white", width=0.5)
        plots.contours(axes, raster, mean, [0.5], colour="white", width=1.3)

    plots.map(
        hours[12],
        raster,
        name="insolation",
        limits=(0, 1400),
        over=over,
        title="Incoming sunlight, 15 January, 12 UTC",
        note=f"{100 * lit[12]:.1f} % is lit; lines: mean of the day",
    ).savefig(picture, dpi=150)
    print(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
