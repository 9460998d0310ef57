"""A forecast from 4D-Var against one from an interpolated state, with real data: the ECMWF set of
2024-06-03.

    python docs/results/ecmwf_assimilation.py PATH/pl_regular_ll.grib --json FILE

PATH: docs/source/tutorials of the sources of earthkit-data (docs/data.md): eight times, every 6 h,
10 degrees, six levels. Its fields of 00 and 06Z, on the layers of the model, are observed at random
places with random errors. The background is the state of 00Z, interpolated. Both forecasts, of a
dry model with smooth mixing near the ground, are compared with the later times of the set. Prints
and writes rms and, of persistence, the same; leaves a picture in --out. The result is in
docs/results/assimilation.md.
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.assimilation import observed
from fathom.assimilation.balance import AirBackground, simple_errors
from fathom.assimilation.trajectory import Trajectory
from fathom.assimilation.variational import Seen, Window
from fathom.atmosphere.remap import forecast
from fathom.base.earth import STANDARD_GRAVITY
from fathom.data import atmosphere
from fathom.grids.regrid.rows import Rows
from fathom.grids.transform import SphericalHarmonics
from fathom.output.diagnostics import whole
from fathom.output.post.verification import verify

shown = (  # name of the model, of the set, level [hPa], factor, title
    ("geopotential_height", "geopotential", 500, 1 / STANDARD_GRAVITY, "z500 [m]"),
    ("air_temperature", "virtual_temperature", 850, 1.0, "T850 [K]"),
    ("eastward_wind", "eastward_wind", 300, 1.0, "u300 [m/s]"),
    ("northward_wind", "northward_wind", 300, 1.0, "v300 [m/s]"),
)
sizes = {"wind": 1.0, "temperature": 0.5, "pressure": 5e-4}  # errors of the data


def virtual(temperature, humidity):
    return temperature * (1 + 0.608 * humidity)


class Air:
    """A dry model; its temperature is the virtual one of the set."""

    def __init__(self, data, options):
        self.data, self.options = data, options
        self.grid = fm.GaussianGrid(options.truncation, levels=fm.HybridLevels(options.levels))
        self.states = [forecast.start(data, self.grid, time=n) for n in (0, 1)]
        self.hours = ((data.time - data.time[0]) / np.timedelta64(1, "h")).values

    def vector(self, number):
        """The fields of a time of the set, on the grid of the model."""
        s = self.states[number]
        warm = virtual(s["air_temperature"], s["specific_humidity"])
        pi = s["log_surface_pressure"] - np.log(1e5)
        fields = s["eastward_wind"], s["northward_wind"], warm, pi[None]
        return np.concatenate([f.ravel() for f in fields])

    def simulation(self, vector):
        """From a state."""
        K, shape = self.grid.levels.nz, self.states[0]["log_surface_pressure"].shape
        fields = vector.reshape(-1, *shape)
        model = fm.SpectralAtmosphere(
            self.grid,
            physics=[fm.schemes.SmoothMixing()],
            orography=self.states[0]["surface_geopotential"],
            diffusion_time="6h",
            fix_mass=False,
        ).set(
            eastward_wind=fields[:K],
            northward_wind=fields[K : 2 * K],
            air_temperature=fields[2 * K : -1],
            log_surface_pressure=fields[-1] + np.log(1e5),
        )
        return fm.Simulation(model, time_step=self.options.step, directory=tempfile.gettempdir())

    def forecast(self, vector, first=0):
        """rms against the set at its times from the first on, by what is shown; of persistence."""
        sim, hours = self.simulation(vector).prepare(), self.hours[first:]
        fields = {name: [] for *_, name in shown}
        for hour in hours:
            sim.advance(round((3600 * (hour - hours[0]) - sim.seconds) / sim.time_step))
            for own, _, level, _, name in shown:
                fields[name].append(whole(sim, own, [level])[0])
        scores = {}
        for _, there, level, factor, name in shown:
            truth = factor * self.data[there].sel(pressure=100.0 * level).isel(
                time=slice(first, None)
            )
            made = verify(fields[name], Rows.gaussian(*fields[name][0].shape), truth)
            scores[name] = made.rms.values.tolist()
            scores["persistence " + name] = made.persistence.values.tolist()
        return {"hours": hours.tolist()} | scores


def analysed(air, options):
    """The window's analysis: data of 00 and 06Z at random places."""
    background, random = air.vector(0), np.random.default_rng(1)
    trajectory = Trajectory(air.simulation(background), keep="fp32")
    levels = air.grid.levels
    K, transform = levels.nz, SphericalHarmonics(options.truncation, air.grid.rows)
    steps = round(6 * 3600 / trajectory.simulation.time_step)
    parts, seen = ("wind", "temperature", "pressure"), {}
    for number in (0, 1):
        longitude = random.uniform(0, 360, options.places)
        latitude = np.degrees(np.arcsin(random.uniform(-1, 1, options.places)))
        H = observed.columns(transform, K, longitude, latitude, parts)
        errors = observed.errors_of_columns(K, options.places, parts, sizes)
        values = H.apply(air.vector(number)) + errors * random.standard_normal(len(errors))
        seen[number * steps] = Seen(values, errors**2, H)
    a, b = (np.asarray(x, float) for x in (levels.a, levels.b))
    L = AirBackground(
        transform,
        simple_errors(
            transform,
            a,
            b,
            wind=options.wind,
            temperature=options.temperature,
            length=options.length,
        ),
    )
    window = Window(trajectory, L, steps, options.method, iterations=options.iterations)
    return background, window.analyse(background, seen)


def picture(results, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(shown), figsize=(12, 3), layout="constrained")
    for axis, (*_, name) in zip(axes, shown):
        for label, scores in results.items():
            axis.plot(scores["hours"], scores[name], "o-", ms=3, label=label)
        first = next(iter(results.values()))
        axis.plot(first["hours"], first["persistence " + name], "k:", label="persistence")
        axis.set_title(name), axis.set_xlabel("hours from 00Z"), axis.set_ylim(0)
    axes[0].legend(fontsize=8)
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    for name, default in (
        ("out", "runs/ecmwf"),
        ("step", "30min"),
        ("levels", "L19"),
        ("method", "4d-var"),
    ):
        parser.add_argument(f"--{name}", default=default)
    for name, default in (("truncation", 31), ("places", 1000), ("iterations", 40)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in (("wind", 2.0), ("temperature", 1.0), ("length", 8e5)):
        parser.add_argument(f"--{name}", type=float, default=default, help="of background errors")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    data = atmosphere.ecmwf(options.file)
    data["virtual_temperature"] = virtual(data.air_temperature, data.specific_humidity)
    air = Air(data, options)
    background, found = analysed(air, options)
    print({k: round(float(v), 3) for k, v in found.summary.items()})
    results = {
        "interpolated": air.forecast(background),
        "interpolated 06Z": air.forecast(air.vector(1), first=1),
        options.method: air.forecast(found.start),
    }
    for *_, name in shown:
        print(name)
        rows = [(label, r[name]) for label, r in results.items()]
        rows.append(("persistence", results["interpolated"]["persistence " + name]))
        for label, values in rows:
            missing = ["       "] * (len(air.hours) - len(values))
            print(f"  {label:16}", "  ".join([*missing, *(f"{x:7.2f}" for x in values)]))
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    picture(results, out / "ecmwf-assimilation.png")
    if options.json:
        kept = {k: v for k, v in vars(options).items() if k != "json"}
        options.json.write_text(json.dumps(kept | found.summary | {"rms": results}, indent=1))


if __name__ == "__main__":
    main()
