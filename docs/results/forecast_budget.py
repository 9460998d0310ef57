"""The drift of temperature in a forecast: global budgets day by day, and heating by scheme and
level.

    python docs/results/forecast_budget.py --days 10

The sum of a tendency is taken after each scheme: the difference of two is the effect of a scheme.
The result is in docs/results/forecast.md.
"""

import argparse
import itertools

import numpy as np

import fathom as fm
from fathom.base import mpi
from fathom.model.schemes import scheme

columns = (
    "toa_net_shortwave",
    "outgoing_longwave",
    "surface_net_shortwave",
    "surface_emission",
    "surface_downward_longwave",
    "sensible_heat_flux",
    "evaporation_flux",
    "convective_precipitation",
    "stratiform_precipitation",
)
latent_heat = 2.5008e6  # [J kg-1]
tendencies = {"heat": "air_temperature_tendency", "moisture": "specific_humidity_tendency"}


class Measured(fm.SpectralAtmosphere):
    """The model with running sums of heating and moistening after each scheme."""

    def processes(self, step, surface=None):
        bytes_, names, found = (
            8 if self.precision == "fp64" else 4,
            {"TendencyStart", *(p.name for p in self.physics)},
            [],
        )

        def add(kind, field, label, vertical):
            process = scheme(kind).process(
                bytes_, phase="output", on={"value": field, "statistic": label}, label=label
            )
            found.append(
                process.at(field, "center", vertical, False).at(label, "center", vertical, False)
            )

        self.sums = []
        for process in super().processes(step, surface):
            found.append(process)
            if process.name in names:
                self.sums.append(process.name)
                for quantity, tendency in tendencies.items():
                    add("TimeSum", tendency, f"{quantity} after {process.name}", "layer")
        for name in columns:
            add("SurfaceTimeSum", name, f"sum of {name}", "column")
        return found


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("truncation", 42), ("levels", 26), ("days", 10), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in (
        ("step", "30min"),
        ("analysis", "gfs"),
        ("start", "2011-10-11"),
        ("filter", "6h"),
        ("radiation", "Radiation"),
        ("radiation-every", "3h"),
        ("condensation", "LargeScaleCondensation"),
        ("mixing", "KProfileDiffusion"),
        ("convection", "BettsMiller"),
        ("physics", "BasicPhysics"),
    ):
        parser.add_argument(f"--{name}", default=default)
    for name, default in (("fractional-std", 0.75), ("cloud-threshold", 3e-4)):
        parser.add_argument(f"--{name}", type=float, default=default, help="of ForecastPhysics")
    parser.add_argument(
        "--moisture", action="store_true", help="moistening by scheme and level too"
    )
    parser.add_argument(
        "--shallow",
        action="store_true",
        help="ShallowMassFlux with the mixing; MassFluxConvection is for deep clouds only",
    )
    return parser.parse_args()


def full(options):
    """Its default schemes, for any options of schemes, with its two numbers of clouds."""
    return fm.ForecastPhysics(
        ozone=None,
        radiation=fm.RRTMGP(fractional_std=options.fractional_std),
        radiation_every=options.radiation_every,
        condensation=scheme(
            "GraupelMicrophysics", cloud_rate=3e-4, cloud_threshold=options.cloud_threshold
        ),
    )


def simulation(options):
    grid = fm.GaussianGrid(options.truncation, levels=fm.HybridLevels(options.levels))
    deep = options.shallow and options.convection == "MassFluxConvection"
    cloudy = "Microphysics" in options.condensation
    physics = (
        full(options)
        if options.physics == "ForecastPhysics"
        else fm.BasicPhysics(
            ozone=None,
            radiation=options.radiation,
            radiation_every=options.radiation_every,
            condensation=options.condensation,
            mixing=options.mixing,
            shallow="ShallowMassFlux" if options.shallow else None,
            convection=fm.MassFluxConvection(shallow=0) if deep else options.convection,
            clouds="PrognosticCloud" if cloudy else "DiagnosticCloud",
        )
    )
    model = Measured(grid, physics=physics, sponge=3, precision="fp32").set(
        analysis=options.analysis, digital_filter=options.filter
    )
    return fm.Simulation(
        model, time_step=options.step, start=options.start, parallel={"threads": options.threads}
    ).prepare()


