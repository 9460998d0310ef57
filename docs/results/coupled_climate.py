"""The climate of a coupled run: its budgets, and a table of the mean of each year.

    fathom run experiments/coupled-t31-3deg.toml --out runs/coupled-t31
    python docs/results/coupled_climate.py runs/coupled-t31

Prints the table of docs/results/coupled.md of what the run has so far: the flux at the top of the
air, the drift of the sea surface and its distance from the climatology, ice by season, overturning,
Drake Passage and the heat that the Atlantic carries, and the residuals of the budgets.
"""

import json
import sys
from pathlib import Path

import numpy as np

import fathom as fm
from against_climatology import weighted
from fathom.data import surface
from ocean_circulation import heat, overturning, transport, years_of


def flux_at_top(folder):
    """Year -> net flux at the top of the air [W m-2], of months that are there."""
    data = fm.open(folder / "atmosphere" / "monthly.nc")
    weight = np.cos(np.deg2rad(data.latitude))
    net = (data.toa_net_shortwave - data.outgoing_longwave).weighted(weight)
    mean = net.mean(("latitude", "longitude")).values
    return _by_year(years_of(data), mean)


def sea_surface(folder):
    """Year -> (mean temperature [degC], r.m.s. distance from the climatology [K])."""
    data = fm.open(folder / "ocean" / "surface.zarr")
    months = np.array([_month(t) for t in data.time.values])
    area = np.asarray(data.areacello) if "areacello" in data else None
    found = []
    for n, month in enumerate(months):
        model = np.asarray(data.tos[n], float)
        wet = np.isfinite(model)
        latitude, longitude = np.asarray(data.latitude, float), np.asarray(data.longitude, float)
        there = surface.on_points(
            latitude[wet], longitude[wet], "sea_surface_temperature", month=int(month) - 1
        )["sea_surface_temperature"]
        weight = (np.cos(np.deg2rad(latitude)) if area is None else area)[wet]
        error = model[wet] - there
        found.append(
            (
                np.average(model[wet], weights=weight),
                np.sqrt(np.average(error**2, weights=weight)),
            )
        )
    years = years_of(data)
    means, squares = np.array(found).T
    distance = {y: np.sqrt(v) for y, v in _by_year(years, squares**2).items()}
    return _by_year(years, means), distance


def ice(folder):
    """Month by month: extent by hemisphere [10^6 km2], (year, month) -> (north, south)."""
    data = fm.open(folder / "ocean" / "ice.zarr")
    area = weighted(data) if "areacello" not in data else np.asarray(data.areacello)
    found = {}
    for n, t in enumerate(data.time.values):
        cover = np.asarray(data.siconc[n] if "siconc" in data else data.sea_ice_area[n], float)
        covered = np.where(cover >= 0.15, area, 0.0)
        north = np.asarray(data.latitude) > 0
        found[int(str(t)[:4]), _month(t)] = (
            np.nansum(covered[north]) / 1e12,
            np.nansum(covered[~north]) / 1e12,
        )
    return found


def _month(time):
    return int(time.month) if hasattr(time, "month") else int(str(time)[5:7])


def _by_year(years, values):
    return {int(y): float(np.mean(values[years == y])) for y in np.unique(years)}


def budgets(folder):
    """The largest residual of each quantity, as a share of the sum of absolute terms."""
    latest = sorted(folder.glob("restart-*/budget.json"))
    if not latest:
        return
    closed = json.loads(latest[-1].read_text())["closed"]
    earth = 4 * np.pi * 6.371e6**2
    print(f"{len(closed)} budgets, of {closed[0]['seconds'] / 86400:g} days")
    for quantity in ("heat", "water", "salt"):
        share = max(abs(one[quantity]["share"]) for one in closed)
        print(f"  {quantity}: residual at most {share:.1e} of the sum of absolute terms")
    for name in closed[0]["heat"]["lines"]:
        mean = np.mean([one["heat"]["lines"][name] / one["seconds"] for one in closed]) / earth
        print(f"  {name}: {mean:+.3f} W m-2")


def main():
    folder = Path(sys.argv[1])
    budgets(folder)
    top = flux_at_top(folder)
    warm, distance = sea_surface(folder)
    extent = ice(folder)
    print("year  top [W m-2]  SST [degC]  rms [K]   ice N Mar Sep   ice S Mar Sep [10^6 km2]")
    for year in warm:
        seasons = [extent.get((year, m), (np.nan, np.nan)) for m in (3, 9)]
        print(
            f"{year}  {top.get(year, np.nan):+10.2f}  {warm[year]:10.2f}  {distance[year]:7.2f}"
            f"   {seasons[0][0]:5.1f} {seasons[1][0]:5.1f}     {seasons[0][1]:5.1f}"
            f" {seasons[1][1]:5.1f}"
        )
    path = folder / "ocean" / "circulation.zarr"
    if not path.exists():
        return
    data = fm.open(path)
    for n, year in enumerate(years_of(data)):
        one = data.isel(time=n)
        print(
            f"{year}: overturning at 26.5 N {overturning(one, 'atlantic', 26.5):.1f} Sv, Drake"
            f" Passage {transport(one, 'drake_passage'):.0f} Sv, heat at 26.5 N"
            f" {heat(one, 'atlantic', 26.5):.2f} PW"
        )


if __name__ == "__main__":
    main()
