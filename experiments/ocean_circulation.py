"""The circulation of a run of the global ocean against observations, in numbers: the mean of its last year, and how it got there.

    fathom run experiments/ocean-3deg.toml --for 100y --out runs/century
    python experiments/ocean_circulation.py runs/century

Prints the tables of docs/ocean-climate.md.
"""

import json
import sys
from pathlib import Path

import numpy as np

import fathom as fm

observed = {"drake_passage": "136.7 ± 6.9, 173.3 ± 10.7", "indonesian_throughflow": "8 to 20", "florida_strait": "31.6 ± 3.1", "bering_strait": "0.8 to 1", "denmark_strait": "", "iceland_scotland": "", "fram_strait": "-2",
            "africa_antarctica": "", "australia_antarctica": "", "mozambique_channel": "-17", "gibraltar": "0"}  # fmt: skip


def overturning(data, basin, latitude):
    """Strongest below 400 m near a latitude [Sv]."""
    psi = data.meridional_overturning.sel(basin=basin).sel(latitude=latitude, method="nearest") / 1e6
    return float(psi.sel(depth_interface=slice(400, None)).max())


def main(folder):
    folder = Path(folder)
    summary = json.loads((folder / "summary.json").read_text()) if (folder / "summary.json").exists() else {}
    data = fm.open(folder / "circulation.zarr")
    years = np.array([t.year for t in data.time.values]) if data.time.dtype == object else data.time.dt.year.values
    last = data.isel(time=years == years[-1]).mean("time")
    print(f"{data.sizes['time']} means, the last of year {years[-1] - years[0] + 1}; {summary.get('simulated_years_per_day', 0):.0f} years/day\n")
    print("| quantity | run | observed |\n|---|---|---|")
    for name, value in zip(last.section.values, last.section_transport.values / 1e6):
        print(f"| {str(name).replace('_', ' ')} | {value:.1f} Sv | {observed[str(name)]} |")
    print(f"| Atlantic overturning, 26.5° N | {overturning(last, 'atlantic', 26.5):.1f} Sv | 17.4 ± 4.9 |")
    heat = last.northward_heat_transport / 1e15
    for basin, latitude, seen in (("atlantic", 26.5, "1.2 to 1.3"), ("global", 20.0, "1.5 to 2"), ("global", -30.0, "-0.5 to -1")):
        print(f"| heat northward, {basin}, {latitude:g}° | {float(heat.sel(basin=basin).sel(latitude=latitude, method='nearest')):.2f} PW | {seen} |")
    print("\n| year | Drake [Sv] | Indonesian throughflow [Sv] | overturning 26.5° N [Sv] | heat 26.5° N [PW] |\n|---|---|---|---|---|")
    for year in sorted({years[0], *years[4::5], years[-1]}):
        one = data.isel(time=years == year).mean("time")
        section = one.section_transport / 1e6
        print(f"| {year - years[0] + 1} | {float(section.sel(section='drake_passage')):.0f} | {float(section.sel(section='indonesian_throughflow')):.1f} | {overturning(one, 'atlantic', 26.5):.1f} | "
              f"{float((one.northward_heat_transport / 1e15).sel(basin='atlantic').sel(latitude=26.5, method='nearest')):.2f} |")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
