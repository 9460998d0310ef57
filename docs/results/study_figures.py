"""The figures of the five studies of performance, those that can be drawn without the machines:
`make figures`, or

    python docs/results/study_figures.py [FOLDER [NAME ...]]        docs/pictures by default

docs/results/figures.md shows them, and explains the numbers of each.
"""

import sys
from pathlib import Path

import numpy as np

import scaling_studies
import simulated_figures
from fathom.performance.bench.vector_length import strip_length
from fathom.performance.scaling import load, sums
from fathom.performance.scaling.studies import arome, cgpop, pop_phases, pop_x1, unified_model
from fathom.plots.colours import faint, ink, phases
from fathom.plots.style import new_figure, styled

panel, ticks = scaling_studies.panel, scaling_studies.ticks
both = ((0.07, 0.14, 0.4, 0.68), (0.57, 0.14, 0.4, 0.68))


@styled
def phase_split():
    """Shares of the phases of POP, and as simulated."""
    cores, found = pop_phases.studied()
    fine = np.unique(np.round(np.geomspace(96, 16384, 60)).astype(int))
    lines = 100 * pop_phases.shares(pop_phases.fitted(), fine)
    figure = new_figure(6.4, 3.9)
    axes = panel(
        figure,
        (0.1, 0.14, 0.85, 0.68),
        "POP at 0.1° on the Cray XT5",
        "share of the time by phase: points of the study's figure, lines simulated, two fitted",
        xlabel="cores",
        ylabel="%",
    )
    for n, text in enumerate(("baroclinic", "barotropic", "3-D updates")):
        axes.plot(cores, 100 * found[:, n], "o", color=phases[n], ms=4)
        axes.plot(fine, lines[:, n], color=phases[n], lw=1.5, label=text)
    ticks(axes, [96, 384, 1536, 6144])
    axes.set_ylim(0)
    axes.legend(frameon=False, fontsize=7.5)
    return figure


@styled
def platforms():
    """POP's simulated years a day by platform, and the phases before and after at 128."""
    values = pop_x1.fitted(False).values
    figure = new_figure(9.6, 3.9)
    left = panel(
        figure,
        both[0],
        "POP 320×384×40 by platform, messages",
        "model years a day; lines simulated, points: estimates of ours from the study",
        xlabel="processors",
        ylabel="years a day",
        yscale="log",
    )
    ranks = [8, 16, 32, 64, 96, 128, 192, 256]
    names = ("Cray X1", "Earth Simulator", "IBM SP", "SGI Altix")
    for n, (name, text) in enumerate(zip(pop_x1.platforms, names)):
        machine, program = pop_x1.on_platform(name, values)
        years = [pop_x1.years_a_day(machine, program, p) for p in ranks]
        left.plot(ranks, years, "-", color=phases[n], lw=1.5, label=text)
    left.plot([96, 256], [104, 134], "o", color=phases[0], ms=5)
    ticks(left, [8, 16, 32, 64, 128, 256])
    left.set_yticks([1, 10, 100], ["1", "10", "100"])
    left.legend(frameon=False, fontsize=7.5)
    right = panel(
        figure,
        both[1],
        "128 processors of the X1, before and after",
        "s of a model day by phase and what was done in it, simulated",
        ylabel="s",
    )
    machine = load("cray-x1")
    at, colours = [], {"computing": phases[0], "waiting": faint, "moving": phases[1]}
    for n, variant in enumerate(pop_x1.variants):
        regions = pop_x1.day(machine, values, 128, variant).regions()
        for m, phase in enumerate(("baroclinic", "barotropic")):
            bottom, x = 0.0, n + 0.4 * m
            for kind, colour in colours.items():
                height = regions[phase][kind]
                label = kind if not at else None
                right.bar(x, height, bottom=bottom, width=0.34, color=colour, label=label)
                bottom += height
            at.append((x, f"{phase}\n{variant}"))
    right.set_xticks([x for x, _ in at], [text for _, text in at], fontsize=6.5)
    right.grid(False, axis="x")
    right.legend(frameon=False, fontsize=7.5)
    return figure


