"""Radiative-convective equilibrium: its budget, and a picture of temperature, humidity and cloud.

    fathom run experiments/radiative-convective.toml --out runs/rce
    python docs/results/radiative_convective.py runs/rce [picture.png] [--days 50]

Means over the last days and over the sphere. docs/results/aquaplanet.md
"""

import argparse
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.base.earth import STANDARD_GRAVITY
from fathom.plots.style import new_panels, styled

latent_heat = 2.5008e6  # of evaporation [J kg-1]


def mean_of(folder, days):
    """Over the last days and the sphere."""
    data = fm.open(folder / "daily.nc")
    late = data.isel(time=slice(-days, None)).mean(("time", "longitude"))
    weight = np.cos(np.deg2rad(data.latitude))
    return late.map(lambda x: x.weighted(weight).mean("latitude") if "latitude" in x.dims else x)


def profile(mean):
    """Pressure [hPa], temperature [K], relative humidity and cloud [1] of the layers."""
    pressure = mean.ap.values + 1e5 * mean.b.values
    humidity = mean.hus.values
    temperature = mean.tv.values / (1 + 0.6078 * humidity)
    vapour = 610.78 * np.exp(17.2693882 * (temperature - 273.16) / (temperature - 35.86))
    return (
        pressure / 100,
        temperature,
        humidity * pressure / 0.622 / vapour,
        mean.cloud_fraction.values,
    )


def table(mean):
    """Of the globe [W m-2], [mm/day], [kg m-2]."""
    absorbed, emitted = float(mean.toa_net_shortwave), float(mean.outgoing_longwave)
    ground = float(
        mean.surface_net_shortwave - mean.surface_emission + mean.surface_downward_longwave
    )
    rain = 86400 * float(mean.prc + mean.prl)
    bounds = (mean.ap_bounds + 1e5 * mean.b_bounds).values
    yield "short wave absorbed, long wave emitted", f"{absorbed:.1f}, {emitted:.1f} W/m²"
    yield "radiation cools the air by", f"{emitted - absorbed + ground:.1f} W/m²"
    yield (
        "sensible heat; latent heat of the sea",
        (f"{float(mean.hfss):.1f}; {latent_heat * float(mean.evaporation_flux):.1f} W/m²"),
    )
    yield "rain; of it convective", f"{rain:.2f}; {86400 * float(mean.prc):.2f} mm/day"
    water = float((mean.hus.values * np.abs(bounds[:, 1] - bounds[:, 0])).sum()) / STANDARD_GRAVITY
    yield "vapour", f"{water:.1f} kg/m²"


@styled
def draw(mean):
    pressure, *curves = profile(mean)
    figure, axes = new_panels(1, 3, 8.4, 3.4, sharey=True)
    titles = "Temperature [K]", "Relative humidity", "Cloud fraction"
    for axis, values, title in zip(axes, curves, titles, strict=True):
        axis.plot(values, pressure, marker=".")
        axis.set(title=title)
        axis.grid(alpha=0.3)
    axes[0].set(ylabel="hPa", ylim=(1000, 0))
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("picture", type=Path, nargs="?")
    parser.add_argument("--days", type=int, default=50)
    given = parser.parse_args()
    mean = mean_of(given.folder, given.days)
    for name, value in table(mean):
        print(f"| {name} | {value} |")
    for p, T, humidity, cloud in zip(*profile(mean), strict=True):
        print(f"{p:7.1f} hPa {T:7.1f} K {humidity:6.2f} {cloud:6.3f}")
    if given.picture:
        draw(mean, path=given.picture)


if __name__ == "__main__":
    main()
