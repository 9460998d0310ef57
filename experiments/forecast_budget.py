"""Where a forecast's temperature drifts: budgets of the globe day by day, and heating by scheme and
level.

    python experiments/forecast_budget.py --days 10

The sum of a tendency is taken after each scheme: the difference of two is what a scheme did. The
result is in docs/forecast.md.
"""

import argparse

import numpy as np

import fathom as fm
from fathom.schemes import scheme

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


class Measured(fm.SpectralAtmosphere):
    """The model with a running sum of the heating after each scheme."""

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
                add("TimeSum", "air_temperature_tendency", f"heat after {process.name}", "layer")
        for name in columns:
            add("SurfaceTimeSum", name, f"sum of {name}", "column")
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("truncation", 42), ("levels", 26), ("days", 10), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in (
        ("step", "30min"),
        ("analysis", "gfs"),
        ("start", "2011-10-11"),
        ("filter", "6h"),
    ):
        parser.add_argument(f"--{name}", default=default)
    options = parser.parse_args()
    grid = fm.GaussianGrid(options.truncation, levels=fm.HybridLevels(options.levels))
    model = Measured(grid, physics=fm.FirstPhysics(ozone=None), sponge=3, precision="fp32").set(
        analysis=options.analysis, digital_filter=options.filter
    )
    sim = fm.Simulation(
        model, step=options.step, start=options.start, parallel={"threads": options.threads}
    ).prepare()
    area, pressure = (
        grid.horizontal.area_center / grid.horizontal.area_center.sum(),
        np.asarray(grid.levels.middles),
    )
    thickness = np.asarray(grid.levels.weights)
    steps = round(86400 / sim.step)

    def profile(name):
        return (sim.gather(name) * area).sum((1, 2))

    def mean(values, where=slice(None)):
        return float((values * thickness)[where].sum() / thickness[where].sum())

    start = profile("virtual_temperature")
    for name in sim.fields.state:
        if name.startswith(("heat after ", "sum of ")):
            sim.fields.fill(name, 0.0)
    print(
        "day | change of T, below 200 hPa | vapour | SW, LW at the top | SW, LW net at the ground |"
        " sensible, latent | rain | radiation, rain"
    )
    before = dict.fromkeys(columns, 0.0)
    for day in range(1, options.days + 1):
        sim.advance(steps)
        total = {name: float(profile(f"sum of {name}")[0]) for name in columns}
        sw, lw, ground, up, down, heat, water_up, *rain = (
            (total[name] - before[name]) / steps for name in columns
        )
        before, change = total, profile("virtual_temperature") - start
        vapour = (profile("specific_humidity") * thickness).sum() / 9.80616
        print(
            f"{day:3d}   {mean(change):7.3f} {mean(change, pressure > 2e4):7.3f}   {vapour:6.2f}  "
            f" {sw:6.1f} {lw:6.1f}   {ground:6.1f} {up - down:6.1f}   {heat:6.1f}"
            f" {latent_heat * water_up:6.1f}   {86400 * sum(rain):5.2f}  "
            f" {sw - lw - ground + up - down:6.1f} {latent_heat * sum(rain):6.1f}",
            flush=True,
        )
    days = [86400 / (steps * options.days) * profile(f"heat after {name}") for name in model.sums]
    schemes = [
        (name, now - last)
        for name, last, now in zip(model.sums[1:], days, days[1:])
        if np.abs(now - last).max() > 1e-3
    ]
    print("hPa, change [K/day], " + ", ".join(name for name, _ in schemes))
    for k, p in enumerate(pressure):
        print(
            f"{p / 100:7.1f} {(change / options.days)[k]:8.3f}   "
            + " ".join(f"{heating[k]:8.3f}" for _, heating in schemes)
        )
    print(
        "W m-2: "
        + ", ".join(
            f"{name} {(heating * thickness).sum() / 9.80616 * 1004.7 / 86400:.1f}"
            for name, heating in schemes
        )
    )


if __name__ == "__main__":
    main()
