"""The figures of the five studies that this machine can measure, each by a command of Fathom, and
with the numbers of the study where it gives them: part of `make figures`, or

    python docs/results/measured_figures.py [FOLDER] [NAME ...]

Measurements are kept in build/figures/*.json, and read from there again; `make clean` or
removing a file measures again.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

import few_points
import profile_figures
import scaling_studies
from fathom.plots.colours import faint, ink, phases
from fathom.plots.style import new_figure, styled
from stored_measurements import fathom, here, kept, measured

panel = scaling_studies.panel
both = ((0.07, 0.2, 0.4, 0.6), (0.57, 0.2, 0.4, 0.6))


def grouped(axes, table, names, unit="", digits=2):
    """Bars: {group: {series: value}}."""
    width = 0.8 / len(names)
    for n, name in enumerate(names):
        at = np.arange(len(table)) + width * (n - (len(names) - 1) / 2)
        values = [row.get(name, np.nan) for row in table.values()]
        axes.bar(at, values, width=0.92 * width, color=phases[n % len(phases)], label=name)
        for x, value in zip(at, values):
            if np.isfinite(value):
                text = f"{value:.{digits}f}{unit}"
                axes.text(x, value, text, ha="center", va="bottom", fontsize=6, color=ink)
    axes.set_xticks(range(len(table)), list(table), fontsize=7)
    axes.grid(False, axis="x")
    axes.margins(y=0.12)
    axes.legend(frameon=False, fontsize=7)


@styled
def readers_and_writers():
    """NSTRIN and NSTROUT."""
    found = measured("input", "bench", "input", "--ranks", "4", "--fields", "40")
    figure = new_figure(9.6, 3.6)
    names = ("local disk", f"shared, {found['case']['disk']:g} MB/s")
    for place, key, title in (
        (both[0], "seconds", "Readers (NSTRIN)"),
        (both[1], "written", "Writers (NSTROUT)"),
    ):
        held = found[key]
        table = {n: dict(zip(names, (held["local"][n], held["shared"][n]))) for n in held["local"]}
        note = f"s for {found['case']['fields']} fields of {found['grid']} on four ranks, measured"
        grouped(panel(figure, place, title, note, ylabel="s"), table, names)
    return figure


def _matrix(name, case, *words):
    found = measured(name, "bench", "matrix", here / case, *words)
    return {
        (r["ranks"], r["threads"], r["distribution"]): 1e3 * r["seconds"]
        for r in found["records"]
        if "seconds" in r
    }


@styled
def distributions():
    """Bands against squares; ranks against threads."""
    figure = new_figure(9.6, 3.6)
    ways = ("north-south", "square")
    small = ("--steps", "4", "--repeats", "5")
    asked = ("--ranks", "1,2,4", "--threads", "1,2", "--distribution", ",".join(ways))
    globe = _matrix("matrix-globe", "held-suarez-t42.toml", *asked, *small)
    area = _matrix(
        "matrix-area",
        "aladin-europe.toml",
        *("--ranks", "2,4", "--distribution", ",".join(ways), "--set", "state.analysis=gfs"),
        *small,
    )
    left = panel(
        figure, both[0], "Bands (north-south) against squares", "ms a step, measured", ylabel="ms"
    )
    table = {
        f"{name}\n{ranks} ranks": {way: found[ranks, 1, way] for way in ways}
        for name, found in (("T42", globe), ("ALADIN", area))
        for ranks in (2, 4)
        if (ranks, 1, ways[0]) in found
    }
    grouped(left, table, ways, digits=0)
    right = panel(figure, both[1], "Ranks against threads, T42", "ms a step, measured on two cores")
    table = {
        text: {"ms": globe[shape]}
        for text, shape in (
            ("1 rank\n1 thread", (1, 1, ways[0])),
            ("1 rank\n2 threads", (1, 2, ways[0])),
            ("2 ranks\n1 thread", (2, 1, ways[0])),
        )
    }
    grouped(right, table, ("ms",), digits=0)
    return figure


@styled
def block_lengths():
    """Lengths of blocks against each other, as the contest at T107."""
    found = measured(
        "blocking",
        *("bench", "blocking", here / "held-suarez-t42.toml", "--set", "grid.truncation=106"),
        *(
            "--set",
            "simulation.time_step=15min",
            "--tile",
            "16,32,48,64,112,128,240,256,304,320,640,1280,-254,-510,-2046",
        ),
        *("--seconds", "60"),
    )
    figure = new_figure(6.4, 3.6)
    axes = panel(
        figure,
        (0.1, 0.17, 0.86, 0.63),
        "Lengths of blocks at T106 (the contest at T107)",
        "time of a step over that of the usual length, measured, with its error",
        xlabel="columns at once (NPROMA)",
        ylabel="of the usual",
    )
    rows = [row for row in found["found"] if row["what"] == "tile" and "ratio" in row]
    for label, colour, some in (
        ("whole vectors of a row, whole rows", phases[0], [r for r in rows if r["size"] > 0]),
        ("rows join and are cut anywhere", phases[1], [r for r in rows if r["size"] < 0]),
    ):
        axes.errorbar(
            [abs(row["size"]) for row in some],
            [row["ratio"] for row in some],
            [row["error"] for row in some],
            fmt="o-",
            ms=4,
            color=colour,
            label=label,
        )
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes := [16, 64, 256, 1024], [str(size) for size in sizes])
    axes.axhline(1.0, color=faint, lw=1)
    axes.legend(fontsize=8)
    return figure


@styled
def geometry_and_database():
    """Scalability of the change of geometry (927), and of the data base (BDAP)."""
    figure = new_figure(9.6, 3.6)
    change = {
        n: measured(
            f"geometry-{n}",
            *("--truncation", "63", "--pairs", "1"),
            ranks=n,
            script="geometry_927.py",
        )
        for n in (1, 2)
    }
    names = ("in memory", "by file")
    table = {
        f"{n} rank{'s' * (n > 1)}": dict(
            zip(names, (held["seconds_in_memory"], held["seconds_by_file"]))
        )
        for n, held in change.items()
    }
    left = panel(figure, both[0], "Change of geometry (927)", "s, T63 to stretched T63, measured")
    grouped(left, table, names)
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "run" / "model.zarr"
        for n in (1, 2):
            if not (kept / f"database-{n}.json").exists() and not store.exists():
                _store(store)
            out = Path(folder) / f"{n}.zarr"
            words = ("database", store, out, "--regular", "2", "--levels", "850,500,300")
            made[n] = measured(f"database-{n}", *words, "--ranks", n)
    parts = list(made[1]["parts"][0])
    note = "processor seconds of the busiest rank, measured; priced"
    right = panel(figure, both[1], "Data base (BDAP)", note)
    busiest = {
        n: max(held["parts"], key=lambda part: sum(part.values())) for n, held in made.items()
    }
    table = {f"{n} rank{'s' * (n > 1)}": dict(one) for n, one in busiest.items()}
    # forty bands are three turns for the busiest of 16 ranks
    table["16 ranks, priced"] = {k: v * 3 / 40 for k, v in busiest[1].items()}
    bottom = np.zeros(len(table))
    for n, part in enumerate(parts):
        height = np.array([row[part] for row in table.values()])
        right.bar(range(len(table)), height, bottom=bottom, color=phases[n], width=0.6, label=part)
        bottom += height
    right.set_xticks(range(len(table)), list(table), fontsize=7)
    right.grid(False, axis="x")
    right.legend(frameon=False, fontsize=7)
    return figure


def _store(path):
    """Ten times of T42 on 19 levels."""
    import fathom as fm

    names = ["air_temperature", "eastward_wind", "surface_air_pressure", "surface_geopotential"]
    model = fm.SpectralAtmosphere(fm.GaussianGrid(42, levels=fm.HybridLevels("L19")))
    model.set(analysis="gfs")
    simulation = fm.Simulation(model, time_step="30m", start="2011-10-11", directory=path.parent)
    simulation.output(path.name, names, every="30m", dtype="float64")
    simulation.run("270m", report=False)


@styled
def stash():
    """The time of the Unified Model's diagnostics, replayed on an emulated file system."""
    from fathom.performance.bench import replay

    file = kept / "replay.json"
    if not file.exists():
        kept.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(replay.measure()))
    found = json.loads(file.read_text())["ways"]
    studied = {name: replay.reported[name][0] for name in found}
    figure = new_figure(6.4, 3.6)
    axes = panel(
        figure,
        (0.1, 0.17, 0.86, 0.63),
        "STASH of the Unified Model on the SX-6",
        "s for 7560 fields: the study, and the writes replayed on an emulated file system",
        ylabel="s",
    )
    names = ("study", "replayed, emulated disk")
    table = {
        name.replace("_", " "): dict(zip(names, (studied[name] or np.nan, held["seconds"])))
        for name, held in found.items()
    }
    grouped(axes, table, names, digits=0)
    return figure


