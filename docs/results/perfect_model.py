r"""A perfect-model twin of the verified forecast: a run of the model is nature, of which a file of
GRIB keeps what the set of ECMWF has: six levels on 10 degrees, every six hours. What a forecast
from its first time then loses is lost by the coarse start, not by the model.

    python docs/results/perfect_model.py runs/nature.grib2
    python docs/results/verified_forecast.py runs/nature.grib2 --truncation 42 --levels 26 \
        --step 30min

Nature is the same model with the same settings, long after its start from the embedded GFS state:
its humidity and its stratosphere are its own by then. (After a day its stratosphere is still that
of GFS, of which a start from six levels takes the zonal mean: half of the error is hidden.)
"""

import argparse
from pathlib import Path

import numpy as np

import verified_forecast
from fathom.base.clock import Period

variables = [
    "geopotential",
    "air_temperature",
    "eastward_wind",
    "northward_wind",
    "specific_humidity",
]
pressures = [300, 400, 500, 700, 850, 1000]  # hPa, of the set of ECMWF


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", help="that is written, GRIB")
    for name, default in (("truncation", 42), ("levels", 26), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in (("step", "30min"), ("start", "2024-04-19"), ("spin-up", "45d")):
        parser.add_argument(f"--{name}", default=default)
    given = parser.parse_args()
    path = Path(given.file)
    settings = {"grid": "quadratic", "filter": "6h", "precision": "fp32", "columns": None}
    nature = {"file": "gfs", "out": str(path.parent / path.stem), "dry": False}
    options = argparse.Namespace(**settings | vars(given) | nature)
    sim = verified_forecast.forecast(options, given.start)
    spin_up = round(Period(given.spin_up).seconds)
    first = np.datetime64(given.start) + np.timedelta64(spin_up, "s")
    sim.output(
        path.name,
        variables,
        every="6h",
        levels={"pressure": pressures},
        latlon_resolution=10,
        window=[str(first), str(first + np.timedelta64(42, "h"))],
    )
    sim.run(f"{spin_up // 3600 + 42}h", report=False)
    path.unlink(missing_ok=True)
    (Path(options.out) / path.name).rename(path)


if __name__ == "__main__":
    main()
