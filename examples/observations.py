"""From reports to an analysis: temperatures of stations, some of them wrong, are imported, compared
with a forecast, screened, and spread over the map.

The truth is known here. The forecast is the truth plus an error with a scale of about 100 km. The
thermometers have an error of 0.8 K, and one in twenty is wrong by 12 K. The result should be: the
wrong ones are found, the good ones are kept, and at places without a station the analysis is nearer
to the truth than the forecast.

    python examples/observations.py [stations]
"""

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np

from fathom.assimilation.observations import base, ingest, screening, surface
from fathom.base import earth

stations = int(sys.argv[1]) if len(sys.argv) > 1 else 500
rng = np.random.default_rng(1)
folder = Path(tempfile.mkdtemp())

# Places: stations, and the same number of other places without data
longitude, latitude = rng.uniform(0, 20, 2 * stations), rng.uniform(42, 56, 2 * stations)
here, elsewhere = slice(0, stations), slice(stations, None)


def smooth(lon, lat, size, scale):
    """A sum of waves of many directions, correlated over `scale` metres."""
    x = np.deg2rad(lon) * earth.RADIUS * np.cos(np.deg2rad(49)) / scale
    y = np.deg2rad(lat) * earth.RADIUS / scale
    waves = [(rng.normal(0, 1, 2), rng.uniform(0, 2 * np.pi)) for _ in range(60)]
    return size * np.sqrt(2 / 60) * sum(np.cos(k[0] * x + k[1] * y + a) for k, a in waves)


truth = 283 - 0.5 * (latitude - 49)
forecast = truth + smooth(longitude, latitude, 2.0, 120e3)
measured = truth[here] + rng.normal(0, 0.8, stations)
wrong = rng.random(stations) < 0.05
measured[wrong] += 12 * rng.choice([-1, 1], wrong.sum())

# A simple table: a header with units, one line for each report
with open(folder / "stations.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(
        ["station", "kind", "time", "longitude", "latitude", "height", "air_temperature [degC]"]
    )
    for n in range(stations):
        place = longitude[n], latitude[n], 0
        writer.writerow([n, "synop", "2018-11-20T12:00Z", *place, measured[n] - 273.15])

# Import: one row for each value
made, account = ingest.collect([folder / "stations.csv"])
number = made["station"].astype(int)

# Departures from the forecast, and the selection of data
made["background_departure"] = made["value"] - forecast[number]
removed = screening.screen(made)
caught = float(np.mean(~made.used[wrong[number]]))
lost = float(np.mean(~made.used[~wrong[number]]))
base.write(made, folder / "stations.parquet")

# The analysis at the other places, from the accepted data
good = made.taken(made.used)
data = surface.Data(*(good[n] for n in ("longitude", "latitude", "height", "background_departure")))
increment, _ = surface.analyse(
    surface.structure_of("air_temperature"), longitude[elsewhere], latitude[elsewhere], 0.0, data
)
rms = lambda x: float(np.sqrt(np.mean(x**2)))
before = rms((forecast - truth)[elsewhere])
after = rms((forecast - truth)[elsewhere] + increment)

print(f"{account[0].data} data, {wrong.sum()} wrong; removed: "
      + ", ".join(f"{step} {n}" for step, n in removed.items() if n))  # fmt: skip
print(f"caught {caught:.0%} of the wrong, lost {lost:.1%} of the good")
print(f"error at other places: forecast {before:.2f} K, analysis {after:.2f} K")
