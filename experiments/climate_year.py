"""A climate of the atmosphere over observed sea surface temperature and sea ice, from the embedded
climatology, and its global means.

    python experiments/climate_year.py runs/climate --days 395            # continues
    python experiments/climate_year.py runs/climate --table --skip 30     # means after 30 days
    python experiments/climate_year.py runs/climate --picture climate.png # zonal means of them

    python experiments/climate_year.py runs/climate --table --months 12 1 2 --beside era5

--beside: also zonal means of an embedded state of the air, one day of weather. The result is in
docs/results/climate.md.
"""

import argparse
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.plots.style import new_panels, styled

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
layers = ("eastward_wind", "virtual_temperature", "specific_humidity", "cloud_fraction")


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    for name, default in (("truncation", 42), ("levels", 26), ("days", 395), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--step", default="30min")
    parser.add_argument("--physics", default="BasicPhysics")
    parser.add_argument("--radiation-every", default="3h")
    parser.add_argument("--table", action="store_true", help="figures of what has been run")
    parser.add_argument("--months", type=int, nargs="+", help="that alone count")
    parser.add_argument(
        "--beside", help="an embedded state: era5 (2 January 1959), gfs (11 October)"
    )
    parser.add_argument(
        "--latitudes", type=float, nargs="+", default=range(-75, 76, 15), help="of the table"
    )
    parser.add_argument("--picture", type=Path, help="zonal wind and temperature, drawn here")
    parser.add_argument("--skip", type=float, default=30, help="days that are left out")
    return parser.parse_args()


def run(given):
    grid = fm.GaussianGrid(given.truncation, levels=fm.HybridLevels(given.levels))
    physics = getattr(fm, given.physics)(ozone=None, radiation_every=given.radiation_every)
    model = fm.SpectralAtmosphere(grid, physics=physics, sponge=3, precision="fp32").set(
        analysis="gfs", digital_filter="6h"
    )
    sim = fm.Simulation(
        model,
        time_step=given.step,
        start="2011-10-11",
        surface=fm.GivenSea(),
        directory=given.folder,
        overwrite=True,
        parallel={"threads": given.threads},
    )

    sim.output("means.nc", [*columns, *layers], every="5d", statistic="mean")
    sim.checkpoint(every="30d", path="restart-{date}.fathom", keep=2)
    kept = sorted(given.folder.glob("restart-*.fathom"))
    if kept:
        sim.restore(kept[-1])
    sim.run(f"{given.days}d", report=False, from_start=True)


def counted(given):
    """The part of the run after the first days, in the given months."""
    data = fm.open(given.folder / "means.nc")
    days = (data.time - data.time[0]).values / np.timedelta64(1, "D") + 2.5
    counts = days > given.skip
    if given.months:
        counts &= np.isin(data.time.dt.month.values, given.months)
    return data.isel(time=counts)


def means(given):
    """Means over time and longitude, and how many days they have."""
    kept = counted(given)
    return kept.mean(("time", "longitude")), 5 * kept.sizes["time"]


def table(given):
    """Fluxes of the globe; rain, temperature and wind by latitude."""
    mean, days = means(given)
    weight = np.cos(np.deg2rad(mean.latitude))
    print(f"{days} days after the first {given.skip:g}")
    whole = {
        str(mean[name].attrs.get("long_name", name)): float(mean[name].weighted(weight).mean())
        for name in mean.data_vars
        if mean[name].dims == ("latitude",)
    }
    for name, value in whole.items():
        print(f"{value:12.5g}  {name}")
    land_and_sea(given)
    course(given)
    print("latitude, rain [mm/day], long wave to space [W/m2], T [K] at 850, 500, 200, 50 hPa,")
    print("u [m/s] at 850, 200, 50 hPa")
    rain = 86400 * (mean.prc + mean.prl)
    rows(given.latitudes, [rain, mean.outgoing_longwave], temperature_of(mean), mean.ua)
    if given.beside:
        print(given.beside)
        rows(given.latitudes, [], *observed(given.beside, mean))


def land_and_sea(given):
    """Fluxes of cells that are land, or sea, in more than half of their area."""
    mean = counted(given).mean("time")
    rain = 86400 * (mean.prc + mean.prl)
    for name, where in (("land", mean.sftlf > 0.5), ("sea", mean.sftlf <= 0.5)):
        heat, water, wet = (
            float(flux.where(where).weighted(np.cos(np.deg2rad(mean.latitude))).mean())
            for flux in (mean.hfss, mean.evaporation_flux, rain)
        )
        print(
            f"{name}: sensible, latent heat {heat:.1f} {2.5008e6 * water:.1f} W m-2,"
            f" rain {wet:.2f} mm/day"
        )


def course(given):
    """Temperature of the globe by level: means of 60 days one after the other, and the change by
    the season, as two harmonics of the year, in ten days of October.
    """
    kept = counted(given)
    if kept.sizes["time"] < 60:  # the season needs most of a year
        return
    of_the_globe = temperature_of(kept).mean("longitude")
    series = of_the_globe.weighted(np.cos(np.deg2rad(kept.latitude))).mean("latitude")
    parts = series.coarsen(time=12, boundary="trim").mean()
    waves = lambda day: np.stack(
        [np.cos(0 * day), *(f(n * day / 58.13) for n in (1, 2) for f in (np.cos, np.sin))]
    )
    days = kept.time.dt.dayofyear.values
    for level in (0.05, 0.2, 0.3, 0.5, 0.85):
        near = {"level": level, "method": "nearest"}
        fitted = np.linalg.lstsq(waves(days).T, series.sel(**near).values, rcond=None)[0]
        cools = fitted @ (waves(np.array(294.0)) - waves(np.array(284.0)))
        print(
            f"{1000 * level:4.0f} hPa, T of 60 days each [K]: "
            + " ".join(f"{float(T):6.1f}" for T in parts.sel(**near))
            + f"; from 11 to 21 October {cools:+.2f}"
        )


def rows(latitudes, columns, temperature, wind):
    """By latitude."""
    for latitude in latitudes:
        at = {"latitude": latitude}
        here = [float(column.interp(at)) for column in columns]
        here += [float(temperature.interp(at | {"level": p})) for p in (0.85, 0.5, 0.2, 0.05)]
        here += [float(wind.interp(at | {"level": p})) for p in (0.85, 0.2, 0.05)]
        print(f"{latitude:4.0f}  " + " ".join(f"{x:7.1f}" for x in here))


def observed(analysis, like):
    """Zonal means of temperature and eastward wind of an embedded state, as those of a run."""
    grid = fm.GaussianGrid(
        {48: 31, 64: 42, 96: 63}[like.latitude.size], levels=fm.HybridLevels(like.level.size)
    )
    model = fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics(ozone=None)).set(analysis=analysis)
    start = {"era5": "1959-01-02"}.get(analysis, "2011-10-11")
    sim = fm.Simulation(model, time_step="30min", start=start).prepare()
    warm, moist, wind = (
        like.ua.copy(data=sim.gather(name).mean(2))
        for name in ("virtual_temperature", "specific_humidity", "eastward_wind")
    )
    return warm / (1 + 0.6078 * moist), wind


