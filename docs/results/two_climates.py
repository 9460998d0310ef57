"""Two runs of the same ocean with one difference, as precision: is the difference larger than that
from year to year?

    fathom run experiments/ocean-1deg.toml --for 3y --out runs/years
    fathom run experiments/ocean-1deg.toml --for 3y --out runs/years-fp32 --set model.precision=fp32
    python docs/results/two_climates.py runs/years runs/years-fp32 [PICTURES]

Prints the table of docs/results/ocean-climate.md: the last year of each, the second less the first,
and the last year of the first less the year before. PICTURES: folder for a map of the difference at
the surface, as PNG.
"""

import sys
from pathlib import Path

import numpy as np

from against_climatology import rms, weighted
from fathom import plots
from ocean_circulation import Climate, heat, overturning, transport


def numbers(run, year):
    """{name: (value, digits, units)} of the mean of a year."""
    flow, top, sea = (
        run.mean(run.circulation, year),
        run.mean(run.top[["tos", "sos"]], year),
        run.mean(run.ocean[["thetao", "so"]], year),
    )
    volume = run.water()[2]
    found = {
        str(name).replace("_", " "): (transport(flow, name), 2, "Sv")
        for name in flow.section.values
        if abs(transport(flow, name)) > 0.5
    }
    found["Atlantic overturning, 26.5° N"] = overturning(flow, "atlantic", 26.5), 2, "Sv"
    found["heat northward, Atlantic, 26.5° N"] = heat(flow, "atlantic", 26.5), 3, "PW"
    found["surface temperature, mean"] = weighted(top.tos.values, run.area), 4, "°C"
    found["surface salinity, mean"] = weighted(top.sos.values, run.area), 5, ""
    found["temperature, mean of the volume"] = weighted(sea.thetao.values, volume), 5, "°C"
    found["salinity, mean of the volume"] = weighted(sea.so.values, volume), 6, ""
    return found


def apart(run, year, other, then):
    """Root mean square differences of the means of two years."""
    away = {}
    for store, aliases, weights in (
        ("top", ["tos", "sos", "zos"], run.area),
        ("ocean", ["thetao", "so"], run.water()[2]),
    ):
        one, two = (
            run.mean(getattr(run, store)[aliases], year),
            other.mean(getattr(other, store)[aliases], then),
        )
        away |= {alias: rms(one[alias].values - two[alias].values, weights) for alias in aliases}
    return away


def main(first, second, where=None):
    a, b = Climate(first), Climate(second)
    if len(a.years) < 2 or a.years != b.years:
        sys.exit(
            f"two climates: the years of {first} and {second} must be the same, two at least; they"
            f" have {len(a.years)} and {len(b.years)}"
        )
    last, before = a.years[-1], a.years[-2]
    print(
        f"| mean of year {last - a.first + 1} | {first} | {second} | difference | from the year"
        " before |\n|---|---|---|---|---|"
    )
    ours, theirs, earlier = numbers(a, last), numbers(b, last), numbers(a, before)
    for name, (value, digits, units) in ours.items():
        print(
            f"| {name} | {value:.{digits}f} {units} | {theirs[name][0]:.{digits}f} {units} |"
            f" {theirs[name][0] - value:+.{digits}f} | {value - earlier[name][0]:+.{digits}f} |"
        )
    differ, year = apart(a, last, b, last), apart(a, last, a, before)
    for alias, words in {
        "tos": "surface temperature [K]",
        "sos": "surface salinity",
        "zos": "sea surface height [m]",
        "thetao": "temperature of the volume [K]",
        "so": "salinity of the volume",
    }.items():
        print(f"| {words}, rms | | | {differ[alias]:.4f} | {year[alias]:.4f} |")
    if where:
        folder = Path(where)
        folder.mkdir(parents=True, exist_ok=True)
        away = b.mean(b.top[["tos"]], last).tos.values - a.mean(a.top[["tos"]], last).tos.values
        size = np.nanmax(np.abs(away))
        plots.map(
            away,
            a.top,
            name="sea_surface_temperature",
            colours="balance",
            limits=(-size, size),
            title=(
                f"Surface temperature of {Path(second).name} less {Path(first).name}, year"
                f" {last - a.first + 1}"
            ),
            note=f"rms {rms(away, a.area):.3f}, at most {size:.2f}",
            path=folder / "difference.png",
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
