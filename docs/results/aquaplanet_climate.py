"""The climate of an aquaplanet: its numbers, and a picture of winds, temperature and rain.

    fathom run experiments/aquaplanet-t42.toml --out runs/aquaplanet
    python docs/results/aquaplanet_climate.py runs/aquaplanet [picture.png]

Means over all days after the first month and over both hemispheres.
docs/results/aquaplanet.md
"""

import sys
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.plots.style import new_panels, styled

latent_heat = 2.5008e6  # of evaporation [J kg-1]


def main(folder, picture=None):
    data = fm.open(Path(folder) / "daily.nc")
    zonal = data.isel(time=slice(30, None)).mean(("time", "longitude"))
    numbers = table(data, zonal)
    for name, value in numbers.items():
        print(f"| {name} | {value} |")
    if picture:
        draw(data, zonal, path=picture)
    return numbers


def rates(zonal):
    """Precipitation, the convective part of it, evaporation [mm day-1]."""
    convective = zonal.prc.values * 86400
    rain = (zonal.prc + zonal.prl).values * 86400
    return rain, convective, zonal.evaporation_flux.values * 86400


def air(data, zonal):
    """Temperature [K] and the pressure of each layer [Pa]."""
    warmth = zonal.tv.values / (1 + 0.6078 * zonal.hus.values)
    return warmth, data.ap.values + data.b.values * 1e5


# long: a table
def table(data, zonal):
    latitude = data.latitude.values
    weight = np.gradient(np.sin(np.deg2rad(latitude)))
    weight /= weight.sum()
    globe = lambda values: float((values * weight).sum())
    rain, convective, evaporation = rates(zonal)
    warmth, pressure = air(data, zonal)
    u, v = zonal.ua.values, zonal.va.values
    thickness = np.diff(np.append((data.ap_bounds.values + data.b_bounds.values * 1e5)[:, 0], 1e5))
    flow = (
        -2
        * np.pi
        * 6371220
        * np.cos(np.deg2rad(latitude))
        / 9.80616
        * np.cumsum(v * thickness[:, None], axis=0)
    )  # above the lower interface [kg s-1]
    layer, row = np.unravel_index(u.argmax(), u.shape)
    numbers = [
        (
            "precipitation",
            (
                f"{globe(rain):.2f} mm/day, {100 * globe(convective) / globe(rain):.0f} % of it"
                " convective"
            ),
        ),
        ("evaporation", f"{globe(evaporation):.2f} mm/day"),
        ("rain belt", f"{rain.max():.1f} mm/day at {abs(latitude[rain.argmax()]):.0f}°"),
        (
            "driest subtropics",
            f"{rain[(abs(latitude) > 10) & (abs(latitude) < 35)].min():.1f} mm/day",
        ),
        (
            "jet",
            (
                f"{u[layer, row]:.0f} m/s at {abs(latitude[row]):.0f}°,"
                f" {pressure[layer] / 100:.0f} hPa"
            ),
        ),
        (
            "westerlies, lowest layer",
            f"{u[-1].max():.1f} m/s at {abs(latitude[u[-1].argmax()]):.0f}°",
        ),
        ("trades, lowest layer", f"{u[-1][abs(latitude) < 30].min():.1f} m/s"),
        ("Hadley cell", f"{abs(flow[:, abs(latitude) < 30]).max() / 1e9:.0f} × 10⁹ kg/s"),
        (
            "air, mean of the mass",
            f"{globe((warmth * thickness[:, None]).sum(0) / thickness.sum()):.1f} K",
        ),
        (
            "short wave absorbed, long wave emitted",
            (
                f"{globe(zonal.toa_net_shortwave.values):.0f},"
                f" {globe(zonal.outgoing_longwave.values):.0f} W/m²"
            ),
        ),
        (
            "sensible, latent heat of the sea",
            f"{globe(zonal.hfss.values):.0f}, {globe(evaporation) / 86400 * latent_heat:.0f} W/m²",
        ),
        ("water from nowhere", f"{globe(rain) - globe(evaporation):+.2f} mm/day"),
    ]
    return dict(numbers)


@styled
def draw(data, zonal):
    """Zonal means, and the weather of the last day."""
    latitude, u = data.latitude.values, zonal.ua.values
    rain, convective, evaporation = rates(zonal)
    warmth, pressure = air(data, zonal)
    pressure = pressure / 100  # [hPa]

    figure, ((winds, rains), (weather, flow)) = new_panels(2, 2, 9.2, 5.6)
    shades = winds.contourf(
        latitude, pressure, u, np.arange(-60, 61, 5), cmap="RdBu_r", extend="both"
    )
    lines = winds.contour(
        latitude, pressure, warmth, np.arange(190, 310, 10), colors="black", linewidths=0.6
    )
    winds.clabel(lines, fontsize=7)
    winds.set(
        title="Zonal wind [m s⁻¹], temperature [K]",
        xlabel="latitude",
        ylabel="hPa",
        ylim=(1000, 10),
    )
    figure.colorbar(shades, ax=winds)
    rains.plot(latitude, rain, label="precipitation", color="navy")
    rains.plot(latitude, convective, label="convective", color="navy", linestyle=":")
    rains.plot(latitude, evaporation, label="evaporation", color="darkorange")
    rains.set(title="Water [mm/day]", xlabel="latitude", xlim=(-90, 90), ylim=(0, None))
    rains.legend()
    day = data.isel(time=-1)
    shades = weather.pcolormesh(
        data.longitude, latitude, (day.prc + day.prl) * 86400, cmap="YlGnBu", vmin=0, vmax=30
    )
    weather.set(title="Precipitation, last day [mm/day]", xlabel="longitude", ylabel="latitude")
    figure.colorbar(shades, ax=weather, extend="max")
    level = int(np.argmin(abs(pressure - 250)))
    shades = flow.pcolormesh(
        data.longitude, latitude, np.hypot(day.ua, day.va)[level], cmap="magma_r", vmin=0, vmax=80
    )
    flow.set(title=f"Wind at {pressure[level]:.0f} hPa, last day [m s⁻¹]", xlabel="longitude")
    figure.colorbar(shades, ax=flow, extend="max")
    return figure


if __name__ == "__main__":
    main(*sys.argv[1:3])
