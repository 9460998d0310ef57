"""A forecast with verification: from the first time of a set on pressure levels, here the ECMWF
analysis of 2024-06-03 00Z, 500 hPa height against the later times of the same set.

    python docs/results/verified_forecast.py PATH/pl_regular_ll.grib --truncation 63
    python docs/results/verified_forecast.py PATH/pl_regular_ll.grib --columns 96

PATH: docs/source/tutorials of the sources of earthkit-data (docs/data.md). Prints rms, bias and
anomaly correlation every 6 hours and the rms of persistence, and leaves verification.json and
the maps of the last time in --out. The result is in docs/results/forecast.md.
"""

import argparse
import json
import tomllib
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.data import atmosphere
from fathom.grids.regrid.rows import Rows
from fathom.output.diagnostics import whole
from fathom.output.post.verification import verify

level = 5e4  # Pa


def gridpoint(options):
    """The grid-point atmosphere on so many columns, with the levels of forecast-gridpoint.toml."""
    file = Path(__file__).parents[2] / "experiments" / "forecast-gridpoint.toml"
    table = tomllib.loads(file.read_text())
    levels = {k: v for k, v in table["grid"]["levels"].items() if k != "type"}
    model = {k: v for k, v in table["model"].items() if k not in ("type", "physics")}
    return fm.GridPointAtmosphere(
        fm.LatitudeLongitudeGrid(options.columns, levels=fm.HeightLevels(**levels)),
        physics=() if options.dry else fm.BasicPhysics(),
        precision=options.precision,
        **model,
    ).set(analysis=options.file, digital_filter=0 if options.filter == "0" else options.filter)


def spectral(options):
    grid = fm.GaussianGrid(
        options.truncation, grid=options.grid, levels=fm.HybridLevels(options.levels)
    )
    physics = () if options.dry else fm.BasicPhysics(ozone=None)
    model = fm.SpectralAtmosphere(grid, physics=physics, precision=options.precision)
    span = 0 if options.filter == "0" else options.filter
    return model.set(analysis=options.file, digital_filter=span)


def forecast(options, start):
    return fm.Simulation(
        gridpoint(options) if options.columns else spectral(options),
        time_step=options.step,
        start=start,
        directory=options.out,
        overwrite=True,
        parallel={"threads": options.threads},
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    for name, default in (
        ("out", "runs/verified"),
        ("grid", "quadratic"),
        ("step", "20min"),
        ("filter", "6h"),
        ("precision", "fp32"),
    ):
        parser.add_argument(f"--{name}", default=default)
    for name, default in (("truncation", 63), ("levels", 31), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--columns", type=int, help="of the grid-point atmosphere, in its place")
    parser.add_argument("--dry", action="store_true", help="without physics")
    options = parser.parse_args()
    analyses = atmosphere.ecmwf(options.file).geopotential.sel(pressure=level) / 9.80665
    hours = ((analyses.time - analyses.time[0]) / np.timedelta64(1, "h")).values
    start = str(analyses.time[0].values.astype("datetime64[s]"))
    sim, fields = forecast(options, start).prepare(), []
    for hour in hours:
        sim.advance(round((3600 * hour - sim.seconds) / sim.time_step))
        sim.watch()
        fields.append(whole(sim, "geopotential_height", [level / 100])[0])
    ny, nx = fields[0].shape
    scores = verify(fields, Rows.gaussian(ny, nx), analyses)
    table = {"hours": hours.tolist()} | {
        name: np.round(values.values, 3).tolist() for name, values in scores.data_vars.items()
    }
    for row in zip(*table.values()):
        print("  ".join(f"{value:8.3f}" for value in row))
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "verification.json").write_text(json.dumps(vars(options) | table, indent=1))
    pictures = sim.model.pictures(sim.model.report(sim))
    for name, draw in pictures.get("Weather", pictures.get("Near the ground")):
        draw().savefig(out / f"{name.replace(' ', '-').replace(',', '')}.png", dpi=90)


if __name__ == "__main__":
    main()