@styled
def messages():
    """Ping-pong by size, and sums: this machine."""
    from fathom.performance.bench.messages import sizes

    found = measured("messages", *("bench", "messages", "--ranks", "2", "--repetitions", "30"))
    figure = new_figure(9.6, 3.6)
    left = panel(
        figure,
        both[0],
        "Halos by size, two ranks here",
        "µs of an exchange; measured",
        xlabel="bytes of a side",
        ylabel="µs",
        xscale="log",
        yscale="log",
    )
    chosen = ("packed", "persistent", "put-flags", "get-barrier", "shared", "mapped", "buffered")
    for n, name in enumerate(chosen):
        held = next((e for e in found["exchanges"] if e["name"] == name), None)
        if held:
            size, seconds = 8 * np.array(sizes), 1e6 * np.array(held["row"])
            left.plot(size, seconds, "o-", ms=3, color=phases[n % len(phases)], label=name)
    left.legend(frameon=False, fontsize=6.5)
    right = panel(
        figure, both[1], "Three sums of one number, or one of three", "µs; measured", ylabel="µs"
    )
    names = ("3 × 1", "1 × 3")
    table = {
        s["name"]
        .replace("one-sided", "1s")
        .replace("-", "-\n")
        .replace("allreduce", "all-\nreduce"): dict(
            zip(names, (1e6 * s["one_three_times"], 1e6 * s["seconds"][2]))
        )
        for s in found["sums"]
    }
    grouped(right, table, names, digits=1)
    right.tick_params(axis="x", labelsize=5.5)
    return figure


