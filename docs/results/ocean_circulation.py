"""The circulation and the drift of a run of the global ocean over years, against observations:
tables, and maps.

    fathom run experiments/ocean-3deg.toml --for 100y --out runs/century
    python docs/results/ocean_circulation.py runs/century [PICTURES]

Prints the tables of docs/results/ocean-climate.md: the mean of the last year, and the change
before. PICTURES: folder for overturning, stream function, surface difference, deepest mixed layer
and series in time, as PNG.
"""

import sys
from pathlib import Path

import numpy as np

import fathom as fm
from against_climatology import rms, weighted
from fathom import plots
from fathom.data import levitus, surface

observed = {
    "drake_passage": "136.7 ± 6.9, 173.3 ± 10.7",
    "indonesian_throughflow": "8 to 20",
    "florida_strait": "31.6 ± 3.1",
    "bering_strait": "0.8 to 1",
    "fram_strait": "-2",
    "mozambique_channel": "-17",
    "gibraltar": "0",
}
# Means of 1980-2009 of eleven models under one forcing (OMIP-1, Tsujino et al. 2020), in brackets
# that of CESM-POP at 1 degree.
compared = {
    "drake_passage": "153 ± 23",
    "indonesian_throughflow": "12.8 ± 2.4",
    "overturning": "15.1 ± 3.3 (19.7)",
}
heat_observed = {
    ("atlantic", 26.5): "1.2 to 1.3",
    ("global", 20.0): "1.5 to 2",
    ("global", -30.0): "-0.5 to -1",
}


def years_of(data):
    return (
        np.array([t.year for t in data.time.values])
        if data.time.dtype == object
        else data.time.dt.year.values
    )


def seconds_of(data):
    """Middle of each mean, since the start of the run."""
    return (data.time.values - data.time_bounds.values[0, 0]).astype("timedelta64[s]").astype(float)


def overturning(data, basin, latitude):
    """Strongest below 400 m near a latitude [Sv], with the bolus velocity of eddies."""
    psi = (data.meridional_overturning + data.get("eddy_overturning", 0)).sel(basin=basin).sel(
        latitude=latitude, method="nearest"
    ) / 1e6
    return float(psi.sel(depth_interface=slice(400, None)).max())


def heat(data, basin, latitude):
    return (
        float(
            data.northward_heat_transport.sel(basin=basin).sel(latitude=latitude, method="nearest")
        )
        / 1e15
    )


def transport(data, section):
    return float(data.section_transport.sel(section=section)) / 1e6


class Climate:
    """A finished run: its stores, and the climatology on its grid."""

    def __init__(self, folder):
        self.circulation, self.top, self.ocean, self.layer = (
            fm.open(Path(folder) / f"{name}.zarr")
            for name in ("circulation", "surface", "ocean", "mixed_layer")
        )
        self.area = self.top.areacello.values
        self.place = self.top.latitude.values, self.top.longitude.values
        self.climatology = surface.on_points(
            *self.place, "sea_surface_temperature", "sea_surface_salinity"
        )
        years, samples = np.unique(years_of(self.circulation), return_counts=True)
        self.first = int(years[0])
        self.years = list(years[samples >= 0.9 * samples.max()])  # complete years

    def mean(self, data, year):
        return data.isel(time=years_of(data) == year).mean("time")

    def difference(self, year, alias, name):
        """Of the mean of a year at the surface from the climatology, (ny, nx)."""
        return self.mean(self.top[[alias]], year)[alias].values - self.climatology[name].mean(0)

    def water(self):
        """Initial temperature and salinity where there is water, and the volume of cells [m3]."""
        bounds = self.ocean.depth_bounds.values
        volume = self.area * np.diff(bounds, axis=1)[:, 0, None, None]
        wet = np.isfinite(self.ocean.thetao.values[0])
        T, S = levitus.on_points(*self.place, self.ocean.depth.values)
        return np.where(wet, T, np.nan), np.where(wet, S, np.nan), np.where(wet, volume, 0)


def circulation_table(run):
    last = run.mean(run.circulation, run.years[-1])
    print(f"Year {run.years[-1] - run.first + 1}:\n")
    print("| quantity | run | OMIP-1 (CESM-POP) | observed |\n|---|---|---|---|")
    for name in last.section.values:
        print(
            f"| {str(name).replace('_', ' ')} | {transport(last, name):.1f} Sv |"
            f" {compared.get(str(name), '')} | {observed.get(str(name), '')} |"
        )
    print(
        f"| Atlantic overturning, 26.5° N | {overturning(last, 'atlantic', 26.5):.1f} Sv |"
        f" {compared['overturning']} | 17.4 ± 4.9 |"
    )
    for (basin, latitude), seen in heat_observed.items():
        print(
            f"| heat northward, {basin}, {latitude:g}° | {heat(last, basin, latitude):.2f} PW | |"
            f" {seen} |"
        )


