#!/usr/bin/env python3
"""Raw data through a staging folder: gigabytes a second into it, with their checksum, and on to
their place, with a check.

    python docs/results/staged.py [--megabytes 16] [--times 40] [--folder DIR] [--json FILE]

The best of several, while nothing is delivered: into the folder by the processor's clock, which
other programs do not stop, and both by the wall's.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from fathom.output import files
from fathom.output.staging import Stage


def measure(size, times, folder):
    data = np.random.default_rng(0).standard_normal(size // 8)
    putting, by_wall, delivering = [], [], []
    with tempfile.TemporaryDirectory(dir=folder) as place:
        stage, writes = Stage(place), files.Writes()
        for n in range(times):
            before = stage.seconds_delivering
            began, clock = time.thread_time(), time.perf_counter()
            stage.put([data], lambda found, n=n: files.write(Path(place) / str(n), [found], writes))
            putting.append(time.thread_time() - began)
            by_wall.append(time.perf_counter() - clock)
            stage.wait()
            time.sleep(0.01)  # its seconds are counted after the news
            delivering.append(stage.seconds_delivering - before)
            (Path(place) / str(n)).unlink()
        stage.close()
    return {
        "megabytes": size / 1e6,
        "gigabytes_a_second_putting": size / 1e9 / min(putting),
        "gigabytes_a_second_putting_by_wall": size / 1e9 / min(by_wall),
        "gigabytes_a_second_delivering": size / 1e9 / min(s for s in delivering if s > 0),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=16)
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--folder")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = measure(given.megabytes << 20, given.times, given.folder)
    for name in ("putting", "putting_by_wall", "delivering"):
        print(f"{name.replace('_', ' '):18}{found[f'gigabytes_a_second_{name}']:6.2f} GB/s")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