@styled
def assimilation():
    """A minimisation at T107 and T48, and an estimate for more ranks."""
    figure = new_figure(9.6, 3.6)
    found = {
        n: measured(
            f"assimilation-{n}",
            *("bench", "assimilation", "--truncation", str(n), "--window", "4"),
            *("--repetitions", "1"),
        )
        for n in (107, 48)
    }
    left = panel(
        figure,
        both[0],
        "An iteration of 4D-Var",
        "processor seconds of a map, measured",
        ylabel="s",
    )
    table = {f"T{n}": held["minimisation"]["by_map"] for n, held in found.items()}
    grouped(left, table, list(table["T107"]))
    right = panel(
        figure,
        both[1],
        "A step at T106 and T48, processors of the SX-8R",
        "speed-up, simulated from a step that was measured here",
        xlabel="processors",
        ylabel="faster than one",
        xscale="log",
        yscale="log",
    )
    for n, (truncation, step) in enumerate(((106, "15min"), (48, "30min"))):
        held = measured(
            f"scale-{truncation}",
            *("scale", here / "held-suarez-t42.toml", "--set", f"grid.truncation={truncation}"),
            *("--set", f"simulation.time_step={step}", "--ranks", "1,2", "--machine", "nec-sx8r"),
            *("--simulate", "1,2,4,8,16,32"),
        )
        ranks = [entry["ranks"] for entry in held["simulated"]]
        seconds = np.array([entry["seconds"] for entry in held["simulated"]])
        right.plot(ranks, seconds[0] / seconds, "o-", ms=3, color=phases[n], label=f"T{truncation}")
    right.plot(ranks, ranks, color=faint, lw=1, label="ranks")
    scaling_studies.ticks(right, ranks)
    right.legend(frameon=False, fontsize=7)
    return figure


@styled
def few_points_of_a_processor():
    """More work by few points of a processor, with and without data."""
    found = few_points.measure(50000, 6)
    figure = new_figure(6.4, 3.6)
    axes = panel(
        figure,
        (0.11, 0.16, 0.85, 0.66),
        "Few points of a processor",
        "work of all processors of the SX-8R over that of one",
        xlabel="processors",
        ylabel="%",
        xscale="log",
    )
    for truncation, curves in found["curves"].items():
        for (kind, rows), style in zip(curves.items(), ("-", "--")):
            axes.plot(
                [row["processors"] for row in rows],
                [100 * row["excess"] for row in rows],
                style,
                lw=1.2,
                color=phases[list(found["curves"]).index(truncation) % len(phases)],
                label=f"{truncation}, {kind}",
            )
    axes.axhline(5, color=faint, lw=1)
    axes.legend(frameon=False, fontsize=7)
    return figure