def series_table(run):
    T0, S0, volume = run.water()
    print(
        "\n| year | Drake [Sv] | throughflow [Sv] | overturning 26.5° N [Sv] | heat 26.5° N [PW] |"
        " surface T, S, rms from the climatology | T, S less the start, mean of the volume |"
        " T less the start, 100 to 500 m |\n|---|---|---|---|---|---|---|---|"
    )
    thermocline = between(run, 100, 500)
    shown = [
        year
        for year in run.years
        if (n := year - run.first + 1) in (1, 2, 5) or n % 10 == 0 or year == run.years[-1]
    ]
    for year in shown:
        one, sea = run.mean(run.circulation, year), run.mean(run.ocean[["thetao", "so"]], year)
        away = [
            rms(run.difference(year, alias, name), run.area)
            for alias, name in (("tos", "sea_surface_temperature"), ("sos", "sea_surface_salinity"))
        ]
        drift = [
            weighted(sea[name].values - start, volume)
            for name, start in (("thetao", T0), ("so", S0))
        ]
        warming = weighted((sea.thetao.values - T0)[thermocline], volume[thermocline])
        print(
            f"| {year - run.first + 1} | {transport(one, 'drake_passage'):.0f} |"
            f" {transport(one, 'indonesian_throughflow'):.1f} |"
            f" {overturning(one, 'atlantic', 26.5):.1f} | {heat(one, 'atlantic', 26.5):.2f} |"
            f" {away[0]:.2f} K, {away[1]:.2f} | {drift[0]:+.3f} K, {drift[1]:+.5f} |"
            f" {warming:+.3f} K |"
        )


def between(run, upper, lower):
    """The layers whose middle is from one depth to another [m]."""
    depth = run.ocean.depth.values
    return (depth >= upper) & (depth < lower)


def layers_table(run):
    T0, S0, volume = run.water()
    last = run.mean(run.ocean[["thetao", "so"]], run.years[-1])
    print("\n| layer | T less the start | rms | S less the start | rms |\n|---|---|---|---|---|")
    for upper, lower in ((0, 100), (100, 500), (500, 1500), (1500, 6000)):
        k = between(run, upper, lower)
        T, S = last.thetao.values[k] - T0[k], last.so.values[k] - S0[k]
        print(
            f"| {upper}–{min(lower, 5500)} m | {weighted(T, volume[k]):+.3f} K |"
            f" {rms(T, volume[k]):.2f} K | {weighted(S, volume[k]):+.4f} |"
            f" {rms(S, volume[k]):.3f} |"
        )


def pictures(run, folder):
    folder.mkdir(parents=True, exist_ok=True)
    last, year = run.mean(run.circulation, run.years[-1]), run.years[-1] - run.first + 1
    grid = run.top
    total = last.meridional_overturning + last.get("eddy_overturning", 0)
    edges = total.latitude.values
    psi = total.sel(basin="atlantic").values
    within = (psi[1:, 1:] + psi[:-1, 1:] + psi[1:, :-1] + psi[:-1, :-1]) / 4
    plots.section(
        within,
        edges,
        total.depth_interface.values,
        name="meridional_overturning",
        limits=(-20, 20),
        title=f"Atlantic overturning, year {year}, clockwise positive",
        path=folder / "overturning.png",
    )
    for alias, name, limits in (
        ("tos", "sea_surface_temperature", (-4, 4)),
        ("sos", "sea_surface_salinity", (-1.5, 1.5)),
    ):
        away = run.difference(run.years[-1], alias, name)
        plots.map(
            away,
            grid,
            name=name,
            colours="balance",
            limits=limits,
            title=f"{name.replace('_', ' ').capitalize()} less the climatology, year {year}",
            note=f"rms {rms(away, run.area):.2f}",
            path=folder / f"{name}.png",
        )
    deepest = run.layer.mlotst.isel(time=years_of(run.layer) == run.years[-1]).max("time").values
    plots.map(
        deepest,
        grid,
        name="mixed_layer_depth",
        title=f"Deepest monthly mixed layer, year {year}",
        limits=(0, 1000),
        path=folder / "mixed_layer.png",
    )
    plots.picture(
        run.circulation, "barotropic_stream_function", path=folder / "stream_function.png"
    )
    series_picture(run, folder)


def series_picture(run, folder):
    samples = [run.circulation.isel(time=n) for n in range(run.circulation.sizes["time"])]
    time = seconds_of(run.circulation)
    plots.time_series(
        {
            "Drake Passage": (
                time,
                [1e6 * transport(m, "drake_passage") for m in samples],
                "m3 s-1",
            ),
            "Atlantic overturning, 26.5° N": (
                time,
                [1e6 * overturning(m, "atlantic", 26.5) for m in samples],
                "m3 s-1",
            ),
            "Indonesian throughflow": (
                time,
                [1e6 * transport(m, "indonesian_throughflow") for m in samples],
                "m3 s-1",
            ),
            "Atlantic heat, 26.5° N": (time, [heat(m, "atlantic", 26.5) for m in samples], "PW"),
        },
        path=folder / "series.png",
    )


def main(folder, where=None):
    run = Climate(folder)
    circulation_table(run), series_table(run), layers_table(run)
    if where:
        pictures(run, Path(where))


if __name__ == "__main__":
    main(*sys.argv[1:])
