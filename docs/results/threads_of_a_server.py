#!/usr/bin/env python3
"""Encoding by the threads of an I/O server: how much faster two threads encode and write the fields
of one output than one, beside how much faster the same two threads compute digests, which is what
the machine gives them at that time.

    python docs/results/threads_of_a_server.py [--threads 2] [--seconds 60] [--json FILE]

As a server does (fathom/output/servers.py): each region of each variable is a piece of work of a
pool. All ways in turn, again and again; the least time of each. Four fields of 300 x 256 points and
4 levels, in memory (--folder: elsewhere).
"""

import argparse
import hashlib
import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from fathom import output
from fathom.base import mpi  # the core, which lets memory stay

compressions = ("lz4", "zstd", "none")
names = ("temperature", "eastward_wind", "northward_wind", "humidity")
shape = (4, 256, 300)


def fields_of(random):
    """Smooth fields with some noise."""
    _, ny, nx = shape
    wave = np.sin(np.arange(nx) / 20) * np.cos(np.arange(ny) / 30)[:, None]
    return {
        name: (280 + wave + 0.05 * random.standard_normal(shape)).astype("float32")
        for name in names
    }


def stores(folder, fields):
    """Open stores by compression, and pieces of work of one time of each."""
    coordinates = {
        dim: ((dim,), np.arange(float(size)))
        for dim, size in zip(("level", "latitude", "longitude"), shape)
    }
    dims = ("time", "level", "latitude", "longitude")
    found = {}
    for compression in compressions:
        writer = output.create(
            folder / f"{compression}.zarr",
            coordinates,
            [output.VariableSpec(name, dims) for name in fields],
            time=output.TimeAxis(),
            compression=compression,
            chunks={"level": 2},
        )
        pieces = [
            (name, (0, k // 2, 0, 0), np.ascontiguousarray(field[None, k : k + 2]))
            for name, field in fields.items()
            for k in range(0, shape[0], 2)
        ]
        found[compression] = writer, pieces
    return found


def act(pool, writer, pieces):
    """Encodes and writes all pieces, by a pool or alone."""

    def one(piece):
        writer._put(*piece)

    _each(pool, one, pieces)


def _each(pool, one, pieces):
    if pool is None:
        for piece in pieces:
            one(piece)
    else:
        for task in [pool.submit(one, piece) for piece in pieces]:
            task.result()


def measure(threads, seconds, folder=None):
    """Least seconds of one thread and of several, by what they do."""
    fields = fields_of(np.random.default_rng(0))
    blocks = [np.ascontiguousarray(f[k : k + 2]) for f in fields.values() for k in (0, 2)]
    with (
        tempfile.TemporaryDirectory(dir=folder or memory()) as place,
        ThreadPoolExecutor(threads) as pool,
    ):
        ways = {
            name: lambda by, held=held: act(by, *held)
            for name, held in stores(Path(place), fields).items()
        }
        ways["digests"] = lambda by: _each(by, lambda b: hashlib.sha1(b).digest(), blocks)
        least = {name: [np.inf, np.inf] for name in ways}
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for name, way in ways.items():
                for n, by in enumerate((None, pool)):
                    began = time.perf_counter()
                    way(by)
                    least[name][n] = min(least[name][n], time.perf_counter() - began)
    size = sum(f.nbytes for f in fields.values())
    found = {
        name: {"gigabytes_a_second": size / 1e9 / one, "gain": one / several}
        for name, (one, several) in least.items()
    }
    for each in found.values():
        each["of_digests"] = each["gain"] / found["digests"]["gain"]
    return {"threads": threads, "ways": found}


def memory():
    """A folder in memory, where there is one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--folder")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    mpi.core.threads()
    found = measure(given.threads, given.seconds, given.folder)
    for name, each in found["ways"].items():
        print(
            f"{name:8}{each['gigabytes_a_second']:6.2f} GB/s on one thread,"
            f" {each['gain']:.2f} times as fast on {given.threads},"
            f" {100 * each['of_digests']:.0f} % of the gain of digests"
        )
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
