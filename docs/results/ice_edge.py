"""The edge of the sea ice of a run compared with the observed one, by month.

    fathom run experiments/ocean-ice-3deg.toml --out runs/year
    python docs/results/ice_edge.py runs/year/ice.zarr [FOLDER]

Extent counts the sea of which ice covers 15 % or more. Observed is the coldest sea of the month (OI
SST, 1991 to 2020, in the embedded climatology), as much of it as the extent that satellites saw in
the same years: its warmest isotherm is the edge. `off`: the area that only one of both covers, over
the length of the observed edge; `mean`: the same with its sign, positive where the run has more.
FOLDER: for maps of March and September.
"""

import sys
from pathlib import Path

import numpy as np

import fathom as fm
from fathom import plots
from fathom.data import embedded, surface, topography

months = "January February March April May June July August September October November December"
least = 0.15  # of the sea
# extent [1e6 km2], means of the days of 1991 to 2020: Sea Ice Index 3, NSIDC (Fetterer et al. 2017)
satellites = (
    (13.98, 14.87, 15.03, 14.32, 12.93, 11.30, 8.75, 6.43, 5.58, 7.49, 10.14, 12.41),
    (5.04, 3.09, 4.08, 6.95, 10.29, 13.46, 16.06, 17.84, 18.61, 18.22, 15.86, 10.40),
)


def edge_temperatures():
    """Of the sea at the edge of the ice [degC], (north or south, month)."""
    names = "sea_surface_temperature", "sea_latitude"
    warmth, latitude = embedded.read(surface.FILE, *names).values()
    fraction = topography.open().ocean_fraction.values.reshape(180, 6, 360, 6).mean((1, 3))
    side = np.deg2rad(1.0) * fm.base.earth.RADIUS / 1e6  # 1e3 km
    area = side**2 * np.cos(np.deg2rad(latitude))[:, None] * fraction
    found = np.empty((2, 12))
    for half, there in enumerate((latitude > 0, latitude < 0)):
        for month in range(12):
            sea = warmth[month, there].ravel()
            order = np.argsort(sea)
            colder = np.cumsum(area[there].ravel()[order])
            found[half, month] = np.interp(satellites[half][month], colder, sea[order])
    return found


def edge_length(ice, sea, area):
    """Of the cells with ice next to sea without it [m]."""
    at_edge = np.zeros_like(ice)
    for shift, axis in ((1, 0), (-1, 0), (1, 1), (-1, 1)):
        at_edge |= ice & np.roll(sea & ~ice, shift, axis)
    return np.sqrt(area[at_edge]).sum()


def row(share, seen, volume, sea, area):
    """Extent of the run and observed [1e6 km2], distances [km], volume [1e3 km3]; seen: where ice
    was observed.
    """
    ice, observed = (share >= least) & sea, seen & sea
    more, less = area[ice & ~observed].sum(), area[observed & ~ice].sum()
    length = edge_length(observed, sea, area)
    extent = (area[ice].sum() / 1e12, area[observed].sum() / 1e12)
    held = np.nansum(np.where(sea, volume * area, 0)) / 1e12
    return *extent, (more + less) / length / 1e3, (more - less) / length / 1e3, held


def main(store, folder=None):
    year = fm.open(store).isel(time=slice(-12, None))
    lat, lon, area = year.latitude.values, year.longitude.values, year.areacello.values
    name = "sea_surface_temperature"
    edge = np.where(lat > 0, *edge_temperatures()[:, :, None, None])
    colder = edge - surface.on_points(lat, lon, name)[name]  # than the edge, (12, ny, nx) [K]
    wet = year.wet_levels.values > 0
    print(
        "| month | north: extent, observed [10⁶ km²] | off, mean [km] | volume [10³ km³] |"
        " south: extent, observed | off, mean | volume |\n|---|---|---|---|---|---|---|"
    )
    when = {int(month) - 1: n for n, month in enumerate(year.time.dt.month.values)}
    for n, name in enumerate(months.split()):
        if n not in when:
            continue
        share, volume = (year[v].isel(time=when[n]).values for v in ("siconc", "sivol"))
        sides = (
            row(share, colder[n] >= 0, volume, wet & half, area) for half in (lat > 0, lat < 0)
        )
        cells = [
            f"{a:.1f}, {b:.1f} | {off:.0f}, {mean:+.0f} | {held:.1f}"
            for a, b, off, mean, held in sides
        ]
        print(f"| {name} | {' | '.join(cells)} |")
        if folder and name in ("March", "September"):
            plots.map(
                np.where(share > 0.01, share, np.where(wet, 0.0, np.nan)),
                year,
                name="sea_ice_area",
                title=f"Sea ice in {name}; the line: observed edge",
                limits=(0, 1),
                over=lambda axes, raster, edge=colder[n]: plots.contours(
                    axes, raster, np.where(wet, edge, -1.0), [0.0]
                ),
                path=Path(folder) / f"sea-ice-{name.lower()}.png",
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
