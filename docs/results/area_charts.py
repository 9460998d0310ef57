"""Weather charts of a run of an area.

    fathom run experiments/arome-europe.toml --out runs/arome --set model.orography=etopo5.nc
    python docs/results/area_charts.py runs/arome --picture arome-charts.png

At a time (--hours, by default the last that all stores have): pressure at sea level, smoothed over
some 20 km, and rain of the hour; height and temperature of 500 hPa; temperature and wind of 850
hPa; wind of 925 hPa over the ground. Prints their main numbers, and of each hour
of the run the lowest and highest pressure at sea level, the mean and the strongest rain.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter

import fathom as fm
from fathom.plots.style import new_panels, styled


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--hours", type=float, help="since midnight before; by default the last")
    parser.add_argument("--picture", type=Path, default=Path("charts.png"))
    return parser.parse_args()


def hours_of(data):
    """Since the midnight before its first time."""
    day = data.time.values[0].astype("datetime64[D]")
    return np.round((data.time.values - day) / np.timedelta64(1, "m")) / 60


def at(data, name, hours, **chosen):
    return np.asarray(data[name].isel(time=int(np.argmin(abs(hours_of(data) - hours)))).sel(chosen))


def barbs(ax, x, y, u, v, every):
    cut = np.s_[every // 2 :: every, every // 2 :: every]
    knots = 1.9438
    ax.barbs(x[cut], y[cut], knots * u[cut], knots * v[cut], length=4.5, linewidth=0.5)


def lines(ax, x, y, field, spacing, colour, form="%d", **more):
    """At multiples of the spacing, of four times it where that would be more than twenty."""
    if np.nanmax(field) - np.nanmin(field) > 20 * spacing:
        spacing *= 4
    low, high = np.floor(np.nanmin(field) / spacing), np.ceil(np.nanmax(field) / spacing)
    levels = spacing * np.arange(low, high + 1)
    drawn = ax.contour(x, y, field, levels, colors=colour, linewidths=0.9, **more)
    ax.clabel(drawn, fontsize=6, fmt=form)


@styled
def charts(stores, hours):
    from matplotlib.colors import BoundaryNorm

    low, air, rain = stores
    x, y = low.longitude.values, low.latitude.values
    ground = at(low, "orog", hours) if "orog" in low else at(low, "phis", hours) / 9.80616
    coast = low.sftlf.values if "sftlf" in low else (ground > 5).astype(float)
    level = lambda name, p: at(air, name, hours, pressure=p)
    figure, axes = new_panels(2, 2, 9.2, 7.6, sharex=True, sharey=True)
    for ax in axes.flat:
        ax.contour(x, y, coast, [0.5 * np.nanmax(coast)], colors="0.35", linewidths=0.7)
        ax.set_aspect(1 / np.cos(np.deg2rad(y.mean())))

    def shaded(ax, field, title, unit, **how):
        image = ax.pcolormesh(x, y, field, shading="nearest", **how)
        figure.colorbar(image, ax=ax, shrink=0.7, label=unit)
        ax.set_title(title, fontsize=9)

    mm = 3600 * at(rain, "pr", hours)
    shown = BoundaryNorm([0.1, 0.2, 0.5, 1, 2, 3, 5, 8, 12], 256)
    shaded(
        axes[0, 0],
        np.where(mm >= 0.1, mm, np.nan),
        "pressure at sea level [hPa], rain of the hour",
        "mm",
        cmap="YlGnBu",
        norm=shown,
    )
    lines(axes[0, 0], x, y, gaussian_filter(at(low, "psl", hours) / 100, 3), 1, "k")
    shaded(
        axes[0, 1],
        level("ta", 500) - 273.15,
        "500 hPa: height [dam], temperature",
        "°C",
        cmap="RdYlBu_r",
    )
    lines(axes[0, 1], x, y, level("zg", 500) / 10, 2, "k")
    shaded(
        axes[1, 0], level("ta", 850) - 273.15, "850 hPa: temperature, wind", "°C", cmap="RdYlBu_r"
    )
    barbs(axes[1, 0], x, y, level("ua", 850), level("va", 850), x.shape[0] // 11)
    wind = level("ua", 925), level("va", 925)
    shaded(axes[1, 1], np.hypot(*wind), "925 hPa: wind; ground [m]", "m/s", cmap="viridis")
    barbs(axes[1, 1], x, y, *wind, x.shape[0] // 11)
    lines(axes[1, 1], x, y, ground, 400, "w", alpha=0.6)
    date = low.time.values[0].astype("datetime64[D]") + np.timedelta64(int(60 * hours), "m")
    for ax in axes[1]:
        ax.set_xlabel("longitude [degrees]")
    for ax in axes[:, 0]:
        ax.set_ylabel("latitude [degrees]")
    figure.suptitle(
        f"{str(date).replace('T', ' ')} UTC, {hours - hours_of(low)[0]:g} h of forecast"
    )
    return figure


def main():
    given = arguments()
    stores = [fm.open(given.run / f"{name}.zarr") for name in ("surface", "pressure", "rain")]
    low, air, rain = stores
    last = min(hours_of(data)[-1] for data in (low, air))
    wanted = last if given.hours is None else given.hours
    among = hours_of(air)
    hours = among[among <= wanted + 1e-6][-1]
    charts(stores, hours, path=given.picture)
    print(f"{given.picture}: {hours:g} h; the stores go to {last:g} h")
    for h in hours_of(rain):
        psl, mm = at(low, "psl", h) / 100, 3600 * at(rain, "pr", h)
        print(
            f"{h:5.1f} h  sea level {psl.min():.1f} to {psl.max():.1f} hPa, rain {mm.mean():.2f} mm"
            f" in the mean, {mm.max():.1f} at most"
        )
    for p, name, scale, unit in (
        (500, "zg", 1.0, "m"),
        (850, "ta", 1.0, "K"),
        (925, "ua", 1.0, "m/s"),
    ):
        values = scale * at(air, name, hours, pressure=p)
        print(f"{name} {p} hPa {np.nanmin(values):.1f} to {np.nanmax(values):.1f} {unit}")


if __name__ == "__main__":
    main()
