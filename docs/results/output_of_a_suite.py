#!/usr/bin/env python3
"""One output of the suite of sub-space I/O, 600 x 512 points and 60 levels, without the model: nine
fields of the layers and the surface pressure, written by the writer of FA and as Zarr.

    python docs/results/output_of_a_suite.py [--points 600x512] [--levels 60] [--json FILE]

Seconds of the processor and MB/s of numbers of each; the numbers that were written are read back.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import fathom as fm
from fathom import output
from fathom.performance.bench.offload import of_arome

ways = {"fa": ("suite.fa", "none"), "zarr, lz4": ("suite.zarr", "lz4")}


def fields_of(grid, random):
    """Fields of AROME's output, in its single precision, smooth with some noise."""
    names, nz = of_arome["area.fa"]["variables"], grid.levels.nz
    ny, nx = grid.horizontal.ny, grid.horizontal.nx
    wave = np.sin(np.arange(nx) / 20) * np.cos(np.arange(ny) / 30)[:, None]
    made = {}
    for name in names:
        shape = (ny, nx) if name == "surface_air_pressure" else (nz, ny, nx)
        noise = random.standard_normal((ny, nx), np.float32)
        made[name] = np.ascontiguousarray(
            np.broadcast_to(280 + wave + 0.1 * noise, shape), np.float32
        )
    return made


def specifications(fields):
    return [
        output.VariableSpec(
            name,
            ("time", "latitude", "longitude")
            if field.ndim == 2
            else ("time", "level", "latitude", "longitude"),
            field.dtype.name,
        )
        for name, field in fields.items()
    ]


def write(writer, fields):
    """Seconds of the processor of one time."""
    began = time.process_time()
    for name, field in fields.items():
        for region in writer.regions(name):
            j0, j1, i0, i1 = region
            writer.write(name, 0, region, np.ascontiguousarray(field[..., j0:j1, i0:i1]))
    writer.extend(0, 0.0)
    return time.process_time() - began


def measure(nx, ny, levels):
    levels_ = fm.HybridLevels(levels)
    area = fm.LimitedAreaGrid((2.0, 46.5), resolution=2.5e3, points=(nx, ny), levels=levels_)
    fields = fields_of(area, np.random.default_rng(0))
    coordinates = {
        "level": (("level",), np.arange(levels, dtype=float)),
        "latitude": (("latitude",), np.linspace(41, 52, ny)),
        "longitude": (("longitude",), np.linspace(-6, 10, nx)),
    }
    megabytes = sum(field.nbytes for field in fields.values()) / 1e6
    found = {"grid": repr(area), "megabytes": megabytes, "ways": {}}
    for name, (file, compression) in ways.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / file
            writer = output.create(
                path, coordinates, specifications(fields), compression=compression
            )
            seconds = write(writer, fields)
            writer.close()
            with output.open(path) as store:
                same = np.array_equal(
                    store["air_temperature"].isel(time=0).values, fields["air_temperature"]
                )
        found["ways"][name] = {
            "seconds": seconds,
            "megabytes_per_second": megabytes / seconds,
            "same": bool(same),
        }
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", default="600x512")
    parser.add_argument("--levels", type=int, default=60)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = measure(*map(int, given.points.split("x")), given.levels)
    print(f"{found['grid']}: {found['megabytes']:.0f} MB of numbers")
    for name, way in found["ways"].items():
        print(
            f"{name:12}{way['seconds']:7.2f} s of a processor,"
            f" {way['megabytes_per_second']:.0f} MB/s; read back:"
            f" {'the same' if way['same'] else 'NOT THE SAME'}"
        )
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0 if all(way["same"] for way in found["ways"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
