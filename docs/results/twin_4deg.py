"""A twin of MITgcm's global ocean at 4 degrees compared with MITgcm's figures: overturning, the
current through Drake Passage, and the mean temperature and salinity of layers.

    python docs/results/twin_4deg.py --years 50 --json runs/twin.json --out runs/twin
    python docs/results/twin_4deg.py --years 100 --json runs/twin.json --out runs/twin --pictures
    DIR python docs/results/twin_4deg.py --years 10 --out runs/other --set
    model.eddies.diffusivity=800

A repeated call continues the run, from a restart every five years. Numbers are of snapshots at
the end of a year of 360 days, defined as MITgcm's were:

    overturning   the greatest, over depth, of the volume that flows northward across a latitude
                  above that depth, between 82 and 5 W, by the resolved flow [Sv]
    Drake         what flows eastward across 68 W [Sv]: in the rows south of 54 S, as MITgcm's
                  figure was taken, and in all of the passage, of which one row more is open

MITgcm's figures (docs/results/twin_4deg.csv, twin_4deg_profiles.csv) are those of its
verification/tutorial_global_oce_latlon, run for 100 years without changes.
docs/results/ocean-twin.md explains them.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from fathom import plots
from fathom.ocean.products import circulation
from fathom.run.experiment.experiment import Experiment

HERE = Path(__file__).parent
YEAR = 360 * 86400.0
EVERY = 5  # years, between restarts and the numbers of the table, which also has the last
ATLANTIC = -82, -5  # degrees east
FLOWS = {
    "overturning_28n": "overturning, 28° N",
    "overturning_48n": "overturning, 48° N",
    "drake_passage": "Drake Passage, south of 54° S",
    "drake_whole": "Drake Passage, whole",
}


def table(name):
    """Columns of one of MITgcm's tables by name."""
    lines = [x for x in (HERE / f"{name}.csv").read_text().splitlines() if not x.startswith("#")]
    columns = np.loadtxt(lines[1:], delimiter=",").T
    return dict(zip(lines[0].split(","), columns, strict=True))


def northward(grid, to_north, latitude):
    """The greatest volume above a depth that flows northward across a latitude of cell edges in the
    Atlantic [m3 s-1]; to_north: through northern faces, (levels, ny, nx).
    """
    h = grid.horizontal
    j = int(np.argmin(np.abs(np.asarray(h.corner_latitude)[1:, 0] - latitude)))
    longitude = (np.asarray(h.center_longitude)[0] + 180) % 360 - 180
    inside = (longitude >= ATLANTIC[0]) & (longitude < ATLANTIC[1])
    return np.cumsum(to_north[:, j, inside].sum(axis=1)).max()


def eastward(grid, to_east, longitude, south_of):
    """Volume that flows eastward across a meridian of cell edges [m3 s-1]."""
    h = grid.horizontal
    edges = (np.asarray(h.corner_longitude)[0, 1:] - longitude + 180) % 360 - 180
    south = np.asarray(h.center_latitude)[:, 0] < south_of
    return to_east[:, south, np.argmin(np.abs(edges))].sum()


def volumes(grid):
    """Of cells [m3], (levels, ny, nx); 0 in the ground."""
    area, levels = np.asarray(grid.horizontal.area_center), np.asarray(grid.wet_levels)
    layers = range(grid.shape[0])
    return np.stack([np.where(levels > k, grid.thickness(k) * area, 0) for k in layers])


def numbers(sim):
    """At present: name -> number, or list by layer; all ranks call it, rank 0 gets them."""
    u, v, T, S = (
        sim.gather(name) for name in ("velocity_x", "velocity_y", "temperature", "salinity")
    )
    if not sim.is_root:
        return None
    grid = sim.model.grid
    to_east, to_north = circulation.transports(sim.model, u, v)
    volume = volumes(grid)
    mean = lambda f: ((f * volume).sum(axis=(1, 2)) / volume.sum(axis=(1, 2))).tolist()
    return {
        "year": round(sim.seconds / YEAR),
        "overturning_28n": northward(grid, to_north, 28) / 1e6,
        "overturning_48n": northward(grid, to_north, 48) / 1e6,
        "drake_passage": eastward(grid, to_east, -68, -54) / 1e6,
        "drake_whole": eastward(grid, to_east, -68, -50) / 1e6,
        "temperature": mean(T),
        "salinity": mean(S),
    }


def run(options):
    """The numbers of each year, from the first call on."""
    twin = Experiment.read(HERE.parents[1] / "experiments" / "twin-4deg.toml", options.set)
    twin.tables.pop("output", None)
    sim = twin.simulation(directory=options.out)
    restart, kept = options.out / "twin.fathom", options.out / "years.json"
    years = []
    if restart.exists():
        sim.restore(restart)
        years = json.loads(kept.read_text())
    sim.prepare()
    years = years or [numbers(sim)]
    while sim.seconds < options.years * YEAR - 1:
        start = time.perf_counter()
        sim.advance(round(YEAR / sim.time_step))
        now = numbers(sim)
        years.append(now)
        last = now is not None and now["year"] == options.years
        if sim.is_root:
            flows = ", ".join(f"{label} {now[name]:.2f} Sv" for name, label in FLOWS.items())
            spent = time.perf_counter() - start
            print(f"year {now['year']}: {flows} ({spent:.0f} s)", flush=True)
        if round(sim.seconds / YEAR) % EVERY == 0 or last:
            sim.write_restart(restart.name)
            if sim.is_root:
                kept.write_text(json.dumps(years))
    return [one for one in years if one and one["year"] <= options.years]


