"""Processor time of a step with two builds of Fathom. They run in turn, so that other work on the
machine affects both.

    python tools/compare_builds.py .venv/bin/python other/bin/python experiments/ocean-1deg.toml
    python tools/compare_builds.py A B experiments/forecast-t106.toml grid.truncation=63
"""

import os
import subprocess
import sys
import tempfile
from statistics import median
from time import process_time

turns = 5
spin_up, steps = 6, 12


def measure(file: str, settings: list[str]) -> float:
    """Processor seconds of one step, on one thread."""
    from fathom.run.experiment.experiment import Experiment

    with tempfile.TemporaryDirectory() as place:
        simulation = Experiment.read(file, settings).simulation(place, True)
        simulation.prepare()
        simulation.advance(spin_up)
        start = process_time()
        simulation.advance(steps)
        return (process_time() - start) / steps


def measured_by(python: str, arguments: list[str]) -> float:
    command = [python, "-P", __file__, "--measure", *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout.split()[-1])


def main(first: str, second: str, *arguments: str) -> None:
    ratios = []
    for _ in range(turns):
        one, two = (measured_by(python, list(arguments)) for python in (first, second))
        ratios.append(two / one)
        print(f"{one:.4f} s, {two:.4f} s, ratio {two / one:.3f}", flush=True)
    print(f"median of the ratios {median(ratios):.3f}, from {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(measure(sys.argv[2], sys.argv[3:]))
    elif len(sys.argv) < 4:
        sys.exit(__doc__)
    else:
        main(*sys.argv[1:])
