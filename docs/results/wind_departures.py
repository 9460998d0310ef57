#!/usr/bin/env python3
"""Departure points of the wind on the sphere, averaged from those of temperature around them or
traced by themselves: what both cost, and how far both are from the right ones.

    python docs/results/wind_departures.py [--nx 48,96,192] [--levels 40] [--json FILE]

Cost: processor seconds of a step in departure points, and in these and the transport, each row of
the grid by its least of some measurements. Error: of one step of 20 min, in winds with waves that
all ways see alike (one outer iteration), against trajectories of eight iterations of their own:
root of the mean square [m], and as a share of the distance.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.base import mpi
from fathom.performance.bench.atmosphere import waves

ways = ("averaged", "traced")
faces = {"east": ("x_wind", 1), "north": ("y_wind", 0)}


def simulation(nx, levels, step="20min", **model):
    """A globe with a jet and eight waves of 20 m/s along each parallel, dry."""
    eta = np.arange(levels + 1) / levels
    heights = (38e3 * (0.1 * eta + 0.9 * eta**2)).tolist()
    grid = fm.LatitudeLongitudeGrid(nx, levels=fm.HeightLevels(heights=heights, decay=2))
    air = fm.GridPointAtmosphere(grid, precision="fp32", **model)
    air.set(**waves(moist=False))
    air.set(
        northward_wind=lambda lon, lat, p: (
            20 * np.sin(np.deg2rad(8 * lon)) * np.cos(np.deg2rad(lat)) ** 4 * (1.2 - p / 1e5)
        )
    )
    return fm.Simulation(air, time_step=step)


def middle(values, axis, spacing):
    """Values in the middle of neighbours of a circle, `spacing` apart [rad]; exact for 1, cosine
    and sine of the angle."""
    quarter, half, whole = np.sin(spacing / 4), np.sin(spacing / 2), np.sin(spacing)
    far = -(quarter**2) / (half * whole)
    shifted = [np.roll(values, -n, axis) for n in (-1, 0, 1, 2)]
    return far / 2 * (shifted[0] + shifted[3]) + (0.5 - far / 2) * (shifted[1] + shifted[2])


def displacements(nx, levels, way, iterations):
    """Displacements in space of points of the wind after one step [m], by face: (3, levels, rows,
    columns), of rows without a pole near."""
    sim = simulation(nx, levels, wind_departures=way, outer=1, iterations=iterations).prepare()
    sim.advance(1)
    radius, found = sim.model.grid.radius, {}
    for face, (_, along) in faces.items():
        each = []
        for axis in ("x", "y", "axis"):
            if way == "traced":
                values = np.array(sim.gather(f"displacement_{axis}_{face}_face"), float)
            else:
                at = np.array(sim.gather(f"displacement_{axis}"), float)
                grid = sim.model.grid
                spacing = np.deg2rad(grid.dx if along else grid.dy)
                values = middle((at[1:] + at[:-1]) / 2, 2 if along else 1, spacing)
            each.append(values[:, 2:-3])
        found[face] = radius * np.array(each)
    return found


def errors(nx, levels):
    """Of both ways: rms [m] over both faces, and as a share of the distance."""
    right = displacements(nx, levels, "traced", 8)
    square = lambda d: np.mean([np.mean(np.sum(d[face] ** 2, 0)) for face in faces])
    distance = np.sqrt(square(right))
    result = {"distance": distance}
    for way in ways:
        found = displacements(nx, levels, way, 2)
        error = np.sqrt(square({face: found[face] - right[face] for face in faces}))
        result[way] = {"metres": error, "share": error / distance}
    return result


def costs(nx, levels, times=4):
    """Processor seconds of a step of both ways, in turn."""
    sims = {way: simulation(nx, levels, wind_departures=way).prepare() for way in ways}
    least = {way: {} for way in ways}
    for _ in range(times):
        for way, sim in sims.items():
            carriers = {
                p.name: p for p in sim.sequence.globals if isinstance(p, mpi.core.GridPointCarrier)
            }
            for carrier in carriers.values():
                carrier.row_seconds = [0.0] * sim.model.grid.shape[1]
            sim.advance(1)
            for name, carrier in carriers.items():
                now = np.array(carrier.row_seconds)
                least[way][name] = np.minimum(least[way].get(name, np.inf), now)
                carrier.row_seconds = []
    return {
        way: {
            "departure": float(found["GridPointDeparture"].sum()),
            "semi_lagrangian": float(sum(rows.sum() for rows in found.values())),
        }
        for way, found in least.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nx", default="48,96,192")
    parser.add_argument("--levels", type=int, default=40)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    result = {}
    for nx in map(int, given.nx.split(",")):
        cost, error = costs(nx, given.levels), errors(nx, given.levels)
        ratio = {part: cost["traced"][part] / cost["averaged"][part] for part in cost["traced"]}
        result[str(nx)] = {"cost": cost, "ratio": ratio, "error": error}
        print(
            f"{nx:4} columns: traced {ratio['departure']:.2f} times as long in departure points,"
            f" {ratio['semi_lagrangian']:.2f} in all of the transport; error of"
            f" {error['distance'] / 1e3:.1f} km: "
            + ", ".join(
                f"{way} {error[way]['metres']:.0f} m ({100 * error[way]['share']:.2f} %)"
                for way in ways
            )
        )
    if given.json:
        given.json.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
