"""The analysis of temperature at 2 m over Europe, 2018-11-20 12Z: 1507 SYNOP reports against the
two-day forecast of the IFS valid then, and its skill at withheld stations.

    pip download --no-deps --no-binary metview metview==1.16.2 && tar xf metview-1.16.2.tar.gz
    python docs/results/surface_analysis.py --json surface.json --map map.png

A folder is that of the examples, metview-1.16.2/examples by default.
Prints and writes `rms_background` and `rms_withheld` [K]: of ten folds drawn at random, each is
analysed from the other nine. docs/results/observations.md has the result.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from fathom.assimilation.observations import background, ingest, pictures, surface

source = Path("metview-1.16.2/examples")
needed = "obs_3day.bufr", "t2m_grib.grib"
how = "pip download --no-deps --no-binary metview metview==1.16.2 && tar xf metview-1.16.2.tar.gz"
gross = 15.0  # K: a larger departure means a wrong number


def departures(folder):
    """The temperatures at 2 m with their departures from the forecast."""
    made, _ = ingest.collect([folder / "obs_3day.bufr"])
    made = made.taken(made.variable_is("air_temperature") & np.isfinite(made["height"]))
    forecast = background.Background.open(folder / "t2m_grib.grib")
    made["background_departure"] = made["value"] - forecast.at(
        "air_temperature", made["longitude"], made["latitude"], made["time"]
    )
    return made.taken(np.abs(made["background_departure"]) < gross)


def rms(x):
    return float(np.sqrt(np.mean(x**2)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=source)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--map", type=Path)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=5, help="draws of the folds")
    options = parser.parse_args()
    for name in needed:
        if not (options.folder / name).is_file():
            parser.error(
                f"{options.folder / name}: no such file; it is in the sources of metview:\n{how}"
            )
    made = departures(options.folder)
    data = surface.Data(
        made["longitude"], made["latitude"], made["height"], made["background_departure"]
    )
    structure = surface.structure_of("air_temperature")
    start = time.process_time(), time.perf_counter()
    left = surface.withheld(structure, data, options.folds)
    spent = time.process_time() - start[0], time.perf_counter() - start[1]
    flat = surface.Structure(structure.length, np.inf, structure.error)
    figures = {
        "stations": len(data),
        "rms_background": rms(data.departure),
        "rms_withheld": rms(left),
        "rms_withheld_of_draws": [
            rms(surface.withheld(structure, data, options.folds, seed))
            for seed in range(options.seeds)
        ],
        "rms_withheld_without_height": rms(surface.withheld(flat, data, options.folds)),
        "background_error": structure.deviation(data.departure),
        "seconds": spent[1],
        "processor_seconds": spent[0],
    }
    for name, value in figures.items():
        print(f"{name:28} {np.round(value, 3)}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    if options.map:
        pictures.draw("departures", made, options.map)


if __name__ == "__main__":
    main()