@styled
def solver_breakdown():
    """An iteration of CGPOP by kind of work, against cores; and every way to sum on the X1."""
    figure = new_figure(9.6, 3.9)
    left = panel(
        figure,
        both[0],
        "An iteration of the 0.1° solver on the XE6",
        "shares, and µs above; simulated, fitted to the solver in POP",
        xlabel="cores",
        ylabel="%",
    )
    machine, program = cgpop.known("XE6/POP/PGI")
    cores = np.array([96, 384, 1536, 3072, 6144, 12288])
    parts = [cgpop.iteration(machine, program, int(p)) for p in cores]
    totals, bottom = np.array([sum(part.values()) for part in parts]), np.zeros(len(cores))
    for n, (key, text) in enumerate(
        (("calc", "computing"), ("halo", "UpdateHalo"), ("sum", "GlobalSum"))
    ):
        height = 100 * np.array([part[key] for part in parts]) / totals
        left.bar(range(len(cores)), height, bottom=bottom, color=phases[n], width=0.65, label=text)
        bottom += height
    for x, total in enumerate(totals):
        left.text(x, 101, f"{1e6 * total:.0f}", ha="center", fontsize=7, color=ink)
    left.set_xticks(range(len(cores)), cores)
    left.set_ylim(0, 130)
    left.set_yticks([0, 25, 50, 75, 100])
    left.grid(False, axis="x")
    left.legend(frameon=False, fontsize=7, ncols=4, loc="upper center", columnspacing=0.8)
    right = panel(
        figure,
        both[1],
        "A sum of one number on the X1",
        "µs, simulated; versions of the study: May 7, Aug 12, Oct 25, Dec 13b",
        xlabel="processors",
        ylabel="µs",
        yscale="log",
    )
    x1, ranks = load("cray-x1"), [8, 16, 32, 64, 128, 256]
    for n, (way, text) in enumerate(
        (
            ("allreduce", "MPI_Allreduce"),
            ("one-sided-barrier", "master, barriers (May 7, Dec 13a)"),
            ("one-sided-flags", "master, flags (Aug 12)"),
            ("one-sided-sentinel", "master, words in the data (Oct 25)"),
            ("one-sided-tree", "tree (Dec 13b)"),
        )
    ):
        micro = [1e6 * sums.seconds(x1, p, 1, way) for p in ranks]
        right.plot(ranks, micro, "o-", ms=3, color=phases[n % len(phases)], label=text)
    ticks(right, ranks)
    right.legend(frameon=False, fontsize=6.5)
    return figure


@styled
def all_solvers():
    """The six series of the mini-app and the solver in POP, with their fits."""
    figure = new_figure(9.6, 3.9)
    names = (
        ("XE6/POP/PGI", "XE6/CGPOP/PGI", "XE6/CGPOP/Cray"),
        ("XT5/POP", "XT5/CGPOP", "BGL/CGPOP"),
    )
    for place, those in zip(both, names):
        axes = panel(
            figure,
            place,
            "The 0.1° barotropic solver",
            "s of a model day; points: study, lines: simulated, fitted to them",
            xlabel="cores",
            ylabel="s",
            yscale="log",
        )
        for n, name in enumerate(those):
            cores, seconds = cgpop.series(name)
            ranks = np.unique(np.round(np.geomspace(cores.min(), cores.max(), 40)).astype(int))
            days = [cgpop.day(*cgpop.known(name), int(p)) for p in ranks]
            axes.plot(ranks, days, color=phases[n], lw=1.5, label=name)
            axes.plot(cores, seconds, "o", color=phases[n], ms=3.5)
        ticks(axes, [24, 96, 384, 1536, 6144])
        axes.legend(frameon=False, fontsize=7.5)
    return figure


@styled
def vector_lengths():
    """The cost of a column against the length of blocks (NPROMA), lengths of strips, banks."""
    figure = new_figure(12.6, 3.9)
    places = [(left, 0.16, 0.26, 0.66) for left in (0.055, 0.39, 0.725)]
    xlabel = "length of a block (NPROMA)"
    note = "% above the best, four processors; simulated; grey: the study's best"
    curve = panel(figure, places[0], "NPROMA at T538", note, xlabel=xlabel, ylabel="%")
    lengths, columns = np.arange(200, 4001), 399180 // 4
    vector = arome.vector_machine(load("nec-sx8r"))
    cycles = np.array([vector.forecast(columns, int(length)) for length in lengths])
    curve.axvspan(1500, 3000, color=faint, alpha=0.2, lw=0)
    curve.plot(lengths, 100 * (cycles / cycles.min() - 1), color=phases[0], lw=1)
    curve.set_ylim(0)
    note = "mean words of a strip, N / ⌈N / 256⌉"
    strips = panel(figure, places[1], "Strips of vector registers", note, xlabel=xlabel)
    near = np.arange(1800, 3001)
    strips.plot(near, strip_length(near), color=phases[0], lw=1)
    strips.set_ylabel("words")
    note = "cycles a step of a loop over 8 levels, simulated"
    _banks(panel(figure, places[2], "Conflicts of memory banks", note, xlabel=xlabel))
    return figure


