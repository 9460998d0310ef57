"""The gain by one more cache line between rows (core/machine/strides.hpp): the ocean in a channel,
with and without it, in turns on one thread.

    python docs/results/row_padding.py [--seconds 6]

Of each case the processor time of a step without the line over that with it: the median of
neighbours in turn, with its error. States have the same bits.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from fathom.base import mpi
from fathom.run.experiment.experiment import Experiment

here = Path(__file__).parents[2] / "experiments"
halo = 2
channels = [  # bytes from row to row, levels
    *((1024, 100), (2048, 60), (2048, 100)),
    *((4096, 20), (4096, 60), (4096, 100), (8192, 60)),
]


def padded(on, made):
    """The result, with rows padded or not."""
    mpi.core.pads_rows(on)
    try:
        return made()
    finally:
        mpi.core.pads_rows(True)


def channel(row, levels):
    """A simulation after two steps."""
    settings = {"nx": row // 8 - 2 * halo, "ny": 16, "levels.nz": levels}
    words = [f"grid.{name}={value}" for name, value in settings.items()]
    words += ["simulation.time_step=5s", "parallel.automatic=false", "parallel.tile=cache"]
    experiment = Experiment.read(here / "baroclinic-channel.toml", words)
    experiment.document.tables.pop("output")
    simulation = experiment.simulation(Path("/nowhere"), True).prepare()
    simulation.advance(2)
    return simulation


def ratios(acts, seconds):
    """Processor time of the second over that of the first, of neighbours in turn."""
    found, ends = [], time.perf_counter() + seconds
    while len(found) < 6 or time.perf_counter() < ends:
        taken = {}
        for n in (0, 1) if len(found) % 2 else (1, 0):
            began = time.process_time()
            acts[n]()
            taken[n] = time.process_time() - began
        found.append(taken[1] / taken[0])
    return np.array(found)


def told(what, found):
    error = 1.25 * 1.4826 * np.median(abs(found - np.median(found))) / len(found) ** 0.5
    print(f"{what:<36} {np.median(found):.3f} ± {error:.3f}  ({len(found)} pairs)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=6, help="of each case")
    seconds = parser.parse_args().seconds
    mpi.core.set_threads(1)
    print("processor time without over with the line")
    for row, levels in channels:
        both = [padded(on, lambda: channel(row, levels)) for on in (True, False)]
        acts = [lambda one=one: one.advance(4) for one in both]
        told(f"ocean, rows of {row} bytes, {levels} levels", ratios(acts, seconds))
        if both[0].checksum() != both[1].checksum():
            raise SystemExit("other bits")


if __name__ == "__main__":
    main()