def summary(years):
    """The contents of the --json file: lists over the years of the table, profiles of the start and
    the end."""
    first, last = years[0], years[-1]
    every = [one for one in years if one["year"] and (one["year"] % EVERY == 0 or one is last)]
    return {
        "year": [one["year"] for one in every],
        **{name: [round(one[name], 3) for one in every] for name in FLOWS},
        "profile_year": last["year"],
        **{
            f"{name}_{when}": [round(x, 4) for x in one[name]]
            for name in ("temperature", "salinity")
            for when, one in (("start", first), ("end", last))
        },
    }


def apart(mine, theirs):
    """Own minus reference, in per cent of the reference."""
    return 100 * (np.asarray(mine) / np.asarray(theirs) - 1)


def flow_rows(found, reference):
    """The table of flows, years that both have."""
    print("| year | " + " | ".join(f"{label} [Sv]" for label in FLOWS.values()) + " |")
    print("|---|" + "---|" * len(FLOWS))
    for n, year in enumerate(found["year"]):
        at = np.flatnonzero(reference["year"] == year)
        if at.size:
            cells = [
                f"{found[name][n]:.1f} of {reference[name][at[0]]:.1f}"
                f" ({apart(found[name][n], reference[name][at[0]]):+.0f} %)"
                for name in FLOWS
            ]
            print(f"| {year} | {' | '.join(cells)} |")


def profile_rows(found, reference):
    """The table of layers, where MITgcm has the year."""
    year = found["profile_year"]
    if f"temperature_year_{year}" not in reference:
        return
    print(
        f"\n| depth [m] | T, year {year} [°C] | MITgcm | less the start | MITgcm |"
        f" S, year {year} | MITgcm | less the start | MITgcm |\n" + "|---" * 9 + "|"
    )
    for k, depth in enumerate(reference["depth_m"]):
        cells = []
        for name, digits in (("temperature", 2), ("salinity", 3)):
            mine, begun = found[f"{name}_end"][k], found[f"{name}_start"][k]
            theirs = reference[f"{name}_year_{year}"][k]
            gone = theirs - reference[f"{name}_year_0"][k]
            cells += [f"{mine:.{digits}f}", f"{theirs:.{digits}f}"]
            cells += [f"{mine - begun:+.{digits}f}", f"{gone:+.{digits}f}"]
        print(f"| {depth:.0f} | {' | '.join(cells)} |")


def pictures(years, found, folder):
    """Flows in time, and changes of layers from the start, as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    flows = table("twin_4deg")
    shown = [one for one in years if 0 < one["year"] <= EVERY or one["year"] % EVERY == 0][1:]
    run = {name: [one[name] for one in shown] for name in ("year", *FLOWS)}
    panels = {
        label: plots.Panel(
            "year",
            "Sv",
            {"Fathom": (run["year"], run[name]), "MITgcm": (flows["year"], flows[name])},
        )
        for name, label in FLOWS.items()
        if name != "drake_whole"
    }
    drawn = plots.against(panels, title="Fathom and MITgcm on one grid of 4°", note="end of year")
    drawn.savefig(folder / "ocean-twin-flows.png", dpi=120)

    profiles, year = table("twin_4deg_profiles"), found["profile_year"]
    if f"temperature_year_{year}" not in profiles:
        return
    panels = {}
    for name, units in (("temperature", "K"), ("salinity", "1e-3")):
        mine = np.subtract(found[f"{name}_end"], found[f"{name}_start"])
        theirs = profiles[f"{name}_year_{year}"] - profiles[f"{name}_year_0"]
        depth = profiles["depth_m"]
        curves = {"Fathom": (depth, mine), "MITgcm": (depth, theirs)}
        room = dict.fromkeys((935.0, 3010.0), "")  # labels that would touch their neighbours
        panel = plots.Panel("depth [m]", "", curves, ticks=room, from_zero=False)
        panels[f"{name} [{units}]"] = panel
    title = f"Mean of layers, year {year} less the start"
    plots.against(panels, title=title).savefig(folder / "ocean-twin-profiles.png", dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--years", type=int, default=50)
    parser.add_argument("--json", type=Path, help="where the numbers go")
    parser.add_argument("--out", type=Path, default=Path("runs/twin-4deg"))
    parser.add_argument("--pictures", type=Path, help="folder of the picture")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    years = run(options)
    if not years:
        return
    found = summary(years)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    flow_rows(found, table("twin_4deg"))
    profile_rows(found, table("twin_4deg_profiles"))
    if options.pictures:
        pictures(years, found, options.pictures)


if __name__ == "__main__":
    main()