def temperature_of(mean):
    """Temperature [K]."""
    return mean.tv / (1 + 0.6078 * mean.hus)


@styled
def draw(given):
    """Zonal wind and temperature by latitude and pressure."""
    mean, days = means(given)
    figure, axes = new_panels(1, 2, 9.2, 3.4, sharey=True)
    parts = (
        (mean.ua, np.arange(-60, 61, 5), "RdBu_r", "eastward wind [m s⁻¹]"),
        (temperature_of(mean), np.arange(190, 311, 10), "viridis", "temperature [K]"),
    )
    for axis, (field, steps, colours, title) in zip(axes, parts, strict=True):
        filled = axis.contourf(
            mean.latitude, 1000 * mean.level, field, steps, cmap=colours, extend="both"
        )
        lines = axis.contour(
            mean.latitude, 1000 * mean.level, field, steps, colors="k", linewidths=0.4
        )
        axis.clabel(lines, lines.levels[::2], fontsize=7)
        figure.colorbar(filled, ax=axis)
        axis.set(title=f"{title}, {days} days", xlabel="latitude", xticks=range(-90, 91, 30))
    axes[0].set(ylabel="level [hPa over 1000 hPa]", yscale="log", ylim=(1000, 10))
    axes[0].set_yticks([1000, 500, 200, 100, 50, 20, 10], labels=[1000, 500, 200, 100, 50, 20, 10])
    return figure


def main():
    given = options()
    if given.table:
        table(given)
    if given.picture:
        draw(given, path=given.picture)
    if not (given.table or given.picture):
        run(given)


if __name__ == "__main__":
    main()
