#!/usr/bin/env python3
"""The wind-driven Indonesian throughflow by the island rule, without a model.

    python docs/results/island_rule.py [--json FILE] [--resolution 1deg]

Godfrey (1989, Geophys. Astrophys. Fluid Dyn. 45): without friction and form drag, the flow between
Asia and the island of Australia and New Guinea is

    T = 1/(rho0 (f_N - f_S)) of the integral of tau dl

around the South Pacific: westward along the latitude of the north of New Guinea, southward along
the west coast of the island, eastward along the latitude of its south and northward along South
America.

"ncep" is fm.SurfaceForcing(data="ncep"), "coads" fm.BulkForcing("coads"), "storms" that with
storms=True; annual means.
"""

import argparse
import itertools
import json

import numpy as np

import fathom as fm
from fathom.base import earth
from fathom.run import implied

DENSITY = 1025.0  # kg m-3
NORTH, SOUTH = -0.5, -44.5
PATH = (  # longitude, latitude [degrees]: from South America at the north around to the start
    *((-80.0, NORTH), (131.0, NORTH)),
    *((125.0, -13.0), (113.0, -22.0), (114.0, -34.5), (118.0, -36.0)),  # the west of the island
    *((136.0, -36.5), (146.5, SOUTH)),  # its south
    *((-76.0, SOUTH), (-74.0, -37.0), (-71.5, -18.0), (-82.0, -5.0), (-80.0, NORTH)),
)


def along(a, b, step=0.5):
    """Points [degrees] in the middle of pieces of a segment, and pieces (east, north) [m]."""
    there = a[0] + (b[0] - a[0] + 180) % 360 - 180  # the short way
    if a[1] == b[1]:  # across the Pacific
        there = a[0] + ((b[0] - a[0]) % -360 if a[1] == NORTH else (b[0] - a[0]) % 360)
    number = max(1, int(np.ceil(max(abs(there - a[0]), abs(b[1] - a[1])) / step)))
    t = (np.arange(number) + 0.5) / number
    longitude, latitude = a[0] + t * (there - a[0]), a[1] + t * (b[1] - a[1])
    length = np.deg2rad(earth.RADIUS / number)
    east = length * (there - a[0]) * np.cos(np.deg2rad(latitude))
    return longitude, latitude, east, np.full(number, length * (b[1] - a[1]))


def throughflow(found):
    """{part of the path: Sv}, from an Implied: its stress at the nearest water."""
    longitude, latitude = found.grid.coordinates()
    wet = np.asarray(found.grid.wet_levels) > 0
    stress = [found.mean[f"stress_{way}ward"][wet] for way in ("east", "north")]
    sea = earth.unit_vectors(longitude[wet], latitude[wet])
    f = 2 * earth.ROTATION * np.sin(np.deg2rad([NORTH, SOUTH]))
    parts = dict.fromkeys(("equator", "Australia", "westerlies", "South America"), 0.0)
    for n, (a, b) in enumerate(itertools.pairwise(PATH)):
        x, y, east, north = along(a, b)
        near = [int(np.argmax(sea @ place)) for place in earth.unit_vectors(x, y)]
        work = float((stress[0][near] * east + stress[1][near] * north).sum())
        part = "equator" if n == 0 else "Australia" if n < 7 else "South America"
        parts["westerlies" if a[1] == b[1] == SOUTH else part] += work
    return {part: work / (DENSITY * (f[0] - f[1])) / 1e6 for part, work in parts.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", help="write the figures")
    parser.add_argument("--resolution", default="1deg", choices=("1deg", "3deg"))
    options = parser.parse_args()
    grid = implied.usual_grid(options.resolution)
    surfaces = {
        "ncep": fm.SurfaceForcing(data="ncep"),
        "coads": fm.BulkForcing("coads"),
        "storms": fm.BulkForcing("coads", storms=True),
    }
    figures = {}
    for name, surface in surfaces.items():
        parts = throughflow(implied.of_surface(surface, grid))
        figures[name] = {"total": sum(parts.values())} | parts
        print(f"{name}: " + ", ".join(f"{part} {sv:.1f} Sv" for part, sv in figures[name].items()))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"throughflow_island_rule_sv": figures}, file, indent=2)


if __name__ == "__main__":
    main()
