#!/usr/bin/env python3
"""Air that should not change, for ten days: at rest over mountains, and in solid rotation.

python docs/results/solid_air.py --json air.json --picture air.png
    runs experiments/resting-air.toml and experiments/rotating-air.toml: the greatest |w| and
    change of u after each step
--set model.deep=false                  and so on, for both
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from fathom.plots.style import new_panels, styled

files = {"rest": "resting-air.toml", "rotation": "rotating-air.toml"}
allowed = 1e-10  # m/s


def run(file, settings):
    """Days, the greatest |w| and change of u [m/s] after each step, and the model."""
    from fathom.run.experiment.experiment import Experiment

    experiment = Experiment.read(Path(__file__).parents[2] / "experiments" / file, settings)
    with tempfile.TemporaryDirectory() as directory:
        sim = experiment.simulation(directory, overwrite=True).prepare()
        u, found = sim.gather("x_wind"), []
        for step in range(round(10 * 86400 / sim.time_step)):
            sim.advance(1)
            e = sim.fields.extremes("upward_air_velocity")
            w = max(-e["minimum"], e["maximum"])
            found.append(
                [(step + 1) * sim.time_step / 86400, w, np.abs(sim.gather("x_wind") - u).max()]
            )
        return np.array(found).T, sim.model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", dest="settings", action="append", default=[])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    given = parser.parse_args()
    series, result = {}, {}
    for name, file in files.items():
        series[name], model = run(file, given.settings)
        _, w, change = series[name]
        result[name] = {
            "points": list(model.heights[0].shape[::-1]),
            "deep": model.deep,
            "greatest_w": float(w.max()),
            "greatest_change_of_u": float(change.max()),
        }
    print(json.dumps(result, indent=1))
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1))
    if given.picture:
        draw(series, path=given.picture)
    return 0


@styled
def draw(series):
    """|w| and the change of u against time, on logarithmic axes."""
    figure, panels = new_panels(1, 2, 8.2, 3, sharex=True)
    for name, (days, w, change) in series.items():
        panels[0].semilogy(days, w, lw=0.9, label=name)
        panels[1].semilogy(days, change, lw=0.9, label=name)
    panels[0].axhline(allowed, color="k", lw=0.8, ls="--", label="allowed")
    for panel, title in zip(panels, ("greatest |w|", "greatest change of u")):
        panel.set(title=title, xlabel="days", ylabel="m/s")
        panel.legend()
    return figure


if __name__ == "__main__":
    sys.exit(main())