class Budget:
    """Of the globe, from the start of a simulation."""

    def __init__(self, sim):
        grid = sim.model.grid
        self.sim, self.steps = sim, round(86400 / sim.time_step)
        self.area = grid.horizontal.area_center / grid.horizontal.area_center.sum()
        self.pressure = np.asarray(grid.levels.middles)
        self.thickness = np.asarray(grid.levels.weights)
        self.start = self.profile("virtual_temperature")
        self.before = dict.fromkeys(columns, 0.0)
        self.fixer = sim.find(mpi.core.EnergyFixer)
        self.returned = self.fixer.returned

    def fixer_of_day(self):
        """Energy that the fixer has given back to the dynamics since the last call [W m-2]."""
        before, self.returned = self.returned, self.fixer.returned
        return (self.returned - before) / 86400

    def profile(self, name):
        return (self.sim.gather(name) * self.area).sum((1, 2))

    def mean(self, values, where=slice(None)):
        return float((values * self.thickness)[where].sum() / self.thickness[where].sum())

    def change(self):
        return self.profile("virtual_temperature") - self.start

    def print_day(self, day):
        total = {name: float(self.profile(f"sum of {name}")[0]) for name in columns}
        sw, lw, ground, up, down, heat, water_up, *rain = (
            (total[name] - self.before[name]) / self.steps for name in columns
        )
        self.before, change = total, self.change()
        vapour = (self.profile("specific_humidity") * self.thickness).sum() / 9.80616
        print(
            f"{day:3d}   {self.mean(change):7.3f} {self.mean(change, self.pressure > 2e4):7.3f}  "
            f" {vapour:6.2f}  "
            f" {sw:6.1f} {lw:6.1f}   {ground:6.1f} {up - down:6.1f}   {heat:6.1f}"
            f" {latent_heat * water_up:6.1f}   {86400 * sum(rain):5.2f}  "
            f" {sw - lw - ground + up - down:6.1f} {latent_heat * sum(rain):6.1f}  "
            f" {self.fixer_of_day():6.2f}",
            flush=True,
        )

    def print_ground(self, days):
        """Sensible and latent heat over the sea and over land [W m-2]."""
        land = self.sim.gather("land_fraction")[0]
        for name, share in (("sea", 1 - land), ("land", land)):
            weight = share * self.area / (share * self.area).sum()
            heat, water = (
                float((self.sim.gather(f"sum of {flux}")[0] * weight).sum()) / (self.steps * days)
                for flux in ("sensible_heat_flux", "evaporation_flux")
            )
            print(f"{name}: sensible, latent heat {heat:.1f} {latent_heat * water:.1f} W m-2")

    def shares(self, quantity, sums, days, factor):
        """[(scheme, profile a day)] of those that do something."""
        rate = factor * 86400 / (self.steps * days)
        total = [rate * self.profile(f"{quantity} after {name}") for name in sums]
        return [
            (name, now - last)
            for name, (last, now) in zip(sums[1:], itertools.pairwise(total))
            if np.abs(now - last).max() > 1e-3
        ]

    def print_heating(self, sums, days):
        """By scheme and level; sums: the schemes after which the sum of the heating was taken."""
        schemes = self.shares("heat", sums, days, 1.0)
        print("hPa, cloud now, change [K/day], " + ", ".join(name for name, _ in schemes))
        change, cloud = self.change() / days, self.profile("cloud_fraction")
        for k, p in enumerate(self.pressure):
            print(
                f"{p / 100:7.1f} {cloud[k]:6.3f} {change[k]:8.3f}   "
                + " ".join(f"{heating[k]:8.3f}" for _, heating in schemes)
            )
        in_watts = self.thickness / 9.80616 * 1004.7 / 86400
        print(
            "W m-2: "
            + ", ".join(f"{name} {(heating * in_watts).sum():.1f}" for name, heating in schemes)
        )

    def print_moistening(self, sums, days):
        """The same of vapour [g kg-1 a day]."""
        schemes = self.shares("moisture", sums[1:], days, 1000.0)  # it begins after TendencyStart
        print("hPa, moistening [g/kg/day]: " + ", ".join(name for name, _ in schemes))
        for k, p in enumerate(self.pressure):
            print(f"{p / 100:7.1f} " + " ".join(f"{wetter[k]:8.3f}" for _, wetter in schemes))


def main():
    given = options()
    sim = simulation(given)
    budget = Budget(sim)
    for name in sim.fields.state:
        if name.startswith(("heat after ", "moisture after ", "sum of ")):
            sim.fields.fill(name, 0.0)
    print(
        "day | change of T, below 200 hPa | vapour | SW, LW at the top | SW, LW net at the ground |"
        " sensible, latent | rain | radiation, rain | energy fixer"
    )
    for day in range(1, given.days + 1):
        sim.advance(budget.steps)
        budget.print_day(day)
    budget.print_ground(given.days)
    budget.print_heating(sim.model.sums, given.days)
    if given.moisture:
        budget.print_moistening(sim.model.sums, given.days)


if __name__ == "__main__":
    main()
