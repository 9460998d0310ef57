#!/usr/bin/env python3
"""A state of the air on the grid of a forecast, as four charts: height of 500 hPa with the pressure
at sea level, that pressure, wind at 200 hPa, humidity at 850 hPa (docs/data.md).

    python docs/results/state_charts.py [PNG] [STATE] [TRUNCATION]

STATE: "gfs" (default), "era5", "ecmwf" or a file.
"""

import io
import sys

import numpy as np
from PIL import Image

import fathom as fm
from fathom import plots
from fathom.output.diagnostics import whole
from fathom.plots.style import encoded


def charts(state, truncation):
    """The four figures."""
    grid = fm.GaussianGrid(truncation, levels=fm.HybridLevels(60))
    model = fm.SpectralAtmosphere(grid, tracers=["specific_humidity"], orography="earth")
    run = fm.Simulation(model.set(analysis=state), time_step="10min").prepare()
    raster = plots.Raster(plots.mesh_of(grid.mapping()), projection=plots.EqualEarth(0.0))
    field = lambda name, level=None: np.squeeze(whole(run, name, level))
    pressure = field("air_pressure_at_mean_sea_level") / 100
    every = np.arange(900, 1060, 5)
    u, v = field("eastward_wind", 200), field("northward_wind", 200)

    def isobars(axes, raster):
        plots.contours(axes, raster, pressure, every, colour="white", width=0.7)

    def arrows(axes, raster):
        plots.vectors(axes, raster, u, v)

    yield plots.map(
        field("geopotential_height", 500),
        raster,
        name="geopotential_height",
        limits=(480, 600),
        colours="weather",
        over=isobars,
        title="500 hPa height; white: sea level pressure",
    )
    yield plots.map(
        pressure,
        raster,
        units="hPa",
        limits=(960, 1050),
        colours="weather",
        over=isobars,
        title="Pressure at sea level",
    )
    yield plots.map(np.hypot(u, v), raster, name="wind_speed", over=arrows, title="Wind at 200 hPa")
    yield plots.map(
        field("relative_humidity", 850),
        raster,
        name="relative_humidity",
        title="Relative humidity at 850 hPa",
    )


def main(picture="state.png", state="gfs", truncation="106"):
    parts = [
        Image.open(io.BytesIO(encoded(figure))).convert("RGB")
        for figure in charts(state, int(truncation))
    ]
    width, height = max(p.width for p in parts), max(p.height for p in parts)
    sheet = Image.new("RGB", (2 * width, 2 * height), "white")
    for n, part in enumerate(parts):
        sheet.paste(part, (n % 2 * width, n // 2 * height))
    sheet = sheet.resize((sheet.width * 2 // 3, sheet.height * 2 // 3), Image.Resampling.LANCZOS)
    sheet.quantize(128).save(picture, optimize=True)
    print(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