def _banks(axes):
    """Cycles of a step at multiples of 256, and at one and two less."""
    near = [256 * k - less for k in range(8, 12) for less in (0, 1, 2)]
    at = np.arange(len(near)) + np.arange(len(near)) // 3  # a gap between multiples
    sx8r = load("nec-sx8r")
    for n, (machine, text) in enumerate(
        (
            (sx8r, "a processor's part of them, 512 (assumption)"),
            (sx8r.but({"vector.sharing": 1}), "all 4096 banks of a node"),
        )
    ):
        cycles = [arome.vector_machine(machine).cycles(length) for length in near]
        shift = 0.4 * n - 0.2
        axes.bar(at + shift, cycles, width=0.38, color=phases[n], label=text)
    axes.set_xticks(at, near, rotation=60, fontsize=6)
    axes.set(ylim=(0, 20), ylabel="cycles")
    axes.grid(False, axis="x")
    axes.legend(frameon=False, fontsize=7)


@styled
def unified_model_tables():
    """Departure points, STASH and messages of pairs: the study compared with the simulator."""
    figure = new_figure(9.6, 3.6)
    places = ((0.05, 0.22, 0.42, 0.58), (0.54, 0.22, 0.18, 0.58), (0.78, 0.22, 0.2, 0.58))
    departure = unified_model.departure_fit().predicted
    pairs = unified_model.pairs_fit().predicted
    for place, title, note, studied, found in (
        (
            places[0],
            "Departure points",
            "s of two days",
            unified_model.departure_figures,
            departure,
        ),
        (
            places[1],
            "STASH",
            "s; volumes estimated",
            unified_model.stash_figures,
            unified_model.stash(),
        ),
        (
            places[2],
            "1000 words between pairs",
            "ms",
            {name: 1e3 * seconds for name, seconds in unified_model.pair_figures.items()},
            1e3 * np.asarray(pairs),
        ),
    ):
        _bars(panel(figure, place, title, note), studied, found)
    return figure


def _bars(axes, studied, found):
    """Two bars for each figure: of the study, and simulated."""
    at = np.arange(len(studied))
    axes.bar(at - 0.2, list(studied.values()), width=0.38, color=faint, label="study")
    axes.bar(at + 0.2, list(found), width=0.38, color=phases[0], label="simulated")
    axes.set_xticks(at, [name.replace(" ", "\n", 1) for name in studied], fontsize=6, color=ink)
    axes.grid(False, axis="x")
    axes.legend(frameon=False, fontsize=7)


@styled
def arome_profile():
    """The forecast of AROME on 64 tasks, and the reading of SURFEX's file."""
    figure = new_figure(9.6, 3.6)
    places = ((0.07, 0.2, 0.24, 0.6), (0.39, 0.2, 0.26, 0.6), (0.73, 0.2, 0.24, 0.6))
    predicted = arome.forecast_fit(False).predicted
    studied = list(arome.forecast_figures.items())
    seconds, gains = dict(studied[:3]), {name: 100 * (value - 1) for name, value in studied[3:]}
    read = arome.surfex_fit()
    for place, title, note, those, found in (
        (places[0], "AROME, 64 tasks of the SX-8R", "s", seconds, predicted[:3]),
        (places[1], "What options gain", "% of the time", gains, 100 * (predicted[3:] - 1)),
        (
            places[2],
            "SURFEX's file, read by all",
            "s",
            {f"{tasks} tasks": value for tasks, value in arome.surfex_figures.items()},
            read.predicted[: len(arome.surfex_figures)],
        ),
    ):
        _bars(panel(figure, place, title, note), those, found)
    return figure


drawn = {
    "scaling-x1": scaling_studies.x1,
    "scaling-k": scaling_studies.k,
    "scaling-output": scaling_studies.output,
    "scaling-solver": scaling_studies.solver,
    "study-phase-split": phase_split,
    "study-platforms": platforms,
    "study-breakdown": solver_breakdown,
    "study-solvers": all_solvers,
    "study-vector-lengths": vector_lengths,
    "study-unified-model": unified_model_tables,
    "study-arome": arome_profile,
    **simulated_figures.drawn,
}

if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures")
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or drawn:
        drawn[name](path=folder / f"{name}.png")
        print(folder / f"{name}.png")
