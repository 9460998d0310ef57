#!/usr/bin/env python3
"""M2 of a run of experiments/ocean-tides-1deg.toml against tide gauges of islands in the deep sea.

    python docs/results/tides.py RUN/tides.nc

tide_gauges.csv: amplitude [m] and phase lag in Greenwich [degrees] of M2 at 81 places around which
(150 km) the sea is deeper than 2200 m in the mean, and than 1000 m in four fifths of it; one in a
degree. From TICON-4 (Hart-Davis et al., CC BY 4.0) and NOAA CO-OPS (public domain), as
@neaps/tide-database 0.10 has them.
"""

import csv
import sys
from pathlib import Path

import numpy as np

import fathom as fm

gauges = Path(__file__).with_name("tide_gauges.csv")


def waves(path, time=-1):
    """Longitude, latitude and A exp(-i g) of M2 over the last interval, (ny, nx)."""
    with fm.open(path) as data:
        last = data.isel(time=time).sel(constituent="M2")
        z = last.zos_amplitude * np.exp(-1j * np.radians(last.zos_phase))
        return data.longitude.values, data.latitude.values, z.values.astype(complex)


def at(places, longitude, latitude, z):
    """The wave in the nearest cells of water."""
    found = []
    for x, y in places:
        east = (longitude - x + 180) % 360 - 180
        far = (east * np.cos(np.radians(y))) ** 2 + (latitude - y) ** 2
        found.append(z.ravel()[np.argmin(np.where(np.isfinite(z), far, np.inf))])
    return np.array(found)


def main(path):
    with open(gauges) as file:
        rows = list(csv.DictReader(file))
    places = [(float(r["longitude"]), float(r["latitude"])) for r in rows]
    lag = np.radians([float(r["m2_phase"]) for r in rows])
    seen = np.array([float(r["m2_amplitude"]) for r in rows]) * np.exp(-1j * lag)
    there = waves(path)
    model = at(places, *there)
    rms = lambda z: 100 * np.sqrt(np.nanmean(np.abs(z) ** 2) / 2)  # in time and place [cm]
    turn = np.degrees(np.angle(np.vdot(seen, model)))
    print(
        f"{len(seen)} gauges: rms of the tide {rms(seen):.1f} cm, of the difference"
        f" {rms(model - seen):.1f} cm; amplitude of the model"
        f" {np.abs(model).mean() / np.abs(seen).mean():.2f} of that seen, {-turn:.0f} degrees late;"
        f" from the interval before {rms(there[2] - waves(path, -2)[2]):.1f} cm"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
