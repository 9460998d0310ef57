#!/usr/bin/env python3
"""Transports that the embedded forcings imply before any run: heat and fresh water that the ocean
must carry northward, by basin, and stress by latitude, compared with published figures.

    python docs/results/ocean_forcing.py [--json FILE] [--picture FILE.png]
        [--resolution 3deg] [--samples 100]

"ncep": fm.SurfaceForcing(data="ncep"); "coads": fm.BulkForcing("coads"), over the observed surface
temperature; "storms": the same with storms=True. `fathom forcing check FILE` does this for your
data.
"""

import argparse
import json

import fathom as fm
from fathom.run import implied


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", help="write the figures: those of ncep, and of each forcing")
    parser.add_argument("--picture", default="ocean-forcing.png", help="what is drawn")
    parser.add_argument("--resolution", default="1deg", choices=("1deg", "3deg"))
    parser.add_argument("--samples", type=int, default=100, help="instants of the year")
    options = parser.parse_args()
    grid = implied.usual_grid(options.resolution)
    surfaces = {
        "ncep": fm.SurfaceForcing(data="ncep"),
        "coads": fm.BulkForcing("coads"),
        "storms": fm.BulkForcing("coads", storms=True),
    }
    forcings = {
        name: implied.of_surface(one, grid, options.samples) for name, one in surfaces.items()
    }
    print(implied.table(forcings))
    implied.picture(forcings, "What three forcings imply").savefig(options.picture, dpi=150)
    print(options.picture)
    if options.json:
        figures = {name: implied.figures(one) for name, one in forcings.items()}
        with open(options.json, "w") as file:
            json.dump(figures["ncep"] | {"forcings": figures}, file, indent=2)


if __name__ == "__main__":
    main()