@styled
def screening():
    """Import and screening of observations, part by part, and on more ranks."""
    found = measured("observations", "bench", "observations", "--messages", "5000")
    figure = new_figure(9.6, 3.6)
    left = panel(
        figure,
        both[0],
        f"Import and screening of {found['messages']} messages",
        "ms of a processor, measured",
        ylabel="ms",
    )
    parts = ("index", "decode", "rows", "sort", "write", "read", "screen departures")
    table = {p.replace(" ", "\n"): {"ms": 1e3 * found["processor_seconds"][p]} for p in parts}
    grouped(left, table, ("ms",), digits=0)
    right = panel(figure, both[1], "On more ranks", "speed-up, priced by these parts", ylabel="×")
    ways = {"import": "priced_speedup", "screening": "priced_speedup_of_screening"}
    table = {
        f"{n} ranks": {way: found[key][n] for way, key in ways.items()}
        for n in found["priced_speedup"]
    }
    grouped(right, table, list(ways), digits=1)
    return figure


def before_and_after(path):
    """Three steps of the 3° ocean on two ranks: messages, and one-sided puts with flags."""
    names = {"packed": "messages", "put-flags": "one-sided"}
    for exchange, name in names.items():
        measured(
            f"profile-{name}",
            *("profile", here / "ocean-3deg.toml", "--ranks", "2", "--steps", "24"),
            *("--set", f"parallel.exchange={exchange}", "--set", "parallel.tile=cache"),
            *("--pictures", kept / name),
        )
    both_runs = [str(kept / f"profile-{name}.json") for name in names.values()]
    fathom("compare", *both_runs, "--gantt", path)


def drawn_by(name, picture, *words):
    """A picture that a command draws itself, stored with its measurements."""

    def draw(path):
        if not (kept / picture).exists():
            (kept / f"{name}.json").unlink(missing_ok=True)
        measured(name, *words)
        shutil.copy(kept / picture, path)

    return draw


drawn = {
    "measured-readers": readers_and_writers,
    "measured-distributions": distributions,
    "measured-block-lengths": block_lengths,
    "measured-geometry": geometry_and_database,
    "measured-stash": stash,
    "measured-messages": messages,
    "measured-assimilation": assimilation,
    "measured-few-points": few_points_of_a_processor,
    "measured-screening": screening,
    "measured-profiles": profile_figures.profiles,
    "measured-work-of-ranks": drawn_by(
        *("balance", "maps/work-of-ranks.png", "bench", "balance", "--ranks", "4"),
        *("--spin-up", "6", "--steps", "3", "--pictures", kept / "maps"),
    ),
    "measured-gridpoint-work": drawn_by(
        *("balance-gridpoint", "maps-gridpoint/cost-RRTMGP.png", "bench", "balance"),
        *("--model", "grid-point", "--spin-up", "48", "--pictures", kept / "maps-gridpoint"),
    ),
    "measured-output-steps": drawn_by(
        *("output", "output-steps.png", "bench", "output", "--case", "ocean-3deg", "--ranks", "1"),
        *("--every", "8h", "--for", "4d", "--out", kept / "output-steps.png"),
    ),
    "measured-before-after": before_and_after,
    "profile-gantt": drawn_by(
        *("profile-gantt", "charts/gantt.png", "profile", here / "ocean-3deg.toml"),
        *("--ranks", "2", "--steps", "48", "--pictures", kept / "charts"),
    ),
    "blocking": drawn_by(
        *("blocking", "blocking.png", "bench", "blocking", here / "ocean-3deg.toml"),
        *("--picture", kept / "blocking.png"),
    ),
    "balance-cost": drawn_by(
        *("balance-cost", "maps-columns/cost-RRTMGP.png", "bench", "balance"),
        *("--pictures", kept / "maps-columns"),
    ),
}


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures")
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or drawn:
        drawn[name](path=folder / f"{name}.png")
        print(folder / f"{name}.png", flush=True)
